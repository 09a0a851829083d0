-- What mails of a tenant say and look like. No row: the defaults.
create table mail_settings (
  tenant_id uuid primary key references tenants (id),
  language text not null default 'es' check (language in ('es', 'en')),
  -- Null: the issuer's name.
  sender_name text,
  reply_to text,
  -- Texts with placeholders; null: the service's own.
  subject text,
  message text,
  updated_at timestamptz not null
);
call isolate_tenant_table('mail_settings');
grant select, insert, update on mail_settings to sello_app;

-- Whether the buyers of an issuer are sent what was authorized.
alter table issuers add column email_buyers boolean not null default true;

-- Every mail to one person and what became of it: a document to its buyer or to whom somebody chose, news to an admin.
create table mails (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  cause text not null check (cause in ('authorized', 'requested', 'notice')),
  document_id uuid,
  -- What an admin is told of; events may be cleared away before their mails are.
  event_id uuid,
  -- Type of that event.
  notice text,
  recipient text not null,
  language text not null check (language in ('es', 'en')),
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'bounced')),
  attempts integer not null default 0,
  -- Why it is not sent, or why it came back.
  failure text,
  message_id text,
  -- User or API key that asked for it; null where nobody did.
  requested_by uuid,
  created_at timestamptz not null,
  sent_at timestamptz,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  check (num_nonnulls(document_id, event_id) = 1),
  check ((cause = 'notice') = (event_id is not null and notice is not null))
);
-- Authorization mails a document once, whatever becomes of it later.
create unique index mails_once_authorized on mails (tenant_id, document_id) where cause = 'authorized';
create unique index mails_once_per_admin on mails (tenant_id, event_id, recipient) where cause = 'notice';
create index mails_of_document on mails (tenant_id, document_id, created_at desc, id) where document_id is not null;
create index mails_of_notice on mails (tenant_id, notice, created_at) where notice is not null;
-- A bounce names the mail alone.
create index mails_bounced on mails (id);
call isolate_tenant_table('mails');
create policy worker_bounces on mails to sello_worker using (true) with check (true);
grant select, insert, update on mails to sello_app;
grant select, update (status, failure, updated_at) on mails to sello_worker;

-- Mails that are due, and events that admins are to be mailed about. Crosses tenants, so it holds only ids and due times;
-- only the functions below, owned by sello_worker, walk it. Whoever claims a row moves its due time behind the lease.
create table mail_outbox (
  tenant_id uuid not null,
  -- Of the mail or of the event.
  id uuid not null,
  kind text not null check (kind in ('mail', 'notice')),
  due_at timestamptz not null,
  lease_token uuid,
  primary key (tenant_id, id)
) with (fillfactor = 50);
create index mail_outbox_due on mail_outbox (due_at);
create index mail_outbox_in_turns on mail_outbox (tenant_id, due_at);
alter table mail_outbox enable row level security;
alter table mail_outbox force row level security;
create policy tenant_isolation on mail_outbox to sello_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy worker_walks on mail_outbox to sello_worker using (true) with check (true);
grant select, insert, update, delete on mail_outbox to sello_app;
grant select, insert, update, delete on mail_outbox to sello_worker;

-- Takes up to p_limit due rows under a token, tenants taking turns: one tenant's month-end does not hold up another's
-- mail. Where there is less room than a turn takes, chance decides who is first. Tenants are found through the index.
create function claim_mails(p_token uuid, p_now timestamptz, p_lease interval, p_limit integer)
  returns table (tenant_id uuid, id uuid, kind text)
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if not exists (select from mail_outbox o where o.due_at <= p_now) then
    return;
  end if;
  -- A lease forgotten by a crash of the server means a mail that is sent twice, as any crash may: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  update mail_outbox o set due_at = p_now + p_lease, lease_token = p_token
  from (
    with recursive tenants as (
      (select w.tenant_id from mail_outbox w order by w.tenant_id limit 1)
      union all
      select (select w.tenant_id from mail_outbox w where w.tenant_id > t.tenant_id order by w.tenant_id limit 1)
      from tenants t where t.tenant_id is not null
    ), turns as (
      select t.tenant_id, mine.id, row_number() over (partition by t.tenant_id order by mine.due_at) as turn,
        hashtext(mine.id::text || p_now::text) as chance
      from tenants t
      cross join lateral (
        select w.id, w.due_at from mail_outbox w
        where w.tenant_id = t.tenant_id and w.due_at <= p_now order by w.due_at limit p_limit
      ) mine
    ), picked as (
      select turns.tenant_id, turns.id from turns order by turns.turn, turns.chance limit p_limit
    )
    select w.tenant_id, w.id from picked join mail_outbox w on w.tenant_id = picked.tenant_id and w.id = picked.id
    where w.due_at <= p_now
    for update of w skip locked
  ) due
  where o.tenant_id = due.tenant_id and o.id = due.id
  returning o.tenant_id, o.id, o.kind;
end $$;

-- A mail that came back after it had been taken. Null: there is no such mail; false: it was known to have bounced.
create function bounce_mail(p_mail uuid, p_failure text, p_now timestamptz) returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  mail mails%rowtype;
begin
  select * into mail from mails m where m.id = p_mail for update;
  if not found then
    return null;
  end if;
  delete from mail_outbox o where o.tenant_id = mail.tenant_id and o.id = mail.id;
  update mails m set status = 'bounced', failure = p_failure, updated_at = p_now
  where m.tenant_id = mail.tenant_id and m.id = mail.id and m.status <> 'bounced';
  return found;
end $$;

-- A document that is authorized for the first time is mailed to its buyer, unless issuer or document say otherwise. The
-- mail commits with the authorization and has no say in it.
create function queue_buyer_mail() returns trigger
  language plpgsql as $$
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
    insert into mail_outbox (tenant_id, id, kind, due_at) values (new.tenant_id, mail, 'mail', new.updated_at);
  end if;
  return null;
end $$;
create trigger queue_buyer_mail after update of status on documents
  for each row when (
    new.status = 'AUTHORIZED' and old.status not in ('AUTHORIZED', 'CANCELLATION_REQUESTED', 'VOIDED_BY_NC') and new.buyer_email is not null)
  execute function queue_buyer_mail();

-- News that a tenant's owners and admins are mailed. Whoever writes the event need not see the mails.
create function queue_notice() returns trigger
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into mail_outbox (tenant_id, id, kind, due_at) values (new.tenant_id, new.id, 'notice', new.created_at);
  return null;
end $$;
create trigger queue_notice after insert on events
  for each row when (
    new.type in ('certificate.expiring', 'certificate.expired', 'sequence.low', 'issuer.paused', 'webhook.disabled', 'document.manual_review_required'))
  execute function queue_notice();

-- Handing a function over needs the right to create, which is not left behind.
grant create on schema sello to sello_worker;
alter function claim_mails(uuid, timestamptz, interval, integer) owner to sello_worker;
alter function bounce_mail(uuid, text, timestamptz) owner to sello_worker;
alter function queue_notice() owner to sello_worker;
revoke create on schema sello from sello_worker;

revoke execute on function claim_mails(uuid, timestamptz, interval, integer) from public;
revoke execute on function bounce_mail(uuid, text, timestamptz) from public;
revoke execute on function queue_notice() from public;
grant execute on function claim_mails(uuid, timestamptz, interval, integer) to sello_app;
grant execute on function bounce_mail(uuid, text, timestamptz) to sello_app;
