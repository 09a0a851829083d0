-- Lists of documents. What is searched and counted changes only when a document begins, comes to rest or leaves its rest;
-- while it moves towards the SRI its row is rewritten without touching an index (heap-only updates).

-- Contained in PostgreSQL's distribution and trusted: the owner of a database may create them. Where it has them already,
-- they stay where they are.
create extension if not exists pg_trgm with schema sello;
create extension if not exists btree_gin with schema sello;

-- States that documents pass by themselves (`isMoving` of the lifecycle table in the code).
create function is_moving(p_status text) returns boolean
  language sql immutable strict parallel safe
  return p_status in (
    'NUMBER_RESERVED', 'XML_GENERATED', 'SIGNED', 'RECEPTION_PENDING', 'SUBMITTED_TO_SRI', 'RECEIVED_BY_SRI',
    'AUTHORIZATION_PENDING', 'RECEPTION_RETRY_SCHEDULED', 'AUTHORIZATION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN',
    'AUTHORIZATION_UNKNOWN', 'CANCELLATION_REQUESTED');

-- A text as it is searched: without marks and without case. Marks go first: not every locale knows the case of Ñ.
create function search_form(p_text text) returns text
  language sql immutable strict parallel safe
  return lower(regexp_replace(normalize(p_text, NFKD), '[\u0300-\u036f]', '', 'g'));

alter table documents
  -- The status while the document rests; null while it moves.
  add column resting_status text,
  add column buyer_search text;

create function list_document() returns trigger
  language plpgsql as $$
begin
  new.resting_status := case when not is_moving(new.status) then new.status end;
  if tg_op = 'INSERT' or new.buyer_name is distinct from old.buyer_name or new.buyer_search is null then
    new.buyer_search := search_form(new.buyer_name);
  end if;
  return new;
end $$;
create trigger list_document before insert or update on documents for each row execute function list_document();

-- Resting documents by all that a list counts by. Sums are exact: what the transactions of the documents left in
-- document_count_changes is added by the reader and folded in by a worker, so that nobody waits for a counter.
create table document_counts (
  tenant_id uuid not null,
  -- Day of created_at in UTC.
  created_on date not null,
  issue_date date not null,
  issuer_id uuid not null,
  document_type text not null,
  resting_status text not null,
  documents bigint not null,
  primary key (tenant_id, created_on, issuer_id, document_type, resting_status, issue_date)
);
call isolate_tenant_table('document_counts');
create policy worker_walks on document_counts to sello_worker using (true) with check (true);
grant select on document_counts to sello_app;
grant select, insert, update on document_counts to sello_worker;

create table document_count_changes (
  tenant_id uuid not null,
  id bigint generated always as identity,
  created_on date not null,
  issue_date date not null,
  issuer_id uuid not null,
  document_type text not null,
  resting_status text not null,
  change smallint not null,
  primary key (tenant_id, id)
);
call isolate_tenant_table('document_count_changes');
create policy worker_walks on document_count_changes to sello_worker using (true) with check (true);
grant select, insert on document_count_changes to sello_app;
grant select, update, delete on document_count_changes to sello_worker;

create function utc_day(p_at timestamptz) returns date
  language sql immutable strict parallel safe
  return (p_at at time zone 'UTC')::date;

create function count_document(d documents, p_change integer) returns void
  language sql as $$
  insert into document_count_changes (tenant_id, created_on, issue_date, issuer_id, document_type, resting_status, change)
  select d.tenant_id, utc_day(d.created_at), d.issue_date, d.issuer_id, d.document_type, d.resting_status, p_change
  where d.resting_status is not null
$$;

create function count_documents() returns trigger
  language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform count_document(old, -1); end if;
  if tg_op <> 'DELETE' then perform count_document(new, 1); end if;
  return null;
end $$;
create trigger count_new_document after insert on documents
  for each row when (new.resting_status is not null) execute function count_documents();
create trigger count_changed_document after update on documents
  for each row when (
    (old.resting_status, old.issue_date, old.issuer_id, old.document_type) is distinct from
    (new.resting_status, new.issue_date, new.issuer_id, new.document_type)) execute function count_documents();
create trigger count_deleted_document after delete on documents
  for each row when (old.resting_status is not null) execute function count_documents();

-- Folds up to p_limit changes into the counts and returns how many; several workers take different ones.
create function fold_document_counts(p_limit integer) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  folded integer;
begin
  -- Forgotten by a crash of the server, it is done again.
  perform set_config('synchronous_commit', 'off', true);
  with due as (
    select c.tenant_id, c.id from document_count_changes c order by c.tenant_id, c.id limit p_limit for update skip locked
  ), taken as (
    delete from document_count_changes c using due where c.tenant_id = due.tenant_id and c.id = due.id
    returning c.*
  ), sums as (
    select t.tenant_id, t.created_on, t.issuer_id, t.document_type, t.resting_status, t.issue_date, sum(t.change) as change, count(*) as changes
    from taken t group by 1, 2, 3, 4, 5, 6
  ), written as (
    -- In the order of the key, so that two workers cannot wait for each other.
    insert into document_counts as k (tenant_id, created_on, issuer_id, document_type, resting_status, issue_date, documents)
    select s.tenant_id, s.created_on, s.issuer_id, s.document_type, s.resting_status, s.issue_date, s.change
    from sums s where s.change <> 0 order by 1, 2, 3, 4, 5, 6
    on conflict (tenant_id, created_on, issuer_id, document_type, resting_status, issue_date)
    do update set documents = k.documents + excluded.documents
  )
  select coalesce(sum(s.changes), 0) into folded from sums s;
  return folded;
end $$;
alter function fold_document_counts(integer) owner to sello_worker;
revoke execute on function fold_document_counts(integer) from public;
grant execute on function fold_document_counts(integer) to sello_app;

-- Documents that were there before: not even the owner sees rows while row security is forced.
alter table documents no force row level security;
update documents set resting_status = null;
alter table documents force row level security;

create index documents_moving on documents (tenant_id, created_at desc, id desc) where resting_status is null;
-- Those that somebody looks for: drafts, refused ones and the like. Nearly all others are authorized.
create index documents_set_aside on documents (tenant_id, resting_status, created_at desc, id desc) where resting_status <> 'AUTHORIZED';
create index documents_of_buyer on documents (tenant_id, buyer_id, created_at desc, id desc) where buyer_id is not null;
do $$
begin
  execute format('create index documents_buyer_search on documents using gin (tenant_id, buyer_search %I.gin_trgm_ops)',
    (select e.extnamespace::regnamespace::text from pg_extension e where e.extname = 'pg_trgm'));
end $$;

-- Documents of the current tenant that somebody who types p_text may mean: a part of the buyer's name, the buyer's id, an
-- access key, or a number (p_series: its 15 digits). Narrowed like a list. Row security would keep `like` from its index,
-- because such an operator might tell of rows it must not see: hence a function that looks for one tenant only.
create function documents_meant(
  p_text text, p_series text, p_status text, p_type text, p_issuer uuid, p_buyer text, p_access_key text, p_from date, p_to date)
  returns table (id uuid, created_at timestamptz)
  language plpgsql stable security definer set search_path = sello, pg_temp as $$
declare
  pattern text := '%' || replace(replace(replace(search_form(p_text), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  narrow constant text := ' and d.tenant_id = current_tenant() and ($3::text is null or d.status = $3) and ($4::text is null or d.document_type = $4)
    and ($5::uuid is null or d.issuer_id = $5) and ($6::text is null or d.buyer_id = $6) and ($7::text is null or d.access_key = $7)
    and ($8::date is null or d.issue_date >= $8) and ($9::date is null or d.issue_date <= $9)';
  columns constant text := 'select d.id, d.created_at from documents d where ';
begin
  -- Planned for the words at hand: a pattern of one letter is no matter for the index.
  return query execute
    columns || 'd.buyer_search like $1' || narrow
    || ' union ' || columns || 'd.buyer_id = $2' || narrow
    || ' union ' || columns || 'd.access_key = $2' || narrow
    || case when p_series is null then '' else ' union ' || columns || 'exists (
      select from establishments e
      join emission_points p on p.tenant_id = e.tenant_id and p.establishment_id = e.id and p.code = substr($10, 4, 3)
      join sequence_counters s on s.tenant_id = p.tenant_id and s.emission_point_id = p.id
      where e.tenant_id = current_tenant() and e.code = left($10, 3)
        and d.emission_point_id = p.id and d.document_type = s.document_type and d.sri_environment = s.environment)
      and d.sequential = substr($10, 7)::integer' || narrow end
  using pattern, p_text, p_status, p_type, p_issuer, p_buyer, p_access_key, p_from, p_to, p_series;
end $$;
create policy resolver_searches on documents for select to sello_resolver using (true);
create policy resolver_searches on establishments for select to sello_resolver using (true);
create policy resolver_searches on emission_points for select to sello_resolver using (true);
create policy resolver_searches on sequence_counters for select to sello_resolver using (true);
grant select on documents, establishments, emission_points, sequence_counters to sello_resolver;
alter function documents_meant(text, text, text, text, uuid, text, text, date, date) owner to sello_resolver;
revoke execute on function documents_meant(text, text, text, text, uuid, text, text, date, date) from public;
grant execute on function documents_meant(text, text, text, text, uuid, text, text, date, date) to sello_app;

-- Issuers, establishments and emission points that never held a document may go.
grant delete on issuers, establishments, emission_points, certificates, sequence_counters, sequence_raises, idempotency_keys to sello_app;
grant delete on verified_rucs to sello_resolver;

-- Lets go of the RUC of an issuer that is deleted, so that somebody else may prove it.
create function release_ruc(p_tenant uuid, p_issuer uuid) returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is released inside its own tenant' using errcode = '42501';
  end if;
  delete from verified_rucs v where v.tenant_id = p_tenant and v.issuer_id = p_issuer;
end $$;
alter function release_ruc(uuid, uuid) owner to sello_resolver;
revoke execute on function release_ruc(uuid, uuid) from public;
grant execute on function release_ruc(uuid, uuid) to sello_app;

-- What was found when the certificate was taken in: [{check, outcome, message}].
alter table certificates add column checks jsonb not null default '[]';

-- Once per certificate and threshold: that its end draws near (30, 15, 7, 1 days left) or has come (0).
create table certificate_notices (
  tenant_id uuid not null,
  certificate_id uuid not null,
  threshold smallint not null check (threshold in (0, 1, 7, 15, 30)),
  event_id uuid not null,
  noticed_at timestamptz not null,
  primary key (tenant_id, certificate_id, threshold),
  foreign key (tenant_id, certificate_id) references certificates (tenant_id, id) on delete cascade
);
create unique index certificate_notices_event on certificate_notices (tenant_id, event_id);
call isolate_tenant_table('certificate_notices');
create policy worker_notices on certificate_notices to sello_worker using (true) with check (true);
grant select on certificate_notices to sello_app;
grant select, insert on certificate_notices to sello_worker;

create index certificates_in_use on certificates (valid_to) where is_active;
create policy worker_looks on certificates for select to sello_worker using (true);
create policy worker_looks on issuers for select to sello_worker using (true);
create policy worker_looks on tenants for select to sello_worker using (true);
create policy worker_notices on events for insert to sello_worker with check (true);
grant select (tenant_id, id, issuer_id, valid_to, is_active) on certificates to sello_worker;
grant select (tenant_id, id, is_active) on issuers to sello_worker;
grant select (id, is_active) on tenants to sello_worker;
grant insert on events to sello_worker;

-- Writes the events of signing certificates that come to their end, and returns how many. Of thresholds that passed
-- unnoticed only the last one counts. What does not sign (replaced, revoked, of an inactive issuer) needs no notice.
create function notice_certificates(p_now timestamptz) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  written integer;
begin
  with due as (
    select c.tenant_id, c.id as certificate_id, gen_random_uuid() as event_id,
      (select min(t.days) from unnest(array[0, 1, 7, 15, 30]) as t (days) where c.valid_to <= p_now + make_interval(hours => 24 * t.days)) as threshold
    from certificates c
    join issuers i on i.tenant_id = c.tenant_id and i.id = c.issuer_id and i.is_active
    join tenants t on t.id = c.tenant_id and t.is_active
    where c.is_active and c.valid_to <= p_now + interval '720 hours'
  ), noticed as (
    insert into certificate_notices (tenant_id, certificate_id, threshold, event_id, noticed_at)
    select d.tenant_id, d.certificate_id, d.threshold, d.event_id, p_now from due d order by 1, 2
    on conflict do nothing
    returning certificate_notices.tenant_id, certificate_notices.threshold, certificate_notices.event_id
  ), told as (
    insert into events (tenant_id, id, type, created_at)
    select n.tenant_id, n.event_id, case n.threshold when 0 then 'certificate.expired' else 'certificate.expiring' end, p_now
    from noticed n
  )
  select count(*) into written from noticed;
  return written;
end $$;
alter function notice_certificates(timestamptz) owner to sello_worker;
revoke execute on function notice_certificates(timestamptz) from public;
grant execute on function notice_certificates(timestamptz) to sello_app;
