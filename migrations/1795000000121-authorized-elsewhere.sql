-- A document that was given up although the SRI shows one authorized under its access key counted as nothing: an invoice was credited twice.
create function came_to_nothing(p_status text, p_error_code text, p_error_detail jsonb) returns boolean
  language sql immutable as $$
  select p_status in ('DRAFT', 'VALIDATED', 'CANCELLED')
    or p_status = 'FAILED_PERMANENT' and (p_error_code is distinct from 'ANSWER_MISMATCH' or coalesce(p_error_detail ? 'annulled', false))
$$;
comment on function came_to_nothing(text, text, jsonb) is
  'Credit notes: Returns true if a document of that status, error code and error detail was not issued or has no effect '
  'any more. One that was given up while the SRI showed another authorized under its access key has, unless that was annulled. '
  'credit_left, refuse_credited_cancellation and the API''s queries call it.';

create or replace function credit_left(p_tenant uuid, p_original uuid, p_except uuid) returns numeric
  language sql stable as $$
  select d.total - coalesce((
    select sum(n.total) from documents n
    where n.tenant_id = p_tenant and n.modified_document_id = p_original and n.document_type = '04' and n.id is distinct from p_except
      and not came_to_nothing(n.status, n.error_code, n.error_detail)), 0)
  from documents d where d.tenant_id = p_tenant and d.id = p_original
$$;
comment on function credit_left(uuid, uuid, uuid) is
  'Credit notes: Returns how much an invoice has left to credit: its total without the credit notes that were issued for it, '
  'but for p_except. Notes that came to nothing do not count. It is less than nothing where the SRI authorized more than '
  'there was, and null if there is no such document. The API calls it for its checks, and reserve_credit does under its lock.';

create or replace function refuse_credited_cancellation() returns trigger
  language plpgsql as $$
declare
  notes text;
begin
  select string_agg(case when n.place <= 20 then n.number else '…' end, ', ' order by n.place) into notes from (
    select row_number() over (order by d.created_at, d.id) as place,
      substr(d.access_key, 25, 3) || '-' || substr(d.access_key, 28, 3) || '-' || substr(d.access_key, 31, 9) as number
    from documents d
    where d.tenant_id = new.tenant_id and d.modified_document_id = new.id and d.document_type = '04'
      and not came_to_nothing(d.status, d.error_code, d.error_detail)
    order by d.created_at, d.id limit 21
  ) n;
  if notes is not null then
    raise exception 'credit notes were issued for the document' using errcode = 'SE008', detail = notes;
  end if;
  return new;
end $$;

create or replace function reserve_credit(p_tenant uuid, p_credit_note uuid, p_original uuid, p_total numeric) returns void
  language plpgsql as $$
declare
  original_status text;
  available numeric;
begin
  select d.status into original_status from documents d where d.tenant_id = p_tenant and d.id = p_original for update;
  if original_status is distinct from 'AUTHORIZED' then
    raise exception 'the original is %', coalesce(original_status, 'missing') using errcode = 'SE006';
  end if;
  available := credit_left(p_tenant, p_original, p_credit_note);
  if p_total > available then
    available := greatest(available, 0.00);
    raise exception '% are left to credit', available using errcode = 'SE007', detail = available::text;
  end if;
end $$;

-- A draft that had moved to another issuer before it took its idempotency key along left it free there: the same sale was issued
-- twice under it. What is edited or issued claims it now.
create function claim_draft_key(d documents, p_issuer uuid, p_now timestamptz) returns uuid
  language plpgsql as $$
declare
  holder uuid;
begin
  if d.idempotency_key is null then
    return null;
  end if;
  select k.document_id into holder from idempotency_keys k
  where k.tenant_id = d.tenant_id and k.issuer_id = p_issuer and k.key = d.idempotency_key;
  if not found then
    insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, response, created_at)
    select d.tenant_id, p_issuer, k.key, k.operation, k.fingerprint, k.document_id, k.response, p_now
    from issuers i
    join idempotency_keys k on k.tenant_id = i.tenant_id and k.issuer_id = i.id and k.key = d.idempotency_key
    where i.tenant_id = d.tenant_id and k.document_id = d.id
    order by k.created_at limit 1
    on conflict do nothing;
    select k.document_id into holder from idempotency_keys k
    where k.tenant_id = d.tenant_id and k.issuer_id = p_issuer and k.key = d.idempotency_key;
  end if;
  return nullif(holder, d.id);
end $$;
comment on function claim_draft_key(documents, uuid, timestamptz) is
  'Drafts and corrections: Makes the idempotency key of a draft one that the issuer has used for it, and returns null. It '
  'returns the other document if the issuer has used the key for one. update_draft and issue_draft call it.';

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
  perform store_content(edited, p_content, p_snapshot, p_warnings, p_now);
  update documents set version = version + 1 where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'DRAFT', 'edited', 'DRAFT', p_now);
  return p_version + 1;
end $$;

create or replace function issue_draft(p_tenant uuid, p_api_key uuid, p_document uuid, p_version integer, p_now timestamptz, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns text
  language plpgsql as $$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'DRAFT', p_version);
  other uuid := claim_draft_key(d, d.issuer_id, p_now);
  number record;
begin
  if other is not null then
    raise exception 'the issuer has used the key of draft % for another document', p_document using errcode = 'SE011', detail = other::text;
  end if;
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
comment on function issue_draft(uuid, uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Issues a draft with the content as it was checked: it takes a number, writes history and due work, '
  'and returns the access key. It raises SE110 if the draft is no longer at the version that was read, SE011, with the other '
  'document in the detail, if the issuer has used its idempotency key for one, SE001 and SE005 as take_number does, and '
  'SE002, SE003, SE004, SE006, SE007 and SE009 as store_checked does. The API calls it.';
