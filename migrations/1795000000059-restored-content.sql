-- The SRI may authorize what was sent before a correction. The record then becomes what was authorized: of one number there is
-- one document, and record, print and XML are the same one.

-- Makes a signed content current again, under the access key that it was signed with. `p_columns`: which column holds which
-- property of the content. SE110: the document moved on.
create function restore_content(p_tenant uuid, p_document uuid, p_version integer, p_revision integer, p_access_key text, p_columns jsonb, p_warnings jsonb) returns boolean
  language plpgsql as $$
declare
  d documents%rowtype;
  signed jsonb;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into d from documents where tenant_id = p_tenant and id = p_document and version = p_version for update;
  if not found then
    raise exception 'document % is no longer at version %', p_document, p_version using errcode = 'SE110';
  end if;
  select content into strict signed from document_contents where tenant_id = p_tenant and document_id = p_document and revision = p_revision;
  d := apply_header(d, (select jsonb_object_agg(c.key, signed -> c.value) from jsonb_each_text(p_columns) c));
  update documents set
    content_revision = p_revision, access_key = p_access_key, issue_date = d.issue_date,
    subtotal = d.subtotal, total_discount = d.total_discount, total_tax = d.total_tax, total = d.total,
    buyer_id_type = d.buyer_id_type, buyer_id = d.buyer_id, buyer_name = d.buyer_name, buyer_email = d.buyer_email,
    buyer_address = d.buyer_address, modified_document_id = d.modified_document_id,
    modified_document_type = d.modified_document_type, modified_document_number = d.modified_document_number,
    modified_document_issue_date = d.modified_document_issue_date, reason = d.reason, warnings = p_warnings
  where tenant_id = p_tenant and id = p_document;
  return true;
end $$;

-- As before, with the time of each signing.
create or replace function load_document(p_tenant uuid, p_document uuid)
  returns table (
    document jsonb, content jsonb, issuer_snapshot jsonb, digests jsonb,
    signed_xml bytea, signing_certificate_valid_to timestamptz,
    certificate_id uuid, certificate_valid_from timestamptz, certificate_valid_to timestamptz)
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select to_jsonb(d) || jsonb_build_object('due_step', (select o.step from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id)), c.content, c.issuer_snapshot,
    (select coalesce(jsonb_agg(jsonb_build_object(
       'signingNo', x.signing_no, 'digest', x.digest, 'signedAt', x.signed_at, 'accessKey', x.access_key, 'contentRevision', coalesce(x.content_revision, (
         select max(k.revision) from document_contents k where k.tenant_id = x.tenant_id and k.document_id = x.document_id and k.created_at <= x.signed_at))) order by x.signing_no), '[]')
     from signed_documents x where x.tenant_id = d.tenant_id and x.document_id = d.id),
    s.signed_xml, sc.valid_to, a.id, a.valid_from, a.valid_to
  from documents d
  left join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  left join signed_documents s on s.tenant_id = d.tenant_id and s.document_id = d.id and s.signing_no = d.signing_no
  left join certificates sc on sc.tenant_id = s.tenant_id and sc.id = s.certificate_id
  left join certificates a on a.tenant_id = d.tenant_id and a.issuer_id = d.issuer_id and a.is_active
  where d.tenant_id = p_tenant and d.id = p_document;
end $$;
alter function load_document(uuid, uuid) set enable_seqscan = off;

-- An invoice whose annulment is taken back may meanwhile have been credited in full, by a credit note that was given up and
-- authorized late: it settles like one whose credit note is authorized now.
create function settle_kept_original() returns trigger
  language plpgsql as $$
declare
  credited numeric;
begin
  select coalesce(sum(n.total), 0) into credited from documents n
  where n.tenant_id = new.tenant_id and n.modified_document_id = new.id and n.document_type = '04' and n.status in ('AUTHORIZED', 'CANCELLATION_REQUESTED');
  if credited = 0 or credited < new.total then
    return null;
  end if;
  update documents set status = 'VOIDED_BY_NC', version = version + 1, updated_at = new.updated_at where tenant_id = new.tenant_id and id = new.id;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (new.tenant_id, new.id, new.version + 1, 'AUTHORIZED', 'credited_in_full', 'VOIDED_BY_NC', new.updated_at);
  insert into events (tenant_id, id, type, document_id, document_version, created_at)
  values (new.tenant_id, gen_random_uuid(), 'document.voided', new.id, new.version + 1, new.updated_at);
  return null;
end $$;
-- Deferred: its event comes after that of the annulment taken back.
create constraint trigger settle_kept_original after update of status on documents deferrable initially deferred
  for each row when (new.status = 'AUTHORIZED' and old.status = 'CANCELLATION_REQUESTED' and new.document_type = '01')
  execute function settle_kept_original();
