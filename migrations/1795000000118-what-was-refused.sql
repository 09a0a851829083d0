-- A refused credit note that is sent again is held against its invoice like one that had failed: the invoice may have been annulled since.
-- So is one that a person decides on, which may have failed before.
create or replace trigger reserve_credit_again after update of status on documents
  for each row when ((old.status in ('REJECTED', 'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT') and new.status = 'RECEPTION_RETRY_SCHEDULED'
                       or old.status = 'FAILED_PERMANENT' and new.status = 'AUTHORIZATION_RETRY_SCHEDULED')
                     and new.document_type = '04' and new.modified_document_id is not null)
  execute function reserve_credit_again();

comment on function reserve_credit_again() is
  'Credit notes: Trigger of documents after a credit note that was refused, given up or had failed for good is taken up '
  'again: holds its total against the balance of the invoice once more, and raises SE006 or SE007 as reserve_credit does.';

-- A refusal that commits while its scope is resumed waits for that, and by the database's clock: a worker whose clock is late
-- found every refusal older than the resume, and paused nobody.
create or replace function pause_scope(d documents, p_pause jsonb, p_now timestamptz)
  returns void
  language plpgsql
as $$
declare
  wanted text := p_pause ->> 'scope';
  threshold integer := (p_pause ->> 'threshold')::integer;
  decided_at timestamptz := least((p_pause ->> 'decidedAt')::timestamptz, statement_timestamp());
  -- So long may a call have waited for its turn; beyond, the caller's clock is late.
  late constant interval := interval '5 seconds';
  by_database timestamptz := statement_timestamp() - (p_pause ->> 'ageMs')::double precision * interval '1 millisecond';
begin
  -- What the scope was resumed since is held against the database's clock, by which pauses end.
  if by_database < decided_at or by_database > decided_at + late then
    decided_at := by_database;
  end if;
  -- Whoever is about to end the pause has ended it before this refusal is judged.
  perform from issuing_pauses p
  where p.tenant_id = d.tenant_id and p.issuer_id = d.issuer_id and p.scope = wanted and p.resumed_at is null
  for share;
  if threshold > 1 and (refused_in_a_row(d) < threshold or exists (
    select from issuing_pauses p
    where p.tenant_id = d.tenant_id and p.emission_point_id = d.emission_point_id and p.document_type = d.document_type
      and p.scope = wanted and p.code = p_pause ->> 'code'
      and p.resumed_at > coalesce((
        select max(h.at) from document_history h
        where h.tenant_id = d.tenant_id and h.document_id = d.id and h.trigger = 'number_taken'), d.created_at))
  ) then
    return;
  end if;
  -- A refusal that is found late tells of how things stood when the SRI decided.
  if threshold = 1 and scope_was_served_since(d, wanted, decided_at) then
    return;
  end if;
  insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
  values (d.tenant_id, (p_pause ->> 'id')::uuid, wanted, d.issuer_id,
          case when wanted in ('establishment', 'emission_point') then d.establishment_id end,
          case when wanted = 'emission_point' then d.emission_point_id end,
          case when wanted in ('document_type', 'emission_point') then d.document_type end,
          p_pause ->> 'code', d.id, p_now)
  on conflict do nothing;
  if found then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    values (d.tenant_id, (p_pause ->> 'event_id')::uuid, 'issuer.paused', d.id, d.version, p_now);
  end if;
end $$;
comment on function pause_scope(documents, jsonb, timestamptz) is
  'Pauses: Opens a pause for the scope that the SRI blocked, with the event issuer.paused, unless one is open already. If '
  'the pause has a threshold above one, it opens only after so many documents of the emission point and type were refused '
  'in a row for the same reason, and not for a document that was numbered before the last such pause was resumed; with a '
  'threshold of one, it does not open if the scope has been served since the refusal. How old the refusal is counts, not '
  'when it was by a clock that is off. It locks the open pause for share. advance_document calls it.';

create function was_refused_at_authorization(p_tenant uuid, p_document uuid)
  returns boolean
  language sql
  stable
as $$
  -- Older rows do not name the service that refused.
  select exists (
    select from document_history h
    where h.tenant_id = p_tenant and h.document_id = p_document and h.trigger = 'refused'
      and coalesce(h.detail ->> 'service', case h.from_status when 'SUBMITTED_TO_SRI' then 'reception' else 'authorization' end) = 'authorization')
$$;
comment on function was_refused_at_authorization(uuid, uuid) is
  'Lifecycle: Returns true if the SRI refused a document at authorization once: such a refusal stays registered under its '
  'access key, so that a correction may not change the date in it. load_document calls it, and the API before a correction.';

create or replace function load_document(p_tenant uuid, p_document uuid)
  returns table (document jsonb, content jsonb, issuer_snapshot jsonb, digests jsonb, signed_xml bytea, signing_certificate_valid_to timestamptz, certificate_id uuid, certificate_valid_from timestamptz, certificate_valid_to timestamptz)
  language plpgsql
  set enable_seqscan = off
  set plan_cache_mode = force_generic_plan
as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select to_jsonb(d) || jsonb_build_object(
      'due_step', (select o.step from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id),
      -- In this order, so that it is read by the index of the document's attempts and no other.
      'signing_sent', coalesce((
        select true from sri_attempts t
        where t.tenant_id = d.tenant_id and t.document_id = d.id and t.service = 'reception' and t.signing_no = d.signing_no and t.outcome is distinct from 'not_delivered'
        order by t.started_at limit 1), false),
      -- Asked of those alone that may have been refused, which are not most.
      'refused_at_authorization', case when d.signing_no > 1 or d.content_revision > 1 or d.status = 'RECEPTION_RETRY_SCHEDULED'
        then was_refused_at_authorization(d.tenant_id, d.id) else false end), c.content, c.issuer_snapshot,
    (select coalesce(jsonb_agg(jsonb_build_object(
       'signingNo', x.signing_no, 'digest', x.digest, 'signedAt', x.signed_at, 'accessKey', x.access_key, 'contentRevision', coalesce(x.content_revision, (
         select max(k.revision) from document_contents k where k.tenant_id = x.tenant_id and k.document_id = x.document_id and k.created_at <= x.signed_at))) order by x.signing_no), '[]')
     from signed_documents x where x.tenant_id = d.tenant_id and x.document_id = d.id),
    s.signed_xml, least(sc.valid_to, sc.revoked_at), a.id, a.valid_from, a.valid_to
  from documents d
  left join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  left join signed_documents s on s.tenant_id = d.tenant_id and s.document_id = d.id and s.signing_no = d.signing_no
  left join certificates sc on sc.tenant_id = s.tenant_id and sc.id = s.certificate_id
  left join certificates a on a.tenant_id = d.tenant_id and a.issuer_id = d.issuer_id and a.is_active
  where d.tenant_id = p_tenant and d.id = p_document;
end $$;

-- A draft that moves to another issuer takes its idempotency key along: left free there, the same sale was issued twice under it.
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
