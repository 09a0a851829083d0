alter function describe_person(uuid) reset enable_seqscan;

create or replace function find_identity(p_issuer text, p_subject text, p_email text) returns table (user_id uuid, token_version integer, is_linked boolean)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.id, u.token_version, i.user_id is not null
  from users u left join user_identities i on i.user_id = u.id and i.issuer = p_issuer and i.subject = p_subject
  where i.user_id is not null or u.email = p_email
  order by (i.user_id is not null) desc
  limit 1
$$;

create or replace function settle_restored_events() returns bigint
  language sql security definer set search_path = sello, pg_temp as $$
  with settled as (
    update events e set xid = '0'
    where e.xid <> '0' and exists (select from events above where above.xid >= pg_snapshot_xmax(pg_current_snapshot()))
    returning 1
  )
  select count(*) from settled
$$;

alter function failing_webhooks(interval, timestamptz, integer) reset enable_seqscan;
alter function issuing_context(uuid, uuid, uuid, uuid, text) reset enable_seqscan;
alter function moving_documents(integer) reset enable_seqscan;
alter function fold_document_counts(integer) reset enable_seqscan;
alter function fold_document_counts(integer) reset enable_nestloop;
