-- People, how they prove who they are, and what they may do in which tenant. A person belongs to no tenant: only the
-- functions of sello_resolver reach users, identities and sessions; members and the audit log are the tenant's.
create table users (
  id uuid primary key,
  -- Lower case; proven by a mail once email_verified_at is set.
  email text not null unique check (email = lower(email) and length(email) <= 255),
  name text not null,
  -- argon2id; null for who signs in through an identity provider only.
  password_hash text,
  email_verified_at timestamptz,
  is_platform_admin boolean not null default false,
  -- Raised to end every access token at once: other password, suspension by the platform.
  token_version integer not null default 1,
  failed_logins integer not null default 0,
  locked_until timestamptz,
  disabled_at timestamptz,
  last_login_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Accounts at identity providers are known by (issuer, subject), never by e-mail address.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id),
  created_at timestamptz not null,
  primary key (issuer, subject)
);

-- One sign-in on one device: the family of its refresh tokens.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_of_user on sessions (user_id);

-- Every refresh token works once; one that comes back ends its session.
create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index refresh_tokens_of_session on refresh_tokens (session_id);

-- Links sent by mail and steps that end in one more request. Only hashes are kept.
create table one_time_tokens (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('verify_email', 'reset_password', 'link_identity', 'sign_in_at_provider')),
  user_id uuid references users (id),
  -- What the step must remember: nonce and verifier of a sign-in under way, identity to link.
  detail jsonb not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_expiry on one_time_tokens (expires_at);

do $$
declare
  name text;
begin
  foreach name in array array['users', 'user_identities', 'sessions', 'refresh_tokens', 'one_time_tokens'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy resolver_knows_people on %I to sello_resolver using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to sello_resolver', name);
  end loop;
end $$;

-- A person's place in a tenant. An invitation is a member without a user until it is accepted.
create table members (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  user_id uuid references users (id),
  email text not null check (email = lower(email) and length(email) <= 255),
  role text not null check (role in ('tenant_owner', 'tenant_admin', 'billing_operator', 'accountant', 'viewer')),
  status text not null check (status in ('invited', 'active', 'suspended')),
  invited_at timestamptz not null,
  -- User or API key that invited; null for who founded the tenant.
  invited_by uuid,
  invitation_hash bytea,
  invitation_expires_at timestamptz,
  joined_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  check (status <> 'active' or user_id is not null)
);
create unique index members_email on members (tenant_id, email);
create unique index members_user on members (tenant_id, user_id);
create index members_of_user on members (user_id);
create index members_invitation on members (invitation_hash);
call isolate_tenant_table('members');
create policy resolver_looks_up on members to sello_resolver using (true) with check (true);
grant select, insert, update, delete on members to sello_app;
grant select, insert, update on members to sello_resolver;

-- What people and keys did, for the tenant to read. Append-only: nobody may change or remove a line.
create table audit_log (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('user', 'api_key', 'platform_admin', 'system')),
  actor_id uuid,
  action text not null,
  target_kind text,
  target_id uuid,
  detail jsonb not null default '{}',
  request_id text,
  address text,
  primary key (tenant_id, id)
);
create index audit_log_in_time on audit_log (tenant_id, at desc, id desc);
call isolate_tenant_table('audit_log');
create policy resolver_records on audit_log for insert to sello_resolver with check (true);
grant select, insert on audit_log to sello_app;
grant insert on audit_log to sello_resolver;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'SE120';
end $$;
create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_stays before truncate on audit_log
  for each statement execute function refuse_change();

-- Who a signed-in person is for a request: one row per membership that is active, or one with null tenant when there is
-- none. No row: the session has ended, the account is disabled, or its tokens were revoked. A platform administrator is
-- also given the tenant that the request names.
create function authenticate_session(p_user uuid, p_session uuid, p_token_version integer, p_tenant uuid, p_now timestamptz)
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
alter function authenticate_session(uuid, uuid, integer, uuid, timestamptz) owner to sello_resolver;
revoke execute on function authenticate_session(uuid, uuid, integer, uuid, timestamptz) from public;
grant execute on function authenticate_session(uuid, uuid, integer, uuid, timestamptz) to sello_app;
