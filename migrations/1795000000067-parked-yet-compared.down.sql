-- Parked for good again: the version before has no question in these states.
alter table documents no force row level security;
alter table outbox no force row level security;
update outbox o set step = 'prepare', due_at = 'infinity'
from documents d
where o.step = 'authorize' and d.tenant_id = o.tenant_id and d.id = o.document_id and d.status in ('NUMBER_RESERVED', 'XML_GENERATED');
alter table outbox force row level security;
alter table documents force row level security;
create or replace function resume_parked_documents() returns trigger
  language plpgsql as $$
begin
  update outbox o set due_at = new.created_at, ahead = false, announced_at = null
  from documents d
  where d.tenant_id = new.tenant_id and d.issuer_id = new.issuer_id
    and d.status in ('NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED')
    and o.tenant_id = d.tenant_id and o.document_id = d.id and o.due_at = 'infinity' and o.sequential > 0;
  return new;
end $$;
