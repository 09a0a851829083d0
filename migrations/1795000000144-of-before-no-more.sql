-- contract: since 1795000000134 no process calls master_keys_in_use, and no command sealed_keys_after;
-- since 1795000000088 no API calls record_foreign_attempt itself, and since 1795000000064 nothing reads barred_issuer
drop function master_keys_in_use(integer);
drop function sealed_keys_after(uuid, uuid, integer);
alter table verified_rucs drop column barred_issuer;
comment on table verified_rucs is
  'Issuers: Which issuer signs for a RUC in an environment, over all tenants: the primary key allows one, so that access keys are '
  'unique. is_open says that nobody holds the claim, and barred_tenants from whom an operator took it.';
revoke execute on function record_foreign_attempt(uuid, uuid, timestamptz, text, text) from sello_app;
comment on function record_foreign_attempt(uuid, uuid, timestamptz, text, text) is
  'Audit log: Writes into the audit log of each tenant of a person that the person named a tenant to which they do '
  'not belong, at most once a minute so that nobody floods the log. note_foreign_attempt calls it.';
