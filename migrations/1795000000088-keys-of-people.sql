-- Whose key it is: who takes a member out can see and revoke the keys that the member made. A key that another one makes is of the
-- same person. Of keys from before, the audit log alone tells.
alter table api_keys add column created_by uuid, add column created_by_name text;
comment on table api_keys is
  'Credentials: The API keys of tenants: the hash of each, the beginning that lists show, its environment, when it was '
  'last used, and the person who made it, or made the key by which it was made, with the name of that time. A revoked '
  'key stays as a row.';

-- Who is suspended in the tenant that they name, or a member of one that is closed, is told so, and their other tenants hear nothing.
create function note_foreign_attempt(p_user uuid, p_named uuid, p_now timestamptz, p_request_id text, p_address text) returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if exists (select from members m where m.tenant_id = p_named and m.user_id = p_user) then
    return false;
  end if;
  perform record_foreign_attempt(p_user, p_named, p_now, p_request_id, p_address);
  return true;
end $$;
comment on function note_foreign_attempt(uuid, uuid, timestamptz, text, text) is
  'Audit log: Returns true if a person named a tenant that is none of theirs, and writes so into the audit log of each '
  'tenant of the person, as record_foreign_attempt does. The API calls it when it refuses such a request.';
comment on function record_foreign_attempt(uuid, uuid, timestamptz, text, text) is
  'Audit log: Writes into the audit log of each tenant of a person that the person named a tenant to which they do '
  'not belong, at most once a minute so that nobody floods the log. note_foreign_attempt calls it, and the API of the '
  'version before.';
alter function note_foreign_attempt(uuid, uuid, timestamptz, text, text) owner to sello_resolver;
revoke execute on function note_foreign_attempt(uuid, uuid, timestamptz, text, text) from public;
grant execute on function note_foreign_attempt(uuid, uuid, timestamptz, text, text) to sello_app;
