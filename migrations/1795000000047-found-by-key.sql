-- contract: since 1795000000040 no worker calls announce_due, and nothing else ready_in_turns
-- A look at due work goes on where the one before ended, some tenants at a time, until it has announced what it may or has
-- been round: with a thousand tenants that have a backlog, walking over all of them took 320 ms for a dozen documents.
-- Workers of the version before go on with announce_within_places and ready_within_places, which nobody else uses any more:
-- below, they ask for the new indexes.
drop function announce_due(timestamptz, interval, integer);
drop function ready_in_turns(timestamptz, interval, integer);

-- The next tenants that have due work or will, in the order of their ids, found one by one through the index.
create function tenants_with_work(p_after uuid, p_count integer)
  returns setof uuid
  language sql stable rows 32 set search_path = sello, pg_temp set random_page_cost = 1 as $$
  with recursive tenants as (
    (select o.tenant_id, 1 as place from outbox o where o.tenant_id > p_after order by o.tenant_id limit 1)
    union all
    select (select o.tenant_id from outbox o where o.tenant_id > t.tenant_id order by o.tenant_id limit 1), t.place + 1
    from tenants t where t.tenant_id is not null and t.place < p_count
  )
  select t.tenant_id from tenants t where t.tenant_id is not null
$$;

-- Ready rows of these tenants, who take turns: in each turn a tenant gives the oldest and the newest row of every step; what
-- is signed ahead of its turn counts as eight, and of a step that is bounded comes last (of what these tenants have). Of four
-- rows three are questions about what was sent, where there are as many. Where there is less room than a turn takes, chance
-- (of the clock) decides.
create function ready_of_tenants(p_tenants uuid[], p_now timestamptz, p_patience interval, p_limit integer, p_places jsonb)
  returns table (tenant_id uuid, document_id uuid)
  language sql stable rows 20 set search_path = sello, pg_temp set random_page_cost = 1 as $$
  with candidates as (
    select mine.tenant_id, mine.document_id, s.step, s.ahead, s.step = 'authorize' as asks, min(mine.place) as place, hashtext(mine.document_id::text || p_now::text) as chance
    from unnest(p_tenants) as t (tenant_id)
    cross join (values ('prepare', false, 1), ('prepare', true, 8), ('submit', false, 1), ('submit', true, 8), ('authorize', false, 1), ('watch', false, 1))
      as s (step, ahead, counts)
    cross join lateral (
      (select w.tenant_id, w.document_id, row_number() over (order by w.due_at) * s.counts as place from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
       order by w.due_at
       limit p_limit)
      union all
      (select w.tenant_id, w.document_id, row_number() over (order by w.due_at desc) * s.counts from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
       order by w.due_at desc
       limit p_limit)
    ) mine
    where coalesce((p_places ->> s.step)::integer, p_limit) > 0
    group by mine.tenant_id, mine.document_id, s.step, s.ahead
  ), turns as (
    select c.*, row_number() over (partition by c.tenant_id, c.asks order by c.place, c.chance) as turn from candidates c
  ), admitted as (
    select t.*, row_number() over (partition by t.step order by t.ahead, t.turn, t.chance) as place_of_step from turns t
  ), lanes as (
    select a.*, row_number() over (partition by a.asks order by a.turn, a.chance) as place_in_lane from admitted a
    where a.place_of_step <= coalesce((p_places ->> a.step)::integer, p_limit)
  )
  select lanes.tenant_id, lanes.document_id from lanes
  order by case when asks then place_in_lane else 3 * place_in_lane + 0.5 - (hashtext(p_now::text) & 3) end, chance
  limit p_limit
$$;

-- p_places: how many of a step may be begun, a step that it leaves out as many as there are. looked_until: the tenant after
-- which the next look goes on, in the last row; null where everything due was announced.
create function announce_going_round(p_now timestamptz, p_patience interval, p_limit integer, p_places jsonb, p_after uuid)
  returns table (tenant_id uuid, document_id uuid, announcement integer, looked_until uuid)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  before_all constant uuid := '00000000-0000-0000-0000-000000000000';
  -- A few at least, however little room there is: among one or two there may be no questions, which come first.
  as_many constant integer := greatest(p_limit, 6);
  at_a_time integer := as_many;
  room integer := p_limit;
  room_before integer;
  places jsonb := coalesce(p_places, '{}');
  start_at constant uuid := coalesce(p_after, before_all);
  is_round boolean := false;
  tenants uuid[];
  found_step text;
  is_simple boolean;
begin
  -- A bell forgotten by a crash of the server is rung again: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  is_simple := (select count(*) from (select from outbox o where o.due_at <= p_now and o.sequential > 0 limit p_limit + 1) due) <= p_limit;
  if is_simple and p_places is not null then
    is_simple := not exists (select from outbox o where o.due_at <= p_now and o.sequential > 0 and p_places ? o.step);
  end if;
  if is_simple then
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id from outbox w
      where w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
      for no key update skip locked
    ) ready
    where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
    returning o.tenant_id, o.document_id, o.announcements, null::uuid;
    return;
  end if;
  looked_until := start_at;
  loop
    tenants := array(select t.id from tenants_with_work(looked_until, at_a_time) as t (id) where not is_round or t.id <= start_at);
    -- The last tenants share their turn with the first: alone, they would have all of it.
    if cardinality(tenants) < at_a_time and not is_round then
      is_round := true;
      tenants := tenants || array(select t.id from tenants_with_work(before_all, at_a_time - cardinality(tenants)) as t (id) where t.id <= start_at);
    end if;
    looked_until := coalesce(tenants[cardinality(tenants)], looked_until);
    room_before := room;
    for tenant_id, document_id, announcement, found_step in
      update outbox o set announced_at = p_now, announcements = o.announcements + 1
      from (
        select w.tenant_id, w.document_id
        from ready_of_tenants(tenants, p_now, p_patience, room, places) turn
        join outbox w on w.tenant_id = turn.tenant_id and w.document_id = turn.document_id
        where is_ready(w, p_now, p_patience)
        for no key update of w skip locked
      ) ready
      where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
      returning o.tenant_id, o.document_id, o.announcements, o.step
    loop
      room := room - 1;
      if places ->> found_step is not null then
        places := jsonb_set(places, array[found_step], to_jsonb((places ->> found_step)::integer - 1));
      end if;
      return next;
    end loop;
    exit when room = 0 or cardinality(tenants) < at_a_time;
    -- Past what cannot be begun not in many small parts.
    at_a_time := case when room = room_before then 2 * at_a_time else as_many end;
  end loop;
end $$;
grant create on schema sello to sello_worker;
alter function announce_going_round(timestamptz, interval, integer, jsonb, uuid) owner to sello_worker;
revoke create on schema sello from sello_worker;
alter function announce_going_round(timestamptz, interval, integer, jsonb, uuid) set random_page_cost = 1;
-- Planning for the tenants at hand takes longer than the look.
alter function announce_going_round(timestamptz, interval, integer, jsonb, uuid) set plan_cache_mode = force_generic_plan;
revoke execute on function announce_going_round(timestamptz, interval, integer, jsonb, uuid) from public;
grant execute on function announce_going_round(timestamptz, interval, integer, jsonb, uuid) to sello_app;

-- These as before, but for the condition that names the index.
create or replace function ready_within_places(p_now timestamptz, p_patience interval, p_limit integer, p_places jsonb)
  returns table (tenant_id uuid, document_id uuid)
  language sql stable rows 20 set search_path = sello, pg_temp set random_page_cost = 1 as $$
  with recursive tenants as (
    (select o.tenant_id from outbox o order by o.tenant_id limit 1)
    union all
    select (select o.tenant_id from outbox o where o.tenant_id > t.tenant_id order by o.tenant_id limit 1)
    from tenants t where t.tenant_id is not null
  ), candidates as (
    select mine.tenant_id, mine.document_id, s.step, s.ahead, s.step = 'authorize' as asks, min(mine.place) as place, hashtext(mine.document_id::text || p_now::text) as chance
    from tenants t
    cross join (values ('prepare', false, 1), ('prepare', true, 8), ('submit', false, 1), ('submit', true, 8), ('authorize', false, 1), ('watch', false, 1))
      as s (step, ahead, counts)
    cross join lateral (
      (select w.tenant_id, w.document_id, row_number() over (order by w.due_at) * s.counts as place from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
       order by w.due_at
       limit p_limit)
      union all
      (select w.tenant_id, w.document_id, row_number() over (order by w.due_at desc) * s.counts from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
       order by w.due_at desc
       limit p_limit)
    ) mine
    where coalesce((p_places ->> s.step)::integer, p_limit) > 0
    group by mine.tenant_id, mine.document_id, s.step, s.ahead
  ), turns as (
    select c.*, row_number() over (partition by c.tenant_id, c.asks order by c.place, c.chance) as turn from candidates c
  ), admitted as (
    select t.*, row_number() over (partition by t.step order by t.ahead, t.turn, t.chance) as place_of_step from turns t
  ), lanes as (
    select a.*, row_number() over (partition by a.asks order by a.turn, a.chance) as place_in_lane from admitted a
    where a.place_of_step <= coalesce((p_places ->> a.step)::integer, p_limit)
  )
  select lanes.tenant_id, lanes.document_id from lanes
  order by case when asks then place_in_lane else 3 * place_in_lane + 0.5 - (hashtext(p_now::text) & 3) end, chance
  limit p_limit
$$;

create or replace function announce_within_places(p_now timestamptz, p_patience interval, p_limit integer, p_places jsonb)
  returns table (tenant_id uuid, document_id uuid, announcement integer)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  is_simple boolean;
begin
  -- A bell forgotten by a crash of the server is rung again: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  is_simple := (select count(*) from (select from outbox o where o.due_at <= p_now and o.sequential > 0 limit p_limit + 1) due) <= p_limit;
  if is_simple and p_places is not null then
    is_simple := not exists (select from outbox o where o.due_at <= p_now and o.sequential > 0 and p_places ? o.step);
  end if;
  if is_simple then
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id from outbox w
      where w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
      for no key update skip locked
    ) ready
    where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
    returning o.tenant_id, o.document_id, o.announcements;
  else
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id
      from ready_within_places(p_now, p_patience, p_limit, p_places) turn
      join outbox w on w.tenant_id = turn.tenant_id and w.document_id = turn.document_id
      where is_ready(w, p_now, p_patience)
      for no key update of w skip locked
    ) ready
    where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
    returning o.tenant_id, o.document_id, o.announcements;
  end if;
end $$;
alter function announce_within_places(timestamptz, interval, integer, jsonb) set random_page_cost = 1;

create or replace function resume_parked_documents() returns trigger
  language plpgsql as $$
begin
  update outbox o set due_at = new.created_at, ahead = false, announced_at = null
  from documents d
  where d.tenant_id = new.tenant_id and d.issuer_id = new.issuer_id
    and d.status in ('NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED')
    and o.tenant_id = d.tenant_id and o.document_id = d.id and o.due_at = 'infinity' and o.sequential > 0;
  return new;
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
  update outbox w set ahead = false, due_at = least(p_now, w.due_at - interval '10 minutes'), announced_at = null
  where w.tenant_id = p_tenant and w.issuer_id = p_issuer and w.due_at < 'infinity' and w.step = 'submit' and w.ahead and w.sequential > 0
    and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
    and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
    and (pause.document_type is null or w.document_type = pause.document_type);
  return next pause;
end $$;

create or replace function work_ages(p_now timestamptz, p_places integer)
  returns table (kind text, oldest timestamptz, oldest_unannounced timestamptz)
  language plpgsql stable security definer set search_path = sello, pg_temp set random_page_cost = 1 as $$
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
    select w.step, count(*) as due_rows, min(w.due_at) filter (where not w.ahead) as due_at,
      min(w.due_at) filter (where not w.ahead and w.announced_at is null) as unannounced
    from (select o.step, o.due_at, o.ahead, o.announced_at from outbox o where o.due_at <= p_now and o.sequential > 0 order by o.due_at limit few) w
    group by w.step
  ) k;
  if due_rows = few then
    for visited in 1 .. p_places + 1 loop
      -- Rows are compared as wholes, so that the planner takes the one index that has them in this order.
      select o.tenant_id, o.step into at_tenant, at_step from outbox o
      where (o.tenant_id, o.step) > (at_tenant, at_step) and o.sequential > 0 order by o.tenant_id, o.step, o.ahead, o.due_at limit 1;
      if at_tenant is null then
        exit when wrapped;
        wrapped := true;
        at_tenant := '00000000-0000-0000-0000-000000000000';
        at_step := '';
        continue;
      end if;
      exit when wrapped and at_tenant > start;
      select o.due_at into found_at from outbox o
      where (o.tenant_id, o.step, o.ahead, o.due_at) >= (at_tenant, at_step, false, '-infinity'::timestamptz)
        and (o.tenant_id, o.step, o.ahead, o.due_at) <= (at_tenant, at_step, false, p_now) and o.sequential > 0
      order by o.tenant_id, o.step, o.ahead, o.due_at limit 1;
      continue when not found;
      due := due || jsonb_build_object(at_step, least((due ->> at_step)::timestamptz, found_at));
      select w.due_at into found_at from (
        select o.due_at, o.announced_at from outbox o
        where (o.tenant_id, o.step, o.ahead, o.due_at) >= (at_tenant, at_step, false, found_at)
          and (o.tenant_id, o.step, o.ahead, o.due_at) <= (at_tenant, at_step, false, p_now) and o.sequential > 0
        order by o.tenant_id, o.step, o.ahead, o.due_at limit depth
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

-- One row by its key after the other: joined, a plan of when there were few documents reads all of the tenant's for each mail.
create or replace function mail_of_document(p_tenant uuid, p_mail uuid)
  returns table (
    document_id uuid, document_status text, recipient text, language text, attempts integer,
    sequential integer, access_key text, authorization_date timestamptz, content jsonb, issuer jsonb, settings jsonb)
  language plpgsql as $$
declare
  m mails%rowtype;
  d documents%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into m from mails k where k.tenant_id = p_tenant and k.id = p_mail;
  select * into d from documents k where k.tenant_id = p_tenant and k.id = m.document_id;
  return query
  select d.id, d.status, m.recipient, m.language, m.attempts, d.sequential, d.access_key::text, d.authorization_date, c.content, c.issuer_snapshot,
    (select to_jsonb(s) from mail_settings s where s.tenant_id = p_tenant)
  from document_contents c
  where c.tenant_id = p_tenant and c.document_id = d.id and c.revision = d.content_revision;
end $$;

-- As before, but for the condition that names the index.
create or replace function claim_deliveries(
  p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_limit_failing integer, p_per_webhook integer)
  returns table (tenant_id uuid, delivery_id uuid, is_failing boolean)
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- A lease forgotten by a crash of the server leads to one delivery more: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if not exists (select from webhook_work w where w.due_at <= p_now) then return; end if;
  perform pg_advisory_xact_lock(7356114);
  return query
  with recursive addresses as (
    (select w.tenant_id, w.webhook_id from webhook_work w where w.due_at > '-infinity' order by w.tenant_id, w.webhook_id limit 1)
    union all
    select next.tenant_id, next.webhook_id from addresses a cross join lateral (
      select w.tenant_id, w.webhook_id from webhook_work w
      where (w.tenant_id, w.webhook_id) > (a.tenant_id, a.webhook_id) and w.due_at > '-infinity' order by w.tenant_id, w.webhook_id limit 1) next
  ), busy as (
    select a.tenant_id, a.webhook_id, k.failing_since is not null as fails,
      (select count(*) from webhook_work b
       where b.tenant_id = a.tenant_id and b.webhook_id = a.webhook_id and b.lease_token is not null and b.due_at > p_now) as under_way
    from addresses a join webhooks k on k.tenant_id = a.tenant_id and k.id = a.webhook_id
  ), shared as (
    -- Room that only another worker has is left out: the share errs on the small side.
    select b.*, sum(b.under_way) over (partition by b.tenant_id, b.fails) as of_tenant, p_limit + sum(b.under_way) over () as room from busy b
  ), candidates as (
    select b.tenant_id, due.delivery_id, b.fails, due.due_at, b.of_tenant, b.room,
      b.under_way + row_number() over (partition by b.tenant_id, b.webhook_id order by due.due_at) as place
    from shared b cross join lateral (
      select w.delivery_id, w.due_at from webhook_work w
      where w.tenant_id = b.tenant_id and w.webhook_id = b.webhook_id and w.due_at <= p_now
      order by w.due_at limit greatest(0, case when b.fails then 1 else p_per_webhook end - b.under_way)) due
  ), turns as (
    select c.*, c.of_tenant + row_number() over (partition by c.tenant_id, c.fails order by c.place, c.due_at) as turn from candidates c
  ), chosen as (
    (select t.* from turns t where t.fails and t.turn <= greatest(1, t.room / 8) order by t.turn, t.due_at limit p_limit_failing)
    union all
    (select t.* from turns t where not t.fails and t.turn <= greatest(1, t.room / 4) order by t.turn, t.due_at limit p_limit)
  ), held as (
    select w.tenant_id, w.delivery_id, c.fails
    from (select * from chosen order by fails, turn, due_at limit p_limit) c
    join webhook_work w on w.tenant_id = c.tenant_id and w.delivery_id = c.delivery_id
    where w.due_at <= p_now
    for update of w skip locked
  )
  update webhook_work w set lease_token = p_token, due_at = p_now + p_lease
  from held where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id
  returning w.tenant_id, w.delivery_id, held.fails;
end $$;

-- As before, one row by its key after the other.
create or replace function leave_to_relay(p_tenants uuid[], p_documents uuid[]) returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- Forgotten by a crash of the server, the row is announced again when nobody has come for it.
  perform set_config('synchronous_commit', 'off', true);
  for place in 1 .. cardinality(p_documents) loop
    perform from outbox w
    where w.tenant_id = p_tenants[place] and w.document_id = p_documents[place] and w.step = 'prepare' and w.lease_token is null
    for no key update skip locked;
    if found then
      update outbox o set announced_at = null where o.tenant_id = p_tenants[place] and o.document_id = p_documents[place];
    end if;
  end loop;
end $$;

-- Queues are nearly always empty, and a connection keeps its plans: read from end to end, they are so when they are full.
alter function issue_document(uuid, uuid, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, text, text) set enable_seqscan = off;
alter function claim_step(uuid, uuid, uuid, timestamptz, interval) set enable_seqscan = off;
alter function clear_to_send(uuid, uuid) set enable_seqscan = off;
alter function load_document(uuid, uuid) set enable_seqscan = off;
alter function advance_document(uuid, uuid, text, integer, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, jsonb, bytea) set enable_seqscan = off;
alter function leave_to_relay(uuid[], uuid[]) set enable_seqscan = off;
alter function announce_going_round(timestamptz, interval, integer, jsonb, uuid) set enable_seqscan = off;
alter function claim_mails(uuid, timestamptz, interval, integer) set enable_seqscan = off;
alter function hold_mail(uuid, uuid, uuid, timestamptz) set enable_seqscan = off;
alter function settle_mail(uuid, uuid, uuid, timestamptz, text, text, text, timestamptz) set enable_seqscan = off;
alter function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) set random_page_cost = 1;
alter function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) set enable_seqscan = off;
alter function begin_attempt(uuid, uuid, uuid, timestamptz) set enable_seqscan = off;
alter function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) set enable_seqscan = off;
alter function mail_of_document(uuid, uuid) set enable_seqscan = off;
alter function work_ages(timestamptz, integer) set enable_seqscan = off;
-- What it asks for in an order is in that order in an index.
alter function work_ages(timestamptz, integer) set enable_sort = off;
alter function work_ages(timestamptz, integer) set enable_incremental_sort = off;
alter function announce_within_places(timestamptz, interval, integer, jsonb) set enable_seqscan = off;
