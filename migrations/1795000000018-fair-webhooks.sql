-- Leases due deliveries, tenants and addresses taking turns: those with least under way first, so that a tenant with many
-- addresses and an old backlog comes behind one that has nothing under way. Of one address at most p_per_webhook are under
-- way, over all workers, and one while it fails; of one tenant at most a quarter of the room, and an eighth more to addresses
-- that fail; of all that fail together p_limit_failing more. One claim at a time, so that the bounds hold.
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
    (select w.tenant_id, w.webhook_id from webhook_work w order by w.tenant_id, w.webhook_id limit 1)
    union all
    select next.tenant_id, next.webhook_id from addresses a cross join lateral (
      select w.tenant_id, w.webhook_id from webhook_work w
      where (w.tenant_id, w.webhook_id) > (a.tenant_id, a.webhook_id) order by w.tenant_id, w.webhook_id limit 1) next
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
