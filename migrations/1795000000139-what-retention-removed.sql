-- Whose place lay before events that retention removed was given the rest, with no sign that some were gone which it had not read.
create table removed_events (
  tenant_id uuid not null primary key,
  xid xid8 not null,
  "position" bigint not null,
  removals integer not null
);
call isolate_tenant_table('removed_events');
create policy worker_removes on removed_events to sello_worker using (true) with check (true);
grant select on removed_events to sello_app;
grant select, insert, update on removed_events to sello_worker;
comment on table removed_events is
  'Events: The place of the newest event of each tenant that was removed, and how many statements have removed some. '
  'Without a row none was removed since this is kept.';

create function note_removed_events()
  returns trigger
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into removed_events as r (tenant_id, xid, "position", removals)
  select distinct on (g.tenant_id) g.tenant_id, g.xid, g.position, 1 from gone g order by g.tenant_id, g.xid desc, g.position desc
  on conflict (tenant_id) do update set
    xid = greatest(r.xid, excluded.xid),
    "position" = case when (excluded.xid, excluded.position) > (r.xid, r.position) then excluded.position else r.position end,
    removals = r.removals + 1;
  return null;
end $$;
alter function note_removed_events() owner to sello_worker;
revoke execute on function note_removed_events() from public;
comment on function note_removed_events() is
  'Events: Trigger of events after a statement that deletes some: keeps the place of the newest of each tenant in '
  'removed_events, whoever deletes.';
create trigger note_removed_events after delete on events referencing old table as gone for each statement execute function note_removed_events();

-- The events are read by a statement of their own, so that what was removed until then is seen by the one behind it.
create function unread_events(
  p_tenant uuid, p_credential uuid, p_now timestamptz, p_xid xid8, p_position bigint, p_removals integer, p_type text, p_document uuid, p_scan integer, p_limit integer)
  returns table (credential_is_valid boolean, xid text, "position" text, removals integer, is_expired boolean, is_more boolean, events jsonb)
  language plpgsql as $$
declare
  -- As events_after takes it.
  since xid8 := case when p_xid >= pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8 else p_xid end;
  known integer;
  page record;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- Before the events are read: what is removed meanwhile may be missing in them, and is not to count as known.
  known := coalesce((select r.removals from removed_events r where r.tenant_id = p_tenant and (r.xid, r.position) > (since, p_position)), 0);
  select * into page from events_after(p_tenant, p_credential, p_now, p_xid, p_position, p_type, p_document, p_scan, p_limit);
  return query select page.credential_is_valid, page.xid, page."position", known,
    exists (select from removed_events r where r.tenant_id = p_tenant and (r.xid, r.position) > (since, p_position) and r.removals <> p_removals),
    page.is_more, page.events;
end $$;
comment on function unread_events(uuid, uuid, timestamptz, xid8, bigint, integer, text, uuid, integer, integer) is
  'Events: Returns what events_after does, and whether events after the place were removed since it was given. A place '
  'before the newest removed event is given with how many removals there were when its reader began (removals, else '
  '0), so that a reader who begins anew may go on from there until more are removed; who begins gives null. The API '
  'calls it for lists and streams of events.';
comment on function events_after(uuid, uuid, timestamptz, xid8, bigint, text, uuid, integer, integer) is
  'Events: Returns the events after a place, oldest first, with the place of the last one that was looked at, '
  'whether there is more, and whether the caller''s credential still stands. It shows only what is older than every '
  'open transaction, so nothing appears before a place later. A null place is the present. No more than p_scan rows '
  'are looked at, and none behind those that make a megabyte. An administrator of the platform''s session stands in a '
  'closed tenant too. unread_events calls it.';

-- As before; the place of what was removed is of the same transactions.
create or replace function settle_restored_events()
  returns bigint
  language sql security definer set search_path = sello, pg_temp set enable_seqscan = off as $$
  with settled as (
    update events e set xid = '0'
    where e.xid <> '0' and exists (
      select from tenants t cross join lateral (select n.xid from events n where n.tenant_id = t.id order by n.xid desc limit 1) newest
      where newest.xid >= pg_snapshot_xmax(pg_current_snapshot()))
    returning 1
  ), removed as (
    update removed_events r set xid = '0'
    where r.xid <> '0' and (r.xid >= pg_snapshot_xmax(pg_current_snapshot()) or exists (select from settled))
  )
  select count(*) from settled
$$;
