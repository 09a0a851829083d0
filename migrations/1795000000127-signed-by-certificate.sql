-- without transaction
-- Whether a revoked certificate signed anything, and whether one may go, is known without reading the tenant's documents.
create index concurrently signed_documents_of_certificate on signed_documents (tenant_id, certificate_id);
