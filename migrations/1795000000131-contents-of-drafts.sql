-- A draft that is saved again and again, as by a form that does so by itself, kept a whole copy of its content each time.
create or replace function update_draft(p_tenant uuid, p_document uuid, p_version integer, p_now timestamptz, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns integer
  language plpgsql
as $$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'DRAFT', p_version);
  edited documents%rowtype := apply_header(d, p_header);
  other uuid := claim_draft_key(d, edited.issuer_id, p_now);
begin
  if other is not null and edited.issuer_id <> d.issuer_id then
    raise exception 'the issuer has used the key of draft % for another document', p_document using errcode = 'SE011', detail = other::text;
  end if;
  -- The first content answers repetitions of the call that created the draft; of the others only the present one is asked for.
  delete from document_contents where tenant_id = p_tenant and document_id = p_document and revision > 1;
  perform store_content(edited, p_content, p_snapshot, p_warnings, p_now);
  update documents set version = version + 1 where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'DRAFT', 'edited', 'DRAFT', p_now);
  return p_version + 1;
end $$;
comment on function update_draft(uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Puts other content into a draft and returns its new version, which grows so that concurrent '
  'edits are seen. Of the contents the first and the present one stay. A draft that moves to another issuer takes its '
  'idempotency key along, and keeps it used where it was. It raises SE110 if the draft is no longer at the version that '
  'was read, and SE011, with the other document in the detail, if the new issuer has used the key already. The API calls '
  'it.';

comment on table document_contents is
  'Lifecycle: The fiscal content of documents as it was accepted, with the issuer as it was then. Rows are never '
  'changed: a correction adds a revision. Of a draft the first revision and the present one are kept.';
