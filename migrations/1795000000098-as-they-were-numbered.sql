-- A draft is numbered when it is issued, which may be long after it was written: a pause for numbers that the SRI gave to others
-- begins again with what was numbered after it was resumed, whenever it was drafted.
create or replace function pause_scope(d documents, p_pause jsonb, p_now timestamptz) returns void
  language plpgsql as $$
declare
  wanted text := p_pause ->> 'scope';
  threshold integer := (p_pause ->> 'threshold')::integer;
begin
  if threshold > 1 and (refused_in_a_row(d) < threshold or exists (
    select from issuing_pauses p
    where p.tenant_id = d.tenant_id and p.emission_point_id = d.emission_point_id and p.document_type = d.document_type
      and p.scope = wanted and p.code = p_pause ->> 'code'
      and p.resumed_at > coalesce((
        select max(h.at) from document_history h
        where h.tenant_id = d.tenant_id and h.document_id = d.id and h.trigger = 'number_taken'), d.created_at))
  ) then
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
  'a row for the same reason, and not for a document that was numbered before the last such pause was resumed; with a threshold of one, it does not open if the scope has been served since the refusal. '
  'advance_document calls it.';

-- An administrator of the platform acts in that role, and no longer once it is taken away, member of the tenant or not.
create or replace function session_has_role(p_tenant uuid, p_session uuid, p_role text) returns boolean
  language sql stable security definer set search_path = sello, pg_temp as $$
  select case when p_role = 'platform_admin'
    then exists (select from sessions s join users u on u.id = s.user_id where s.id = p_session and u.is_platform_admin)
    else exists (
      select from sessions s join members m on m.user_id = s.user_id
      where s.id = p_session and m.tenant_id = p_tenant and m.role = p_role and m.status = 'active')
  end
$$;
comment on function session_has_role(uuid, uuid, text) is
  'Credentials: Returns true while the person of this session is an active member of the tenant in this role or, for the role platform_admin, an administrator of the platform. require_credential calls it.';
comment on function require_credential(uuid, uuid, timestamptz, text) is
  'Credentials: As the function of the same name without a role; then, unless the role is null, raises SE010 when the person of the session no longer has it. The API calls it in the transaction of every act that changes something, and between the parts of an export.';
