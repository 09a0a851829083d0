drop function notice_certificates(timestamptz);
revoke insert on events from sello_worker;
revoke select (id, is_active) on tenants from sello_worker;
revoke select (tenant_id, id, is_active) on issuers from sello_worker;
revoke select (tenant_id, id, issuer_id, valid_to, is_active) on certificates from sello_worker;
drop policy worker_notices on events;
drop policy worker_looks on tenants;
drop policy worker_looks on issuers;
drop policy worker_looks on certificates;
drop index certificates_in_use;
drop table certificate_notices;
alter table certificates drop column checks;
drop function release_ruc(uuid, uuid);
revoke delete on verified_rucs from sello_resolver;
revoke delete on issuers, establishments, emission_points, certificates, sequence_counters, sequence_raises, idempotency_keys from sello_app;
drop function documents_meant(text, text, text, text, uuid, text, text, date, date);
revoke select on documents, establishments, emission_points, sequence_counters from sello_resolver;
drop policy resolver_searches on sequence_counters;
drop policy resolver_searches on emission_points;
drop policy resolver_searches on establishments;
drop policy resolver_searches on documents;
drop index documents_buyer_search, documents_of_buyer, documents_set_aside, documents_moving;
drop function fold_document_counts(integer);
drop trigger count_new_document on documents;
drop trigger count_changed_document on documents;
drop trigger count_deleted_document on documents;
drop function count_documents();
drop function count_document(documents, integer);
drop table document_count_changes, document_counts;
drop function utc_day(timestamptz);
drop trigger list_document on documents;
drop function list_document();
alter table documents drop column resting_status, drop column buyer_search;
drop function search_form(text);
drop function is_moving(text);
-- Extensions that the schema did not bring along stay.
do $$
declare
  extension text;
begin
  for extension in select e.extname from pg_extension e where e.extname in ('pg_trgm', 'btree_gin') and e.extnamespace = 'sello'::regnamespace loop
    execute format('drop extension %I', extension);
  end loop;
end $$;
