create or replace function credit_left(p_tenant uuid, p_original uuid, p_except uuid)
 returns numeric
 language sql
 stable
as $$
  select d.total - coalesce((
    select sum(n.total) from documents n
    where n.tenant_id = p_tenant and n.modified_document_id = p_original and n.document_type = '04' and n.id is distinct from p_except
      and n.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED')), 0)
  from documents d where d.tenant_id = p_tenant and d.id = p_original
$$;
create or replace function refuse_credited_cancellation()
 returns trigger
 language plpgsql
as $$
declare
  notes text;
begin
  select string_agg(case when n.place <= 20 then n.number else '…' end, ', ' order by n.place) into notes from (
    select row_number() over (order by d.created_at, d.id) as place,
      substr(d.access_key, 25, 3) || '-' || substr(d.access_key, 28, 3) || '-' || substr(d.access_key, 31, 9) as number
    from documents d
    where d.tenant_id = new.tenant_id and d.modified_document_id = new.id and d.document_type = '04'
      and d.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED')
    order by d.created_at, d.id limit 21
  ) n;
  if notes is not null then
    raise exception 'credit notes were issued for the document' using errcode = 'SE008', detail = notes;
  end if;
  return new;
end $$;
create or replace function reserve_credit(p_tenant uuid, p_credit_note uuid, p_original uuid, p_total numeric)
 returns void
 language plpgsql
as $$
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
    raise exception '% are left to credit', available using errcode = 'SE007', detail = available::text;
  end if;
end $$;
create or replace function issue_draft(p_tenant uuid, p_api_key uuid, p_document uuid, p_version integer, p_now timestamp with time zone, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
 returns text
 language plpgsql
as $$
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
create or replace function update_draft(p_tenant uuid, p_document uuid, p_version integer, p_now timestamptz, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns integer
  language plpgsql
as $$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'DRAFT', p_version);
  edited documents%rowtype := apply_header(d, p_header);
  other uuid;
begin
  if d.idempotency_key is not null and edited.issuer_id <> d.issuer_id then
    insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, response, created_at)
    select p_tenant, edited.issuer_id, k.key, k.operation, k.fingerprint, k.document_id, k.response, p_now
    from idempotency_keys k
    where k.tenant_id = p_tenant and k.issuer_id = d.issuer_id and k.key = d.idempotency_key
    on conflict do nothing;
    select k.document_id into other from idempotency_keys k
    where k.tenant_id = p_tenant and k.issuer_id = edited.issuer_id and k.key = d.idempotency_key and k.document_id <> p_document;
    if found then
      raise exception 'the issuer has used the key of draft % for another document', p_document using errcode = 'SE011', detail = other::text;
    end if;
  end if;
  perform store_content(edited, p_content, p_snapshot, p_warnings, p_now);
  update documents set version = version + 1 where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'DRAFT', 'edited', 'DRAFT', p_now);
  return p_version + 1;
end $$;
comment on function update_draft(uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Puts other content into a draft and returns its new version, which grows so that concurrent '
  'edits are seen. A draft that moves to another issuer takes its idempotency key along, and keeps it used where it was. It '
  'raises SE110 if the draft is no longer at the version that was read, and SE011, with the other document in the detail, '
  'if the new issuer has used the key already. The API calls it.';
comment on function issue_draft(uuid, uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Issues a draft with the content as it was checked: it takes a number, writes history and '
  'due work, and returns the access key. It raises SE110 if the draft is no longer at the version that was read, '
  'SE001 and SE005 as take_number does, and SE002, SE003, SE004, SE006, SE007 and SE009 as store_checked does. The '
  'API calls it.';
comment on function credit_left(uuid, uuid, uuid) is
  'Credit notes: Returns how much an invoice has left to credit: its total without the credit notes that were '
  'issued for it, but for p_except. Notes that were given up or annulled do not count. It returns null if there is '
  'no such document. The API calls it for its checks, and reserve_credit does under its lock.';
drop function claim_draft_key(documents, uuid, timestamptz);
drop function came_to_nothing(text, text, jsonb);
