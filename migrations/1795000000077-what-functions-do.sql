-- Every function and table says what it does. `create or replace` keeps a comment, so that it stays with a function whose text is
-- spread over many migrations; docs/schema/ shows both as they are now. The words before the colon are the subject under which
-- it stands there.

comment on table tenants is
  'Tenants: The customers of the platform, whose data row security keeps apart. A tenant is closed, not deleted: '
  'while is_active is false, its keys and members get nowhere.';
comment on table api_keys is
  'Credentials: The API keys of tenants: the hash of each, the beginning that lists show, its environment and when '
  'it was last used. A revoked key stays as a row.';
comment on table audit_log is
  'Audit log: The acts of people, keys and the platform, for their tenant to read: each line is written in the '
  'transaction of its act. Lines are never changed, and only the operator''s retention removes those older than a '
  'year.';
comment on table users is
  'Sign-in: People who sign in, with their password as argon2id where they have one. They belong to no tenant, so '
  'only the functions of sello_resolver reach them. token_version ends all access tokens when it is raised.';
comment on table user_identities is
  'Sign-in: Accounts at identity providers that are linked to people, known by issuer and subject and never by '
  'address. Only the functions of sello_resolver reach them.';
comment on table sessions is
  'Sign-in: One row for each sign-in on one device: the family of its refresh tokens. Only the functions of '
  'sello_resolver reach them. Access tokens count from valid_from_version on, or (null) only at the account''s '
  'present version.';
comment on table refresh_tokens is
  'Sign-in: Hashes of refresh tokens, each of which works once: one that comes back ends its session. Only the '
  'functions of sello_resolver reach them.';
comment on table one_time_tokens is
  'Sign-in: Hashes of tokens that work once: those of links in mails, of identities to link and of sign-ins under '
  'way at a provider, with what the step must remember in detail. Only the functions of sello_resolver reach them.';
comment on table members is
  'Members: The places that people hold in tenants, with their roles. An invitation is a member without a user '
  'until it is accepted, and invited_by is null for whoever founded the tenant.';
comment on table issuers is
  'Issuers: Taxpayers in whose name a tenant issues documents, with what is printed on them and how they are '
  'registered with the SRI. is_active is the tenant''s own switch, disabled_at the platform''s.';
comment on table establishments is
  'Issuers: The establishments of an issuer: a code of three digits and an address.';
comment on table emission_points is
  'Issuers: The emission points of an establishment: a code of three digits, and the number with which their '
  'documents begin.';
comment on table certificates is
  'Issuers: The signing certificates of issuers: one of an issuer is active at most. The private key is sealed and '
  'bound to tenant, issuer and certificate, and checks holds what was found when the certificate was taken in.';
comment on table certificate_notices is
  'Issuers: Which thresholds (30, 15, 7, 1 or 0 days left) a certificate has passed, each with the event that said '
  'so, so that it is written once.';
comment on table verified_rucs is
  'Issuers: Which issuer signs for a RUC in an environment, over all tenants: the primary key allows one, so that '
  'access keys are unique. is_open says that nobody holds the claim, and barred_tenants from whom an operator took '
  'it. Nothing reads barred_issuer any more.';
comment on table sequence_counters is
  'Numbers: The last number that an emission point gave out for a type of document in an environment. The row stays '
  'locked from taking a number to the commit.';
comment on table sequence_notices is
  'Numbers: Which thresholds of remaining numbers a counter has passed, so that each is announced by one event.';
comment on table sequence_raises is
  'Numbers: Numbers that were left out on purpose, from and to included, and why: somebody raised the counter, or '
  '(by_restore) a restore did.';
comment on table idempotency_keys is
  'Issuing: The idempotency keys of an issuer, for ever: the operation and fingerprint of the request, and its '
  'first answer, which a repetition gets again. Each is written in the transaction of its document.';
comment on table documents is
  'Lifecycle: Electronic documents: their state, number, access key, and the columns that are searched and summed; '
  'the fiscal content lies in document_contents. version grows with every move, and readers and writers compare it. '
  'Only advance_document and the functions of drafts, issuing and credit notes change the status, and '
  'guard_document checks each move.';
comment on table document_moves is
  'Lifecycle: The moves that a document may make. `npm run migrate` fills it from the lifecycle table of the code, '
  'and guard_document reads it.';
comment on table document_contents is
  'Lifecycle: The fiscal content of documents as it was accepted, with the issuer as it was then. Rows are never '
  'changed: a correction adds a revision.';
comment on table document_history is
  'Lifecycle: The moves that each document made, one row for each version, with what brought it about.';
comment on table signed_documents is
  'Lifecycle: The signed XML of documents, one row for each signing, gzip of exactly the bytes that are sent. It is '
  'stored before the first byte goes out and never changed.';
comment on table sri_attempts is
  'Lifecycle: Exchanges with the SRI. One with reception is committed before the call and finished after it, so '
  'that a crash leaves a trace; one that only asks is written with its answer.';
comment on table document_authorizations is
  'Lifecycle: The answers of the SRI that authorized a document, as they were received and gzip: what the receiver '
  'of the document gets.';
comment on table outbox is
  'Due work: One row for each document that has a next step: which, and when it is due. It crosses tenants and '
  'holds only ids and times. announced_at says when the bell was rung for the row, lease_token and lease_until '
  'which worker holds it, ahead that an earlier number is still to be sent, and a row that is due at infinity is '
  'parked.';
comment on table issuing_pauses is
  'Pauses: The scopes whose submissions wait because the SRI blocked a taxpayer, an establishment, a type of '
  'document or the numbers of an emission point: each column that is set narrows the scope. A pause is open while '
  'resumed_at is null.';
comment on table document_counts is
  'Lists and counts: How many documents rest, by all that a list counts by. Together with document_count_changes, '
  'which the reader adds, the sums are exact.';
comment on table document_count_changes is
  'Lists and counts: Changes of the counts that the transactions of documents leave until the worker folds them '
  'into document_counts.';
comment on table document_day_counts is
  'Lists and counts: How many documents rest for each day of creation, whatever they are: the first look at a list '
  'is counted and paged by it. The trigger count_day keeps it.';
comment on table buyers is
  'Buyers: Profiles of whom a tenant deals with, kept by people and learned from authorized documents. kept_fields '
  'names what a person has set, which documents leave alone.';
comment on table buyer_documents is
  'Buyers: One row for each authorized document and its buyer, so that a buyer''s documents are counted without a '
  'counter. It outlives the profile and refers to none.';
comment on table taxpayers is
  'Buyers: The last answer of the SRI''s public registry for each RUC, kept for all tenants; found is false where '
  'the registry knows no such taxpayer.';
comment on table products is
  'Catalogue: Products and services that a tenant sells, with their taxes. search_text is what searches compare.';
comment on table events is
  'Events: News of a tenant in the order of xid and position, with what each carries; the content of a document is '
  'kept by its revision. Streams, webhooks and notices are fed from it.';
comment on table webhooks is
  'Webhooks: Addresses to which a tenant''s events are sent, and the kinds to which they listen (null: every kind). '
  'failing_since and disabled_at say since when nothing arrived and when the service switched it off. url_version '
  'grows with every change of the address.';
comment on table webhook_secrets is
  'Webhooks: The sealed secrets with which deliveries are signed. One without an end signs, and the one before it '
  'signs too until it ends.';
comment on table webhook_deliveries is
  'Webhooks: Events on their way to webhooks, one row for each pair. attempts counts all requests, round those '
  'since the delivery was last begun, and replays how often it was sent again since replays_since.';
comment on table webhook_attempts is
  'Webhooks: Requests of deliveries, each committed before its first byte goes out, with how it ended.';
comment on table webhook_work is
  'Webhooks: Deliveries that are due now or later. It crosses tenants and holds only ids and times. While a worker '
  'holds a row, due_at is when its lease runs out.';
comment on table mail_settings is
  'Mails: How the mails of a tenant look; without a row they have the service''s own texts.';
comment on table mails is
  'Mails: One row for each mail to one person, and how it stands: a document to its buyer or to whomever somebody '
  'chose, or news to an administrator.';
comment on table mail_outbox is
  'Mails: Due mails, and events about which administrators are to be mailed. It crosses tenants and holds only ids '
  'and times. Whoever claims a row puts its due time after the end of the lease.';
comment on table archived_numbers is
  'Retention: Numbers of documents that were archived and removed, by month of issue: they are taken for ever and '
  'are no gaps. They also keep the emission points to which they belong.';
comment on table deployment is
  'Lives of the database: The one row that says which database this is: the environment of the SRI to which it is '
  'bound, its id, the name of its present life (empty in the first) and its count of beats. A process of the other '
  'environment does not start on it, and one that finds it at an earlier point ends.';
comment on table replica_beat is
  'Observing: The one row that says when the primary last gave a sign of life. A replica''s copy of it shows how '
  'far the replica lags.';
comment on function current_tenant() is
  'Tenants: Returns the tenant of the running transaction, which is the setting sello.tenant_id, or null when none '
  'is set. The row security of every table that belongs to tenants compares it, so a transaction without a tenant '
  'sees no row.';
comment on procedure isolate_tenant_table(regclass, text) is
  'Tenants: Enables and forces row security on a table and gives sello_app the policy tenant_isolation, by which it '
  'reads and writes only rows of the current tenant. Migrations call it for each new table that belongs to tenants, '
  'and name the column if it is not tenant_id.';
comment on function bind_environment(text) is
  'Tenants: Binds the database to one of the SRI''s environments (TEST or PRODUCTION) unless it is bound already, '
  'and returns the one to which it is bound. Each API and worker process calls it at its start and refuses to run '
  'on a database of the other environment.';
comment on function provision_tenant(uuid, text, uuid, text, text, bytea, text, timestamptz) is
  'Tenants: Creates a tenant with its first API key, of which only the hash is kept. Only the operator may call it, '
  'as the owner of the schema: it is no act of the service, and sello_app may not execute it.';
comment on function authenticate_api_key(bytea) is
  'Credentials: Returns the key, tenant, environment, time of revocation and last use of the API key with this '
  'hash, and no row for an unknown one. The keys of a closed tenant come back as revoked. The API calls it for each '
  'request that carries an API key.';
comment on function note_api_key_use(uuid, uuid, timestamptz) is
  'Credentials: Sets when an API key was last used, at most once a minute. It skips a row that somebody else holds '
  'and does not wait for the disk, so no request waits for it. The API calls it after it has authenticated a key.';
comment on function authenticate_session(uuid, uuid, integer, uuid, timestamptz) is
  'Credentials: Returns one row for each active tenant in which the person is an active member (only the named one, '
  'if one is named), and one row without a tenant if there is none, though an administrator of the platform gets '
  'the tenant that is named. It returns no row once the session has ended, the account is disabled or the access '
  'token''s version no longer counts. The API calls it for each request of a signed-in person, and for long answers '
  'to see whether the session still stands.';
comment on function session_acts_in(uuid, uuid, timestamptz) is
  'Credentials: Returns true while the person of this session may act in the tenant: the session is open, the '
  'account is not disabled, the tenant is active, and the person is an active member of it or an administrator of '
  'the platform. is_credential_valid calls it.';
comment on function is_credential_valid(uuid, uuid, timestamptz) is
  'Credentials: Returns true while a credential, which is the id of an API key or of a person''s session, may act '
  'in an active tenant. last_look, require_credential, events_after and document_outcome call it, so that a key '
  'that is revoked ends calls that are under way.';
comment on function administers_platform(uuid, timestamptz) is
  'Credentials: Returns true while the session is open and its person is an administrator of the platform, who may '
  'work in closed tenants too. require_credential calls it.';
comment on function require_credential(uuid, uuid, timestamptz) is
  'Credentials: Returns true, or raises SE002 when the API key or session by which a call came in may no longer act '
  'in the tenant. An administrator of the platform passes even in a closed tenant. The API calls it in the '
  'transaction of every act that changes something, after the act itself, so that a key that is revoked meanwhile '
  'fails the call.';
comment on function record_audit(uuid, jsonb) is
  'Audit log: Writes one line of a tenant''s audit log, given as {at, actor_kind, actor_id, action, target_kind, '
  'target_id, detail, request_id, address}, in the transaction of the act that the line describes. It returns true '
  'so that it can stand in a select list beside the act''s own function. The API calls it, and so do record_act and '
  'the functions of the platform.';
comment on function record_act(uuid, jsonb) is
  'Audit log: Writes the line of an act into the audit log as record_audit does, then raises SE002 if the line''s '
  '`credential` may no longer act in the tenant. It returns true. The API calls it in the transaction of each act '
  'that it records.';
comment on function record_for_person(uuid, boolean, text, jsonb, timestamptz, text, text) is
  'Audit log: Writes the same line into the audit log of each tenant in which the person is an active member. The '
  'person stands as the one who acted, or nobody does where somebody only tried to be the person. The functions of '
  'sign-in, sessions and accounts call it.';
comment on function record_foreign_attempt(uuid, uuid, timestamptz, text, text) is
  'Audit log: Writes into the audit log of each tenant of a person that the person named a tenant to which they do '
  'not belong, at most once a minute so that nobody floods the log. The API calls it when it refuses such a '
  'request.';
comment on function refuse_change() is
  'Audit log: Trigger of audit_log before every update, delete and truncate: raises SE120, because the log is '
  'append-only. Only sello_worker, as which the operator''s retention runs, may delete lines, and only those older '
  'than 365 days.';
comment on function find_account(text) is
  'Sign-in: Returns the id, password hash, version, end of the lock and time of disabling of the person with this '
  'address, and no row if there is none. The API calls it when somebody signs in with a password, changes it or '
  'forgot it.';
comment on function sign_up(uuid, text, text, text, uuid, text, uuid, timestamptz, text, text) is
  'Sign-in: Creates a person with a password and a tenant that the person owns, and returns false without a trace '
  'if the address is taken. The API calls it for somebody who signs up.';
comment on function sign_up_with_identity(uuid, text, text, text, text, uuid, text, uuid, timestamptz, text, text) is
  'Sign-in: Creates a person who is known by an identity provider, which has confirmed the address, with a tenant '
  'of their own unless an invitation waits for that address. It returns false if the address or the identity is '
  'taken. The API calls it after a first sign-in at the provider.';
comment on function find_identity(text, text, text) is
  'Sign-in: Returns the person to whom an account at an identity provider is linked, or else the one who has its '
  'address here, and whether the two are linked; no row if there is neither. The API calls it when somebody comes '
  'back from the provider.';
comment on function link_identity(bytea, uuid, timestamptz, text, text) is
  'Sign-in: Links the account at an identity provider that a one-time token offers to the person who is signed in, '
  'and confirms the person''s address if it is the same. It returns false if the token is unknown, used, too old or '
  'another person''s, or if the account is linked already. The API calls it.';
comment on function open_session(uuid, integer, uuid, bytea, text, timestamptz, timestamptz, text, text) is
  'Sign-in: Opens a session with its first refresh token for a person who has just proved who they are, and returns '
  'false if the account was disabled or given another password meanwhile, or, for a sign-in with a password, is '
  'locked. A password that was right clears the count of failures. It also deletes the person''s sessions that '
  'ended more than 30 days ago. The API calls it at each sign-in.';
comment on function record_login_failure(uuid, integer, timestamptz, timestamptz, text, text) is
  'Sign-in: Counts a wrong password and, once there are p_limit, locks the account until the given time and begins '
  'the count anew. The failure or the lock goes into the audit log of the person''s tenants. Nothing happens while '
  'the account is locked or has no password. The API calls it.';
comment on function rotate_refresh_token(bytea, bytea, timestamptz, interval, timestamptz, text, text) is
  'Sign-in: Exchanges a refresh token for a new one, under a lock on the token and its session, and returns rotated '
  'with the person, session and version. A token that was used before is in two hands: its session ends and the '
  'outcome is reused. Otherwise the outcome is refused, for a token that is unknown or too old and for a session '
  'that has ended. No session lives beyond p_longest after its beginning. renew_session calls it.';
comment on function renew_session(bytea, bytea, timestamptz, interval, timestamptz, text, text) is
  'Sign-in: Exchanges a refresh token as rotate_refresh_token does, and returns besides its outcome (rotated, '
  'reused or refused) when the session ends unless it is renewed again. The API calls it when an access token is '
  'renewed.';
comment on function end_session(uuid, uuid, timestamptz, text, text) is
  'Sign-in: Ends an open session of a person and records the sign-out in the audit logs of their tenants; a session '
  'that has ended stays as it is. The API calls it at sign-out, and so does end_session_of_token.';
comment on function end_session_of_token(bytea, timestamptz, text, text) is
  'Sign-in: Ends the session of a refresh token, whether or not the token was used, because whoever holds one may '
  'give its session up. An unknown token changes nothing. The API calls it at a sign-out that brings only the '
  'refresh token.';
comment on function end_every_session(uuid, uuid, timestamptz, text, text) is
  'Sign-in: Ends all open sessions of a person and every access token, and records how many sessions that were. It '
  'returns false, and ends nothing, if the session that asks for it has ended meanwhile. It locks the person before '
  'the sessions, as everything does that opens or ends them. The API calls it when somebody signs out everywhere.';
comment on function change_password(uuid, uuid, integer, text, timestamptz, text, text) is
  'Sign-in: Sets another password for a person who has just given the present one, and ends every session but '
  'theirs, whose access tokens stay good. It returns false if the account was given another password, locked or '
  'disabled meanwhile, or the session has ended. Links for a reset stay good, because mail outranks a session. It '
  'locks the person before the sessions. The API calls it.';
comment on function rename_person(uuid, text, timestamptz, text, text) is
  'Sign-in: Gives a person another name and records it in the audit logs of their tenants; the same name again '
  'changes nothing. It locks the person. The API calls it.';
comment on function describe_person(uuid) is
  'Sign-in: Returns what a signed-in person may know of themselves: one row for each active tenant to which they '
  'belong, or one row without a tenant. No row means that there is no such person. The API calls it, also to see '
  'whether those who invite have confirmed their addresses.';
comment on function keep_one_time_token(bytea, text, uuid, jsonb, timestamptz, timestamptz) is
  'Sign-in: Keeps the hash of a token that works once, with its purpose, person, details and end, and on the '
  'occasion deletes up to 20 tokens that ended more than a day ago. The API calls it for sign-ins at a provider and '
  'identities to link, and so do begin_email_verification and begin_password_reset.';
comment on function take_one_time_token(bytea, text, timestamptz) is
  'Sign-in: Marks a one-time token as used and returns its person and details. No row means that there is none of '
  'this purpose, that it was used, or that it is too late. The API calls it when somebody comes back from an '
  'identity provider, and so do verify_email and reset_password.';
comment on function begin_email_verification(uuid, bytea, timestamptz, timestamptz) is
  'Sign-in: Keeps a token that confirms a person''s address, makes earlier ones worthless, and returns the address '
  'and name to which the mail goes. It returns no row if the address is confirmed, the account is disabled, or five '
  'such mails were asked for within a day. It locks the person. The API calls it.';
comment on function verify_email(bytea, timestamptz, text, text) is
  'Sign-in: Uses up a token from a mail and notes that its person''s address is confirmed. It returns false if the '
  'token is worth nothing. The API calls it when the link of the mail is followed.';
comment on function begin_password_reset(text, bytea, timestamptz, timestamptz) is
  'Sign-in: Keeps a token that resets the password of the person with this address, and returns the address and '
  'name to which the mail goes. It returns no row if nobody has the address, the account is disabled, or five such '
  'mails were asked for within a day and one of their links is still good. It locks the person. The API calls it '
  'for whoever forgot a password.';
comment on function reset_password(bytea, text, timestamptz, text, text) is
  'Sign-in: Sets another password for the person to whom the token was mailed, ends all their sessions and makes '
  'every other link of a reset worthless. It returns false if the token is worth nothing. The mail proves the '
  'address: if that was not confirmed before, linked identities are removed and reclaim_tenants rids the person''s '
  'tenants of strangers. It locks the person before the token. The API calls it.';
comment on function reclaim_tenants(uuid, timestamptz, text, text) is
  'Sign-in: Rids the tenants that a person founded of what somebody may have left there who opened the account '
  'under the person''s address. Where the person is still an active owner, it revokes API keys, removes the other '
  'members, the webhooks with their secrets, and the mail settings; elsewhere it removes the person. Each removal '
  'goes into the audit log. It locks each tenant in the order of their ids. reset_password calls it the first time '
  'that an address is proven.';
comment on function address_of_token(bytea, timestamptz) is
  'Sign-in: Returns the address to which a token of a mail was sent, be it for a reset of the password or for an '
  'invitation, or null if the token is worth nothing. The API calls it before it judges the new password.';
comment on function found_tenant(uuid, text, uuid, uuid, text, timestamptz, text, text) is
  'Sign-in: Creates a tenant that a person owns, with the line tenant.founded in its audit log. sign_up, '
  'sign_up_with_identity and found_own_tenant call it.';
comment on function found_own_tenant(uuid, uuid, text, uuid, integer, timestamptz, text, text) is
  'Sign-in: Creates a further tenant for a person and returns founded, or unconfirmed if the person''s address is '
  'not confirmed, or too_many if they own p_limit tenants already. It locks the person, so that two requests at '
  'once are counted one after the other. The API calls it.';
comment on function set_person_disabled(text, boolean, timestamptz) is
  'Sign-in: Closes the account with this address, or opens it again; either way all sessions and access tokens end '
  'at once and the person''s tenants find it in their audit logs. It returns false if nobody has the address. Only '
  'the operator may call it, as the owner of the schema.';
comment on function accept_invitation(bytea, uuid, text, text, timestamptz, text, text) is
  'Members: Makes the reader of an invitation''s mail a member: the signed-in person who has the invited address, '
  'or a new person if a password hash is given. The outcome is accepted, unknown (no such invitation, or too late), '
  'other_person (another address), or sign_in_required (the address has an account). It locks the invitation. The '
  'API calls it.';
comment on function look_at_invitation(bytea, timestamptz) is
  'Members: Returns what the token of an invitation would let its reader accept: tenant, address, role, end, and '
  'whether the address has an account. No row means that accept_invitation would not know it either. The API calls '
  'it.';
comment on function member_cards(uuid) is
  'Members: Returns the members of the current tenant with what the tenant may know of each person. For somebody '
  'who is invited and has not accepted, that is the address and nothing else, whether or not an account has it. It '
  'returns no row for any other tenant. The API calls it.';
comment on function set_platform_admin(text, boolean, timestamptz) is
  'Platform: Makes the person with this address an administrator of the platform, or no longer. It returns false if '
  'nobody has the address, or if it is not confirmed and the right is to be given. Only the operator may call it, '
  'as the owner of the schema.';
comment on function require_platform_admin(uuid) is
  'Platform: Raises SE130 unless the person is an administrator of the platform whose account is not disabled. The '
  'functions of the platform call it first, and the API does before an act on an issuer in an administrator''s '
  'name.';
comment on function platform_tenants(uuid, integer, integer) is
  'Platform: Returns a page of all tenants, newest first, with their total number; a page without tenants is one '
  'row that holds only the total. It raises SE130 if the caller is no administrator of the platform. The API calls '
  'it.';
comment on function platform_create_tenant(uuid, uuid, text, uuid, text, bytea, timestamptz, timestamptz, jsonb) is
  'Platform: Creates a tenant whose owner is invited by mail, with a line in its audit log. It raises SE130 if the '
  'caller is no administrator of the platform. The API calls it.';
comment on function platform_set_tenant_active(uuid, uuid, boolean, jsonb) is
  'Platform: Closes a tenant to everybody but the platform, or opens it again, and returns it; no row means that '
  'there is none. The line of the audit log is written only if something changed. It raises SE130 if the caller is '
  'no administrator of the platform. The API calls it.';
comment on function enter_tenant(uuid, uuid, uuid, timestamptz, text, text) is
  'Platform: Writes into a tenant''s audit log that an administrator of the platform works in it, once an hour for '
  'each session. It returns false if there is no such tenant or the session is no administrator''s. The API calls '
  'it for each request in which an administrator names a tenant.';
comment on function claim_ruc(text, text, uuid, uuid, timestamptz) is
  'Issuers: Claims a RUC of an environment for an issuer whose certificate names it, and returns whether the issuer '
  'holds the claim now. Another holder loses it only if they have no active certificate that is still valid, or '
  'have neither had a document authorized nor claimed it within the last day; if the claimant has proven the RUC, '
  'that day counts for nothing. A tenant from which an operator took the claim gets false. It raises 42501 outside '
  'the claimant''s own tenant, and locks the row of the claim. The API calls it when a certificate is uploaded or '
  'activated.';
comment on function release_ruc(uuid, uuid) is
  'Issuers: Opens the claims of an issuer that is being removed, and keeps who held them since when and who is '
  'barred. It raises 42501 outside the issuer''s own tenant. The API calls it, before the issuer''s certificates '
  'are deleted.';
comment on function has_proven_ruc(uuid, uuid, text) is
  'Issuers: Returns true if the SRI has ever authorized a document of an issuer in an environment: the SRI knows '
  'for whom a certificate was issued, so nobody else gets that far. claim_ruc calls it.';
comment on function end_ruc_claim(verified_rucs, text, timestamptz) is
  'Issuers: Takes the claim on a RUC from its holder: the issuer''s certificate is no longer active and the '
  'tenant''s audit log says why. claim_ruc and take_ruc_claim call it, under the lock on the claim.';
comment on function take_ruc_claim(text, text, timestamptz) is
  'Issuers: Takes the claim on a RUC from whoever holds it and bars that tenant until lift_ruc_bars. It returns '
  'false if nobody holds the claim. Only the operator may call it, as the owner of the schema, having seen on paper '
  'whose the RUC is.';
comment on function lift_ruc_bars(text, text) is
  'Issuers: Lets every tenant from which a RUC was taken claim it again, and returns how many those are; null means '
  'that nobody ever claimed it. It locks the row of the claim. Only the operator may call it, as the owner of the '
  'schema.';
comment on function certificate_told(uuid, uuid, integer) is
  'Issuers: Returns what an event carries of a certificate: {certificate: ...} with the number of days that were '
  'left when the event was due. notice_certificates calls it.';
comment on function notice_certificates(timestamptz) is
  'Issuers: Writes the event certificate.expiring, or certificate.expired, for each active certificate whose end '
  'has come within 30, 15, 7 or 1 days or has passed, once for each of these thresholds and only for active issuers '
  'of active tenants. It returns how many it wrote. The worker calls it at intervals.';
comment on function sealed_keys_after(uuid, uuid, integer) is
  'Issuers: Returns up to p_limit sealed private keys, in the order of tenant and id, that come after the given '
  'place; revoked certificates are left out. Only the operator may call it, through `npm run rotate-master-key`.';
comment on function replace_sealed_key(uuid, uuid, bytea, bytea) is
  'Issuers: Puts a sealed private key in the place of the one that was read, and returns false if that one is no '
  'longer there. Only the operator may call it, through `npm run rotate-master-key`.';
comment on function notice_low_sequences(integer[], timestamptz) is
  'Numbers: Writes the event sequence.low for counters that have fewer numbers left than a threshold, once for each '
  'threshold, and only for the lowest if several are passed at once. It returns how many it wrote. The worker calls '
  'it at intervals.';
comment on function take_number(uuid, documents, jsonb, text) is
  'Numbers: Takes the next number of an emission point for a type of document and returns it with its access key. '
  'It raises SE001 if the numbers are used up and SE005 if the emission point is gone or inactive. The row of the '
  'counter stays locked until the commit, so nothing may be waited for after this call. issue_document and '
  'issue_draft call it.';
comment on function access_key_check_digit(text) is
  'Numbers: Returns the last digit of an access key: modulo 11 over the 48 digits before it, with the weights 2 to '
  '7 from the right, where 11 gives 0 and 10 gives 1. build_access_key calls it.';
comment on function build_access_key(date, text, text, text, text, text, integer, text) is
  'Numbers: Returns the access key of 49 digits that the SRI prescribes: date, type, RUC, environment, '
  'establishment, emission point, number, numeric code, kind of emission and check digit. take_number and '
  'correct_document call it.';
comment on function issuing_context(uuid, uuid, uuid, uuid, text) is
  'Issuing: Returns in one round trip what the checks before issuing must know of issuer, establishment, emission '
  'point and active certificate (null if one of the first three is not there), and what the issuer''s idempotency '
  'key was used for (null if it is new). The API calls it before it issues a document or stores a draft.';
comment on function last_look(uuid, uuid, uuid, timestamptz) is
  'Issuing: Looks once more, in the transaction that takes a number, at what the checks saw before. It raises SE002 '
  'if the credential has ended, SE003 if the issuer is disabled, SE009 if it has no active certificate, and SE004 '
  'if that one has expired. issue_document and store_checked call it.';
comment on function issue_document(uuid, uuid, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, text, text) is
  'Issuing: Takes a number and stores a document with its access key, content, history and due work, all or '
  'nothing. The outcome is accepted, in_line (an earlier number of the same emission point and type is still to be '
  'sent, so the relay takes it up in its turn), or replayed with the first answer if the idempotency key was used. '
  'It raises SE001 to SE005 and SE009 as last_look and take_number do, and SE006 and SE007 as reserve_credit does. '
  'It waits for another request with the same key before it takes a number. The API calls it.';
comment on function begin_work(documents, integer, boolean, timestamptz) is
  'Issuing: Writes the due work of a document that has just been given a number, or that was corrected: its first '
  'step is `prepare`. It counts as announced, because the API rings the bell itself after the commit. issue_draft '
  'and correct_document call it.';
comment on function apply_header(documents, jsonb) is
  'Drafts and corrections: Returns a document with the columns that its content determines (parties, date, totals, '
  'modified document) replaced, and its idempotency key kept. Nothing is stored. update_draft, store_checked and '
  'restore_content call it.';
comment on function lock_document(uuid, uuid, text, integer) is
  'Drafts and corrections: Locks a document and returns it, or raises SE110 if it is no longer in this status at '
  'this version. update_draft, delete_draft, issue_draft and correct_document call it first.';
comment on function store_content(documents, jsonb, jsonb, jsonb, timestamptz) is
  'Drafts and corrections: Stores the content of a locked document as a further revision, with the columns that '
  'come from it. update_draft and store_checked call it.';
comment on function store_checked(documents, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Stores the checked content of a draft or refused document that is about to go out, and '
  'returns the document. It raises SE002, SE003, SE004 and SE009 as last_look does, and for credit notes SE006 and '
  'SE007 as reserve_credit does. issue_draft and correct_document call it, under the lock on the document.';
comment on function create_draft(uuid, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, text, text, text) is
  'Drafts and corrections: Stores a draft once for each idempotency key. The outcome is accepted, or replayed with '
  'the first answer if the issuer''s key was used; the operation is `draft` or `credit_note:` with the id of the '
  'original. The API calls it.';
comment on function update_draft(uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Puts other content into a draft and returns its new version, which grows so that '
  'concurrent edits are seen. It raises SE110 if the draft is no longer at the version that was read. The API calls '
  'it.';
comment on function delete_draft(uuid, uuid, integer) is
  'Drafts and corrections: Deletes a draft with its contents and history; its idempotency key stays used. It raises '
  'SE110 if the draft is no longer at the version that was read. The API calls it.';
comment on function issue_draft(uuid, uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Issues a draft with the content as it was checked: it takes a number, writes history and '
  'due work, and returns the access key. It raises SE110 if the draft is no longer at the version that was read, '
  'SE001 and SE005 as take_number does, and SE002, SE003, SE004, SE006, SE007 and SE009 as store_checked does. The '
  'API calls it.';
comment on function correct_document(uuid, uuid, uuid, integer, timestamptz, jsonb, jsonb, jsonb, jsonb) is
  'Drafts and corrections: Puts other content under the number of a document that the SRI refused, sends it on its '
  'way again, and returns the access key. A new date makes a new access key, which is legal only while the SRI has '
  'stored nothing under the old one; the API, which calls it, sees to that. It raises SE110 if the document is no '
  'longer refused at the version that was read, and SE002, SE003, SE004, SE006, SE007 and SE009 as store_checked '
  'does.';
comment on function advance_document(uuid, uuid, text, integer, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, jsonb, bytea) is
  'Lifecycle: Writes one decision about a document: its moves, columns, history, events, due work, and the rows of '
  'signing, exchange with the SRI, authorization and pause that belong to it. It returns the new version, and '
  'whether the next number of the emission point was woken because this one has been sent. It raises SE110, and '
  'writes nothing, if status, version or (given p_token) lease are no longer those that were read; the triggers of '
  'documents raise SE100 and SE101 for a wrong move, SE006 and SE007 for a credit note that is taken up again, and '
  'SE008 for a request to annul what was credited. It locks the document, then its due work; a document that parks '
  'for want of a certificate also locks its issuer for share, so that an activation under way is not missed. The '
  'worker calls it for each step, and the API for acts of callers.';
comment on function load_document(uuid, uuid) is
  'Lifecycle: Returns all that a step must know of a document in one row: the document, its content and issuer, its '
  'signings, the current signed bytes, and the certificates; no row if there is no such document. The worker calls '
  'it together with claim_step, and the API before an act on the document.';
comment on function restore_content(uuid, uuid, integer, integer, text, jsonb, jsonb) is
  'Lifecycle: Makes the content that an earlier signing carried current again, under the access key with which it '
  'was signed, and returns true. It raises SE110 if the document is no longer at this version. p_columns says which '
  'column holds which property of the content. It locks the document. It is called together with advance_document '
  'when the SRI turns out to have authorized what a correction had replaced.';
comment on function guard_document() is
  'Lifecycle: Trigger of documents before every insert and update: raises SE100 if a document begins in a status '
  'other than DRAFT or NUMBER_RESERVED, or makes a move that document_moves does not hold or that passes through a '
  'state in which documents rest, and SE101 if its identity or number changes or the version does not grow by one '
  'with each move. Several moves in one update are named in the setting sello.path, and each is checked.';
comment on function guard_draft_deletion() is
  'Lifecycle: Trigger of documents before every delete: raises SE100 unless the document is a draft, or '
  'sello_worker, as which the operator''s retention runs, deletes one that is past its seven years.';
comment on function guard_draft_part_deletion() is
  'Lifecycle: Trigger of document_contents and document_history before every delete: raises SE100 unless the '
  'document is a draft, or sello_worker, as which the operator''s retention runs, deletes parts of one that is past '
  'its seven years.';
comment on function is_moving(text) is
  'Lifecycle: Returns true for the states that documents leave by themselves, which is `isMoving` of the lifecycle '
  'table in the code. list_document and guard_document call it.';
comment on function document_outcome(uuid, uuid, uuid, timestamptz) is
  'Lifecycle: Returns how a document stands, and whether the caller''s credential still does; no row if there is no '
  'such document. The API calls it again and again for a caller who waits for the SRI''s verdict.';
comment on function resume_parked_documents() is
  'Lifecycle: Trigger of certificates after the insert or activation of an active one: makes the documents of its '
  'issuer due for signing that were parked for want of a certificate, also those that were sent before and are '
  'compared with the SRI daily meanwhile.';
comment on function credit_left(uuid, uuid, uuid) is
  'Credit notes: Returns how much an invoice has left to credit: its total without the credit notes that were '
  'issued for it, but for p_except. Notes that were given up or annulled do not count. It returns null if there is '
  'no such document. The API calls it for its checks, and reserve_credit does under its lock.';
comment on function reserve_credit(uuid, uuid, uuid, numeric) is
  'Credit notes: Holds a credit note''s total against what its invoice has left. It raises SE006 unless the invoice '
  'is AUTHORIZED, and SE007, with the balance in the detail, if the total exceeds it. It locks the invoice, so that '
  'concurrent credit notes are judged one after the other. issue_document, store_checked and reserve_credit_again '
  'call it.';
comment on function reserve_credit_again() is
  'Credit notes: Trigger of documents after a credit note that had failed for good is taken up again: holds its '
  'total against the balance of the invoice once more, and raises SE006 or SE007 as reserve_credit does.';
comment on function refuse_credited_cancellation() is
  'Credit notes: Trigger of documents before an authorized document is asked to be annulled: raises SE008 if credit '
  'notes were issued for it that have not come to nothing. It runs under the document''s lock, which credit notes '
  'take too.';
comment on function settle_credited_original() is
  'Credit notes: Trigger of documents after a credit note is authorized or annulled: makes the invoice VOIDED_BY_NC '
  'once its credit notes add up to its total, or AUTHORIZED again once they no longer do, with history and event. '
  'It locks the invoice.';
comment on function settle_kept_original() is
  'Credit notes: Trigger of documents, deferred to the commit, after an invoice whose annulment came to nothing is '
  'AUTHORIZED again: makes it VOIDED_BY_NC, with history and event, if the credit notes that stand add up to its '
  'total.';
comment on function is_ready(outbox, timestamptz, interval) is
  'Due work: Returns true if the bell is to be rung for a row of due work now: it is due, nobody holds it, and it '
  'was not announced within p_patience. announce_going_round and ready_of_tenants call it.';
comment on function unsent_predecessor(uuid, uuid, text, integer) is
  'Due work: Returns the nearest earlier document of the same emission point and type that still waits to be sent '
  'for the first time, or null. Parked documents, which are due at infinity, let others pass. claim_step, '
  'clear_to_send and issue_document call it.';
comment on function claim_step(uuid, uuid, uuid, timestamptz, interval) is
  'Due work: Takes or renews a worker''s lease on the due work of a document, and returns its step and how many '
  'leases were lost; no row if there is nothing for this worker to do. A submission that has to wait for an earlier '
  'number or a pause is put off for ten minutes at most, or until it is woken. It locks the row, and to be sure of '
  'being woken it locks the earlier row or the pause for share, without waiting. The worker calls it first in each '
  'step.';
comment on function clear_to_send(uuid, uuid) is
  'Due work: Returns true if a document that is about to be signed may also be sent at once: no pause holds it up '
  'and no earlier number waits to be sent. The worker calls it together with claim_step and load_document.';
comment on function announce_going_round(timestamptz, interval, integer, jsonb, uuid) is
  'Due work: Marks up to p_limit rows of due work as announced and returns them, so that the worker''s relay rings '
  'the bell for each. Where more is due, tenants take turns: the look begins after the tenant p_after, and '
  'looked_until names the one after which the next look goes on. p_places bounds how many of a step may be begun. '
  'Rows that somebody holds are skipped. The worker''s relay calls it.';
comment on function ready_of_tenants(uuid[], timestamptz, interval, integer, jsonb) is
  'Due work: Returns up to p_limit rows of due work of these tenants, who take turns with the oldest and the newest '
  'row of every step. Work ahead of its turn counts as eight rows, p_places bounds each step, and three of four '
  'rows are questions about documents that were sent, where there are as many. announce_going_round calls it.';
comment on function tenants_with_work(uuid, integer) is
  'Due work: Returns up to p_count tenants that have work, due now or later, in the order of their ids after '
  'p_after. announce_going_round calls it.';
comment on function leave_to_relay(uuid[], uuid[]) is
  'Due work: Makes work that was announced, but has not been begun, count as never announced, so that the relay '
  'takes it up in its turn. Rows that somebody holds are skipped. The API calls it for documents for which it could '
  'not ring the bell or the queue has no room, and the worker''s relay for those that it cannot begin.';
comment on function open_pauses(uuid, uuid, uuid, uuid, text) is
  'Pauses: Returns the pauses that hold up submissions of a place: each has to be resumed before a document of that '
  'issuer, establishment, emission point and type is sent. claim_step and clear_to_send call it, and the API to '
  'show why a document waits.';
comment on function scope_was_served_since(documents, text, timestamptz) is
  'Pauses: Returns true if the SRI has authorized a document of a scope since the given time, or a pause of that '
  'scope has been resumed since. Only the tenant''s newest 5000 documents are looked at. pause_scope calls it.';
comment on function pause_scope(documents, jsonb, timestamptz) is
  'Pauses: Opens a pause for the scope that the SRI blocked, with the event issuer.paused, unless one is open '
  'already. If the pause has a threshold above one, it opens only after so many documents of the emission point and '
  'type were refused in a row for the same reason; with a threshold of one, it does not open if the scope has been '
  'served since the refusal. advance_document calls it.';
comment on function end_pause(uuid, uuid, uuid, timestamptz) is
  'Pauses: Ends a pause of an issuer and returns it; one that has ended stays as it is, and no row means that there '
  'is none. The documents that waited are woken by wake_resumed afterwards. The API calls it.';
comment on function wake_resumed(uuid, uuid, timestamptz, integer) is
  'Pauses: Makes up to p_limit documents due that came to wait for a pause before it ended, and returns how many; 0 '
  'means that none is left. It locks their work in the order of their numbers, as whoever sends a document locks '
  'the next. The API calls it again and again after end_pause.';
comment on function resume_pause(uuid, uuid, uuid, timestamptz) is
  'Pauses: Ends a pause, returns it, and wakes all documents that waited for it in one statement, under locks on '
  'all work of its scope. No process of this version calls it, for end_pause and wake_resumed have taken its place; '
  'it is kept for the version before and may be dropped.';
comment on function search_form(text) is
  'Lists and counts: Returns a text as searches compare it: in lower case and without accents. list_document and '
  'documents_meant call it, and the API in its lists of buyers and documents.';
comment on function list_document() is
  'Lists and counts: Trigger of documents before every insert and update: keeps resting_status, which is null while '
  'the document moves, and buyer_search, by which lists and searches find it.';
comment on function documents_meant(text, text, text, text, uuid, text, text, date, date) is
  'Lists and counts: Returns the documents of the current tenant that somebody who types p_text may mean: by part '
  'of the buyer''s name, the buyer''s identification, the access key, or (p_series) the 15 digits of the number, '
  'narrowed as the list is. The API calls it; row security would keep a query of the API''s own from the index of '
  'names.';
comment on function utc_day(timestamptz) is
  'Lists and counts: Returns the day of a time in UTC, which is how documents are counted. count_document and the '
  'API''s lists call it.';
comment on function count_document(documents, integer) is
  'Lists and counts: Writes a change of the counts for a document that rests; while it moves, nothing is written. '
  'count_documents calls it.';
comment on function count_documents() is
  'Lists and counts: Trigger of documents after an insert, a delete, or an update of what lists count by: writes '
  'the change into document_count_changes, so that no transaction waits for a counter.';
comment on function fold_document_counts(integer) is
  'Lists and counts: Folds up to p_limit changes into document_counts, deletes them, and returns how many; several '
  'workers take different ones, because rows that somebody holds are skipped. The worker calls it at intervals.';
comment on function count_day() is
  'Lists and counts: Trigger of document_counts after every insert and update: brings the change into '
  'document_day_counts. Folding writes counts in the order of their key, so the days are locked in order too.';
comment on function learn_buyer() is
  'Buyers: Trigger of documents after one with a buyer is authorized for the first time: counts it for the buyer, '
  'and makes a profile or fills the address and e-mail that a profile lacks, unless a person has set them. A '
  'profile that lacks nothing is not locked, so documents of one buyer do not wait for each other.';
comment on function recall_taxpayer(text) is
  'Buyers: Returns what the SRI''s public registry last answered for a RUC, or no row if it was never asked. The '
  'API and verify_buyers call it.';
comment on function remember_taxpayer(text, boolean, text, text, text, text, text, timestamptz) is
  'Buyers: Keeps an answer of the SRI''s public registry for all tenants, unless a later one is kept already. The '
  'API calls it after it has asked the registry.';
comment on function ruc_of(text, text) is
  'Buyers: Returns the RUC under which the registry knows an identification: a RUC with its first establishment, or '
  'a cédula followed by 001; null for passports and foreign identifications. learn_buyer and verify_buyers call it, '
  'and the API does.';
comment on function verify_buyers(uuid, text) is
  'Buyers: Brings what the registry is known to have answered for a RUC into the tenant''s profiles of that '
  'taxpayer; what people typed stays. The API calls it, and learn_buyer does for a new profile.';
comment on function document_snapshot(uuid, uuid, integer) is
  'Events: Returns the columns of a document as the API names them, at a version or (null) as it is now; null if '
  'the document is not at that version. complete_event and event_card call it.';
comment on function complete_event() is
  'Events: Trigger of events before the insert of one without data: fills in what it carries, which is the pause '
  'for issuer.paused and else the document at its version.';
comment on function fan_out_event() is
  'Events: Trigger of events after the insert of any but a ping: writes a pending delivery and its due work for '
  'each active webhook of the tenant that listens to the kind.';
comment on function event_card(events) is
  'Events: Returns an event as its readers get it, with the content of its document beside it, from which the '
  'program makes the record. events_after and begin_attempt call it.';
comment on function events_after(uuid, uuid, timestamptz, xid8, bigint, text, uuid, integer, integer) is
  'Events: Returns the events after a place, oldest first, with the place of the last one that was looked at, '
  'whether there is more, and whether the caller''s credential still stands. It shows only what is older than every '
  'open transaction, so nothing appears before a place later. A null place is the present. No more than p_scan rows '
  'are looked at. The API calls it for lists and streams of events.';
comment on function events_behind(uuid[], xid8[], bigint[], uuid[]) is
  'Events: Returns for each given place of a tenant whether an event is shown after it, of one document or (null) '
  'of any. The API calls it for all streams that wait, in one statement.';
comment on function current_lineage() is
  'Events: Returns the name of the database''s present life, or an empty text in its first. The API puts it into '
  'the places in the order of events that it gives to callers.';
comment on function settle_restored_events() is
  'Events: Gives all restored events a place before all that the cluster has done, so that their positions '
  'determine their order, and returns how many it changed; it does so only if one of them lies above the cluster''s '
  'transactions. `npm run migrate`, `npm run restore` and `npm run after-restore` call it as the owner of the '
  'schema.';
comment on function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) is
  'Webhooks: Leases up to p_limit due deliveries to a worker and returns them with the place after which the next '
  'claim goes on; null means that everything due was looked at. Tenants and addresses take turns: a tenant has a '
  'quarter of the room at most and an address p_per_webhook deliveries under way, but addresses whose latest '
  'attempt failed have an eighth and one delivery each. It holds an advisory lock until the commit, so one worker '
  'claims at a time. The worker calls it.';
comment on function begin_attempt(uuid, uuid, uuid, timestamptz) is
  'Webhooks: Begins an attempt at a leased delivery, counts it, and returns the address, secrets, event and number '
  'of the attempt. It returns no row if the lease was lost, and if the webhook is switched off or removed: then the '
  'delivery is put aside or ends as failed. It locks the work, then the delivery. The worker calls it.';
comment on function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) is
  'Webhooks: Writes how an attempt ended and when the next one is due; null means never. A delivery that ran out of '
  'attempts gets one more if the webhook''s address was changed meanwhile. A webhook that answered 410, or has '
  'failed for p_patience, is switched off with the event webhook.disabled. If the lease was lost, only the attempt '
  'itself is written. It locks the work. The worker calls it.';
comment on function restart_delivery(uuid, uuid, uuid, uuid, timestamptz) is
  'Webhooks: Makes a delivery due at once and lets it run through the whole schedule again, or creates it. It '
  'raises SE140 from the 21st time within an hour; the detail holds the limit, its window, and after how many '
  'seconds it may be sent again. The API calls it for a test and for a delivery that is sent again, and so does '
  'replay_events.';
comment on function delivery_of_event(uuid, uuid, uuid) is
  'Webhooks: Returns the delivery of an event to a webhook, or null if there is none. replay_events calls it.';
comment on function replay_events(uuid, uuid, timestamptz, timestamptz, text[], timestamptz, integer) is
  'Webhooks: Sends the events of a span of time to a webhook again, and returns how many, of which there may be one '
  'more than p_limit: then the API, which calls it, undoes them all. It raises SE140 as restart_delivery does.';
comment on function resume_some_deliveries(uuid, uuid, timestamptz, integer) is
  'Webhooks: Makes up to p_limit deliveries due that wait for a webhook that was switched off, and returns how '
  'many; 0 means that none is left. It waits for attempts under way, which put their delivery aside once they have '
  'seen the webhook switched off. The API calls it again and again after it has committed that the webhook is on.';
comment on function resume_deliveries(uuid, uuid, timestamptz) is
  'Webhooks: Makes all deliveries due that wait for a webhook that was switched off, in one statement and under '
  'locks on their work. No process of this version calls it, for resume_some_deliveries has taken its place; it is '
  'kept for the version before and may be dropped.';
comment on function sealed_webhook_secrets_after(uuid, uuid, integer) is
  'Webhooks: Returns up to p_limit sealed secrets of webhooks, in the order of tenant and id, that come after the '
  'given place. Only the operator may call it, through `npm run rotate-master-key`.';
comment on function replace_sealed_webhook_secret(uuid, uuid, bytea, bytea) is
  'Webhooks: Puts a sealed secret of a webhook in the place of the one that was read, and returns false if that one '
  'is no longer there. Only the operator may call it, through `npm run rotate-master-key`.';
comment on function queue_buyer_mail() is
  'Mails: Trigger of documents after one is authorized for the first time and has an e-mail address: queues the '
  'mail to the buyer, which commits with the authorization, unless the issuer or the document says otherwise.';
comment on function queue_notice() is
  'Mails: Trigger of events after one that the owners and administrators of a tenant are mailed about: makes the '
  'notice due. It acts as sello_worker, so that whoever writes the event needs no right to the mails.';
comment on function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) is
  'Mails: Leases up to p_limit due mails and notices to a worker and returns them with the tenant after which the '
  'next claim goes on; null means that everything due was looked at. Tenants take turns, so that one tenant''s '
  'month-end does not hold up another''s mail. Rows that somebody holds are skipped. The worker calls it.';
comment on function hold_mail(uuid, uuid, uuid, timestamptz) is
  'Mails: Holds a leased mail until p_until and returns false if the lease was lost. The worker calls it before it '
  'sends a mail whose writing took long.';
comment on function settle_mail(uuid, uuid, uuid, timestamptz, text, text, text, timestamptz) is
  'Mails: Writes how a mail stands after an attempt and when it is due again; null means never. It returns false, '
  'and writes nothing, if the lease was lost. It locks the due work before the mail. The worker calls it.';
comment on function mail_of_document(uuid, uuid) is
  'Mails: Returns a queued mail with its document, the content and issuer as they were issued, and the tenant''s '
  'mail settings; no row if there is no such mail or it carries no document. The worker calls it to write the mail.';
comment on function bounce_mail(uuid, text, timestamptz) is
  'Mails: Notes that a mail came back after it had been accepted, and ends its due work. It returns null if there '
  'is no such mail and false if it was known to have bounced. It locks the due work before the mail. The operator '
  'calls it, through `npm run mail-bounce`.';
comment on function is_past_keeping(date) is
  'Retention: Returns true if the law lets a document of this date of issue go, which is after seven years in '
  'Guayaquil; no setting makes it less. The guards of deletions and remove_archived_documents call it.';
comment on function is_settled(documents) is
  'Retention: Returns true if a document is no draft, rests, and has no due work, so nothing more happens to it. '
  'documents_past_keeping and remove_archived_documents call it.';
comment on function months_past_keeping(date) is
  'Retention: Returns the months in which tenants issued documents before a day, youngest first so that a credit '
  'note goes before what it credits, with their number and the days of creation between which they lie. Only the '
  'operator may call it, through `npm run retention`.';
comment on function documents_past_keeping(uuid, date, date, date, date, timestamptz, uuid, integer) is
  'Retention: Returns up to p_limit settled documents of one month, in the order of their creation, with all that '
  'is known of each but its XML. Only the operator may call it, through `npm run retention`, to archive them.';
comment on function document_papers(uuid, uuid[]) is
  'Retention: Returns the signed XML and the authorizations of documents, gzip as they are stored. Only the '
  'operator may call it, through `npm run retention`, to archive them.';
comment on function remove_archived_documents(uuid, uuid[], integer[], date, timestamptz) is
  'Retention: Removes documents that were archived at these versions with all that hangs on them, keeps their '
  'numbers in archived_numbers, and returns how many. Documents that changed since, have work or are still referred '
  'to stay. It raises 22023 if the day lies within the seven years, and 40001 if a document changed while it was '
  'removed. Only the operator may call it, through `npm run retention`.';
comment on function rows_past_keeping(text, timestamptz, bigint, bigint, boolean) is
  'Retention: Counts, and with p_remove deletes, the deliveries, events, mails or lines of the audit log older than '
  'p_before that lie on a range of their table''s pages. It raises 22023 for another kind, or if p_before lies '
  'within the shortest time for which the kind is kept: 7 days for deliveries, 30 for events and mails, 365 for the '
  'audit log. Only the operator may call it, through `npm run retention`.';
comment on function sign_ins_past_keeping(text, timestamptz, bigint, bigint, boolean) is
  'Retention: Counts, and with p_remove deletes, the sessions that ended, with their refresh tokens, or the '
  'one-time links that expired before p_before and that lie on a range of their table''s pages. It raises 22023 for '
  'another kind, or if p_before lies within the last day. Only the operator may call it, through `npm run '
  'retention`.';
comment on function begin_new_life(text, text[], integer, text, timestamptz) is
  'Lives of the database: Names the life that begins after a restore and raises the counter of every emission point '
  'and type by p_skip numbers at least, and by more where many were issued lately, because the SRI may know numbers '
  'that the database has lost. It returns the raised counters, which also stand in sequence_raises and the audit '
  'logs; with a p_skip of 0 none is raised. Only the operator may call it, through `npm run restore` and `npm run '
  'after-restore`.';
comment on function life_of_database() is
  'Lives of the database: Returns the id of the database with the name of its present life, or null before a '
  'process was first started on it. Each API and worker process calls it at its start and every few seconds, and so '
  'does beat_of_life.';
comment on function beat_of_life(bigint) is
  'Lives of the database: Raises the count of beats, at most once in four seconds over all processes and not if '
  'more beats were seen than there are, and returns it with the name of the database''s life. It waits for the '
  'disk, for Redis remembers the count. Each API and worker process calls it every few seconds and ends if the '
  'database went back to an earlier point.';
comment on function beat() is
  'Observing: Notes the time of the primary''s last sign of life, at most once a second over all processes. Each '
  'process that reads from a replica calls it on the primary every two seconds.';
comment on function seconds_since_beat() is
  'Observing: Returns how many seconds ago the primary gave the last sign of life that is known here, or null if '
  'there was none. Each process that reads from a replica calls it there, to see how far the replica lags.';
comment on function moving_documents(integer) is
  'Observing: Returns how many documents are on their way to a verdict, by status, and counts no more than p_limit. '
  'The worker calls it for its metrics.';
comment on function work_ages(timestamptz, integer) is
  'Observing: Returns since when the oldest due work of each kind waits, and the oldest that was not announced. '
  'Where much is due, only p_places steps of tenants are looked at, others each time, so that the cost has a bound. '
  'Webhooks that fail do not count unless nothing else is found. The worker calls it for its metrics.';
