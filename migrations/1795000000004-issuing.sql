-- Work that is due, one row per document. Crosses tenants, so it holds only ids and due times;
-- only the functions below, owned by sello_worker, walk it.
create table outbox (
  tenant_id uuid not null,
  document_id uuid not null,
  step text not null check (step in ('prepare', 'submit', 'authorize', 'watch')),
  due_at timestamptz not null,
  -- When the bell was last rung (a Bull job added) for the row as it is; null: not yet. In the future while the row waits
  -- for its predecessor or for its scope to be resumed: whoever ends the wait sets it to null.
  announced_at timestamptz,
  announcements integer not null default 0,
  -- Fencing token of the worker that holds the row, and until when.
  lease_token uuid,
  lease_until timestamptz,
  -- Leases that ran out without progress.
  lost_leases integer not null default 0,
  -- First transmission follows the sequential order of the emission point and type.
  issuer_id uuid not null,
  establishment_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  sequential integer not null,
  unsent boolean not null,
  primary key (tenant_id, document_id)
) with (fillfactor = 50);
create index outbox_due on outbox (due_at);
create index outbox_due_by_step on outbox (tenant_id, step, due_at);
create index outbox_order on outbox (tenant_id, emission_point_id, document_type, sequential) where unsent;
alter table outbox enable row level security;
alter table outbox force row level security;
create policy tenant_isolation on outbox to sello_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy worker_walks on outbox to sello_worker using (true) with check (true);
grant select, insert, update, delete on outbox to sello_app;
grant select, update on outbox to sello_worker;

-- Submissions that wait because the SRI blocked a taxpayer, an establishment, a type or the numbers of an emission point.
-- Every column that is set narrows the scope. Open while resumed_at is null.
create table issuing_pauses (
  tenant_id uuid not null,
  id uuid not null,
  scope text not null check (scope in ('issuer', 'establishment', 'document_type', 'emission_point')),
  issuer_id uuid not null,
  establishment_id uuid,
  emission_point_id uuid,
  document_type text,
  -- The SRI's code and the document that met it.
  code text not null,
  document_id uuid not null,
  created_at timestamptz not null,
  resumed_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, issuer_id) references issuers (tenant_id, id)
);
create unique index issuing_pauses_open on issuing_pauses (tenant_id, issuer_id, scope, establishment_id, emission_point_id, document_type)
  nulls not distinct where resumed_at is null;
call isolate_tenant_table('issuing_pauses');
create policy worker_walks on issuing_pauses to sello_worker using (true);
grant select, insert, update (resumed_at) on issuing_pauses to sello_app;
grant select, update (resumed_at) on issuing_pauses to sello_worker;

-- The pauses that hold up submissions of a place: somebody must resume every one of them.
create function open_pauses(p_tenant uuid, p_issuer uuid, p_establishment uuid, p_point uuid, p_type text)
  returns setof uuid language sql stable as $$
  select p.id from issuing_pauses p
  where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.resumed_at is null
    and (p.establishment_id is null or p.establishment_id = p_establishment)
    and (p.emission_point_id is null or p.emission_point_id = p_point)
    and (p.document_type is null or p.document_type = p_type)
$$;

-- The nearest earlier document of the same emission point and type that waits for its first transmission; null when
-- there is none. Parked documents (due at infinity) let the others pass.
create function unsent_predecessor(p_tenant uuid, p_point uuid, p_type text, p_sequential integer)
  returns uuid language sql stable as $$
  select o.document_id from outbox o
  where o.tenant_id = p_tenant and o.emission_point_id = p_point and o.document_type = p_type
    and o.sequential < p_sequential and o.unsent and o.due_at < 'infinity'
  order by o.sequential desc limit 1
$$;

-- True when the bell should be rung for the row now.
create function is_ready(w outbox, p_now timestamptz, p_patience interval)
  returns boolean language sql stable as $$
  select w.due_at <= p_now
    and (w.announced_at is null or w.announced_at < p_now - p_patience)
    and (w.lease_until is null or w.lease_until < p_now)
$$;

-- Ready rows, tenants taking turns: one tenant's backlog does not hold up the others. A tenant gives the oldest and the
-- newest rows of every step by turns, so that its own backlog holds up neither its fresh documents nor those that only
-- wait for an answer: of these twice as many, for whatever is sent, old or fresh, comes to wait. Where there is less
-- room than a turn takes, chance (of the clock) decides who is first. Tenants are found one by one through the index.
create function ready_in_turns(p_now timestamptz, p_patience interval, p_limit integer)
  returns table (tenant_id uuid, document_id uuid)
  language sql stable set search_path = sello, pg_temp as $$
  with recursive tenants as (
    (select o.tenant_id from outbox o order by o.tenant_id limit 1)
    union all
    select (select o.tenant_id from outbox o where o.tenant_id > t.tenant_id order by o.tenant_id limit 1)
    from tenants t where t.tenant_id is not null
  ), candidates as (
    select mine.tenant_id, mine.document_id, min(mine.place) as place, hashtext(mine.document_id::text || p_now::text) as chance
    from tenants t
    cross join (values ('prepare', 1), ('submit', 1), ('authorize', 2), ('watch', 1)) as s (step, share)
    cross join lateral (
      (select w.tenant_id, w.document_id, (row_number() over (order by w.due_at) + s.share - 1) / s.share as place from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.due_at <= p_now and is_ready(w, p_now, p_patience)
       order by w.due_at
       limit p_limit)
      union all
      (select w.tenant_id, w.document_id, (row_number() over (order by w.due_at desc) + s.share - 1) / s.share from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.due_at <= p_now and is_ready(w, p_now, p_patience)
       order by w.due_at desc
       limit p_limit)
    ) mine
    group by mine.tenant_id, mine.document_id
  ), turns as (
    select c.*, row_number() over (partition by c.tenant_id order by c.place, c.chance) as turn from candidates c
  )
  select turns.tenant_id, turns.document_id from turns
  order by turns.turn, turns.chance
  limit p_limit
$$;

-- Marks ready rows as announced and returns them. A row is announced again when nobody claimed it
-- within p_patience or its lease ran out: that is how lost jobs come back.
create function announce_due(p_now timestamptz, p_patience interval, p_limit integer)
  returns table (tenant_id uuid, document_id uuid, announcement integer)
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- A bell forgotten by a crash of the server is rung again: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if (select count(*) from (select from outbox o where o.due_at <= p_now limit p_limit + 1) due) <= p_limit then
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id from outbox w
      where w.due_at <= p_now and is_ready(w, p_now, p_patience)
      for update skip locked
    ) ready
    where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
    returning o.tenant_id, o.document_id, o.announcements;
  else
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id
      from ready_in_turns(p_now, p_patience, p_limit) turn
      join outbox w on w.tenant_id = turn.tenant_id and w.document_id = turn.document_id
      where is_ready(w, p_now, p_patience)
      for update of w skip locked
    ) ready
    where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
    returning o.tenant_id, o.document_id, o.announcements;
  end if;
end $$;
alter function announce_due(timestamptz, interval, integer) owner to sello_worker;

-- Takes the lease of a due row, or renews it under the same token. No row: not due, leased by another, or waiting for
-- its predecessor or for its scope to be resumed. A row that waits is left out of the announcements, so that a backlog
-- of one emission point costs the relay little; the ten minutes are for a wake-up that went past it.
create function claim_step(p_tenant uuid, p_document uuid, p_token uuid, p_now timestamptz, p_lease interval)
  returns table (step text, lost_leases integer)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  work outbox%rowtype;
  pauses uuid[];
  predecessor uuid;
  will_be_woken boolean;
begin
  -- A lease forgotten by a crash of the server fences its worker off, and whatever that worker commits for good
  -- flushes the lease with it: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  select * into work from outbox o
  where o.tenant_id = p_tenant and o.document_id = p_document
  -- Whoever holds the row, to wake it or to look at it, lets go soon; passed over, a lease in use would run out.
  for update;
  if not found or work.due_at > p_now
     or (work.lease_token is distinct from p_token and work.lease_until >= p_now) then
    return;
  end if;
  if work.step = 'submit' then
    pauses := array(select open_pauses(work.tenant_id, work.issuer_id, work.establishment_id, work.emission_point_id, work.document_type));
    if work.unsent then
      predecessor := unsent_predecessor(work.tenant_id, work.emission_point_id, work.document_type, work.sequential);
    end if;
    if cardinality(pauses) > 0 or predecessor is not null then
      -- Whoever is about to end the wait at this moment may not see this row to wake it: then the relay looks again.
      perform from issuing_pauses p where p.tenant_id = p_tenant and p.id = any (pauses) for share skip locked;
      will_be_woken := found;
      if not will_be_woken then
        perform from outbox o where o.tenant_id = p_tenant and o.document_id = predecessor for share skip locked;
        will_be_woken := found;
      end if;
      update outbox o set
        announced_at = case when will_be_woken then p_now + interval '10 minutes' end,
        lease_token = null, lease_until = null
      where o.tenant_id = p_tenant and o.document_id = p_document;
      return;
    end if;
  end if;
  return query
  update outbox o set
    lease_token = p_token,
    lease_until = p_now + p_lease,
    lost_leases = o.lost_leases + case when o.lease_token is not null and o.lease_token <> p_token then 1 else 0 end
  where o.tenant_id = p_tenant and o.document_id = p_document
  returning o.step, o.lost_leases;
end $$;
alter function claim_step(uuid, uuid, uuid, timestamptz, interval) owner to sello_worker;

-- Ends a pause and wakes what waits in its scope; resuming twice is the same as once. No row: there is no such pause.
-- Work is locked before the pause, as by a worker that meets the SRI's refusal, and in the order in which documents wake
-- their successors.
create function resume_pause(p_tenant uuid, p_issuer uuid, p_pause uuid, p_now timestamptz)
  returns setof issuing_pauses language plpgsql as $$
declare
  pause issuing_pauses%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into pause from issuing_pauses p where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.id = p_pause;
  if not found then return; end if;
  perform from outbox w
  where w.tenant_id = p_tenant and w.issuer_id = p_issuer
    and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
    and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
    and (pause.document_type is null or w.document_type = pause.document_type)
  order by w.emission_point_id, w.document_type, w.sequential
  for update;
  update issuing_pauses p set resumed_at = coalesce(p.resumed_at, p_now)
  where p.tenant_id = p_tenant and p.id = p_pause
  returning * into pause;
  -- Again by scope: what came to wait meanwhile is woken too.
  update outbox w set announced_at = null
  where w.tenant_id = p_tenant and w.issuer_id = p_issuer and w.due_at < 'infinity' and w.announced_at > p_now
    and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
    and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
    and (pause.document_type is null or w.document_type = pause.document_type);
  return next pause;
end $$;

revoke execute on function announce_due(timestamptz, interval, integer) from public;
revoke execute on function claim_step(uuid, uuid, uuid, timestamptz, interval) from public;
grant execute on function announce_due(timestamptz, interval, integer) to sello_app;
grant execute on function claim_step(uuid, uuid, uuid, timestamptz, interval) to sello_app;

-- Modulo 11 over the 48 digits of an access key: weights 2 to 7 from the right; 11 gives 0, 10 gives 1.
create function access_key_check_digit(p_digits text) returns integer
  language sql immutable strict parallel safe as $$
  select case r when 11 then 0 when 10 then 1 else r end
  from (
    select 11 - (sum((ascii(substr(p_digits, i, 1)) - 48) * (2 + (length(p_digits) - i) % 6)) % 11)::integer as r
    from generate_series(1, length(p_digits)) i
  ) modulo
$$;

-- Segments of an access key in their order, with the check digit.
create function build_access_key(
  p_issue_date date, p_type text, p_ruc text, p_environment text, p_establishment text, p_point text,
  p_sequential integer, p_numeric_code text) returns text
  language sql immutable strict parallel safe as $$
  select digits || access_key_check_digit(digits)
  from (
    select to_char(p_issue_date, 'DDMMYYYY') || p_type || p_ruc
      || case p_environment when 'PRODUCTION' then '2' else '1' end
      || p_establishment || p_point || lpad(p_sequential::text, 9, '0') || p_numeric_code || '1' as digits
  ) key
$$;

-- Everything pre-flight needs to know, and the replay of an idempotency key, in one round trip.
create function issuing_context(
  p_tenant uuid, p_issuer uuid, p_establishment uuid, p_point uuid, p_idempotency_key text)
  returns table (context jsonb, replay jsonb)
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select
    (select jsonb_build_object(
        'ruc', i.ruc, 'razon_social', i.razon_social, 'nombre_comercial', i.nombre_comercial,
        'direccion_matriz', i.direccion_matriz, 'obligado_contabilidad', i.obligado_contabilidad,
        'contribuyente_especial', i.contribuyente_especial, 'agente_retencion', i.agente_retencion,
        'gran_contribuyente', i.gran_contribuyente, 'regimen_rimpe', i.regimen_rimpe,
        'default_payment_method', i.default_payment_method,
        'issuer_active', i.is_active and i.disabled_at is null,
        'establishment_code', e.code, 'establishment_address', e.address, 'establishment_active', e.is_active,
        'point_code', p.code, 'point_active', p.is_active,
        'certificate_id', c.id, 'certificate_valid_from', c.valid_from, 'certificate_valid_to', c.valid_to,
        'certificate_ruc', c.ruc)
     from issuers i
     join establishments e on e.tenant_id = i.tenant_id and e.issuer_id = i.id and e.id = p_establishment
     join emission_points p on p.tenant_id = e.tenant_id and p.establishment_id = e.id and p.id = p_point
     left join certificates c on c.tenant_id = i.tenant_id and c.issuer_id = i.id and c.is_active
     where i.tenant_id = p_tenant and i.id = p_issuer),
    (select jsonb_build_object('operation', k.operation, 'fingerprint', k.fingerprint, 'response', k.response)
     from idempotency_keys k
     where k.tenant_id = p_tenant and k.issuer_id = p_issuer and k.key = p_idempotency_key);
end $$;

-- The last look before a number is taken: what pre-flight saw may have changed since. Custom SQLSTATEs:
--   SE002 key revoked, session ended or tenant inactive, SE003 issuer disabled, SE004 certificate expired, SE009 no certificate
-- A caller's credential (p_api_key here and in what calls this) is the id of an API key or of a person's session.
create function last_look(p_tenant uuid, p_api_key uuid, p_issuer uuid, p_now timestamptz) returns void
  language plpgsql as $$
begin
  if not is_credential_valid(p_tenant, p_api_key, p_now) then
    raise exception 'credential ended' using errcode = 'SE002';
  end if;
  if not exists (select from issuers i where i.tenant_id = p_tenant and i.id = p_issuer and i.is_active and i.disabled_at is null) then
    raise exception 'issuer disabled' using errcode = 'SE003';
  end if;
  if not exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = p_issuer and c.is_active) then
    raise exception 'no certificate' using errcode = 'SE009';
  end if;
  if not exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = p_issuer and c.is_active and c.valid_to > p_now) then
    raise exception 'certificate expired' using errcode = 'SE004';
  end if;
end $$;

-- A credit note may not credit more than its original holds. The original's row is locked, so that concurrent
-- credit notes are judged one after the other. Every issued one counts unless it came to nothing.
--   SE006 original not authorized, SE007 balance exceeded
create function reserve_credit(p_tenant uuid, p_credit_note uuid, p_original uuid, p_total numeric) returns void
  language plpgsql as $$
declare
  original documents%rowtype;
  credited numeric;
begin
  select * into original from documents d where d.tenant_id = p_tenant and d.id = p_original for update;
  if original.status is distinct from 'AUTHORIZED' then
    raise exception 'the original is %', coalesce(original.status, 'missing') using errcode = 'SE006';
  end if;
  select coalesce(sum(d.total), 0) into credited from documents d
  where d.tenant_id = p_tenant and d.modified_document_id = p_original and d.document_type = '04' and d.id <> p_credit_note
    and d.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED');
  if credited + p_total > original.total then
    raise exception 'credited % of %', credited, original.total using errcode = 'SE007', detail = (original.total - credited)::text;
  end if;
end $$;

-- The next number of the emission point for a type, and the access key made with it. The counter's row stays locked
-- until the commit, so nothing may be waited for after this call.
--   SE001 sequence exhausted, SE005 emission point gone
create function take_number(p_tenant uuid, h documents, p_snapshot jsonb, p_numeric_code text, out sequential integer, out access_key text)
  language plpgsql as $$
begin
  insert into sequence_counters as s (tenant_id, emission_point_id, document_type, environment, last_value)
  select p_tenant, p.id, h.document_type, h.sri_environment, p.initial_sequential
  from emission_points p
  where p.tenant_id = p_tenant and p.establishment_id = h.establishment_id and p.id = h.emission_point_id and p.is_active
  on conflict (tenant_id, emission_point_id, document_type, environment)
  do update set last_value = s.last_value + 1 where s.last_value < 999999999
  returning s.last_value into sequential;
  if sequential is null then
    if exists (select from emission_points p where p.tenant_id = p_tenant and p.id = h.emission_point_id and p.is_active) then
      raise exception 'sequence exhausted' using errcode = 'SE001';
    end if;
    raise exception 'emission point gone' using errcode = 'SE005';
  end if;
  access_key := build_access_key(
    h.issue_date, h.document_type, p_snapshot ->> 'ruc', h.sri_environment,
    p_snapshot ->> 'establishmentCode', p_snapshot ->> 'emissionPointCode', sequential, p_numeric_code);
end $$;

-- Issues a document: replay check, last look, number, access key, document, contents with snapshot, history and due
-- work. All or nothing. SQLSTATEs SE001 to SE007: see the functions above.
create function issue_document(
  p_tenant uuid, p_api_key uuid, p_document uuid, p_now timestamptz,
  p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb,
  p_idempotency_key text, p_fingerprint text)
  returns table (outcome text, fingerprint text, operation text, response jsonb)
  language plpgsql as $$
declare
  h documents%rowtype;
  number record;
  answer jsonb;
  first_answer idempotency_keys%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  h := jsonb_populate_record(null::documents, p_header);

  if p_idempotency_key is not null then
    -- A concurrent request with the same key waits here, before it takes a number.
    insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, created_at)
    values (p_tenant, h.issuer_id, p_idempotency_key, 'issue', p_fingerprint, p_document, p_now)
    on conflict do nothing;
    if not found then
      select * into first_answer from idempotency_keys k
      where k.tenant_id = p_tenant and k.issuer_id = h.issuer_id and k.key = p_idempotency_key;
      return query select 'replayed', first_answer.fingerprint, first_answer.operation, first_answer.response;
      return;
    end if;
  end if;

  perform last_look(p_tenant, p_api_key, h.issuer_id, p_now);
  if h.document_type = '04' and h.modified_document_id is not null then
    perform reserve_credit(p_tenant, p_document, h.modified_document_id, h.total);
  end if;
  select * into number from take_number(p_tenant, h, p_snapshot, p_content ->> 'numericCode');

  insert into documents (
    tenant_id, id, issuer_id, establishment_id, emission_point_id, document_type, sri_environment, sequential, access_key,
    status, version, idempotency_key, issue_date, subtotal, total_discount, total_tax, total,
    buyer_id_type, buyer_id, buyer_name, buyer_email, buyer_address,
    modified_document_id, modified_document_type, modified_document_number, modified_document_issue_date, reason,
    warnings, next_attempt_at, created_at, updated_at)
  values (
    p_tenant, p_document, h.issuer_id, h.establishment_id, h.emission_point_id, h.document_type, h.sri_environment,
    number.sequential, number.access_key, 'NUMBER_RESERVED', 1, p_idempotency_key, h.issue_date,
    h.subtotal, h.total_discount, h.total_tax, h.total,
    h.buyer_id_type, h.buyer_id, h.buyer_name, h.buyer_email, h.buyer_address,
    h.modified_document_id, h.modified_document_type, h.modified_document_number, h.modified_document_issue_date, h.reason,
    p_warnings, p_now, p_now, p_now);
  insert into document_contents (tenant_id, document_id, revision, content, issuer_snapshot, created_at)
  values (p_tenant, p_document, 1, p_content, p_snapshot, p_now);
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, 1, null, 'number_taken', 'NUMBER_RESERVED', p_now);
  -- The API rings the bell itself right after the commit, hence announced.
  insert into outbox (tenant_id, document_id, step, due_at, announced_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
  values (p_tenant, p_document, 'prepare', p_now, p_now, 1, h.issuer_id, h.establishment_id, h.emission_point_id, h.document_type, number.sequential, true);

  answer := jsonb_build_object('document_id', p_document, 'status', 'NUMBER_RESERVED', 'access_key', number.access_key);
  if p_idempotency_key is not null then
    update idempotency_keys k set response = answer
    where k.tenant_id = p_tenant and k.issuer_id = h.issuer_id and k.key = p_idempotency_key;
  end if;
  return query select 'accepted', p_fingerprint, 'issue', answer;
end $$;

-- Pauses what the SRI blocked, once, with one event. A pause of an emission point needs `threshold` documents in a row
-- that met the same, none of the later numbers having been taken in by the SRI.
create function pause_scope(d documents, p_pause jsonb, p_now timestamptz) returns void
  language plpgsql as $$
declare
  wanted text := p_pause ->> 'scope';
begin
  if (p_pause ->> 'threshold')::integer > 1 and (p_pause ->> 'threshold')::integer > (
    select count(*) from documents x
    where x.tenant_id = d.tenant_id and x.emission_point_id = d.emission_point_id and x.document_type = d.document_type
      and x.sri_environment = d.sri_environment and (x.id = d.id or x.error_code = d.error_code)
      and x.sequential > coalesce((
        select max(y.sequential) from documents y
        where y.tenant_id = d.tenant_id and y.emission_point_id = d.emission_point_id and y.document_type = d.document_type
          and y.sri_environment = d.sri_environment and y.received_at is not null), 0)
  ) then
    return;
  end if;
  insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
  values (d.tenant_id, (p_pause ->> 'id')::uuid, wanted, d.issuer_id,
          case when wanted in ('establishment', 'emission_point') then d.establishment_id end,
          case when wanted = 'emission_point' then d.emission_point_id end,
          case when wanted in ('document_type', 'emission_point') then d.document_type end,
          p_pause ->> 'code', d.id, p_now)
  on conflict do nothing;
  if found then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    values (d.tenant_id, (p_pause ->> 'event_id')::uuid, 'issuer.paused', d.id, d.version, p_now);
  end if;
end $$;

-- The only writer of documents.status. Compares status, version and (for workers) the fencing token, then makes the
-- moves in order with one history row each, patches the document, writes the events and sets the work that is due next.
--   p_moves   [{trigger, to, detail}]; may be empty (an attempt that changes no state)
--   p_patch   columns of documents to set
--   p_work    null: no more work; {step, due_at, keep_lease, unsent, recheck}; {keep}: stays as it is
--   p_events  [{id, type}]
--   p_records rows that commit with the moves: {signing: {signing_no, certificate_id, digest}, attempt: {id, service, signing_no},
--             finished: {id, outcome, messages, excerpt}, asked: {the same and service, signing_no, started_at}, authorization: {state},
--             pause: {id, event_id, scope, code, threshold}}
--   p_bytes   gzip that goes with `signing` (signed XML) or `authorization` (wrapper)
-- Returns the new version, and whether a document that waited for this one was woken. SE110: the row moved on or the
-- lease was lost; nothing was written.
create function advance_document(
  p_tenant uuid, p_document uuid, p_status text, p_version integer, p_token uuid, p_now timestamptz,
  p_moves jsonb, p_patch jsonb, p_work jsonb, p_events jsonb, p_records jsonb, p_bytes bytea,
  out new_version integer, out successor_woken boolean)
  language plpgsql as $$
declare
  d documents%rowtype;
  patched documents%rowtype;
  before outbox%rowtype;
  moves integer := jsonb_array_length(p_moves);
  last_move jsonb := p_moves -> -1;
  r jsonb;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into d from documents where tenant_id = p_tenant and id = p_document for update;
  if not found or d.status <> p_status or d.version <> p_version then
    raise exception 'document % is no longer % at version %', p_document, p_status, p_version using errcode = 'SE110';
  end if;
  select * into before from outbox o where o.tenant_id = p_tenant and o.document_id = p_document for update;
  if p_token is not null and before.lease_token is distinct from p_token then
    raise exception 'lease of document % was lost', p_document using errcode = 'SE110';
  end if;

  -- Parked for a certificate: one that was activated since the worker looked has set nothing going for this document.
  -- The lock waits for an activation under way, and makes a later one wait until this document is seen as parked.
  if p_work ->> 'step' = 'prepare' and p_work ->> 'due_at' = 'infinity' then
    perform from issuers i where i.tenant_id = p_tenant and i.id = d.issuer_id for share;
    if exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = d.issuer_id and c.is_active and c.valid_to > p_now) then
      p_work := jsonb_set(p_work, '{due_at}', to_jsonb(p_now));
    end if;
  end if;

  -- Each move passes the guard by itself; the last one carries the patch.
  for i in 0 .. moves - 2 loop
    update documents set status = p_moves -> i ->> 'to', version = version + 1
    where tenant_id = p_tenant and id = p_document;
  end loop;
  patched := jsonb_populate_record(d, coalesce(p_patch, '{}'));
  update documents set
    status = coalesce(last_move ->> 'to', status), version = p_version + moves,
    authorization_number = patched.authorization_number, authorization_date = patched.authorization_date,
    error_code = patched.error_code, error_detail = patched.error_detail, sri_messages = patched.sri_messages,
    signing_no = patched.signing_no, suspicion = patched.suspicion,
    reception_attempts = patched.reception_attempts, authorization_attempts = patched.authorization_attempts,
    first_sent_at = patched.first_sent_at, received_at = patched.received_at, deadline_at = patched.deadline_at,
    cancellation = patched.cancellation,
    next_attempt_at = case
      when p_work ? 'keep' then next_attempt_at
      when not coalesce((p_work ->> 'recheck')::boolean, false) then nullif((p_work ->> 'due_at')::timestamptz, 'infinity')
    end,
    updated_at = p_now
  where tenant_id = p_tenant and id = p_document
  returning * into d;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at, detail)
  select p_tenant, p_document, p_version + place, coalesce(lag(move ->> 'to') over (order by place), p_status),
         move ->> 'trigger', move ->> 'to', p_now, move -> 'detail'
  from jsonb_array_elements(p_moves) with ordinality as made (move, place);

  r := p_records -> 'signing';
  if r is not null then
    insert into signed_documents (tenant_id, document_id, signing_no, certificate_id, access_key, signed_xml, digest, signed_at)
    values (p_tenant, p_document, (r ->> 'signing_no')::integer, (r ->> 'certificate_id')::uuid, d.access_key, p_bytes, r ->> 'digest', p_now);
  end if;
  r := p_records -> 'attempt';
  if r is not null then
    insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at)
    values (p_tenant, (r ->> 'id')::uuid, p_document, r ->> 'service', (r ->> 'signing_no')::integer, p_now);
  end if;
  r := p_records -> 'finished';
  if r is not null then
    update sri_attempts set finished_at = p_now, outcome = r ->> 'outcome', messages = r -> 'messages', excerpt = r ->> 'excerpt'
    where tenant_id = p_tenant and id = (r ->> 'id')::uuid;
  end if;
  r := p_records -> 'asked';
  if r is not null then
    insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at, finished_at, outcome, messages, excerpt)
    values (p_tenant, (r ->> 'id')::uuid, p_document, r ->> 'service', (r ->> 'signing_no')::integer,
            (r ->> 'started_at')::timestamptz, p_now, r ->> 'outcome', r -> 'messages', r ->> 'excerpt');
  end if;
  r := p_records -> 'authorization';
  if r is not null then
    insert into document_authorizations (tenant_id, document_id, received_at, state, authorization_xml)
    values (p_tenant, p_document, p_now, r ->> 'state', p_bytes);
  end if;

  insert into events (tenant_id, id, type, document_id, document_version, created_at)
  select p_tenant, (e ->> 'id')::uuid, e ->> 'type', p_document, d.version, p_now
  from jsonb_array_elements(coalesce(p_events, '[]')) e;

  r := p_records -> 'pause';
  if r is not null then
    perform pause_scope(d, r, p_now);
  end if;

  if p_work is null then
    delete from outbox where tenant_id = p_tenant and document_id = p_document;
  elsif not p_work ? 'keep' then
    insert into outbox as o (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
    values (p_tenant, p_document, p_work ->> 'step', (p_work ->> 'due_at')::timestamptz,
            d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, coalesce((p_work ->> 'unsent')::boolean, false))
    on conflict (tenant_id, document_id) do update set
      step = excluded.step, due_at = excluded.due_at, lost_leases = 0,
      announced_at = case when (p_work ->> 'keep_lease')::boolean then o.announced_at end,
      unsent = case when p_work ? 'unsent' then excluded.unsent else o.unsent end,
      lease_token = case when (p_work ->> 'keep_lease')::boolean then o.lease_token end,
      lease_until = case when (p_work ->> 'keep_lease')::boolean then o.lease_until end;
  end if;

  new_version := d.version;
  successor_woken := false;
  if before.unsent and before.due_at < 'infinity' and not coalesce(p_work ? 'keep', false)
     and (p_work is null or p_work ->> 'due_at' = 'infinity' or not coalesce((p_work ->> 'unsent')::boolean, true)) then
    update outbox o set announced_at = null
    where o.tenant_id = p_tenant and o.document_id = (
      select next.document_id from outbox next
      where next.tenant_id = p_tenant and next.emission_point_id = d.emission_point_id and next.document_type = d.document_type
        and next.sequential > d.sequential and next.unsent and next.due_at < 'infinity'
      order by next.sequential limit 1);
    successor_woken := found;
  end if;
end $$;

-- What a step needs of a document, in one round trip. Empty when the document is gone.
create function load_document(p_tenant uuid, p_document uuid)
  returns table (
    document jsonb, content jsonb, issuer_snapshot jsonb, digests jsonb,
    signed_xml bytea, signing_certificate_valid_to timestamptz,
    certificate_id uuid, certificate_valid_from timestamptz, certificate_valid_to timestamptz)
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select to_jsonb(d) || jsonb_build_object('due_step', (select o.step from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id)), c.content, c.issuer_snapshot,
    (select coalesce(jsonb_agg(jsonb_build_object('signingNo', x.signing_no, 'digest', x.digest) order by x.signing_no), '[]')
     from signed_documents x where x.tenant_id = d.tenant_id and x.document_id = d.id),
    s.signed_xml, sc.valid_to, a.id, a.valid_from, a.valid_to
  from documents d
  left join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  left join signed_documents s on s.tenant_id = d.tenant_id and s.document_id = d.id and s.signing_no = d.signing_no
  left join certificates sc on sc.tenant_id = s.tenant_id and sc.id = s.certificate_id
  left join certificates a on a.tenant_id = d.tenant_id and a.issuer_id = d.issuer_id and a.is_active
  where d.tenant_id = p_tenant and d.id = p_document;
end $$;

-- A new active certificate sets the issuer's parked documents going again.
create function resume_parked_documents() returns trigger
  language plpgsql as $$
begin
  update outbox o set due_at = new.created_at, announced_at = null
  from documents d
  where d.tenant_id = new.tenant_id and d.issuer_id = new.issuer_id
    and d.status in ('NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED')
    and o.tenant_id = d.tenant_id and o.document_id = d.id and o.due_at = 'infinity';
  return new;
end $$;
create trigger resume_parked_documents after insert or update of is_active on certificates
  for each row when (new.is_active) execute function resume_parked_documents();
