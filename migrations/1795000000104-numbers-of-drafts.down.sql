create or replace function begin_new_life(p_lineage text, p_types text[], p_skip integer, p_reason text, p_now timestamptz)
  returns table (tenant_id uuid, emission_point_id uuid, document_type text, from_number integer, to_number integer)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  last_life timestamptz;
  lost interval;
  -- With what is issued once a month, whatever day it is.
  a_month constant interval := interval '35 days';
  environment_here text := (select d.environment from deployment d);
begin
  update deployment set lineage = p_lineage;
  if p_skip = 0 or environment_here is null then return; end if;
  last_life := coalesce((select max(d.created_at) from documents d), p_now);
  lost := greatest(p_now - last_life, interval '1 day');
  return query
  with lately as (
    select d.tenant_id, d.emission_point_id, d.document_type, count(*) as month, count(*) filter (where d.created_at > last_life - lost) as day
    from documents d
    where d.sri_environment = environment_here and d.sequential is not null and d.created_at > last_life - greatest(lost, a_month)
    group by 1, 2, 3
  ), wanted as (
    select p.tenant_id, p.id as point, t.type, coalesce(c.last_value, p.initial_sequential - 1) as last,
      least(greatest(p_skip, 10 * coalesce(l.day, 0), 2 * coalesce(l.month, 0)), 999999999) as skip
    from emission_points p
    cross join unnest(p_types) as t (type)
    left join lately l on l.tenant_id = p.tenant_id and l.emission_point_id = p.id and l.document_type = t.type
    left join sequence_counters c
      on c.tenant_id = p.tenant_id and c.emission_point_id = p.id and c.document_type = t.type and c.environment = environment_here
  ), reached as (
    insert into sequence_counters as c (tenant_id, emission_point_id, document_type, environment, last_value)
    select w.tenant_id, w.point, w.type, environment_here, least(w.last + w.skip, 999999999) from wanted w where w.last < 999999999
    on conflict on constraint sequence_counters_pkey do update set last_value = excluded.last_value
    returning c.tenant_id, c.emission_point_id, c.document_type, c.last_value
  ), told as (
    insert into sequence_raises as r (tenant_id, id, emission_point_id, document_type, environment, from_number, to_number, reason, by_restore, created_at)
    select x.tenant_id, gen_random_uuid(), x.emission_point_id, x.document_type, environment_here, w.last + 1, x.last_value, p_reason, true, p_now
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
