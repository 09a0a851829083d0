drop function note_foreign_attempt(uuid, uuid, timestamptz, text, text);
alter table api_keys drop column created_by, drop column created_by_name;
comment on table api_keys is
  'Credentials: The API keys of tenants: the hash of each, the beginning that lists show, its environment and when '
  'it was last used. A revoked key stays as a row.';
comment on function record_foreign_attempt(uuid, uuid, timestamptz, text, text) is
  'Audit log: Writes into the audit log of each tenant of a person that the person named a tenant to which they do '
  'not belong, at most once a minute so that nobody floods the log. The API calls it when it refuses such a '
  'request.';
