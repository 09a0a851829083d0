-- A document that was sent, corrected and then had no certificate to be signed with is compared with the SRI daily, as one at
-- rest: its due work is that question, and a certificate sets its signing going as if it were parked for good.
create or replace function resume_parked_documents() returns trigger
  language plpgsql as $$
begin
  update outbox o set step = 'prepare', due_at = new.created_at, ahead = false, announced_at = null
  from documents d
  where d.tenant_id = new.tenant_id and d.issuer_id = new.issuer_id
    and d.status in ('NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED')
    and o.tenant_id = d.tenant_id and o.document_id = d.id and o.sequential > 0
    and (o.due_at = 'infinity' or o.step = 'authorize' and d.status in ('NUMBER_RESERVED', 'XML_GENERATED'));
  return new;
end $$;
