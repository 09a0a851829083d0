-- What is still to be sent about a document was removed with it. It is not archived before, either: the archive is to tell what became of its mails.
create or replace function is_settled(d documents) returns boolean
  language sql stable as $$
  select d.resting_status is not null and d.resting_status not in ('DRAFT', 'VALIDATED')
    and not exists (select from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id)
    and not exists (
      select from mails m join mail_outbox o on o.tenant_id = m.tenant_id and o.id = m.id
      where m.tenant_id = d.tenant_id and m.document_id = d.id)
    and not exists (
      select from events e
      join webhook_deliveries v on v.tenant_id = e.tenant_id and v.event_id = e.id
      join webhook_work w on w.tenant_id = v.tenant_id and w.delivery_id = v.id
      where e.tenant_id = d.tenant_id and e.document_id = d.id)
$$;
comment on function is_settled(documents) is
  'Retention: Returns true if a document is no draft, rests, has no due work, and no mail or delivery about it is still '
  'to be sent, so nothing more happens to it. documents_past_keeping and remove_archived_documents call it.';
