-- What an API wrote whose clock had leapt ahead was taken for new until that time came, and nothing could take its place.
create or replace function remember_taxpayer(
  p_ruc text, p_found boolean, p_legal_name text, p_trade_name text, p_contributor_status text, p_contributor_type text,
  p_address text, p_verified_at timestamptz) returns void
  language sql security definer set search_path = sello, pg_temp as $$
  insert into taxpayers as t values (p_ruc, p_found, p_legal_name, p_trade_name, p_contributor_status, p_contributor_type, p_address, clock_timestamp())
  on conflict (ruc) do update set
    found = excluded.found, legal_name = excluded.legal_name, trade_name = excluded.trade_name,
    contributor_status = excluded.contributor_status, contributor_type = excluded.contributor_type,
    address = excluded.address, verified_at = excluded.verified_at
$$;
comment on function remember_taxpayer(text, boolean, text, text, text, text, text, timestamptz) is
  'Buyers: Keeps an answer of the SRI''s public registry for all tenants, as of now by the database''s clock; the time that '
  'the caller gives counts for nothing. The API calls it after it has asked the registry.';

create or replace function note_api_key_use(p_tenant uuid, p_api_key uuid, p_now timestamptz) returns void
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  update api_keys k set last_used_at = clock_timestamp()
  from (
    select a.id from api_keys a
    where a.tenant_id = p_tenant and a.id = p_api_key
      and (a.last_used_at is null or a.last_used_at <= clock_timestamp() - interval '1 minute' or a.last_used_at > clock_timestamp())
    for no key update skip locked
  ) stale
  where k.tenant_id = p_tenant and k.id = stale.id;
end $$;
comment on function note_api_key_use(uuid, uuid, timestamptz) is
  'Credentials: Sets when an API key was last used, by the database''s clock and at most once a minute; a time to come is '
  'overwritten, and the time that the caller gives counts for nothing. It skips a row that somebody else holds and does not '
  'wait for the disk, so no request waits for it. The API calls it after it has authenticated a key.';

create or replace function verify_buyers(p_tenant uuid, p_ruc text) returns void
  language sql as $$
  update buyers b set contributor_status = t.contributor_status, contributor_type = t.contributor_type, sri_last_verified_at = t.verified_at
  from recall_taxpayer(p_ruc) t
  where b.tenant_id = p_tenant and b.buyer_id between left(p_ruc, 10) and left(p_ruc, 10) || '999' and ruc_of(b.buyer_id_type, b.buyer_id) = p_ruc
    and t.found and t.verified_at <= clock_timestamp()
    and (b.sri_last_verified_at is null or b.sri_last_verified_at < t.verified_at or b.sri_last_verified_at > clock_timestamp())
$$;
comment on function verify_buyers(uuid, text) is
  'Buyers: Brings what the registry is known to have answered for a RUC into the tenant''s profiles of that '
  'taxpayer, of any of its establishments and of the person''s cédula; what people typed stays. An answer from a time '
  'to come is not believed. The API calls it, and learn_buyer does for a new profile.';
