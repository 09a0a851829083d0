-- A database that goes on from an earlier point, after a restore, leads another life: what happened behind that point is
-- known to the SRI and to callers, and not to it. Numbers go on behind those that may have been given out meanwhile, and
-- the places that readers of events hold belong to the life in which they were given.
alter table deployment add column lineage text not null default '' check (lineage ~ '^([0-9a-f]{8})?$');
grant update (lineage) on deployment to sello_resolver;

create function current_lineage() returns text
  language sql stable security definer set search_path = sello, pg_temp as $$
  select coalesce((select d.lineage from deployment d), '')
$$;

create policy resolver_raises on sequence_counters to sello_resolver using (true) with check (true);
create policy resolver_raises on sequence_raises to sello_resolver using (true) with check (true);
grant insert, update on sequence_counters to sello_resolver;
grant select, insert on sequence_raises to sello_resolver;

-- Begins another life: readers of events start anew, and every counter of every emission point goes on p_skip numbers
-- later, or ten times as many as it gave out in a time as long as the one that is lost, if that is more. A counter that
-- never gave out a number may have begun meanwhile. An operator's act: the service's role may not call it.
create function begin_new_life(p_lineage text, p_types text[], p_skip integer, p_reason text, p_now timestamptz)
  returns table (tenant_id uuid, emission_point_id uuid, document_type text, from_number integer, to_number integer)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  last_life timestamptz;
  lost interval;
  environment_here text := (select d.environment from deployment d);
begin
  update deployment set lineage = p_lineage;
  if p_skip = 0 or environment_here is null then return; end if;
  last_life := coalesce((select max(d.created_at) from documents d), p_now);
  lost := greatest(p_now - last_life, interval '1 day');
  return query
  with wanted as (
    select p.tenant_id, p.id as point, t.type, coalesce(c.last_value, p.initial_sequential - 1) as last,
      greatest(p_skip, 10 * (
        select count(*) from documents d
        where d.tenant_id = p.tenant_id and d.emission_point_id = p.id and d.document_type = t.type and d.sri_environment = environment_here
          and d.sequential is not null and d.created_at > last_life - lost)) as skip
    from emission_points p
    cross join unnest(p_types) as t (type)
    left join sequence_counters c
      on c.tenant_id = p.tenant_id and c.emission_point_id = p.id and c.document_type = t.type and c.environment = environment_here
  ), reached as (
    insert into sequence_counters as c (tenant_id, emission_point_id, document_type, environment, last_value)
    select w.tenant_id, w.point, w.type, environment_here, least(w.last + w.skip, 999999999) from wanted w where w.last < 999999999
    on conflict on constraint sequence_counters_pkey do update set last_value = excluded.last_value
    returning c.tenant_id, c.emission_point_id, c.document_type, c.last_value
  ), told as (
    insert into sequence_raises as r (tenant_id, id, emission_point_id, document_type, environment, from_number, to_number, reason, created_at)
    select x.tenant_id, gen_random_uuid(), x.emission_point_id, x.document_type, environment_here, w.last + 1, x.last_value, p_reason, p_now
    from reached x join wanted w on w.tenant_id = x.tenant_id and w.point = x.emission_point_id and w.type = x.document_type
    returning r.tenant_id, r.emission_point_id, r.document_type, r.from_number, r.to_number
  ), audited as (
    insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
    select t.tenant_id, gen_random_uuid(), p_now, 'system', 'sequence.raised', 'emission_point', t.emission_point_id,
      jsonb_build_object('document_type', t.document_type, 'from_number', t.from_number, 'to_number', t.to_number, 'reason', p_reason)
    from told t
  )
  select * from told;
end $$;

grant create on schema sello to sello_resolver;
alter function current_lineage() owner to sello_resolver;
alter function begin_new_life(text, text[], integer, text, timestamptz) owner to sello_resolver;
revoke create on schema sello from sello_resolver;
revoke execute on function current_lineage(), begin_new_life(text, text[], integer, text, timestamptz) from public;
grant execute on function current_lineage() to sello_app;
