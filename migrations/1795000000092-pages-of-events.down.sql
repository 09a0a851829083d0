create or replace function events_after(
  p_tenant uuid, p_credential uuid, p_now timestamptz, p_xid xid8, p_position bigint, p_type text, p_document uuid, p_scan integer, p_limit integer)
  returns table (credential_is_valid boolean, xid text, "position" text, is_more boolean, events jsonb)
  language plpgsql as $$
declare
  -- Taken before the events are read: what is older than every open transaction is committed or gone.
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
  -- A place of another life of the database, before it was restored: there all restored events stand at transaction 0.
  since xid8 := case when p_xid >= pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8 else p_xid end;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if p_xid is null then
    return query select is_credential_valid(p_tenant, p_credential, p_now), (horizon::text::numeric - 1)::text, '9223372036854775807', false, '[]'::jsonb;
    return;
  end if;
  return query
  with seen as (
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is null and e.tenant_id = p_tenant and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
    union all
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is not null and e.tenant_id = p_tenant and e.document_id = p_document and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
  ), judged as (
    select s.*, p_type is null or s.type = p_type as fits, row_number() over (order by s.xid, s.position) as place from seen s
  ), counted as (
    select j.*, count(*) filter (where j.fits) over (order by j.place) - j.fits::integer as before from judged j
  ), looked as (
    select c.* from counted c where c.place <= p_scan and c.before < p_limit
  )
  select is_credential_valid(p_tenant, p_credential, p_now),
    coalesce((select l.xid::text from looked l order by l.place desc limit 1), since::text),
    coalesce((select l.position::text from looked l order by l.place desc limit 1), p_position::text),
    (select count(*) from seen) > (select count(*) from looked),
    coalesce((
      select jsonb_agg(event_card(e) || jsonb_build_object('xid', e.xid::text, 'position', e.position::text) order by l.place)
      from looked l join events e on e.tenant_id = p_tenant and e.id = l.id where l.fits), '[]');
end $$;
comment on function events_after(uuid, uuid, timestamptz, xid8, bigint, text, uuid, integer, integer) is
  'Events: Returns the events after a place, oldest first, with the place of the last one that was looked at, '
  'whether there is more, and whether the caller''s credential still stands. It shows only what is older than every '
  'open transaction, so nothing appears before a place later. A null place is the present. No more than p_scan rows '
  'are looked at. The API calls it for lists and streams of events.';
