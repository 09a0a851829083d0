-- True while the credential by which a call came in, an API key or a person's session, still acts in the tenant; else SE002. Asked
-- in the transaction of the act, last but for an act that ends its own credential: a key that is revoked while its call is under
-- way fails the call. An administrator of the platform may act in a closed tenant, as the way in lets them; in its name nobody
-- issues.
create function require_credential(p_tenant uuid, p_credential uuid, p_now timestamptz) returns boolean
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if not (is_credential_valid(p_tenant, p_credential, p_now) or administers_platform(p_credential, p_now)) then
    raise exception 'credential ended' using errcode = 'SE002';
  end if;
  return true;
end $$;

-- Writes the line of an act and looks at who acts once more: the line of record_audit, and `credential`.
create function record_act(p_tenant uuid, p_line jsonb) returns boolean
  language plpgsql as $$
begin
  perform record_audit(p_tenant, p_line);
  return require_credential(p_tenant, (p_line ->> 'credential')::uuid, (p_line ->> 'at')::timestamptz);
end $$;
