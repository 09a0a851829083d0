-- Roles stay: they belong to the cluster and other databases may use them.
revoke all on schema sello from sello_app, sello_worker, sello_resolver;
drop function bind_environment(text);
drop table deployment;
drop function provision_tenant(uuid, text, uuid, text, text, bytea, text, timestamptz);
drop function authenticate_api_key(bytea);
drop table api_keys;
drop table tenants;
drop procedure isolate_tenant_table(regclass, text);
drop function current_tenant();
