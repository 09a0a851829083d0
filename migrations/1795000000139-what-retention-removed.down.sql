drop function unknown_tenants(uuid[]);
comment on function is_settled(documents) is
  'Retention: Returns true if a document is no draft, rests, has no due work, and no mail or delivery about it is still '
  'to be sent, so nothing more happens to it. documents_past_keeping and remove_archived_documents call it.';
comment on function remove_archived_documents(uuid, uuid[], integer[], date, timestamptz) is
  'Retention: Removes documents that were archived at these versions with all that hangs on them, keeps their '
  'numbers in archived_numbers, and returns how many. Documents that changed since, have work or are still referred '
  'to stay. It raises 22023 if the day lies within the seven years, and 40001 if a document changed while it was '
  'removed. Only the operator may call it, through `npm run retention`.';
drop function remove_as_archived(uuid, uuid[], text[], date, timestamptz);
revoke update (updated_at) on documents from sello_worker;
create or replace function documents_past_keeping(
  p_tenant uuid, p_month date, p_before date, p_from date, p_to date, p_after_at timestamptz, p_after_id uuid, p_limit integer)
  returns table (id uuid, created_at text, version integer, access_key text, record text)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select d.id, d.created_at::text, d.version, d.access_key, jsonb_build_object(
    'document', to_jsonb(d) - 'buyer_search' - 'resting_status',
    'contents', (select jsonb_agg(to_jsonb(c) - 'tenant_id' - 'document_id' order by c.revision) from document_contents c where c.tenant_id = d.tenant_id and c.document_id = d.id),
    'history', (select jsonb_agg(to_jsonb(h) - 'tenant_id' - 'document_id' order by h.version) from document_history h where h.tenant_id = d.tenant_id and h.document_id = d.id),
    'attempts', (select jsonb_agg(to_jsonb(a) - 'tenant_id' - 'document_id' order by a.started_at) from sri_attempts a where a.tenant_id = d.tenant_id and a.document_id = d.id),
    'mails', (select jsonb_agg(to_jsonb(m) - 'tenant_id' - 'document_id' order by m.created_at) from mails m where m.tenant_id = d.tenant_id and m.document_id = d.id),
    'signings', (select jsonb_agg(to_jsonb(s) - 'tenant_id' - 'document_id' - 'signed_xml' order by s.signing_no) from signed_documents s where s.tenant_id = d.tenant_id and s.document_id = d.id),
    'authorizations', (select jsonb_agg(to_jsonb(z) - 'tenant_id' - 'document_id' - 'authorization_xml' order by z.received_at) from document_authorizations z where z.tenant_id = d.tenant_id and z.document_id = d.id)
  )::text
  from documents d
  where d.tenant_id = p_tenant and d.created_at >= p_from::timestamp at time zone 'UTC' and d.created_at < (p_to + 1)::timestamp at time zone 'UTC'
    and d.issue_date >= p_month and d.issue_date < (p_month + interval '1 month')::date and d.issue_date < p_before and is_settled(d)
    and (p_after_id is null or (d.created_at, d.id) > (p_after_at, p_after_id))
  order by d.created_at, d.id
  limit p_limit
$$;
drop function record_of_document(documents);

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
