-- Streams of events that wait are asked about together, and a call that waits for its document asks in one statement.

-- Of each place of a tenant (one of each array), whether an event is shown behind it, whatever its type. Of another life of
-- the database nothing is found here: a stream's own look tells that.
create function events_behind(p_tenants uuid[], p_xids xid8[], p_positions bigint[]) returns boolean[]
  language plpgsql stable security definer set search_path = sello, pg_temp set enable_seqscan = off as $$
declare
  horizon constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
begin
  return array(
    select coalesce((
      select true from events e
      where e.tenant_id = place.tenant_id and (e.xid, e.position) > (place.xid, place.position) and e.xid < horizon
      order by e.xid, e.position limit 1), false)
    from unnest(p_tenants, p_xids, p_positions) with ordinality as place (tenant_id, xid, position, number)
    order by place.number);
end $$;
grant create on schema sello to sello_worker;
alter function events_behind(uuid[], xid8[], bigint[]) owner to sello_worker;
revoke create on schema sello from sello_worker;
revoke execute on function events_behind(uuid[], xid8[], bigint[]) from public;
grant execute on function events_behind(uuid[], xid8[], bigint[]) to sello_app;

-- How a document stands, for the caller who waits for it, and whether the caller's credential still does.
create function document_outcome(p_tenant uuid, p_document uuid, p_credential uuid, p_now timestamptz)
  returns table (status text, sri_messages jsonb, authorization_number text, authorization_date timestamptz, credential_is_valid boolean)
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select d.status, d.sri_messages, d.authorization_number, d.authorization_date, is_credential_valid(p_tenant, p_credential, p_now)
  from documents d where d.tenant_id = p_tenant and d.id = p_document;
end $$;
alter function document_outcome(uuid, uuid, uuid, timestamptz) set enable_seqscan = off;

-- As before, but for the place of a reader of one document: it moves past what others have, which would wake it for ever.
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
    -- Of one document all there is has been looked at: what other documents have up to here is none of its.
    case when p_document is not null and not more.is_so then (horizon::text::numeric - 1)::text
      else coalesce((select l.xid::text from looked l order by l.place desc limit 1), since::text) end,
    case when p_document is not null and not more.is_so then '9223372036854775807'
      else coalesce((select l.position::text from looked l order by l.place desc limit 1), p_position::text) end,
    more.is_so,
    coalesce((
      select jsonb_agg(event_card(e) || jsonb_build_object('xid', e.xid::text, 'position', e.position::text) order by l.place)
      from looked l join events e on e.tenant_id = p_tenant and e.id = l.id where l.fits), '[]')
  from (select (select count(*) from seen) > (select count(*) from looked) as is_so) more;
end $$;
