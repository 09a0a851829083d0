create or replace function resume_parked_documents()
  returns trigger
  language plpgsql
as $$
begin
  update outbox o set step = 'prepare', due_at = least(new.created_at, clock_timestamp()), ahead = false, announced_at = null
  from documents d
  where d.tenant_id = new.tenant_id and d.issuer_id = new.issuer_id
    and d.status in ('NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED')
    and o.tenant_id = d.tenant_id and o.document_id = d.id and o.sequential > 0
    and (o.due_at = 'infinity' or o.step = 'authorize' and d.status in ('NUMBER_RESERVED', 'XML_GENERATED'));
  return new;
end $$;
comment on function resume_parked_documents() is
  'Lifecycle: Trigger of certificates after the insert or activation of an active one: makes the documents of its '
  'issuer due for signing that were parked for want of a certificate, also those that were sent before and are '
  'compared with the SRI daily meanwhile.';

-- Nobody wakes them later.
alter table certificates no force row level security;
alter table outbox no force row level security;
update outbox o set step = 'prepare', due_at = clock_timestamp(), ahead = false, announced_at = null
where o.due_at = 'infinity' and o.sequential > 0 and exists (
  select from certificates c where c.tenant_id = o.tenant_id and c.issuer_id = o.issuer_id and c.is_active and c.valid_to > clock_timestamp());
alter table outbox force row level security;
alter table certificates force row level security;

drop function wake_parked_going_round(timestamptz, integer);
drop function wake_parked(uuid, uuid, timestamptz, integer);
