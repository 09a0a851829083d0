-- Functions of the schema `sello` after the last migration, to read: `npm run docs` writes them, and nobody applies
-- them.

-- Audit log: note_foreign_attempt, record_act, record_audit, record_for_person, record_foreign_attempt, refuse_change
-- Buyers: learn_buyer, recall_taxpayer, remember_taxpayer, ruc_of, verify_buyers
-- Credentials: administers_platform, authenticate_api_key, authenticate_session, is_credential_valid, note_api_key_use,
-- require_credential, require_credential, session_acts_in, session_has_role
-- Credit notes: came_to_nothing, credit_left, refuse_credited_cancellation, reserve_credit, reserve_credit_again,
-- settle_credited_original, settle_kept_original
-- Drafts and corrections: apply_header, claim_draft_key, correct_document, create_draft, delete_draft, issue_draft,
-- lock_document, store_checked, store_content, update_draft
-- Due work: announce_going_round, claim_step, clear_to_send, is_ready, leave_to_relay, ready_of_tenants,
-- tenants_with_work, unsent_predecessor
-- Events: complete_event, current_lineage, document_snapshot, event_card, events_after, events_behind, fan_out_event,
-- note_removed_events, settle_restored_events, unread_events
-- Issuers: certificate_told, claim_ruc, end_ruc_claim, has_proven_ruc, is_issuer_disabled, lift_ruc_bars,
-- newest_wrapped_keys, notice_certificates, release_ruc, replace_sealed_key, reserve_ruc, sealed_keys_to_rotate,
-- take_ruc_claim
-- Issuing: begin_work, issue_document, issuing_context, last_look
-- Lifecycle: advance_document, document_outcome, guard_document, guard_draft_deletion, guard_draft_part_deletion,
-- is_moving, load_document, restore_content, resume_parked_documents, wake_parked, wake_parked_going_round,
-- was_refused_at_authorization
-- Lists and counts: count_day, count_document, count_documents, documents_meant, fold_document_counts, list_document,
-- search_form, utc_day
-- Lives of the database: beat_of_life, begin_new_life, life_of_database
-- Mails: bounce_mail, claim_mails_going_round, hold_mail, mail_of_document, note_mail_to_stranger, queue_buyer_mail,
-- queue_notice, settle_mail
-- Members: accept_invitation, close_deserted_tenant, has_confirmed_address, has_open_account, invitations_of_person,
-- look_at_invitation, member_cards, note_invitation
-- Numbers: access_key_check_digit, build_access_key, notice_low_sequences, take_number
-- Observing: beat, moving_documents, seconds_since_beat, work_ages
-- Pauses: end_pause, open_pauses, pause_scope, refused_in_a_row, scope_was_served_since, wake_resumed
-- Platform: enter_tenant, platform_create_tenant, platform_set_tenant_active, platform_tenants, require_platform_admin,
-- set_platform_admin
-- Retention: document_papers, documents_past_keeping, is_past_keeping, is_settled, months_past_keeping,
-- record_of_document, remove_archived_documents, remove_as_archived, rows_past_keeping, sign_ins_past_keeping,
-- unknown_tenants
-- Sign-in: address_of_token, begin_email_verification, begin_password_reset, change_password, describe_person,
-- end_every_session, end_session, end_session_of_token, find_account, find_identity, found_own_tenant, found_tenant,
-- hold_session, keep_one_time_token, link_identity, open_session, reclaim_tenants, record_login_failure, rename_person,
-- renew_session, reset_password, rotate_refresh_token, set_person_disabled, sign_up, sign_up_with_identity,
-- take_one_time_token, verify_email
-- Tenants: bind_environment, current_tenant, isolate_tenant_table, provision_tenant
-- Webhooks: before_all_waiting, begin_attempt, bring_some_deliveries_forward, claim_deliveries_going_round,
-- delivery_of_event, end_attempt, failing_webhooks, replace_sealed_webhook_secret, replay_events, restart_delivery,
-- resume_some_deliveries, sealed_webhook_secrets_after, switch_webhook_off, webhooks_to_resume


-- ===== Audit log

-- Returns true if a person named a tenant that is none of theirs, and writes so into the audit log of each tenant of
-- the person, as record_foreign_attempt does. The API calls it when it refuses such a request.
CREATE OR REPLACE FUNCTION sello.note_foreign_attempt(p_user uuid, p_named uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  if exists (select from members m where m.tenant_id = p_named and m.user_id = p_user) then
    return false;
  end if;
  perform record_foreign_attempt(p_user, p_named, p_now, p_request_id, p_address);
  return true;
end $function$;
alter function note_foreign_attempt(uuid,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function note_foreign_attempt(uuid,uuid,timestamp with time zone,text,text) from public;
grant execute on function note_foreign_attempt(uuid,uuid,timestamp with time zone,text,text) to sello_app;

-- Writes the line of an act into the audit log as record_audit does, then raises SE002 if the line's `credential` may
-- no longer act in the tenant, and SE010 if it may but not in the line's `role` any more. It returns true. The API
-- calls it in the transaction of each act that it records.
CREATE OR REPLACE FUNCTION sello.record_act(p_tenant uuid, p_line jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform record_audit(p_tenant, p_line);
  return require_credential(p_tenant, (p_line ->> 'credential')::uuid, (p_line ->> 'at')::timestamptz, p_line ->> 'role');
end $function$;

-- Writes one line of a tenant's audit log, given as {at, actor_kind, actor_id, action, target_kind, target_id, detail,
-- request_id, address}, in the transaction of the act that the line describes. It returns true so that it can stand in
-- a select list beside the act's own function. The API calls it, and so do record_act and the functions of the
-- platform.
CREATE OR REPLACE FUNCTION sello.record_audit(p_tenant uuid, p_line jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, detail, request_id, address)
  values (
    p_tenant, gen_random_uuid(), (p_line ->> 'at')::timestamptz, p_line ->> 'actor_kind', (p_line ->> 'actor_id')::uuid, p_line ->> 'action',
    p_line ->> 'target_kind', (p_line ->> 'target_id')::uuid, coalesce(p_line -> 'detail', '{}'), p_line ->> 'request_id', p_line ->> 'address');
  return true;
end $function$;

-- Writes the same line into the audit log of each tenant in which the person is an active member. The person stands as
-- the one who acted, or nobody does where somebody only tried to be the person. The functions of sign-in, sessions and
-- accounts call it.
CREATE OR REPLACE FUNCTION sello.record_for_person(p_user uuid, p_by_person boolean, p_action text, p_detail jsonb, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, detail, request_id, address)
  select m.tenant_id, gen_random_uuid(), p_now, case when p_by_person then 'user' else 'system' end, case when p_by_person then p_user end,
    p_action, 'user', p_user, p_detail, p_request_id, p_address
  from members m where m.user_id = p_user and m.status = 'active'
$function$;
alter function record_for_person(uuid,boolean,text,jsonb,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function record_for_person(uuid,boolean,text,jsonb,timestamp with time zone,text,text) from public;

-- Writes into the audit log of each tenant of a person that the person named a tenant to which they do not belong, at
-- most once a minute so that nobody floods the log. note_foreign_attempt calls it.
CREATE OR REPLACE FUNCTION sello.record_foreign_attempt(p_user uuid, p_named uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, detail, request_id, address)
  select m.tenant_id, md5(m.tenant_id::text || p_user::text || date_trunc('minute', p_now at time zone 'UTC')::text || 'foreign')::uuid, p_now,
    'user', p_user, 'access.foreign_tenant_refused', jsonb_build_object('named', p_named), p_request_id, p_address
  from members m where m.user_id = p_user and m.status = 'active'
  on conflict do nothing
$function$;
alter function record_foreign_attempt(uuid,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function record_foreign_attempt(uuid,uuid,timestamp with time zone,text,text) from public;

-- Trigger of audit_log before every update, delete and truncate: raises SE120, because the log is append-only. Only
-- sello_worker, as which the operator's retention runs, may delete lines, and only those older than 365 days.
CREATE OR REPLACE FUNCTION sello.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and current_user = 'sello_worker' then
    if old.at < now() - interval '365 days' then return old; end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'SE120';
end $function$;


-- ===== Buyers

-- Trigger of documents after one with a buyer is authorized for the first time: counts it for the buyer, and makes a
-- profile or fills the address and e-mail that a profile lacks, unless a person has set them. A profile that lacks
-- nothing is not locked, so documents of one buyer do not wait for each other.
CREATE OR REPLACE FUNCTION sello.learn_buyer()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  insert into buyer_documents (tenant_id, buyer_id_type, buyer_id, document_id, authorized_at)
  values (new.tenant_id, new.buyer_id_type, new.buyer_id, new.id, new.updated_at)
  on conflict do nothing;
  if not found then return null; end if;
  insert into buyers (tenant_id, id, buyer_id_type, buyer_id, legal_name, address, email, created_at, updated_at)
  values (new.tenant_id, gen_random_uuid(), new.buyer_id_type, new.buyer_id, new.buyer_name, new.buyer_address, new.buyer_email, new.updated_at, new.updated_at)
  on conflict do nothing;
  if found then
    perform verify_buyers(new.tenant_id, ruc_of(new.buyer_id_type, new.buyer_id));
  else
    update buyers b set
      address = case when 'address' = any (b.kept_fields) then b.address else coalesce(b.address, new.buyer_address) end,
      email = case when 'email' = any (b.kept_fields) then b.email else coalesce(b.email, new.buyer_email) end,
      updated_at = new.updated_at
    where b.tenant_id = new.tenant_id and b.buyer_id_type = new.buyer_id_type and b.buyer_id = new.buyer_id
      and (b.address is null and new.buyer_address is not null and not 'address' = any (b.kept_fields)
           or b.email is null and new.buyer_email is not null and not 'email' = any (b.kept_fields));
  end if;
  return null;
end $function$;

-- Returns what the SRI's public registry last answered for a RUC, or no row if it was never asked. The API and
-- verify_buyers call it.
CREATE OR REPLACE FUNCTION sello.recall_taxpayer(p_ruc text)
 RETURNS SETOF taxpayers
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select * from taxpayers t where t.ruc = p_ruc
$function$;
alter function recall_taxpayer(text) owner to sello_resolver;
revoke execute on function recall_taxpayer(text) from public;
grant execute on function recall_taxpayer(text) to sello_app;

-- Keeps an answer of the SRI's public registry for all tenants, as of now by the database's clock; the time that the
-- caller gives counts for nothing. The API calls it after it has asked the registry.
CREATE OR REPLACE FUNCTION sello.remember_taxpayer(p_ruc text, p_found boolean, p_legal_name text, p_trade_name text, p_contributor_status text, p_contributor_type text, p_address text, p_verified_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  insert into taxpayers as t values (p_ruc, p_found, p_legal_name, p_trade_name, p_contributor_status, p_contributor_type, p_address, clock_timestamp())
  on conflict (ruc) do update set
    found = excluded.found, legal_name = excluded.legal_name, trade_name = excluded.trade_name,
    contributor_status = excluded.contributor_status, contributor_type = excluded.contributor_type,
    address = excluded.address, verified_at = excluded.verified_at
$function$;
alter function remember_taxpayer(text,boolean,text,text,text,text,text,timestamp with time zone) owner to sello_resolver;
revoke execute on function remember_taxpayer(text,boolean,text,text,text,text,text,timestamp with time zone) from public;
grant execute on function remember_taxpayer(text,boolean,text,text,text,text,text,timestamp with time zone) to sello_app;

-- Returns the RUC under which the registry knows an identification: a RUC with its first establishment, or a cédula
-- followed by 001; null for passports and foreign identifications. learn_buyer and verify_buyers call it, and the API
-- does.
CREATE OR REPLACE FUNCTION sello.ruc_of(p_id_type text, p_id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when p_id_type in ('04', '05') then left(p_id, 10) || '001' end
$function$;

-- Brings what the registry is known to have answered for a RUC into the tenant's profiles of that taxpayer, of any of
-- its establishments and of the person's cédula; what people typed stays. An answer from a time to come is not
-- believed. The API calls it, and learn_buyer does for a new profile.
CREATE OR REPLACE FUNCTION sello.verify_buyers(p_tenant uuid, p_ruc text)
 RETURNS void
 LANGUAGE sql
AS $function$
  update buyers b set contributor_status = t.contributor_status, contributor_type = t.contributor_type, sri_last_verified_at = t.verified_at
  from recall_taxpayer(p_ruc) t
  where b.tenant_id = p_tenant and b.buyer_id between left(p_ruc, 10) and left(p_ruc, 10) || '999' and ruc_of(b.buyer_id_type, b.buyer_id) = p_ruc
    and t.found and t.verified_at <= clock_timestamp()
    and (b.sri_last_verified_at is null or b.sri_last_verified_at < t.verified_at or b.sri_last_verified_at > clock_timestamp())
$function$;


-- ===== Credentials

-- Returns true while the session is open and its person is an administrator of the platform, who may work in closed
-- tenants too. require_credential, last_look, events_after and document_outcome call it.
CREATE OR REPLACE FUNCTION sello.administers_platform(p_session uuid, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select exists (
    select from sessions s join users u on u.id = s.user_id
    where s.id = p_session and s.ended_at is null and s.expires_at > p_now and u.disabled_at is null and u.is_platform_admin)
$function$;
alter function administers_platform(uuid,timestamp with time zone) owner to sello_resolver;
revoke execute on function administers_platform(uuid,timestamp with time zone) from public;
grant execute on function administers_platform(uuid,timestamp with time zone) to sello_app;

-- Returns the key, tenant, environment, time of revocation and last use of the API key with this hash, and no row for
-- an unknown one. The keys of a closed tenant come back as revoked. The API calls it for each request that carries an
-- API key.
CREATE OR REPLACE FUNCTION sello.authenticate_api_key(p_hash bytea)
 RETURNS TABLE(api_key_id uuid, tenant_id uuid, environment text, revoked_at timestamp with time zone, last_used_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select k.id, k.tenant_id, k.environment, case when t.is_active then k.revoked_at else t.created_at end, k.last_used_at
  from api_keys k join tenants t on t.id = k.tenant_id
  where k.key_hash = p_hash
$function$;
alter function authenticate_api_key(bytea) owner to sello_resolver;
revoke execute on function authenticate_api_key(bytea) from public;
grant execute on function authenticate_api_key(bytea) to sello_app;

-- Returns one row for each active tenant in which the person is an active member (only the named one, if one is named),
-- and one row without a tenant if there is none, though an administrator of the platform gets the tenant that is named.
-- It returns no row once the session has ended, the account is disabled or the access token's version no longer counts.
-- The API calls it for each request of a signed-in person, and for long answers to see whether the session still
-- stands.
CREATE OR REPLACE FUNCTION sello.authenticate_session(p_user uuid, p_session uuid, p_token_version integer, p_tenant uuid, p_now timestamp with time zone)
 RETURNS TABLE(is_platform_admin boolean, email text, name text, tenant_id uuid, member_id uuid, role text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select u.is_platform_admin, u.email, u.name, t.id, m.id, m.role
  from users u
  join sessions s on s.id = p_session and s.user_id = u.id and s.ended_at is null and s.expires_at > p_now
  left join (members m join tenants mt on mt.id = m.tenant_id and mt.is_active)
    on m.user_id = u.id and m.status = 'active' and (p_tenant is null or m.tenant_id = p_tenant)
  left join tenants t on t.id = coalesce(m.tenant_id, case when u.is_platform_admin then p_tenant end)
  where u.id = p_user and u.disabled_at is null and p_token_version between coalesce(s.valid_from_version, u.token_version) and u.token_version
  order by m.created_at
$function$;
alter function authenticate_session(uuid,uuid,integer,uuid,timestamp with time zone) owner to sello_resolver;
revoke execute on function authenticate_session(uuid,uuid,integer,uuid,timestamp with time zone) from public;
grant execute on function authenticate_session(uuid,uuid,integer,uuid,timestamp with time zone) to sello_app;

-- Returns true while a credential, which is the id of an API key or of a person's session, may act in an active tenant.
-- last_look, require_credential, events_after and document_outcome call it, so that a key that is revoked ends calls
-- that are under way.
CREATE OR REPLACE FUNCTION sello.is_credential_valid(p_tenant uuid, p_credential uuid, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when exists (
      select from api_keys k join tenants t on t.id = k.tenant_id
      where k.tenant_id = p_tenant and k.id = p_credential and k.revoked_at is null and t.is_active
    ) then true
    else session_acts_in(p_tenant, p_credential, p_now)
  end
$function$;

-- Sets when an API key was last used, by the database's clock and at most once a minute; a time to come is overwritten,
-- and the time that the caller gives counts for nothing. It skips a row that somebody else holds and does not wait for
-- the disk, so no request waits for it. The API calls it after it has authenticated a key.
CREATE OR REPLACE FUNCTION sello.note_api_key_use(p_tenant uuid, p_api_key uuid, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- Returns true, or raises SE002 when the API key or session by which a call came in may no longer act in the tenant. An
-- administrator of the platform passes even in a closed tenant. The API calls it in the transaction of every act that
-- changes something, after the act itself, so that a key that is revoked meanwhile fails the call.
CREATE OR REPLACE FUNCTION sello.require_credential(p_tenant uuid, p_credential uuid, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if not (is_credential_valid(p_tenant, p_credential, p_now) or administers_platform(p_credential, p_now)) then
    raise exception 'credential ended' using errcode = 'SE002';
  end if;
  return true;
end $function$;

-- As the function of the same name without a role; then, unless the role is null, raises SE010 when the person of the
-- session no longer has it. The API calls it in the transaction of every act that changes something, and between the
-- parts of an export.
CREATE OR REPLACE FUNCTION sello.require_credential(p_tenant uuid, p_credential uuid, p_now timestamp with time zone, p_role text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  perform require_credential(p_tenant, p_credential, p_now);
  if p_role is not null and not session_has_role(p_tenant, p_credential, p_role) then
    raise exception 'role changed' using errcode = 'SE010';
  end if;
  return true;
end $function$;

-- Returns true while the person of this session may act in the tenant: the session is open, the account is not
-- disabled, the tenant is active, and the person is an active member of it or an administrator of the platform.
-- is_credential_valid calls it.
CREATE OR REPLACE FUNCTION sello.session_acts_in(p_tenant uuid, p_session uuid, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select exists (
    select from sessions s join users u on u.id = s.user_id join tenants t on t.id = p_tenant
    where s.id = p_session and s.ended_at is null and s.expires_at > p_now and u.disabled_at is null and t.is_active
      and (u.is_platform_admin or exists (
        select from members m where m.tenant_id = p_tenant and m.user_id = u.id and m.status = 'active')))
$function$;
alter function session_acts_in(uuid,uuid,timestamp with time zone) owner to sello_resolver;
revoke execute on function session_acts_in(uuid,uuid,timestamp with time zone) from public;
grant execute on function session_acts_in(uuid,uuid,timestamp with time zone) to sello_app;

-- Returns true while the person of this session is an active member of the tenant in this role or, for the role
-- platform_admin, an administrator of the platform. require_credential calls it.
CREATE OR REPLACE FUNCTION sello.session_has_role(p_tenant uuid, p_session uuid, p_role text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select case when p_role = 'platform_admin'
    then exists (select from sessions s join users u on u.id = s.user_id where s.id = p_session and u.is_platform_admin)
    else exists (
      select from sessions s join members m on m.user_id = s.user_id
      where s.id = p_session and m.tenant_id = p_tenant and m.role = p_role and m.status = 'active')
  end
$function$;
alter function session_has_role(uuid,uuid,text) owner to sello_resolver;
revoke execute on function session_has_role(uuid,uuid,text) from public;
grant execute on function session_has_role(uuid,uuid,text) to sello_app;


-- ===== Credit notes

-- Returns true if a document of that status, error code and error detail was not issued or has no effect any more. One
-- that was given up while the SRI showed another authorized under its access key has, unless that was annulled.
-- credit_left, refuse_credited_cancellation and the API's queries call it.
CREATE OR REPLACE FUNCTION sello.came_to_nothing(p_status text, p_error_code text, p_error_detail jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select p_status in ('DRAFT', 'VALIDATED', 'CANCELLED')
    or p_status = 'FAILED_PERMANENT' and (p_error_code is distinct from 'ANSWER_MISMATCH' or coalesce(p_error_detail ? 'annulled', false))
$function$;

-- Returns how much an invoice has left to credit: its total without the credit notes that were issued for it, but for
-- p_except. Notes that came to nothing do not count. It is less than nothing where the SRI authorized more than there
-- was, and null if there is no such document. The API calls it for its checks, and reserve_credit does under its lock.
CREATE OR REPLACE FUNCTION sello.credit_left(p_tenant uuid, p_original uuid, p_except uuid)
 RETURNS numeric
 LANGUAGE sql
 STABLE
AS $function$
  select d.total - coalesce((
    select sum(n.total) from documents n
    where n.tenant_id = p_tenant and n.modified_document_id = p_original and n.document_type = '04' and n.id is distinct from p_except
      and not came_to_nothing(n.status, n.error_code, n.error_detail)), 0)
  from documents d where d.tenant_id = p_tenant and d.id = p_original
$function$;

-- Trigger of documents before an authorized document is asked to be annulled: raises SE008 if credit notes were issued
-- for it that have not come to nothing, with the numbers of the first twenty in the detail, and … behind them if there
-- are more. It runs under the document's lock, which credit notes take too.
CREATE OR REPLACE FUNCTION sello.refuse_credited_cancellation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  notes text;
begin
  select string_agg(case when n.place <= 20 then n.number else '…' end, ', ' order by n.place) into notes from (
    select row_number() over (order by d.created_at, d.id) as place,
      substr(d.access_key, 25, 3) || '-' || substr(d.access_key, 28, 3) || '-' || substr(d.access_key, 31, 9) as number
    from documents d
    where d.tenant_id = new.tenant_id and d.modified_document_id = new.id and d.document_type = '04'
      and not came_to_nothing(d.status, d.error_code, d.error_detail)
    order by d.created_at, d.id limit 21
  ) n;
  if notes is not null then
    raise exception 'credit notes were issued for the document' using errcode = 'SE008', detail = notes;
  end if;
  return new;
end $function$;

-- Holds a credit note's total against what its invoice has left. It raises SE006 unless the invoice is AUTHORIZED, and
-- SE007, with the balance in the detail, if the total exceeds it. It locks the invoice, so that concurrent credit notes
-- are judged one after the other. issue_document, store_checked and reserve_credit_again call it.
CREATE OR REPLACE FUNCTION sello.reserve_credit(p_tenant uuid, p_credit_note uuid, p_original uuid, p_total numeric)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  original_status text;
  available numeric;
begin
  select d.status into original_status from documents d where d.tenant_id = p_tenant and d.id = p_original for update;
  if original_status is distinct from 'AUTHORIZED' then
    raise exception 'the original is %', coalesce(original_status, 'missing') using errcode = 'SE006';
  end if;
  available := credit_left(p_tenant, p_original, p_credit_note);
  if p_total > available then
    available := greatest(available, 0.00);
    raise exception '% are left to credit', available using errcode = 'SE007', detail = available::text;
  end if;
end $function$;

-- Trigger of documents after a credit note that was refused, given up or had failed for good is taken up again: holds
-- its total against the balance of the invoice once more, and raises SE006 or SE007 as reserve_credit does.
CREATE OR REPLACE FUNCTION sello.reserve_credit_again()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  perform reserve_credit(new.tenant_id, new.id, new.modified_document_id, new.total);
  return null;
end $function$;

-- Trigger of documents after a credit note is authorized or annulled: makes the invoice VOIDED_BY_NC once its credit
-- notes add up to its total, or AUTHORIZED again once they no longer do, with history and event. It locks the invoice,
-- which advance_document has locked already.
CREATE OR REPLACE FUNCTION sello.settle_credited_original()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  original documents%rowtype;
  credited numeric;
  notes integer;
  settled text;
begin
  select * into original from documents d where d.tenant_id = new.tenant_id and d.id = new.modified_document_id for update;
  select coalesce(sum(d.total), 0), count(*) into credited, notes from documents d
  where d.tenant_id = new.tenant_id and d.modified_document_id = original.id and d.document_type = '04'
    and d.status in ('AUTHORIZED', 'CANCELLATION_REQUESTED');
  -- Over nothing at all, a note that stands credits it in full; none does not.
  settled := case when notes > 0 and credited >= original.total then 'VOIDED_BY_NC' else 'AUTHORIZED' end;
  if original.status is null or original.status not in ('AUTHORIZED', 'VOIDED_BY_NC') or original.status = settled then
    return null;
  end if;
  update documents set status = settled, version = version + 1, updated_at = new.updated_at
  where tenant_id = original.tenant_id and id = original.id;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at, detail)
  values (original.tenant_id, original.id, original.version + 1, original.status,
          case settled when 'VOIDED_BY_NC' then 'credited_in_full' else 'credit_annulled' end, settled, new.updated_at,
          jsonb_build_object('credit_note_id', new.id));
  insert into events (tenant_id, id, type, document_id, document_version, created_at)
  values (original.tenant_id, gen_random_uuid(), case settled when 'VOIDED_BY_NC' then 'document.voided' else 'document.authorized' end,
          original.id, original.version + 1, new.updated_at);
  return null;
end $function$;

-- Trigger of documents, deferred to the commit, after an invoice whose annulment came to nothing is AUTHORIZED again:
-- makes it VOIDED_BY_NC, with history and event, if the credit notes that stand add up to its total.
CREATE OR REPLACE FUNCTION sello.settle_kept_original()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  credited numeric;
  notes integer;
begin
  select coalesce(sum(n.total), 0), count(*) into credited, notes from documents n
  where n.tenant_id = new.tenant_id and n.modified_document_id = new.id and n.document_type = '04' and n.status in ('AUTHORIZED', 'CANCELLATION_REQUESTED');
  if notes = 0 or credited < new.total then
    return null;
  end if;
  update documents set status = 'VOIDED_BY_NC', version = version + 1, updated_at = new.updated_at where tenant_id = new.tenant_id and id = new.id;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (new.tenant_id, new.id, new.version + 1, 'AUTHORIZED', 'credited_in_full', 'VOIDED_BY_NC', new.updated_at);
  insert into events (tenant_id, id, type, document_id, document_version, created_at)
  values (new.tenant_id, gen_random_uuid(), 'document.voided', new.id, new.version + 1, new.updated_at);
  return null;
end $function$;


-- ===== Drafts and corrections

-- Returns a document with the columns that its content determines (parties, date, totals, modified document) replaced,
-- and its idempotency key kept. Nothing is stored. update_draft, store_checked and restore_content call it.
CREATE OR REPLACE FUNCTION sello.apply_header(d documents, p_header jsonb)
 RETURNS documents
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  h documents%rowtype := jsonb_populate_record(d, p_header);
begin
  h.idempotency_key := d.idempotency_key;
  return h;
end $function$;

-- Makes the idempotency key of a draft one that the issuer has used for it, and returns null. It returns the other
-- document if the issuer has used the key for one. update_draft and issue_draft call it.
CREATE OR REPLACE FUNCTION sello.claim_draft_key(d documents, p_issuer uuid, p_now timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  holder uuid;
begin
  if d.idempotency_key is null then
    return null;
  end if;
  select k.document_id into holder from idempotency_keys k
  where k.tenant_id = d.tenant_id and k.issuer_id = p_issuer and k.key = d.idempotency_key;
  if not found then
    insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, response, created_at)
    select d.tenant_id, p_issuer, k.key, k.operation, k.fingerprint, k.document_id, k.response, p_now
    from issuers i
    join idempotency_keys k on k.tenant_id = i.tenant_id and k.issuer_id = i.id and k.key = d.idempotency_key
    where i.tenant_id = d.tenant_id and k.document_id = d.id
    order by k.created_at limit 1
    on conflict do nothing;
    select k.document_id into holder from idempotency_keys k
    where k.tenant_id = d.tenant_id and k.issuer_id = p_issuer and k.key = d.idempotency_key;
  end if;
  return nullif(holder, d.id);
end $function$;

-- Puts other content under the number of a document that the SRI refused, sends it on its way again, and returns the
-- access key. A new date makes a new access key, which is legal only while the SRI has stored nothing under the old
-- one; the API, which calls it, sees to that. It raises SE110 if the document is no longer refused at the version that
-- was read, and SE002, SE003, SE004, SE006, SE007, SE009 and SE012 as store_checked does. It locks the original of a
-- credit note, then the document.
CREATE OR REPLACE FUNCTION sello.correct_document(p_tenant uuid, p_api_key uuid, p_document uuid, p_version integer, p_now timestamp with time zone, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  d documents%rowtype;
  key text;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from documents o where o.tenant_id = p_tenant and p_header ->> 'document_type' = '04' and o.id = (p_header ->> 'modified_document_id')::uuid for update;
  d := lock_document(p_tenant, p_document, 'REJECTED', p_version);
  d := store_checked(d, p_api_key, p_now, p_header, p_content, p_snapshot, p_warnings);
  key := build_access_key(
    d.issue_date, d.document_type, p_snapshot ->> 'ruc', d.sri_environment,
    p_snapshot ->> 'establishmentCode', p_snapshot ->> 'emissionPointCode', d.sequential, p_content ->> 'numericCode');
  update documents set
    status = 'NUMBER_RESERVED', version = version + 1, access_key = key,
    error_code = null, error_detail = null, sri_messages = '[]', suspicion = null,
    reception_attempts = 0, authorization_attempts = 0, received_at = null, deadline_at = null, next_attempt_at = p_now
  where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'REJECTED', 'corrected', 'NUMBER_RESERVED', p_now);
  -- Until now the refused document may have been compared with the SRI daily.
  delete from outbox where tenant_id = p_tenant and document_id = p_document;
  perform begin_work(d, d.sequential, false, p_now);
  return key;
end $function$;

-- Stores a draft once for each idempotency key. The outcome is accepted, or replayed with the first answer if the
-- issuer's key was used; the operation is `draft` or `credit_note:` with the id of the original. The API calls it.
CREATE OR REPLACE FUNCTION sello.create_draft(p_tenant uuid, p_document uuid, p_now timestamp with time zone, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb, p_idempotency_key text, p_operation text, p_fingerprint text)
 RETURNS TABLE(outcome text, fingerprint text, operation text, response jsonb)
 LANGUAGE plpgsql
AS $function$
declare
  h documents%rowtype;
  first_answer idempotency_keys%rowtype;
  answer jsonb := jsonb_build_object('document_id', p_document);
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  h := jsonb_populate_record(null::documents, p_header);
  if p_idempotency_key is not null then
    insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, response, created_at)
    values (p_tenant, h.issuer_id, p_idempotency_key, p_operation, p_fingerprint, p_document, answer, p_now)
    on conflict do nothing;
    if not found then
      select * into first_answer from idempotency_keys k
      where k.tenant_id = p_tenant and k.issuer_id = h.issuer_id and k.key = p_idempotency_key;
      return query select 'replayed', first_answer.fingerprint, first_answer.operation, first_answer.response;
      return;
    end if;
  end if;
  h.tenant_id := p_tenant;
  h.id := p_document;
  h.status := 'DRAFT';
  h.version := 1;
  h.idempotency_key := p_idempotency_key;
  h.content_revision := 1;
  h.sri_messages := '[]';
  h.warnings := p_warnings;
  h.signing_no := 0;
  h.reception_attempts := 0;
  h.authorization_attempts := 0;
  h.created_at := p_now;
  h.updated_at := p_now;
  insert into documents select (h).*;
  insert into document_contents (tenant_id, document_id, revision, content, issuer_snapshot, created_at)
  values (p_tenant, p_document, 1, p_content, p_snapshot, p_now);
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, 1, null, 'drafted', 'DRAFT', p_now);
  return query select 'accepted', p_fingerprint, p_operation, answer;
end $function$;

-- Deletes a draft with its contents and history; its idempotency key stays used. It raises SE110 if the draft is no
-- longer at the version that was read. The API calls it.
CREATE OR REPLACE FUNCTION sello.delete_draft(p_tenant uuid, p_document uuid, p_version integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform lock_document(p_tenant, p_document, 'DRAFT', p_version);
  delete from document_contents where tenant_id = p_tenant and document_id = p_document;
  delete from document_history where tenant_id = p_tenant and document_id = p_document;
  delete from documents where tenant_id = p_tenant and id = p_document;
end $function$;

-- Issues a draft with the content as it was checked: it takes a number, writes history and due work, and returns the
-- access key. It raises SE110 if the draft is no longer at the version that was read, SE011, with the other document in
-- the detail, if the issuer has used its idempotency key for one, SE001 and SE005 as take_number does, and SE002,
-- SE003, SE004, SE006, SE007, SE009 and SE012 as store_checked does. The API calls it.
CREATE OR REPLACE FUNCTION sello.issue_draft(p_tenant uuid, p_api_key uuid, p_document uuid, p_version integer, p_now timestamp with time zone, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'DRAFT', p_version);
  other uuid := claim_draft_key(d, d.issuer_id, p_now);
  number record;
begin
  if other is not null then
    raise exception 'the issuer has used the key of draft % for another document', p_document using errcode = 'SE011', detail = other::text;
  end if;
  d := store_checked(d, p_api_key, p_now, p_header, p_content, p_snapshot, p_warnings);
  update documents set status = 'VALIDATED', version = version + 1 where tenant_id = p_tenant and id = p_document;
  select * into number from take_number(p_tenant, d, p_snapshot, p_content ->> 'numericCode');
  update documents set
    status = 'NUMBER_RESERVED', version = version + 1, sequential = number.sequential, access_key = number.access_key, next_attempt_at = p_now
  where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'DRAFT', 'validated', 'VALIDATED', p_now),
         (p_tenant, p_document, p_version + 2, 'VALIDATED', 'number_taken', 'NUMBER_RESERVED', p_now);
  perform begin_work(d, number.sequential, true, p_now);
  return number.access_key;
end $function$;

-- Locks a document and returns it, or raises SE110 if it is no longer in this status at this version. update_draft,
-- delete_draft, issue_draft and correct_document call it first.
CREATE OR REPLACE FUNCTION sello.lock_document(p_tenant uuid, p_document uuid, p_status text, p_version integer)
 RETURNS documents
 LANGUAGE plpgsql
AS $function$
declare
  d documents%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into d from documents where tenant_id = p_tenant and id = p_document for update;
  if not found or d.status <> p_status or d.version <> p_version then
    raise exception 'document % is no longer % at version %', p_document, p_status, p_version using errcode = 'SE110';
  end if;
  return d;
end $function$;

-- Stores the checked content of a draft or refused document that is about to go out, and returns the document. It
-- raises SE002, SE003, SE004, SE009 and SE012 as last_look does, and for credit notes SE006 and SE007 as reserve_credit
-- does. issue_draft and correct_document call it, under the lock on the document.
CREATE OR REPLACE FUNCTION sello.store_checked(d documents, p_api_key uuid, p_now timestamp with time zone, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
 RETURNS documents
 LANGUAGE plpgsql
AS $function$
begin
  d := apply_header(d, p_header);
  perform last_look(d.tenant_id, p_api_key, d.issuer_id, p_now);
  if d.document_type = '04' and d.modified_document_id is not null then
    perform reserve_credit(d.tenant_id, d.id, d.modified_document_id, d.total);
  end if;
  perform store_content(d, p_content, p_snapshot, p_warnings, p_now);
  return d;
end $function$;

-- Stores the content of a locked document as a further revision, with the columns that come from it. update_draft and
-- store_checked call it.
CREATE OR REPLACE FUNCTION sello.store_content(d documents, p_content jsonb, p_snapshot jsonb, p_warnings jsonb, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into document_contents (tenant_id, document_id, revision, content, issuer_snapshot, created_at)
  values (d.tenant_id, d.id, d.content_revision + 1, p_content, p_snapshot, p_now);
  update documents set
    issuer_id = d.issuer_id, establishment_id = d.establishment_id, emission_point_id = d.emission_point_id,
    document_type = d.document_type, issue_date = d.issue_date,
    subtotal = d.subtotal, total_discount = d.total_discount, total_tax = d.total_tax, total = d.total,
    buyer_id_type = d.buyer_id_type, buyer_id = d.buyer_id, buyer_name = d.buyer_name, buyer_email = d.buyer_email,
    buyer_address = d.buyer_address, modified_document_id = d.modified_document_id,
    modified_document_type = d.modified_document_type, modified_document_number = d.modified_document_number,
    modified_document_issue_date = d.modified_document_issue_date, reason = d.reason,
    warnings = p_warnings, content_revision = d.content_revision + 1, updated_at = p_now
  where tenant_id = d.tenant_id and id = d.id;
$function$;

-- Puts other content into a draft and returns its new version, which grows so that concurrent edits are seen. Of the
-- contents the first and the present one stay. A draft that moves to another issuer takes its idempotency key along,
-- and keeps it used where it was. It raises SE110 if the draft is no longer at the version that was read, and SE011,
-- with the other document in the detail, if the new issuer has used the key already. The API calls it.
CREATE OR REPLACE FUNCTION sello.update_draft(p_tenant uuid, p_document uuid, p_version integer, p_now timestamp with time zone, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  d documents%rowtype := lock_document(p_tenant, p_document, 'DRAFT', p_version);
  edited documents%rowtype := apply_header(d, p_header);
  other uuid := claim_draft_key(d, edited.issuer_id, p_now);
begin
  if other is not null and edited.issuer_id <> d.issuer_id then
    raise exception 'the issuer has used the key of draft % for another document', p_document using errcode = 'SE011', detail = other::text;
  end if;
  -- The first content answers repetitions of the call that created the draft; of the others only the present one is asked for.
  delete from document_contents where tenant_id = p_tenant and document_id = p_document and revision > 1;
  perform store_content(edited, p_content, p_snapshot, p_warnings, p_now);
  update documents set version = version + 1 where tenant_id = p_tenant and id = p_document;
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, p_version + 1, 'DRAFT', 'edited', 'DRAFT', p_now);
  return p_version + 1;
end $function$;


-- ===== Due work

-- Marks up to p_limit rows of due work as announced and returns them, so that the worker's relay rings the bell for
-- each. Where more is due, tenants take turns: the look begins after the tenant p_after, and looked_until names the one
-- after which the next look goes on. p_places bounds how many of a step may be begun. Rows that somebody holds are
-- skipped. The worker's relay calls it.
CREATE OR REPLACE FUNCTION sello.announce_going_round(p_now timestamp with time zone, p_patience interval, p_limit integer, p_places jsonb, p_after uuid)
 RETURNS TABLE(tenant_id uuid, document_id uuid, announcement integer, looked_until uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET random_page_cost TO '1'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  before_all constant uuid := '00000000-0000-0000-0000-000000000000';
  -- A few at least, however little room there is: among one or two there may be no questions, which come first.
  as_many constant integer := greatest(p_limit, 6);
  at_a_time integer := as_many;
  room integer := p_limit;
  room_before integer;
  places jsonb := coalesce(p_places, '{}');
  start_at constant uuid := coalesce(p_after, before_all);
  is_round boolean := false;
  tenants uuid[];
  found_step text;
  is_simple boolean;
begin
  -- A bell forgotten by a crash of the server is rung again: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  is_simple := (select count(*) from (select from outbox o where o.due_at <= p_now and o.sequential < 1000000000 limit p_limit + 1) due) <= p_limit;
  if is_simple and p_places is not null then
    is_simple := not exists (select from outbox o where o.due_at <= p_now and o.sequential < 1000000000 and p_places ? o.step);
  end if;
  if is_simple then
    return query
    update outbox o set announced_at = p_now, announcements = o.announcements + 1
    from (
      select w.tenant_id, w.document_id from outbox w
      where w.due_at <= p_now and w.sequential < 1000000000 and is_ready(w, p_now, p_patience)
      for no key update skip locked
    ) ready
    where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
    returning o.tenant_id, o.document_id, o.announcements, null::uuid;
    return;
  end if;
  looked_until := start_at;
  loop
    tenants := array(select t.id from tenants_with_work(looked_until, at_a_time) as t (id) where not is_round or t.id <= start_at);
    -- The last tenants share their turn with the first: alone, they would have all of it.
    if cardinality(tenants) < at_a_time and not is_round then
      is_round := true;
      tenants := tenants || array(select t.id from tenants_with_work(before_all, at_a_time - cardinality(tenants)) as t (id) where t.id <= start_at);
    end if;
    looked_until := coalesce(tenants[cardinality(tenants)], looked_until);
    room_before := room;
    for tenant_id, document_id, announcement, found_step in
      update outbox o set announced_at = p_now, announcements = o.announcements + 1
      from (
        select w.tenant_id, w.document_id
        from ready_of_tenants(tenants, p_now, p_patience, room, places) turn
        join outbox w on w.tenant_id = turn.tenant_id and w.document_id = turn.document_id
        where is_ready(w, p_now, p_patience)
        for no key update of w skip locked
      ) ready
      where o.tenant_id = ready.tenant_id and o.document_id = ready.document_id
      returning o.tenant_id, o.document_id, o.announcements, o.step
    loop
      room := room - 1;
      if places ->> found_step is not null then
        places := jsonb_set(places, array[found_step], to_jsonb((places ->> found_step)::integer - 1));
      end if;
      return next;
    end loop;
    exit when room = 0 or cardinality(tenants) < at_a_time;
    -- Past what cannot be begun not in many small parts.
    at_a_time := case when room = room_before then 2 * at_a_time else as_many end;
  end loop;
end $function$;
alter function announce_going_round(timestamp with time zone,interval,integer,jsonb,uuid) owner to sello_worker;
revoke execute on function announce_going_round(timestamp with time zone,interval,integer,jsonb,uuid) from public;
grant execute on function announce_going_round(timestamp with time zone,interval,integer,jsonb,uuid) to sello_app;

-- Takes or renews a worker's lease on the due work of a document, and returns its step and how many leases were lost;
-- no row if there is nothing for this worker to do. A submission that has to wait for an earlier number or a pause is
-- put off for ten minutes at most, or until it is woken. It locks the row, and to be sure of being woken it locks the
-- earlier row or the pause for share, without waiting. The worker calls it first in each step.
CREATE OR REPLACE FUNCTION sello.claim_step(p_tenant uuid, p_document uuid, p_token uuid, p_now timestamp with time zone, p_lease interval)
 RETURNS TABLE(step text, lost_leases integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  work outbox%rowtype;
  pauses uuid[];
  predecessor uuid;
  will_be_woken boolean;
begin
  -- A lease forgotten by a crash of the server fences its worker off, and whatever that worker commits for good
  -- flushes the lease with it: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  select * into work from outbox o
  where o.tenant_id = p_tenant and o.document_id = p_document
  -- Whoever holds the row, to wake it or to look at it, lets go soon; passed over, a lease in use would run out. Those
  -- behind it, who only see to it that it wakes them, do not hold it up.
  for no key update;
  if not found or work.due_at > p_now
     or (work.lease_token is distinct from p_token and work.lease_until >= p_now) then
    return;
  end if;
  if work.step = 'submit' then
    pauses := array(select open_pauses(work.tenant_id, work.issuer_id, work.establishment_id, work.emission_point_id, work.document_type));
    if work.unsent then
      predecessor := unsent_predecessor(work.tenant_id, work.emission_point_id, work.document_type, work.sequential);
    end if;
    if cardinality(pauses) > 0 or predecessor is not null then
      -- Whoever is about to end the wait at this moment may not see this row to wake it: then the relay looks again.
      perform from issuing_pauses p where p.tenant_id = p_tenant and p.id = any (pauses) and p.resumed_at is null for share skip locked;
      will_be_woken := found;
      if not will_be_woken then
        perform from outbox o
        where o.tenant_id = p_tenant and o.document_id = predecessor and o.unsent and o.due_at < 'infinity'
        for key share skip locked;
        will_be_woken := found;
      end if;
      update outbox o set
        ahead = will_be_woken, due_at = case when will_be_woken then p_now + interval '10 minutes' else o.due_at end,
        announced_at = null, lease_token = null, lease_until = null
      where o.tenant_id = p_tenant and o.document_id = p_document;
      return;
    end if;
  end if;
  return query
  update outbox o set
    lease_token = p_token,
    lease_until = p_now + p_lease,
    lost_leases = o.lost_leases + case when o.lease_token is not null and o.lease_token <> p_token then 1 else 0 end
  where o.tenant_id = p_tenant and o.document_id = p_document
  returning o.step, o.lost_leases;
end $function$;
alter function claim_step(uuid,uuid,uuid,timestamp with time zone,interval) owner to sello_worker;
revoke execute on function claim_step(uuid,uuid,uuid,timestamp with time zone,interval) from public;
grant execute on function claim_step(uuid,uuid,uuid,timestamp with time zone,interval) to sello_app;

-- Returns true if a document that is about to be signed may also be sent at once: no pause holds it up and no earlier
-- number waits to be sent. The worker calls it together with claim_step and load_document.
CREATE OR REPLACE FUNCTION sello.clear_to_send(p_tenant uuid, p_document uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  work outbox%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into work from outbox o where o.tenant_id = p_tenant and o.document_id = p_document;
  return not exists (select from open_pauses(work.tenant_id, work.issuer_id, work.establishment_id, work.emission_point_id, work.document_type))
    and (not work.unsent or unsent_predecessor(work.tenant_id, work.emission_point_id, work.document_type, work.sequential) is null);
end $function$;

-- Returns true if the bell is to be rung for a row of due work now: it is due, nobody holds it, and it was not
-- announced within p_patience. announce_going_round and ready_of_tenants call it.
CREATE OR REPLACE FUNCTION sello.is_ready(w outbox, p_now timestamp with time zone, p_patience interval)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select w.due_at <= p_now
    and (w.announced_at is null or w.announced_at < p_now - p_patience)
    and (w.lease_until is null or w.lease_until < p_now)
$function$;

-- Makes work that was announced, but has not been begun, count as never announced, so that the relay takes it up in its
-- turn. Rows that somebody holds are skipped. The API calls it for documents for which it could not ring the bell or
-- the queue has no room, and the worker's relay for those that it cannot begin.
CREATE OR REPLACE FUNCTION sello.leave_to_relay(p_tenants uuid[], p_documents uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
begin
  -- Forgotten by a crash of the server, the row is announced again when nobody has come for it.
  perform set_config('synchronous_commit', 'off', true);
  for place in 1 .. cardinality(p_documents) loop
    perform from outbox w
    where w.tenant_id = p_tenants[place] and w.document_id = p_documents[place] and w.step = 'prepare' and w.lease_token is null
    for no key update skip locked;
    if found then
      update outbox o set announced_at = null where o.tenant_id = p_tenants[place] and o.document_id = p_documents[place];
    end if;
  end loop;
end $function$;
alter function leave_to_relay(uuid[],uuid[]) owner to sello_worker;
revoke execute on function leave_to_relay(uuid[],uuid[]) from public;
grant execute on function leave_to_relay(uuid[],uuid[]) to sello_app;

-- Returns up to p_limit rows of due work of these tenants, who take turns with the oldest and the newest row of every
-- step. Work ahead of its turn counts as eight rows, p_places bounds each step, and three of four rows are questions
-- about documents that were sent, where there are as many. announce_going_round calls it.
CREATE OR REPLACE FUNCTION sello.ready_of_tenants(p_tenants uuid[], p_now timestamp with time zone, p_patience interval, p_limit integer, p_places jsonb)
 RETURNS TABLE(tenant_id uuid, document_id uuid)
 LANGUAGE sql
 STABLE ROWS 20
 SET search_path TO 'sello', 'pg_temp'
 SET random_page_cost TO '1'
AS $function$
  with candidates as (
    select mine.tenant_id, mine.document_id, s.step, s.ahead, s.step = 'authorize' as asks, min(mine.place) as place, hashtext(mine.document_id::text || p_now::text) as chance
    from unnest(p_tenants) as t (tenant_id)
    cross join (values ('prepare', false, 1), ('prepare', true, 8), ('submit', false, 1), ('submit', true, 8), ('authorize', false, 1), ('watch', false, 1))
      as s (step, ahead, counts)
    cross join lateral (
      (select w.tenant_id, w.document_id, row_number() over (order by w.due_at) * s.counts as place from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
       order by w.due_at
       limit p_limit)
      union all
      (select w.tenant_id, w.document_id, row_number() over (order by w.due_at desc) * s.counts from outbox w
       where w.tenant_id = t.tenant_id and w.step = s.step and w.ahead = s.ahead and w.due_at <= p_now and w.sequential > 0 and is_ready(w, p_now, p_patience)
       order by w.due_at desc
       limit p_limit)
    ) mine
    where coalesce((p_places ->> s.step)::integer, p_limit) > 0
    group by mine.tenant_id, mine.document_id, s.step, s.ahead
  ), turns as (
    select c.*, row_number() over (partition by c.tenant_id, c.asks order by c.place, c.chance) as turn from candidates c
  ), admitted as (
    select t.*, row_number() over (partition by t.step order by t.ahead, t.turn, t.chance) as place_of_step from turns t
  ), lanes as (
    select a.*, row_number() over (partition by a.asks order by a.turn, a.chance) as place_in_lane from admitted a
    where a.place_of_step <= coalesce((p_places ->> a.step)::integer, p_limit)
  )
  select lanes.tenant_id, lanes.document_id from lanes
  order by case when asks then place_in_lane else 3 * place_in_lane + 0.5 - (hashtext(p_now::text) & 3) end, chance
  limit p_limit
$function$;

-- Returns up to p_count tenants that have work, due now or later, in the order of their ids after p_after.
-- announce_going_round calls it.
CREATE OR REPLACE FUNCTION sello.tenants_with_work(p_after uuid, p_count integer)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE ROWS 32
 SET search_path TO 'sello', 'pg_temp'
 SET random_page_cost TO '1'
AS $function$
  with recursive tenants as (
    (select o.tenant_id, 1 as place from outbox o where o.tenant_id > p_after order by o.tenant_id limit 1)
    union all
    select (select o.tenant_id from outbox o where o.tenant_id > t.tenant_id order by o.tenant_id limit 1), t.place + 1
    from tenants t where t.tenant_id is not null and t.place < p_count
  )
  select t.tenant_id from tenants t where t.tenant_id is not null
$function$;

-- Returns the nearest earlier document of the same emission point and type that still waits to be sent for the first
-- time, or null. Parked documents, which are due at infinity, let others pass. claim_step, clear_to_send and
-- issue_document call it.
CREATE OR REPLACE FUNCTION sello.unsent_predecessor(p_tenant uuid, p_point uuid, p_type text, p_sequential integer)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select o.document_id from outbox o
  where o.tenant_id = p_tenant and o.emission_point_id = p_point and o.document_type = p_type
    and o.sequential < p_sequential and o.unsent and o.due_at < 'infinity'
  order by o.sequential desc limit 1
$function$;


-- ===== Events

-- Trigger of events before the insert of one without data: fills in what it carries, which is the pause for
-- issuer.paused and else the document at its version.
CREATE OR REPLACE FUNCTION sello.complete_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.type = 'issuer.paused' then
    select jsonb_build_object('pause', to_jsonb(r)) into new.data from (
      select p.id, p.scope, p.issuer_id, p.establishment_id, p.emission_point_id, p.document_type, p.code as sri_code, p.document_id, p.created_at, p.resumed_at
      from sello.issuing_pauses p where p.tenant_id = new.tenant_id and p.document_id = new.document_id and p.resumed_at is null
      order by p.created_at desc limit 1) r;
  elsif new.document_id is not null then
    new.data := jsonb_build_object('document', sello.document_snapshot(new.tenant_id, new.document_id, new.document_version));
  end if;
  return new;
end $function$;

-- Returns the name of the database's present life, or an empty text in its first. The API puts it into the places in
-- the order of events that it gives to callers.
CREATE OR REPLACE FUNCTION sello.current_lineage()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select coalesce((select d.lineage from deployment d), '')
$function$;
alter function current_lineage() owner to sello_resolver;
revoke execute on function current_lineage() from public;
grant execute on function current_lineage() to sello_app;

-- Returns the columns of a document as the API names them, at a version or (null) as it is now; null if the document is
-- not at that version. complete_event and event_card call it.
CREATE OR REPLACE FUNCTION sello.document_snapshot(p_tenant uuid, p_document uuid, p_version integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return (
    select to_jsonb(r) from (
      select d.id, d.tenant_id, d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, d.access_key,
        d.status, d.version, d.idempotency_key, to_char(d.issue_date, 'YYYY-MM-DD') as issue_date,
        d.subtotal::text, d.total_discount::text, d.total_tax::text, d.total::text,
        d.buyer_id_type, d.buyer_id, d.buyer_name, d.buyer_email, d.buyer_address,
        d.modified_document_id, d.modified_document_type, d.modified_document_number,
        to_char(d.modified_document_issue_date, 'YYYY-MM-DD') as modified_document_issue_date,
        d.reason, d.authorization_number, d.authorization_date, d.sri_environment, d.created_at, d.updated_at,
        d.sri_messages, d.warnings, d.error_code, d.error_detail, d.next_attempt_at, d.cancellation, d.content_revision
      from sello.documents d
      where d.tenant_id = p_tenant and d.id = p_document and (p_version is null or d.version = p_version)
    ) r);
end $function$;

-- Returns an event as its readers get it, with the content of its document beside it, from which the program makes the
-- record. events_after and begin_attempt call it.
CREATE OR REPLACE FUNCTION sello.event_card(e events)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object(
    'id', e.id, 'type', e.type, 'created_at', e.created_at, 'tenant_id', e.tenant_id, 'version', e.document_version,
    'data', shown.data,
    'content', (
      select c.content from document_contents c
      where c.tenant_id = e.tenant_id and c.document_id = e.document_id and c.revision = (shown.data -> 'document' ->> 'content_revision')::integer))
  from (select case
    -- Written before events kept what they tell.
    when e.type in ('certificate.expiring', 'certificate.expired') and e.data is null then (
      -- Certificates do not change: they are shown as they are.
      select jsonb_build_object('certificate', jsonb_build_object(
        'id', c.id, 'issuer_id', c.issuer_id, 'subject', c.subject, 'issuer_name', c.issuer_name, 'serial_number', c.serial_number, 'ruc', c.ruc,
        'valid_from', c.valid_from, 'valid_to', c.valid_to, 'fingerprint_sha256', c.fingerprint_sha256, 'threshold_days', n.threshold))
      from certificate_notices n join certificates c on c.tenant_id = n.tenant_id and c.id = n.certificate_id
      where n.tenant_id = e.tenant_id and n.event_id = e.id)
    when e.document_id is not null and coalesce(e.data -> 'document', e.data -> 'pause', 'null') = 'null'
      then jsonb_build_object('document', document_snapshot(e.tenant_id, e.document_id, null))
    else coalesce(e.data, '{}')
  end as data) shown
$function$;

-- Returns the events after a place, oldest first, with the place of the last one that was looked at, whether there is
-- more, and whether the caller's credential still stands. It shows only what is older than every open transaction, so
-- nothing appears before a place later. A null place is the present. No more than p_scan rows are looked at, and none
-- behind those that make a megabyte. An administrator of the platform's session stands in a closed tenant too.
-- unread_events calls it.
CREATE OR REPLACE FUNCTION sello.events_after(p_tenant uuid, p_credential uuid, p_now timestamp with time zone, p_xid xid8, p_position bigint, p_type text, p_document uuid, p_scan integer, p_limit integer)
 RETURNS TABLE(credential_is_valid boolean, xid text, "position" text, is_more boolean, events jsonb)
 LANGUAGE plpgsql
AS $function$
declare
  -- Reached by what a page holds, it holds no more.
  most_bytes constant integer := 1000000;
  -- Taken before the events are read: what is older than every open transaction is committed or gone.
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
  -- A place of another life of the database, before it was restored: there all restored events stand at transaction 0.
  since xid8 := case when p_xid >= pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8 else p_xid end;
  seen record;
  card jsonb;
  cards jsonb[] := '{}';
  bytes bigint := 0;
  looked_at integer := 0;
  until_xid xid8 := since;
  until_position bigint := p_position;
  has_more boolean := false;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if p_xid is null then
    return query select is_credential_valid(p_tenant, p_credential, p_now) or administers_platform(p_credential, p_now), (horizon::text::numeric - 1)::text, '9223372036854775807', false, '[]'::jsonb;
    return;
  end if;
  for seen in
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is null and e.tenant_id = p_tenant and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
    union all
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is not null and e.tenant_id = p_tenant and e.document_id = p_document and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
  loop
    has_more := looked_at = p_scan or cardinality(cards) = p_limit or bytes >= most_bytes;
    exit when has_more;
    looked_at := looked_at + 1;
    until_xid := seen.xid;
    until_position := seen.position;
    continue when seen.type <> p_type;
    select event_card(e) || jsonb_build_object('xid', e.xid::text, 'position', e.position::text) into card
    from events e where e.tenant_id = p_tenant and e.id = seen.id;
    continue when not found;
    cards := cards || card;
    bytes := bytes + pg_column_size(card);
  end loop;
  return query select is_credential_valid(p_tenant, p_credential, p_now) or administers_platform(p_credential, p_now), until_xid::text, until_position::text, has_more, to_jsonb(cards);
end $function$;

-- Returns for each given place of a tenant whether an event is shown after it, of one document or (null) of any. The
-- API calls it for all streams that wait, in one statement.
CREATE OR REPLACE FUNCTION sello.events_behind(p_tenants uuid[], p_xids xid8[], p_positions bigint[], p_documents uuid[])
 RETURNS boolean[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  horizon constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
begin
  return array(
    select coalesce(case when place.document_id is null
      then (
        select true from events e
        where e.tenant_id = place.tenant_id and (e.xid, e.position) > (place.xid, place.position) and e.xid < horizon
        order by e.xid, e.position limit 1)
      else (
        select true from events e
        where e.tenant_id = place.tenant_id and e.document_id = place.document_id and (e.xid, e.position) > (place.xid, place.position) and e.xid < horizon
        limit 1)
      end, false)
    from unnest(p_tenants, p_xids, p_positions, p_documents) with ordinality as place (tenant_id, xid, position, document_id, number)
    order by place.number);
end $function$;
alter function events_behind(uuid[],xid8[],bigint[],uuid[]) owner to sello_worker;
revoke execute on function events_behind(uuid[],xid8[],bigint[],uuid[]) from public;
grant execute on function events_behind(uuid[],xid8[],bigint[],uuid[]) to sello_app;

-- Trigger of events after the insert of any but a ping: writes a pending delivery and its due work for each active
-- webhook of the tenant that listens to the kind.
CREATE OR REPLACE FUNCTION sello.fan_out_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  with listeners as (
    select w.tenant_id, gen_random_uuid() as delivery_id, w.id as webhook_id
    from webhooks w
    where w.tenant_id = new.tenant_id and w.is_active and (w.kinds is null or new.type = any (w.kinds))
  ), due as (
    insert into webhook_work (tenant_id, delivery_id, webhook_id, due_at)
    select l.tenant_id, l.delivery_id, l.webhook_id, least(new.created_at, clock_timestamp()) from listeners l
  )
  insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
  select l.tenant_id, l.delivery_id, l.webhook_id, new.id, 'pending', new.created_at, new.created_at from listeners l;
  return null;
end $function$;
alter function fan_out_event() owner to sello_worker;
revoke execute on function fan_out_event() from public;

-- Trigger of events after a statement that deletes some: keeps the place of the newest of each tenant in
-- removed_events, whoever deletes.
CREATE OR REPLACE FUNCTION sello.note_removed_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  insert into removed_events as r (tenant_id, xid, "position", removals)
  select distinct on (g.tenant_id) g.tenant_id, g.xid, g.position, 1 from gone g order by g.tenant_id, g.xid desc, g.position desc
  on conflict (tenant_id) do update set
    xid = greatest(r.xid, excluded.xid),
    "position" = case when (excluded.xid, excluded.position) > (r.xid, r.position) then excluded.position else r.position end,
    removals = r.removals + 1;
  return null;
end $function$;
alter function note_removed_events() owner to sello_worker;
revoke execute on function note_removed_events() from public;

-- Gives all restored events a place before all that the cluster has done, so that their positions determine their
-- order, and returns how many it changed; it does so only if one of them lies above the cluster's transactions. `npm
-- run migrate`, `npm run restore` and `npm run after-restore` call it as the owner of the schema.
CREATE OR REPLACE FUNCTION sello.settle_restored_events()
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  with settled as (
    update events e set xid = '0'
    where e.xid <> '0' and exists (
      select from tenants t cross join lateral (select n.xid from events n where n.tenant_id = t.id order by n.xid desc limit 1) newest
      where newest.xid >= pg_snapshot_xmax(pg_current_snapshot()))
    returning 1
  ), removed as (
    update removed_events r set xid = '0'
    where r.xid <> '0' and (r.xid >= pg_snapshot_xmax(pg_current_snapshot()) or exists (select from settled))
  )
  select count(*) from settled
$function$;
alter function settle_restored_events() owner to sello_worker;
revoke execute on function settle_restored_events() from public;

-- Returns what events_after does, and whether events after the place were removed since it was given. A place before
-- the newest removed event is given with how many removals there were when its reader began (removals, else 0), so that
-- a reader who begins anew may go on from there until more are removed; who begins gives null. The API calls it for
-- lists and streams of events.
CREATE OR REPLACE FUNCTION sello.unread_events(p_tenant uuid, p_credential uuid, p_now timestamp with time zone, p_xid xid8, p_position bigint, p_removals integer, p_type text, p_document uuid, p_scan integer, p_limit integer)
 RETURNS TABLE(credential_is_valid boolean, xid text, "position" text, removals integer, is_expired boolean, is_more boolean, events jsonb)
 LANGUAGE plpgsql
AS $function$
declare
  -- As events_after takes it.
  since xid8 := case when p_xid >= pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8 else p_xid end;
  known integer;
  page record;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- Before the events are read: what is removed meanwhile may be missing in them, and is not to count as known.
  known := coalesce((select r.removals from removed_events r where r.tenant_id = p_tenant and (r.xid, r.position) > (since, p_position)), 0);
  select * into page from events_after(p_tenant, p_credential, p_now, p_xid, p_position, p_type, p_document, p_scan, p_limit);
  return query select page.credential_is_valid, page.xid, page."position", known,
    exists (select from removed_events r where r.tenant_id = p_tenant and (r.xid, r.position) > (since, p_position) and r.removals <> p_removals),
    page.is_more, page.events;
end $function$;


-- ===== Issuers

-- Returns what an event carries of a certificate: {certificate: ...} with the number of days that were left when the
-- event was due. notice_certificates calls it.
CREATE OR REPLACE FUNCTION sello.certificate_told(p_tenant uuid, p_certificate uuid, p_threshold integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('certificate', jsonb_build_object(
    'id', c.id, 'issuer_id', c.issuer_id, 'subject', c.subject, 'issuer_name', c.issuer_name, 'serial_number', c.serial_number, 'ruc', c.ruc,
    'valid_from', c.valid_from, 'valid_to', c.valid_to, 'fingerprint_sha256', c.fingerprint_sha256, 'threshold_days', p_threshold))
  from certificates c where c.tenant_id = p_tenant and c.id = p_certificate
$function$;

-- Claims a RUC of an environment for an issuer whose certificate names it, and returns whether the issuer holds the
-- claim now. Another holder loses it only if they have no active certificate that is still valid, or have neither had a
-- document authorized nor claimed it within the last day; if the claimant has proven the RUC, that day counts for
-- nothing. A holder that the platform has disabled never loses it here, and a disabled claimant gets true only for what
-- it holds already. A tenant from which an operator took the claim gets false, and so does every other one while the
-- RUC is reserved for a tenant. It raises 42501 outside the claimant's own tenant, and locks the row of the claim,
-- unless the claimant is disabled. The API calls it when a certificate is uploaded or activated.
CREATE OR REPLACE FUNCTION sello.claim_ruc(p_ruc text, p_environment text, p_tenant uuid, p_issuer uuid, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  time_to_prove constant interval := interval '1 day';
  held verified_rucs%rowtype;
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is claimed inside its own tenant' using errcode = '42501';
  end if;
  if is_issuer_disabled(p_tenant, p_issuer) then
    -- It takes nothing, for nobody could have it back.
    return exists (select from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment and v.tenant_id = p_tenant and v.issuer_id = p_issuer and not v.is_open);
  end if;
  insert into verified_rucs (ruc, environment, tenant_id, issuer_id, verified_at)
  values (p_ruc, p_environment, p_tenant, p_issuer, p_now)
  on conflict (ruc, environment) do nothing;
  select * into held from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  if p_tenant = any (held.barred_tenants) or held.reserved_for <> p_tenant then
    return false;
  end if;
  if not held.is_open then
    if held.tenant_id = p_tenant and held.issuer_id = p_issuer then
      return true;
    end if;
    if is_issuer_disabled(held.tenant_id, held.issuer_id) then
      return false;
    end if;
    if exists (select from certificates c where c.tenant_id = held.tenant_id and c.issuer_id = held.issuer_id and c.is_active and c.valid_to > p_now)
       and (has_proven_ruc(held.tenant_id, held.issuer_id, p_environment)
         or held.verified_at > p_now - time_to_prove and not has_proven_ruc(p_tenant, p_issuer, p_environment)) then
      return false;
    end if;
    perform end_ruc_claim(held, 'ruc.claim_passed', p_now);
  end if;
  -- Who leaves and comes again does not begin another day.
  update verified_rucs v set tenant_id = p_tenant, issuer_id = p_issuer, verified_at = case when v.tenant_id = p_tenant then v.verified_at else p_now end, is_open = false
  where v.ruc = p_ruc and v.environment = p_environment;
  return true;
end $function$;
alter function claim_ruc(text,text,uuid,uuid,timestamp with time zone) owner to sello_resolver;
revoke execute on function claim_ruc(text,text,uuid,uuid,timestamp with time zone) from public;
grant execute on function claim_ruc(text,text,uuid,uuid,timestamp with time zone) to sello_app;

-- Takes the claim on a RUC from its holder: the issuer's certificate is no longer active and the tenant's audit log
-- says why. claim_ruc and take_ruc_claim call it, under the lock on the claim.
CREATE OR REPLACE FUNCTION sello.end_ruc_claim(held verified_rucs, p_action text, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  update certificates c set is_active = false where c.tenant_id = held.tenant_id and c.issuer_id = held.issuer_id and c.is_active;
  insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
  values (held.tenant_id, gen_random_uuid(), p_now, 'system', p_action, 'issuer', held.issuer_id, jsonb_build_object('ruc', held.ruc, 'environment', held.environment));
end $function$;
alter function end_ruc_claim(verified_rucs,text,timestamp with time zone) owner to sello_resolver;
revoke execute on function end_ruc_claim(verified_rucs,text,timestamp with time zone) from public;

-- Returns true if the SRI has ever authorized a document of an issuer in an environment: the SRI knows for whom a
-- certificate was issued, so nobody else gets that far. claim_ruc calls it.
CREATE OR REPLACE FUNCTION sello.has_proven_ruc(p_tenant uuid, p_issuer uuid, p_environment text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select exists (
    select from establishments s
    join emission_points e on e.tenant_id = s.tenant_id and e.establishment_id = s.id
    join documents d on d.tenant_id = e.tenant_id and d.emission_point_id = e.id
    where s.tenant_id = p_tenant and s.issuer_id = p_issuer and d.sri_environment = p_environment and d.authorization_number is not null)
$function$;
alter function has_proven_ruc(uuid,uuid,text) owner to sello_resolver;
revoke execute on function has_proven_ruc(uuid,uuid,text) from public;

-- Returns true while an issuer is there that the platform has disabled. claim_ruc calls it.
CREATE OR REPLACE FUNCTION sello.is_issuer_disabled(p_tenant uuid, p_issuer uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select exists (select from issuers i where i.tenant_id = p_tenant and i.id = p_issuer and i.disabled_at is not null)
$function$;
alter function is_issuer_disabled(uuid,uuid) owner to sello_resolver;
revoke execute on function is_issuer_disabled(uuid,uuid) from public;

-- Lets every tenant claim a RUC again, those from which it was taken too, also if it was reserved; returns how many it
-- was taken from, and null if nobody ever claimed it. It locks the row of the claim. Only the operator may call it, as
-- the owner of the schema.
CREATE OR REPLACE FUNCTION sello.lift_ruc_bars(p_ruc text, p_environment text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  barred uuid[];
begin
  select v.barred_tenants into barred from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  update verified_rucs v set barred_tenants = '{}', reserved_for = null where v.ruc = p_ruc and v.environment = p_environment;
  return cardinality(barred);
end $function$;
alter function lift_ruc_bars(text,text) owner to sello_resolver;
revoke execute on function lift_ruc_bars(text,text) from public;

-- Returns, for the newest active signing keys of all tenants, the beginning of the sealed key: the id of the master key
-- and the data key wrapped under it, without the secret. Every process tries to open some of them for its readiness.
CREATE OR REPLACE FUNCTION sello.newest_wrapped_keys(p_newest integer)
 RETURNS TABLE(tenant_id uuid, issuer_id uuid, certificate_id uuid, head bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select c.tenant_id, c.issuer_id, c.id,
    -- Of one that is damaged the lengths may point behind its end.
    case when octet_length(c.sealed_key) > 3 + get_byte(c.sealed_key, 1) then substring(c.sealed_key from 1 for 4 + get_byte(c.sealed_key, 1)
      + 256 * get_byte(c.sealed_key, 2 + get_byte(c.sealed_key, 1)) + get_byte(c.sealed_key, 3 + get_byte(c.sealed_key, 1)))
    else c.sealed_key end
  from certificates c
  where c.is_active and c.revoked_at is null and octet_length(c.sealed_key) > 2
  order by c.created_at desc limit p_newest
$function$;
alter function newest_wrapped_keys(integer) owner to sello_resolver;
revoke execute on function newest_wrapped_keys(integer) from public;
grant execute on function newest_wrapped_keys(integer) to sello_app;

-- Writes the event certificate.expiring, or certificate.expired, for each active certificate whose end has come within
-- 30, 15, 7 or 1 days or has passed, once for each of these thresholds and only for active issuers of active tenants.
-- It returns how many it wrote. The worker calls it at intervals. It goes by the database's clock if the caller's is
-- ahead of it.
CREATE OR REPLACE FUNCTION sello.notice_certificates(p_now timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  written integer;
begin
  p_now := least(p_now, clock_timestamp());
  with due as (
    select c.tenant_id, c.id as certificate_id, gen_random_uuid() as event_id,
      (select min(t.days) from unnest(array[0, 1, 7, 15, 30]) as t (days) where c.valid_to <= p_now + make_interval(hours => 24 * t.days)) as threshold
    from certificates c
    join issuers i on i.tenant_id = c.tenant_id and i.id = c.issuer_id and i.is_active
    join tenants t on t.id = c.tenant_id and t.is_active
    where c.is_active and c.valid_to <= p_now + interval '720 hours'
  ), noticed as (
    insert into certificate_notices (tenant_id, certificate_id, threshold, event_id, noticed_at)
    select d.tenant_id, d.certificate_id, d.threshold, d.event_id, p_now from due d order by 1, 2
    on conflict do nothing
    returning certificate_notices.tenant_id, certificate_notices.certificate_id, certificate_notices.threshold, certificate_notices.event_id
  ), told as (
    insert into events (tenant_id, id, type, data, created_at)
    select n.tenant_id, n.event_id, case n.threshold when 0 then 'certificate.expired' else 'certificate.expiring' end,
      certificate_told(n.tenant_id, n.certificate_id, n.threshold), p_now
    from noticed n
  )
  select count(*) into written from noticed;
  return written;
end $function$;
alter function notice_certificates(timestamp with time zone) owner to sello_worker;
revoke execute on function notice_certificates(timestamp with time zone) from public;
grant execute on function notice_certificates(timestamp with time zone) to sello_app;

-- Opens the claims of an issuer that is being removed, and keeps who held them since when and who is barred. It raises
-- 42501 outside the issuer's own tenant. The API calls it, before the issuer's certificates are deleted.
CREATE OR REPLACE FUNCTION sello.release_ruc(p_tenant uuid, p_issuer uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is released inside its own tenant' using errcode = '42501';
  end if;
  update verified_rucs v set is_open = true where v.tenant_id = p_tenant and v.issuer_id = p_issuer;
end $function$;
alter function release_ruc(uuid,uuid) owner to sello_resolver;
revoke execute on function release_ruc(uuid,uuid) from public;
grant execute on function release_ruc(uuid,uuid) to sello_app;

-- Puts a sealed private key in the place of the one that was read, and returns false if that one is no longer there.
-- Only the operator may call it, through `npm run rotate-master-key`.
CREATE OR REPLACE FUNCTION sello.replace_sealed_key(p_tenant uuid, p_id uuid, p_old bytea, p_new bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  update certificates c set sealed_key = p_new where c.tenant_id = p_tenant and c.id = p_id and c.sealed_key = p_old;
  return found;
end $function$;
alter function replace_sealed_key(uuid,uuid,bytea,bytea) owner to sello_resolver;
revoke execute on function replace_sealed_key(uuid,uuid,bytea,bytea) from public;

-- Reserves a RUC for a tenant, until lift_ruc_bars: takes the claim from another tenant that holds it, and lets no
-- other claim it. It returns false if nobody ever claimed it, and null without such a tenant. Only the operator may
-- call it, as the owner of the schema, having seen on paper whose the RUC is.
CREATE OR REPLACE FUNCTION sello.reserve_ruc(p_ruc text, p_environment text, p_tenant uuid, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  held verified_rucs%rowtype;
begin
  if not exists (select from tenants t where t.id = p_tenant) then
    return null;
  end if;
  select * into held from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  if not found then
    return false;
  end if;
  if held.tenant_id <> p_tenant then
    perform take_ruc_claim(p_ruc, p_environment, p_now);
  end if;
  update verified_rucs v set reserved_for = p_tenant, barred_tenants = array_remove(v.barred_tenants, p_tenant)
  where v.ruc = p_ruc and v.environment = p_environment;
  return true;
end $function$;
alter function reserve_ruc(text,text,uuid,timestamp with time zone) owner to sello_resolver;
revoke execute on function reserve_ruc(text,text,uuid,timestamp with time zone) from public;

-- Returns up to p_limit sealed private keys, in the order of tenant and id, that come after the given place, and
-- whether their certificates are active; revoked ones are left out. Only the operator may call it, through `npm run
-- rotate-master-key`.
CREATE OR REPLACE FUNCTION sello.sealed_keys_to_rotate(p_tenant uuid, p_id uuid, p_limit integer)
 RETURNS TABLE(tenant_id uuid, id uuid, issuer_id uuid, sealed_key bytea, is_active boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select c.tenant_id, c.id, c.issuer_id, c.sealed_key, c.is_active from certificates c
  where (c.tenant_id, c.id) > (p_tenant, p_id) and c.revoked_at is null
  order by c.tenant_id, c.id
  limit p_limit
$function$;
alter function sealed_keys_to_rotate(uuid,uuid,integer) owner to sello_resolver;
revoke execute on function sealed_keys_to_rotate(uuid,uuid,integer) from public;

-- Takes the claim on a RUC from whoever holds it and bars that tenant until lift_ruc_bars. It returns false if nobody
-- holds the claim. Only the operator may call it, as the owner of the schema, having seen on paper whose the RUC is.
CREATE OR REPLACE FUNCTION sello.take_ruc_claim(p_ruc text, p_environment text, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  held verified_rucs%rowtype;
begin
  update verified_rucs v set is_open = true, barred_tenants = array_append(array_remove(v.barred_tenants, v.tenant_id), v.tenant_id)
  where v.ruc = p_ruc and v.environment = p_environment and not v.is_open
  returning * into held;
  if not found then
    return false;
  end if;
  perform end_ruc_claim(held, 'ruc.claim_taken', p_now);
  return true;
end $function$;
alter function take_ruc_claim(text,text,timestamp with time zone) owner to sello_resolver;
revoke execute on function take_ruc_claim(text,text,timestamp with time zone) from public;


-- ===== Issuing

-- Writes the due work of a document that has just been given a number, or that was corrected: its first step is
-- `prepare`. It counts as announced, because the API rings the bell itself after the commit. issue_draft and
-- correct_document call it.
CREATE OR REPLACE FUNCTION sello.begin_work(d documents, p_sequential integer, p_unsent boolean, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into outbox (tenant_id, document_id, step, due_at, announced_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
  values (d.tenant_id, d.id, 'prepare', least(p_now, clock_timestamp()), least(p_now, clock_timestamp()), 1, d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, p_sequential, p_unsent)
$function$;

-- Takes a number and stores a document with its access key, content, history and due work, all or nothing. The outcome
-- is accepted, in_line (an earlier number of the same emission point and type is still to be sent, so the relay takes
-- it up in its turn), or replayed with the first answer if the idempotency key was used. It raises SE001 to SE005,
-- SE009 and SE012 as last_look and take_number do, and SE006 and SE007 as reserve_credit does. It waits for another
-- request with the same key before it takes a number. The API calls it. The work is due by the database's clock if the
-- caller's is ahead of it.
CREATE OR REPLACE FUNCTION sello.issue_document(p_tenant uuid, p_api_key uuid, p_document uuid, p_now timestamp with time zone, p_header jsonb, p_content jsonb, p_snapshot jsonb, p_warnings jsonb, p_idempotency_key text, p_fingerprint text)
 RETURNS TABLE(outcome text, fingerprint text, operation text, response jsonb)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
declare
  h documents%rowtype;
  number record;
  predecessor uuid;
  in_line boolean;
  answer jsonb;
  first_answer idempotency_keys%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  p_now := least(p_now, clock_timestamp());
  h := jsonb_populate_record(null::documents, p_header);

  if p_idempotency_key is not null then
    -- A concurrent request with the same key waits here, before it takes a number.
    insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, created_at)
    values (p_tenant, h.issuer_id, p_idempotency_key, 'issue', p_fingerprint, p_document, p_now)
    on conflict do nothing;
    if not found then
      select * into first_answer from idempotency_keys k
      where k.tenant_id = p_tenant and k.issuer_id = h.issuer_id and k.key = p_idempotency_key;
      return query select 'replayed', first_answer.fingerprint, first_answer.operation, first_answer.response;
      return;
    end if;
  end if;

  perform last_look(p_tenant, p_api_key, h.issuer_id, p_now);
  if h.document_type = '04' and h.modified_document_id is not null then
    perform reserve_credit(p_tenant, p_document, h.modified_document_id, h.total);
  end if;
  select * into number from take_number(p_tenant, h, p_snapshot, p_content ->> 'numericCode');

  insert into documents (
    tenant_id, id, issuer_id, establishment_id, emission_point_id, document_type, sri_environment, sequential, access_key,
    status, version, idempotency_key, issue_date, subtotal, total_discount, total_tax, total,
    buyer_id_type, buyer_id, buyer_name, buyer_email, buyer_address,
    modified_document_id, modified_document_type, modified_document_number, modified_document_issue_date, reason,
    warnings, next_attempt_at, created_at, updated_at)
  values (
    p_tenant, p_document, h.issuer_id, h.establishment_id, h.emission_point_id, h.document_type, h.sri_environment,
    number.sequential, number.access_key, 'NUMBER_RESERVED', 1, p_idempotency_key, h.issue_date,
    h.subtotal, h.total_discount, h.total_tax, h.total,
    h.buyer_id_type, h.buyer_id, h.buyer_name, h.buyer_email, h.buyer_address,
    h.modified_document_id, h.modified_document_type, h.modified_document_number, h.modified_document_issue_date, h.reason,
    p_warnings, p_now, p_now, p_now);
  insert into document_contents (tenant_id, document_id, revision, content, issuer_snapshot, created_at)
  values (p_tenant, p_document, 1, p_content, p_snapshot, p_now);
  insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at)
  values (p_tenant, p_document, 1, null, 'number_taken', 'NUMBER_RESERVED', p_now);
  -- Whoever sends the earlier number at this moment may not see this row to wake it; then it is rung for as if in turn.
  predecessor := unsent_predecessor(p_tenant, h.emission_point_id, h.document_type, number.sequential);
  perform from outbox o
  where o.tenant_id = p_tenant and o.document_id = predecessor and o.unsent and o.due_at < 'infinity'
  for key share skip locked;
  in_line := found;
  -- What is in turn the API rings for right after the commit, hence announced.
  insert into outbox (tenant_id, document_id, step, due_at, ahead, announced_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
  values (p_tenant, p_document, 'prepare', p_now, in_line, case when not in_line then p_now end, case when in_line then 0 else 1 end,
          h.issuer_id, h.establishment_id, h.emission_point_id, h.document_type, number.sequential, true);

  answer := jsonb_build_object('document_id', p_document, 'status', 'NUMBER_RESERVED', 'access_key', number.access_key);
  if p_idempotency_key is not null then
    update idempotency_keys k set response = answer
    where k.tenant_id = p_tenant and k.issuer_id = h.issuer_id and k.key = p_idempotency_key;
  end if;
  return query select case when in_line then 'in_line' else 'accepted' end, p_fingerprint, 'issue', answer;
end $function$;

-- Returns in one round trip what the checks before issuing must know of issuer, establishment, emission point and
-- active certificate (null if one of the first three is not there), and what the issuer's idempotency key was used for
-- (null if it is new). The API calls it before it issues a document or stores a draft.
CREATE OR REPLACE FUNCTION sello.issuing_context(p_tenant uuid, p_issuer uuid, p_establishment uuid, p_point uuid, p_idempotency_key text)
 RETURNS TABLE(context jsonb, replay jsonb)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select
    (select jsonb_build_object(
        'ruc', i.ruc, 'razon_social', i.razon_social, 'nombre_comercial', i.nombre_comercial,
        'direccion_matriz', i.direccion_matriz, 'obligado_contabilidad', i.obligado_contabilidad,
        'contribuyente_especial', i.contribuyente_especial, 'agente_retencion', i.agente_retencion,
        'gran_contribuyente', i.gran_contribuyente, 'regimen_rimpe', i.regimen_rimpe,
        'default_payment_method', i.default_payment_method,
        'issuer_active', i.is_active and i.disabled_at is null,
        'establishment_code', e.code, 'establishment_address', e.address, 'establishment_active', e.is_active,
        'point_code', p.code, 'point_active', p.is_active,
        'certificate_id', c.id, 'certificate_valid_from', c.valid_from, 'certificate_valid_to', c.valid_to,
        'certificate_ruc', c.ruc)
     from issuers i
     join establishments e on e.tenant_id = i.tenant_id and e.issuer_id = i.id and e.id = p_establishment
     join emission_points p on p.tenant_id = e.tenant_id and p.establishment_id = e.id and p.id = p_point
     left join certificates c on c.tenant_id = i.tenant_id and c.issuer_id = i.id and c.is_active
     where i.tenant_id = p_tenant and i.id = p_issuer),
    (select jsonb_build_object('operation', k.operation, 'fingerprint', k.fingerprint, 'response', k.response)
     from idempotency_keys k
     where k.tenant_id = p_tenant and k.issuer_id = p_issuer and k.key = p_idempotency_key);
end $function$;

-- Looks once more, in the transaction that takes a number, at what the checks saw before. It raises SE002 if the
-- credential has ended, SE012 if it is an administrator's of the platform and the tenant is closed, SE003 if the issuer
-- is disabled, SE009 if it has no active certificate, and SE004 if that one has expired. issue_document and
-- store_checked call it.
CREATE OR REPLACE FUNCTION sello.last_look(p_tenant uuid, p_api_key uuid, p_issuer uuid, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not is_credential_valid(p_tenant, p_api_key, p_now) then
    if administers_platform(p_api_key, p_now) then
      raise exception 'tenant closed' using errcode = 'SE012';
    end if;
    raise exception 'credential ended' using errcode = 'SE002';
  end if;
  if not exists (select from issuers i where i.tenant_id = p_tenant and i.id = p_issuer and i.is_active and i.disabled_at is null) then
    raise exception 'issuer disabled' using errcode = 'SE003';
  end if;
  if not exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = p_issuer and c.is_active) then
    raise exception 'no certificate' using errcode = 'SE009';
  end if;
  if not exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = p_issuer and c.is_active and c.valid_to > p_now) then
    raise exception 'certificate expired' using errcode = 'SE004';
  end if;
end $function$;


-- ===== Lifecycle

-- Writes one decision about a document: its moves, columns, history, events, due work, and the rows of signing,
-- exchange with the SRI, authorization and pause that belong to it. It returns the new version, and whether the next
-- number of the emission point was woken because this one is no longer to be sent before it. It raises SE110, and
-- writes nothing, if status, version or (given p_token) lease are no longer those that were read; the triggers of
-- documents raise SE100 and SE101 for a wrong move, SE006 and SE007 for a credit note that is taken up again, and SE008
-- for a request to annul what was credited. It locks the original of a credit note that is settled or taken up again,
-- then the document, then its due work; a document that waits for want of a certificate also locks its issuer for
-- share, so that an activation under way is not missed. The worker calls it for each step, and the API for acts of
-- callers. A caller whose clock is ahead of the database's has all its times put back by as much.
CREATE OR REPLACE FUNCTION sello.advance_document(p_tenant uuid, p_document uuid, p_status text, p_version integer, p_token uuid, p_now timestamp with time zone, p_moves jsonb, p_patch jsonb, p_work jsonb, p_events jsonb, p_records jsonb, p_bytes bytea, OUT new_version integer, OUT successor_woken boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  d documents%rowtype;
  patched documents%rowtype;
  before outbox%rowtype;
  moves integer := jsonb_array_length(p_moves);
  keep_lease boolean := coalesce((p_work ->> 'keep_lease')::boolean, false);
  last_move jsonb := p_moves -> -1;
  r jsonb;
  lead interval := greatest(p_now - clock_timestamp(), interval '0');
begin
  p_now := p_now - lead;
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- The triggers below lock a credit note's original where they settle or judge it. It is locked first: whoever waits here has no
  -- transaction number yet, so that the events of an original are listed in the order in which it changed.
  if last_move ->> 'to' in ('AUTHORIZED', 'CANCELLED')
    or p_status in ('REJECTED', 'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT') and last_move ->> 'to' in ('RECEPTION_RETRY_SCHEDULED', 'AUTHORIZATION_RETRY_SCHEDULED') then
    perform from documents o
    where o.tenant_id = p_tenant and o.id = (
      select n.modified_document_id from documents n where n.tenant_id = p_tenant and n.id = p_document and n.document_type = '04')
    for update;
  end if;
  select * into d from documents where tenant_id = p_tenant and id = p_document for update;
  if not found or d.status <> p_status or d.version <> p_version then
    raise exception 'document % is no longer % at version %', p_document, p_status, p_version using errcode = 'SE110';
  end if;
  select * into before from outbox o where o.tenant_id = p_tenant and o.document_id = p_document for update;
  if p_token is not null and before.lease_token is distinct from p_token then
    raise exception 'lease of document % was lost', p_document using errcode = 'SE110';
  end if;

  -- Without a certificate it is parked, or compared with the SRI daily if it was sent before: one that was activated since the worker
  -- looked has set nothing going for this document. The lock waits for an activation under way, and makes a later one wait until this
  -- document is seen as parked.
  if p_work ->> 'step' = 'prepare' and p_work ->> 'due_at' = 'infinity'
    or (p_work ->> 'recheck')::boolean and coalesce(last_move ->> 'to', p_status) in ('NUMBER_RESERVED', 'XML_GENERATED') then
    perform from issuers i where i.tenant_id = p_tenant and i.id = d.issuer_id for share;
    if exists (select from certificates c where c.tenant_id = p_tenant and c.issuer_id = d.issuer_id and c.is_active and c.valid_to > p_now) then
      p_work := p_work - 'recheck' || jsonb_build_object('step', 'prepare', 'due_at', p_now + lead);
    end if;
  end if;

  -- One write for all moves; the guard is told the way and holds every move of it against document_moves.
  if moves > 1 then
    perform set_config('sello.path', (select string_agg(move ->> 'to', ',' order by place) from jsonb_array_elements(p_moves) with ordinality as made (move, place)), true);
  end if;
  patched := jsonb_populate_record(d, coalesce(p_patch, '{}'));
  update documents set
    status = coalesce(last_move ->> 'to', status), version = p_version + moves,
    authorization_number = patched.authorization_number, authorization_date = patched.authorization_date,
    error_code = patched.error_code, error_detail = patched.error_detail, sri_messages = patched.sri_messages,
    signing_no = patched.signing_no, suspicion = patched.suspicion,
    reception_attempts = patched.reception_attempts, authorization_attempts = patched.authorization_attempts,
    first_sent_at = patched.first_sent_at, received_at = patched.received_at, deadline_at = patched.deadline_at,
    cancellation = patched.cancellation,
    next_attempt_at = case
      when p_work ? 'keep' then next_attempt_at
      when not coalesce((p_work ->> 'recheck')::boolean, false) then nullif((p_work ->> 'due_at')::timestamptz - lead, 'infinity')
    end,
    updated_at = p_now
  where tenant_id = p_tenant and id = p_document
  returning * into d;
  if moves > 0 then
    insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at, detail)
    select p_tenant, p_document, p_version + place, coalesce(lag(move ->> 'to') over (order by place), p_status),
           move ->> 'trigger', move ->> 'to', p_now, move -> 'detail'
    from jsonb_array_elements(p_moves) with ordinality as made (move, place);
  end if;

  r := p_records -> 'signing';
  if r is not null then
    insert into signed_documents (tenant_id, document_id, signing_no, certificate_id, access_key, content_revision, signed_xml, digest, signed_at)
    values (p_tenant, p_document, (r ->> 'signing_no')::integer, (r ->> 'certificate_id')::uuid, d.access_key, d.content_revision, p_bytes, r ->> 'digest', p_now);
  end if;
  r := p_records -> 'attempt';
  if r is not null then
    insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at)
    values (p_tenant, (r ->> 'id')::uuid, p_document, r ->> 'service', (r ->> 'signing_no')::integer, p_now);
  end if;
  r := p_records -> 'finished';
  if r is not null then
    update sri_attempts set finished_at = p_now, outcome = r ->> 'outcome', messages = r -> 'messages', excerpt = r ->> 'excerpt'
    where tenant_id = p_tenant and id = (r ->> 'id')::uuid;
  end if;
  r := p_records -> 'asked';
  if r is not null then
    insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at, finished_at, outcome, messages, excerpt)
    values (p_tenant, (r ->> 'id')::uuid, p_document, r ->> 'service', (r ->> 'signing_no')::integer,
            (r ->> 'started_at')::timestamptz, p_now, r ->> 'outcome', r -> 'messages', r ->> 'excerpt');
  end if;
  r := p_records -> 'authorization';
  if r is not null then
    insert into document_authorizations (tenant_id, document_id, received_at, state, authorization_xml)
    values (p_tenant, p_document, p_now, r ->> 'state', p_bytes);
  end if;

  if jsonb_array_length(coalesce(p_events, '[]')) > 0 then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    select p_tenant, (e ->> 'id')::uuid, e ->> 'type', p_document, d.version, p_now
    from jsonb_array_elements(p_events) e;
  end if;

  r := p_records -> 'pause';
  if r is not null then
    perform pause_scope(d, r, p_now);
  end if;

  if p_work is null then
    delete from outbox where tenant_id = p_tenant and document_id = p_document;
  elsif not p_work ? 'keep' then
    update outbox o set
      step = p_work ->> 'step', due_at = (p_work ->> 'due_at')::timestamptz - lead, lost_leases = 0,
      ahead = o.ahead and p_work ->> 'step' = 'prepare',
      announced_at = case when keep_lease then o.announced_at end,
      unsent = coalesce((p_work ->> 'unsent')::boolean, o.unsent),
      lease_token = case when keep_lease then o.lease_token end,
      lease_until = case when keep_lease then o.lease_until end
    where o.tenant_id = p_tenant and o.document_id = p_document;
    if not found then
      insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
      values (p_tenant, p_document, p_work ->> 'step', (p_work ->> 'due_at')::timestamptz - lead,
              d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, coalesce((p_work ->> 'unsent')::boolean, false));
    end if;
  end if;

  new_version := d.version;
  successor_woken := false;
  if before.unsent and before.due_at < 'infinity' and not coalesce(p_work ? 'keep', false)
     and (p_work is null or p_work ->> 'due_at' = 'infinity' or not coalesce((p_work ->> 'unsent')::boolean, true)) then
    update outbox o set ahead = false, due_at = case when o.ahead and o.step = 'submit' then least(p_now, o.due_at - interval '10 minutes') else o.due_at end, announced_at = null
    where o.tenant_id = p_tenant and o.document_id = (
      select next.document_id from outbox next
      where next.tenant_id = p_tenant and next.emission_point_id = d.emission_point_id and next.document_type = d.document_type
        and next.sequential > d.sequential and next.unsent and next.due_at < 'infinity'
      order by next.sequential limit 1);
    successor_woken := found;
  end if;
end $function$;

-- Returns how a document stands, and whether the caller's credential still does; no row if there is no such document.
-- An administrator of the platform's session stands in a closed tenant too. The API calls it again and again for a
-- caller who waits for the SRI's verdict.
CREATE OR REPLACE FUNCTION sello.document_outcome(p_tenant uuid, p_document uuid, p_credential uuid, p_now timestamp with time zone)
 RETURNS TABLE(status text, sri_messages jsonb, authorization_number text, authorization_date timestamp with time zone, credential_is_valid boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select d.status, d.sri_messages, d.authorization_number, d.authorization_date,
    is_credential_valid(p_tenant, p_credential, p_now) or administers_platform(p_credential, p_now)
  from documents d where d.tenant_id = p_tenant and d.id = p_document;
end $function$;

-- Trigger of documents before every insert and update: raises SE100 if a document begins in a status other than DRAFT
-- or NUMBER_RESERVED, or makes a move that document_moves does not hold or that passes through a state in which
-- documents rest, and SE101 if its identity or number changes or the version does not grow by one with each move.
-- Several moves in one update are named in the setting sello.path, and each is checked.
CREATE OR REPLACE FUNCTION sello.guard_document()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  steps integer;
  path text[];
begin
  if tg_op = 'INSERT' then
    if new.status not in ('DRAFT', 'NUMBER_RESERVED') then
      raise exception 'a document cannot begin as %', new.status using errcode = 'SE100';
    end if;
    return new;
  end if;
  if new.tenant_id <> old.tenant_id or new.id <> old.id or (new.issuer_id <> old.issuer_id and old.status <> 'DRAFT')
     or (old.sequential is not null
         and (new.sequential, new.establishment_id, new.emission_point_id, new.document_type, new.sri_environment)
             is distinct from (old.sequential, old.establishment_id, old.emission_point_id, old.document_type, old.sri_environment)) then
    raise exception 'identity and number of a document never change' using errcode = 'SE101';
  end if;
  steps := new.version - old.version;
  if new.status <> old.status and steps < 1 then
    raise exception 'every move raises the version by one' using errcode = 'SE101';
  elsif steps = 1 and new.status <> old.status then
    if not exists (select from sello.document_moves m where m.from_status = old.status and m.to_status = new.status) then
      raise exception 'no move from % to %', old.status, new.status using errcode = 'SE100';
    end if;
  elsif steps > 1 then
    path := string_to_array(current_setting('sello.path', true), ',');
    if path is null or cardinality(path) <> steps or path[steps] <> new.status then
      raise exception 'every move raises the version by one' using errcode = 'SE101';
    end if;
    path := old.status || path;
    for i in 1 .. steps loop
      -- What rests has triggers of its own, which see the ends of a way only: it is not passed through.
      if not (sello.is_moving(path[i]) or path = '{AUTHORIZED,CANCELLATION_REQUESTED,CANCELLED}')
         or not exists (select from sello.document_moves m where m.from_status = path[i] and m.to_status = path[i + 1]) then
        raise exception 'no move from % to %', path[i], path[i + 1] using errcode = 'SE100';
      end if;
    end loop;
  end if;
  return new;
end $function$;

-- Trigger of documents before every delete: raises SE100 unless the document is a draft, or sello_worker, as which the
-- operator's retention runs, deletes one that is past its seven years.
CREATE OR REPLACE FUNCTION sello.guard_draft_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  if old.status <> 'DRAFT' and not (current_user = 'sello_worker' and is_past_keeping(old.issue_date)) then
    raise exception 'only a draft may be deleted' using errcode = 'SE100';
  end if;
  return old;
end $function$;

-- Trigger of document_contents and document_history before every delete: raises SE100 unless the document is a draft,
-- or sello_worker, as which the operator's retention runs, deletes parts of one that is past its seven years.
CREATE OR REPLACE FUNCTION sello.guard_draft_part_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  if not exists (
    select from documents d where d.tenant_id = old.tenant_id and d.id = old.document_id
      and (d.status = 'DRAFT' or current_user = 'sello_worker' and is_past_keeping(d.issue_date))
  ) then
    raise exception 'contents and history are kept for ever' using errcode = 'SE100';
  end if;
  return old;
end $function$;

-- Returns true for the states that documents leave by themselves, which is `isMoving` of the lifecycle table in the
-- code. list_document and guard_document call it.
CREATE OR REPLACE FUNCTION sello.is_moving(p_status text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (p_status = ANY (ARRAY['NUMBER_RESERVED'::text, 'XML_GENERATED'::text, 'SIGNED'::text, 'RECEPTION_PENDING'::text, 'SUBMITTED_TO_SRI'::text, 'RECEIVED_BY_SRI'::text, 'AUTHORIZATION_PENDING'::text, 'RECEPTION_RETRY_SCHEDULED'::text, 'AUTHORIZATION_RETRY_SCHEDULED'::text, 'RECEPTION_UNKNOWN'::text, 'AUTHORIZATION_UNKNOWN'::text, 'CANCELLATION_REQUESTED'::text]));

-- Returns all that a step must know of a document in one row: the document, its content and issuer, its signings, the
-- current signed bytes and whether they were sent, how long their certificate serves (until it runs out or is revoked),
-- and the active certificate; no row if there is no such document. The worker calls it together with claim_step, and
-- the API before an act on the document.
CREATE OR REPLACE FUNCTION sello.load_document(p_tenant uuid, p_document uuid)
 RETURNS TABLE(document jsonb, content jsonb, issuer_snapshot jsonb, digests jsonb, signed_xml bytea, signing_certificate_valid_to timestamp with time zone, certificate_id uuid, certificate_valid_from timestamp with time zone, certificate_valid_to timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select to_jsonb(d) || jsonb_build_object(
      'due_step', (select o.step from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id),
      -- In this order, so that it is read by the index of the document's attempts and no other.
      'signing_sent', coalesce((
        select true from sri_attempts t
        where t.tenant_id = d.tenant_id and t.document_id = d.id and t.service = 'reception' and t.signing_no = d.signing_no and t.outcome is distinct from 'not_delivered'
        order by t.started_at limit 1), false),
      -- Asked of those alone that may have been refused, which are not most.
      'refused_at_authorization', case when d.signing_no > 1 or d.content_revision > 1 or d.status = 'RECEPTION_RETRY_SCHEDULED'
        then was_refused_at_authorization(d.tenant_id, d.id) else false end), c.content, c.issuer_snapshot,
    (select coalesce(jsonb_agg(jsonb_build_object(
       'signingNo', x.signing_no, 'digest', x.digest, 'signedAt', x.signed_at, 'accessKey', x.access_key, 'contentRevision', coalesce(x.content_revision, (
         select max(k.revision) from document_contents k where k.tenant_id = x.tenant_id and k.document_id = x.document_id and k.created_at <= x.signed_at))) order by x.signing_no), '[]')
     from signed_documents x where x.tenant_id = d.tenant_id and x.document_id = d.id),
    s.signed_xml, least(sc.valid_to, sc.revoked_at), a.id, a.valid_from, a.valid_to
  from documents d
  left join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  left join signed_documents s on s.tenant_id = d.tenant_id and s.document_id = d.id and s.signing_no = d.signing_no
  left join certificates sc on sc.tenant_id = s.tenant_id and sc.id = s.certificate_id
  left join certificates a on a.tenant_id = d.tenant_id and a.issuer_id = d.issuer_id and a.is_active
  where d.tenant_id = p_tenant and d.id = p_document;
end $function$;

-- Makes the content that an earlier signing carried current again, under the access key with which it was signed, and
-- returns true. It raises SE110 if the document is no longer at this version. p_columns says which column holds which
-- property of the content. It locks the original that a credit note has by that content, then the document. It is
-- called together with advance_document when the SRI turns out to have authorized what a correction had replaced.
CREATE OR REPLACE FUNCTION sello.restore_content(p_tenant uuid, p_document uuid, p_version integer, p_revision integer, p_access_key text, p_columns jsonb, p_warnings jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  d documents%rowtype;
  signed jsonb;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from documents o
  where o.tenant_id = p_tenant and o.id = (
    select (c.content ->> (p_columns ->> 'modified_document_id'))::uuid from document_contents c
    where c.tenant_id = p_tenant and c.document_id = p_document and c.revision = p_revision and c.content ->> 'documentType' = '04')
  for update;
  select * into d from documents where tenant_id = p_tenant and id = p_document and version = p_version for update;
  if not found then
    raise exception 'document % is no longer at version %', p_document, p_version using errcode = 'SE110';
  end if;
  select content into strict signed from document_contents where tenant_id = p_tenant and document_id = p_document and revision = p_revision;
  d := apply_header(d, (select jsonb_object_agg(c.key, signed -> c.value) from jsonb_each_text(p_columns) c));
  update documents set
    content_revision = p_revision, access_key = p_access_key, issue_date = d.issue_date,
    subtotal = d.subtotal, total_discount = d.total_discount, total_tax = d.total_tax, total = d.total,
    buyer_id_type = d.buyer_id_type, buyer_id = d.buyer_id, buyer_name = d.buyer_name, buyer_email = d.buyer_email,
    buyer_address = d.buyer_address, modified_document_id = d.modified_document_id,
    modified_document_type = d.modified_document_type, modified_document_number = d.modified_document_number,
    modified_document_issue_date = d.modified_document_issue_date, reason = d.reason, warnings = p_warnings
  where tenant_id = p_tenant and id = p_document;
  return true;
end $function$;

-- Trigger of certificates after the insert or activation of an active one: makes the documents of its issuer due for
-- signing that were parked for want of a certificate, the first thousand of them at once and the others by
-- wake_parked_going_round; also those that were sent before and are compared with the SRI daily meanwhile, as far as
-- they are among the 5000 questions of the tenant that are due last.
CREATE OR REPLACE FUNCTION sello.resume_parked_documents()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  at_once constant integer := 1000;
  looked_at constant integer := 5000;
  compared record;
begin
  perform wake_parked(new.tenant_id, new.issuer_id, new.created_at, at_once);
  -- Sent before, and compared with the SRI daily while it is parked: such questions are due later than those of documents under
  -- way. Of more, or among as many other daily ones, they find the certificate when they are compared.
  for compared in
    select w.document_id from (
      select a.document_id, a.issuer_id from outbox a
      where a.tenant_id = new.tenant_id and a.step = 'authorize' and not a.ahead and a.sequential > 0
      order by a.due_at desc limit looked_at
    ) w
    -- As a value, and not joined: each is looked up, where the planner would rather begin with all documents.
    where w.issuer_id = new.issuer_id
      and (select d.status from documents d where d.tenant_id = new.tenant_id and d.id = w.document_id) in ('NUMBER_RESERVED', 'XML_GENERATED')
  loop
    -- Who holds one may wait for this activation to decide about it, and then finds the certificate.
    perform from outbox o where o.tenant_id = new.tenant_id and o.document_id = compared.document_id and o.step = 'authorize' for update skip locked;
    if found then
      update outbox o set step = 'prepare', due_at = least(new.created_at, clock_timestamp()), ahead = false, announced_at = null
      where o.tenant_id = new.tenant_id and o.document_id = compared.document_id;
    end if;
  end loop;
  return new;
end $function$;

-- Makes up to p_limit parked documents of an issuer due for signing, lowest numbers first, and returns how many.
-- resume_parked_documents calls it, and wake_parked_going_round.
CREATE OR REPLACE FUNCTION sello.wake_parked(p_tenant uuid, p_issuer uuid, p_now timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  woken integer;
begin
  update outbox o set step = 'prepare', due_at = least(p_now, clock_timestamp()), ahead = false, announced_at = null
  from (
    -- Who holds one is deciding about it, and leaves it due or parked for the next look.
    select w.tenant_id, w.document_id from outbox w
    where w.tenant_id = p_tenant and w.issuer_id = p_issuer and w.due_at = 'infinity' and w.sequential > 0
    order by w.emission_point_id, w.document_type, w.sequential limit p_limit
    for update skip locked
  ) parked
  where o.tenant_id = parked.tenant_id and o.document_id = parked.document_id;
  get diagnostics woken = row_count;
  return woken;
end $function$;

-- Makes up to p_limit documents due that are parked although their issuer has a certificate that can sign, and returns
-- how many: those that the activation of the certificate left for later. The worker calls it at intervals.
CREATE OR REPLACE FUNCTION sello.wake_parked_going_round(p_now timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  at record;
  woken integer := 0;
begin
  select w.tenant_id, w.issuer_id into at from outbox w
  where w.due_at = 'infinity' and w.sequential > 0 order by w.tenant_id, w.issuer_id limit 1;
  while found and woken < p_limit loop
    if exists (select from certificates c where c.tenant_id = at.tenant_id and c.issuer_id = at.issuer_id and c.is_active and c.valid_to > p_now) then
      woken := woken + wake_parked(at.tenant_id, at.issuer_id, p_now, p_limit - woken);
    end if;
    select w.tenant_id, w.issuer_id into at from outbox w
    where (w.tenant_id, w.issuer_id) > (at.tenant_id, at.issuer_id) and w.due_at = 'infinity' and w.sequential > 0
    order by w.tenant_id, w.issuer_id limit 1;
  end loop;
  return woken;
end $function$;
alter function wake_parked_going_round(timestamp with time zone,integer) owner to sello_worker;
revoke execute on function wake_parked_going_round(timestamp with time zone,integer) from public;
grant execute on function wake_parked_going_round(timestamp with time zone,integer) to sello_app;

-- Returns true if the SRI refused a document at authorization once: such a refusal stays registered under its access
-- key, so that a correction may not change the date in it. load_document calls it, and the API before a correction.
CREATE OR REPLACE FUNCTION sello.was_refused_at_authorization(p_tenant uuid, p_document uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  -- Older rows do not name the service that refused.
  select exists (
    select from document_history h
    where h.tenant_id = p_tenant and h.document_id = p_document and h.trigger = 'refused'
      and coalesce(h.detail ->> 'service', case h.from_status when 'SUBMITTED_TO_SRI' then 'reception' else 'authorization' end) = 'authorization')
$function$;


-- ===== Lists and counts

-- Trigger of document_counts after every insert and update: brings the change into document_day_counts. Folding writes
-- counts in the order of their key, so the days are locked in order too.
CREATE OR REPLACE FUNCTION sello.count_day()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sello.document_day_counts as k (tenant_id, created_on, documents)
  values (new.tenant_id, new.created_on, new.documents - case tg_op when 'UPDATE' then old.documents else 0 end)
  on conflict (tenant_id, created_on) do update set documents = k.documents + excluded.documents;
  return null;
end $function$;

-- Writes a change of the counts for a document that rests; while it moves, nothing is written. count_documents calls
-- it.
CREATE OR REPLACE FUNCTION sello.count_document(d documents, p_change integer)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into sello.document_count_changes (tenant_id, created_on, issue_date, issuer_id, document_type, resting_status, change)
  select d.tenant_id, sello.utc_day(d.created_at), d.issue_date, d.issuer_id, d.document_type, d.resting_status, p_change
  where d.resting_status is not null
$function$;

-- Trigger of documents after an insert, a delete, or an update of what lists count by: writes the change into
-- document_count_changes, so that no transaction waits for a counter.
CREATE OR REPLACE FUNCTION sello.count_documents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' then perform sello.count_document(old, -1); end if;
  if tg_op <> 'DELETE' then perform sello.count_document(new, 1); end if;
  return null;
end $function$;

-- Returns the documents of the current tenant that somebody who types p_text may mean: by part of the buyer's name, the
-- buyer's identification, the access key, or (p_series) the 15 digits of the number, narrowed as the list is. The API
-- calls it; row security would keep a query of the API's own from the index of names.
CREATE OR REPLACE FUNCTION sello.documents_meant(p_text text, p_series text, p_status text, p_type text, p_issuer uuid, p_buyer text, p_access_key text, p_from date, p_to date)
 RETURNS TABLE(id uuid, created_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  pattern text := '%' || replace(replace(replace(search_form(p_text), '\', '\\'), '%', '\%'), '_', '\_') || '%';
  narrow constant text := ' and d.tenant_id = current_tenant() and ($3::text is null or d.status = $3) and ($4::text is null or d.document_type = $4)
    and ($5::uuid is null or d.issuer_id = $5) and ($6::text is null or d.buyer_id = $6) and ($7::text is null or d.access_key = $7)
    and ($8::date is null or d.issue_date >= $8) and ($9::date is null or d.issue_date <= $9)';
  columns constant text := 'select d.id, d.created_at from documents d where ';
begin
  -- Planned for the words at hand: a pattern of one letter is no matter for the index.
  return query execute
    columns || 'd.buyer_search like $1' || narrow
    || ' union ' || columns || 'd.buyer_id = $2' || narrow
    || ' union ' || columns || 'd.access_key = $2' || narrow
    || case when p_series is null then '' else ' union ' || columns || 'exists (
      select from establishments e
      join emission_points p on p.tenant_id = e.tenant_id and p.establishment_id = e.id and p.code = substr($10, 4, 3)
      join sequence_counters s on s.tenant_id = p.tenant_id and s.emission_point_id = p.id
      where e.tenant_id = current_tenant() and e.code = left($10, 3)
        and d.emission_point_id = p.id and d.document_type = s.document_type and d.sri_environment = s.environment)
      and d.sequential = substr($10, 7)::integer' || narrow end
  using pattern, p_text, p_status, p_type, p_issuer, p_buyer, p_access_key, p_from, p_to, p_series;
end $function$;
alter function documents_meant(text,text,text,text,uuid,text,text,date,date) owner to sello_resolver;
revoke execute on function documents_meant(text,text,text,text,uuid,text,text,date,date) from public;
grant execute on function documents_meant(text,text,text,text,uuid,text,text,date,date) to sello_app;

-- Folds up to p_limit changes into document_counts, deletes them, and returns how many; several workers take different
-- ones, because rows that somebody holds are skipped. The worker calls it at intervals.
CREATE OR REPLACE FUNCTION sello.fold_document_counts(p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_nestloop TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  folded integer;
begin
  -- Forgotten by a crash of the server, it is done again.
  perform set_config('synchronous_commit', 'off', true);
  with due as (
    select c.tenant_id, c.id from document_count_changes c order by c.tenant_id, c.id limit p_limit for update skip locked
  ), taken as (
    delete from document_count_changes c using due where c.tenant_id = due.tenant_id and c.id = due.id
    returning c.*
  ), sums as (
    select t.tenant_id, t.created_on, t.issuer_id, t.document_type, t.resting_status, t.issue_date, sum(t.change) as change, count(*) as changes
    from taken t group by 1, 2, 3, 4, 5, 6
  ), written as (
    -- In the order of the key, so that two workers cannot wait for each other.
    insert into document_counts as k (tenant_id, created_on, issuer_id, document_type, resting_status, issue_date, documents)
    select s.tenant_id, s.created_on, s.issuer_id, s.document_type, s.resting_status, s.issue_date, s.change
    from sums s where s.change <> 0 order by 1, 2, 3, 4, 5, 6
    on conflict (tenant_id, created_on, issuer_id, document_type, resting_status, issue_date)
    do update set documents = k.documents + excluded.documents
  )
  select coalesce(sum(s.changes), 0) into folded from sums s;
  return folded;
end $function$;
alter function fold_document_counts(integer) owner to sello_worker;
revoke execute on function fold_document_counts(integer) from public;
grant execute on function fold_document_counts(integer) to sello_app;

-- Trigger of documents before every insert and update: keeps resting_status, which is null while the document moves,
-- and buyer_search, by which lists and searches find it.
CREATE OR REPLACE FUNCTION sello.list_document()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.resting_status := case when not sello.is_moving(new.status) then new.status end;
  if tg_op = 'INSERT' or new.buyer_name is distinct from old.buyer_name or new.buyer_search is null then
    new.buyer_search := sello.search_form(new.buyer_name);
  end if;
  return new;
end $function$;

-- Returns a text as searches compare it: in lower case and without accents. list_document and documents_meant call it,
-- and the API in its lists of buyers and documents.
CREATE OR REPLACE FUNCTION sello.search_form(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN lower(regexp_replace(NORMALIZE(p_text, NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text));

-- Returns the day of a time in UTC, which is how documents are counted. count_document and the API's lists call it.
CREATE OR REPLACE FUNCTION sello.utc_day(p_at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((p_at AT TIME ZONE 'UTC'::text))::date;


-- ===== Lives of the database

-- Raises the count of beats, at most once in four seconds over all processes and not if more beats were seen than there
-- are, and returns it with the name of the database's life. It waits for the disk, for Redis remembers the count. Each
-- API and worker process calls it every few seconds and ends if the database went back to an earlier point.
CREATE OR REPLACE FUNCTION sello.beat_of_life(p_seen bigint)
 RETURNS TABLE(life text, beats bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  at constant timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'on', true);
  update deployment d set beats = d.beats + 1, beaten_at = at
  where d.beats >= p_seen and d.beaten_at not between at - interval '4 seconds' and at;
  return query select life_of_database(), d.beats from deployment d;
end $function$;
alter function beat_of_life(bigint) owner to sello_resolver;
revoke execute on function beat_of_life(bigint) from public;
grant execute on function beat_of_life(bigint) to sello_app;

-- Names the life that begins after a restore and raises the counter of every emission point and type by p_skip numbers
-- at least, and by more where many were issued lately, because the SRI may know numbers that the database has lost. It
-- returns the raised counters, which also stand in sequence_raises and the audit logs; with a p_skip of 0 none is
-- raised. Only the operator may call it, through `npm run restore` and `npm run after-restore`.
CREATE OR REPLACE FUNCTION sello.begin_new_life(p_lineage text, p_types text[], p_skip integer, p_reason text, p_now timestamp with time zone)
 RETURNS TABLE(tenant_id uuid, emission_point_id uuid, document_type text, from_number integer, to_number integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  last_life timestamptz;
  lost interval;
  -- With what is issued once a month, whatever day it is.
  a_month constant interval := interval '35 days';
  environment_here text := (select d.environment from deployment d);
begin
  update deployment set lineage = p_lineage;
  if p_skip = 0 or environment_here is null then return; end if;
  last_life := coalesce((select max(greatest(d.created_at, d.first_sent_at)) from documents d), p_now);
  lost := greatest(p_now - last_life, interval '1 day');
  return query
  with numbered as (
    -- A draft may have been written long before it was issued; one that was not sent yet has hardly rested since.
    select d.tenant_id, d.emission_point_id, d.document_type, greatest(d.created_at, coalesce(d.first_sent_at, d.updated_at)) as at
    from documents d where d.sri_environment = environment_here and d.sequential is not null
  ), lately as (
    select n.tenant_id, n.emission_point_id, n.document_type, count(*) as month, count(*) filter (where n.at > last_life - lost) as day
    from numbered n where n.at > last_life - greatest(lost, a_month)
    group by 1, 2, 3
  ), wanted as (
    select p.tenant_id, p.id as point, t.type, coalesce(c.last_value, p.initial_sequential - 1) as last,
      least(greatest(p_skip, 10 * coalesce(l.day, 0), 2 * coalesce(l.month, 0)), 999999999) as skip
    from emission_points p
    cross join unnest(p_types) as t (type)
    left join lately l on l.tenant_id = p.tenant_id and l.emission_point_id = p.id and l.document_type = t.type
    left join sequence_counters c
      on c.tenant_id = p.tenant_id and c.emission_point_id = p.id and c.document_type = t.type and c.environment = environment_here
  ), reached as (
    insert into sequence_counters as c (tenant_id, emission_point_id, document_type, environment, last_value)
    select w.tenant_id, w.point, w.type, environment_here, least(w.last + w.skip, 999999999) from wanted w where w.last < 999999999
    on conflict on constraint sequence_counters_pkey do update set last_value = excluded.last_value
    returning c.tenant_id, c.emission_point_id, c.document_type, c.last_value
  ), told as (
    insert into sequence_raises as r (tenant_id, id, emission_point_id, document_type, environment, from_number, to_number, reason, by_restore, created_at)
    select x.tenant_id, gen_random_uuid(), x.emission_point_id, x.document_type, environment_here, w.last + 1, x.last_value, p_reason, true, p_now
    from reached x join wanted w on w.tenant_id = x.tenant_id and w.point = x.emission_point_id and w.type = x.document_type
    returning r.tenant_id, r.emission_point_id, r.document_type, r.from_number, r.to_number
  ), audited as (
    insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
    select t.tenant_id, gen_random_uuid(), p_now, 'system', 'sequence.raised', 'emission_point', t.emission_point_id,
      jsonb_build_object('document_type', t.document_type, 'from_number', t.from_number, 'to_number', t.to_number, 'reason', p_reason)
    from told t
  )
  select * from told;
end $function$;
alter function begin_new_life(text,text[],integer,text,timestamp with time zone) owner to sello_resolver;
revoke execute on function begin_new_life(text,text[],integer,text,timestamp with time zone) from public;

-- Returns the id of the database with the name of its present life, or null before a process was first started on it.
-- Each API and worker process calls it at its start and every few seconds, and so does beat_of_life.
CREATE OR REPLACE FUNCTION sello.life_of_database()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select d.id || coalesce('/' || nullif(d.lineage, ''), '') from deployment d
$function$;
alter function life_of_database() owner to sello_resolver;
revoke execute on function life_of_database() from public;
grant execute on function life_of_database() to sello_app;


-- ===== Mails

-- Notes that a mail came back after it had been accepted, and ends its due work. It returns null if there is no such
-- mail and false if it was known to have bounced. It locks the due work before the mail. The operator calls it, through
-- `npm run mail-bounce`.
CREATE OR REPLACE FUNCTION sello.bounce_mail(p_mail uuid, p_failure text, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  tenant uuid;
begin
  select m.tenant_id into tenant from mails m where m.id = p_mail;
  if not found then
    return null;
  end if;
  delete from mail_outbox o where o.tenant_id = tenant and o.id = p_mail;
  update mails m set status = 'bounced', failure = p_failure, updated_at = p_now
  where m.tenant_id = tenant and m.id = p_mail and m.status <> 'bounced';
  return found;
end $function$;
alter function bounce_mail(uuid,text,timestamp with time zone) owner to sello_worker;
revoke execute on function bounce_mail(uuid,text,timestamp with time zone) from public;
grant execute on function bounce_mail(uuid,text,timestamp with time zone) to sello_app;

-- Leases up to p_limit due mails and notices to a worker and returns them with the tenant after which the next claim
-- goes on; null means that everything due was looked at. Tenants take turns, so that one tenant's month-end does not
-- hold up another's mail. Rows that somebody holds are skipped. The worker calls it. It goes by the database's clock if
-- the caller's is ahead of it.
CREATE OR REPLACE FUNCTION sello.claim_mails_going_round(p_token uuid, p_now timestamp with time zone, p_lease interval, p_limit integer, p_after uuid)
 RETURNS TABLE(taken jsonb, looked_until uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET random_page_cost TO '1'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  by_age constant integer := 64;
  -- Of those, how many are looked at besides the others where there are more.
  eldest constant integer := 16;
  most_looked_at constant integer := 256;
  -- By chance at first, so that not all workers begin with the same tenants.
  start_at constant uuid := coalesce(p_after, p_token);
begin
  p_now := least(p_now, clock_timestamp());
  if not exists (select from mail_outbox o where o.due_at <= p_now) then
    return;
  end if;
  -- A lease forgotten by a crash of the server means a mail that is sent twice, as any crash may: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with recursive oldest as materialized (
    select w.tenant_id, w.due_at, row_number() over (order by w.due_at) as age from mail_outbox w where w.due_at <= p_now order by w.due_at limit by_age + 1
  ), ahead as (
    (select w.tenant_id, w.due_at, 1 as place, (w.due_at <= p_now)::integer as due from mail_outbox w
     where (select count(*) from oldest) > by_age and w.tenant_id > start_at and w.due_at > '-infinity'
     order by w.tenant_id, w.due_at limit 1)
    union all
    select next.tenant_id, next.due_at, t.place + 1, t.due + (next.due_at <= p_now)::integer from ahead t cross join lateral (
      select w.tenant_id, w.due_at from mail_outbox w
      where w.tenant_id > t.tenant_id and w.due_at > '-infinity' order by w.tenant_id, w.due_at limit 1) next
    where t.place < most_looked_at and t.due < p_limit
  ), passed as materialized (
    select count(*)::integer as places, coalesce(max(a.due), 0) as due from ahead a
  ), behind as (
    (select w.tenant_id, w.due_at, p.places + 1 as place, p.due + (w.due_at <= p_now)::integer as due from passed p cross join lateral (
       select w.tenant_id, w.due_at from mail_outbox w
       where (select count(*) from oldest) > by_age and w.tenant_id <= start_at and w.due_at > '-infinity'
       order by w.tenant_id, w.due_at limit 1) w
     where p.places < most_looked_at and p.due < p_limit)
    union all
    select next.tenant_id, next.due_at, t.place + 1, t.due + (next.due_at <= p_now)::integer from behind t cross join lateral (
      select w.tenant_id, w.due_at from mail_outbox w
      where w.tenant_id > t.tenant_id and w.tenant_id <= start_at and w.due_at > '-infinity' order by w.tenant_id, w.due_at limit 1) next
    where t.place < most_looked_at and t.due < p_limit
  ), looked_at as materialized (
    select a.tenant_id, a.due_at, a.place from ahead a union all select b.tenant_id, b.due_at, b.place from behind b
  ), tenants as (
    select t.tenant_id, min(t.place) as place from (
      select l.tenant_id, l.place from looked_at l where l.due_at <= p_now
      union all
      select o.tenant_id, most_looked_at + 1 from oldest o where o.age <= case when (select count(*) from oldest) > by_age then eldest else by_age end) t
    group by t.tenant_id
  ), turns as (
    select t.tenant_id, t.place, mine.id, row_number() over (partition by t.tenant_id order by mine.due_at) as turn,
      hashtext(mine.id::text || p_now::text) as chance
    from tenants t cross join lateral (
      select w.id, w.due_at from mail_outbox w
      where (w.tenant_id, w.due_at) >= (t.tenant_id, '-infinity') and (w.tenant_id, w.due_at) <= (t.tenant_id, p_now) and w.due_at > '-infinity'
      order by w.tenant_id, w.due_at limit p_limit) mine
  ), chosen as materialized (
    select t.tenant_id, t.id, t.place from turns t order by t.turn, t.place, t.chance limit p_limit
  ), held as (
    select w.tenant_id, w.id from chosen c join mail_outbox w on w.tenant_id = c.tenant_id and w.id = c.id
    where w.due_at - p_now <= interval '0'
    for update of w skip locked
  ), leased as (
    update mail_outbox o set due_at = p_now + p_lease, lease_token = p_token
    from held where o.tenant_id = held.tenant_id and o.id = held.id
    returning o.tenant_id, o.id, o.kind
  )
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', l.tenant_id, 'id', l.id, 'kind', l.kind)), '[]'), (
    -- Behind the last of those whose turn it was; where nobody of those on the way had anything, behind all of them.
    select r.tenant_id from looked_at r
    where r.place = coalesce((select max(c.place) from chosen c where c.place <= most_looked_at), (select max(place) from looked_at)))
  from leased l;
end $function$;
alter function claim_mails_going_round(uuid,timestamp with time zone,interval,integer,uuid) owner to sello_worker;
revoke execute on function claim_mails_going_round(uuid,timestamp with time zone,interval,integer,uuid) from public;
grant execute on function claim_mails_going_round(uuid,timestamp with time zone,interval,integer,uuid) to sello_app;

-- Holds a leased mail until p_until and returns false if the lease was lost. The worker calls it before it sends a mail
-- whose writing took long.
CREATE OR REPLACE FUNCTION sello.hold_mail(p_tenant uuid, p_mail uuid, p_token uuid, p_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- Forgotten by a crash of the server, the mail is sent twice, as after any crash: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  update mail_outbox o set due_at = p_until where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  return found;
end $function$;

-- Returns a queued mail with its document, the content and issuer as they were issued, and the tenant's mail settings;
-- no row if there is no such mail or it carries no document. The worker calls it to write the mail.
CREATE OR REPLACE FUNCTION sello.mail_of_document(p_tenant uuid, p_mail uuid)
 RETURNS TABLE(document_id uuid, document_status text, recipient text, language text, attempts integer, sequential integer, access_key text, authorization_date timestamp with time zone, content jsonb, issuer jsonb, settings jsonb)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  m mails%rowtype;
  d documents%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into m from mails k where k.tenant_id = p_tenant and k.id = p_mail;
  select * into d from documents k where k.tenant_id = p_tenant and k.id = m.document_id;
  return query
  select d.id, d.status, m.recipient, m.language, m.attempts, d.sequential, d.access_key::text, d.authorization_date, c.content, c.issuer_snapshot,
    (select to_jsonb(s) from mail_settings s where s.tenant_id = p_tenant)
  from document_contents c
  where c.tenant_id = p_tenant and c.document_id = d.id and c.revision = d.content_revision;
end $function$;

-- Notes that a document is mailed to an address that is not its buyer's, in the normal form of addresses, and returns
-- null. Where the tenant has mailed p_limit documents so to the address within a day, it notes nothing and returns in
-- how many seconds there is room for another. It locks the address within the tenant until the commit. The API calls
-- it, and refuses to mail then.
CREATE OR REPLACE FUNCTION sello.note_mail_to_stranger(p_tenant uuid, p_mail uuid, p_address text, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  day constant interval := interval '1 day';
  hash constant bytea := sha256(convert_to(p_address, 'UTF8'));
  noted_at timestamptz;
  room_at timestamptz;
begin
  -- Mails of several documents to one address wait for each other here.
  perform pg_advisory_xact_lock(hashtextextended(p_tenant || ' ' || p_address, 0));
  noted_at := clock_timestamp();
  select m.mailed_at + day into room_at from mails_to_strangers m
  where m.tenant_id = p_tenant and m.address_hash = hash order by m.mailed_at desc offset p_limit - 1 limit 1;
  if room_at > noted_at then
    return ceil(extract(epoch from room_at - noted_at));
  end if;
  insert into mails_to_strangers (tenant_id, mailed_at, mail_id, address_hash) values (p_tenant, noted_at, p_mail, hash);
  -- What is over is cleared away on the occasion, without waiting for anybody.
  delete from mails_to_strangers o
  using (
    select m.mailed_at, m.mail_id from mails_to_strangers m
    where m.tenant_id = p_tenant and m.mailed_at <= noted_at - day order by m.mailed_at limit 20 for update skip locked
  ) over_now
  where o.tenant_id = p_tenant and o.mailed_at = over_now.mailed_at and o.mail_id = over_now.mail_id;
  return null;
end $function$;

-- Trigger of documents after one is authorized for the first time and has an e-mail address: queues the mail to the
-- buyer, which commits with the authorization, unless the issuer or the document says otherwise.
CREATE OR REPLACE FUNCTION sello.queue_buyer_mail()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  mail uuid := gen_random_uuid();
begin
  if not exists (select from issuers i where i.tenant_id = new.tenant_id and i.id = new.issuer_id and i.email_buyers)
     or exists (
       select from document_contents c
       where c.tenant_id = new.tenant_id and c.document_id = new.id and c.revision = new.content_revision and c.content ->> 'sendEmail' = 'false'
     ) then
    return null;
  end if;
  insert into mails (tenant_id, id, cause, document_id, recipient, language, created_at, updated_at)
  values (new.tenant_id, mail, 'authorized', new.id, new.buyer_email,
          coalesce((select s.language from mail_settings s where s.tenant_id = new.tenant_id), 'es'), new.updated_at, new.updated_at)
  on conflict do nothing;
  if found then
    insert into mail_outbox (tenant_id, id, kind, due_at) values (new.tenant_id, mail, 'mail', least(new.updated_at, clock_timestamp()));
  end if;
  return null;
end $function$;

-- Trigger of events after one that the owners and administrators of a tenant are mailed about: makes the notice due. It
-- acts as sello_worker, so that whoever writes the event needs no right to the mails.
CREATE OR REPLACE FUNCTION sello.queue_notice()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  insert into mail_outbox (tenant_id, id, kind, due_at) values (new.tenant_id, new.id, 'notice', least(new.created_at, clock_timestamp()));
  return null;
end $function$;
alter function queue_notice() owner to sello_worker;
revoke execute on function queue_notice() from public;

-- Writes how a mail stands after an attempt and when it is due again; null means never. It returns false, and writes
-- nothing, if the lease was lost. It locks the due work before the mail. The worker calls it. All times of a caller
-- whose clock is ahead of the database's are put back by as much.
CREATE OR REPLACE FUNCTION sello.settle_mail(p_tenant uuid, p_mail uuid, p_token uuid, p_due_at timestamp with time zone, p_status text, p_failure text, p_message_id text, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  lead constant interval := greatest(p_now - clock_timestamp(), interval '0');
begin
  p_now := p_now - lead;
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if p_due_at is null then
    delete from mail_outbox o where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  else
    update mail_outbox o set due_at = p_due_at - lead, lease_token = null where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  end if;
  if not found then return false; end if;
  update mails m set status = p_status, attempts = m.attempts + 1, failure = p_failure, message_id = coalesce(p_message_id, m.message_id),
    sent_at = case when p_status = 'sent' then p_now end, updated_at = p_now
  where m.tenant_id = p_tenant and m.id = p_mail;
  return true;
end $function$;


-- ===== Members

-- Makes the reader of an invitation's mail a member: the signed-in person who has the invited address, or a new person
-- if a password hash is given. The outcome is accepted, unknown (no such invitation, or too late), other_person
-- (another address), or sign_in_required (the address has an account). It locks the invitation. The API calls it.
CREATE OR REPLACE FUNCTION sello.accept_invitation(p_hash bytea, p_user uuid, p_name text, p_password_hash text, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS TABLE(outcome text, tenant_id uuid, member_id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  invited members%rowtype;
begin
  select m.* into invited from members m join tenants t on t.id = m.tenant_id and t.is_active
  where m.invitation_hash = p_hash and m.status = 'invited' and m.invitation_expires_at > p_now
  for update of m;
  if invited.id is null then
    return query select 'unknown', null::uuid, null::uuid;
    return;
  end if;
  if p_password_hash is null then
    if not exists (select from users u where u.id = p_user and u.email = invited.email and u.disabled_at is null) then
      return query select 'other_person', null::uuid, null::uuid;
      return;
    end if;
    update users u set email_verified_at = coalesce(u.email_verified_at, p_now) where u.id = p_user;
  else
    insert into users (id, email, name, password_hash, email_verified_at, created_at, updated_at)
    values (p_user, invited.email, p_name, p_password_hash, p_now, p_now, p_now)
    on conflict (email) do nothing;
    if not found then
      return query select 'sign_in_required', null::uuid, null::uuid;
      return;
    end if;
  end if;
  update members m set user_id = p_user, status = 'active', joined_at = p_now, updated_at = p_now, invitation_hash = null, invitation_expires_at = null
  where m.tenant_id = invited.tenant_id and m.id = invited.id;
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, detail, request_id, address)
  values (invited.tenant_id, gen_random_uuid(), p_now, 'user', p_user, 'invitation.accepted', 'member', invited.id,
    jsonb_build_object('role', invited.role), p_request_id, p_address);
  return query select 'accepted', invited.tenant_id, invited.id;
end $function$;
alter function accept_invitation(bytea,uuid,text,text,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function accept_invitation(bytea,uuid,text,text,timestamp with time zone,text,text) from public;
grant execute on function accept_invitation(bytea,uuid,text,text,timestamp with time zone,text,text) to sello_app;

-- Closes the current tenant if it has no member, as its last one leaves. It leaves all others as they are. The API
-- calls it, and writes the line of the audit log before.
CREATE OR REPLACE FUNCTION sello.close_deserted_tenant(p_tenant uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  update tenants t set is_active = false
  where t.id = p_tenant and p_tenant = current_tenant() and not exists (select from members m where m.tenant_id = p_tenant)
$function$;
alter function close_deserted_tenant(uuid) owner to sello_resolver;
revoke execute on function close_deserted_tenant(uuid) from public;
grant execute on function close_deserted_tenant(uuid) to sello_app;

-- Returns true if a person has an account that no operator has closed, and has confirmed its address. The worker asks
-- it before it writes to the owners and admins of a tenant.
CREATE OR REPLACE FUNCTION sello.has_confirmed_address(p_user uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select exists (select from users u where u.id = p_user and u.disabled_at is null and u.email_verified_at is not null)
$function$;
alter function has_confirmed_address(uuid) owner to sello_resolver;
revoke execute on function has_confirmed_address(uuid) from public;
grant execute on function has_confirmed_address(uuid) to sello_app;

-- Returns true if a person has an account that no operator has closed. The API asks it of the other owners of a tenant
-- before one of them goes or gets another role.
CREATE OR REPLACE FUNCTION sello.has_open_account(p_user uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select exists (select from users u where u.id = p_user and u.disabled_at is null)
$function$;
alter function has_open_account(uuid) owner to sello_resolver;
revoke execute on function has_open_account(uuid) from public;
grant execute on function has_open_account(uuid) to sello_app;

-- Returns the invitations that wait for the address of a person, at most 20, of which the newest come first: those that
-- accept_invitation would accept by the token of their mail. It returns no row while the person has not confirmed the
-- address. The API calls it.
CREATE OR REPLACE FUNCTION sello.invitations_of_person(p_user uuid, p_now timestamp with time zone)
 RETURNS TABLE(member_id uuid, tenant_name text, role text, expires_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select m.id, t.name, m.role, m.invitation_expires_at
  from users u
  join members m on m.email = u.email and m.status = 'invited' and m.invitation_expires_at > p_now
  join tenants t on t.id = m.tenant_id and t.is_active
  where u.id = p_user and u.email_verified_at is not null
  order by m.invitation_expires_at desc, m.id
  limit 20
$function$;
alter function invitations_of_person(uuid,timestamp with time zone) owner to sello_resolver;
revoke execute on function invitations_of_person(uuid,timestamp with time zone) from public;
grant execute on function invitations_of_person(uuid,timestamp with time zone) to sello_app;

-- Returns what the token of an invitation would let its reader accept: tenant, address, role, end, and whether the
-- address has an account. No row means that accept_invitation would not know it either. The API calls it.
CREATE OR REPLACE FUNCTION sello.look_at_invitation(p_hash bytea, p_now timestamp with time zone)
 RETURNS TABLE(tenant_name text, email text, role text, expires_at timestamp with time zone, has_account boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select t.name, m.email, m.role, m.invitation_expires_at, exists (select from users u where u.email = m.email)
  from members m join tenants t on t.id = m.tenant_id and t.is_active
  where m.invitation_hash = p_hash and m.status = 'invited' and m.invitation_expires_at > p_now
$function$;
alter function look_at_invitation(bytea,timestamp with time zone) owner to sello_resolver;
revoke execute on function look_at_invitation(bytea,timestamp with time zone) from public;
grant execute on function look_at_invitation(bytea,timestamp with time zone) to sello_app;

-- Returns the members of the current tenant with what the tenant may know of each person. For somebody who is invited
-- and has not accepted, that is the address and nothing else, whether or not an account has it. It returns no row for
-- any other tenant. The API calls it.
CREATE OR REPLACE FUNCTION sello.member_cards(p_tenant uuid)
 RETURNS TABLE(member_id uuid, user_id uuid, email text, name text, role text, status text, invited_at timestamp with time zone, last_login_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select m.id, m.user_id, m.email, u.name, m.role, m.status, m.invited_at, u.last_login_at
  from members m left join users u on u.id = m.user_id
  where m.tenant_id = p_tenant and p_tenant = current_tenant()
$function$;
alter function member_cards(uuid) owner to sello_resolver;
revoke execute on function member_cards(uuid) from public;
grant execute on function member_cards(uuid) to sello_app;

-- Notes that an invitation is mailed to an address, and returns no row. Where tenants have together mailed it p_limit
-- within a day, or those whose inviters have not confirmed an address p_unconfirmed_limit and this one is of such, it
-- notes nothing and returns the bound that is exceeded and when there is room for another. It locks the address until
-- the commit. The API calls it, and refuses to invite then.
CREATE OR REPLACE FUNCTION sello.note_invitation(p_email text, p_is_confirmed boolean, p_limit integer, p_unconfirmed_limit integer, p_now timestamp with time zone)
 RETURNS TABLE(exceeded integer, room_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  day constant interval := interval '1 day';
  address invited_addresses%rowtype;
begin
  -- Invitations of many tenants at once wait for each other here.
  insert into invited_addresses (email_hash, last_at) values (sha256(convert_to(p_email, 'UTF8')), p_now)
  on conflict (email_hash) do update set last_at = p_now
  returning * into address;
  address.mails := array(select m from unnest(address.mails) m where m > p_now - day order by m);
  address.unconfirmed_mails := array(select m from unnest(address.unconfirmed_mails) m where m > p_now - day order by m);
  if cardinality(address.mails) >= p_limit then
    return query select p_limit, address.mails[cardinality(address.mails) - p_limit + 1] + day;
    return;
  elsif not p_is_confirmed and cardinality(address.unconfirmed_mails) >= p_unconfirmed_limit then
    return query select p_unconfirmed_limit, address.unconfirmed_mails[cardinality(address.unconfirmed_mails) - p_unconfirmed_limit + 1] + day;
    return;
  end if;
  update invited_addresses i set mails = address.mails || p_now,
    unconfirmed_mails = case when p_is_confirmed then address.unconfirmed_mails else address.unconfirmed_mails || p_now end
  where i.email_hash = address.email_hash;
  -- What is over is cleared away on the occasion, without waiting for anybody.
  delete from invited_addresses where email_hash in
    (select i.email_hash from invited_addresses i where i.last_at < p_now - day order by i.last_at limit 20 for update skip locked);
end $function$;
alter function note_invitation(text,boolean,integer,integer,timestamp with time zone) owner to sello_resolver;
revoke execute on function note_invitation(text,boolean,integer,integer,timestamp with time zone) from public;
grant execute on function note_invitation(text,boolean,integer,integer,timestamp with time zone) to sello_app;


-- ===== Numbers

-- Returns the last digit of an access key: modulo 11 over the 48 digits before it, with the weights 2 to 7 from the
-- right, where 11 gives 0 and 10 gives 1. build_access_key calls it.
CREATE OR REPLACE FUNCTION sello.access_key_check_digit(p_digits text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select case r when 11 then 0 when 10 then 1 else r end
  from (
    select 11 - (sum((ascii(substr(p_digits, i, 1)) - 48) * (2 + (length(p_digits) - i) % 6)) % 11)::integer as r
    from generate_series(1, length(p_digits)) i
  ) modulo
$function$;

-- Returns the access key of 49 digits that the SRI prescribes: date, type, RUC, environment, establishment, emission
-- point, number, numeric code, kind of emission and check digit. take_number and correct_document call it.
CREATE OR REPLACE FUNCTION sello.build_access_key(p_issue_date date, p_type text, p_ruc text, p_environment text, p_establishment text, p_point text, p_sequential integer, p_numeric_code text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select digits || access_key_check_digit(digits)
  from (
    select to_char(p_issue_date, 'DDMMYYYY') || p_type || p_ruc
      || case p_environment when 'PRODUCTION' then '2' else '1' end
      || p_establishment || p_point || lpad(p_sequential::text, 9, '0') || p_numeric_code || '1' as digits
  ) key
$function$;

-- Writes the event sequence.low for counters that have fewer numbers left than a threshold, once for each threshold,
-- and only for the lowest if several are passed at once. It returns how many it wrote. The worker calls it at
-- intervals. It goes by the database's clock if the caller's is ahead of it.
CREATE OR REPLACE FUNCTION sello.notice_low_sequences(p_thresholds integer[], p_now timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  told integer;
begin
  p_now := least(p_now, clock_timestamp());
  with passed as (
    insert into sequence_notices (tenant_id, emission_point_id, document_type, environment, threshold, noticed_at)
    select s.tenant_id, s.emission_point_id, s.document_type, s.environment, t, p_now
    from sequence_counters s cross join unnest(p_thresholds) t
    where 999999999 - s.last_value < t
    on conflict do nothing
    returning *
  ), lowest as (
    select p.tenant_id, p.emission_point_id, p.document_type, p.environment, min(p.threshold) as threshold from passed p group by 1, 2, 3, 4
  )
  insert into events (tenant_id, id, type, created_at, data)
  select l.tenant_id, gen_random_uuid(), 'sequence.low', p_now, jsonb_build_object('sequence', jsonb_build_object(
    'issuer_id', b.issuer_id, 'establishment_id', b.id, 'emission_point_id', l.emission_point_id, 'document_type', l.document_type,
    'sri_environment', l.environment, 'next_number', case when s.last_value < 999999999 then s.last_value + 1 end,
    'remaining', 999999999 - s.last_value, 'threshold', l.threshold))
  from lowest l
  join sequence_counters s using (tenant_id, emission_point_id, document_type, environment)
  join emission_points p on p.tenant_id = l.tenant_id and p.id = l.emission_point_id
  join establishments b on b.tenant_id = p.tenant_id and b.id = p.establishment_id;
  get diagnostics told = row_count;
  return told;
end $function$;
alter function notice_low_sequences(integer[],timestamp with time zone) owner to sello_worker;
revoke execute on function notice_low_sequences(integer[],timestamp with time zone) from public;
grant execute on function notice_low_sequences(integer[],timestamp with time zone) to sello_app;

-- Takes the next number of an emission point for a type of document and returns it with its access key. It raises SE001
-- if the numbers are used up and SE005 if the emission point is gone or inactive. The row of the counter stays locked
-- until the commit, so nothing may be waited for after this call. issue_document and issue_draft call it.
CREATE OR REPLACE FUNCTION sello.take_number(p_tenant uuid, h documents, p_snapshot jsonb, p_numeric_code text, OUT sequential integer, OUT access_key text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  insert into sequence_counters as s (tenant_id, emission_point_id, document_type, environment, last_value)
  select p_tenant, p.id, h.document_type, h.sri_environment, p.initial_sequential
  from emission_points p
  where p.tenant_id = p_tenant and p.establishment_id = h.establishment_id and p.id = h.emission_point_id and p.is_active
  on conflict (tenant_id, emission_point_id, document_type, environment)
  do update set last_value = s.last_value + 1 where s.last_value < 999999999
  returning s.last_value into sequential;
  if sequential is null then
    if exists (select from emission_points p where p.tenant_id = p_tenant and p.id = h.emission_point_id and p.is_active) then
      raise exception 'sequence exhausted' using errcode = 'SE001';
    end if;
    raise exception 'emission point gone' using errcode = 'SE005';
  end if;
  access_key := build_access_key(
    h.issue_date, h.document_type, p_snapshot ->> 'ruc', h.sri_environment,
    p_snapshot ->> 'establishmentCode', p_snapshot ->> 'emissionPointCode', sequential, p_numeric_code);
end $function$;


-- ===== Observing

-- Notes the time of the primary's last sign of life, at most once a second over all processes. Each process that reads
-- from a replica calls it on the primary every two seconds.
CREATE OR REPLACE FUNCTION sello.beat()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into replica_beat as b (at) values (clock_timestamp())
  on conflict (is_only_row) do update set at = excluded.at where b.at not between excluded.at - interval '1 second' and excluded.at + interval '1 second';
end $function$;
alter function beat() owner to sello_worker;
revoke execute on function beat() from public;
grant execute on function beat() to sello_app;

-- Returns how many documents are on their way to a verdict, by status, and counts no more than p_limit. The worker
-- calls it for its metrics.
CREATE OR REPLACE FUNCTION sello.moving_documents(p_limit integer)
 RETURNS TABLE(status text, documents integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select m.status, count(*)::integer
  from (select d.status from documents d where d.resting_status is null limit p_limit) m
  group by m.status
$function$;
alter function moving_documents(integer) owner to sello_resolver;
revoke execute on function moving_documents(integer) from public;
grant execute on function moving_documents(integer) to sello_app;

-- Returns how many seconds ago the primary gave the last sign of life that is known here, or null if there was none.
-- Each process that reads from a replica calls it there, to see how far the replica lags.
CREATE OR REPLACE FUNCTION sello.seconds_since_beat()
 RETURNS double precision
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select extract(epoch from clock_timestamp() - b.at)::double precision from replica_beat b
$function$;
alter function seconds_since_beat() owner to sello_worker;
revoke execute on function seconds_since_beat() from public;
grant execute on function seconds_since_beat() to sello_app;

-- Returns since when the oldest due work of each kind waits, and the oldest that was not announced. Where much is due,
-- only p_places steps of tenants are looked at, others each time, so that the cost has a bound. Webhooks that fail do
-- not count unless nothing else is found. The worker calls it for its metrics.
CREATE OR REPLACE FUNCTION sello.work_ages(p_now timestamp with time zone, p_places integer)
 RETURNS TABLE(kind text, oldest timestamp with time zone, oldest_unannounced timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET random_page_cost TO '1'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
AS $function$
declare
  few constant integer := 2000;
  depth constant integer := 20;
  start constant uuid := gen_random_uuid();
  at_tenant uuid := start;
  at_step text := '~';
  wrapped boolean := false;
  due_rows integer;
  due jsonb;
  unannounced jsonb;
  found_at timestamptz;
begin
  select coalesce(sum(k.due_rows), 0), coalesce(jsonb_object_agg(k.step, k.due_at), '{}'), coalesce(jsonb_object_agg(k.step, k.unannounced), '{}')
  into due_rows, due, unannounced
  from (
    select w.step, count(*) as due_rows, min(w.due_at) filter (where not w.ahead) as due_at,
      min(w.due_at) filter (where not w.ahead and w.announced_at is null) as unannounced
    from (select o.step, o.due_at, o.ahead, o.announced_at from outbox o where o.due_at <= p_now and o.sequential < 1000000000 order by o.due_at limit few) w
    group by w.step
  ) k;
  if due_rows = few then
    for visited in 1 .. p_places + 1 loop
      -- Rows are compared as wholes, so that the planner takes the one index that has them in this order.
      select o.tenant_id, o.step into at_tenant, at_step from outbox o
      where (o.tenant_id, o.step) > (at_tenant, at_step) and o.sequential > 0 order by o.tenant_id, o.step, o.ahead, o.due_at limit 1;
      if at_tenant is null then
        exit when wrapped;
        wrapped := true;
        at_tenant := '00000000-0000-0000-0000-000000000000';
        at_step := '';
        continue;
      end if;
      exit when wrapped and at_tenant > start;
      select o.due_at into found_at from outbox o
      where (o.tenant_id, o.step, o.ahead, o.due_at) >= (at_tenant, at_step, false, '-infinity'::timestamptz)
        and (o.tenant_id, o.step, o.ahead, o.due_at) <= (at_tenant, at_step, false, p_now) and o.sequential > 0
      order by o.tenant_id, o.step, o.ahead, o.due_at limit 1;
      continue when not found;
      due := due || jsonb_build_object(at_step, least((due ->> at_step)::timestamptz, found_at));
      select w.due_at into found_at from (
        select o.due_at, o.announced_at from outbox o
        where (o.tenant_id, o.step, o.ahead, o.due_at) >= (at_tenant, at_step, false, found_at)
          and (o.tenant_id, o.step, o.ahead, o.due_at) <= (at_tenant, at_step, false, p_now) and o.sequential > 0
        order by o.tenant_id, o.step, o.ahead, o.due_at limit depth
      ) w where w.announced_at is null limit 1;
      unannounced := unannounced || jsonb_build_object(at_step, least((unannounced ->> at_step)::timestamptz, found_at));
    end loop;
  end if;
  return query select s.step, (due ->> s.step)::timestamptz, (unannounced ->> s.step)::timestamptz
  from unnest(array['prepare', 'submit', 'authorize', 'watch']) as s (step);
  -- Addresses that fail are behind by their own doing; where nothing else is found near, they count after all.
  return query
  with window_of_due as (
    select w.tenant_id, w.webhook_id, w.due_at from webhook_work w where w.due_at <= p_now order by w.due_at limit 1000
  )
  select 'webhook', coalesce(
    (select d.due_at from window_of_due d join webhooks k on k.tenant_id = d.tenant_id and k.id = d.webhook_id
     where k.failing_since is null and not k.last_attempt_failed order by d.due_at limit 1),
    (select min(d.due_at) from window_of_due d having count(*) = 1000)), null::timestamptz;
  return query select 'mail', (select min(m.due_at) from mail_outbox m where m.due_at <= p_now), null::timestamptz;
end $function$;
alter function work_ages(timestamp with time zone,integer) owner to sello_worker;
revoke execute on function work_ages(timestamp with time zone,integer) from public;
grant execute on function work_ages(timestamp with time zone,integer) to sello_app;


-- ===== Pauses

-- Ends a pause of an issuer and returns it; one that has ended stays as it is, and no row means that there is none. The
-- documents that waited are woken by wake_resumed afterwards. The API calls it. It ends by the database's clock, and
-- p_now is no longer used.
CREATE OR REPLACE FUNCTION sello.end_pause(p_tenant uuid, p_issuer uuid, p_pause uuid, p_now timestamp with time zone)
 RETURNS SETOF issuing_pauses
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  update issuing_pauses p set resumed_at = coalesce(p.resumed_at, clock_timestamp())
  where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.id = p_pause
  returning p.*;
end $function$;

-- Returns the pauses that hold up submissions of a place: each has to be resumed before a document of that issuer,
-- establishment, emission point and type is sent. claim_step and clear_to_send call it, and the API to show why a
-- document waits.
CREATE OR REPLACE FUNCTION sello.open_pauses(p_tenant uuid, p_issuer uuid, p_establishment uuid, p_point uuid, p_type text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
AS $function$
  select p.id from issuing_pauses p
  where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.resumed_at is null
    and (p.establishment_id is null or p.establishment_id = p_establishment)
    and (p.emission_point_id is null or p.emission_point_id = p_point)
    and (p.document_type is null or p.document_type = p_type)
$function$;

-- Opens a pause for the scope that the SRI blocked, with the event issuer.paused, unless one is open already. If the
-- pause has a threshold above one, it opens only after so many documents of the emission point and type were refused in
-- a row for the same reason, and not for a document that was numbered before the last such pause was resumed; with a
-- threshold of one, it does not open if the scope has been served since the refusal. How old the refusal is counts, not
-- when it was by a clock that is off. It locks the open pause for share. advance_document calls it.
CREATE OR REPLACE FUNCTION sello.pause_scope(d documents, p_pause jsonb, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  wanted text := p_pause ->> 'scope';
  threshold integer := (p_pause ->> 'threshold')::integer;
  decided_at timestamptz := least((p_pause ->> 'decidedAt')::timestamptz, statement_timestamp());
  -- So long may a call have waited for its turn; beyond, the caller's clock is late.
  late constant interval := interval '5 seconds';
  by_database timestamptz := statement_timestamp() - (p_pause ->> 'ageMs')::double precision * interval '1 millisecond';
begin
  -- What the scope was resumed since is held against the database's clock, by which pauses end.
  if by_database < decided_at or by_database > decided_at + late then
    decided_at := by_database;
  end if;
  -- Whoever is about to end the pause has ended it before this refusal is judged.
  perform from issuing_pauses p
  where p.tenant_id = d.tenant_id and p.issuer_id = d.issuer_id and p.scope = wanted and p.resumed_at is null
  for share;
  if threshold > 1 and (refused_in_a_row(d) < threshold or exists (
    select from issuing_pauses p
    where p.tenant_id = d.tenant_id and p.emission_point_id = d.emission_point_id and p.document_type = d.document_type
      and p.scope = wanted and p.code = p_pause ->> 'code'
      and p.resumed_at > coalesce((
        select max(h.at) from document_history h
        where h.tenant_id = d.tenant_id and h.document_id = d.id and h.trigger = 'number_taken'), d.created_at))
  ) then
    return;
  end if;
  -- A refusal that is found late tells of how things stood when the SRI decided.
  if threshold = 1 and scope_was_served_since(d, wanted, decided_at) then
    return;
  end if;
  insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
  values (d.tenant_id, (p_pause ->> 'id')::uuid, wanted, d.issuer_id,
          case when wanted in ('establishment', 'emission_point') then d.establishment_id end,
          case when wanted = 'emission_point' then d.emission_point_id end,
          case when wanted in ('document_type', 'emission_point') then d.document_type end,
          p_pause ->> 'code', d.id, p_now)
  on conflict do nothing;
  if found then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    values (d.tenant_id, (p_pause ->> 'event_id')::uuid, 'issuer.paused', d.id, d.version, p_now);
  end if;
end $function$;

-- Returns how many documents near the number of this one, of its emission point and type, were refused for its reason
-- since the last that the SRI received; a thousand numbers before it and after it are looked at. pause_scope calls it.
CREATE OR REPLACE FUNCTION sello.refused_in_a_row(d documents)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  return (
    with nearby as (
      (select x.id, x.sequential, x.error_code, x.received_at from documents x
       where x.tenant_id = d.tenant_id and x.emission_point_id = d.emission_point_id and x.document_type = d.document_type
         and x.sri_environment = d.sri_environment and x.sequential >= d.sequential
       order by x.sequential limit 1000)
      union all
      (select x.id, x.sequential, x.error_code, x.received_at from documents x
       where x.tenant_id = d.tenant_id and x.emission_point_id = d.emission_point_id and x.document_type = d.document_type
         and x.sri_environment = d.sri_environment and x.sequential < d.sequential
       order by x.sequential desc limit 1000)
    )
    select count(*) from nearby n
    where (n.id = d.id or n.error_code = d.error_code)
      and n.sequential > coalesce((select max(served.sequential) from nearby served where served.received_at is not null), 0));
end $function$;

-- Returns true if the SRI has authorized a document of a scope since the given time, or a pause of that scope has been
-- resumed since. Only the tenant's newest 5000 documents are looked at. pause_scope calls it.
CREATE OR REPLACE FUNCTION sello.scope_was_served_since(d documents, p_scope text, p_since timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return exists (
    select from issuing_pauses p
    where p.tenant_id = d.tenant_id and p.issuer_id = d.issuer_id and p.scope = p_scope and p.resumed_at > p_since
      and (p.establishment_id is null or p.establishment_id = d.establishment_id)
      and (p.emission_point_id is null or p.emission_point_id = d.emission_point_id)
      and (p.document_type is null or p.document_type = d.document_type)
  ) or exists (
    select from (
      select x.* from documents x where x.tenant_id = d.tenant_id order by x.created_at desc, x.id desc limit 5000
    ) x
    where x.issuer_id = d.issuer_id and least(x.authorization_date, x.updated_at) > p_since and x.authorization_date is not null
      and x.sri_environment = d.sri_environment
      and (p_scope not in ('establishment', 'emission_point') or x.establishment_id = d.establishment_id)
      and (p_scope <> 'emission_point' or x.emission_point_id = d.emission_point_id)
      and (p_scope not in ('document_type', 'emission_point') or x.document_type = d.document_type)
  );
end $function$;

-- Makes up to p_limit documents due that came to wait for a pause before it ended, and returns how many; 0 means that
-- none is left. It locks their work in the order of their numbers, as whoever sends a document locks the next. The API
-- calls it again and again after end_pause. They are due by the database's clock, and p_now is no longer used.
CREATE OR REPLACE FUNCTION sello.wake_resumed(p_tenant uuid, p_pause uuid, p_now timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  pause issuing_pauses%rowtype;
  chosen record;
  woken integer := 0;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into pause from issuing_pauses p where p.tenant_id = p_tenant and p.id = p_pause and p.resumed_at is not null;
  if not found then return 0; end if;
  for chosen in
    -- Locked in the order of their numbers, as whoever sends a document locks the next one.
    select waiting.document_id from (
      select w.document_id, w.emission_point_id, w.document_type, w.sequential from outbox w
      where w.tenant_id = p_tenant and w.issuer_id = pause.issuer_id and w.step = 'submit' and w.ahead and w.sequential > 0
        and w.due_at < pause.resumed_at + interval '10 minutes 1 second'
        and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
        and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
        and (pause.document_type is null or w.document_type = pause.document_type)
      order by w.due_at limit p_limit
    ) waiting
    order by waiting.emission_point_id, waiting.document_type, waiting.sequential
  loop
    update outbox o set ahead = false, due_at = least(clock_timestamp(), o.due_at - interval '10 minutes'), announced_at = null
    where o.tenant_id = p_tenant and o.document_id = chosen.document_id and o.ahead;
    if found then woken := woken + 1; end if;
  end loop;
  return woken;
end $function$;


-- ===== Platform

-- Writes into a tenant's audit log that an administrator of the platform works in it, once an hour for each session. It
-- returns false if there is no such tenant or the session is no administrator's. The API calls it for each request in
-- which an administrator names a tenant.
CREATE OR REPLACE FUNCTION sello.enter_tenant(p_tenant uuid, p_user uuid, p_session uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  if not exists (select from tenants t where t.id = p_tenant)
    or not exists (select from users u join sessions s on s.user_id = u.id where u.id = p_user and u.is_platform_admin and s.id = p_session) then
    return false;
  end if;
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, request_id, address)
  values (p_tenant, md5(p_tenant::text || p_session::text || date_trunc('hour', p_now at time zone 'UTC')::text)::uuid, p_now,
    'platform_admin', p_user, 'platform.tenant_entered', 'tenant', p_tenant, p_request_id, p_address)
  on conflict do nothing;
  return true;
end $function$;
alter function enter_tenant(uuid,uuid,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function enter_tenant(uuid,uuid,uuid,timestamp with time zone,text,text) from public;
grant execute on function enter_tenant(uuid,uuid,uuid,timestamp with time zone,text,text) to sello_app;

-- Creates a tenant whose owner is invited by mail, with a line in its audit log. It raises SE130 if the caller is no
-- administrator of the platform. The API calls it.
CREATE OR REPLACE FUNCTION sello.platform_create_tenant(p_user uuid, p_tenant uuid, p_name text, p_member uuid, p_email text, p_invitation bytea, p_expires timestamp with time zone, p_now timestamp with time zone, p_line jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  perform require_platform_admin(p_user);
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into members (tenant_id, id, email, role, status, invited_at, invited_by, invitation_hash, invitation_expires_at, created_at, updated_at)
  values (p_tenant, p_member, p_email, 'tenant_owner', 'invited', p_now, p_user, p_invitation, p_expires, p_now, p_now);
  perform record_audit(p_tenant, p_line);
end $function$;
alter function platform_create_tenant(uuid,uuid,text,uuid,text,bytea,timestamp with time zone,timestamp with time zone,jsonb) owner to sello_resolver;
revoke execute on function platform_create_tenant(uuid,uuid,text,uuid,text,bytea,timestamp with time zone,timestamp with time zone,jsonb) from public;
grant execute on function platform_create_tenant(uuid,uuid,text,uuid,text,bytea,timestamp with time zone,timestamp with time zone,jsonb) to sello_app;

-- Closes a tenant to everybody but the platform, or opens it again, and returns it; no row means that there is none.
-- The line of the audit log is written only if something changed. It raises SE130 if the caller is no administrator of
-- the platform. The API calls it.
CREATE OR REPLACE FUNCTION sello.platform_set_tenant_active(p_user uuid, p_tenant uuid, p_active boolean, p_line jsonb)
 RETURNS TABLE(id uuid, name text, is_active boolean, created_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  perform require_platform_admin(p_user);
  update tenants t set is_active = p_active where t.id = p_tenant and t.is_active <> p_active;
  if found then
    perform record_audit(p_tenant, p_line);
  end if;
  return query select t.id, t.name, t.is_active, t.created_at from tenants t where t.id = p_tenant;
end $function$;
alter function platform_set_tenant_active(uuid,uuid,boolean,jsonb) owner to sello_resolver;
revoke execute on function platform_set_tenant_active(uuid,uuid,boolean,jsonb) from public;
grant execute on function platform_set_tenant_active(uuid,uuid,boolean,jsonb) to sello_app;

-- Returns a page of all tenants, newest first, with their total number; a page without tenants is one row that holds
-- only the total. It raises SE130 if the caller is no administrator of the platform. The API calls it.
CREATE OR REPLACE FUNCTION sello.platform_tenants(p_user uuid, p_limit integer, p_offset integer)
 RETURNS TABLE(id uuid, name text, is_active boolean, created_at timestamp with time zone, total bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  perform require_platform_admin(p_user);
  return query
  select t.id, t.name, t.is_active, t.created_at, counted.total
  from (select count(*) as total from tenants) counted
  left join lateral (select * from tenants a order by a.created_at desc, a.id desc limit p_limit offset p_offset) t on true;
end $function$;
alter function platform_tenants(uuid,integer,integer) owner to sello_resolver;
revoke execute on function platform_tenants(uuid,integer,integer) from public;
grant execute on function platform_tenants(uuid,integer,integer) to sello_app;

-- Raises SE130 unless the person is an administrator of the platform whose account is not disabled. The functions of
-- the platform call it first, and the API does before an act on an issuer in an administrator's name.
CREATE OR REPLACE FUNCTION sello.require_platform_admin(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  if not exists (select from users u where u.id = p_user and u.is_platform_admin and u.disabled_at is null) then
    raise exception 'no platform administrator' using errcode = 'SE130';
  end if;
end $function$;
alter function require_platform_admin(uuid) owner to sello_resolver;
revoke execute on function require_platform_admin(uuid) from public;
grant execute on function require_platform_admin(uuid) to sello_app;

-- Makes the person with this address an administrator of the platform, or no longer; the person's tenants find a change
-- in their audit logs. It returns false if nobody has the address, or if it is not confirmed and the right is to be
-- given. It locks the person. Only the operator may call it, as the owner of the schema.
CREATE OR REPLACE FUNCTION sello.set_platform_admin(p_email text, p_is_admin boolean, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email and (not p_is_admin or u.email_verified_at is not null) for no key update;
  if not found then
    return false;
  end if;
  if person.is_platform_admin <> p_is_admin then
    update users u set is_platform_admin = p_is_admin, updated_at = p_now where u.id = person.id;
    perform record_for_person(
      person.id, false, case when p_is_admin then 'person.platform_admin_appointed' else 'person.platform_admin_dismissed' end, '{}', p_now, null, null);
  end if;
  return true;
end $function$;
alter function set_platform_admin(text,boolean,timestamp with time zone) owner to sello_resolver;
revoke execute on function set_platform_admin(text,boolean,timestamp with time zone) from public;


-- ===== Retention

-- Returns the signed XML and the authorizations of documents, gzip as they are stored. Only the operator may call it,
-- through `npm run retention`, to archive them.
CREATE OR REPLACE FUNCTION sello.document_papers(p_tenant uuid, p_documents uuid[])
 RETURNS TABLE(document_id uuid, name text, content bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select s.document_id, 'signed-' || s.signing_no || '.xml', s.signed_xml from signed_documents s
  where s.tenant_id = p_tenant and s.document_id = any (p_documents)
  union all
  select z.document_id, 'authorization-' || row_number() over (partition by z.document_id order by z.received_at) || '.xml', z.authorization_xml
  from document_authorizations z where z.tenant_id = p_tenant and z.document_id = any (p_documents)
  order by 1, 2
$function$;
alter function document_papers(uuid,uuid[]) owner to sello_worker;
revoke execute on function document_papers(uuid,uuid[]) from public;

-- Returns up to p_limit settled documents of one month, in the order of their creation, with all that is known of each
-- but its XML. Only the operator may call it, through `npm run retention`, to archive them.
CREATE OR REPLACE FUNCTION sello.documents_past_keeping(p_tenant uuid, p_month date, p_before date, p_from date, p_to date, p_after_at timestamp with time zone, p_after_id uuid, p_limit integer)
 RETURNS TABLE(id uuid, created_at text, version integer, access_key text, record text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select d.id, d.created_at::text, d.version, d.access_key, record_of_document(d)
  from documents d
  where d.tenant_id = p_tenant and d.created_at >= p_from::timestamp at time zone 'UTC' and d.created_at < (p_to + 1)::timestamp at time zone 'UTC'
    and d.issue_date >= p_month and d.issue_date < (p_month + interval '1 month')::date and d.issue_date < p_before and is_settled(d)
    and (p_after_id is null or (d.created_at, d.id) > (p_after_at, p_after_id))
  order by d.created_at, d.id
  limit p_limit
$function$;
alter function documents_past_keeping(uuid,date,date,date,date,timestamp with time zone,uuid,integer) owner to sello_worker;
revoke execute on function documents_past_keeping(uuid,date,date,date,date,timestamp with time zone,uuid,integer) from public;

-- Returns true if the law lets a document of this date of issue go, which is after seven years in Guayaquil; no setting
-- makes it less. The guards of deletions and remove_archived_documents call it.
CREATE OR REPLACE FUNCTION sello.is_past_keeping(p_issue_date date)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (p_issue_date < ((((now() AT TIME ZONE 'America/Guayaquil'::text))::date - '7 years'::interval))::date);

-- Returns true if a document is no draft, rests, has no due work, and no mail or delivery about it is still to be sent,
-- so nothing more happens to it. documents_past_keeping, remove_as_archived and remove_archived_documents call it.
CREATE OR REPLACE FUNCTION sello.is_settled(d documents)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select d.resting_status is not null and d.resting_status not in ('DRAFT', 'VALIDATED')
    and not exists (select from outbox o where o.tenant_id = d.tenant_id and o.document_id = d.id)
    and not exists (
      select from mails m join mail_outbox o on o.tenant_id = m.tenant_id and o.id = m.id
      where m.tenant_id = d.tenant_id and m.document_id = d.id)
    and not exists (
      select from events e
      join webhook_deliveries v on v.tenant_id = e.tenant_id and v.event_id = e.id
      join webhook_work w on w.tenant_id = v.tenant_id and w.delivery_id = v.id
      where e.tenant_id = d.tenant_id and e.document_id = d.id)
$function$;

-- Returns the months in which tenants issued documents before a day, youngest first so that a credit note goes before
-- what it credits, with their number and the days of creation between which they lie. Only the operator may call it,
-- through `npm run retention`.
CREATE OR REPLACE FUNCTION sello.months_past_keeping(p_before date)
 RETURNS TABLE(tenant_id uuid, month date, documents bigint, created_from date, created_to date)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select c.tenant_id, date_trunc('month', c.issue_date::timestamp)::date, sum(c.documents)::bigint, min(c.created_on), max(c.created_on)
  from (
    select k.tenant_id, k.issue_date, k.created_on, k.resting_status, k.documents from document_counts k
    union all
    select h.tenant_id, h.issue_date, h.created_on, h.resting_status, h.change from document_count_changes h
  ) c
  where c.issue_date < p_before and c.resting_status not in ('DRAFT', 'VALIDATED')
  group by 1, 2 having sum(c.documents) > 0
  order by 2 desc, 1
$function$;
alter function months_past_keeping(date) owner to sello_worker;
revoke execute on function months_past_keeping(date) from public;

-- Returns all that is known of a document but its XML, as JSON that is the same while nothing of it changes.
-- documents_past_keeping and remove_as_archived call it.
CREATE OR REPLACE FUNCTION sello.record_of_document(d documents)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object(
    'document', to_jsonb(d) - 'buyer_search' - 'resting_status',
    'contents', (select jsonb_agg(to_jsonb(c) - 'tenant_id' - 'document_id' order by c.revision) from document_contents c where c.tenant_id = d.tenant_id and c.document_id = d.id),
    'history', (select jsonb_agg(to_jsonb(h) - 'tenant_id' - 'document_id' order by h.version) from document_history h where h.tenant_id = d.tenant_id and h.document_id = d.id),
    'attempts', (select jsonb_agg(to_jsonb(a) - 'tenant_id' - 'document_id' order by a.started_at, a.id) from sri_attempts a where a.tenant_id = d.tenant_id and a.document_id = d.id),
    'mails', (select jsonb_agg(to_jsonb(m) - 'tenant_id' - 'document_id' order by m.created_at, m.id) from mails m where m.tenant_id = d.tenant_id and m.document_id = d.id),
    'signings', (select jsonb_agg(to_jsonb(s) - 'tenant_id' - 'document_id' - 'signed_xml' order by s.signing_no) from signed_documents s where s.tenant_id = d.tenant_id and s.document_id = d.id),
    'authorizations', (select jsonb_agg(to_jsonb(z) - 'tenant_id' - 'document_id' - 'authorization_xml' order by z.received_at) from document_authorizations z where z.tenant_id = d.tenant_id and z.document_id = d.id)
  )::text
$function$;

-- Removes documents that were archived at these versions with all that hangs on them, keeps their numbers in
-- archived_numbers, and returns how many. Documents that changed since, have work or are still referred to stay. It
-- raises 22023 if the day lies within the seven years, and 40001 if a document changed while it was removed.
-- remove_as_archived calls it, once it knows that the archive holds all of them.
CREATE OR REPLACE FUNCTION sello.remove_archived_documents(p_tenant uuid, p_documents uuid[], p_versions integer[], p_before date, p_now timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  doomed uuid[];
  kept uuid[];
  removed integer;
begin
  if not is_past_keeping(p_before - 1) then
    raise exception 'documents are kept for seven years' using errcode = '22023';
  end if;
  doomed := array(
    select d.id from documents d join unnest(p_documents, p_versions) as a (id, version) on a.id = d.id and a.version = d.version
    where d.tenant_id = p_tenant and d.issue_date < p_before and is_settled(d));
  loop
    kept := doomed;
    doomed := array(select x from unnest(kept) x where not exists (
      select from documents r where r.tenant_id = p_tenant and r.modified_document_id = x and r.id <> all (kept)));
    exit when cardinality(doomed) = cardinality(kept);
  end loop;

  insert into archived_numbers as n (tenant_id, emission_point_id, document_type, environment, month, numbers, archived_at)
  select d.tenant_id, d.emission_point_id, d.document_type, d.sri_environment, date_trunc('month', d.issue_date::timestamp)::date,
    range_agg(int4range(d.sequential, d.sequential, '[]')), p_now
  from documents d where d.tenant_id = p_tenant and d.id = any (doomed) and d.sequential is not null
  group by 1, 2, 3, 4, 5
  on conflict (tenant_id, emission_point_id, document_type, environment, month) do update set numbers = n.numbers + excluded.numbers, archived_at = p_now;

  delete from webhook_attempts a using webhook_deliveries v, events e
  where e.tenant_id = p_tenant and e.document_id = any (doomed) and v.tenant_id = p_tenant and v.event_id = e.id and a.tenant_id = p_tenant and a.delivery_id = v.id;
  delete from webhook_work w using webhook_deliveries v, events e
  where e.tenant_id = p_tenant and e.document_id = any (doomed) and v.tenant_id = p_tenant and v.event_id = e.id and w.tenant_id = p_tenant and w.delivery_id = v.id;
  delete from webhook_deliveries v using events e where e.tenant_id = p_tenant and e.document_id = any (doomed) and v.tenant_id = p_tenant and v.event_id = e.id;
  delete from events e where e.tenant_id = p_tenant and e.document_id = any (doomed);
  delete from mail_outbox o using mails m where m.tenant_id = p_tenant and m.document_id = any (doomed) and o.tenant_id = p_tenant and o.id = m.id;
  delete from mails m where m.tenant_id = p_tenant and m.document_id = any (doomed);
  delete from buyer_documents b using documents d
  where d.tenant_id = p_tenant and d.id = any (doomed)
    and b.tenant_id = p_tenant and b.buyer_id_type = d.buyer_id_type and b.buyer_id = d.buyer_id and b.document_id = d.id;
  delete from document_authorizations z where z.tenant_id = p_tenant and z.document_id = any (doomed);
  delete from sri_attempts a where a.tenant_id = p_tenant and a.document_id = any (doomed);
  delete from signed_documents s where s.tenant_id = p_tenant and s.document_id = any (doomed);
  delete from document_history h where h.tenant_id = p_tenant and h.document_id = any (doomed);
  delete from document_contents c where c.tenant_id = p_tenant and c.document_id = any (doomed);
  delete from documents d using unnest(p_documents, p_versions) as a (id, version)
  where d.tenant_id = p_tenant and d.id = any (doomed) and a.id = d.id and a.version = d.version and is_settled(d);
  get diagnostics removed = row_count;
  if removed <> cardinality(doomed) then
    raise exception 'a document changed while it was removed' using errcode = '40001';
  end if;
  return removed;
end $function$;
alter function remove_archived_documents(uuid,uuid[],integer[],date,timestamp with time zone) owner to sello_worker;
revoke execute on function remove_archived_documents(uuid,uuid[],integer[],date,timestamp with time zone) from public;

-- Removes documents whose records are as they were archived, by the SHA-256 of each in hexadecimal, as
-- remove_archived_documents does, and returns how many. Those to which anything was added, or of which anything
-- changed, stay. It raises 22023 if the day lies within the seven years. It locks documents and mails. Only the
-- operator may call it, through `npm run retention`.
CREATE OR REPLACE FUNCTION sello.remove_as_archived(p_tenant uuid, p_documents uuid[], p_digests text[], p_before date, p_now timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  same uuid[];
  versions integer[];
begin
  -- What is about to be added is waited for, and then compared with; what comes later waits, and finds no document.
  perform from documents d where d.tenant_id = p_tenant and d.id = any (p_documents) and is_settled(d) order by d.id for update;
  -- One that comes back is noted in its mail alone.
  perform from mails m where m.tenant_id = p_tenant and m.document_id = any (p_documents) order by m.id for update;
  select coalesce(array_agg(d.id), '{}'), coalesce(array_agg(d.version), '{}') into same, versions
  from documents d join unnest(p_documents, p_digests) as a (id, digest) on a.id = d.id
  where d.tenant_id = p_tenant and is_settled(d) and a.digest = encode(sha256(convert_to(record_of_document(d), 'UTF8')), 'hex');
  return remove_archived_documents(p_tenant, same, versions, p_before, p_now);
end $function$;
alter function remove_as_archived(uuid,uuid[],text[],date,timestamp with time zone) owner to sello_worker;
revoke execute on function remove_as_archived(uuid,uuid[],text[],date,timestamp with time zone) from public;

-- Counts, and with p_remove deletes, the deliveries, events, mails or lines of the audit log older than p_before that
-- lie on a range of their table's pages. It raises 22023 for another kind, or if p_before lies within the shortest time
-- for which the kind is kept: 7 days for deliveries, 30 for events and mails, 365 for the audit log. Only the operator
-- may call it, through `npm run retention`.
CREATE OR REPLACE FUNCTION sello.rows_past_keeping(p_kind text, p_before timestamp with time zone, p_from bigint, p_to bigint, p_remove boolean)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  first tid := format('(%s,0)', p_from)::tid;
  beyond tid := format('(%s,0)', p_to)::tid;
  shortest interval := make_interval(days => case p_kind when 'deliveries' then 7 when 'events' then 30 when 'mails' then 30 when 'audit' then 365 end);
  found_rows integer;
begin
  if shortest is null or p_before > now() - shortest then
    raise exception '% are kept for % at least', p_kind, shortest using errcode = '22023';
  end if;
  case p_kind
    when 'deliveries' then
      with due as materialized (
        select d.tenant_id, d.id from webhook_deliveries d
        where d.ctid >= first and d.ctid < beyond and d.status <> 'pending' and coalesce(d.finished_at, d.created_at) < p_before
          and not exists (select from webhook_work w where w.tenant_id = d.tenant_id and w.delivery_id = d.id)
      ), gone as (
        -- Asked of the row as it is once nobody else holds it.
        delete from webhook_deliveries d using due
        where p_remove and d.tenant_id = due.tenant_id and d.id = due.id and d.status <> 'pending' and coalesce(d.finished_at, d.created_at) < p_before
        returning d.tenant_id, d.id
      ), attempts as (
        delete from webhook_attempts a using gone where a.tenant_id = gone.tenant_id and a.delivery_id = gone.id
      )
      select case when p_remove then (select count(*) from gone) else (select count(*) from due) end into found_rows;
    when 'events' then
      with due as materialized (
        select e.tenant_id, e.id from events e
        where e.ctid >= first and e.ctid < beyond and e.created_at < p_before
          and not exists (select from webhook_deliveries d where d.tenant_id = e.tenant_id and d.event_id = e.id)
          and not exists (select from mail_outbox o where o.tenant_id = e.tenant_id and o.id = e.id)
      ), gone as (
        delete from events e using due where p_remove and e.tenant_id = due.tenant_id and e.id = due.id
      )
      select count(*) into found_rows from due;
    when 'mails' then
      with due as materialized (
        select m.tenant_id, m.id from mails m
        where m.ctid >= first and m.ctid < beyond and m.status <> 'queued' and m.updated_at < p_before
          and not exists (select from mail_outbox o where o.tenant_id = m.tenant_id and o.id = m.id)
      ), gone as (
        delete from mails m using due where p_remove and m.tenant_id = due.tenant_id and m.id = due.id
      )
      select count(*) into found_rows from due;
    when 'audit' then
      with due as materialized (
        select l.tenant_id, l.id from audit_log l where l.ctid >= first and l.ctid < beyond and l.at < p_before
      ), gone as (
        delete from audit_log l using due where p_remove and l.tenant_id = due.tenant_id and l.id = due.id
      )
      select count(*) into found_rows from due;
  end case;
  return found_rows;
end $function$;
alter function rows_past_keeping(text,timestamp with time zone,bigint,bigint,boolean) owner to sello_worker;
revoke execute on function rows_past_keeping(text,timestamp with time zone,bigint,bigint,boolean) from public;

-- Counts, and with p_remove deletes, the sessions that ended, with their refresh tokens, or the one-time links that
-- expired before p_before and that lie on a range of their table's pages. It raises 22023 for another kind, or if
-- p_before lies within the last day. Only the operator may call it, through `npm run retention`.
CREATE OR REPLACE FUNCTION sello.sign_ins_past_keeping(p_kind text, p_before timestamp with time zone, p_from bigint, p_to bigint, p_remove boolean)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  first tid := format('(%s,0)', p_from)::tid;
  beyond tid := format('(%s,0)', p_to)::tid;
  found_rows integer;
begin
  if p_kind not in ('sessions', 'links') or p_before > now() - interval '1 day' then
    raise exception '% are kept for a day at least', p_kind using errcode = '22023';
  end if;
  if p_kind = 'sessions' then
    with due as materialized (
      select s.id from sessions s where s.ctid >= first and s.ctid < beyond and least(coalesce(s.ended_at, s.expires_at), s.expires_at) < p_before
    ), tokens as (
      delete from refresh_tokens r using due where p_remove and r.session_id = due.id
    ), gone as (
      delete from sessions s using due where p_remove and s.id = due.id
    )
    select count(*) into found_rows from due;
  else
    with due as materialized (
      select o.token_hash from one_time_tokens o where o.ctid >= first and o.ctid < beyond and o.expires_at < p_before
    ), gone as (
      delete from one_time_tokens o using due where p_remove and o.token_hash = due.token_hash
    )
    select count(*) into found_rows from due;
  end if;
  return found_rows;
end $function$;
alter function sign_ins_past_keeping(text,timestamp with time zone,bigint,bigint,boolean) owner to sello_resolver;
revoke execute on function sign_ins_past_keeping(text,timestamp with time zone,bigint,bigint,boolean) from public;

-- Returns those of the ids that are no tenant's. Only the operator may call it, through `npm run retention`, which
-- keeps the documents of the tenants that its settings name.
CREATE OR REPLACE FUNCTION sello.unknown_tenants(p_tenants uuid[])
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select h.id from unnest(p_tenants) with ordinality as h (id, place) where not exists (select from tenants t where t.id = h.id) order by h.place
$function$;
alter function unknown_tenants(uuid[]) owner to sello_worker;
revoke execute on function unknown_tenants(uuid[]) from public;


-- ===== Sign-in

-- Returns the address to which a token of a mail was sent, be it for a reset of the password or for an invitation, or
-- null if the token is worth nothing. The API calls it before it judges the new password.
CREATE OR REPLACE FUNCTION sello.address_of_token(p_hash bytea, p_now timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select u.email from one_time_tokens o join users u on u.id = o.user_id
  where o.token_hash = p_hash and o.purpose = 'reset_password' and o.used_at is null and o.expires_at - p_now > interval '0'
  union all
  select m.email from members m where m.invitation_hash = p_hash and m.status = 'invited' and m.invitation_expires_at > p_now
  limit 1
$function$;
alter function address_of_token(bytea,timestamp with time zone) owner to sello_resolver;
revoke execute on function address_of_token(bytea,timestamp with time zone) from public;
grant execute on function address_of_token(bytea,timestamp with time zone) to sello_app;

-- Keeps a token that confirms a person's address, makes earlier ones worthless, and returns the address and name to
-- which the mail goes. It returns no row if the address is confirmed, the account is disabled, or five such mails were
-- asked for within a day. It locks the person. The API calls it.
CREATE OR REPLACE FUNCTION sello.begin_email_verification(p_user uuid, p_hash bytea, p_expires timestamp with time zone, p_now timestamp with time zone)
 RETURNS TABLE(email text, name text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  person users%rowtype;
begin
  select * into person from users u where u.id = p_user and u.email_verified_at is null and u.disabled_at is null for no key update;
  if person.id is null
    or (select count(*) from one_time_tokens o where o.user_id = p_user and o.purpose = 'verify_email' and o.created_at > p_now - interval '1 day') >= 5 then
    return;
  end if;
  update one_time_tokens o set used_at = p_now where o.user_id = p_user and o.purpose = 'verify_email' and o.used_at is null;
  perform keep_one_time_token(p_hash, 'verify_email', p_user, '{}', p_expires, p_now);
  return query select person.email, person.name;
end $function$;
alter function begin_email_verification(uuid,bytea,timestamp with time zone,timestamp with time zone) owner to sello_resolver;
revoke execute on function begin_email_verification(uuid,bytea,timestamp with time zone,timestamp with time zone) from public;
grant execute on function begin_email_verification(uuid,bytea,timestamp with time zone,timestamp with time zone) to sello_app;

-- Keeps a token that resets the password of the person with this address, and returns the address and name to which the
-- mail goes. It returns no row if nobody has the address, the account is disabled, or five such mails were asked for
-- within a day and one of their links is still good. It locks the person. The API calls it for whoever forgot a
-- password.
CREATE OR REPLACE FUNCTION sello.begin_password_reset(p_email text, p_hash bytea, p_expires timestamp with time zone, p_now timestamp with time zone)
 RETURNS TABLE(email text, name text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email and u.disabled_at is null for no key update;
  if person.id is null
    or (select count(*) from one_time_tokens o where o.user_id = person.id and o.purpose = 'reset_password' and o.created_at > p_now - interval '1 day') >= 5
      and exists (
        select from one_time_tokens o where o.user_id = person.id and o.purpose = 'reset_password' and o.used_at is null and o.expires_at - p_now > interval '0') then
    return;
  end if;
  perform keep_one_time_token(p_hash, 'reset_password', person.id, '{}', p_expires, p_now);
  return query select person.email, person.name;
end $function$;
alter function begin_password_reset(text,bytea,timestamp with time zone,timestamp with time zone) owner to sello_resolver;
revoke execute on function begin_password_reset(text,bytea,timestamp with time zone,timestamp with time zone) from public;
grant execute on function begin_password_reset(text,bytea,timestamp with time zone,timestamp with time zone) to sello_app;

-- Sets another password for a person who has just given the present one, and ends every session but theirs, whose
-- access tokens stay good. It returns false if the account was given another password, locked or disabled meanwhile, or
-- the session has ended. Links for a reset stay good, because mail outranks a session. It locks the person before the
-- sessions. The API calls it.
CREATE OR REPLACE FUNCTION sello.change_password(p_user uuid, p_session uuid, p_token_version integer, p_password_hash text, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  -- The person before their sessions, as whatever opens one or ends them all.
  perform from users u
  where u.id = p_user and u.token_version = p_token_version and u.password_hash is not null and u.disabled_at is null
    and (u.locked_until is null or u.locked_until <= p_now)
  for no key update;
  if not found then
    return false;
  end if;
  update sessions s set valid_from_version = coalesce(s.valid_from_version, p_token_version)
  where s.id = p_session and s.user_id = p_user and s.ended_at is null and s.expires_at > p_now;
  if not found then
    return false;
  end if;
  update users u set password_hash = p_password_hash, token_version = u.token_version + 1, failed_logins = 0, locked_until = null, updated_at = p_now
  where u.id = p_user;
  update sessions s set ended_at = p_now where s.user_id = p_user and s.id <> p_session and s.ended_at is null;
  perform record_for_person(p_user, true, 'password.changed', '{}', p_now, p_request_id, p_address);
  return true;
end $function$;
alter function change_password(uuid,uuid,integer,text,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function change_password(uuid,uuid,integer,text,timestamp with time zone,text,text) from public;
grant execute on function change_password(uuid,uuid,integer,text,timestamp with time zone,text,text) to sello_app;

-- Returns what a signed-in person may know of themselves: one row for each active tenant to which they belong, or one
-- row without a tenant. No row means that there is no such person. The API calls it, also to see whether those who
-- invite have confirmed their addresses.
CREATE OR REPLACE FUNCTION sello.describe_person(p_user uuid)
 RETURNS TABLE(email text, name text, email_verified boolean, is_platform_admin boolean, has_password boolean, providers text[], last_login_at timestamp with time zone, tenant_id uuid, tenant_name text, member_id uuid, role text, status text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select u.email, u.name, u.email_verified_at is not null, u.is_platform_admin, u.password_hash is not null,
    array(select i.issuer from user_identities i where i.user_id = u.id order by i.created_at), u.last_login_at,
    t.id, t.name, m.id, m.role, m.status
  from users u
  left join (members m join tenants t on t.id = m.tenant_id and t.is_active) on m.user_id = u.id
  where u.id = p_user
  order by m.created_at
$function$;
alter function describe_person(uuid) owner to sello_resolver;
revoke execute on function describe_person(uuid) from public;
grant execute on function describe_person(uuid) to sello_app;

-- Ends all open sessions of a person and every access token, and records how many sessions that were. It returns false,
-- and ends nothing, if the session that asks for it has ended meanwhile. It locks the person before the sessions, as
-- everything does that opens or ends them. The API calls it when somebody signs out everywhere.
CREATE OR REPLACE FUNCTION sello.end_every_session(p_user uuid, p_session uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  ended integer;
begin
  perform from users u where u.id = p_user for no key update;
  perform from sessions s where s.id = p_session and s.user_id = p_user and s.ended_at is null and s.expires_at > p_now for no key update;
  if not found then
    return false;
  end if;
  update users u set token_version = u.token_version + 1, updated_at = p_now where u.id = p_user;
  update sessions s set ended_at = p_now where s.user_id = p_user and s.ended_at is null and s.expires_at > p_now;
  get diagnostics ended = row_count;
  perform record_for_person(p_user, true, 'logout', jsonb_build_object('everywhere', true, 'sessions', ended), p_now, p_request_id, p_address);
  return true;
end $function$;
alter function end_every_session(uuid,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function end_every_session(uuid,uuid,timestamp with time zone,text,text) from public;
grant execute on function end_every_session(uuid,uuid,timestamp with time zone,text,text) to sello_app;

-- Ends an open session of a person and records the sign-out in the audit logs of their tenants; a session that has
-- ended stays as it is. The API calls it at sign-out, and so does end_session_of_token.
CREATE OR REPLACE FUNCTION sello.end_session(p_user uuid, p_session uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  update sessions s set ended_at = p_now where s.id = p_session and s.user_id = p_user and s.ended_at is null;
  if found then
    perform record_for_person(p_user, true, 'logout', '{}', p_now, p_request_id, p_address);
  end if;
end $function$;
alter function end_session(uuid,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function end_session(uuid,uuid,timestamp with time zone,text,text) from public;
grant execute on function end_session(uuid,uuid,timestamp with time zone,text,text) to sello_app;

-- Ends the session of a refresh token, whether or not the token was used, because whoever holds one may give its
-- session up. An unknown token changes nothing. The API calls it at a sign-out that brings only the refresh token.
CREATE OR REPLACE FUNCTION sello.end_session_of_token(p_hash bytea, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  held record;
begin
  select s.id, s.user_id into held from refresh_tokens r join sessions s on s.id = r.session_id where r.token_hash = p_hash;
  if held.id is not null then
    perform end_session(held.user_id, held.id, p_now, p_request_id, p_address);
  end if;
end $function$;
alter function end_session_of_token(bytea,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function end_session_of_token(bytea,timestamp with time zone,text,text) from public;
grant execute on function end_session_of_token(bytea,timestamp with time zone,text,text) to sello_app;

-- Returns the id, password hash, version, end of the lock and time of disabling of the person with this address, and no
-- row if there is none. The API calls it when somebody signs in with a password, changes it or forgot it.
CREATE OR REPLACE FUNCTION sello.find_account(p_email text)
 RETURNS TABLE(user_id uuid, password_hash text, token_version integer, locked_until timestamp with time zone, disabled_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select u.id, u.password_hash, u.token_version, u.locked_until, u.disabled_at from users u where u.email = p_email
$function$;
alter function find_account(text) owner to sello_resolver;
revoke execute on function find_account(text) from public;
grant execute on function find_account(text) to sello_app;

-- Returns the person to whom an account at an identity provider is linked, or else the one who has its address here,
-- and whether the two are linked; no row if there is neither. The API calls it when somebody comes back from the
-- provider.
CREATE OR REPLACE FUNCTION sello.find_identity(p_issuer text, p_subject text, p_email text)
 RETURNS TABLE(user_id uuid, token_version integer, is_linked boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select found.id, found.token_version, found.is_linked from (
    select u.id, u.token_version, true as is_linked from user_identities i join users u on u.id = i.user_id where i.issuer = p_issuer and i.subject = p_subject
    union all
    select u.id, u.token_version, false from users u where u.email = p_email
  ) found
  order by found.is_linked desc
  limit 1
$function$;
alter function find_identity(text,text,text) owner to sello_resolver;
revoke execute on function find_identity(text,text,text) from public;
grant execute on function find_identity(text,text,text) to sello_app;

-- Creates a further tenant for a person and returns founded, or unconfirmed if the person's address is not confirmed,
-- or too_many if they are an active owner of p_limit open tenants already. It locks the person, so that two requests at
-- once are counted one after the other. The API calls it.
CREATE OR REPLACE FUNCTION sello.found_own_tenant(p_user uuid, p_tenant uuid, p_name text, p_member uuid, p_limit integer, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  person users%rowtype;
begin
  select * into person from users u where u.id = p_user for no key update;
  if person.email_verified_at is null then
    return 'unconfirmed';
  end if;
  if (
    select count(*) from members m join tenants t on t.id = m.tenant_id and t.is_active
    where m.user_id = p_user and m.role = 'tenant_owner' and m.status = 'active'
  ) >= p_limit then
    return 'too_many';
  end if;
  perform found_tenant(p_tenant, p_name, p_member, p_user, person.email, p_now, p_request_id, p_address);
  return 'founded';
end $function$;
alter function found_own_tenant(uuid,uuid,text,uuid,integer,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function found_own_tenant(uuid,uuid,text,uuid,integer,timestamp with time zone,text,text) from public;
grant execute on function found_own_tenant(uuid,uuid,text,uuid,integer,timestamp with time zone,text,text) to sello_app;

-- Creates a tenant that a person owns, with the line tenant.founded in its audit log. sign_up, sign_up_with_identity
-- and found_own_tenant call it.
CREATE OR REPLACE FUNCTION sello.found_tenant(p_tenant uuid, p_name text, p_member uuid, p_user uuid, p_email text, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into members (tenant_id, id, user_id, email, role, status, invited_at, joined_at, created_at, updated_at)
  values (p_tenant, p_member, p_user, p_email, 'tenant_owner', 'active', p_now, p_now, p_now, p_now);
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, request_id, address)
  values (p_tenant, gen_random_uuid(), p_now, 'user', p_user, 'tenant.founded', 'tenant', p_tenant, p_request_id, p_address);
$function$;
alter function found_tenant(uuid,text,uuid,uuid,text,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function found_tenant(uuid,text,uuid,uuid,text,timestamp with time zone,text,text) from public;

-- Returns true if a session goes on whose account is not disabled, and keeps both so until the commit. It locks the
-- person before the session. The API calls it in the statement that calls link_identity, found_own_tenant,
-- rename_person or accept_invitation, before those.
CREATE OR REPLACE FUNCTION sello.hold_session(p_user uuid, p_session uuid, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  -- The person before their sessions, as whatever opens one or ends them all.
  perform from users u where u.id = p_user and u.disabled_at is null for no key update;
  if not found then
    return false;
  end if;
  perform from sessions s where s.id = p_session and s.user_id = p_user and s.ended_at is null and s.expires_at > p_now for no key update;
  return found;
end $function$;
alter function hold_session(uuid,uuid,timestamp with time zone) owner to sello_resolver;
revoke execute on function hold_session(uuid,uuid,timestamp with time zone) from public;
grant execute on function hold_session(uuid,uuid,timestamp with time zone) to sello_app;

-- Keeps the hash of a token that works once, with its purpose, person, details and end, and on the occasion deletes up
-- to 20 tokens that ended more than a day ago, and up to 20 of sign-ins at a provider that have ended. The API calls it
-- for sign-ins at a provider and identities to link, and so do begin_email_verification and begin_password_reset.
CREATE OR REPLACE FUNCTION sello.keep_one_time_token(p_hash bytea, p_purpose text, p_user uuid, p_detail jsonb, p_expires timestamp with time zone, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  delete from one_time_tokens where token_hash in
    (select o.token_hash from one_time_tokens o where o.expires_at < p_now - interval '1 day' order by o.expires_at limit 20 for update skip locked);
  delete from one_time_tokens where token_hash in (
    select o.token_hash from one_time_tokens o
    where o.user_id is null and o.expires_at < p_now and o.purpose = 'sign_in_at_provider'
    order by o.user_id, o.expires_at limit 20 for update skip locked);
  insert into one_time_tokens (token_hash, purpose, user_id, detail, created_at, expires_at)
  values (p_hash, p_purpose, p_user, p_detail, p_now, p_expires);
$function$;
alter function keep_one_time_token(bytea,text,uuid,jsonb,timestamp with time zone,timestamp with time zone) owner to sello_resolver;
revoke execute on function keep_one_time_token(bytea,text,uuid,jsonb,timestamp with time zone,timestamp with time zone) from public;
grant execute on function keep_one_time_token(bytea,text,uuid,jsonb,timestamp with time zone,timestamp with time zone) to sello_app;

-- Links the account at an identity provider that a one-time token offers to the person who is signed in, and confirms
-- the person's address if it is the same. It returns false if the token is unknown, used, too old or another person's,
-- or if the account is linked already. It locks the person before the token. The API calls it.
CREATE OR REPLACE FUNCTION sello.link_identity(p_hash bytea, p_user uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  offered jsonb;
begin
  -- A reset under way makes the token worthless.
  perform from users u where u.id = p_user for no key update;
  update one_time_tokens o set used_at = p_now
  where o.token_hash = p_hash and o.purpose = 'link_identity' and o.user_id = p_user and o.used_at is null and o.expires_at - p_now > interval '0'
  returning o.detail into offered;
  if offered is null then
    return false;
  end if;
  insert into user_identities (issuer, subject, user_id, created_at)
  values (offered ->> 'issuer', offered ->> 'subject', p_user, p_now)
  on conflict (issuer, subject) do nothing;
  if not found then
    return false;
  end if;
  update users u set email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now
  where u.id = p_user and u.email = offered ->> 'email';
  perform record_for_person(p_user, true, 'identity.linked', jsonb_build_object('issuer', offered ->> 'issuer'), p_now, p_request_id, p_address);
  return true;
end $function$;
alter function link_identity(bytea,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function link_identity(bytea,uuid,timestamp with time zone,text,text) from public;
grant execute on function link_identity(bytea,uuid,timestamp with time zone,text,text) to sello_app;

-- Opens a session with its first refresh token for a person who has just proved who they are, and returns false if the
-- account was disabled or given another password meanwhile, or, for a sign-in with a password, is locked. A password
-- that was right clears the count of failures. It also deletes the person's sessions that ended more than 30 days ago.
-- The API calls it at each sign-in.
CREATE OR REPLACE FUNCTION sello.open_session(p_user uuid, p_token_version integer, p_session uuid, p_refresh_hash bytea, p_method text, p_expires timestamp with time zone, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  -- Guessed passwords close the way of passwords, and no other.
  update users u set
    failed_logins = case when p_method = 'password' then 0 else u.failed_logins end,
    locked_until = case when p_method = 'password' then null else u.locked_until end,
    last_login_at = p_now
  where u.id = p_user and u.token_version = p_token_version and u.disabled_at is null
    and (p_method <> 'password' or u.locked_until is null or u.locked_until <= p_now);
  if not found then
    return false;
  end if;
  -- What ended long ago is cleared away on the occasion.
  delete from refresh_tokens r using sessions s
  where s.user_id = p_user and r.session_id = s.id and coalesce(s.ended_at, s.expires_at) < p_now - interval '30 days';
  delete from sessions s where s.user_id = p_user and coalesce(s.ended_at, s.expires_at) < p_now - interval '30 days';
  insert into sessions (id, user_id, created_at, expires_at) values (p_session, p_user, p_now, p_expires);
  insert into refresh_tokens (token_hash, session_id, created_at, expires_at) values (p_refresh_hash, p_session, p_now, p_expires);
  perform record_for_person(p_user, true, 'login.succeeded', jsonb_build_object('method', p_method), p_now, p_request_id, p_address);
  return true;
end $function$;
alter function open_session(uuid,integer,uuid,bytea,text,timestamp with time zone,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function open_session(uuid,integer,uuid,bytea,text,timestamp with time zone,timestamp with time zone,text,text) from public;
grant execute on function open_session(uuid,integer,uuid,bytea,text,timestamp with time zone,timestamp with time zone,text,text) to sello_app;

-- Rids the tenants that a person founded of what somebody may have left there who opened the account under the person's
-- address. Where the person is still an active owner, it revokes API keys, removes the other members, the webhooks with
-- their secrets, and the mail settings; elsewhere it removes the person. Each removal goes into the audit log. It locks
-- each tenant in the order of their ids. reset_password calls it the first time that an address is proven.
CREATE OR REPLACE FUNCTION sello.reclaim_tenants(p_user uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  place record;
begin
  for place in select m.tenant_id, m.id from members m where m.user_id = p_user and m.invited_by is null order by m.tenant_id loop
    perform from tenants t where t.id = place.tenant_id for no key update;
    if not exists (
      select from members m where m.tenant_id = place.tenant_id and m.id = place.id and m.role = 'tenant_owner' and m.status = 'active') then
      with gone as (
        delete from members m where m.tenant_id = place.tenant_id and m.id = place.id returning m.id, m.role, m.status
      )
      insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail, request_id, address)
      select place.tenant_id, gen_random_uuid(), p_now, 'system', 'member.removed', 'member', g.id,
        jsonb_build_object('role', g.role, 'status', g.status, 'reason', 'address_unproven'), p_request_id, p_address
      from gone g;
      continue;
    end if;
    with keys as (
      update api_keys k set revoked_at = p_now where k.tenant_id = place.tenant_id and k.revoked_at is null
      returning k.id, jsonb_build_object('name', k.name, 'prefix', k.prefix) as detail
    ), others as (
      delete from members m where m.tenant_id = place.tenant_id and m.id <> place.id
      returning m.id, jsonb_build_object('role', m.role, 'status', m.status) as detail
    ), hooks as (
      update webhooks w set deleted_at = p_now, is_active = false, updated_at = p_now where w.tenant_id = place.tenant_id and w.deleted_at is null
      returning w.id, '{}'::jsonb as detail
    ), letterhead as (
      delete from mail_settings s where s.tenant_id = place.tenant_id
      returning s.tenant_id as id, '{}'::jsonb as detail
    ), gone as (
      select 'api_key.revoked' as action, 'api_key' as kind, k.id, k.detail from keys k
      union all select 'member.removed', 'member', o.id, o.detail from others o
      union all select 'webhook.deleted', 'webhook', h.id, h.detail from hooks h
      union all select 'mail_settings.changed', 'tenant', l.id, l.detail from letterhead l
    )
    insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail, request_id, address)
    select place.tenant_id, gen_random_uuid(), p_now, 'system', g.action, g.kind, g.id, g.detail || '{"reason": "address_unproven"}', p_request_id, p_address from gone g;
    delete from webhook_secrets s where s.tenant_id = place.tenant_id;
  end loop;
end $function$;
alter function reclaim_tenants(uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function reclaim_tenants(uuid,timestamp with time zone,text,text) from public;

-- Counts a wrong password and, once there are p_limit, locks the account until the given time and begins the count
-- anew. The failure or the lock goes into the audit log of the person's tenants. Nothing happens while the account is
-- locked or has no password. The API calls it.
CREATE OR REPLACE FUNCTION sello.record_login_failure(p_user uuid, p_limit integer, p_locked_until timestamp with time zone, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  is_locked boolean;
begin
  update users u set
    failed_logins = case when u.failed_logins + 1 >= p_limit then 0 else u.failed_logins + 1 end,
    locked_until = case when u.failed_logins + 1 >= p_limit then p_locked_until end
  where u.id = p_user and u.password_hash is not null and (u.locked_until is null or u.locked_until <= p_now)
  returning u.locked_until is not null into is_locked;
  if not found then return; end if;
  perform record_for_person(p_user, false, case when is_locked then 'login.locked' else 'login.failed' end, '{}', p_now, p_request_id, p_address);
end $function$;
alter function record_login_failure(uuid,integer,timestamp with time zone,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function record_login_failure(uuid,integer,timestamp with time zone,timestamp with time zone,text,text) from public;
grant execute on function record_login_failure(uuid,integer,timestamp with time zone,timestamp with time zone,text,text) to sello_app;

-- Gives a person another name and records it in the audit logs of their tenants; the same name again changes nothing.
-- It locks the person. The API calls it.
CREATE OR REPLACE FUNCTION sello.rename_person(p_user uuid, p_name text, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  before text;
begin
  select u.name into before from users u where u.id = p_user for no key update;
  if before = p_name then
    return;
  end if;
  update users u set name = p_name, updated_at = p_now where u.id = p_user;
  perform record_for_person(p_user, true, 'person.renamed', jsonb_build_object('name', jsonb_build_object('from', before, 'to', p_name)), p_now, p_request_id, p_address);
end $function$;
alter function rename_person(uuid,text,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function rename_person(uuid,text,timestamp with time zone,text,text) from public;
grant execute on function rename_person(uuid,text,timestamp with time zone,text,text) to sello_app;

-- Exchanges a refresh token as rotate_refresh_token does, and returns besides its outcome (rotated, reused or refused)
-- when the session ends unless it is renewed again. The API calls it when an access token is renewed.
CREATE OR REPLACE FUNCTION sello.renew_session(p_hash bytea, p_new_hash bytea, p_expires timestamp with time zone, p_longest interval, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS TABLE(outcome text, user_id uuid, session_id uuid, token_version integer, expires_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  rotated record;
begin
  select * into rotated from rotate_refresh_token(p_hash, p_new_hash, p_expires, p_longest, p_now, p_request_id, p_address);
  return query select rotated.outcome, rotated.user_id, rotated.session_id, rotated.token_version,
    (select s.expires_at from sessions s where s.id = rotated.session_id);
end $function$;
alter function renew_session(bytea,bytea,timestamp with time zone,interval,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function renew_session(bytea,bytea,timestamp with time zone,interval,timestamp with time zone,text,text) from public;
grant execute on function renew_session(bytea,bytea,timestamp with time zone,interval,timestamp with time zone,text,text) to sello_app;

-- Sets another password for the person to whom the token was mailed, ends all their sessions, makes every other link of
-- a reset worthless and removes identities that are linked or offered. It returns false if the token is worth nothing.
-- The mail proves the address: if that was not confirmed before, reclaim_tenants rids the person's tenants of
-- strangers. It locks the person before the token. The API calls it.
CREATE OR REPLACE FUNCTION sello.reset_password(p_hash bytea, p_password_hash text, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
declare
  person users%rowtype;
begin
  -- The person before the token: two resets at once would else wait for each other's.
  select u.* into person from one_time_tokens o join users u on u.id = o.user_id where o.token_hash = p_hash for no key update of u;
  if not exists (select from take_one_time_token(p_hash, 'reset_password', p_now)) then
    return false;
  end if;
  update one_time_tokens o set used_at = p_now where o.user_id = person.id and o.purpose in ('reset_password', 'link_identity') and o.used_at is null;
  update users u set password_hash = p_password_hash, token_version = u.token_version + 1, failed_logins = 0, locked_until = null,
    email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now
  where u.id = person.id;
  update sessions s set ended_at = p_now where s.user_id = person.id and s.ended_at is null;
  delete from user_identities i where i.user_id = person.id;
  if person.email_verified_at is null then
    perform reclaim_tenants(person.id, p_now, p_request_id, p_address);
  end if;
  perform record_for_person(person.id, true, 'password.reset', '{}', p_now, p_request_id, p_address);
  return true;
end $function$;
alter function reset_password(bytea,text,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function reset_password(bytea,text,timestamp with time zone,text,text) from public;
grant execute on function reset_password(bytea,text,timestamp with time zone,text,text) to sello_app;

-- Exchanges a refresh token for a new one, under a lock on the token and its session, and returns rotated with the
-- person, session and version. A token that was used before is in two hands: its session ends and the outcome is
-- reused. Otherwise the outcome is refused, for a token that is unknown or too old and for a session that has ended. No
-- session lives beyond p_longest after its beginning. renew_session calls it.
CREATE OR REPLACE FUNCTION sello.rotate_refresh_token(p_hash bytea, p_new_hash bytea, p_expires timestamp with time zone, p_longest interval, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS TABLE(outcome text, user_id uuid, session_id uuid, token_version integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  held record;
begin
  select r.used_at, r.expires_at, s.id as session_id, s.user_id, s.ended_at, s.created_at, s.expires_at as session_expires, u.token_version, u.disabled_at into held
  from refresh_tokens r join sessions s on s.id = r.session_id join users u on u.id = s.user_id
  where r.token_hash = p_hash
  for update of r, s;
  if held.session_id is null or held.ended_at is not null or held.disabled_at is not null then
    return query select 'refused', null::uuid, null::uuid, null::integer;
  elsif held.used_at is not null then
    update sessions s set ended_at = p_now where s.id = held.session_id;
    perform record_for_person(held.user_id, false, 'session.token_reused', jsonb_build_object('session_id', held.session_id), p_now, p_request_id, p_address);
    return query select 'reused', null::uuid, null::uuid, null::integer;
  elsif held.expires_at <= p_now or held.session_expires <= p_now or held.created_at + p_longest <= p_now then
    return query select 'refused', null::uuid, null::uuid, null::integer;
  else
    update refresh_tokens r set used_at = p_now where r.token_hash = p_hash;
    insert into refresh_tokens (token_hash, session_id, created_at, expires_at)
    values (p_new_hash, held.session_id, p_now, least(p_expires, held.created_at + p_longest));
    update sessions s set expires_at = least(p_expires, held.created_at + p_longest) where s.id = held.session_id;
    return query select 'rotated', held.user_id, held.session_id, held.token_version;
  end if;
end $function$;
alter function rotate_refresh_token(bytea,bytea,timestamp with time zone,interval,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function rotate_refresh_token(bytea,bytea,timestamp with time zone,interval,timestamp with time zone,text,text) from public;
grant execute on function rotate_refresh_token(bytea,bytea,timestamp with time zone,interval,timestamp with time zone,text,text) to sello_app;

-- Closes the account with this address, which ends all sessions and access tokens at once, or opens it again; the
-- person's tenants find it in their audit logs. An account that is in that state already stays as it is, and nothing is
-- logged. It returns false if nobody has the address. It locks the person. Only the operator may call it, as the owner
-- of the schema.
CREATE OR REPLACE FUNCTION sello.set_person_disabled(p_email text, p_disabled boolean, p_now timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email for no key update;
  if person.id is null then
    return false;
  end if;
  if (person.disabled_at is not null) = p_disabled then
    return true;
  end if;
  if p_disabled then
    update users u set disabled_at = p_now, updated_at = p_now, token_version = u.token_version + 1 where u.id = person.id;
    update sessions s set ended_at = p_now where s.user_id = person.id and s.ended_at is null;
  else
    update users u set disabled_at = null, updated_at = p_now where u.id = person.id;
  end if;
  perform record_for_person(person.id, false, case when p_disabled then 'person.disabled' else 'person.enabled' end, '{}', p_now, null, null);
  return true;
end $function$;
alter function set_person_disabled(text,boolean,timestamp with time zone) owner to sello_resolver;
revoke execute on function set_person_disabled(text,boolean,timestamp with time zone) from public;

-- Creates a person with a password and a tenant that the person owns, and returns false without a trace if the address
-- is taken. The API calls it for somebody who signs up.
CREATE OR REPLACE FUNCTION sello.sign_up(p_user uuid, p_email text, p_name text, p_password_hash text, p_tenant uuid, p_tenant_name text, p_member uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  insert into users (id, email, name, password_hash, created_at, updated_at)
  values (p_user, p_email, p_name, p_password_hash, p_now, p_now)
  on conflict (email) do nothing;
  if not found then
    return false;
  end if;
  perform found_tenant(p_tenant, p_tenant_name, p_member, p_user, p_email, p_now, p_request_id, p_address);
  return true;
end $function$;
alter function sign_up(uuid,text,text,text,uuid,text,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function sign_up(uuid,text,text,text,uuid,text,uuid,timestamp with time zone,text,text) from public;
grant execute on function sign_up(uuid,text,text,text,uuid,text,uuid,timestamp with time zone,text,text) to sello_app;

-- Creates a person who is known by an identity provider, which has confirmed the address, with a tenant of their own
-- unless an invitation of an open tenant waits for that address. It returns false if the address or the identity is
-- taken. The API calls it after a first sign-in at the provider.
CREATE OR REPLACE FUNCTION sello.sign_up_with_identity(p_user uuid, p_email text, p_name text, p_issuer text, p_subject text, p_tenant uuid, p_tenant_name text, p_member uuid, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  if exists (select from user_identities i where i.issuer = p_issuer and i.subject = p_subject) then
    return false;
  end if;
  insert into users (id, email, name, email_verified_at, created_at, updated_at)
  values (p_user, p_email, p_name, p_now, p_now, p_now)
  on conflict (email) do nothing;
  if not found then
    return false;
  end if;
  insert into user_identities (issuer, subject, user_id, created_at) values (p_issuer, p_subject, p_user, p_now);
  if not exists (
    select from members m join tenants t on t.id = m.tenant_id and t.is_active
    where m.email = p_email and m.status = 'invited' and m.invitation_expires_at > p_now
  ) then
    perform found_tenant(p_tenant, p_tenant_name, p_member, p_user, p_email, p_now, p_request_id, p_address);
  end if;
  return true;
end $function$;
alter function sign_up_with_identity(uuid,text,text,text,text,uuid,text,uuid,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function sign_up_with_identity(uuid,text,text,text,text,uuid,text,uuid,timestamp with time zone,text,text) from public;
grant execute on function sign_up_with_identity(uuid,text,text,text,text,uuid,text,uuid,timestamp with time zone,text,text) to sello_app;

-- Marks a one-time token as used and returns its person and details. No row means that there is none of this purpose,
-- that it was used, or that it is too late. The API calls it when somebody comes back from an identity provider, and so
-- do verify_email and reset_password.
CREATE OR REPLACE FUNCTION sello.take_one_time_token(p_hash bytea, p_purpose text, p_now timestamp with time zone)
 RETURNS TABLE(user_id uuid, detail jsonb)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  update one_time_tokens o set used_at = p_now
  where o.token_hash = p_hash and o.purpose = p_purpose and o.used_at is null and o.expires_at - p_now > interval '0'
  returning o.user_id, o.detail
$function$;
alter function take_one_time_token(bytea,text,timestamp with time zone) owner to sello_resolver;
revoke execute on function take_one_time_token(bytea,text,timestamp with time zone) from public;
grant execute on function take_one_time_token(bytea,text,timestamp with time zone) to sello_app;

-- Uses up a token from a mail and notes that its person's address is confirmed. It returns false if the token is worth
-- nothing. The API calls it when the link of the mail is followed.
CREATE OR REPLACE FUNCTION sello.verify_email(p_hash bytea, p_now timestamp with time zone, p_request_id text, p_address text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  person uuid;
begin
  select t.user_id into person from take_one_time_token(p_hash, 'verify_email', p_now) t;
  if person is null then
    return false;
  end if;
  update users u set email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now where u.id = person;
  perform record_for_person(person, true, 'email.verified', '{}', p_now, p_request_id, p_address);
  return true;
end $function$;
alter function verify_email(bytea,timestamp with time zone,text,text) owner to sello_resolver;
revoke execute on function verify_email(bytea,timestamp with time zone,text,text) from public;
grant execute on function verify_email(bytea,timestamp with time zone,text,text) to sello_app;


-- ===== Tenants

-- Binds the database to one of the SRI's environments (TEST or PRODUCTION) unless it is bound already, and returns the
-- one to which it is bound. Each API and worker process calls it at its start and refuses to run on a database of the
-- other environment.
CREATE OR REPLACE FUNCTION sello.bind_environment(p_environment text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  insert into deployment (environment) values (p_environment) on conflict do nothing;
  return (select d.environment from deployment d);
end $function$;
alter function bind_environment(text) owner to sello_resolver;
revoke execute on function bind_environment(text) from public;
grant execute on function bind_environment(text) to sello_app;

-- Returns the tenant of the running transaction, which is the setting sello.tenant_id, or null when none is set. The
-- row security of every table that belongs to tenants compares it, so a transaction without a tenant sees no row.
CREATE OR REPLACE FUNCTION sello.current_tenant()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('sello.tenant_id'::text, true), ''::text))::uuid;

-- Enables and forces row security on a table and gives sello_app the policy tenant_isolation, by which it reads and
-- writes only rows of the current tenant. Migrations call it for each new table that belongs to tenants, and name the
-- column if it is not tenant_id.
CREATE OR REPLACE PROCEDURE sello.isolate_tenant_table(IN p_table regclass, IN p_column text DEFAULT 'tenant_id'::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format(
    'create policy tenant_isolation on %s to sello_app using (%I = current_tenant()) with check (%I = current_tenant())',
    p_table, p_column, p_column);
end $procedure$;

-- Creates a tenant with its first API key, of which only the hash is kept, and begins its audit log with both. It
-- raises SE150 if the database is bound to another environment than that of the key; the detail is the one to which it
-- is bound. Only the operator may call it, as the owner of the schema: it is no act of the service, and sello_app may
-- not execute it.
CREATE OR REPLACE FUNCTION sello.provision_tenant(p_tenant uuid, p_name text, p_api_key uuid, p_key_name text, p_prefix text, p_hash bytea, p_environment text, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
declare
  environment_here text := (select d.environment from deployment d);
begin
  if environment_here <> p_environment then
    raise exception 'the database is bound to %, the key is of %', environment_here, p_environment using errcode = 'SE150', detail = environment_here;
  end if;
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at)
  values (p_tenant, p_api_key, p_key_name, p_prefix, p_hash, p_environment, p_now);
  insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
  values
    (p_tenant, gen_random_uuid(), p_now, 'system', 'tenant.founded', 'tenant', p_tenant, '{}'),
    (p_tenant, gen_random_uuid(), p_now, 'system', 'api_key.created', 'api_key', p_api_key, jsonb_build_object('name', p_key_name, 'prefix', p_prefix));
end $function$;
alter function provision_tenant(uuid,text,uuid,text,text,bytea,text,timestamp with time zone) owner to sello_resolver;
revoke execute on function provision_tenant(uuid,text,uuid,text,text,bytea,text,timestamp with time zone) from public;


-- ===== Webhooks

-- Returns when a delivery must be due to go before all others that wait for its webhook, or null if none does: what
-- somebody asks for does not wait behind hours of work. The API calls it for a test and for a delivery that is sent
-- again, and so does end_attempt.
CREATE OR REPLACE FUNCTION sello.before_all_waiting(p_tenant uuid, p_webhook uuid, p_delivery uuid)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
begin
  return (
    select w.due_at - interval '1 microsecond' from webhook_work w
    -- Compared as rows, so that no other index gives this order.
    where (w.tenant_id, w.webhook_id, w.due_at) >= (p_tenant, p_webhook, '-infinity')
      and (w.tenant_id, w.webhook_id, w.due_at) <= (p_tenant, p_webhook, 'infinity')
      and w.due_at > '-infinity' and w.lease_token is null and w.delivery_id <> p_delivery
    order by w.tenant_id, w.webhook_id, w.due_at limit 1);
end $function$;

-- Begins an attempt at a leased delivery, counts it, and returns the address, secrets, event, number and round of the
-- attempt. After one that was interrupted the round stays as it is; after fifty in a row the delivery ends as failed.
-- It returns no row then, if the lease was lost, and if the webhook is switched off or removed: then the delivery is
-- put aside or ends as failed. It locks the work, then the delivery. The worker calls it. It goes by the database's
-- clock if the caller's is ahead of it.
CREATE OR REPLACE FUNCTION sello.begin_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamp with time zone)
 RETURNS TABLE(webhook_id uuid, url text, secrets jsonb, event jsonb, number integer, round integer)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  -- A delivery that ends every worker that makes it must end itself.
  most_interrupted constant integer := 50;
  was_interrupted boolean;
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
  e events%rowtype;
begin
  p_now := least(p_now, clock_timestamp());
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery and w.lease_token = p_token for update;
  if not found then return; end if;
  select * into d from webhook_deliveries x where x.tenant_id = p_tenant and x.id = p_delivery for update;
  if not found then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
    return;
  end if;
  select * into k from webhooks x where x.tenant_id = p_tenant and x.id = d.webhook_id;
  select * into e from events x where x.tenant_id = p_tenant and x.id = d.event_id;
  -- What a worker began that did not come back.
  update webhook_attempts a set finished_at = p_now, outcome = 'interrupted'
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = d.attempts and a.finished_at is null;
  if found and d.round > 0 and d.attempts >= most_interrupted and not exists (
    select from webhook_attempts a
    where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number > d.attempts - most_interrupted and a.outcome is distinct from 'interrupted') then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
    update webhook_deliveries x set status = 'failed', finished_at = p_now, next_attempt_at = null where x.tenant_id = p_tenant and x.id = p_delivery;
    return;
  end if;
  if k.deleted_at is not null or not k.is_active and e.type <> 'ping' then
    if k.deleted_at is null and d.next_attempt_at is not null then
      update webhook_work w set due_at = p_now + interval '3 days', lease_token = null where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
      update webhook_deliveries x set next_attempt_at = null where x.tenant_id = p_tenant and x.id = p_delivery;
    else
      delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
      update webhook_deliveries x set status = 'failed', finished_at = p_now, next_attempt_at = null where x.tenant_id = p_tenant and x.id = p_delivery;
    end if;
    return;
  end if;
  -- The schedule is of the receiver: what never came to it, or of which nobody knows, leaves the delivery where it was.
  was_interrupted := exists (
    select from webhook_attempts a where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = d.attempts and a.outcome = 'interrupted');
  update webhook_deliveries x set attempts = x.attempts + 1, round = case when was_interrupted then greatest(x.round, 1) else x.round + 1 end
  where x.tenant_id = p_tenant and x.id = p_delivery returning * into d;
  insert into webhook_attempts (tenant_id, delivery_id, number, started_at, url_version) values (p_tenant, p_delivery, d.attempts, p_now, k.url_version);
  return query
  select k.id, k.url,
    (select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed_secret, 'base64')) order by s.expires_at nulls first)
     from webhook_secrets s where s.tenant_id = p_tenant and s.webhook_id = k.id and (s.expires_at is null or s.expires_at > p_now)),
    event_card(e), d.attempts, d.round;
end $function$;

-- Looks at about p_limit deliveries of a webhook that wait for an attempt later than p_after, makes those due that were
-- last tried at a former address, and returns until when it looked; null means that none is left. It waits for attempts
-- that are just ending. The API calls it again and again, with what it returned, after it has committed another
-- address.
CREATE OR REPLACE FUNCTION sello.bring_some_deliveries_forward(p_tenant uuid, p_webhook uuid, p_now timestamp with time zone, p_after timestamp with time zone, p_limit integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  seen record;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- An attempt that is just ending may not have seen the other address.
  perform from webhook_work w
  where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity' and w.lease_token is not null
  for update;
  for seen in
    -- Compared as rows, so that no other index gives this order.
    select w.delivery_id, w.due_at from webhook_work w
    where (w.tenant_id, w.webhook_id, w.due_at) > (p_tenant, p_webhook, p_after)
      and (w.tenant_id, w.webhook_id, w.due_at) <= (p_tenant, p_webhook, 'infinity')
      and w.due_at > '-infinity' and w.lease_token is null
    order by w.tenant_id, w.webhook_id, w.due_at fetch first (p_limit) rows with ties
  loop
    -- The work first, as whoever attempts it.
    perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = seen.delivery_id and w.lease_token is null and w.due_at > p_now for update;
    continue when not found;
    update webhook_deliveries d set next_attempt_at = p_now
    where d.tenant_id = p_tenant and d.id = seen.delivery_id and d.status = 'pending' and d.next_attempt_at > p_now
      and not exists (
        select from webhook_attempts a join webhooks k on k.tenant_id = a.tenant_id and k.id = p_webhook and k.url_version = a.url_version
        where a.tenant_id = p_tenant and a.delivery_id = seen.delivery_id and a.number = d.attempts);
    continue when not found;
    update webhook_work w set due_at = least(w.due_at, p_now, clock_timestamp()) where w.tenant_id = p_tenant and w.delivery_id = seen.delivery_id;
  end loop;
  return seen.due_at;
end $function$;

-- Leases up to p_limit due deliveries to a worker and returns them with the place after which the next claim goes on;
-- null means that everything due was looked at. Tenants and addresses take turns: a tenant has a quarter of the room at
-- most and an address p_per_webhook deliveries under way, but addresses whose latest attempt failed have an eighth and
-- one delivery each. It holds an advisory lock until the commit, so one worker claims at a time. The worker calls it.
-- It goes by the database's clock if the caller's is ahead of it.
CREATE OR REPLACE FUNCTION sello.claim_deliveries_going_round(p_token uuid, p_now timestamp with time zone, p_lease interval, p_limit integer, p_limit_failing integer, p_per_webhook integer, p_after uuid[])
 RETURNS TABLE(taken jsonb, looked_until uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET random_page_cost TO '1'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  by_age constant integer := 64;
  -- Of those, how many are looked at besides the others where there are more.
  eldest constant integer := 16;
  most_looked_at constant integer := 256;
  most_due constant integer := greatest(64, p_limit);
  start_tenant constant uuid := coalesce(p_after[1], p_token);
  start_webhook constant uuid := coalesce(p_after[2], p_token);
begin
  p_now := least(p_now, clock_timestamp());
  -- A lease forgotten by a crash of the server leads to one delivery more: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if not exists (select from webhook_work w where w.due_at <= p_now) then return; end if;
  perform pg_advisory_xact_lock(7356114);
  return query
  with recursive oldest as materialized (
    select w.tenant_id, w.webhook_id, w.due_at, row_number() over (order by w.due_at) as age
    from webhook_work w where w.due_at <= p_now order by w.due_at limit by_age + 1
  ), ahead as (
    (select w.tenant_id, w.webhook_id, w.due_at, 1 as place, (w.due_at <= p_now)::integer as due from webhook_work w
     where (select count(*) from oldest) > by_age and (w.tenant_id, w.webhook_id) > (start_tenant, start_webhook) and w.due_at > '-infinity'
     order by w.tenant_id, w.webhook_id, w.due_at limit 1)
    union all
    select next.tenant_id, next.webhook_id, next.due_at, a.place + 1, a.due + (next.due_at <= p_now)::integer from ahead a cross join lateral (
      select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id) > (a.tenant_id, a.webhook_id) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit 1) next
    where a.place < most_looked_at and a.due < most_due
  ), passed as materialized (
    select count(*)::integer as places, coalesce(max(a.due), 0) as due from ahead a
  ), behind as (
    (select w.tenant_id, w.webhook_id, w.due_at, p.places + 1 as place, p.due + (w.due_at <= p_now)::integer as due from passed p cross join lateral (
       select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
       where (select count(*) from oldest) > by_age and (w.tenant_id, w.webhook_id) <= (start_tenant, start_webhook) and w.due_at > '-infinity'
       order by w.tenant_id, w.webhook_id, w.due_at limit 1) w
     where p.places < most_looked_at and p.due < most_due)
    union all
    select next.tenant_id, next.webhook_id, next.due_at, b.place + 1, b.due + (next.due_at <= p_now)::integer from behind b cross join lateral (
      select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id) > (b.tenant_id, b.webhook_id) and (w.tenant_id, w.webhook_id) <= (start_tenant, start_webhook) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit 1) next
    where b.place < most_looked_at and b.due < most_due
  ), looked_at as materialized (
    select a.tenant_id, a.webhook_id, a.due_at, a.place from ahead a
    union all
    select b.tenant_id, b.webhook_id, b.due_at, b.place from behind b
  ), addresses as (
    -- With all that have something under way, which counts for their tenants; place: where they are to be served.
    select a.tenant_id, a.webhook_id, min(a.place) as place, sum(a.under_way) as under_way from (
      select l.tenant_id, l.webhook_id, l.place, 0 as under_way from looked_at l where l.due_at <= p_now
      union all
      select o.tenant_id, o.webhook_id, most_looked_at + 1, 0 from oldest o
      where o.age <= case when (select count(*) from oldest) > by_age then eldest else by_age end
      union all
      select w.tenant_id, w.webhook_id, null, 1 from webhook_work w where w.lease_token is not null and w.due_at - p_now > interval '0') a
    group by a.tenant_id, a.webhook_id
  ), busy as (
    select a.*, k.last_attempt_failed or k.failing_since is not null as fails from addresses a join webhooks k on k.tenant_id = a.tenant_id and k.id = a.webhook_id
  ), shared as (
    -- Room that only another worker has is left out: the share errs on the small side.
    select b.*, sum(b.under_way) over (partition by b.tenant_id, b.fails) as of_tenant, p_limit + sum(b.under_way) over () as room from busy b
  ), candidates as (
    select s.tenant_id, due.delivery_id, s.fails, due.due_at, s.place, s.of_tenant, s.room,
      s.under_way + row_number() over (partition by s.tenant_id, s.webhook_id order by due.due_at) as number
    from shared s cross join lateral (
      select w.delivery_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id, w.due_at) >= (s.tenant_id, s.webhook_id, '-infinity')
        and (w.tenant_id, w.webhook_id, w.due_at) <= (s.tenant_id, s.webhook_id, p_now) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit greatest(0, case when s.fails then 1 else p_per_webhook end - s.under_way)) due
    where s.place is not null
  ), turns as (
    select c.*, c.of_tenant + row_number() over (partition by c.tenant_id, c.fails order by c.number, c.due_at) as turn from candidates c
  ), chosen as materialized (
    select c.* from (
      -- By chance: the way round is that of addresses that work, and by age one that recovered would wait for older backlogs.
      (select t.* from turns t where t.fails and t.turn <= greatest(1, t.room / 8)
       order by t.turn, hashtext(t.delivery_id::text || p_token::text) limit p_limit_failing)
      union all
      (select t.* from turns t where not t.fails and t.turn <= greatest(1, t.room / 4) order by t.turn, t.place, t.due_at limit p_limit)) c
    order by c.fails, c.turn, c.place, c.due_at limit p_limit
  ), held as (
    select w.tenant_id, w.delivery_id, c.fails
    from chosen c join webhook_work w on w.tenant_id = c.tenant_id and w.delivery_id = c.delivery_id
    where w.due_at - p_now <= interval '0'
    for update of w skip locked
  ), leased as (
    update webhook_work w set lease_token = p_token, due_at = p_now + p_lease
    from held where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id
    returning w.tenant_id, w.delivery_id, held.fails
  )
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', l.tenant_id, 'deliveryId', l.delivery_id, 'isFailing', l.fails)), '[]'), (
    -- Behind the last of those whose turn it was; where there is room for more to addresses that work, behind all that were
    -- looked at, so that those that fail hold nobody up.
    select array[r.tenant_id, r.webhook_id] from looked_at r
    where r.place = case
      when (select count(*) from chosen c where not c.fails) < p_limit then (select max(place) from looked_at)
      else (select coalesce(max(c.place) filter (where c.place <= most_looked_at), (select max(place) from looked_at)) from chosen c where not c.fails) end)
  from leased l;
end $function$;
alter function claim_deliveries_going_round(uuid,timestamp with time zone,interval,integer,integer,integer,uuid[]) owner to sello_worker;
revoke execute on function claim_deliveries_going_round(uuid,timestamp with time zone,interval,integer,integer,integer,uuid[]) from public;
grant execute on function claim_deliveries_going_round(uuid,timestamp with time zone,interval,integer,integer,integer,uuid[]) to sello_app;

-- Returns the delivery of an event to a webhook, or null if there is none. replay_events calls it.
CREATE OR REPLACE FUNCTION sello.delivery_of_event(p_tenant uuid, p_webhook uuid, p_event uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  return (
    select d.id from webhook_deliveries d
    where d.tenant_id = p_tenant and d.event_id >= p_event and d.event_id <= p_event and d.webhook_id = p_webhook
    order by d.event_id limit 1);
end $function$;

-- Writes how an attempt ended and when the next one is due; null means never. A delivery that was asked for again
-- meanwhile is due at once, before all that waits of its webhook, and so is one that failed at an address that was
-- changed meanwhile, also where it ran out of attempts. A webhook that answered 410, or has failed for p_patience, is
-- switched off with the event webhook.disabled. If the lease was lost, only the attempt itself is written. It locks the
-- work. The worker calls it. All times of a caller whose clock is ahead of the database's are put back by as much.
CREATE OR REPLACE FUNCTION sello.end_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamp with time zone, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer, p_next_at timestamp with time zone, p_patience interval, p_event uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  lead constant interval := greatest(p_now - clock_timestamp(), interval '0');
  d webhook_deliveries%rowtype;
  next_at timestamptz := p_next_at - lead;
  is_test boolean;
  counts boolean;
  tried integer;
begin
  p_now := p_now - lead;
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery and w.lease_token = p_token for update;
  if not found then
    update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
    where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number;
    return;
  end if;
  update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number
  returning a.url_version into tried;
  select * into d from webhook_deliveries x where x.tenant_id = p_tenant and x.id = p_delivery;
  select e.type = 'ping' into is_test from events e where e.tenant_id = p_tenant and e.id = d.event_id;
  if d.round = 0 then
    -- Asked for again while it was under way.
    next_at := p_now;
  elsif p_outcome <> 'delivered' and not is_test
    -- At a former address: it says nothing of when the present one is to be tried.
    and exists (select from webhooks x where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version <> tried) then
    next_at := p_now;
  end if;
  update webhook_deliveries x set
    status = case when next_at is not null then 'pending' when p_outcome = 'delivered' then 'delivered' else 'failed' end,
    next_attempt_at = next_at, finished_at = case when next_at is null then p_now end
  where x.tenant_id = p_tenant and x.id = p_delivery;
  if next_at is null then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  else
    update webhook_work w set lease_token = null,
      due_at = case when d.round > 0 then next_at else least(next_at, before_all_waiting(p_tenant, d.webhook_id, p_delivery)) end
    where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  end if;
  if p_outcome = 'delivered' then
    update webhooks x set failing_since = null, last_attempt_failed = false
    where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version = tried and (x.failing_since is not null or x.last_attempt_failed);
    return;
  end if;
  -- A secret that we could not open is no fault of the address, nor is an event that we could not write down.
  if p_outcome in ('secret_unavailable', 'internal') then return; end if;
  counts := not is_test or p_status_code is not distinct from 410;
  update webhooks x set last_attempt_failed = true, failing_since = case when counts and x.is_active then coalesce(x.failing_since, p_now) else x.failing_since end
  where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version = tried
    and (not x.last_attempt_failed or counts and x.is_active and x.failing_since is null);
  perform switch_webhook_off(p_tenant, d.webhook_id, coalesce(tried, 0), p_status_code is not distinct from 410, not is_test and d.round > 1, p_patience, p_now, p_event);
end $function$;

-- Returns up to p_limit active webhooks, of all tenants, that have failed for p_patience and have no delivery before
-- them. The worker calls it at intervals and switches them off. It goes by the database's clock if the caller's is
-- ahead of it.
CREATE OR REPLACE FUNCTION sello.failing_webhooks(p_patience interval, p_now timestamp with time zone, p_limit integer)
 RETURNS TABLE(tenant_id uuid, id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select k.tenant_id, k.id from webhooks k
  where k.is_active and k.failing_since <= least(p_now, now()) - p_patience
    -- What has an attempt before it tells by itself; behind an outage of ours it may be the first one in days.
    and not exists (select from webhook_work w where w.tenant_id = k.tenant_id and w.webhook_id = k.id and w.due_at is not null)
  limit p_limit
$function$;
alter function failing_webhooks(interval,timestamp with time zone,integer) owner to sello_worker;
revoke execute on function failing_webhooks(interval,timestamp with time zone,integer) from public;
grant execute on function failing_webhooks(interval,timestamp with time zone,integer) to sello_app;

-- Puts a sealed secret of a webhook in the place of the one that was read, and returns false if that one is no longer
-- there. Only the operator may call it, through `npm run rotate-master-key`.
CREATE OR REPLACE FUNCTION sello.replace_sealed_webhook_secret(p_tenant uuid, p_id uuid, p_old bytea, p_new bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
begin
  update webhook_secrets s set sealed_secret = p_new where s.tenant_id = p_tenant and s.id = p_id and s.sealed_secret = p_old;
  return found;
end $function$;
alter function replace_sealed_webhook_secret(uuid,uuid,bytea,bytea) owner to sello_resolver;
revoke execute on function replace_sealed_webhook_secret(uuid,uuid,bytea,bytea) from public;

-- Sends the events of a span of time to a webhook again, and returns how many; if there are more than p_limit it sends
-- none and returns one more than p_limit. It raises SE140 as restart_delivery does. The API calls it.
CREATE OR REPLACE FUNCTION sello.replay_events(p_tenant uuid, p_webhook uuid, p_from timestamp with time zone, p_to timestamp with time zone, p_kinds text[], p_now timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  chosen uuid[];
  event uuid;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- Before anything is written: what is undone leaves dead rows in a queue that all tenants share.
  chosen := array(
    select e.id from events e
    where e.tenant_id = p_tenant and e.created_at >= p_from and e.created_at < p_to and e.type <> 'ping' and (p_kinds is null or e.type = any (p_kinds))
    order by e.xid, e.position limit p_limit + 1);
  if cardinality(chosen) <= p_limit then
    foreach event in array chosen loop
      perform restart_delivery(p_tenant, coalesce(delivery_of_event(p_tenant, p_webhook, event), gen_random_uuid()), p_webhook, event, p_now);
    end loop;
  end if;
  return cardinality(chosen);
end $function$;

-- Makes a delivery due at once and lets it run through the whole schedule again, or creates it. One that is under way
-- begins again when its attempt ends. It raises SE140 from the 21st time within an hour; the detail holds the limit,
-- its window, and after how many seconds it may be sent again. The API calls it for a test and for a delivery that is
-- sent again, and so does replay_events.
CREATE OR REPLACE FUNCTION sello.restart_delivery(p_tenant uuid, p_delivery uuid, p_webhook uuid, p_event uuid, p_now timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  most constant integer := 20;
  an_hour constant interval := interval '1 hour';
  again record;
begin
  insert into webhook_work as w (tenant_id, delivery_id, webhook_id, due_at) values (p_tenant, p_delivery, p_webhook, least(p_now, clock_timestamp()))
  -- What is under way keeps its lease, by which it counts, and begins again when it ends: see end_attempt.
  on conflict (tenant_id, delivery_id) do update set due_at = excluded.due_at, lease_token = null
  where w.lease_token is null or w.due_at <= clock_timestamp();
  insert into webhook_deliveries as d (tenant_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
  values (p_tenant, p_delivery, p_webhook, p_event, 'pending', p_now, p_now)
  on conflict (tenant_id, id) do update set status = 'pending', round = 0, next_attempt_at = p_now, finished_at = null,
    replays = case when d.replays_since > p_now - an_hour then d.replays + 1 else 1 end,
    replays_since = case when d.replays_since > p_now - an_hour then d.replays_since else p_now end
  returning d.replays, d.replays_since into again;
  if again.replays > most then
    raise exception 'delivery % was sent again too often', p_delivery using errcode = 'SE140', detail = jsonb_build_object(
      'limit', most, 'window_seconds', extract(epoch from an_hour)::integer, 'retry_after_seconds', ceil(extract(epoch from again.replays_since + an_hour - p_now))::integer);
  end if;
end $function$;

-- Makes up to p_limit deliveries due that wait for a webhook that was switched off, and returns how many; 0 means that
-- none is left. It waits for attempts under way, which put their delivery aside once they have seen the webhook
-- switched off. The API calls it again and again after it has committed that the webhook is on.
CREATE OR REPLACE FUNCTION sello.resume_some_deliveries(p_tenant uuid, p_webhook uuid, p_now timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  chosen record;
  resumed integer := 0;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w
  where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity' and w.lease_token is not null
  for update;
  for chosen in
    -- In the order of the index of what is set aside.
    select d.id from webhook_deliveries d
    where d.tenant_id = p_tenant and d.webhook_id = p_webhook and d.status = 'pending' and d.next_attempt_at is null
    order by d.tenant_id, d.webhook_id, d.id limit p_limit
  loop
    -- The work first, as whoever attempts it.
    perform from webhook_work w join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id and k.is_active
    where w.tenant_id = p_tenant and w.delivery_id = chosen.id
    for update of w;
    continue when not found;
    update webhook_deliveries d set next_attempt_at = p_now
    where d.tenant_id = p_tenant and d.id = chosen.id and d.status = 'pending' and d.next_attempt_at is null;
    continue when not found;
    update webhook_work w set due_at = least(w.due_at, p_now, clock_timestamp()) where w.tenant_id = p_tenant and w.delivery_id = chosen.id;
    resumed := resumed + 1;
  end loop;
  return resumed;
end $function$;

-- Returns up to p_limit sealed secrets of webhooks, in the order of tenant and id, that come after the given place.
-- Only the operator may call it, through `npm run rotate-master-key`.
CREATE OR REPLACE FUNCTION sello.sealed_webhook_secrets_after(p_tenant uuid, p_id uuid, p_limit integer)
 RETURNS TABLE(tenant_id uuid, id uuid, webhook_id uuid, sealed_secret bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
AS $function$
  select s.tenant_id, s.id, s.webhook_id, s.sealed_secret from webhook_secrets s
  where (s.tenant_id, s.id) > (p_tenant, p_id)
  order by s.tenant_id, s.id
  limit p_limit
$function$;
alter function sealed_webhook_secrets_after(uuid,uuid,integer) owner to sello_resolver;
revoke execute on function sealed_webhook_secrets_after(uuid,uuid,integer) from public;

-- Switches an active webhook off if it is gone, or if p_may_be_failing and it has failed for p_patience, with the event
-- webhook.disabled, and returns whether it did. With a p_url_version only while the address is that one. It locks the
-- webhook. end_attempt calls it, and the worker at intervals. It goes by the database's clock if the caller's is ahead
-- of it.
CREATE OR REPLACE FUNCTION sello.switch_webhook_off(p_tenant uuid, p_webhook uuid, p_url_version integer, p_is_gone boolean, p_may_be_failing boolean, p_patience interval, p_now timestamp with time zone, p_event uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
declare
  k webhooks%rowtype;
begin
  p_now := least(p_now, clock_timestamp());
  perform set_config('sello.tenant_id', p_tenant::text, true);
  update webhooks x set
    is_active = false, disabled_at = p_now, updated_at = p_now, disabled_reason = case when p_is_gone then 'gone' else 'failing' end
  where x.tenant_id = p_tenant and x.id = p_webhook and x.url_version = coalesce(p_url_version, x.url_version) and x.is_active
    and (p_is_gone or p_may_be_failing and x.failing_since <= p_now - p_patience)
  returning * into k;
  if not found then return false; end if;
  insert into events (tenant_id, id, type, created_at, data)
  values (p_tenant, p_event, 'webhook.disabled', p_now, jsonb_build_object('webhook', jsonb_build_object(
    'id', k.id, 'url', substring(k.url from '^[^/]+//[^/?]+'), 'description', k.description, 'disabled_reason', k.disabled_reason, 'disabled_at', k.disabled_at, 'failing_since', k.failing_since)));
  return true;
end $function$;

-- Returns up to p_limit active webhooks, of all tenants, for which deliveries are still set aside. The worker calls it
-- at intervals, and resume_some_deliveries for each.
CREATE OR REPLACE FUNCTION sello.webhooks_to_resume(p_limit integer)
 RETURNS TABLE(tenant_id uuid, id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'sello', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  select k.tenant_id, k.id from webhooks k
  where k.is_active and exists (
    select from webhook_deliveries d
    where d.tenant_id = k.tenant_id and d.webhook_id = k.id and d.status = 'pending' and d.next_attempt_at is null)
  limit p_limit
$function$;
alter function webhooks_to_resume(integer) owner to sello_worker;
revoke execute on function webhooks_to_resume(integer) from public;
grant execute on function webhooks_to_resume(integer) to sello_app;
