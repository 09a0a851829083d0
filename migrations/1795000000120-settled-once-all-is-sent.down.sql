create or replace function is_settled(d documents) returns boolean
  language sql stable as $$
  select d.resting_status is not null and d.resting_status not in ('DRAFT', 'VALIDATED')
    and not exists (select from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id)
$$;
comment on function is_settled(documents) is
  'Retention: Returns true if a document is no draft, rests, and has no due work, so nothing more happens to it. '
  'documents_past_keeping and remove_archived_documents call it.';
