-- The API wakes what waited for a webhook in parts behind the change that switches it on: cut off in between, it left the rest
-- waiting for three days.
create function webhooks_to_resume(p_limit integer) returns table (tenant_id uuid, id uuid)
  language sql stable security definer set search_path = sello, pg_temp set enable_seqscan = off as $$
  select k.tenant_id, k.id from webhooks k
  where k.is_active and exists (
    select from webhook_deliveries d
    where d.tenant_id = k.tenant_id and d.webhook_id = k.id and d.status = 'pending' and d.next_attempt_at is null)
  limit p_limit
$$;
comment on function webhooks_to_resume(integer) is
  'Webhooks: Returns up to p_limit active webhooks, of all tenants, for which deliveries are still set aside. The worker calls it '
  'at intervals, and resume_some_deliveries for each.';
alter function webhooks_to_resume(integer) owner to sello_worker;
revoke execute on function webhooks_to_resume(integer) from public;
grant execute on function webhooks_to_resume(integer) to sello_app;

-- As before; where the SRI's clock is ahead of ours, what it authorized before it blocked a scope was not authorized since.
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
    where x.issuer_id = d.issuer_id and least(x.authorization_date, x.updated_at) > p_since and x.authorization_date is not null
      and x.sri_environment = d.sri_environment
      and (p_scope not in ('establishment', 'emission_point') or x.establishment_id = d.establishment_id)
      and (p_scope <> 'emission_point' or x.emission_point_id = d.emission_point_id)
      and (p_scope not in ('document_type', 'emission_point') or x.document_type = d.document_type)
  );
end $$;
