-- Events are listed by the numbers of their transactions. That of a credit note had its number from the lock on the note, and only then
-- came to the original: of two notes that changed at the same time the later one could be the first to get there, so that the original's
-- events were listed in the wrong order. All that lock a note and its original now begin with the original.
create or replace function advance_document(p_tenant uuid, p_document uuid, p_status text, p_version integer, p_token uuid, p_now timestamptz, p_moves jsonb, p_patch jsonb, p_work jsonb, p_events jsonb, p_records jsonb, p_bytes bytea, OUT new_version integer, OUT successor_woken boolean)
  returns record
  language plpgsql
  set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  d documents%rowtype;
  patched documents%rowtype;
  before outbox%rowtype;
  moves integer := jsonb_array_length(p_moves);
  keep_lease boolean := coalesce((p_work ->> 'keep_lease')::boolean, false);
  last_move jsonb := p_moves -> -1;
  r jsonb;
  lead interval := greatest(p_now - clock_timestamp(), interval '0');
begin
  p_now := p_now - lead;
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- The triggers below lock a credit note's original where they settle or judge it. It is locked first: whoever waits here has no
  -- transaction number yet, so that the events of an original are listed in the order in which it changed.
  if last_move ->> 'to' in ('AUTHORIZED', 'CANCELLED')
    or p_status in ('REJECTED', 'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT') and last_move ->> 'to' in ('RECEPTION_RETRY_SCHEDULED', 'AUTHORIZATION_RETRY_SCHEDULED') then
    perform from documents o
    where o.tenant_id = p_tenant and o.id = (
      select n.modified_document_id from documents n where n.tenant_id = p_tenant and n.id = p_document and n.document_type = '04')
    for update;
  end if;
  select * into d from documents where tenant_id = p_tenant and id = p_document for update;
  if not found or d.status <> p_status or d.version <> p_version then
    raise exception 'document % is no longer % at version %', p_document, p_status, p_version using errcode = 'SE110';
  end if;
  select * into before from outbox o where o.tenant_id = p_tenant and o.document_id = p_document for update;
  if p_token is not null and before.lease_token is distinct from p_token then
    raise exception 'lease of document % was lost', p_document using errcode = 'SE110';
  end if;

  -- Without a certificate it is parked, or compared with the SRI daily if it was sent before: one that was activated since the worker
  -- looked has set nothing going for this document. The lock waits for an activation under way, and makes a later one wait until this
  -- document is seen as parked.
  if p_work ->> 'step' = 'prepare' and p_work ->> 'due_at' = 'infinity'
    or (p_work ->> 'recheck')::boolean and coalesce(last_move ->> 'to', p_status) in ('NUMBER_RESERVED', 'XML_GENERATED') then
    perform from issuers i where i.tenant_id = p_tenant and i.id = d.issuer_id for share;
    if exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = d.issuer_id and c.is_active and c.valid_to > p_now) then
      p_work := p_work - 'recheck' || jsonb_build_object('step', 'prepare', 'due_at', p_now + lead);
    end if;
  end if;

  -- One write for all moves; the guard is told the way and holds every move of it against document_moves.
  if moves > 1 then
    perform set_config('sello.path', (select string_agg(move ->> 'to', ',' order by place) from jsonb_array_elements(p_moves) with ordinality as made (move, place)), true);
  end if;
  patched := jsonb_populate_record(d, coalesce(p_patch, '{}'));
  update documents set
    status = coalesce(last_move ->> 'to', status), version = p_version + moves,
    authorization_number = patched.authorization_number, authorization_date = patched.authorization_date,
    error_code = patched.error_code, error_detail = patched.error_detail, sri_messages = patched.sri_messages,
    signing_no = patched.signing_no, suspicion = patched.suspicion,
    reception_attempts = patched.reception_attempts, authorization_attempts = patched.authorization_attempts,
    first_sent_at = patched.first_sent_at, received_at = patched.received_at, deadline_at = patched.deadline_at,
    cancellation = patched.cancellation,
    next_attempt_at = case
      when p_work ? 'keep' then next_attempt_at
      when not coalesce((p_work ->> 'recheck')::boolean, false) then nullif((p_work ->> 'due_at')::timestamptz - lead, 'infinity')
    end,
    updated_at = p_now
  where tenant_id = p_tenant and id = p_document
  returning * into d;
  if moves > 0 then
    insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at, detail)
    select p_tenant, p_document, p_version + place, coalesce(lag(move ->> 'to') over (order by place), p_status),
           move ->> 'trigger', move ->> 'to', p_now, move -> 'detail'
    from jsonb_array_elements(p_moves) with ordinality as made (move, place);
  end if;

  r := p_records -> 'signing';
  if r is not null then
    insert into signed_documents (tenant_id, document_id, signing_no, certificate_id, access_key, content_revision, signed_xml, digest, signed_at)
    values (p_tenant, p_document, (r ->> 'signing_no')::integer, (r ->> 'certificate_id')::uuid, d.access_key, d.content_revision, p_bytes, r ->> 'digest', p_now);
  end if;
  r := p_records -> 'attempt';
  if r is not null then
    insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at)
    values (p_tenant, (r ->> 'id')::uuid, p_document, r ->> 'service', (r ->> 'signing_no')::integer, p_now);
  end if;
  r := p_records -> 'finished';
  if r is not null then
    update sri_attempts set finished_at = p_now, outcome = r ->> 'outcome', messages = r -> 'messages', excerpt = r ->> 'excerpt'
    where tenant_id = p_tenant and id = (r ->> 'id')::uuid;
  end if;
  r := p_records -> 'asked';
  if r is not null then
    insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at, finished_at, outcome, messages, excerpt)
    values (p_tenant, (r ->> 'id')::uuid, p_document, r ->> 'service', (r ->> 'signing_no')::integer,
            (r ->> 'started_at')::timestamptz, p_now, r ->> 'outcome', r -> 'messages', r ->> 'excerpt');
  end if;
  r := p_records -> 'authorization';
  if r is not null then
    insert into document_authorizations (tenant_id, document_id, received_at, state, authorization_xml)
    values (p_tenant, p_document, p_now, r ->> 'state', p_bytes);
  end if;

  if jsonb_array_length(coalesce(p_events, '[]')) > 0 then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    select p_tenant, (e ->> 'id')::uuid, e ->> 'type', p_document, d.version, p_now
    from jsonb_array_elements(p_events) e;
  end if;

  r := p_records -> 'pause';
  if r is not null then
    perform pause_scope(d, r, p_now);
  end if;

  if p_work is null then
    delete from outbox where tenant_id = p_tenant and document_id = p_document;
  elsif not p_work ? 'keep' then
    update outbox o set
      step = p_work ->> 'step', due_at = (p_work ->> 'due_at')::timestamptz - lead, lost_leases = 0,
      ahead = o.ahead and p_work ->> 'step' = 'prepare',
      announced_at = case when keep_lease then o.announced_at end,
      unsent = coalesce((p_work ->> 'unsent')::boolean, o.unsent),
      lease_token = case when keep_lease then o.lease_token end,
      lease_until = case when keep_lease then o.lease_until end
    where o.tenant_id = p_tenant and o.document_id = p_document;
    if not found then
      insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
      values (p_tenant, p_document, p_work ->> 'step', (p_work ->> 'due_at')::timestamptz - lead,
              d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, coalesce((p_work ->> 'unsent')::boolean, false));
    end if;
  end if;

  new_version := d.version;
  successor_woken := false;
  if before.unsent and before.due_at < 'infinity' and not coalesce(p_work ? 'keep', false)
     and (p_work is null or p_work ->> 'due_at' = 'infinity' or not coalesce((p_work ->> 'unsent')::boolean, true)) then
    update outbox o set ahead = false, due_at = case when o.ahead and o.step = 'submit' then least(p_now, o.due_at - interval '10 minutes') else o.due_at end, announced_at = null
    where o.tenant_id = p_tenant and o.document_id = (
      select next.document_id from outbox next
      where next.tenant_id = p_tenant and next.emission_point_id = d.emission_point_id and next.document_type = d.document_type
        and next.sequential > d.sequential and next.unsent and next.due_at < 'infinity'
      order by next.sequential limit 1);
    successor_woken := found;
  end if;
end $$;
comment on function advance_document(uuid, uuid, text, integer, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, jsonb, bytea) is
  'Lifecycle: Writes one decision about a document: its moves, columns, history, events, due work, and the rows of '
  'signing, exchange with the SRI, authorization and pause that belong to it. It returns the new version, and '
  'whether the next number of the emission point was woken because this one is no longer to be sent before it. It '
  'raises SE110, and writes nothing, if status, version or (given p_token) lease are no longer those that were '
  'read; the triggers of documents raise SE100 and SE101 for a wrong move, SE006 and SE007 for a credit note that '
  'is taken up again, and SE008 for a request to annul what was credited. It locks the original of a credit '
  'note that is settled or taken up again, then the document, then its due work; a document that waits for want of a '
  'certificate also locks its issuer for share, so that an activation under way is not missed. The worker calls it for '
  'each step, and the API for acts of callers. A caller whose clock is ahead of the database''s has all its times put '
  'back by as much.';

create or replace function correct_document(
  p_tenant uuid, p_api_key uuid, p_document uuid, p_version integer, p_now timestamptz,
  p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
  returns text
  language plpgsql as $$
declare
  d documents%rowtype;
  key text;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from documents o where o.tenant_id = p_tenant and p_header ->> 'document_type' = '04' and o.id = (p_header ->> 'modified_document_id')::uuid for update;
  d := lock_document(p_tenant, p_document, 'REJECTED', p_version);
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
comment on function correct_document(uuid, uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Puts other content under the number of a document that the SRI refused, sends it on its '
  'way again, and returns the access key. A new date makes a new access key, which is legal only while the SRI has '
  'stored nothing under the old one; the API, which calls it, sees to that. It raises SE110 if the document is no '
  'longer refused at the version that was read, and SE002, SE003, SE004, SE006, SE007, SE009 and SE012 as '
  'store_checked does. It locks the original of a credit note, then the document.';

create or replace function restore_content(p_tenant uuid, p_document uuid, p_version integer, p_revision integer, p_access_key text, p_columns jsonb, p_warnings jsonb) returns boolean
  language plpgsql as $$
declare
  d documents%rowtype;
  signed jsonb;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from documents o
  where o.tenant_id = p_tenant and o.id = (
    select (c.content ->> (p_columns ->> 'modified_document_id'))::uuid from document_contents c
    where c.tenant_id = p_tenant and c.document_id = p_document and c.revision = p_revision and c.content ->> 'documentType' = '04')
  for update;
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
comment on function restore_content(uuid, uuid, integer, integer, text, jsonb, jsonb) is
  'Lifecycle: Makes the content that an earlier signing carried current again, under the access key with which it '
  'was signed, and returns true. It raises SE110 if the document is no longer at this version. p_columns says which '
  'column holds which property of the content. It locks the original that a credit note has by that content, then the '
  'document. It is called together with advance_document when the SRI turns out to have authorized what a correction '
  'had replaced.';

comment on function settle_credited_original() is
  'Credit notes: Trigger of documents after a credit note is authorized or annulled: makes the invoice VOIDED_BY_NC '
  'once its credit notes add up to its total, or AUTHORIZED again once they no longer do, with history and event. '
  'It locks the invoice, which advance_document has locked already.';
