drop function look_at_invitation(bytea, timestamptz);
drop function end_every_session(uuid, uuid, timestamptz, text, text);
drop function change_password(uuid, uuid, integer, text, timestamptz, text, text);
drop function rename_person(uuid, text, timestamptz, text, text);
create or replace function authenticate_session(p_user uuid, p_session uuid, p_token_version integer, p_tenant uuid, p_now timestamptz)
  returns table (is_platform_admin boolean, email text, name text, tenant_id uuid, member_id uuid, role text)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.is_platform_admin, u.email, u.name, t.id, m.id, m.role
  from users u
  join sessions s on s.id = p_session and s.user_id = u.id and s.ended_at is null and s.expires_at > p_now
  left join (members m join tenants mt on mt.id = m.tenant_id and mt.is_active)
    on m.user_id = u.id and m.status = 'active' and (p_tenant is null or m.tenant_id = p_tenant)
  left join tenants t on t.id = coalesce(m.tenant_id, case when u.is_platform_admin then p_tenant end)
  where u.id = p_user and u.disabled_at is null and u.token_version = p_token_version
  order by m.created_at
$$;
alter table sessions drop column valid_from_version;
