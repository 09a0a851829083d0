create or replace function pause_scope(d documents, p_pause jsonb, p_now timestamptz) returns void
  language plpgsql as $$
declare
  wanted text := p_pause ->> 'scope';
  threshold integer := (p_pause ->> 'threshold')::integer;
begin
  if threshold > 1 and refused_in_a_row(d) < threshold then
    return;
  end if;
  -- A refusal that is found late tells of how things stood when the SRI decided.
  if threshold = 1 and scope_was_served_since(d, wanted, (p_pause ->> 'decidedAt')::timestamptz) then
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
comment on function pause_scope(documents, jsonb, timestamptz) is
  'Pauses: Opens a pause for the scope that the SRI blocked, with the event issuer.paused, unless one is open already. If the '
  'pause has a threshold above one, it opens only after so many documents of the emission point and type were refused in '
  'a row for the same reason; with a threshold of one, it does not open if the scope has been served since the refusal. '
  'advance_document calls it.';
