-- Claims of mails and deliveries go on where the one before ended, as looks at due documents do, and read of no more tenants
-- than there is room for: reading of all took 13 to 33 ms with a thousand tenants, 50 to 160 ms with five thousand, for a few
-- rows, and claims of deliveries wait for each other. Where little is due it is found by its time alone, however many tenants
-- have something that is due later. Workers of the version before go on with claim_mails and claim_deliveries.

-- Tenants with a mail that is due, after one and up to another, in the order of their ids.
create function tenants_with_mail(p_now timestamptz, p_after uuid, p_until uuid, p_count integer)
  returns setof uuid
  language sql stable rows 4 set search_path = sello, pg_temp set random_page_cost = 1 set enable_seqscan = off as $$
  with recursive tenants as (
    (select o.tenant_id, o.due_at from mail_outbox o
     where o.tenant_id > p_after and o.tenant_id <= p_until and o.due_at > '-infinity' order by o.tenant_id, o.due_at limit 1)
    union all
    select next.tenant_id, next.due_at from tenants t cross join lateral (
      select o.tenant_id, o.due_at from mail_outbox o
      where o.tenant_id > t.tenant_id and o.tenant_id <= p_until and o.due_at > '-infinity' order by o.tenant_id, o.due_at limit 1) next
  )
  -- Read no further than to the last one that is wanted.
  select t.tenant_id from tenants t where t.due_at <= p_now limit p_count
$$;

-- claimed_until: the tenant after which the next claim goes on.
create function claim_mails_going_round(p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_after uuid)
  returns table (tenant_id uuid, id uuid, kind text, claimed_until uuid)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  before_all constant uuid := '00000000-0000-0000-0000-000000000000';
  behind_all constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  few constant integer := 64;
  are_few boolean;
  tenants uuid[];
begin
  if not exists (select from mail_outbox o where o.due_at <= p_now) then
    return;
  end if;
  -- A lease forgotten by a crash of the server means a mail that is sent twice, as any crash may: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  claimed_until := coalesce(p_after, before_all);
  select count(*) <= few, array_agg(distinct due.tenant_id) into are_few, tenants
  from (select o.tenant_id from mail_outbox o where o.due_at <= p_now order by o.due_at limit few + 1) due;
  if not are_few then
    tenants := array(select t.id from tenants_with_mail(p_now, claimed_until, behind_all, p_limit) as t (id));
    tenants := tenants || array(
      select t.id from tenants_with_mail(p_now, before_all, claimed_until, p_limit - cardinality(tenants)) as t (id));
    claimed_until := tenants[cardinality(tenants)];
  end if;
  return query
  update mail_outbox o set due_at = p_now + p_lease, lease_token = p_token
  from (
    with turns as (
      select mine.tenant_id, mine.id, row_number() over (partition by mine.tenant_id order by mine.due_at) as turn,
        hashtext(mine.id::text || p_now::text) as chance
      from unnest(tenants) as t (tenant_id)
      cross join lateral (
        select w.tenant_id, w.id, w.due_at from mail_outbox w
        where w.tenant_id = t.tenant_id and w.due_at <= p_now order by w.due_at limit p_limit
      ) mine
    ), picked as (
      select turns.tenant_id, turns.id from turns order by turns.turn, turns.chance limit p_limit
    )
    select w.tenant_id, w.id from picked join mail_outbox w on w.tenant_id = picked.tenant_id and w.id = picked.id
    where w.due_at <= p_now
    for update of w skip locked
  ) due
  where o.tenant_id = due.tenant_id and o.id = due.id
  returning o.tenant_id, o.id, o.kind, claim_mails_going_round.claimed_until;
end $$;

-- How many deliveries are under way to addresses that fail, or that do not. The time is asked for in a way that only the index
-- of what is under way serves: that of all times would be read to its end.
create function webhooks_under_way(p_now timestamptz, p_fails boolean)
  returns table (tenant_id uuid, webhook_id uuid, deliveries bigint)
  language sql stable rows 16 set search_path = sello, pg_temp set random_page_cost = 1 set enable_seqscan = off as $$
  select w.tenant_id, w.webhook_id, count(*)
  from webhook_work w join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id
  where w.lease_token is not null and w.due_at - p_now > interval '0' and (k.failing_since is not null) = p_fails
  group by w.tenant_id, w.webhook_id
$$;

-- Tenants with a due delivery that may be begun, to an address that fails, or to one that does not: after one and up to
-- another, in the order of their ids. p_of_webhook, p_of_tenant: how many such deliveries may be under way.
create function tenants_with_deliveries(
  p_now timestamptz, p_fails boolean, p_of_webhook integer, p_of_tenant integer, p_after uuid, p_until uuid, p_count integer)
  returns setof uuid
  language sql stable rows 16 set search_path = sello, pg_temp set random_page_cost = 1 set enable_seqscan = off as $$
  with recursive under_way as materialized (
    select * from webhooks_under_way(p_now, p_fails)
  ), tenants as (
    (select w.tenant_id from webhook_work w
     where w.tenant_id > p_after and w.tenant_id <= p_until and w.due_at > '-infinity' order by w.tenant_id limit 1)
    union all
    select next.tenant_id from tenants t cross join lateral (
      select w.tenant_id from webhook_work w
      where w.tenant_id > t.tenant_id and w.tenant_id <= p_until and w.due_at > '-infinity' order by w.tenant_id limit 1) next
  )
  -- Read no further than to the last one that is wanted: hence limits, without which PostgreSQL would join all.
  select t.tenant_id from tenants t
  where coalesce((select sum(u.deliveries) from under_way u where u.tenant_id = t.tenant_id), 0) < p_of_tenant
    and (
      select true from webhooks k
      where k.tenant_id = t.tenant_id and (k.failing_since is not null) = p_fails
        and coalesce((select u.deliveries from under_way u where u.tenant_id = k.tenant_id and u.webhook_id = k.id), 0) < p_of_webhook
        and (select true from webhook_work w where w.tenant_id = k.tenant_id and w.webhook_id = k.id and w.due_at <= p_now limit 1)
      limit 1)
  limit p_count
$$;

-- Of a tenant at most a quarter of all room is under way, an eighth to addresses that fail; those come last. claimed_until, in
-- the last row: the tenants after which the next claim goes on, with addresses that work and with those that fail.
create function claim_deliveries_going_round(
  p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_limit_failing integer, p_per_webhook integer, p_after uuid[])
  returns table (tenant_id uuid, delivery_id uuid, is_failing boolean, claimed_until uuid[])
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  before_all constant uuid := '00000000-0000-0000-0000-000000000000';
  behind_all constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  few constant integer := 64;
  -- Looked at together at least, so that who has little under way goes first even where there is room for one.
  company constant integer := 16;
  all_room integer;
  room integer := p_limit;
  wanted integer;
  visited integer;
  of_webhook integer;
  of_tenant integer;
  class integer;
  are_few boolean;
  due_to_working uuid[];
  due_to_failing uuid[];
  tenants uuid[];
begin
  -- A lease forgotten by a crash of the server leads to one delivery more: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if not exists (select from webhook_work w where w.due_at <= p_now) then return; end if;
  perform pg_advisory_xact_lock(7356114);
  select count(*) <= few,
    array_agg(distinct due.tenant_id) filter (where k.failing_since is null),
    array_agg(distinct due.tenant_id) filter (where k.failing_since is not null)
  into are_few, due_to_working, due_to_failing
  from (select w.tenant_id, w.webhook_id from webhook_work w where w.due_at <= p_now order by w.due_at limit few + 1) due
  left join webhooks k on k.tenant_id = due.tenant_id and k.id = due.webhook_id;
  -- Room that only another worker has is left out: the share errs on the small side.
  all_room := p_limit + (select count(*) from webhook_work w where w.lease_token is not null and w.due_at - p_now > interval '0');
  claimed_until := coalesce(p_after, array[before_all, before_all]);
  foreach is_failing in array array[false, true] loop
    wanted := case when is_failing then least(room, p_limit_failing) else room end;
    class := 1 + is_failing::integer;
    tenants := case when is_failing then due_to_failing else due_to_working end;
    continue when wanted <= 0 or (are_few and tenants is null);
    of_webhook := case when is_failing then 1 else p_per_webhook end;
    of_tenant := greatest(1, all_room / case when is_failing then 8 else 4 end);
    if not are_few then
      visited := greatest(wanted, company);
      tenants := array(
        select t.id from tenants_with_deliveries(p_now, is_failing, of_webhook, of_tenant, claimed_until[class], behind_all, visited) as t (id));
      tenants := tenants || array(
        select t.id from tenants_with_deliveries(
          p_now, is_failing, of_webhook, of_tenant, before_all, claimed_until[class], visited - cardinality(tenants)) as t (id));
      claimed_until[class] := coalesce(tenants[least(wanted, cardinality(tenants))], claimed_until[class]);
    end if;
    for tenant_id, delivery_id in
      update webhook_work w set lease_token = p_token, due_at = p_now + p_lease
      from (
        with under_way as materialized (
          select * from webhooks_under_way(p_now, is_failing)
        ), candidates as (
          select k.tenant_id, due.delivery_id, due.due_at,
            busy.deliveries + row_number() over (partition by k.tenant_id, k.id order by due.due_at) as place
          from unnest(tenants) as t (tenant_id)
          join webhooks k on k.tenant_id = t.tenant_id and (k.failing_since is not null) = is_failing
          cross join lateral (
            select coalesce(sum(u.deliveries), 0) as deliveries from under_way u where u.tenant_id = k.tenant_id and u.webhook_id = k.id) busy
          cross join lateral (
            select w.delivery_id, w.due_at from webhook_work w
            where w.tenant_id = k.tenant_id and w.webhook_id = k.id and w.due_at <= p_now
            order by w.due_at limit greatest(0, of_webhook - busy.deliveries)) due
        ), turns as (
          select c.*, row_number() over (partition by c.tenant_id order by c.place, c.due_at)
            + coalesce((select sum(u.deliveries) from under_way u where u.tenant_id = c.tenant_id), 0) as turn
          from candidates c
        ), chosen as (
          select t.tenant_id, t.delivery_id from turns t where t.turn <= of_tenant order by t.turn, t.due_at limit wanted
        )
        select due.tenant_id, due.delivery_id
        from chosen join webhook_work due on due.tenant_id = chosen.tenant_id and due.delivery_id = chosen.delivery_id
        where due.due_at <= p_now
        for update of due skip locked
      ) held
      where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id
      returning w.tenant_id, w.delivery_id
    loop
      room := room - 1;
      return next;
    end loop;
  end loop;
end $$;

grant create on schema sello to sello_worker;
alter function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) owner to sello_worker;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) owner to sello_worker;
revoke create on schema sello from sello_worker;
revoke execute on function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) from public;
revoke execute on function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) from public;
grant execute on function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) to sello_app;
grant execute on function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) to sello_app;
alter function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) set random_page_cost = 1;
alter function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) set enable_seqscan = off;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set random_page_cost = 1;
alter function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) set enable_seqscan = off;
