-- Claims of mails and deliveries look at a bounded number of tenants or addresses, and go on where the one before ended, as
-- looks at due documents do: walking over all that have work, due or not, took longer with each of them, and claims of
-- deliveries wait for each other. What has waited longest is always looked at, by its time, and comes after those on the way;
-- where no more than that is due, nothing else is. Workers of the version before go on with claim_mails and claim_deliveries.
-- Where only the index by turn or the key may serve (docs/adr/018), rows are asked for as ranges of it in its order, and times
-- as differences: the index by time would be read to its end.

-- looked_until: the tenant after which the next claim goes on; null: nothing but what has waited longest was looked at.
create function claim_mails_going_round(p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_after uuid)
  returns table (taken jsonb, looked_until uuid)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  by_age constant integer := 64;
  -- Of those, how many are looked at besides the others where there are more.
  eldest constant integer := 16;
  most_looked_at constant integer := 256;
  -- By chance at first, so that not all workers begin with the same tenants.
  start_at constant uuid := coalesce(p_after, p_token);
begin
  if not exists (select from mail_outbox o where o.due_at <= p_now) then
    return;
  end if;
  -- A lease forgotten by a crash of the server means a mail that is sent twice, as any crash may: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with recursive oldest as materialized (
    select w.tenant_id, w.due_at, row_number() over (order by w.due_at) as age from mail_outbox w where w.due_at <= p_now order by w.due_at limit by_age + 1
  ), ahead as (
    (select w.tenant_id, w.due_at, 1 as place, (w.due_at <= p_now)::integer as due from mail_outbox w
     where (select count(*) from oldest) > by_age and w.tenant_id > start_at and w.due_at > '-infinity'
     order by w.tenant_id, w.due_at limit 1)
    union all
    select next.tenant_id, next.due_at, t.place + 1, t.due + (next.due_at <= p_now)::integer from ahead t cross join lateral (
      select w.tenant_id, w.due_at from mail_outbox w
      where w.tenant_id > t.tenant_id and w.due_at > '-infinity' order by w.tenant_id, w.due_at limit 1) next
    where t.place < most_looked_at and t.due < p_limit
  ), passed as materialized (
    select count(*)::integer as places, coalesce(max(a.due), 0) as due from ahead a
  ), behind as (
    (select w.tenant_id, w.due_at, p.places + 1 as place, p.due + (w.due_at <= p_now)::integer as due from passed p cross join lateral (
       select w.tenant_id, w.due_at from mail_outbox w
       where (select count(*) from oldest) > by_age and w.tenant_id <= start_at and w.due_at > '-infinity'
       order by w.tenant_id, w.due_at limit 1) w
     where p.places < most_looked_at and p.due < p_limit)
    union all
    select next.tenant_id, next.due_at, t.place + 1, t.due + (next.due_at <= p_now)::integer from behind t cross join lateral (
      select w.tenant_id, w.due_at from mail_outbox w
      where w.tenant_id > t.tenant_id and w.tenant_id <= start_at and w.due_at > '-infinity' order by w.tenant_id, w.due_at limit 1) next
    where t.place < most_looked_at and t.due < p_limit
  ), looked_at as materialized (
    select a.tenant_id, a.due_at, a.place from ahead a union all select b.tenant_id, b.due_at, b.place from behind b
  ), tenants as (
    select t.tenant_id, min(t.place) as place from (
      select l.tenant_id, l.place from looked_at l where l.due_at <= p_now
      union all
      select o.tenant_id, most_looked_at + 1 from oldest o where o.age <= case when (select count(*) from oldest) > by_age then eldest else by_age end) t
    group by t.tenant_id
  ), turns as (
    select t.tenant_id, t.place, mine.id, row_number() over (partition by t.tenant_id order by mine.due_at) as turn,
      hashtext(mine.id::text || p_now::text) as chance
    from tenants t cross join lateral (
      select w.id, w.due_at from mail_outbox w
      where (w.tenant_id, w.due_at) >= (t.tenant_id, '-infinity') and (w.tenant_id, w.due_at) <= (t.tenant_id, p_now) and w.due_at > '-infinity'
      order by w.tenant_id, w.due_at limit p_limit) mine
  ), chosen as materialized (
    select t.tenant_id, t.id, t.place from turns t order by t.turn, t.place, t.chance limit p_limit
  ), held as (
    select w.tenant_id, w.id from chosen c join mail_outbox w on w.tenant_id = c.tenant_id and w.id = c.id
    where w.due_at - p_now <= interval '0'
    for update of w skip locked
  ), leased as (
    update mail_outbox o set due_at = p_now + p_lease, lease_token = p_token
    from held where o.tenant_id = held.tenant_id and o.id = held.id
    returning o.tenant_id, o.id, o.kind
  )
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', l.tenant_id, 'id', l.id, 'kind', l.kind)), '[]'), (
    -- Behind the last of those whose turn it was; where nobody of those on the way had anything, behind all of them.
    select r.tenant_id from looked_at r
    where r.place = coalesce((select max(c.place) from chosen c where c.place <= most_looked_at), (select max(place) from looked_at)))
  from leased l;
end $$;

-- Of a tenant at most a quarter of all room is under way, an eighth to addresses that fail; those come last. looked_until: the
-- address (tenant and id) after which the next claim goes on; null: nothing but what has waited longest was looked at.
create function claim_deliveries_going_round(
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

grant create on schema sello to sello_worker;
alter function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) owner to sello_worker;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) owner to sello_worker;
revoke create on schema sello from sello_worker;
revoke execute on function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) from public;
revoke execute on function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) from public;
grant execute on function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) to sello_app;
grant execute on function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) to sello_app;
-- Planning so much for the values at hand takes longer than reading it. Planned for any, little is taken for much and joined
-- with all of the queue, unless by its key; and what is wanted first is sought among all there is, unless in an index that has
-- it in its order. What is sorted all the same was joined before, or can be joined in one way only: before version 18 a sort
-- that is turned off costs so much that no way to join is worse than another.
do $$
declare
  claim regprocedure;
begin
  foreach claim in array array[
    'claim_mails_going_round(uuid, timestamptz, interval, integer, uuid)',
    'claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[])']::regprocedure[]
  loop
    execute format('alter function %s set plan_cache_mode = force_generic_plan', claim);
    execute format('alter function %s set random_page_cost = 1', claim);
    execute format('alter function %s set enable_seqscan = off', claim);
    execute format('alter function %s set enable_hashjoin = off', claim);
    execute format('alter function %s set enable_mergejoin = off', claim);
    execute format('alter function %s set enable_incremental_sort = off', claim);
    execute format('alter function %s set enable_sort = off', claim);
  end loop;
end $$;
