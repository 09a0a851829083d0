create or replace function advance_document(p_tenant uuid, p_document uuid, p_status text, p_version integer, p_token uuid, p_now timestamptz, p_moves jsonb, p_patch jsonb, p_work jsonb, p_events jsonb, p_records jsonb, p_bytes bytea, OUT new_version integer, OUT successor_woken boolean)
  returns record
  language plpgsql
  set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  d documents%rowtype;
  patched documents%rowtype;
  before outbox%rowtype;
  moves integer := jsonb_array_length(p_moves);
  keep_lease boolean := coalesce((p_work ->> 'keep_lease')::boolean, false);
  last_move jsonb := p_moves -> -1;
  r jsonb;
  lead interval := greatest(p_now - clock_timestamp(), interval '0');
begin
  p_now := p_now - lead;
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
      p_work := jsonb_set(p_work, '{due_at}', to_jsonb(p_now + lead));
    end if;
  end if;

  -- One write for all moves; the guard is told the way and holds every move of it against document_moves.
  if moves > 1 then
    perform set_config('sello.path', (select string_agg(move ->> 'to', ',' order by place) from jsonb_array_elements(p_moves) with ordinality as made (move, place)), true);
  end if;
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
      when not coalesce((p_work ->> 'recheck')::boolean, false) then nullif((p_work ->> 'due_at')::timestamptz - lead, 'infinity')
    end,
    updated_at = p_now
  where tenant_id = p_tenant and id = p_document
  returning * into d;
  if moves > 0 then
    insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at, detail)
    select p_tenant, p_document, p_version + place, coalesce(lag(move ->> 'to') over (order by place), p_status),
           move ->> 'trigger', move ->> 'to', p_now, move -> 'detail'
    from jsonb_array_elements(p_moves) with ordinality as made (move, place);
  end if;

  r := p_records -> 'signing';
  if r is not null then
    insert into signed_documents (tenant_id, document_id, signing_no, certificate_id, access_key, content_revision, signed_xml, digest, signed_at)
    values (p_tenant, p_document, (r ->> 'signing_no')::integer, (r ->> 'certificate_id')::uuid, d.access_key, d.content_revision, p_bytes, r ->> 'digest', p_now);
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

  if jsonb_array_length(coalesce(p_events, '[]')) > 0 then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    select p_tenant, (e ->> 'id')::uuid, e ->> 'type', p_document, d.version, p_now
    from jsonb_array_elements(p_events) e;
  end if;

  r := p_records -> 'pause';
  if r is not null then
    perform pause_scope(d, r, p_now);
  end if;

  if p_work is null then
    delete from outbox where tenant_id = p_tenant and document_id = p_document;
  elsif not p_work ? 'keep' then
    update outbox o set
      step = p_work ->> 'step', due_at = (p_work ->> 'due_at')::timestamptz - lead, lost_leases = 0,
      ahead = o.ahead and p_work ->> 'step' = 'prepare',
      announced_at = case when keep_lease then o.announced_at end,
      unsent = coalesce((p_work ->> 'unsent')::boolean, o.unsent),
      lease_token = case when keep_lease then o.lease_token end,
      lease_until = case when keep_lease then o.lease_until end
    where o.tenant_id = p_tenant and o.document_id = p_document;
    if not found then
      insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
      values (p_tenant, p_document, p_work ->> 'step', (p_work ->> 'due_at')::timestamptz - lead,
              d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, coalesce((p_work ->> 'unsent')::boolean, false));
    end if;
  end if;

  new_version := d.version;
  successor_woken := false;
  if before.unsent and before.due_at < 'infinity' and not coalesce(p_work ? 'keep', false)
     and (p_work is null or p_work ->> 'due_at' = 'infinity' or not coalesce((p_work ->> 'unsent')::boolean, true)) then
    update outbox o set ahead = false, due_at = case when o.ahead and o.step = 'submit' then least(p_now, o.due_at - interval '10 minutes') else o.due_at end, announced_at = null
    where o.tenant_id = p_tenant and o.document_id = (
      select next.document_id from outbox next
      where next.tenant_id = p_tenant and next.emission_point_id = d.emission_point_id and next.document_type = d.document_type
        and next.sequential > d.sequential and next.unsent and next.due_at < 'infinity'
      order by next.sequential limit 1);
    successor_woken := found;
  end if;
end $$;
comment on function advance_document(uuid, uuid, text, integer, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, jsonb, bytea) is
  'Lifecycle: Writes one decision about a document: its moves, columns, history, events, due work, and the rows of '
  'signing, exchange with the SRI, authorization and pause that belong to it. It returns the new version, and '
  'whether the next number of the emission point was woken because this one is no longer to be sent before it. It '
  'raises SE110, and writes nothing, if status, version or (given p_token) lease are no longer those that were '
  'read; the triggers of documents raise SE100 and SE101 for a wrong move, SE006 and SE007 for a credit note that '
  'is taken up again, and SE008 for a request to annul what was credited. It locks the document, then its due '
  'work; a document that parks for want of a certificate also locks its issuer for share, so that an activation '
  'under way is not missed. The worker calls it for each step, and the API for acts of callers. A caller whose '
  'clock is ahead of the database''s has all its times put back by as much.';

create or replace function end_pause(p_tenant uuid, p_issuer uuid, p_pause uuid, p_now timestamptz)
  returns setof issuing_pauses
  language plpgsql
as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  update issuing_pauses p set resumed_at = coalesce(p.resumed_at, least(p_now, clock_timestamp()))
  where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.id = p_pause
  returning p.*;
end $$;
comment on function end_pause(uuid, uuid, uuid, timestamptz) is
  'Pauses: Ends a pause of an issuer and returns it; one that has ended stays as it is, and no row means that '
  'there is none. The documents that waited are woken by wake_resumed afterwards. The API calls it. It ends by '
  'the database''s clock if the caller''s is ahead of it.';

create or replace function wake_resumed(p_tenant uuid, p_pause uuid, p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql
  set enable_seqscan = off
as $$
declare
  pause issuing_pauses%rowtype;
  chosen record;
  woken integer := 0;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into pause from issuing_pauses p where p.tenant_id = p_tenant and p.id = p_pause and p.resumed_at is not null;
  if not found then return 0; end if;
  for chosen in
    -- Locked in the order of their numbers, as whoever sends a document locks the next one.
    select waiting.document_id from (
      select w.document_id, w.emission_point_id, w.document_type, w.sequential from outbox w
      where w.tenant_id = p_tenant and w.issuer_id = pause.issuer_id and w.step = 'submit' and w.ahead and w.sequential > 0
        and w.due_at < pause.resumed_at + interval '10 minutes 1 second'
        and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
        and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
        and (pause.document_type is null or w.document_type = pause.document_type)
      order by w.due_at limit p_limit
    ) waiting
    order by waiting.emission_point_id, waiting.document_type, waiting.sequential
  loop
    update outbox o set ahead = false, due_at = least(p_now, o.due_at - interval '10 minutes'), announced_at = null
    where o.tenant_id = p_tenant and o.document_id = chosen.document_id and o.ahead;
    if found then woken := woken + 1; end if;
  end loop;
  return woken;
end $$;
comment on function wake_resumed(uuid, uuid, timestamptz, integer) is
  'Pauses: Makes up to p_limit documents due that came to wait for a pause before it ended, and returns how many; 0 '
  'means that none is left. It locks their work in the order of their numbers, as whoever sends a document locks '
  'the next. The API calls it again and again after end_pause.';

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
