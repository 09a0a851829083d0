-- A certificate wakes what was parked for want of it in parts: in one statement, some hundred thousand documents took longer
-- than a statement may, and the certificate could not be activated at all. Nor does it look at all questions to the SRI that are
-- due: while the SRI is away a tenant may have as many.

create function wake_parked(p_tenant uuid, p_issuer uuid, p_now timestamptz, p_limit integer) returns integer
  language plpgsql
  set enable_seqscan = off
as $$
declare
  woken integer;
begin
  update outbox o set step = 'prepare', due_at = least(p_now, clock_timestamp()), ahead = false, announced_at = null
  from (
    -- Who holds one is deciding about it, and leaves it due or parked for the next look.
    select w.tenant_id, w.document_id from outbox w
    where w.tenant_id = p_tenant and w.issuer_id = p_issuer and w.due_at = 'infinity' and w.sequential > 0
    order by w.emission_point_id, w.document_type, w.sequential limit p_limit
    for update skip locked
  ) parked
  where o.tenant_id = parked.tenant_id and o.document_id = parked.document_id;
  get diagnostics woken = row_count;
  return woken;
end $$;
comment on function wake_parked(uuid, uuid, timestamptz, integer) is
  'Lifecycle: Makes up to p_limit parked documents of an issuer due for signing, lowest numbers first, and returns how '
  'many. resume_parked_documents calls it, and wake_parked_going_round.';

create function wake_parked_going_round(p_now timestamptz, p_limit integer) returns integer
  language plpgsql security definer set search_path = sello, pg_temp
  set enable_seqscan = off
as $$
declare
  at record;
  woken integer := 0;
begin
  select w.tenant_id, w.issuer_id into at from outbox w
  where w.due_at = 'infinity' and w.sequential > 0 order by w.tenant_id, w.issuer_id limit 1;
  while found and woken < p_limit loop
    if exists (select from certificates c where c.tenant_id = at.tenant_id and c.issuer_id = at.issuer_id and c.is_active and c.valid_to > p_now) then
      woken := woken + wake_parked(at.tenant_id, at.issuer_id, p_now, p_limit - woken);
    end if;
    select w.tenant_id, w.issuer_id into at from outbox w
    where (w.tenant_id, w.issuer_id) > (at.tenant_id, at.issuer_id) and w.due_at = 'infinity' and w.sequential > 0
    order by w.tenant_id, w.issuer_id limit 1;
  end loop;
  return woken;
end $$;
alter function wake_parked_going_round(timestamptz, integer) owner to sello_worker;
revoke execute on function wake_parked_going_round(timestamptz, integer) from public;
grant execute on function wake_parked_going_round(timestamptz, integer) to sello_app;
comment on function wake_parked_going_round(timestamptz, integer) is
  'Lifecycle: Makes up to p_limit documents due that are parked although their issuer has a certificate that can sign, '
  'and returns how many: those that the activation of the certificate left for later. The worker calls it at intervals.';

create or replace function resume_parked_documents()
  returns trigger
  language plpgsql
  set enable_seqscan = off
as $$
declare
  at_once constant integer := 1000;
  looked_at constant integer := 5000;
begin
  perform wake_parked(new.tenant_id, new.issuer_id, new.created_at, at_once);
  -- Sent before, and compared with the SRI daily while it is parked: such questions are due later than those of documents under
  -- way. Of more, or among as many other daily ones, they find the certificate when they are compared.
  update outbox o set step = 'prepare', due_at = least(new.created_at, clock_timestamp()), ahead = false, announced_at = null
  from (
    select w.tenant_id, w.document_id from (
      select a.tenant_id, a.document_id, a.issuer_id from outbox a
      where a.tenant_id = new.tenant_id and a.step = 'authorize' and not a.ahead and a.sequential > 0
      order by a.due_at desc limit looked_at
    ) w
    -- As a value, and not joined: each is looked up, where the planner would rather begin with all documents.
    where w.issuer_id = new.issuer_id
      and (select d.status from documents d where d.tenant_id = w.tenant_id and d.id = w.document_id) in ('NUMBER_RESERVED', 'XML_GENERATED')
  ) compared
  where o.tenant_id = compared.tenant_id and o.document_id = compared.document_id and o.step = 'authorize';
  return new;
end $$;
comment on function resume_parked_documents() is
  'Lifecycle: Trigger of certificates after the insert or activation of an active one: makes the documents of its '
  'issuer due for signing that were parked for want of a certificate, the first thousand of them at once and the '
  'others by wake_parked_going_round; also those that were sent before and are compared with the SRI daily meanwhile, '
  'as far as they are among the 5000 questions of the tenant that are due last.';
