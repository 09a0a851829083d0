-- Which events a mail to an admin tells of, the one that gave rise to it first: neither the time at which an event became
-- visible nor the fate of another mail makes a difference then.
alter table mails add column event_ids uuid[];
-- The owner sees all tenants only while row security is not forced on it.
alter table mails no force row level security;
update mails set event_ids = array[event_id] where cause = 'notice';
alter table mails force row level security;
alter table mails add constraint mails_tell_events check ((cause = 'notice') = (event_ids is not null));

drop function bounce_mail(uuid, text, timestamptz);

-- A mail that came back after it had been taken. Null: there is no such mail; false: it was known to have bounced.
-- Due work is locked before the mail, as by whoever settles one.
create function bounce_mail(p_mail uuid, p_failure text, p_now timestamptz) returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
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
end $$;

-- Handing a function over needs the right to create, which is not left behind.
grant create on schema sello to sello_worker;
alter function bounce_mail(uuid, text, timestamptz) owner to sello_worker;
revoke create on schema sello from sello_worker;
revoke execute on function bounce_mail(uuid, text, timestamptz) from public;
grant execute on function bounce_mail(uuid, text, timestamptz) to sello_app;
