grant create on schema sello to sello_worker;
create function ready_within_places(p_now timestamptz, p_patience interval, p_limit integer, p_places jsonb)
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

create function announce_within_places(p_now timestamptz, p_patience interval, p_limit integer, p_places jsonb)
  returns table (tenant_id uuid, document_id uuid, announcement integer)
  language plpgsql security definer set search_path = sello, pg_temp set random_page_cost = 1 set enable_seqscan = off as $$
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
alter function announce_within_places(timestamptz, interval, integer, jsonb) owner to sello_worker;
revoke execute on function announce_within_places(timestamptz, interval, integer, jsonb) from public;
grant execute on function announce_within_places(timestamptz, interval, integer, jsonb) to sello_app;

create function claim_mails(p_token uuid, p_now timestamptz, p_lease interval, p_limit integer)
  returns table (tenant_id uuid, id uuid, kind text)
  language plpgsql security definer set search_path = sello, pg_temp set random_page_cost = 1 set enable_seqscan = off as $$
begin
  if not exists (select from mail_outbox o where o.due_at <= p_now) then
    return;
  end if;
  -- A lease forgotten by a crash of the server means a mail that is sent twice, as any crash may: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  update mail_outbox o set due_at = p_now + p_lease, lease_token = p_token
  from (
    with recursive tenants as (
      (select w.tenant_id from mail_outbox w order by w.tenant_id limit 1)
      union all
      select (select w.tenant_id from mail_outbox w where w.tenant_id > t.tenant_id order by w.tenant_id limit 1)
      from tenants t where t.tenant_id is not null
    ), turns as (
      select t.tenant_id, mine.id, row_number() over (partition by t.tenant_id order by mine.due_at) as turn,
        hashtext(mine.id::text || p_now::text) as chance
      from tenants t
      cross join lateral (
        select w.id, w.due_at from mail_outbox w
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
  returning o.tenant_id, o.id, o.kind;
end $$;
alter function claim_mails(uuid, timestamptz, interval, integer) owner to sello_worker;
revoke execute on function claim_mails(uuid, timestamptz, interval, integer) from public;
grant execute on function claim_mails(uuid, timestamptz, interval, integer) to sello_app;

create function claim_deliveries(p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_limit_failing integer, p_per_webhook integer)
  returns table (tenant_id uuid, delivery_id uuid, is_failing boolean)
  language plpgsql security definer set search_path = sello, pg_temp set random_page_cost = 1 set enable_seqscan = off as $$
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
alter function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) owner to sello_worker;
revoke execute on function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) from public;
grant execute on function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) to sello_app;
revoke create on schema sello from sello_worker;
