-- A document that need not wait for its turn is sent as soon as it is signed, and both are one commit: whoever takes it to
-- sign it learns whether it is free to go.
create function clear_to_send(p_tenant uuid, p_document uuid) returns boolean
  language plpgsql as $$
declare
  work outbox%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into work from outbox o where o.tenant_id = p_tenant and o.document_id = p_document;
  return not exists (select from open_pauses(work.tenant_id, work.issuer_id, work.establishment_id, work.emission_point_id, work.document_type))
    and (not work.unsent or unsent_predecessor(work.tenant_id, work.emission_point_id, work.document_type, work.sequential) is null);
end $$;
