-- A certificate that is activated looks at no more than some thousand of the documents that are to be asked about. While the SRI
-- is away a tenant may have some hundred thousand, and to look at all of them, or at every document of the database, took
-- longer than a statement may.

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
