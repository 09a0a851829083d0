-- Drafts hold no number; their content grows by revisions like every document's. Only a draft may be deleted.
grant delete on documents, document_contents, document_history to sello_app;

create function guard_draft_deletion() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'DRAFT' then
    raise exception 'only a draft may be deleted' using errcode = 'SE100';
  end if;
  return old;
end $$;
create trigger guard_draft_deletion before delete on documents for each row execute function guard_draft_deletion();

-- Contents and history may go only together with their draft, which is locked and checked here.
create function guard_draft_part_deletion() returns trigger
  language plpgsql as $$
begin
  if not exists (select from documents d where d.tenant_id = old.tenant_id and d.id = old.document_id and d.status = 'DRAFT') then
    raise exception 'contents and history are kept for ever' using errcode = 'SE100';
  end if;
  return old;
end $$;
create trigger guard_draft_part_deletion before delete on document_contents for each row execute function guard_draft_part_deletion();
create trigger guard_draft_part_deletion before delete on document_history for each row execute function guard_draft_part_deletion();

-- Copies what the content says of the document into the columns that are searched and summed.
create function apply_header(d documents, p_header jsonb) returns documents
  language plpgsql immutable as $$
declare
  h documents%rowtype := jsonb_populate_record(d, p_header);
begin
  h.idempotency_key := d.idempotency_key;
  return h;
end $$;

-- Creates a draft, once per idempotency key. Operation: 'draft' or 'credit_note:<original>'.
create function create_draft(
  p_tenant uuid, p_document uuid, p_now timestamptz, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb,
  p_idempotency_key text, p_operation text, p_fingerprint text)
  returns table (outcome text, fingerprint text, operation text, response jsonb)
  language plpgsql as $$
declare
  h documents%rowtype;
  first_answer idempotency_keys%rowtype;
  answer jsonb := jsonb_build_object('document_id', p_document);
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  h := jsonb_populate_record(null::documents, p_header);
  if p_idempotency_key is not null then
    insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, response, created_at)
    values (p_tenant, h.issuer_id, p_idempotency_key, p_operation, p_fingerprint, p_document, answer, p_now)
    on conflict do nothing;
    if not found then
      select * into first_answer from idempotency_keys k
      where k.tenant_id = p_tenant and k.issuer_id = h.issuer_id and k.key = p_idempotency_key;
      return query select 'replayed', first_answer.fingerprint, first_answer.operation, first_answer.response;
      return;
    end if;
  end if;
  h.tenant_id := p_tenant;
  h.id := p_document;
  h.status := 'DRAFT';
  h.version := 1;
  h.idempotency_key := p_idempotency_key;
  h.content_revision := 1;
  h.sri_messages := '[]';
  h.warnings := p_warnings;
  h.signing_no := 0;
  h.reception_attempts := 0;
  h.authorization_attempts := 0;
  h.created_at := p_now;
  h.updated_at := p_now;
  insert into documents select (h).*;
  insert into document_contents (tenant_id, document_id, revision, content, issuer_snapshot, created_at)
  values (p_tenant, p_document, 1, p_content, p_snapshot, p_now);
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, 1, null, 'drafted', 'DRAFT', p_now);
  return query select 'accepted', p_fingerprint, p_operation, answer;
end $$;

-- Locks a document and compares status and version. SE110: it moved on.
create function lock_document(p_tenant uuid, p_document uuid, p_status text, p_version integer) returns documents
  language plpgsql as $$
declare
  d documents%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into d from documents where tenant_id = p_tenant and id = p_document for update;
  if not found or d.status <> p_status or d.version <> p_version then
    raise exception 'document % is no longer % at version %', p_document, p_status, p_version using errcode = 'SE110';
  end if;
  return d;
end $$;

-- Stores the content of a document under its lock as a further revision, with the columns that come from it.
create function store_content(d documents, p_content jsonb, p_snapshot jsonb, p_warnings jsonb, p_now timestamptz) returns void
  language sql as $$
  insert into document_contents (tenant_id, document_id, revision, content, issuer_snapshot, created_at)
  values (d.tenant_id, d.id, d.content_revision + 1, p_content, p_snapshot, p_now);
  update documents set
    issuer_id = d.issuer_id, establishment_id = d.establishment_id, emission_point_id = d.emission_point_id,
    document_type = d.document_type, issue_date = d.issue_date,
    subtotal = d.subtotal, total_discount = d.total_discount, total_tax = d.total_tax, total = d.total,
    buyer_id_type = d.buyer_id_type, buyer_id = d.buyer_id, buyer_name = d.buyer_name, buyer_email = d.buyer_email,
    buyer_address = d.buyer_address, modified_document_id = d.modified_document_id,
    modified_document_type = d.modified_document_type, modified_document_number = d.modified_document_number,
    modified_document_issue_date = d.modified_document_issue_date, reason = d.reason,
    warnings = p_warnings, content_revision = d.content_revision + 1, updated_at = p_now
  where tenant_id = d.tenant_id and id = d.id;
$$;

-- Replaces the content of a draft; the version grows so that concurrent edits are seen.
create function update_draft(
  p_tenant uuid, p_document uuid, p_version integer, p_now timestamptz, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns integer
  language plpgsql as $$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'DRAFT', p_version);
begin
  perform store_content(apply_header(d, p_header), p_content, p_snapshot, p_warnings, p_now);
  update documents set version = version + 1 where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'DRAFT', 'edited', 'DRAFT', p_now);
  return p_version + 1;
end $$;

create function delete_draft(p_tenant uuid, p_document uuid, p_version integer) returns void
  language plpgsql as $$
begin
  perform lock_document(p_tenant, p_document, 'DRAFT', p_version);
  delete from document_contents where tenant_id = p_tenant and document_id = p_document;
  delete from document_history where tenant_id = p_tenant and document_id = p_document;
  delete from documents where tenant_id = p_tenant and id = p_document;
end $$;

-- The checked content of a stored document that is issued now: last look, credit balance, content. SQLSTATEs as issue_document.
create function store_checked(
  d documents, p_api_key uuid, p_now timestamptz, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns documents
  language plpgsql as $$
begin
  d := apply_header(d, p_header);
  perform last_look(d.tenant_id, p_api_key, d.issuer_id, p_now);
  if d.document_type = '04' and d.modified_document_id is not null then
    perform reserve_credit(d.tenant_id, d.id, d.modified_document_id, d.total);
  end if;
  perform store_content(d, p_content, p_snapshot, p_warnings, p_now);
  return d;
end $$;

-- The first work of a numbered document. The API rings the bell itself right after the commit, hence announced.
create function begin_work(d documents, p_sequential integer, p_unsent boolean, p_now timestamptz) returns void
  language sql as $$
  insert into outbox (tenant_id, document_id, step, due_at, announced_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
  values (d.tenant_id, d.id, 'prepare', p_now, p_now, 1, d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, p_sequential, p_unsent)
$$;

-- Issues a draft: the content as checked, number, key, history, due work. Returns the access key.
create function issue_draft(
  p_tenant uuid, p_api_key uuid, p_document uuid, p_version integer, p_now timestamptz,
  p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns text
  language plpgsql as $$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'DRAFT', p_version);
  number record;
begin
  d := store_checked(d, p_api_key, p_now, p_header, p_content, p_snapshot, p_warnings);
  update documents set status = 'VALIDATED', version = version + 1 where tenant_id = p_tenant and id = p_document;
  select * into number from take_number(p_tenant, d, p_snapshot, p_content ->> 'numericCode');
  update documents set
    status = 'NUMBER_RESERVED', version = version + 1, sequential = number.sequential, access_key = number.access_key, next_attempt_at = p_now
  where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'DRAFT', 'validated', 'VALIDATED', p_now),
         (p_tenant, p_document, p_version + 2, 'VALIDATED', 'number_taken', 'NUMBER_RESERVED', p_now);
  perform begin_work(d, number.sequential, true, p_now);
  return number.access_key;
end $$;

-- Corrects a refused document: new content under the same number. A new date makes a new access key, which is legal only
-- while the SRI stored nothing under the old one; the caller checks that. Returns the access key.
create function correct_document(
  p_tenant uuid, p_api_key uuid, p_document uuid, p_version integer, p_now timestamptz,
  p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns text
  language plpgsql as $$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'REJECTED', p_version);
  key text;
begin
  d := store_checked(d, p_api_key, p_now, p_header, p_content, p_snapshot, p_warnings);
  key := build_access_key(
    d.issue_date, d.document_type, p_snapshot ->> 'ruc', d.sri_environment,
    p_snapshot ->> 'establishmentCode', p_snapshot ->> 'emissionPointCode', d.sequential, p_content ->> 'numericCode');
  update documents set
    status = 'NUMBER_RESERVED', version = version + 1, access_key = key,
    error_code = null, error_detail = null, sri_messages = '[]', suspicion = null,
    reception_attempts = 0, authorization_attempts = 0, received_at = null, deadline_at = null, next_attempt_at = p_now
  where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'REJECTED', 'corrected', 'NUMBER_RESERVED', p_now);
  -- Until now the refused document may have been compared with the SRI daily.
  delete from outbox where tenant_id = p_tenant and document_id = p_document;
  perform begin_work(d, d.sequential, false, p_now);
  return key;
end $$;

-- Authorized credit notes that reach the original's total void it, in the same transaction; one that is annulled gives its
-- amount back, and an original that it had voided is valid again. A credit note stands until the SRI has annulled it.
create function settle_credited_original() returns trigger
  language plpgsql as $$
declare
  original documents%rowtype;
  credited numeric;
  settled text;
begin
  select * into original from documents d where d.tenant_id = new.tenant_id and d.id = new.modified_document_id for update;
  select coalesce(sum(d.total), 0) into credited from documents d
  where d.tenant_id = new.tenant_id and d.modified_document_id = original.id and d.document_type = '04'
    and d.status in ('AUTHORIZED', 'CANCELLATION_REQUESTED');
  settled := case when credited >= original.total then 'VOIDED_BY_NC' else 'AUTHORIZED' end;
  if original.status is null or original.status not in ('AUTHORIZED', 'VOIDED_BY_NC') or original.status = settled then
    return null;
  end if;
  update documents set status = settled, version = version + 1, updated_at = new.updated_at
  where tenant_id = original.tenant_id and id = original.id;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at, detail)
  values (original.tenant_id, original.id, original.version + 1, original.status,
          case settled when 'VOIDED_BY_NC' then 'credited_in_full' else 'credit_annulled' end, settled, new.updated_at,
          jsonb_build_object('credit_note_id', new.id));
  insert into events (tenant_id, id, type, document_id, document_version, created_at)
  values (original.tenant_id, gen_random_uuid(), case settled when 'VOIDED_BY_NC' then 'document.voided' else 'document.authorized' end,
          original.id, original.version + 1, new.updated_at);
  return null;
end $$;
create trigger settle_credited_original after update of status on documents
  for each row when (new.status in ('AUTHORIZED', 'CANCELLED') and old.status <> new.status and new.document_type = '04' and new.modified_document_id is not null)
  execute function settle_credited_original();
