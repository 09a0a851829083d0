-- As before, through the index that knows what is in turn: however much of a tenant's oldest work is not, its age is told.
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
    from (select o.step, o.due_at, o.ahead, o.announced_at from outbox o where o.due_at <= p_now order by o.due_at limit few) w
    group by w.step
  ) k;
  if due_rows = few then
    for visited in 1 .. p_places + 1 loop
      -- Rows are compared as wholes, so that the planner takes the one index that has them in this order.
      select o.tenant_id, o.step into at_tenant, at_step from outbox o
      where (o.tenant_id, o.step) > (at_tenant, at_step) order by o.tenant_id, o.step, o.ahead, o.due_at limit 1;
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
        and (o.tenant_id, o.step, o.ahead, o.due_at) <= (at_tenant, at_step, false, p_now)
      order by o.tenant_id, o.step, o.ahead, o.due_at limit 1;
      continue when not found;
      due := due || jsonb_build_object(at_step, least((due ->> at_step)::timestamptz, found_at));
      select w.due_at into found_at from (
        select o.due_at, o.announced_at from outbox o
        where (o.tenant_id, o.step, o.ahead, o.due_at) >= (at_tenant, at_step, false, found_at)
          and (o.tenant_id, o.step, o.ahead, o.due_at) <= (at_tenant, at_step, false, p_now)
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
