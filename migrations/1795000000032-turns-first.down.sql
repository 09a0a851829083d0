create or replace function ready_in_turns(p_now timestamptz, p_patience interval, p_limit integer)
  returns table (tenant_id uuid, document_id uuid)
  language sql stable set search_path = sello, pg_temp set random_page_cost = 1 as $$
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

create or replace function claim_step(p_tenant uuid, p_document uuid, p_token uuid, p_now timestamptz, p_lease interval)
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

create or replace function resume_pause(p_tenant uuid, p_issuer uuid, p_pause uuid, p_now timestamptz)
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

create or replace function issue_document(
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

create or replace function advance_document(
  p_tenant uuid, p_document uuid, p_status text, p_version integer, p_token uuid, p_now timestamptz,
  p_moves jsonb, p_patch jsonb, p_work jsonb, p_events jsonb, p_records jsonb, p_bytes bytea,
  out new_version integer, out successor_woken boolean)
  language plpgsql as $$
declare
  d documents%rowtype;
  patched documents%rowtype;
  before outbox%rowtype;
  moves integer := jsonb_array_length(p_moves);
  keep_lease boolean := coalesce((p_work ->> 'keep_lease')::boolean, false);
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
      when not coalesce((p_work ->> 'recheck')::boolean, false) then nullif((p_work ->> 'due_at')::timestamptz, 'infinity')
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
      step = p_work ->> 'step', due_at = (p_work ->> 'due_at')::timestamptz, lost_leases = 0,
      announced_at = case when keep_lease then o.announced_at end,
      unsent = coalesce((p_work ->> 'unsent')::boolean, o.unsent),
      lease_token = case when keep_lease then o.lease_token end,
      lease_until = case when keep_lease then o.lease_until end
    where o.tenant_id = p_tenant and o.document_id = p_document;
    if not found then
      insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
      values (p_tenant, p_document, p_work ->> 'step', (p_work ->> 'due_at')::timestamptz,
              d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, coalesce((p_work ->> 'unsent')::boolean, false));
    end if;
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

create or replace function announce_due(p_now timestamptz, p_patience interval, p_limit integer)
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

create or replace function leave_to_relay(p_tenants uuid[], p_documents uuid[]) returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- Forgotten by a crash of the server, the row is announced again when nobody has come for it.
  perform set_config('synchronous_commit', 'off', true);
  update outbox o set announced_at = null
  from (
    select w.tenant_id, w.document_id
    from unnest(p_tenants, p_documents) as unrung (tenant_id, document_id)
    join outbox w on w.tenant_id = unrung.tenant_id and w.document_id = unrung.document_id
    where w.step = 'prepare' and w.lease_token is null
    for update of w skip locked
  ) free
  where o.tenant_id = free.tenant_id and o.document_id = free.document_id;
end $$;

create or replace function resume_parked_documents() returns trigger
  language plpgsql as $$
begin
  update outbox o set due_at = new.created_at, announced_at = null
  from documents d
  where d.tenant_id = new.tenant_id and d.issuer_id = new.issuer_id
    and d.status in ('NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED')
    and o.tenant_id = d.tenant_id and o.document_id = d.id and o.due_at = 'infinity';
  return new;
end $$;

create or replace function work_ages(p_now timestamptz, p_places integer)
  returns table (kind text, oldest timestamptz, oldest_unannounced timestamptz)
  language plpgsql stable security definer set search_path = sello, pg_temp as $$
declare
  few constant integer := 2000;
  depth constant integer := 20;
  start constant uuid := gen_random_uuid();
  at_tenant uuid := start;
  at_step text := '~';
  wrapped boolean := false;
  due_rows integer;
  due jsonb;
  unannounced jsonb;
  found_at timestamptz;
begin
  select coalesce(sum(k.due_rows), 0), coalesce(jsonb_object_agg(k.step, k.due_at), '{}'), coalesce(jsonb_object_agg(k.step, k.unannounced), '{}')
  into due_rows, due, unannounced
  from (
    select w.step, count(*) as due_rows, min(w.due_at) filter (where w.announced_at is null or w.announced_at <= p_now) as due_at,
      min(w.due_at) filter (where w.announced_at is null) as unannounced
    from (select o.step, o.due_at, o.announced_at from outbox o where o.due_at <= p_now order by o.due_at limit few) w
    group by w.step
  ) k;
  if due_rows = few then
    for visited in 1 .. p_places + 1 loop
      -- Rows are compared as wholes, so that the planner takes the one index that has them in this order.
      select o.tenant_id, o.step into at_tenant, at_step from outbox o
      where (o.tenant_id, o.step) > (at_tenant, at_step) order by o.tenant_id, o.step, o.due_at limit 1;
      if at_tenant is null then
        exit when wrapped;
        wrapped := true;
        at_tenant := '00000000-0000-0000-0000-000000000000';
        at_step := '';
        continue;
      end if;
      exit when wrapped and at_tenant > start;
      -- Each looks no further than the first row that fits.
      select w.due_at into found_at from (
        select o.due_at, o.announced_at from outbox o
        where (o.tenant_id, o.step, o.due_at) >= (at_tenant, at_step, '-infinity'::timestamptz) and (o.tenant_id, o.step, o.due_at) <= (at_tenant, at_step, p_now)
        order by o.tenant_id, o.step, o.due_at limit depth
      ) w where w.announced_at is null or w.announced_at <= p_now limit 1;
      continue when not found;
      due := due || jsonb_build_object(at_step, least((due ->> at_step)::timestamptz, found_at));
      select w.due_at into found_at from (
        select o.due_at, o.announced_at from outbox o
        where (o.tenant_id, o.step, o.due_at) >= (at_tenant, at_step, found_at) and (o.tenant_id, o.step, o.due_at) <= (at_tenant, at_step, p_now)
        order by o.tenant_id, o.step, o.due_at limit depth
      ) w where w.announced_at is null limit 1;
      unannounced := unannounced || jsonb_build_object(at_step, least((unannounced ->> at_step)::timestamptz, found_at));
    end loop;
  end if;
  return query select s.step, (due ->> s.step)::timestamptz, (unannounced ->> s.step)::timestamptz
  from unnest(array['prepare', 'submit', 'authorize', 'watch']) as s (step);
  -- Addresses that fail are behind by their own doing; where nothing else is found near, they count after all.
  return query
  with window_of_due as (
    select w.tenant_id, w.webhook_id, w.due_at from webhook_work w where w.due_at <= p_now order by w.due_at limit 1000
  )
  select 'webhook', coalesce(
    (select d.due_at from window_of_due d join webhooks k on k.tenant_id = d.tenant_id and k.id = d.webhook_id
     where k.failing_since is null order by d.due_at limit 1),
    (select min(d.due_at) from window_of_due d having count(*) = 1000)), null::timestamptz;
  return query select 'mail', (select min(m.due_at) from mail_outbox m where m.due_at <= p_now), null::timestamptz;
end $$;
