-- What cannot be begun now is not announced: p_places says how many of a step may be begun, a step that it leaves out as many
-- as there are. While the SRI does not tell of authorizations, what waits for one otherwise goes round: announced, taken and
-- put off again, all of it with each pause. Of a step that is bounded, what is signed ahead of its turn comes last.
-- Workers of the version before go on with announce_due and ready_in_turns, which nobody else uses any more.
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
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and is_ready(w, p_now, p_patience)
       order by w.due_at
       limit p_limit)
      union all
      (select w.tenant_id, w.document_id, row_number() over (order by w.due_at desc) * s.counts from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and is_ready(w, p_now, p_patience)
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
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  is_simple boolean;
begin
  -- A bell forgotten by a crash of the server is rung again: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  is_simple := (select count(*) from (select from outbox o where o.due_at <= p_now limit p_limit + 1) due) <= p_limit;
  if is_simple and p_places is not null then
    is_simple := not exists (select from outbox o where o.due_at <= p_now and p_places ? o.step);
  end if;
  if is_simple then
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id from outbox w
      where w.due_at <= p_now and is_ready(w, p_now, p_patience)
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
grant create on schema sello to sello_worker;
alter function announce_within_places(timestamptz, interval, integer, jsonb) owner to sello_worker;
revoke create on schema sello from sello_worker;
alter function announce_within_places(timestamptz, interval, integer, jsonb) set random_page_cost = 1;
revoke execute on function announce_within_places(timestamptz, interval, integer, jsonb) from public;
grant execute on function announce_within_places(timestamptz, interval, integer, jsonb) to sello_app;
