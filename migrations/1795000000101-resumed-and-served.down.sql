drop function webhooks_to_resume(integer);
create or replace function scope_was_served_since(d documents, p_scope text, p_since timestamptz) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from issuing_pauses p
    where p.tenant_id = d.tenant_id and p.issuer_id = d.issuer_id and p.scope = p_scope and p.resumed_at > p_since
      and (p.establishment_id is null or p.establishment_id = d.establishment_id)
      and (p.emission_point_id is null or p.emission_point_id = d.emission_point_id)
      and (p.document_type is null or p.document_type = d.document_type)
  ) or exists (
    select from (
      select x.* from documents x where x.tenant_id = d.tenant_id order by x.created_at desc, x.id desc limit 5000
    ) x
    where x.issuer_id = d.issuer_id and x.authorization_date > p_since and x.sri_environment = d.sri_environment
      and (p_scope not in ('establishment', 'emission_point') or x.establishment_id = d.establishment_id)
      and (p_scope <> 'emission_point' or x.emission_point_id = d.emission_point_id)
      and (p_scope not in ('document_type', 'emission_point') or x.document_type = d.document_type)
  );
end $$;
