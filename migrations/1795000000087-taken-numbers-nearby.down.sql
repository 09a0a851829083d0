create or replace function pause_scope(d documents, p_pause jsonb, p_now timestamptz) returns void
  language plpgsql as $$
declare
  wanted text := p_pause ->> 'scope';
begin
  if (p_pause ->> 'threshold')::integer > 1 and (p_pause ->> 'threshold')::integer > (
    select count(*) from documents x
    where x.tenant_id = d.tenant_id and x.emission_point_id = d.emission_point_id and x.document_type = d.document_type
      and x.sri_environment = d.sri_environment and (x.id = d.id or x.error_code = d.error_code)
      and x.sequential > coalesce((
        select max(y.sequential) from documents y
        where y.tenant_id = d.tenant_id and y.emission_point_id = d.emission_point_id and y.document_type = d.document_type
          and y.sri_environment = d.sri_environment and y.received_at is not null), 0)
  ) then
    return;
  end if;
  -- A refusal that is found late tells of how things stood when the SRI decided.
  if (p_pause ->> 'threshold')::integer = 1 and scope_was_served_since(d, wanted, (p_pause ->> 'decidedAt')::timestamptz) then
    return;
  end if;
  insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
  values (d.tenant_id, (p_pause ->> 'id')::uuid, wanted, d.issuer_id,
          case when wanted in ('establishment', 'emission_point') then d.establishment_id end,
          case when wanted = 'emission_point' then d.emission_point_id end,
          case when wanted in ('document_type', 'emission_point') then d.document_type end,
          p_pause ->> 'code', d.id, p_now)
  on conflict do nothing;
  if found then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    values (d.tenant_id, (p_pause ->> 'event_id')::uuid, 'issuer.paused', d.id, d.version, p_now);
  end if;
end $$;
drop function refused_in_a_row(documents);
