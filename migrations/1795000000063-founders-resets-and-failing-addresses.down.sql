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
alter function work_ages(timestamptz, integer) set enable_seqscan = off;
alter function work_ages(timestamptz, integer) set enable_sort = off;
alter function work_ages(timestamptz, integer) set enable_incremental_sort = off;
create or replace function claim_deliveries_going_round(
  p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_limit_failing integer, p_per_webhook integer, p_after uuid[])
  returns table (taken jsonb, looked_until uuid[])
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  by_age constant integer := 64;
  -- Of those, how many are looked at besides the others where there are more.
  eldest constant integer := 16;
  most_looked_at constant integer := 256;
  most_due constant integer := greatest(64, p_limit);
  start_tenant constant uuid := coalesce(p_after[1], p_token);
  start_webhook constant uuid := coalesce(p_after[2], p_token);
begin
  -- A lease forgotten by a crash of the server leads to one delivery more: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if not exists (select from webhook_work w where w.due_at <= p_now) then return; end if;
  perform pg_advisory_xact_lock(7356114);
  return query
  with recursive oldest as materialized (
    select w.tenant_id, w.webhook_id, w.due_at, row_number() over (order by w.due_at) as age
    from webhook_work w where w.due_at <= p_now order by w.due_at limit by_age + 1
  ), ahead as (
    (select w.tenant_id, w.webhook_id, w.due_at, 1 as place, (w.due_at <= p_now)::integer as due from webhook_work w
     where (select count(*) from oldest) > by_age and (w.tenant_id, w.webhook_id) > (start_tenant, start_webhook) and w.due_at > '-infinity'
     order by w.tenant_id, w.webhook_id, w.due_at limit 1)
    union all
    select next.tenant_id, next.webhook_id, next.due_at, a.place + 1, a.due + (next.due_at <= p_now)::integer from ahead a cross join lateral (
      select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id) > (a.tenant_id, a.webhook_id) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit 1) next
    where a.place < most_looked_at and a.due < most_due
  ), passed as materialized (
    select count(*)::integer as places, coalesce(max(a.due), 0) as due from ahead a
  ), behind as (
    (select w.tenant_id, w.webhook_id, w.due_at, p.places + 1 as place, p.due + (w.due_at <= p_now)::integer as due from passed p cross join lateral (
       select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
       where (select count(*) from oldest) > by_age and (w.tenant_id, w.webhook_id) <= (start_tenant, start_webhook) and w.due_at > '-infinity'
       order by w.tenant_id, w.webhook_id, w.due_at limit 1) w
     where p.places < most_looked_at and p.due < most_due)
    union all
    select next.tenant_id, next.webhook_id, next.due_at, b.place + 1, b.due + (next.due_at <= p_now)::integer from behind b cross join lateral (
      select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id) > (b.tenant_id, b.webhook_id) and (w.tenant_id, w.webhook_id) <= (start_tenant, start_webhook) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit 1) next
    where b.place < most_looked_at and b.due < most_due
  ), looked_at as materialized (
    select a.tenant_id, a.webhook_id, a.due_at, a.place from ahead a
    union all
    select b.tenant_id, b.webhook_id, b.due_at, b.place from behind b
  ), addresses as (
    -- With all that have something under way, which counts for their tenants; place: where they are to be served.
    select a.tenant_id, a.webhook_id, min(a.place) as place, sum(a.under_way) as under_way from (
      select l.tenant_id, l.webhook_id, l.place, 0 as under_way from looked_at l where l.due_at <= p_now
      union all
      select o.tenant_id, o.webhook_id, most_looked_at + 1, 0 from oldest o
      where o.age <= case when (select count(*) from oldest) > by_age then eldest else by_age end
      union all
      select w.tenant_id, w.webhook_id, null, 1 from webhook_work w where w.lease_token is not null and w.due_at - p_now > interval '0') a
    group by a.tenant_id, a.webhook_id
  ), busy as (
    select a.*, k.failing_since is not null as fails from addresses a join webhooks k on k.tenant_id = a.tenant_id and k.id = a.webhook_id
  ), shared as (
    -- Room that only another worker has is left out: the share errs on the small side.
    select b.*, sum(b.under_way) over (partition by b.tenant_id, b.fails) as of_tenant, p_limit + sum(b.under_way) over () as room from busy b
  ), candidates as (
    select s.tenant_id, due.delivery_id, s.fails, due.due_at, s.place, s.of_tenant, s.room,
      s.under_way + row_number() over (partition by s.tenant_id, s.webhook_id order by due.due_at) as number
    from shared s cross join lateral (
      select w.delivery_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id, w.due_at) >= (s.tenant_id, s.webhook_id, '-infinity')
        and (w.tenant_id, w.webhook_id, w.due_at) <= (s.tenant_id, s.webhook_id, p_now) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit greatest(0, case when s.fails then 1 else p_per_webhook end - s.under_way)) due
    where s.place is not null
  ), turns as (
    select c.*, c.of_tenant + row_number() over (partition by c.tenant_id, c.fails order by c.number, c.due_at) as turn from candidates c
  ), chosen as materialized (
    select c.* from (
      -- By chance: the way round is that of addresses that work, and by age one that recovered would wait for older backlogs.
      (select t.* from turns t where t.fails and t.turn <= greatest(1, t.room / 8)
       order by t.turn, hashtext(t.delivery_id::text || p_token::text) limit p_limit_failing)
      union all
      (select t.* from turns t where not t.fails and t.turn <= greatest(1, t.room / 4) order by t.turn, t.place, t.due_at limit p_limit)) c
    order by c.fails, c.turn, c.place, c.due_at limit p_limit
  ), held as (
    select w.tenant_id, w.delivery_id, c.fails
    from chosen c join webhook_work w on w.tenant_id = c.tenant_id and w.delivery_id = c.delivery_id
    where w.due_at - p_now <= interval '0'
    for update of w skip locked
  ), leased as (
    update webhook_work w set lease_token = p_token, due_at = p_now + p_lease
    from held where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id
    returning w.tenant_id, w.delivery_id, held.fails
  )
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', l.tenant_id, 'deliveryId', l.delivery_id, 'isFailing', l.fails)), '[]'), (
    -- Behind the last of those whose turn it was; where there is room for more to addresses that work, behind all that were
    -- looked at, so that those that fail hold nobody up.
    select array[r.tenant_id, r.webhook_id] from looked_at r
    where r.place = case
      when (select count(*) from chosen c where not c.fails) < p_limit then (select max(place) from looked_at)
      else (select coalesce(max(c.place) filter (where c.place <= most_looked_at), (select max(place) from looked_at)) from chosen c where not c.fails) end)
  from leased l;
end $$;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set plan_cache_mode = force_generic_plan;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set random_page_cost = 1;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set enable_seqscan = off;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set enable_hashjoin = off;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set enable_mergejoin = off;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set enable_incremental_sort = off;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set enable_sort = off;
create or replace function end_attempt(
  p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer,
  p_next_at timestamptz, p_patience interval, p_event uuid) returns void
  language plpgsql as $$
declare
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
  next_at timestamptz := p_next_at;
  is_test boolean;
  tried integer;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery and w.lease_token = p_token for update;
  if not found then
    update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
    where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number;
    return;
  end if;
  update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number
  returning a.url_version into tried;
  select * into d from webhook_deliveries x where x.tenant_id = p_tenant and x.id = p_delivery;
  select e.type = 'ping' into is_test from events e where e.tenant_id = p_tenant and e.id = d.event_id;
  if p_outcome <> 'delivered' and p_next_at is null and not is_test
    and exists (select from webhooks x where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version <> tried) then
    next_at := p_now;
  end if;
  update webhook_deliveries x set
    status = case when p_outcome = 'delivered' then 'delivered' when next_at is null then 'failed' else 'pending' end,
    next_attempt_at = next_at, finished_at = case when next_at is null then p_now end
  where x.tenant_id = p_tenant and x.id = p_delivery;
  if next_at is null then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  else
    update webhook_work w set due_at = next_at, lease_token = null where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  end if;
  if p_outcome = 'delivered' then
    update webhooks x set failing_since = null
    where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version = tried and x.failing_since is not null;
    return;
  end if;
  -- A secret that we could not open is no fault of the address.
  if p_outcome = 'secret_unavailable' then return; end if;
  update webhooks x set failing_since = p_now
  where x.tenant_id = p_tenant and x.id = d.webhook_id and (not is_test or p_status_code = 410) and x.url_version = tried and x.is_active and x.failing_since is null;
  update webhooks x set
    is_active = false, disabled_at = p_now, updated_at = p_now, disabled_reason = case when p_status_code = 410 then 'gone' else 'failing' end
  where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version = tried and x.is_active
    and (p_status_code = 410 or not is_test and d.round > 1 and x.failing_since <= p_now - p_patience)
  returning * into k;
  if found then
    insert into events (tenant_id, id, type, created_at, data)
    values (p_tenant, p_event, 'webhook.disabled', p_now, jsonb_build_object('webhook', jsonb_build_object(
      'id', k.id, 'url', k.url, 'description', k.description, 'disabled_reason', k.disabled_reason, 'disabled_at', k.disabled_at, 'failing_since', k.failing_since)));
  end if;
end $$;
alter function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) set enable_seqscan = off;
alter table webhooks drop column last_attempt_failed;
drop function administers_platform(uuid, timestamptz);
create or replace function begin_password_reset(p_email text, p_hash bytea, p_expires timestamptz, p_now timestamptz)
  returns table (email text, name text)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email and u.disabled_at is null for no key update;
  if person.id is null
    or (select count(*) from one_time_tokens o where o.user_id = person.id and o.purpose = 'reset_password' and o.created_at > p_now - interval '1 day') >= 5 then
    return;
  end if;
  perform keep_one_time_token(p_hash, 'reset_password', person.id, '{}', p_expires, p_now);
  return query select person.email, person.name;
end $$;
create or replace function reclaim_tenants(p_user uuid, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language plpgsql set search_path = sello, pg_temp as $$
declare
  place record;
begin
  for place in select m.tenant_id, m.id from members m where m.user_id = p_user and m.invited_by is null order by m.tenant_id loop
    perform from tenants t where t.id = place.tenant_id for no key update;
    with keys as (
      update api_keys k set revoked_at = p_now where k.tenant_id = place.tenant_id and k.revoked_at is null
      returning k.id, jsonb_build_object('name', k.name, 'prefix', k.prefix) as detail
    ), others as (
      delete from members m where m.tenant_id = place.tenant_id and m.id <> place.id
      returning m.id, jsonb_build_object('role', m.role, 'status', m.status) as detail
    ), hooks as (
      update webhooks w set deleted_at = p_now, is_active = false, updated_at = p_now where w.tenant_id = place.tenant_id and w.deleted_at is null
      returning w.id, '{}'::jsonb as detail
    ), gone as (
      select 'api_key.revoked' as action, 'api_key' as kind, k.id, k.detail from keys k
      union all select 'member.removed', 'member', o.id, o.detail from others o
      union all select 'webhook.deleted', 'webhook', h.id, h.detail from hooks h
    )
    insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail, request_id, address)
    select place.tenant_id, gen_random_uuid(), p_now, 'system', g.action, g.kind, g.id, g.detail || '{"reason": "address_unproven"}', p_request_id, p_address from gone g;
    delete from webhook_secrets s where s.tenant_id = place.tenant_id;
    -- An owner who was let in may have taken the founder's place away.
    update members m set role = 'tenant_owner', status = 'active', updated_at = p_now
    where m.tenant_id = place.tenant_id and m.id = place.id and (m.role <> 'tenant_owner' or m.status <> 'active');
  end loop;
end $$;
