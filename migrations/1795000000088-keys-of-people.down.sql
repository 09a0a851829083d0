drop function note_foreign_attempt(uuid, uuid, timestamptz, text, text);
alter table api_keys drop column created_by, drop column created_by_name;
comment on table api_keys is
  'Credentials: The API keys of tenants: the hash of each, the beginning that lists show, its environment and when '
  'it was last used. A revoked key stays as a row.';
