-- Restored events keep their order beside what the cluster has done before: where any lies above its transactions, all go before
-- them, and their positions tell the order.
create or replace function settle_restored_events() returns bigint
  language sql security definer set search_path = sello, pg_temp as $$
  with settled as (
    update events e set xid = '0'
    where e.xid <> '0' and exists (select from events above where above.xid >= pg_snapshot_xmax(pg_current_snapshot()))
    returning 1
  )
  select count(*) from settled
$$;

-- As before, by the notes that stand and not by their sum alone: that of none is no less than a total of nothing.
create or replace function settle_credited_original() returns trigger
  language plpgsql as $$
declare
  original documents%rowtype;
  credited numeric;
  notes integer;
  settled text;
begin
  select * into original from documents d where d.tenant_id = new.tenant_id and d.id = new.modified_document_id for update;
  select coalesce(sum(d.total), 0), count(*) into credited, notes from documents d
  where d.tenant_id = new.tenant_id and d.modified_document_id = original.id and d.document_type = '04'
    and d.status in ('AUTHORIZED', 'CANCELLATION_REQUESTED');
  -- Over nothing at all, a note that stands credits it in full; none does not.
  settled := case when notes > 0 and credited >= original.total then 'VOIDED_BY_NC' else 'AUTHORIZED' end;
  if original.status is null or original.status not in ('AUTHORIZED', 'VOIDED_BY_NC') or original.status = settled then
    return null;
  end if;
  update documents set status = settled, version = version + 1, updated_at = new.updated_at
  where tenant_id = original.tenant_id and id = original.id;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at, detail)
  values (original.tenant_id, original.id, original.version + 1, original.status,
          case settled when 'VOIDED_BY_NC' then 'credited_in_full' else 'credit_annulled' end, settled, new.updated_at,
          jsonb_build_object('credit_note_id', new.id));
  insert into events (tenant_id, id, type, document_id, document_version, created_at)
  values (original.tenant_id, gen_random_uuid(), case settled when 'VOIDED_BY_NC' then 'document.voided' else 'document.authorized' end,
          original.id, original.version + 1, new.updated_at);
  return null;
end $$;
create or replace function settle_kept_original() returns trigger
  language plpgsql as $$
declare
  credited numeric;
  notes integer;
begin
  select coalesce(sum(n.total), 0), count(*) into credited, notes from documents n
  where n.tenant_id = new.tenant_id and n.modified_document_id = new.id and n.document_type = '04' and n.status in ('AUTHORIZED', 'CANCELLATION_REQUESTED');
  if notes = 0 or credited < new.total then
    return null;
  end if;
  update documents set status = 'VOIDED_BY_NC', version = version + 1, updated_at = new.updated_at where tenant_id = new.tenant_id and id = new.id;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (new.tenant_id, new.id, new.version + 1, 'AUTHORIZED', 'credited_in_full', 'VOIDED_BY_NC', new.updated_at);
  insert into events (tenant_id, id, type, document_id, document_version, created_at)
  values (new.tenant_id, gen_random_uuid(), 'document.voided', new.id, new.version + 1, new.updated_at);
  return null;
end $$;

-- Numbers that a restore left out may be the SRI's already, whatever becomes of the emission point; what a person left out by
-- mistake goes with it.
alter table sequence_raises add column by_restore boolean not null default false;
update sequence_raises set by_restore = true where reason like 'The database was restored from %: these numbers may have been issued after it';
create or replace function begin_new_life(p_lineage text, p_types text[], p_skip integer, p_reason text, p_now timestamptz)
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
