-- Who asks by age says so; what it asks for is as before.
create or replace function announce_going_round(p_now timestamptz, p_patience interval, p_limit integer, p_places jsonb, p_after uuid)
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
  is_simple := (select count(*) from (select from outbox o where o.due_at <= p_now and o.sequential < 1000000000 limit p_limit + 1) due) <= p_limit;
  if is_simple and p_places is not null then
    is_simple := not exists (select from outbox o where o.due_at <= p_now and o.sequential < 1000000000 and p_places ? o.step);
  end if;
  if is_simple then
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id from outbox w
      where w.due_at <= p_now and w.sequential < 1000000000 and is_ready(w, p_now, p_patience)
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
alter function announce_going_round(timestamptz, interval, integer, jsonb, uuid) set random_page_cost = 1;
alter function announce_going_round(timestamptz, interval, integer, jsonb, uuid) set plan_cache_mode = force_generic_plan;
alter function announce_going_round(timestamptz, interval, integer, jsonb, uuid) set enable_seqscan = off;

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
    from (select o.step, o.due_at, o.ahead, o.announced_at from outbox o where o.due_at <= p_now and o.sequential < 1000000000 order by o.due_at limit few) w
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
     where k.failing_since is null and not k.last_attempt_failed order by d.due_at limit 1),
    (select min(d.due_at) from window_of_due d having count(*) = 1000)), null::timestamptz;
  return query select 'mail', (select min(m.due_at) from mail_outbox m where m.due_at <= p_now), null::timestamptz;
end $$;
alter function work_ages(timestamptz, integer) set enable_seqscan = off;
alter function work_ages(timestamptz, integer) set enable_sort = off;
alter function work_ages(timestamptz, integer) set enable_incremental_sort = off;
