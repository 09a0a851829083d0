-- The moves a document may make. Filled from the lifecycle table in the code after every migration run.
create table document_moves (
  from_status text not null,
  trigger text not null,
  to_status text not null,
  primary key (from_status, trigger)
);
create index document_moves_pair on document_moves (from_status, to_status);
grant select on document_moves to sello_app, sello_worker;

create table sequence_counters (
  tenant_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  last_value integer not null check (last_value between 0 and 999999999),
  primary key (tenant_id, emission_point_id, document_type, environment),
  foreign key (tenant_id, emission_point_id) references emission_points (tenant_id, id)
);
call isolate_tenant_table('sequence_counters');
grant select, insert, update on sequence_counters to sello_app;

-- What changes with the lifecycle and what is searched; the fiscal content lies in document_contents.
create table documents (
  tenant_id uuid not null,
  id uuid not null,
  issuer_id uuid not null,
  establishment_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  sri_environment text not null check (sri_environment in ('TEST', 'PRODUCTION')),
  sequential integer check (sequential between 1 and 999999999),
  access_key text check (access_key ~ '^\d{49}$'),
  status text not null,
  -- Grows by one with every move; readers and writers compare it.
  version integer not null default 1,
  idempotency_key text,
  issue_date date not null,
  subtotal numeric(16, 2) not null,
  total_discount numeric(16, 2) not null,
  total_tax numeric(16, 2) not null,
  total numeric(16, 2) not null,
  buyer_id_type text,
  buyer_id text,
  buyer_name text,
  buyer_email text,
  buyer_address text,
  modified_document_id uuid,
  modified_document_type text,
  modified_document_number text,
  modified_document_issue_date date,
  reason text,
  content_revision integer not null default 1,
  authorization_number text,
  authorization_date timestamptz,
  error_code text,
  error_detail jsonb,
  sri_messages jsonb not null default '[]',
  warnings jsonb not null default '[]',
  -- Which signing of the document is current; 0 before the first.
  signing_no integer not null default 0,
  -- A fact learned from reception that the next answer must settle, e.g. SEQUENTIAL_TAKEN.
  suspicion text,
  reception_attempts integer not null default 0,
  authorization_attempts integer not null default 0,
  first_sent_at timestamptz,
  received_at timestamptz,
  deadline_at timestamptz,
  -- A requested annulment that is being watched: request, deadline, what the SRI said.
  cancellation jsonb,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, issuer_id) references issuers (tenant_id, id),
  foreign key (tenant_id, issuer_id, establishment_id) references establishments (tenant_id, issuer_id, id),
  foreign key (tenant_id, establishment_id, emission_point_id) references emission_points (tenant_id, establishment_id, id),
  foreign key (tenant_id, modified_document_id) references documents (tenant_id, id),
  check ((sequential is null) = (access_key is null)),
  check (authorization_number is null or authorization_number = access_key)
) with (fillfactor = 70);
-- A number belongs to one document for ever.
create unique index documents_number on documents (tenant_id, emission_point_id, document_type, sri_environment, sequential);
create unique index documents_access_key on documents (tenant_id, access_key);
-- Credit notes of an original, for its balance.
create index documents_modified on documents (tenant_id, modified_document_id) where modified_document_id is not null;
create index documents_newest on documents (tenant_id, created_at desc, id desc);
call isolate_tenant_table('documents');
grant select, insert, update on documents to sello_app;

-- The fiscal content as accepted, with the issuer's snapshot. Rows are never changed; a correction adds a revision.
create table document_contents (
  tenant_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  content jsonb not null,
  issuer_snapshot jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, document_id, revision),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call isolate_tenant_table('document_contents');
grant select, insert on document_contents to sello_app;

-- Signed bytes, stored before the first byte goes out. Append-only.
create table signed_documents (
  tenant_id uuid not null,
  document_id uuid not null,
  signing_no integer not null,
  certificate_id uuid not null,
  access_key text not null,
  -- Gzip of exactly the bytes that are sent.
  signed_xml bytea not null,
  -- SHA-256 of the sent bytes without XML declaration, lower-case hex.
  digest text not null,
  signed_at timestamptz not null,
  primary key (tenant_id, document_id, signing_no),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, certificate_id) references certificates (tenant_id, id)
);
call isolate_tenant_table('signed_documents');
grant select, insert on signed_documents to sello_app;

-- Every exchange with the SRI. A reception row is committed before the call and finished after it.
create table sri_attempts (
  tenant_id uuid not null,
  id uuid not null,
  document_id uuid not null,
  service text not null check (service in ('reception', 'authorization', 'consultation')),
  signing_no integer not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  outcome text,
  messages jsonb,
  -- What came back where it was no usable answer, cut and redacted.
  excerpt text,
  primary key (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create index sri_attempts_of_document on sri_attempts (tenant_id, document_id, started_at);
call isolate_tenant_table('sri_attempts');
grant select, insert, update on sri_attempts to sello_app;

-- The authorization as received, wrapper included: what the receiver of the document is given.
create table document_authorizations (
  tenant_id uuid not null,
  document_id uuid not null,
  received_at timestamptz not null,
  state text not null,
  -- Gzip of the authorization wrapper.
  authorization_xml bytea not null,
  primary key (tenant_id, document_id, received_at),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call isolate_tenant_table('document_authorizations');
grant select, insert on document_authorizations to sello_app;

create table document_history (
  tenant_id uuid not null,
  document_id uuid not null,
  version integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  at timestamptz not null,
  detail jsonb,
  primary key (tenant_id, document_id, version),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call isolate_tenant_table('document_history');
grant select, insert on document_history to sello_app;

create table events (
  tenant_id uuid not null,
  id uuid not null,
  position bigint generated always as identity,
  type text not null,
  document_id uuid,
  document_version integer,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create unique index events_once_per_version on events (tenant_id, document_id, document_version, type);
create index events_in_order on events (tenant_id, position);
call isolate_tenant_table('events');
grant select, insert on events to sello_app;

-- One namespace per issuer, for ever: consumed with the document, in the same transaction.
create table idempotency_keys (
  tenant_id uuid not null,
  issuer_id uuid not null,
  key text not null,
  operation text not null,
  -- Version and SHA-256 of the normalised content.
  fingerprint text not null,
  document_id uuid not null,
  -- The first answer, given again on a replay.
  response jsonb,
  created_at timestamptz not null,
  primary key (tenant_id, issuer_id, key),
  foreign key (tenant_id, issuer_id) references issuers (tenant_id, id)
);
call isolate_tenant_table('idempotency_keys');
grant select, insert, update (response) on idempotency_keys to sello_app;

-- Refuses status changes that the lifecycle table does not define, and changes to what is fixed for ever.
create function guard_document() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status not in ('DRAFT', 'NUMBER_RESERVED') then
      raise exception 'a document cannot begin as %', new.status using errcode = 'SE100';
    end if;
    return new;
  end if;
  if new.tenant_id <> old.tenant_id or new.id <> old.id or (new.issuer_id <> old.issuer_id and old.status <> 'DRAFT')
     or (old.sequential is not null
         and (new.sequential, new.establishment_id, new.emission_point_id, new.document_type, new.sri_environment)
             is distinct from (old.sequential, old.establishment_id, old.emission_point_id, old.document_type, old.sri_environment)) then
    raise exception 'identity and number of a document never change' using errcode = 'SE101';
  end if;
  if new.status <> old.status then
    if new.version <> old.version + 1 then
      raise exception 'every move raises the version by one' using errcode = 'SE101';
    end if;
    if not exists (select from document_moves m where m.from_status = old.status and m.to_status = new.status) then
      raise exception 'no move from % to %', old.status, new.status using errcode = 'SE100';
    end if;
  end if;
  return new;
end $$;
create trigger guard_document before insert or update on documents
  for each row execute function guard_document();
