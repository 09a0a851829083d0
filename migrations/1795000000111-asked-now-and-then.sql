-- What is asked now and then, but of tables or queues that may be long by then, is read by key as well, whatever PostgreSQL thinks of them.

-- Planned on a table of no changes, each of them was compared with all others: five thousand took five seconds, and more never ended.
alter function fold_document_counts(integer) set enable_nestloop = off;
alter function fold_document_counts(integer) set enable_seqscan = off;
-- Documents that move are the last of the table. Read from its beginning until enough are found, it was read whole.
alter function moving_documents(integer) set enable_seqscan = off;
-- Each POST read the keys of all, until PostgreSQL knew that there were many.
alter function issuing_context(uuid, uuid, uuid, uuid, text) set enable_seqscan = off;
-- Each of the failing read all that waits.
alter function failing_webhooks(interval, timestamptz, integer) set enable_seqscan = off;

-- The newest of each tenant are enough, and are in an index: every migration read all events.
create or replace function settle_restored_events() returns bigint
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

-- One look for the identity and one for the address: asked for either at once, all people were read.
create or replace function find_identity(p_issuer text, p_subject text, p_email text) returns table (user_id uuid, token_version integer, is_linked boolean)
  language sql stable security definer set search_path = sello, pg_temp set enable_seqscan = off as $$
  select found.id, found.token_version, found.is_linked from (
    select u.id, u.token_version, true as is_linked from user_identities i join users u on u.id = i.user_id where i.issuer = p_issuer and i.subject = p_subject
    union all
    select u.id, u.token_version, false from users u where u.email = p_email
  ) found
  order by found.is_linked desc
  limit 1
$$;
alter function describe_person(uuid) set enable_seqscan = off;
