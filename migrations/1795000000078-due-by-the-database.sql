-- Whoever writes due work may have a clock that is ahead, an API most of all, which goes by its host. Workers go by PostgreSQL's
-- at the latest: what an hour ahead made due in an hour waited so long, with every later number of its emission point. Work is
-- due, and a pause ended, no later than PostgreSQL says (docs/adr/023-the-earlier-clock.md).

-- The signing certificate serves until it runs out or is revoked; whether the current bytes were sent is told by their attempts:
-- the first sending may have been that of a former signing.
create or replace function load_document(p_tenant uuid, p_document uuid)
  returns table (document jsonb, content jsonb, issuer_snapshot jsonb, digests jsonb, signed_xml bytea, signing_certificate_valid_to timestamptz, certificate_id uuid, certificate_valid_from timestamptz, certificate_valid_to timestamptz)
  language plpgsql
  set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select to_jsonb(d) || jsonb_build_object(
      'due_step', (select o.step from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id),
      'signing_sent', exists (
        select from sri_attempts t
        where t.tenant_id = d.tenant_id and t.document_id = d.id and t.service = 'reception' and t.signing_no = d.signing_no and t.outcome is distinct from 'not_delivered')), c.content, c.issuer_snapshot,
    (select coalesce(jsonb_agg(jsonb_build_object(
       'signingNo', x.signing_no, 'digest', x.digest, 'signedAt', x.signed_at, 'accessKey', x.access_key, 'contentRevision', coalesce(x.content_revision, (
         select max(k.revision) from document_contents k where k.tenant_id = x.tenant_id and k.document_id = x.document_id and k.created_at <= x.signed_at))) order by x.signing_no), '[]')
     from signed_documents x where x.tenant_id = d.tenant_id and x.document_id = d.id),
    s.signed_xml, least(sc.valid_to, sc.revoked_at), a.id, a.valid_from, a.valid_to
  from documents d
  left join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  left join signed_documents s on s.tenant_id = d.tenant_id and s.document_id = d.id and s.signing_no = d.signing_no
  left join certificates sc on sc.tenant_id = s.tenant_id and sc.id = s.certificate_id
  left join certificates a on a.tenant_id = d.tenant_id and a.issuer_id = d.issuer_id and a.is_active
  where d.tenant_id = p_tenant and d.id = p_document;
end $$;

create or replace function issue_document(p_tenant uuid, p_api_key uuid, p_document uuid, p_now timestamptz, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb, p_idempotency_key text, p_fingerprint text)
  returns table (outcome text, fingerprint text, operation text, response jsonb)
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
as $$
declare
  h documents%rowtype;
  number record;
  predecessor uuid;
  in_line boolean;
  answer jsonb;
  first_answer idempotency_keys%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  p_now := least(p_now, clock_timestamp());
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
  -- Whoever sends the earlier number at this moment may not see this row to wake it; then it is rung for as if in turn.
  predecessor := unsent_predecessor(p_tenant, h.emission_point_id, h.document_type, number.sequential);
  perform from outbox o
  where o.tenant_id = p_tenant and o.document_id = predecessor and o.unsent and o.due_at < 'infinity'
  for key share skip locked;
  in_line := found;
  -- What is in turn the API rings for right after the commit, hence announced.
  insert into outbox (tenant_id, document_id, step, due_at, ahead, announced_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
  values (p_tenant, p_document, 'prepare', p_now, in_line, case when not in_line then p_now end, case when in_line then 0 else 1 end,
          h.issuer_id, h.establishment_id, h.emission_point_id, h.document_type, number.sequential, true);

  answer := jsonb_build_object('document_id', p_document, 'status', 'NUMBER_RESERVED', 'access_key', number.access_key);
  if p_idempotency_key is not null then
    update idempotency_keys k set response = answer
    where k.tenant_id = p_tenant and k.issuer_id = h.issuer_id and k.key = p_idempotency_key;
  end if;
  return query select case when in_line then 'in_line' else 'accepted' end, p_fingerprint, 'issue', answer;
end $$;

create or replace function begin_work(d documents, p_sequential integer, p_unsent boolean, p_now timestamptz)
  returns void
  language sql
as $$
  insert into outbox (tenant_id, document_id, step, due_at, announced_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
  values (d.tenant_id, d.id, 'prepare', least(p_now, clock_timestamp()), least(p_now, clock_timestamp()), 1, d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, p_sequential, p_unsent)
$$;

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

create or replace function resume_parked_documents()
  returns trigger
  language plpgsql
as $$
begin
  update outbox o set step = 'prepare', due_at = least(new.created_at, clock_timestamp()), ahead = false, announced_at = null
  from documents d
  where d.tenant_id = new.tenant_id and d.issuer_id = new.issuer_id
    and d.status in ('NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED')
    and o.tenant_id = d.tenant_id and o.document_id = d.id and o.sequential > 0
    and (o.due_at = 'infinity' or o.step = 'authorize' and d.status in ('NUMBER_RESERVED', 'XML_GENERATED'));
  return new;
end $$;

create or replace function fan_out_event()
  returns trigger
  language plpgsql
  security definer
  set search_path = sello, pg_temp
as $$
begin
  with listeners as (
    select w.tenant_id, gen_random_uuid() as delivery_id, w.id as webhook_id
    from webhooks w
    where w.tenant_id = new.tenant_id and w.is_active and (w.kinds is null or new.type = any (w.kinds))
  ), due as (
    insert into webhook_work (tenant_id, delivery_id, webhook_id, due_at)
    select l.tenant_id, l.delivery_id, l.webhook_id, least(new.created_at, clock_timestamp()) from listeners l
  )
  insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
  select l.tenant_id, l.delivery_id, l.webhook_id, new.id, 'pending', new.created_at, new.created_at from listeners l;
  return null;
end $$;

create or replace function queue_buyer_mail()
  returns trigger
  language plpgsql
as $$
declare
  mail uuid := gen_random_uuid();
begin
  if not exists (select from issuers i where i.tenant_id = new.tenant_id and i.id = new.issuer_id and i.email_buyers)
     or exists (
       select from document_contents c
       where c.tenant_id = new.tenant_id and c.document_id = new.id and c.revision = new.content_revision and c.content ->> 'sendEmail' = 'false'
     ) then
    return null;
  end if;
  insert into mails (tenant_id, id, cause, document_id, recipient, language, created_at, updated_at)
  values (new.tenant_id, mail, 'authorized', new.id, new.buyer_email,
          coalesce((select s.language from mail_settings s where s.tenant_id = new.tenant_id), 'es'), new.updated_at, new.updated_at)
  on conflict do nothing;
  if found then
    insert into mail_outbox (tenant_id, id, kind, due_at) values (new.tenant_id, mail, 'mail', least(new.updated_at, clock_timestamp()));
  end if;
  return null;
end $$;

create or replace function restart_delivery(p_tenant uuid, p_delivery uuid, p_webhook uuid, p_event uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  most constant integer := 20;
  an_hour constant interval := interval '1 hour';
  again record;
begin
  insert into webhook_work as w (tenant_id, delivery_id, webhook_id, due_at) values (p_tenant, p_delivery, p_webhook, least(p_now, clock_timestamp()))
  on conflict (tenant_id, delivery_id) do update set due_at = excluded.due_at, lease_token = null;
  insert into webhook_deliveries as d (tenant_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
  values (p_tenant, p_delivery, p_webhook, p_event, 'pending', p_now, p_now)
  on conflict (tenant_id, id) do update set status = 'pending', round = 0, next_attempt_at = p_now, finished_at = null,
    replays = case when d.replays_since > p_now - an_hour then d.replays + 1 else 1 end,
    replays_since = case when d.replays_since > p_now - an_hour then d.replays_since else p_now end
  returning d.replays, d.replays_since into again;
  if again.replays > most then
    raise exception 'delivery % was sent again too often', p_delivery using errcode = 'SE140', detail = jsonb_build_object(
      'limit', most, 'window_seconds', extract(epoch from an_hour)::integer, 'retry_after_seconds', ceil(extract(epoch from again.replays_since + an_hour - p_now))::integer);
  end if;
end $$;

create or replace function resume_some_deliveries(p_tenant uuid, p_webhook uuid, p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql
  set enable_seqscan = off
as $$
declare
  resumed integer;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w
  where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity' and w.lease_token is not null
  for update;
  with waiting as (
    select d.tenant_id, d.id from webhook_work w join webhook_deliveries d on d.tenant_id = w.tenant_id and d.id = w.delivery_id
    join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id and k.is_active
    where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > p_now and d.status = 'pending' and d.next_attempt_at is null
    order by w.due_at limit p_limit
    for update of w
  ), told as (
    update webhook_deliveries d set next_attempt_at = p_now from waiting where d.tenant_id = waiting.tenant_id and d.id = waiting.id
    returning d.tenant_id, d.id
  )
  update webhook_work w set due_at = least(p_now, clock_timestamp()) from told where w.tenant_id = told.tenant_id and w.delivery_id = told.id;
  get diagnostics resumed = row_count;
  return resumed;
end $$;

-- Whoever's account was closed is no longer written to about a tenant.
create function has_open_account(p_user uuid) returns boolean
  language sql stable security definer set search_path = sello, pg_temp as $$
  select exists (select from users u where u.id = p_user and u.disabled_at is null)
$$;
comment on function has_open_account(uuid) is
  'Members: Returns true if a person has an account that no operator has closed. The worker asks it before it writes to the '
  'owners and admins of a tenant.';
grant create on schema sello to sello_resolver;
alter function has_open_account(uuid) owner to sello_resolver;
revoke create on schema sello from sello_resolver;
revoke execute on function has_open_account(uuid) from public;
grant execute on function has_open_account(uuid) to sello_app;

-- What these functions do now.
comment on function load_document(uuid, uuid) is
  'Lifecycle: Returns all that a step must know of a document in one row: the document, its content and issuer, '
  'its signings, the current signed bytes and whether they were sent, how long their certificate serves (until it '
  'runs out or is revoked), and the active certificate; no row if there is no such document. The worker calls it '
  'together with claim_step, and the API before an act on the document.';
comment on function issue_document(uuid, uuid, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, text, text) is
  'Issuing: Takes a number and stores a document with its access key, content, history and due work, all or '
  'nothing. The outcome is accepted, in_line (an earlier number of the same emission point and type is still to be '
  'sent, so the relay takes it up in its turn), or replayed with the first answer if the idempotency key was used. '
  'It raises SE001 to SE005 and SE009 as last_look and take_number do, and SE006 and SE007 as reserve_credit does. '
  'It waits for another request with the same key before it takes a number. The API calls it. The work is due by '
  'the database''s clock if the caller''s is ahead of it.';
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
comment on function end_pause(uuid, uuid, uuid, timestamptz) is
  'Pauses: Ends a pause of an issuer and returns it; one that has ended stays as it is, and no row means that '
  'there is none. The documents that waited are woken by wake_resumed afterwards. The API calls it. It ends by '
  'the database''s clock if the caller''s is ahead of it.';
