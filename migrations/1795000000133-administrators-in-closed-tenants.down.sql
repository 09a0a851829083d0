comment on function administers_platform(uuid, timestamptz) is
  'Credentials: Returns true while the session is open and its person is an administrator of the platform, who may '
  'work in closed tenants too. require_credential calls it.';
comment on function hold_session(uuid, uuid, timestamptz) is
  'Sign-in: Returns true if a session goes on whose account is not disabled, and keeps both so until the commit. It '
  'locks the person before the session. The API calls it in the statement that calls link_identity, '
  'found_own_tenant or rename_person, before those.';

create or replace function document_outcome(p_tenant uuid, p_document uuid, p_credential uuid, p_now timestamptz)
  returns table (status text, sri_messages jsonb, authorization_number text, authorization_date timestamptz, credential_is_valid boolean)
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select d.status, d.sri_messages, d.authorization_number, d.authorization_date, is_credential_valid(p_tenant, p_credential, p_now)
  from documents d where d.tenant_id = p_tenant and d.id = p_document;
end $$;
alter function document_outcome(uuid, uuid, uuid, timestamptz) set enable_seqscan = off;
comment on function document_outcome(uuid, uuid, uuid, timestamptz) is
  'Lifecycle: Returns how a document stands, and whether the caller''s credential still does; no row if there is no '
  'such document. The API calls it again and again for a caller who waits for the SRI''s verdict.';

create or replace function last_look(p_tenant uuid, p_api_key uuid, p_issuer uuid, p_now timestamptz) returns void
  language plpgsql as $$
begin
  if not is_credential_valid(p_tenant, p_api_key, p_now) then
    raise exception 'credential ended' using errcode = 'SE002';
  end if;
  if not exists (select from issuers i where i.tenant_id = p_tenant and i.id = p_issuer and i.is_active and i.disabled_at is null) then
    raise exception 'issuer disabled' using errcode = 'SE003';
  end if;
  if not exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = p_issuer and c.is_active) then
    raise exception 'no certificate' using errcode = 'SE009';
  end if;
  if not exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = p_issuer and c.is_active and c.valid_to > p_now) then
    raise exception 'certificate expired' using errcode = 'SE004';
  end if;
end $$;
comment on function last_look(uuid, uuid, uuid, timestamptz) is
  'Issuing: Looks once more, in the transaction that takes a number, at what the checks saw before. It raises SE002 '
  'if the credential has ended, SE003 if the issuer is disabled, SE009 if it has no active certificate, and SE004 '
  'if that one has expired. issue_document and store_checked call it.';
comment on function issue_document(uuid, uuid, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, text, text) is
  'Issuing: Takes a number and stores a document with its access key, content, history and due work, all or '
  'nothing. The outcome is accepted, in_line (an earlier number of the same emission point and type is still to be '
  'sent, so the relay takes it up in its turn), or replayed with the first answer if the idempotency key was used. '
  'It raises SE001 to SE005 and SE009 as last_look and take_number do, and SE006 and SE007 as reserve_credit does. '
  'It waits for another request with the same key before it takes a number. The API calls it. The work is due by '
  'the database''s clock if the caller''s is ahead of it.';
comment on function store_checked(documents, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Stores the checked content of a draft or refused document that is about to go out, and '
  'returns the document. It raises SE002, SE003, SE004 and SE009 as last_look does, and for credit notes SE006 and '
  'SE007 as reserve_credit does. issue_draft and correct_document call it, under the lock on the document.';
comment on function issue_draft(uuid, uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Issues a draft with the content as it was checked: it takes a number, writes history and '
  'due work, and returns the access key. It raises SE110 if the draft is no longer at the version that was read, '
  'SE011, with the other document in the detail, if the issuer has used its idempotency key for one, SE001 and '
  'SE005 as take_number does, and SE002, SE003, SE004, SE006, SE007 and SE009 as store_checked does. The API calls '
  'it.';
comment on function correct_document(uuid, uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Puts other content under the number of a document that the SRI refused, sends it on its '
  'way again, and returns the access key. A new date makes a new access key, which is legal only while the SRI has '
  'stored nothing under the old one; the API, which calls it, sees to that. It raises SE110 if the document is no '
  'longer refused at the version that was read, and SE002, SE003, SE004, SE006, SE007 and SE009 as store_checked '
  'does.';
