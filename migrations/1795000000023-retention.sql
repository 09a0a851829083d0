-- What is past its time goes: operational rows after days, documents seven years after their issue, once they are archived.
-- All of it by functions that only the owner of the schema calls (`npm run retention`); the service's role removes nothing here.

-- Whether the law lets a document go: seven years since its issue, in Guayaquil. No setting makes it less.
create function is_past_keeping(p_issue_date date) returns boolean
  language sql stable parallel safe
  return p_issue_date < ((now() at time zone 'America/Guayaquil')::date - interval '7 years')::date;

-- Numbers of documents that were archived and removed: they are taken for ever, and no gaps. Keeps emission points that
-- such documents were of.
create table archived_numbers (
  tenant_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  -- First day of the month of issue.
  month date not null,
  numbers int4multirange not null,
  archived_at timestamptz not null,
  primary key (tenant_id, emission_point_id, document_type, environment, month),
  foreign key (tenant_id, emission_point_id) references emission_points (tenant_id, id)
);
call isolate_tenant_table('archived_numbers');
create policy worker_removes on archived_numbers to sello_worker using (true) with check (true);
grant select on archived_numbers to sello_app;
grant select, insert, update on archived_numbers to sello_worker;

-- Looked up by event, too: without it, whether an event may go would be a search through all deliveries of the tenant.
drop index webhook_deliveries_once;
create unique index webhook_deliveries_once on webhook_deliveries (tenant_id, event_id, webhook_id);
-- The reference would need an index of its own for the same reason; rows come with the document's authorization and go with it.
alter table buyer_documents drop constraint buyer_documents_tenant_id_document_id_fkey;

do $$
declare
  name text;
begin
  foreach name in array array[
    'documents', 'document_contents', 'document_history', 'signed_documents', 'sri_attempts', 'document_authorizations', 'buyer_documents',
    'mails', 'events', 'webhook_deliveries', 'webhook_attempts', 'audit_log'] loop
    execute format('create policy worker_removes on %I to sello_worker using (true) with check (true)', name);
    execute format('grant select, delete on %I to sello_worker', name);
  end loop;
end $$;
grant insert on document_count_changes to sello_worker;
grant delete on webhook_work to sello_worker;

create or replace function guard_draft_deletion() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'DRAFT' and not (current_user = 'sello_worker' and is_past_keeping(old.issue_date)) then
    raise exception 'only a draft may be deleted' using errcode = 'SE100';
  end if;
  return old;
end $$;

create or replace function guard_draft_part_deletion() returns trigger
  language plpgsql as $$
begin
  if not exists (
    select from documents d where d.tenant_id = old.tenant_id and d.id = old.document_id
      and (d.status = 'DRAFT' or current_user = 'sello_worker' and is_past_keeping(d.issue_date))
  ) then
    raise exception 'contents and history are kept for ever' using errcode = 'SE100';
  end if;
  return old;
end $$;

create or replace function refuse_change() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_user = 'sello_worker' then
    if old.at < now() - interval '365 days' then return old; end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'SE120';
end $$;

-- Months of tenants that hold documents issued before a day, youngest first, so that a credit note goes before what it
-- credits; and between which days of creation they lie.
create function months_past_keeping(p_before date)
  returns table (tenant_id uuid, month date, documents bigint, created_from date, created_to date)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select c.tenant_id, date_trunc('month', c.issue_date::timestamp)::date, sum(c.documents)::bigint, min(c.created_on), max(c.created_on)
  from (
    select k.tenant_id, k.issue_date, k.created_on, k.resting_status, k.documents from document_counts k
    union all
    select h.tenant_id, h.issue_date, h.created_on, h.resting_status, h.change from document_count_changes h
  ) c
  where c.issue_date < p_before and c.resting_status not in ('DRAFT', 'VALIDATED')
  group by 1, 2 having sum(c.documents) > 0
  order by 2 desc, 1
$$;

-- Whether nothing more happens to a document and it is no draft.
create function is_settled(d documents) returns boolean
  language sql stable as $$
  select d.resting_status is not null and d.resting_status not in ('DRAFT', 'VALIDATED')
    and not exists (select from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id)
$$;

-- Documents of one month in the order of their creation, with all that is known of each but its XML.
create function documents_past_keeping(
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

-- What was sent and received, gzip as stored: signed-<signing> and authorization-<place in time>.
create function document_papers(p_tenant uuid, p_documents uuid[])
  returns table (document_id uuid, name text, content bytea)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select s.document_id, 'signed-' || s.signing_no || '.xml', s.signed_xml from signed_documents s
  where s.tenant_id = p_tenant and s.document_id = any (p_documents)
  union all
  select z.document_id, 'authorization-' || row_number() over (partition by z.document_id order by z.received_at) || '.xml', z.authorization_xml
  from document_authorizations z where z.tenant_id = p_tenant and z.document_id = any (p_documents)
  order by 1, 2
$$;

-- Removes documents that were archived at these versions, with all that hangs on them, and returns how many. Those that
-- changed since, are at work or are still referred to stay. All or nothing of a call.
create function remove_archived_documents(p_tenant uuid, p_documents uuid[], p_versions integer[], p_before date, p_now timestamptz)
  returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  doomed uuid[];
  kept uuid[];
  removed integer;
begin
  if not is_past_keeping(p_before - 1) then
    raise exception 'documents are kept for seven years' using errcode = '22023';
  end if;
  doomed := array(
    select d.id from documents d join unnest(p_documents, p_versions) as a (id, version) on a.id = d.id and a.version = d.version
    where d.tenant_id = p_tenant and d.issue_date < p_before and is_settled(d));
  loop
    kept := doomed;
    doomed := array(select x from unnest(kept) x where not exists (
      select from documents r where r.tenant_id = p_tenant and r.modified_document_id = x and r.id <> all (kept)));
    exit when cardinality(doomed) = cardinality(kept);
  end loop;

  insert into archived_numbers as n (tenant_id, emission_point_id, document_type, environment, month, numbers, archived_at)
  select d.tenant_id, d.emission_point_id, d.document_type, d.sri_environment, date_trunc('month', d.issue_date::timestamp)::date,
    range_agg(int4range(d.sequential, d.sequential, '[]')), p_now
  from documents d where d.tenant_id = p_tenant and d.id = any (doomed) and d.sequential is not null
  group by 1, 2, 3, 4, 5
  on conflict (tenant_id, emission_point_id, document_type, environment, month) do update set numbers = n.numbers + excluded.numbers, archived_at = p_now;

  delete from webhook_attempts a using webhook_deliveries v, events e
  where e.tenant_id = p_tenant and e.document_id = any (doomed) and v.tenant_id = p_tenant and v.event_id = e.id and a.tenant_id = p_tenant and a.delivery_id = v.id;
  delete from webhook_work w using webhook_deliveries v, events e
  where e.tenant_id = p_tenant and e.document_id = any (doomed) and v.tenant_id = p_tenant and v.event_id = e.id and w.tenant_id = p_tenant and w.delivery_id = v.id;
  delete from webhook_deliveries v using events e where e.tenant_id = p_tenant and e.document_id = any (doomed) and v.tenant_id = p_tenant and v.event_id = e.id;
  delete from events e where e.tenant_id = p_tenant and e.document_id = any (doomed);
  delete from mail_outbox o using mails m where m.tenant_id = p_tenant and m.document_id = any (doomed) and o.tenant_id = p_tenant and o.id = m.id;
  delete from mails m where m.tenant_id = p_tenant and m.document_id = any (doomed);
  delete from buyer_documents b using documents d
  where d.tenant_id = p_tenant and d.id = any (doomed)
    and b.tenant_id = p_tenant and b.buyer_id_type = d.buyer_id_type and b.buyer_id = d.buyer_id and b.document_id = d.id;
  delete from document_authorizations z where z.tenant_id = p_tenant and z.document_id = any (doomed);
  delete from sri_attempts a where a.tenant_id = p_tenant and a.document_id = any (doomed);
  delete from signed_documents s where s.tenant_id = p_tenant and s.document_id = any (doomed);
  delete from document_history h where h.tenant_id = p_tenant and h.document_id = any (doomed);
  delete from document_contents c where c.tenant_id = p_tenant and c.document_id = any (doomed);
  delete from documents d using unnest(p_documents, p_versions) as a (id, version)
  where d.tenant_id = p_tenant and d.id = any (doomed) and a.id = d.id and a.version = d.version and is_settled(d);
  get diagnostics removed = row_count;
  if removed <> cardinality(doomed) then
    raise exception 'a document changed while it was removed' using errcode = '40001';
  end if;
  return removed;
end $$;

-- Rows of a kind that are past their time, among some pages of their table: how many, and with p_remove they are gone. Page
-- by page a table is read once, whatever its indexes, in steps as short as one likes.
create function rows_past_keeping(p_kind text, p_before timestamptz, p_from bigint, p_to bigint, p_remove boolean) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  first tid := format('(%s,0)', p_from)::tid;
  beyond tid := format('(%s,0)', p_to)::tid;
  shortest interval := make_interval(days => case p_kind when 'deliveries' then 7 when 'events' then 30 when 'mails' then 30 when 'audit' then 365 end);
  found_rows integer;
begin
  if shortest is null or p_before > now() - shortest then
    raise exception '% are kept for % at least', p_kind, shortest using errcode = '22023';
  end if;
  case p_kind
    when 'deliveries' then
      with due as materialized (
        select d.tenant_id, d.id from webhook_deliveries d
        where d.ctid >= first and d.ctid < beyond and d.status <> 'pending' and coalesce(d.finished_at, d.created_at) < p_before
          and not exists (select from webhook_work w where w.tenant_id = d.tenant_id and w.delivery_id = d.id)
      ), attempts as (
        delete from webhook_attempts a using due where p_remove and a.tenant_id = due.tenant_id and a.delivery_id = due.id
      ), gone as (
        delete from webhook_deliveries d using due where p_remove and d.tenant_id = due.tenant_id and d.id = due.id
      )
      select count(*) into found_rows from due;
    when 'events' then
      with due as materialized (
        select e.tenant_id, e.id from events e
        where e.ctid >= first and e.ctid < beyond and e.created_at < p_before
          and not exists (select from webhook_deliveries d where d.tenant_id = e.tenant_id and d.event_id = e.id)
          and not exists (select from mail_outbox o where o.tenant_id = e.tenant_id and o.id = e.id)
      ), gone as (
        delete from events e using due where p_remove and e.tenant_id = due.tenant_id and e.id = due.id
      )
      select count(*) into found_rows from due;
    when 'mails' then
      with due as materialized (
        select m.tenant_id, m.id from mails m
        where m.ctid >= first and m.ctid < beyond and m.status <> 'queued' and m.updated_at < p_before
          and not exists (select from mail_outbox o where o.tenant_id = m.tenant_id and o.id = m.id)
      ), gone as (
        delete from mails m using due where p_remove and m.tenant_id = due.tenant_id and m.id = due.id
      )
      select count(*) into found_rows from due;
    when 'audit' then
      with due as materialized (
        select l.tenant_id, l.id from audit_log l where l.ctid >= first and l.ctid < beyond and l.at < p_before
      ), gone as (
        delete from audit_log l using due where p_remove and l.tenant_id = due.tenant_id and l.id = due.id
      )
      select count(*) into found_rows from due;
  end case;
  return found_rows;
end $$;

-- The same for sign-ins that ended and links that are worth nothing any more.
create function sign_ins_past_keeping(p_kind text, p_before timestamptz, p_from bigint, p_to bigint, p_remove boolean) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  first tid := format('(%s,0)', p_from)::tid;
  beyond tid := format('(%s,0)', p_to)::tid;
  found_rows integer;
begin
  if p_kind not in ('sessions', 'links') or p_before > now() - interval '1 day' then
    raise exception '% are kept for a day at least', p_kind using errcode = '22023';
  end if;
  if p_kind = 'sessions' then
    with due as materialized (
      select s.id from sessions s where s.ctid >= first and s.ctid < beyond and least(coalesce(s.ended_at, s.expires_at), s.expires_at) < p_before
    ), tokens as (
      delete from refresh_tokens r using due where p_remove and r.session_id = due.id
    ), gone as (
      delete from sessions s using due where p_remove and s.id = due.id
    )
    select count(*) into found_rows from due;
  else
    with due as materialized (
      select o.token_hash from one_time_tokens o where o.ctid >= first and o.ctid < beyond and o.expires_at < p_before
    ), gone as (
      delete from one_time_tokens o using due where p_remove and o.token_hash = due.token_hash
    )
    select count(*) into found_rows from due;
  end if;
  return found_rows;
end $$;

-- Handing a function over needs the right to create, which is not left behind.
grant create on schema sello to sello_worker, sello_resolver;
do $$
declare
  entry record;
begin
  for entry in
    select p.oid::regprocedure::text as signature, case p.proname when 'sign_ins_past_keeping' then 'sello_resolver' else 'sello_worker' end as keeper
    from pg_proc p
    where p.pronamespace = 'sello'::regnamespace and p.proname = any (array[
      'months_past_keeping', 'documents_past_keeping', 'document_papers', 'remove_archived_documents', 'rows_past_keeping', 'sign_ins_past_keeping'])
  loop
    execute format('alter function %s owner to %I', entry.signature, entry.keeper);
    execute format('revoke execute on function %s from public', entry.signature);
  end loop;
end $$;
revoke create on schema sello from sello_worker, sello_resolver;
