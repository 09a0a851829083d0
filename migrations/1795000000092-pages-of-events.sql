-- As before; a page ends also when its events are large: a hundred invoices of hundreds of lines are 19 MB, which the API would
-- write down in one go while every other caller waits. And an administrator of the platform follows a closed tenant, as he reads it.
create or replace function events_after(
  p_tenant uuid, p_credential uuid, p_now timestamptz, p_xid xid8, p_position bigint, p_type text, p_document uuid, p_scan integer, p_limit integer)
  returns table (credential_is_valid boolean, xid text, "position" text, is_more boolean, events jsonb)
  language plpgsql as $$
declare
  -- Reached by what a page holds, it holds no more.
  most_bytes constant integer := 1000000;
  -- Taken before the events are read: what is older than every open transaction is committed or gone.
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
  -- A place of another life of the database, before it was restored: there all restored events stand at transaction 0.
  since xid8 := case when p_xid >= pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8 else p_xid end;
  seen record;
  card jsonb;
  cards jsonb[] := '{}';
  bytes bigint := 0;
  looked_at integer := 0;
  until_xid xid8 := since;
  until_position bigint := p_position;
  has_more boolean := false;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if p_xid is null then
    return query select is_credential_valid(p_tenant, p_credential, p_now) or administers_platform(p_credential, p_now), (horizon::text::numeric - 1)::text, '9223372036854775807', false, '[]'::jsonb;
    return;
  end if;
  for seen in
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is null and e.tenant_id = p_tenant and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
    union all
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is not null and e.tenant_id = p_tenant and e.document_id = p_document and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
  loop
    has_more := looked_at = p_scan or cardinality(cards) = p_limit or bytes >= most_bytes;
    exit when has_more;
    looked_at := looked_at + 1;
    until_xid := seen.xid;
    until_position := seen.position;
    continue when seen.type <> p_type;
    select event_card(e) || jsonb_build_object('xid', e.xid::text, 'position', e.position::text) into card
    from events e where e.tenant_id = p_tenant and e.id = seen.id;
    continue when not found;
    cards := cards || card;
    bytes := bytes + pg_column_size(card);
  end loop;
  return query select is_credential_valid(p_tenant, p_credential, p_now) or administers_platform(p_credential, p_now), until_xid::text, until_position::text, has_more, to_jsonb(cards);
end $$;
comment on function events_after(uuid, uuid, timestamptz, xid8, bigint, text, uuid, integer, integer) is
  'Events: Returns the events after a place, oldest first, with the place of the last one that was looked at, '
  'whether there is more, and whether the caller''s credential still stands. It shows only what is older than every '
  'open transaction, so nothing appears before a place later. A null place is the present. No more than p_scan rows '
  'are looked at, and none behind those that make a megabyte. An administrator of the platform''s session stands in a '
  'closed tenant too. The API calls it for lists and streams of events.';
