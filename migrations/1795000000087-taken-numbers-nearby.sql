-- Whether numbers in a row are taken shows among the thousand on either side: who asked all documents of an emission point that
-- had not been received looked through its whole backlog, and with a million of them ran out of time, time and again.

create function refused_in_a_row(d documents) returns integer
  language plpgsql stable
  set enable_seqscan = off
  set enable_sort = off
as $$
begin
  return (
    with nearby as (
      (select x.id, x.sequential, x.error_code, x.received_at from documents x
       where x.tenant_id = d.tenant_id and x.emission_point_id = d.emission_point_id and x.document_type = d.document_type
         and x.sri_environment = d.sri_environment and x.sequential >= d.sequential
       order by x.sequential limit 1000)
      union all
      (select x.id, x.sequential, x.error_code, x.received_at from documents x
       where x.tenant_id = d.tenant_id and x.emission_point_id = d.emission_point_id and x.document_type = d.document_type
         and x.sri_environment = d.sri_environment and x.sequential < d.sequential
       order by x.sequential desc limit 1000)
    )
    select count(*) from nearby n
    where (n.id = d.id or n.error_code = d.error_code)
      and n.sequential > coalesce((select max(served.sequential) from nearby served where served.received_at is not null), 0));
end $$;
comment on function refused_in_a_row(documents) is
  'Pauses: Returns how many documents near the number of this one, of its emission point and type, were refused for '
  'its reason since the last that the SRI received; a thousand numbers before it and after it are looked at. '
  'pause_scope calls it.';

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
