/**
 * Before each migration, in its transaction: the roles are there, and who migrates may act as them and hand functions to
 * them. A superuser may do so anyway; an owner with CREATEROLE holds roles that it made, but may not act as them at first
 * (PostgreSQL 16), and a new owner of a function needs the right to create in its schema.
 */
export const LEND_ROLES = `
do $$
declare
  role_name text;
begin
  foreach role_name in array array['sello_app', 'sello_worker', 'sello_resolver'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null; -- roles belong to the cluster: another database created it
    end;
    if current_setting('server_version_num')::integer < 160000 then
      if not pg_has_role(current_user, role_name, 'member') then execute format('grant %I to current_user', role_name); end if;
    elsif not (pg_has_role(current_user, role_name, 'usage') and pg_has_role(current_user, role_name, 'set')) then
      execute format('grant %I to current_user with inherit true, set true', role_name);
    end if;
  end loop;
end $$;
grant create on schema sello to sello_worker, sello_resolver`;

/** After each migration: the roles of the service create nothing. */
export const TAKE_BACK = 'revoke create on schema sello from sello_worker, sello_resolver';
