create or replace function resume_parked_documents()
  returns trigger
  language plpgsql
as $$
declare
  at_once constant integer := 1000;
begin
  perform wake_parked(new.tenant_id, new.issuer_id, new.created_at, at_once);
  -- Sent before, and compared with the SRI daily while it is parked.
  update outbox o set step = 'prepare', due_at = least(new.created_at, clock_timestamp()), ahead = false, announced_at = null
  from documents d
  where o.tenant_id = new.tenant_id and o.issuer_id = new.issuer_id and o.step = 'authorize' and o.sequential > 0
    and d.tenant_id = o.tenant_id and d.id = o.document_id and d.status in ('NUMBER_RESERVED', 'XML_GENERATED');
  return new;
end $$;
comment on function resume_parked_documents() is
  'Lifecycle: Trigger of certificates after the insert or activation of an active one: makes the documents of its '
  'issuer due for signing that were parked for want of a certificate, the first thousand of them at once and the '
  'others by wake_parked_going_round; also those that were sent before and are compared with the SRI daily meanwhile.';
