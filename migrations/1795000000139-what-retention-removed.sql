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

-- What was added to a document without a move, as an attempt at the SRI or a mail that somebody asked for, raises no version: it was
-- removed with the document on the word of an archive that did not hold it. So the whole record is compared.
create function record_of_document(d documents) returns text
  language sql stable as $$
  select jsonb_build_object(
    'document', to_jsonb(d) - 'buyer_search' - 'resting_status',
    'contents', (select jsonb_agg(to_jsonb(c) - 'tenant_id' - 'document_id' order by c.revision) from document_contents c where c.tenant_id = d.tenant_id and c.document_id = d.id),
    'history', (select jsonb_agg(to_jsonb(h) - 'tenant_id' - 'document_id' order by h.version) from document_history h where h.tenant_id = d.tenant_id and h.document_id = d.id),
    'attempts', (select jsonb_agg(to_jsonb(a) - 'tenant_id' - 'document_id' order by a.started_at, a.id) from sri_attempts a where a.tenant_id = d.tenant_id and a.document_id = d.id),
    'mails', (select jsonb_agg(to_jsonb(m) - 'tenant_id' - 'document_id' order by m.created_at, m.id) from mails m where m.tenant_id = d.tenant_id and m.document_id = d.id),
    'signings', (select jsonb_agg(to_jsonb(s) - 'tenant_id' - 'document_id' - 'signed_xml' order by s.signing_no) from signed_documents s where s.tenant_id = d.tenant_id and s.document_id = d.id),
    'authorizations', (select jsonb_agg(to_jsonb(z) - 'tenant_id' - 'document_id' - 'authorization_xml' order by z.received_at) from document_authorizations z where z.tenant_id = d.tenant_id and z.document_id = d.id)
  )::text
$$;
comment on function record_of_document(documents) is
  'Retention: Returns all that is known of a document but its XML, as JSON that is the same while nothing of it '
  'changes. documents_past_keeping and remove_as_archived call it.';

create or replace function documents_past_keeping(
  p_tenant uuid, p_month date, p_before date, p_from date, p_to date, p_after_at timestamptz, p_after_id uuid, p_limit integer)
  returns table (id uuid, created_at text, version integer, access_key text, record text)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select d.id, d.created_at::text, d.version, d.access_key, record_of_document(d)
  from documents d
  where d.tenant_id = p_tenant and d.created_at >= p_from::timestamp at time zone 'UTC' and d.created_at < (p_to + 1)::timestamp at time zone 'UTC'
    and d.issue_date >= p_month and d.issue_date < (p_month + interval '1 month')::date and d.issue_date < p_before and is_settled(d)
    and (p_after_id is null or (d.created_at, d.id) > (p_after_at, p_after_id))
  order by d.created_at, d.id
  limit p_limit
$$;

-- Only for the lock: what is added to a document refers to it.
grant update (updated_at) on documents to sello_worker;
create function remove_as_archived(p_tenant uuid, p_documents uuid[], p_digests text[], p_before date, p_now timestamptz)
  returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  same uuid[];
  versions integer[];
begin
  -- What is about to be added is waited for, and then compared with; what comes later waits, and finds no document.
  perform from documents d where d.tenant_id = p_tenant and d.id = any (p_documents) and is_settled(d) order by d.id for update;
  -- One that comes back is noted in its mail alone.
  perform from mails m where m.tenant_id = p_tenant and m.document_id = any (p_documents) order by m.id for update;
  select coalesce(array_agg(d.id), '{}'), coalesce(array_agg(d.version), '{}') into same, versions
  from documents d join unnest(p_documents, p_digests) as a (id, digest) on a.id = d.id
  where d.tenant_id = p_tenant and is_settled(d) and a.digest = encode(sha256(convert_to(record_of_document(d), 'UTF8')), 'hex');
  return remove_archived_documents(p_tenant, same, versions, p_before, p_now);
end $$;
alter function remove_as_archived(uuid, uuid[], text[], date, timestamptz) owner to sello_worker;
revoke execute on function remove_as_archived(uuid, uuid[], text[], date, timestamptz) from public;
comment on function remove_as_archived(uuid, uuid[], text[], date, timestamptz) is
  'Retention: Removes documents whose records are as they were archived, by the SHA-256 of each in hexadecimal, as '
  'remove_archived_documents does, and returns how many. Those to which anything was added, or of which anything '
  'changed, stay. It raises 22023 if the day lies within the seven years. It locks documents and mails. Only the operator '
  'may call it, through `npm run retention`.';
comment on function remove_archived_documents(uuid, uuid[], integer[], date, timestamptz) is
  'Retention: Removes documents that were archived at these versions with all that hangs on them, keeps their '
  'numbers in archived_numbers, and returns how many. Documents that changed since, have work or are still referred '
  'to stay. It raises 22023 if the day lies within the seven years, and 40001 if a document changed while it was '
  'removed. remove_as_archived calls it, once it knows that the archive holds all of them.';
comment on function is_settled(documents) is
  'Retention: Returns true if a document is no draft, rests, has no due work, and no mail or delivery about it is still '
  'to be sent, so nothing more happens to it. documents_past_keeping, remove_as_archived and '
  'remove_archived_documents call it.';

-- Who was mistyped in RETENTION_HOLD_TENANTS was not held, and nobody was told.
create function unknown_tenants(p_tenants uuid[]) returns setof uuid
  language sql stable security definer set search_path = sello, pg_temp as $$
  select h.id from unnest(p_tenants) with ordinality as h (id, place) where not exists (select from tenants t where t.id = h.id) order by h.place
$$;
alter function unknown_tenants(uuid[]) owner to sello_worker;
revoke execute on function unknown_tenants(uuid[]) from public;
comment on function unknown_tenants(uuid[]) is
  'Retention: Returns those of the ids that are no tenant''s. Only the operator may call it, through `npm run retention`, '
  'which keeps the documents of the tenants that its settings name.';
