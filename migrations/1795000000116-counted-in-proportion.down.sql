do $$
declare
  name text;
begin
  foreach name in array array[
    'documents', 'document_contents', 'document_history', 'document_authorizations', 'signed_documents', 'sri_attempts', 'idempotency_keys',
    'buyers', 'buyer_documents', 'products', 'events', 'mails', 'webhook_deliveries', 'webhook_attempts', 'audit_log'
  ] loop
    execute format('alter table %I set (autovacuum_analyze_scale_factor = 0)', name);
  end loop;
end $$;
