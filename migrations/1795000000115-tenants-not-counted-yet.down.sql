do $$
declare
  name text;
begin
  foreach name in array array[
    'documents', 'document_contents', 'document_history', 'document_authorizations', 'signed_documents', 'sri_attempts', 'idempotency_keys',
    'buyers', 'buyer_documents', 'products', 'events', 'mails', 'webhook_deliveries', 'webhook_attempts', 'audit_log'
  ] loop
    execute format('alter table %I reset (autovacuum_analyze_scale_factor, autovacuum_analyze_threshold)', name);
  end loop;
end $$;

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
      'signing_sent', exists (
        select from sri_attempts t
        where t.tenant_id = d.tenant_id and t.document_id = d.id and t.service = 'reception' and t.signing_no = d.signing_no and t.outcome is distinct from 'not_delivered')), c.content, c.issuer_snapshot,
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
