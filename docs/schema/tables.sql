-- Tables of the schema `sello` after the last migration, to read: `npm run docs` writes them, and nobody applies them.

-- Audit log: audit_log
-- Buyers: buyer_documents, buyers, taxpayers
-- Catalogue: products
-- Credentials: api_keys
-- Due work: outbox
-- Events: events, removed_events
-- Issuers: certificate_notices, certificates, emission_points, establishments, issuers, verified_rucs
-- Issuing: idempotency_keys
-- Lifecycle: document_authorizations, document_contents, document_history, document_moves, documents, signed_documents,
-- sri_attempts
-- Lists and counts: document_count_changes, document_counts, document_day_counts
-- Lives of the database: deployment
-- Mails: mail_outbox, mail_settings, mails, mails_to_strangers
-- Members: invited_addresses, members
-- Numbers: sequence_counters, sequence_notices, sequence_raises
-- Observing: replica_beat
-- Pauses: issuing_pauses
-- Retention: archived_numbers
-- Sign-in: one_time_tokens, refresh_tokens, sessions, user_identities, users
-- Tenants: tenants
-- Webhooks: webhook_attempts, webhook_deliveries, webhook_secrets, webhook_work, webhooks


-- ===== Audit log

-- The acts of people, keys and the platform, for their tenant to read: each line is written in the transaction of its
-- act. Lines are never changed, and only the operator's retention removes those older than a year.
create table audit_log (
  tenant_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  actor_kind text not null,
  actor_id uuid,
  action text not null,
  target_kind text,
  target_id uuid,
  detail jsonb default '{}'::jsonb not null,
  request_id text,
  address text,
  constraint audit_log_pkey PRIMARY KEY (tenant_id, id),
  constraint audit_log_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'api_key'::text, 'platform_admin'::text, 'system'::text]))),
  constraint audit_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert on audit_log to sello_app;
grant insert on audit_log to sello_resolver;
grant select, delete on audit_log to sello_worker;
CREATE INDEX audit_log_in_time ON sello.audit_log USING btree (tenant_id, at DESC, id DESC);
CREATE INDEX audit_log_of_action ON sello.audit_log USING btree (tenant_id, action, at DESC, id DESC);
alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy resolver_records on audit_log for insert to sello_resolver with check (true);
create policy tenant_isolation on audit_log for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on audit_log for all to sello_worker using (true) with check (true);
CREATE TRIGGER audit_log_is_append_only BEFORE DELETE OR UPDATE ON sello.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_stays BEFORE TRUNCATE ON sello.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();


-- ===== Buyers

-- One row for each authorized document and its buyer, so that a buyer's documents are counted without a counter. It
-- outlives the profile and refers to none.
create table buyer_documents (
  tenant_id uuid not null,
  buyer_id_type text not null,
  buyer_id text not null,
  document_id uuid not null,
  authorized_at timestamp with time zone not null,
  constraint buyer_documents_pkey PRIMARY KEY (tenant_id, buyer_id_type, buyer_id, document_id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert on buyer_documents to sello_app;
grant select, delete on buyer_documents to sello_worker;
alter table buyer_documents enable row level security;
alter table buyer_documents force row level security;
create policy tenant_isolation on buyer_documents for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on buyer_documents for all to sello_worker using (true) with check (true);

-- Profiles of whom a tenant deals with, kept by people and learned from authorized documents. kept_fields names what a
-- person has set, which documents leave alone.
create table buyers (
  tenant_id uuid not null,
  id uuid not null,
  buyer_id_type text not null,
  buyer_id text not null,
  legal_name text not null,
  trade_name text,
  address text,
  email text,
  notes text,
  is_active boolean default true not null,
  kept_fields text[] default '{}'::text[] not null,
  contributor_status text,
  contributor_type text,
  sri_last_verified_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  search_names text generated always as (lower(regexp_replace(NORMALIZE(((legal_name || chr(10)) || COALESCE(trade_name, ''::text)), NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text))) stored not null,
  constraint buyers_pkey PRIMARY KEY (tenant_id, id),
  constraint buyers_buyer_id_type_check CHECK ((buyer_id_type = ANY (ARRAY['04'::text, '05'::text, '06'::text, '08'::text]))),
  constraint buyers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, update, delete on buyers to sello_app;
CREATE INDEX buyers_by_number ON sello.buyers USING btree (tenant_id, buyer_id);
CREATE UNIQUE INDEX buyers_identification ON sello.buyers USING btree (tenant_id, buyer_id_type, buyer_id);
CREATE INDEX buyers_newest ON sello.buyers USING btree (tenant_id, created_at DESC, id DESC);
alter table buyers enable row level security;
alter table buyers force row level security;
create policy tenant_isolation on buyers for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));

-- The last answer of the SRI's public registry for each RUC, kept for all tenants; found is false where the registry
-- knows no such taxpayer.
create table taxpayers (
  ruc text not null,
  found boolean not null,
  legal_name text,
  trade_name text,
  contributor_status text,
  contributor_type text,
  address text,
  verified_at timestamp with time zone not null,
  constraint taxpayers_pkey PRIMARY KEY (ruc),
  constraint taxpayers_check CHECK ((found = (legal_name IS NOT NULL))),
  constraint taxpayers_ruc_check CHECK ((ruc ~ '^\d{13}$'::text))
);
grant select, insert, update on taxpayers to sello_resolver;
alter table taxpayers enable row level security;
alter table taxpayers force row level security;
create policy resolver_remembers on taxpayers for all to sello_resolver using (true) with check (true);


-- ===== Catalogue

-- Products and services that a tenant sells, with their taxes. search_text is what searches compare.
create table products (
  tenant_id uuid not null,
  id uuid not null,
  main_code text collate "C" not null,
  aux_code text,
  name text not null,
  unit_price numeric not null,
  default_discount numeric default 0 not null,
  tax_code text default '2'::text not null,
  iva_rate_code text not null,
  applies_tourism_iva boolean default false not null,
  applies_ice boolean default false not null,
  ice_code text,
  additional_fields jsonb default '{}'::jsonb not null,
  is_active boolean default true not null,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  search_text text not null,
  constraint products_pkey PRIMARY KEY (tenant_id, id),
  constraint products_additional_fields_check CHECK ((jsonb_typeof(additional_fields) = 'object'::text)),
  constraint products_check CHECK (((NOT applies_ice) OR (ice_code IS NOT NULL))),
  constraint products_check1 CHECK ((NOT (is_active AND (deleted_at IS NOT NULL)))),
  constraint products_default_discount_check CHECK ((default_discount >= (0)::numeric)),
  constraint products_unit_price_check CHECK ((unit_price >= (0)::numeric)),
  constraint products_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, update on products to sello_app;
CREATE UNIQUE INDEX products_main_code ON sello.products USING btree (tenant_id, main_code) WHERE (deleted_at IS NULL);
CREATE INDEX products_newest ON sello.products USING btree (tenant_id, created_at DESC, id DESC);
alter table products enable row level security;
alter table products force row level security;
create policy tenant_isolation on products for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));


-- ===== Credentials

-- The API keys of tenants: the hash of each, the beginning that lists show, its environment, when it was last used, and
-- the person who made it, or made the key by which it was made, with the name of that time. A revoked key stays as a
-- row.
create table api_keys (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  prefix text not null,
  key_hash bytea not null,
  environment text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by uuid,
  created_by_name text,
  constraint api_keys_pkey PRIMARY KEY (tenant_id, id),
  constraint api_keys_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'PRODUCTION'::text]))),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
grant select, insert, update on api_keys to sello_app;
grant select, insert on api_keys to sello_resolver;
grant update (revoked_at) on api_keys to sello_resolver;
CREATE UNIQUE INDEX api_keys_hash ON sello.api_keys USING btree (tenant_id, key_hash);
CREATE INDEX api_keys_lookup ON sello.api_keys USING btree (key_hash);
alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy resolver_looks_up on api_keys for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on api_keys for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));


-- ===== Due work

-- One row for each document that has a next step: which, and when it is due. It crosses tenants and holds only ids and
-- times. announced_at says when the bell was rung for the row, lease_token and lease_until which worker holds it, ahead
-- that an earlier number is still to be sent, and a row that is due at infinity is parked.
create table outbox (
  tenant_id uuid not null,
  document_id uuid not null,
  step text not null,
  due_at timestamp with time zone not null,
  announced_at timestamp with time zone,
  announcements integer default 0 not null,
  lease_token uuid,
  lease_until timestamp with time zone,
  lost_leases integer default 0 not null,
  issuer_id uuid not null,
  establishment_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  sequential integer not null,
  unsent boolean not null,
  ahead boolean default false not null,
  constraint outbox_pkey PRIMARY KEY (tenant_id, document_id),
  constraint outbox_step_check CHECK ((step = ANY (ARRAY['prepare'::text, 'submit'::text, 'authorize'::text, 'watch'::text])))
) with (fillfactor=50);
grant select, insert, update, delete on outbox to sello_app;
grant select, update on outbox to sello_worker;
CREATE INDEX outbox_by_age ON sello.outbox USING btree (due_at) WHERE (sequential < 1000000000);
CREATE INDEX outbox_in_turns ON sello.outbox USING btree (tenant_id, step, ahead, due_at) WHERE (sequential > 0);
CREATE INDEX outbox_parked ON sello.outbox USING btree (tenant_id, issuer_id, emission_point_id, document_type, sequential) WHERE ((due_at = 'infinity'::timestamp with time zone) AND (sequential > 0));
CREATE INDEX outbox_to_send ON sello.outbox USING btree (tenant_id, emission_point_id, document_type, sequential) WHERE (unsent AND (due_at < 'infinity'::timestamp with time zone) AND (sequential IS NOT NULL));
alter table outbox enable row level security;
alter table outbox force row level security;
create policy tenant_isolation on outbox for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_walks on outbox for all to sello_worker using (true) with check (true);


-- ===== Events

-- News of a tenant in the order of xid and position, with what each carries; the content of a document is kept by its
-- revision. Streams, webhooks and notices are fed from it.
create table events (
  tenant_id uuid not null,
  id uuid not null,
  "position" bigint generated always as identity not null,
  type text not null,
  document_id uuid,
  document_version integer,
  created_at timestamp with time zone not null,
  data jsonb,
  xid xid8 default pg_current_xact_id() not null,
  constraint events_pkey PRIMARY KEY (tenant_id, id),
  constraint events_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert on events to sello_app;
grant select, insert, delete on events to sello_worker;
grant select (tenant_id, id, xid) on events to sello_worker;
grant update (xid) on events to sello_worker;
CREATE INDEX events_in_commit_order ON sello.events USING btree (tenant_id, xid, "position");
CREATE INDEX events_in_time ON sello.events USING brin (created_at) WITH (autosummarize='on');
CREATE UNIQUE INDEX events_once_per_version ON sello.events USING btree (tenant_id, document_id, document_version, type);
alter table events enable row level security;
alter table events force row level security;
create policy tenant_isolation on events for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_notices on events for insert to sello_worker with check (true);
create policy worker_removes on events for all to sello_worker using (true) with check (true);
create policy worker_settles_restored on events for all to sello_worker using (true) with check (true);
CREATE TRIGGER complete_event BEFORE INSERT ON sello.events FOR EACH ROW WHEN ((new.data IS NULL)) EXECUTE FUNCTION complete_event();
CREATE TRIGGER fan_out_event AFTER INSERT ON sello.events FOR EACH ROW WHEN ((new.type <> 'ping'::text)) EXECUTE FUNCTION fan_out_event();
CREATE TRIGGER note_removed_events AFTER DELETE ON sello.events REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_removed_events();
CREATE TRIGGER queue_notice AFTER INSERT ON sello.events FOR EACH ROW WHEN ((new.type = ANY (ARRAY['certificate.expiring'::text, 'certificate.expired'::text, 'sequence.low'::text, 'issuer.paused'::text, 'webhook.disabled'::text, 'document.manual_review_required'::text]))) EXECUTE FUNCTION queue_notice();

-- The place of the newest event of each tenant that was removed, and how many statements have removed some. Without a
-- row none was removed since this is kept.
create table removed_events (
  tenant_id uuid not null,
  xid xid8 not null,
  "position" bigint not null,
  removals integer not null,
  constraint removed_events_pkey PRIMARY KEY (tenant_id)
);
grant select on removed_events to sello_app;
grant select, insert, update on removed_events to sello_worker;
alter table removed_events enable row level security;
alter table removed_events force row level security;
create policy tenant_isolation on removed_events for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on removed_events for all to sello_worker using (true) with check (true);


-- ===== Issuers

-- Which thresholds (30, 15, 7, 1 or 0 days left) a certificate has passed, each with the event that said so, so that it
-- is written once.
create table certificate_notices (
  tenant_id uuid not null,
  certificate_id uuid not null,
  threshold smallint not null,
  event_id uuid not null,
  noticed_at timestamp with time zone not null,
  constraint certificate_notices_pkey PRIMARY KEY (tenant_id, certificate_id, threshold),
  constraint certificate_notices_threshold_check CHECK ((threshold = ANY (ARRAY[0, 1, 7, 15, 30]))),
  constraint certificate_notices_tenant_id_certificate_id_fkey FOREIGN KEY (tenant_id, certificate_id) REFERENCES certificates(tenant_id, id) ON DELETE CASCADE
);
grant select on certificate_notices to sello_app;
grant select, insert on certificate_notices to sello_worker;
CREATE UNIQUE INDEX certificate_notices_event ON sello.certificate_notices USING btree (tenant_id, event_id);
alter table certificate_notices enable row level security;
alter table certificate_notices force row level security;
create policy tenant_isolation on certificate_notices for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_notices on certificate_notices for all to sello_worker using (true) with check (true);

-- The signing certificates of issuers: one of an issuer is active at most. The private key is sealed and bound to
-- tenant, issuer and certificate, and checks holds what was found when the certificate was taken in.
create table certificates (
  tenant_id uuid not null,
  id uuid not null,
  issuer_id uuid not null,
  subject text not null,
  issuer_name text not null,
  serial_number text not null,
  ruc text not null,
  valid_from timestamp with time zone not null,
  valid_to timestamp with time zone not null,
  fingerprint_sha256 text not null,
  certificate_der bytea not null,
  sealed_key bytea not null,
  is_active boolean default false not null,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone not null,
  checks jsonb default '[]'::jsonb not null,
  constraint certificates_pkey PRIMARY KEY (tenant_id, id),
  constraint certificates_tenant_id_issuer_id_fingerprint_sha256_key UNIQUE (tenant_id, issuer_id, fingerprint_sha256),
  constraint certificates_check CHECK ((NOT (is_active AND (revoked_at IS NOT NULL)))),
  constraint certificates_tenant_id_issuer_id_fkey FOREIGN KEY (tenant_id, issuer_id) REFERENCES issuers(tenant_id, id)
);
grant select, insert, update, delete on certificates to sello_app;
grant select on certificates to sello_resolver;
grant update (sealed_key, is_active) on certificates to sello_resolver;
grant select (tenant_id, id, issuer_id, subject, issuer_name, serial_number, ruc, valid_from, valid_to, fingerprint_sha256, is_active) on certificates to sello_worker;
CREATE INDEX certificates_in_use ON sello.certificates USING btree (valid_to) WHERE is_active;
CREATE UNIQUE INDEX certificates_one_active ON sello.certificates USING btree (tenant_id, issuer_id) WHERE is_active;
alter table certificates enable row level security;
alter table certificates force row level security;
create policy resolver_rotates on certificates for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on certificates for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_looks on certificates for select to sello_worker using (true);
CREATE TRIGGER resume_parked_documents AFTER INSERT OR UPDATE OF is_active ON sello.certificates FOR EACH ROW WHEN (new.is_active) EXECUTE FUNCTION resume_parked_documents();

-- The emission points of an establishment: a code of three digits, and the number with which their documents begin.
create table emission_points (
  tenant_id uuid not null,
  id uuid not null,
  establishment_id uuid not null,
  code text not null,
  initial_sequential integer default 1 not null,
  is_active boolean default true not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint emission_points_pkey PRIMARY KEY (tenant_id, id),
  constraint emission_points_tenant_id_establishment_id_code_key UNIQUE (tenant_id, establishment_id, code),
  constraint emission_points_code_check CHECK (((code ~ '^\d{3}$'::text) AND (code <> '000'::text))),
  constraint emission_points_initial_sequential_check CHECK (((initial_sequential >= 1) AND (initial_sequential <= 999999999))),
  constraint emission_points_tenant_id_establishment_id_fkey FOREIGN KEY (tenant_id, establishment_id) REFERENCES establishments(tenant_id, id)
);
grant select, insert, update, delete on emission_points to sello_app;
grant select on emission_points to sello_resolver;
grant select (tenant_id, id, establishment_id) on emission_points to sello_worker;
CREATE UNIQUE INDEX emission_points_of_establishment ON sello.emission_points USING btree (tenant_id, establishment_id, id);
alter table emission_points enable row level security;
alter table emission_points force row level security;
create policy resolver_searches on emission_points for select to sello_resolver using (true);
create policy tenant_isolation on emission_points for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_notices_sequences on emission_points for select to sello_worker using (true);

-- The establishments of an issuer: a code of three digits and an address.
create table establishments (
  tenant_id uuid not null,
  id uuid not null,
  issuer_id uuid not null,
  code text not null,
  name text,
  address text not null,
  is_active boolean default true not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint establishments_pkey PRIMARY KEY (tenant_id, id),
  constraint establishments_tenant_id_issuer_id_code_key UNIQUE (tenant_id, issuer_id, code),
  constraint establishments_code_check CHECK (((code ~ '^\d{3}$'::text) AND (code <> '000'::text))),
  constraint establishments_tenant_id_issuer_id_fkey FOREIGN KEY (tenant_id, issuer_id) REFERENCES issuers(tenant_id, id)
);
grant select, insert, update, delete on establishments to sello_app;
grant select on establishments to sello_resolver;
grant select (tenant_id, id, issuer_id) on establishments to sello_worker;
CREATE UNIQUE INDEX establishments_of_issuer ON sello.establishments USING btree (tenant_id, issuer_id, id);
alter table establishments enable row level security;
alter table establishments force row level security;
create policy resolver_searches on establishments for select to sello_resolver using (true);
create policy tenant_isolation on establishments for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_notices_sequences on establishments for select to sello_worker using (true);

-- Taxpayers in whose name a tenant issues documents, with what is printed on them and how they are registered with the
-- SRI. is_active is the tenant's own switch, disabled_at the platform's.
create table issuers (
  tenant_id uuid not null,
  id uuid not null,
  ruc text not null,
  razon_social text not null,
  nombre_comercial text,
  direccion_matriz text not null,
  obligado_contabilidad boolean not null,
  contribuyente_especial text,
  agente_retencion text,
  gran_contribuyente text,
  regimen_rimpe text default 'none'::text not null,
  default_payment_method text default '01'::text not null,
  logo bytea,
  is_active boolean default true not null,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  email_buyers boolean default true not null,
  constraint issuers_pkey PRIMARY KEY (tenant_id, id),
  constraint issuers_tenant_id_ruc_key UNIQUE (tenant_id, ruc),
  constraint issuers_logo_check CHECK ((length(logo) <= 204800)),
  constraint issuers_regimen_rimpe_check CHECK ((regimen_rimpe = ANY (ARRAY['none'::text, 'entrepreneur'::text, 'popular_business'::text]))),
  constraint issuers_ruc_check CHECK ((ruc ~ '^\d{13}$'::text)),
  constraint issuers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
grant select, insert, update, delete on issuers to sello_app;
grant select (tenant_id, id, disabled_at) on issuers to sello_resolver;
grant select (tenant_id, id, is_active) on issuers to sello_worker;
alter table issuers enable row level security;
alter table issuers force row level security;
create policy resolver_looks on issuers for select to sello_resolver using (true);
create policy tenant_isolation on issuers for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_looks on issuers for select to sello_worker using (true);

-- Which issuer signs for a RUC in an environment, over all tenants: the primary key allows one, so that access keys are
-- unique. is_open says that nobody holds the claim, and barred_tenants from whom an operator took it.
create table verified_rucs (
  ruc text not null,
  environment text not null,
  tenant_id uuid not null,
  issuer_id uuid not null,
  verified_at timestamp with time zone not null,
  is_open boolean default false not null,
  barred_tenants uuid[] default '{}'::uuid[] not null,
  reserved_for uuid,
  constraint verified_rucs_pkey PRIMARY KEY (ruc, environment),
  constraint verified_rucs_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'PRODUCTION'::text])))
);
grant select, insert, update, delete on verified_rucs to sello_resolver;
alter table verified_rucs enable row level security;
alter table verified_rucs force row level security;
create policy resolver_claims on verified_rucs for all to sello_resolver using (true) with check (true);


-- ===== Issuing

-- The idempotency keys of an issuer, for ever: the operation and fingerprint of the request, and its first answer,
-- which a repetition gets again. Each is written in the transaction of its document.
create table idempotency_keys (
  tenant_id uuid not null,
  issuer_id uuid not null,
  key text not null,
  operation text not null,
  fingerprint text not null,
  document_id uuid not null,
  response jsonb,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (tenant_id, issuer_id, key),
  constraint idempotency_keys_tenant_id_issuer_id_fkey FOREIGN KEY (tenant_id, issuer_id) REFERENCES issuers(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, delete on idempotency_keys to sello_app;
grant update (response) on idempotency_keys to sello_app;
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy tenant_isolation on idempotency_keys for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));


-- ===== Lifecycle

-- The answers of the SRI that authorized a document, as they were received and gzip: what the receiver of the document
-- gets.
create table document_authorizations (
  tenant_id uuid not null,
  document_id uuid not null,
  received_at timestamp with time zone not null,
  state text not null,
  authorization_xml bytea not null,
  constraint document_authorizations_pkey PRIMARY KEY (tenant_id, document_id, received_at),
  constraint document_authorizations_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert on document_authorizations to sello_app;
grant select, delete on document_authorizations to sello_worker;
alter table document_authorizations enable row level security;
alter table document_authorizations force row level security;
create policy tenant_isolation on document_authorizations for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on document_authorizations for all to sello_worker using (true) with check (true);

-- The fiscal content of documents as it was accepted, with the issuer as it was then. Rows are never changed: a
-- correction adds a revision. Of a draft the first revision and the present one are kept.
create table document_contents (
  tenant_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  content jsonb not null,
  issuer_snapshot jsonb not null,
  created_at timestamp with time zone not null,
  constraint document_contents_pkey PRIMARY KEY (tenant_id, document_id, revision),
  constraint document_contents_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, delete on document_contents to sello_app;
grant select, delete on document_contents to sello_worker;
alter table document_contents enable row level security;
alter table document_contents force row level security;
create policy tenant_isolation on document_contents for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on document_contents for all to sello_worker using (true) with check (true);
CREATE TRIGGER guard_draft_part_deletion BEFORE DELETE ON sello.document_contents FOR EACH ROW EXECUTE FUNCTION guard_draft_part_deletion();

-- The moves that each document made, one row for each version, with what brought it about.
create table document_history (
  tenant_id uuid not null,
  document_id uuid not null,
  version integer not null,
  from_status text,
  trigger text not null,
  to_status text not null,
  at timestamp with time zone not null,
  detail jsonb,
  constraint document_history_pkey PRIMARY KEY (tenant_id, document_id, version),
  constraint document_history_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, delete on document_history to sello_app;
grant select, delete on document_history to sello_worker;
alter table document_history enable row level security;
alter table document_history force row level security;
create policy tenant_isolation on document_history for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on document_history for all to sello_worker using (true) with check (true);
CREATE TRIGGER guard_draft_part_deletion BEFORE DELETE ON sello.document_history FOR EACH ROW EXECUTE FUNCTION guard_draft_part_deletion();

-- The moves that a document may make. `npm run migrate` fills it from the lifecycle table of the code, and
-- guard_document reads it.
create table document_moves (
  from_status text not null,
  trigger text not null,
  to_status text not null,
  constraint document_moves_pkey PRIMARY KEY (from_status, trigger)
);
grant select on document_moves to sello_app;
grant select on document_moves to sello_worker;
CREATE INDEX document_moves_pair ON sello.document_moves USING btree (from_status, to_status);

-- Electronic documents: their state, number, access key, and the columns that are searched and summed; the fiscal
-- content lies in document_contents. version grows with every move, and readers and writers compare it. Only
-- advance_document and the functions of drafts, issuing and credit notes change the status, and guard_document checks
-- each move.
create table documents (
  tenant_id uuid not null,
  id uuid not null,
  issuer_id uuid not null,
  establishment_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  sri_environment text not null,
  sequential integer,
  access_key text,
  status text not null,
  version integer default 1 not null,
  idempotency_key text,
  issue_date date not null,
  subtotal numeric(16,2) not null,
  total_discount numeric(16,2) not null,
  total_tax numeric(16,2) not null,
  total numeric(16,2) not null,
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
  content_revision integer default 1 not null,
  authorization_number text,
  authorization_date timestamp with time zone,
  error_code text,
  error_detail jsonb,
  sri_messages jsonb default '[]'::jsonb not null,
  warnings jsonb default '[]'::jsonb not null,
  signing_no integer default 0 not null,
  suspicion text,
  reception_attempts integer default 0 not null,
  authorization_attempts integer default 0 not null,
  first_sent_at timestamp with time zone,
  received_at timestamp with time zone,
  deadline_at timestamp with time zone,
  cancellation jsonb,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  resting_status text,
  buyer_search text,
  constraint documents_pkey PRIMARY KEY (tenant_id, id),
  constraint documents_access_key_check CHECK ((access_key ~ '^\d{49}$'::text)),
  constraint documents_check CHECK (((sequential IS NULL) = (access_key IS NULL))),
  constraint documents_check1 CHECK (((authorization_number IS NULL) OR (authorization_number = access_key))),
  constraint documents_sequential_check CHECK (((sequential >= 1) AND (sequential <= 999999999))),
  constraint documents_sri_environment_check CHECK ((sri_environment = ANY (ARRAY['TEST'::text, 'PRODUCTION'::text]))),
  constraint documents_tenant_id_establishment_id_emission_point_id_fkey FOREIGN KEY (tenant_id, establishment_id, emission_point_id) REFERENCES emission_points(tenant_id, establishment_id, id),
  constraint documents_tenant_id_issuer_id_establishment_id_fkey FOREIGN KEY (tenant_id, issuer_id, establishment_id) REFERENCES establishments(tenant_id, issuer_id, id),
  constraint documents_tenant_id_issuer_id_fkey FOREIGN KEY (tenant_id, issuer_id) REFERENCES issuers(tenant_id, id),
  constraint documents_tenant_id_modified_document_id_fkey FOREIGN KEY (tenant_id, modified_document_id) REFERENCES documents(tenant_id, id)
) with (fillfactor=70, autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, update, delete on documents to sello_app;
grant select on documents to sello_resolver;
grant select, delete on documents to sello_worker;
grant update (updated_at) on documents to sello_worker;
CREATE UNIQUE INDEX documents_access_key ON sello.documents USING btree (tenant_id, access_key);
CREATE INDEX documents_buyer_search ON sello.documents USING gin (tenant_id, buyer_search gin_trgm_ops);
CREATE INDEX documents_modified ON sello.documents USING btree (tenant_id, modified_document_id) WHERE (modified_document_id IS NOT NULL);
CREATE INDEX documents_moving ON sello.documents USING btree (tenant_id, created_at DESC, id DESC) WHERE (resting_status IS NULL);
CREATE INDEX documents_newest ON sello.documents USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX documents_number ON sello.documents USING btree (tenant_id, emission_point_id, document_type, sri_environment, sequential);
CREATE INDEX documents_of_buyer ON sello.documents USING btree (tenant_id, buyer_id, created_at DESC, id DESC) WHERE (buyer_id IS NOT NULL);
CREATE INDEX documents_set_aside ON sello.documents USING btree (tenant_id, resting_status, created_at DESC, id DESC) WHERE (resting_status <> 'AUTHORIZED'::text);
alter table documents enable row level security;
alter table documents force row level security;
create policy resolver_searches on documents for select to sello_resolver using (true);
create policy tenant_isolation on documents for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on documents for all to sello_worker using (true) with check (true);
CREATE TRIGGER count_changed_document AFTER UPDATE ON sello.documents FOR EACH ROW WHEN (((((old.resting_status IS DISTINCT FROM new.resting_status) OR (old.issue_date IS DISTINCT FROM new.issue_date)) OR (old.issuer_id IS DISTINCT FROM new.issuer_id)) OR (old.document_type IS DISTINCT FROM new.document_type))) EXECUTE FUNCTION count_documents();
CREATE TRIGGER count_deleted_document AFTER DELETE ON sello.documents FOR EACH ROW WHEN ((old.resting_status IS NOT NULL)) EXECUTE FUNCTION count_documents();
CREATE TRIGGER count_new_document AFTER INSERT ON sello.documents FOR EACH ROW WHEN ((new.resting_status IS NOT NULL)) EXECUTE FUNCTION count_documents();
CREATE TRIGGER guard_document BEFORE INSERT OR UPDATE ON sello.documents FOR EACH ROW EXECUTE FUNCTION guard_document();
CREATE TRIGGER guard_draft_deletion BEFORE DELETE ON sello.documents FOR EACH ROW EXECUTE FUNCTION guard_draft_deletion();
CREATE TRIGGER learn_buyer AFTER UPDATE OF status ON sello.documents FOR EACH ROW WHEN (((new.status = 'AUTHORIZED'::text) AND (old.status <> 'AUTHORIZED'::text) AND (new.buyer_id_type <> '07'::text) AND (new.buyer_id IS NOT NULL) AND (new.buyer_name IS NOT NULL))) EXECUTE FUNCTION learn_buyer();
CREATE TRIGGER list_document BEFORE INSERT OR UPDATE ON sello.documents FOR EACH ROW EXECUTE FUNCTION list_document();
CREATE TRIGGER queue_buyer_mail AFTER UPDATE OF status ON sello.documents FOR EACH ROW WHEN (((new.status = 'AUTHORIZED'::text) AND (old.status <> ALL (ARRAY['AUTHORIZED'::text, 'CANCELLATION_REQUESTED'::text, 'VOIDED_BY_NC'::text])) AND (new.buyer_email IS NOT NULL))) EXECUTE FUNCTION queue_buyer_mail();
CREATE TRIGGER refuse_credited_cancellation BEFORE UPDATE OF status ON sello.documents FOR EACH ROW WHEN (((new.status = 'CANCELLATION_REQUESTED'::text) AND (old.status = 'AUTHORIZED'::text))) EXECUTE FUNCTION refuse_credited_cancellation();
CREATE TRIGGER reserve_credit_again AFTER UPDATE OF status ON sello.documents FOR EACH ROW WHEN (((((old.status = ANY (ARRAY['REJECTED'::text, 'MANUAL_REVIEW_REQUIRED'::text, 'FAILED_PERMANENT'::text])) AND (new.status = 'RECEPTION_RETRY_SCHEDULED'::text)) OR ((old.status = 'FAILED_PERMANENT'::text) AND (new.status = 'AUTHORIZATION_RETRY_SCHEDULED'::text))) AND (new.document_type = '04'::text) AND (new.modified_document_id IS NOT NULL))) EXECUTE FUNCTION reserve_credit_again();
CREATE TRIGGER settle_credited_original AFTER UPDATE OF status ON sello.documents FOR EACH ROW WHEN (((new.status = ANY (ARRAY['AUTHORIZED'::text, 'CANCELLED'::text])) AND (old.status <> new.status) AND (new.document_type = '04'::text) AND (new.modified_document_id IS NOT NULL))) EXECUTE FUNCTION settle_credited_original();
CREATE CONSTRAINT TRIGGER settle_kept_original AFTER UPDATE OF status ON sello.documents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'AUTHORIZED'::text) AND (old.status = 'CANCELLATION_REQUESTED'::text) AND (new.document_type = '01'::text))) EXECUTE FUNCTION settle_kept_original();

-- The signed XML of documents, one row for each signing, gzip of exactly the bytes that are sent. It is stored before
-- the first byte goes out and never changed.
create table signed_documents (
  tenant_id uuid not null,
  document_id uuid not null,
  signing_no integer not null,
  certificate_id uuid not null,
  access_key text not null,
  signed_xml bytea not null,
  digest text not null,
  signed_at timestamp with time zone not null,
  content_revision integer,
  constraint signed_documents_pkey PRIMARY KEY (tenant_id, document_id, signing_no),
  constraint signed_documents_tenant_id_certificate_id_fkey FOREIGN KEY (tenant_id, certificate_id) REFERENCES certificates(tenant_id, id),
  constraint signed_documents_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert on signed_documents to sello_app;
grant select, delete on signed_documents to sello_worker;
CREATE INDEX signed_documents_of_certificate ON sello.signed_documents USING btree (tenant_id, certificate_id);
alter table signed_documents enable row level security;
alter table signed_documents force row level security;
create policy tenant_isolation on signed_documents for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on signed_documents for all to sello_worker using (true) with check (true);

-- Exchanges with the SRI. One with reception is committed before the call and finished after it, so that a crash leaves
-- a trace; one that only asks is written with its answer.
create table sri_attempts (
  tenant_id uuid not null,
  id uuid not null,
  document_id uuid not null,
  service text not null,
  signing_no integer not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  outcome text,
  messages jsonb,
  excerpt text,
  constraint sri_attempts_pkey PRIMARY KEY (tenant_id, id),
  constraint sri_attempts_service_check CHECK ((service = ANY (ARRAY['reception'::text, 'authorization'::text, 'consultation'::text]))),
  constraint sri_attempts_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, update on sri_attempts to sello_app;
grant select, delete on sri_attempts to sello_worker;
CREATE INDEX sri_attempts_of_document ON sello.sri_attempts USING btree (tenant_id, document_id, started_at);
alter table sri_attempts enable row level security;
alter table sri_attempts force row level security;
create policy tenant_isolation on sri_attempts for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on sri_attempts for all to sello_worker using (true) with check (true);


-- ===== Lists and counts

-- Changes of the counts that the transactions of documents leave until the worker folds them into document_counts.
create table document_count_changes (
  tenant_id uuid not null,
  id bigint generated always as identity not null,
  created_on date not null,
  issue_date date not null,
  issuer_id uuid not null,
  document_type text not null,
  resting_status text not null,
  change smallint not null,
  constraint document_count_changes_pkey PRIMARY KEY (tenant_id, id)
);
grant select, insert on document_count_changes to sello_app;
grant select, insert, update, delete on document_count_changes to sello_worker;
alter table document_count_changes enable row level security;
alter table document_count_changes force row level security;
create policy tenant_isolation on document_count_changes for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_walks on document_count_changes for all to sello_worker using (true) with check (true);

-- How many documents rest, by all that a list counts by. Together with document_count_changes, which the reader adds,
-- the sums are exact.
create table document_counts (
  tenant_id uuid not null,
  created_on date not null,
  issue_date date not null,
  issuer_id uuid not null,
  document_type text not null,
  resting_status text not null,
  documents bigint not null,
  constraint document_counts_pkey PRIMARY KEY (tenant_id, created_on, issuer_id, document_type, resting_status, issue_date)
);
grant select on document_counts to sello_app;
grant select, insert, update on document_counts to sello_worker;
alter table document_counts enable row level security;
alter table document_counts force row level security;
create policy tenant_isolation on document_counts for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_walks on document_counts for all to sello_worker using (true) with check (true);
CREATE TRIGGER count_day AFTER INSERT OR UPDATE ON sello.document_counts FOR EACH ROW EXECUTE FUNCTION count_day();

-- How many documents rest for each day of creation, whatever they are: the first look at a list is counted and paged by
-- it. The trigger count_day keeps it.
create table document_day_counts (
  tenant_id uuid not null,
  created_on date not null,
  documents bigint not null,
  constraint document_day_counts_pkey PRIMARY KEY (tenant_id, created_on)
) with (fillfactor=50);
grant select on document_day_counts to sello_app;
grant select, insert, update on document_day_counts to sello_worker;
alter table document_day_counts enable row level security;
alter table document_day_counts force row level security;
create policy tenant_isolation on document_day_counts for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_walks on document_day_counts for all to sello_worker using (true) with check (true);


-- ===== Lives of the database

-- The one row that says which database this is: the environment of the SRI to which it is bound, its id, the name of
-- its present life (empty in the first) and its count of beats. A process of the other environment does not start on
-- it, and one that finds it at an earlier point ends.
create table deployment (
  is_only_row boolean default true not null,
  environment text not null,
  lineage text default ''::text not null,
  id uuid default gen_random_uuid() not null,
  beats bigint default 0 not null,
  beaten_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint deployment_pkey PRIMARY KEY (is_only_row),
  constraint deployment_environment_check CHECK ((environment = ANY (ARRAY['TEST'::text, 'PRODUCTION'::text]))),
  constraint deployment_is_only_row_check CHECK (is_only_row),
  constraint deployment_lineage_check CHECK ((lineage ~ '^([0-9a-f]{8})?$'::text))
);
grant select, insert on deployment to sello_resolver;
grant update (lineage, beats, beaten_at) on deployment to sello_resolver;
alter table deployment enable row level security;
alter table deployment force row level security;
create policy resolver_binds on deployment for all to sello_resolver using (true) with check (true);


-- ===== Mails

-- Due mails, and events about which administrators are to be mailed. It crosses tenants and holds only ids and times.
-- Whoever claims a row puts its due time after the end of the lease.
create table mail_outbox (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null,
  due_at timestamp with time zone not null,
  lease_token uuid,
  constraint mail_outbox_pkey PRIMARY KEY (tenant_id, id),
  constraint mail_outbox_kind_check CHECK ((kind = ANY (ARRAY['mail'::text, 'notice'::text])))
) with (fillfactor=50);
grant select, insert, update, delete on mail_outbox to sello_app;
grant select, insert, update, delete on mail_outbox to sello_worker;
CREATE INDEX mail_outbox_by_turn ON sello.mail_outbox USING btree (tenant_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX mail_outbox_due ON sello.mail_outbox USING btree (due_at);
alter table mail_outbox enable row level security;
alter table mail_outbox force row level security;
create policy tenant_isolation on mail_outbox for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_walks on mail_outbox for all to sello_worker using (true) with check (true);

-- How the mails of a tenant look; without a row they have the service's own texts.
create table mail_settings (
  tenant_id uuid not null,
  language text default 'es'::text not null,
  sender_name text,
  reply_to text,
  subject text,
  message text,
  updated_at timestamp with time zone not null,
  constraint mail_settings_pkey PRIMARY KEY (tenant_id),
  constraint mail_settings_language_check CHECK ((language = ANY (ARRAY['es'::text, 'en'::text]))),
  constraint mail_settings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
grant select, insert, update on mail_settings to sello_app;
grant delete on mail_settings to sello_resolver;
grant select (tenant_id) on mail_settings to sello_resolver;
alter table mail_settings enable row level security;
alter table mail_settings force row level security;
create policy resolver_takes_back on mail_settings for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on mail_settings for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));

-- One row for each mail to one person, and how it stands: a document to its buyer or to whomever somebody chose, or
-- news to an administrator.
create table mails (
  tenant_id uuid not null,
  id uuid not null,
  cause text not null,
  document_id uuid,
  event_id uuid,
  notice text,
  recipient text not null,
  language text not null,
  status text default 'queued'::text not null,
  attempts integer default 0 not null,
  failure text,
  message_id text,
  requested_by uuid,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  event_ids uuid[],
  constraint mails_pkey PRIMARY KEY (tenant_id, id),
  constraint mails_cause_check CHECK ((cause = ANY (ARRAY['authorized'::text, 'requested'::text, 'notice'::text]))),
  constraint mails_check CHECK ((num_nonnulls(document_id, event_id) = 1)),
  constraint mails_check1 CHECK (((cause = 'notice'::text) = ((event_id IS NOT NULL) AND (notice IS NOT NULL)))),
  constraint mails_language_check CHECK ((language = ANY (ARRAY['es'::text, 'en'::text]))),
  constraint mails_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'bounced'::text]))),
  constraint mails_tell_events CHECK (((cause = 'notice'::text) = (event_ids IS NOT NULL))),
  constraint mails_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint mails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, update on mails to sello_app;
grant select, delete on mails to sello_worker;
grant update (status, failure, updated_at) on mails to sello_worker;
CREATE INDEX mails_bounced ON sello.mails USING btree (id);
CREATE INDEX mails_of_document ON sello.mails USING btree (tenant_id, document_id, created_at DESC, id) WHERE (document_id IS NOT NULL);
CREATE INDEX mails_of_notice ON sello.mails USING btree (tenant_id, notice, created_at) WHERE (notice IS NOT NULL);
CREATE UNIQUE INDEX mails_once_authorized ON sello.mails USING btree (tenant_id, document_id) WHERE (cause = 'authorized'::text);
CREATE UNIQUE INDEX mails_once_per_admin ON sello.mails USING btree (tenant_id, event_id, recipient) WHERE (cause = 'notice'::text);
alter table mails enable row level security;
alter table mails force row level security;
create policy tenant_isolation on mails for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_bounces on mails for all to sello_worker using (true) with check (true);
create policy worker_removes on mails for all to sello_worker using (true) with check (true);

-- When a tenant lately asked that a document be mailed to an address that is not its buyer's, by the database's clock.
-- note_mail_to_stranger writes it, and clears away what is older than a day.
create table mails_to_strangers (
  tenant_id uuid not null,
  mailed_at timestamp with time zone not null,
  mail_id uuid not null,
  address_hash bytea not null,
  constraint mails_to_strangers_pkey PRIMARY KEY (tenant_id, mailed_at, mail_id),
  constraint mails_to_strangers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
grant select, insert, update, delete on mails_to_strangers to sello_app;
CREATE INDEX mails_to_strangers_of_address ON sello.mails_to_strangers USING btree (tenant_id, address_hash, mailed_at);
alter table mails_to_strangers enable row level security;
alter table mails_to_strangers force row level security;
create policy tenant_isolation on mails_to_strangers for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));


-- ===== Members

-- When invitations were mailed to an address lately, by whichever tenant: all of them, and those of inviters who have
-- not confirmed an address of their own. Only the functions of sello_resolver reach it, and they clear away what is
-- older than a day.
create table invited_addresses (
  email_hash bytea not null,
  mails timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  unconfirmed_mails timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  last_at timestamp with time zone not null,
  constraint invited_addresses_pkey PRIMARY KEY (email_hash)
);
grant select, insert, update, delete on invited_addresses to sello_resolver;
CREATE INDEX invited_addresses_in_time ON sello.invited_addresses USING btree (last_at);
alter table invited_addresses enable row level security;
alter table invited_addresses force row level security;
create policy resolver_knows_people on invited_addresses for all to sello_resolver using (true) with check (true);

-- The places that people hold in tenants, with their roles. An invitation is a member without a user until it is
-- accepted, and invited_by is null for whoever founded the tenant.
create table members (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid,
  email text not null,
  role text not null,
  status text not null,
  invited_at timestamp with time zone not null,
  invited_by uuid,
  invitation_hash bytea,
  invitation_expires_at timestamp with time zone,
  joined_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint members_pkey PRIMARY KEY (tenant_id, id),
  constraint members_check CHECK (((status <> 'active'::text) OR (user_id IS NOT NULL))),
  constraint members_email_check CHECK (((email = lower(email)) AND (length(email) <= 255))),
  constraint members_role_check CHECK ((role = ANY (ARRAY['tenant_owner'::text, 'tenant_admin'::text, 'billing_operator'::text, 'accountant'::text, 'viewer'::text]))),
  constraint members_status_check CHECK ((status = ANY (ARRAY['invited'::text, 'active'::text, 'suspended'::text]))),
  constraint members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
grant select, insert, update, delete on members to sello_app;
grant select, insert, update, delete on members to sello_resolver;
CREATE UNIQUE INDEX members_email ON sello.members USING btree (tenant_id, email);
CREATE INDEX members_invitation ON sello.members USING btree (invitation_hash);
CREATE INDEX members_invited ON sello.members USING btree (email) WHERE (status = 'invited'::text);
CREATE INDEX members_of_user ON sello.members USING btree (user_id);
CREATE UNIQUE INDEX members_user ON sello.members USING btree (tenant_id, user_id);
alter table members enable row level security;
alter table members force row level security;
create policy resolver_looks_up on members for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on members for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));


-- ===== Numbers

-- The last number that an emission point gave out for a type of document in an environment. The row stays locked from
-- taking a number to the commit.
create table sequence_counters (
  tenant_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  last_value integer not null,
  constraint sequence_counters_pkey PRIMARY KEY (tenant_id, emission_point_id, document_type, environment),
  constraint sequence_counters_last_value_check CHECK (((last_value >= 0) AND (last_value <= 999999999))),
  constraint sequence_counters_tenant_id_emission_point_id_fkey FOREIGN KEY (tenant_id, emission_point_id) REFERENCES emission_points(tenant_id, id)
);
grant select, insert, update, delete on sequence_counters to sello_app;
grant select, insert, update on sequence_counters to sello_resolver;
grant select on sequence_counters to sello_worker;
alter table sequence_counters enable row level security;
alter table sequence_counters force row level security;
create policy resolver_raises on sequence_counters for all to sello_resolver using (true) with check (true);
create policy resolver_searches on sequence_counters for select to sello_resolver using (true);
create policy tenant_isolation on sequence_counters for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_notices_sequences on sequence_counters for select to sello_worker using (true);

-- Which thresholds of remaining numbers a counter has passed, so that each is announced by one event.
create table sequence_notices (
  tenant_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  threshold integer not null,
  noticed_at timestamp with time zone not null,
  constraint sequence_notices_pkey PRIMARY KEY (tenant_id, emission_point_id, document_type, environment, threshold),
  constraint sequence_notices_tenant_id_emission_point_id_fkey FOREIGN KEY (tenant_id, emission_point_id) REFERENCES emission_points(tenant_id, id) ON DELETE CASCADE
);
grant select on sequence_notices to sello_app;
grant select, insert on sequence_notices to sello_worker;
alter table sequence_notices enable row level security;
alter table sequence_notices force row level security;
create policy tenant_isolation on sequence_notices for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_notices_sequences on sequence_notices for all to sello_worker using (true) with check (true);

-- Numbers that were left out on purpose, from and to included, and why: somebody raised the counter, or (by_restore) a
-- restore did.
create table sequence_raises (
  tenant_id uuid not null,
  id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  from_number integer not null,
  to_number integer not null,
  reason text not null,
  created_at timestamp with time zone not null,
  by_restore boolean default false not null,
  constraint sequence_raises_pkey PRIMARY KEY (tenant_id, id),
  constraint sequence_raises_check CHECK ((from_number <= to_number)),
  constraint sequence_raises_tenant_id_emission_point_id_fkey FOREIGN KEY (tenant_id, emission_point_id) REFERENCES emission_points(tenant_id, id)
);
grant select, insert, delete on sequence_raises to sello_app;
grant select, insert on sequence_raises to sello_resolver;
CREATE INDEX sequence_raises_of_point ON sello.sequence_raises USING btree (tenant_id, emission_point_id, document_type, environment, from_number);
alter table sequence_raises enable row level security;
alter table sequence_raises force row level security;
create policy resolver_raises on sequence_raises for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on sequence_raises for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));


-- ===== Observing

-- The one row that says when the primary last gave a sign of life. A replica's copy of it shows how far the replica
-- lags.
create table replica_beat (
  is_only_row boolean default true not null,
  at timestamp with time zone not null,
  constraint replica_beat_pkey PRIMARY KEY (is_only_row),
  constraint replica_beat_is_only_row_check CHECK (is_only_row)
);
grant select, insert, update on replica_beat to sello_worker;
alter table replica_beat enable row level security;
alter table replica_beat force row level security;
create policy worker_beats on replica_beat for all to sello_worker using (true) with check (true);


-- ===== Pauses

-- The scopes whose submissions wait because the SRI blocked a taxpayer, an establishment, a type of document or the
-- numbers of an emission point: each column that is set narrows the scope. A pause is open while resumed_at is null.
create table issuing_pauses (
  tenant_id uuid not null,
  id uuid not null,
  scope text not null,
  issuer_id uuid not null,
  establishment_id uuid,
  emission_point_id uuid,
  document_type text,
  code text not null,
  document_id uuid not null,
  created_at timestamp with time zone not null,
  resumed_at timestamp with time zone,
  constraint issuing_pauses_pkey PRIMARY KEY (tenant_id, id),
  constraint issuing_pauses_scope_check CHECK ((scope = ANY (ARRAY['issuer'::text, 'establishment'::text, 'document_type'::text, 'emission_point'::text]))),
  constraint issuing_pauses_tenant_id_issuer_id_fkey FOREIGN KEY (tenant_id, issuer_id) REFERENCES issuers(tenant_id, id)
);
grant select, insert on issuing_pauses to sello_app;
grant select on issuing_pauses to sello_worker;
grant update (resumed_at) on issuing_pauses to sello_app;
grant update (resumed_at) on issuing_pauses to sello_worker;
CREATE UNIQUE INDEX issuing_pauses_open ON sello.issuing_pauses USING btree (tenant_id, issuer_id, scope, establishment_id, emission_point_id, document_type) NULLS NOT DISTINCT WHERE (resumed_at IS NULL);
alter table issuing_pauses enable row level security;
alter table issuing_pauses force row level security;
create policy tenant_isolation on issuing_pauses for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_walks on issuing_pauses for all to sello_worker using (true);


-- ===== Retention

-- Numbers of documents that were archived and removed, by month of issue: they are taken for ever and are no gaps. They
-- also keep the emission points to which they belong.
create table archived_numbers (
  tenant_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  month date not null,
  numbers int4multirange not null,
  archived_at timestamp with time zone not null,
  constraint archived_numbers_pkey PRIMARY KEY (tenant_id, emission_point_id, document_type, environment, month),
  constraint archived_numbers_tenant_id_emission_point_id_fkey FOREIGN KEY (tenant_id, emission_point_id) REFERENCES emission_points(tenant_id, id)
);
grant select on archived_numbers to sello_app;
grant select, insert, update on archived_numbers to sello_worker;
alter table archived_numbers enable row level security;
alter table archived_numbers force row level security;
create policy tenant_isolation on archived_numbers for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on archived_numbers for all to sello_worker using (true) with check (true);


-- ===== Sign-in

-- Hashes of tokens that work once: those of links in mails, of identities to link and of sign-ins under way at a
-- provider, with what the step must remember in detail. Only the functions of sello_resolver reach them.
create table one_time_tokens (
  token_hash bytea not null,
  purpose text not null,
  user_id uuid,
  detail jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (token_hash),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['verify_email'::text, 'reset_password'::text, 'link_identity'::text, 'sign_in_at_provider'::text]))),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
grant select, insert, update, delete on one_time_tokens to sello_resolver;
CREATE INDEX one_time_tokens_expiry ON sello.one_time_tokens USING btree (expires_at);
CREATE INDEX one_time_tokens_of_person ON sello.one_time_tokens USING btree (user_id, expires_at);
alter table one_time_tokens enable row level security;
alter table one_time_tokens force row level security;
create policy resolver_knows_people on one_time_tokens for all to sello_resolver using (true) with check (true);

-- Hashes of refresh tokens, each of which works once: one that comes back ends its session. Only the functions of
-- sello_resolver reach them.
create table refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id)
);
grant select, insert, update, delete on refresh_tokens to sello_resolver;
CREATE INDEX refresh_tokens_of_session ON sello.refresh_tokens USING btree (session_id);
alter table refresh_tokens enable row level security;
alter table refresh_tokens force row level security;
create policy resolver_knows_people on refresh_tokens for all to sello_resolver using (true) with check (true);

-- One row for each sign-in on one device: the family of its refresh tokens. Only the functions of sello_resolver reach
-- them. Access tokens count from valid_from_version on, or (null) only at the account's present version.
create table sessions (
  id uuid not null,
  user_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  valid_from_version integer,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
grant select, insert, update, delete on sessions to sello_resolver;
CREATE INDEX sessions_of_user ON sello.sessions USING btree (user_id);
alter table sessions enable row level security;
alter table sessions force row level security;
create policy resolver_knows_people on sessions for all to sello_resolver using (true) with check (true);

-- Accounts at identity providers that are linked to people, known by issuer and subject and never by address. Only the
-- functions of sello_resolver reach them.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamp with time zone not null,
  constraint user_identities_pkey PRIMARY KEY (issuer, subject),
  constraint user_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
grant select, insert, update, delete on user_identities to sello_resolver;
CREATE INDEX user_identities_of_user ON sello.user_identities USING btree (user_id);
alter table user_identities enable row level security;
alter table user_identities force row level security;
create policy resolver_knows_people on user_identities for all to sello_resolver using (true) with check (true);

-- People who sign in, with their password as argon2id where they have one. They belong to no tenant, so only the
-- functions of sello_resolver reach them. token_version ends all access tokens when it is raised.
create table users (
  id uuid not null,
  email text not null,
  name text not null,
  password_hash text,
  email_verified_at timestamp with time zone,
  is_platform_admin boolean default false not null,
  token_version integer default 1 not null,
  failed_logins integer default 0 not null,
  locked_until timestamp with time zone,
  disabled_at timestamp with time zone,
  last_login_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint users_email_check CHECK (((email = lower(email)) AND (length(email) <= 255)))
);
grant select, insert, update, delete on users to sello_resolver;
alter table users enable row level security;
alter table users force row level security;
create policy resolver_knows_people on users for all to sello_resolver using (true) with check (true);


-- ===== Tenants

-- The customers of the platform, whose data row security keeps apart. A tenant is closed, not deleted: while is_active
-- is false, its keys and members get nowhere.
create table tenants (
  id uuid not null,
  name text not null,
  is_active boolean default true not null,
  created_at timestamp with time zone not null,
  constraint tenants_pkey PRIMARY KEY (id)
);
grant select on tenants to sello_app;
grant select, insert on tenants to sello_resolver;
grant update (name) on tenants to sello_app;
grant update (is_active) on tenants to sello_resolver;
grant select (id, is_active) on tenants to sello_worker;
alter table tenants enable row level security;
alter table tenants force row level security;
create policy resolver_creates on tenants for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on tenants for all to sello_app using ((id = current_tenant())) with check ((id = current_tenant()));
create policy worker_looks on tenants for select to sello_worker using (true);


-- ===== Webhooks

-- Requests of deliveries, each committed before its first byte goes out, with how it ended.
create table webhook_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  outcome text,
  status_code integer,
  duration_ms integer,
  url_version integer default 1 not null,
  constraint webhook_attempts_pkey PRIMARY KEY (tenant_id, delivery_id, number),
  constraint webhook_attempts_tenant_id_delivery_id_fkey FOREIGN KEY (tenant_id, delivery_id) REFERENCES webhook_deliveries(tenant_id, id)
) with (autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, update on webhook_attempts to sello_app;
grant select, delete on webhook_attempts to sello_worker;
alter table webhook_attempts enable row level security;
alter table webhook_attempts force row level security;
create policy tenant_isolation on webhook_attempts for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_removes on webhook_attempts for all to sello_worker using (true) with check (true);

-- Events on their way to webhooks, one row for each pair. attempts counts all requests, round those since the delivery
-- was last begun that were not interrupted, and replays how often it was sent again since replays_since.
create table webhook_deliveries (
  tenant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  status text not null,
  attempts integer default 0 not null,
  round integer default 0 not null,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  replays integer default 0 not null,
  replays_since timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  constraint webhook_deliveries_tenant_id_event_id_fkey FOREIGN KEY (tenant_id, event_id) REFERENCES events(tenant_id, id),
  constraint webhook_deliveries_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES webhooks(tenant_id, id)
) with (fillfactor=80, autovacuum_analyze_threshold=20000, autovacuum_analyze_scale_factor=0.02);
grant select, insert, update on webhook_deliveries to sello_app;
grant select, insert, delete on webhook_deliveries to sello_worker;
CREATE INDEX webhook_deliveries_aside ON sello.webhook_deliveries USING btree (tenant_id, webhook_id, id) WHERE ((status = 'pending'::text) AND (next_attempt_at IS NULL));
CREATE INDEX webhook_deliveries_failed ON sello.webhook_deliveries USING btree (tenant_id, webhook_id, created_at DESC, id DESC) WHERE (status = 'failed'::text);
CREATE INDEX webhook_deliveries_newest ON sello.webhook_deliveries USING btree (tenant_id, webhook_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX webhook_deliveries_once ON sello.webhook_deliveries USING btree (tenant_id, event_id, webhook_id);
CREATE INDEX webhook_deliveries_pending ON sello.webhook_deliveries USING btree (tenant_id, webhook_id, created_at DESC, id DESC) WHERE (status = 'pending'::text);
alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy tenant_isolation on webhook_deliveries for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_fans_out on webhook_deliveries for insert to sello_worker with check (true);
create policy worker_removes on webhook_deliveries for all to sello_worker using (true) with check (true);

-- The sealed secrets with which deliveries are signed. One without an end signs, and the one before it signs too until
-- it ends.
create table webhook_secrets (
  tenant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  sealed_secret bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_secrets_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES webhooks(tenant_id, id)
);
grant select, insert, delete on webhook_secrets to sello_app;
grant select, delete on webhook_secrets to sello_resolver;
grant update (expires_at) on webhook_secrets to sello_app;
grant update (sealed_secret) on webhook_secrets to sello_resolver;
CREATE UNIQUE INDEX webhook_secrets_current ON sello.webhook_secrets USING btree (tenant_id, webhook_id) WHERE (expires_at IS NULL);
CREATE INDEX webhook_secrets_of_webhook ON sello.webhook_secrets USING btree (tenant_id, webhook_id);
alter table webhook_secrets enable row level security;
alter table webhook_secrets force row level security;
create policy resolver_rotates on webhook_secrets for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on webhook_secrets for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));

-- Deliveries that are due now or later. It crosses tenants and holds only ids and times. While a worker holds a row,
-- due_at is when its lease runs out.
create table webhook_work (
  tenant_id uuid not null,
  delivery_id uuid not null,
  webhook_id uuid not null,
  due_at timestamp with time zone not null,
  lease_token uuid,
  constraint webhook_work_pkey PRIMARY KEY (tenant_id, delivery_id)
) with (fillfactor=50);
grant select, insert, update, delete on webhook_work to sello_app;
grant select, insert, update, delete on webhook_work to sello_worker;
CREATE INDEX webhook_work_by_turn ON sello.webhook_work USING btree (tenant_id, webhook_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_work_due ON sello.webhook_work USING btree (due_at);
CREATE INDEX webhook_work_under_way ON sello.webhook_work USING btree (tenant_id, webhook_id) WHERE ((lease_token IS NOT NULL) AND (due_at IS NOT NULL));
alter table webhook_work enable row level security;
alter table webhook_work force row level security;
create policy tenant_isolation on webhook_work for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_walks on webhook_work for all to sello_worker using (true) with check (true);

-- Addresses to which a tenant's events are sent, and the kinds to which they listen (null: every kind). failing_since
-- and disabled_at say since when nothing arrived and when the service switched it off. url_version grows with every
-- change of the address.
create table webhooks (
  tenant_id uuid not null,
  id uuid not null,
  url text not null,
  description text,
  kinds text[],
  is_active boolean not null,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  url_version integer default 1 not null,
  last_attempt_failed boolean default false not null,
  constraint webhooks_pkey PRIMARY KEY (tenant_id, id),
  constraint webhooks_check CHECK (((deleted_at IS NULL) OR (NOT is_active))),
  constraint webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhooks_url_check CHECK ((length(url) <= 2048)),
  constraint webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
grant select, insert, update on webhooks to sello_app;
grant select (tenant_id, id, deleted_at) on webhooks to sello_resolver;
grant update (is_active, deleted_at, updated_at) on webhooks to sello_resolver;
grant select (tenant_id, id, kinds, is_active, failing_since, last_attempt_failed) on webhooks to sello_worker;
CREATE INDEX webhooks_active ON sello.webhooks USING btree (tenant_id) WHERE is_active;
CREATE INDEX webhooks_standing ON sello.webhooks USING btree (tenant_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
alter table webhooks enable row level security;
alter table webhooks force row level security;
create policy resolver_reclaims on webhooks for all to sello_resolver using (true) with check (true);
create policy tenant_isolation on webhooks for all to sello_app using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()));
create policy worker_fans_out on webhooks for select to sello_worker using (true);
