create or replace function settle_restored_events()
  returns bigint
  language sql security definer set search_path = sello, pg_temp set enable_seqscan = off as $$
  with settled as (
    update events e set xid = '0'
    where e.xid <> '0' and exists (
      select from tenants t cross join lateral (select n.xid from events n where n.tenant_id = t.id order by n.xid desc limit 1) newest
      where newest.xid >= pg_snapshot_xmax(pg_current_snapshot()))
    returning 1
  )
  select count(*) from settled
$$;
comment on function events_after(uuid, uuid, timestamptz, xid8, bigint, text, uuid, integer, integer) is
  'Events: Returns the events after a place, oldest first, with the place of the last one that was looked at, '
  'whether there is more, and whether the caller''s credential still stands. It shows only what is older than every '
  'open transaction, so nothing appears before a place later. A null place is the present. No more than p_scan rows '
  'are looked at, and none behind those that make a megabyte. An administrator of the platform''s session stands in a '
  'closed tenant too. The API calls it for lists and streams of events.';
drop function unread_events(uuid, uuid, timestamptz, xid8, bigint, integer, text, uuid, integer, integer);
drop trigger note_removed_events on events;
drop function note_removed_events();
drop table removed_events;
