drop function bounce_mail(uuid, text, timestamptz);

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

grant create on schema sello to sello_worker;
alter function bounce_mail(uuid, text, timestamptz) owner to sello_worker;
revoke create on schema sello from sello_worker;
revoke execute on function bounce_mail(uuid, text, timestamptz) from public;
grant execute on function bounce_mail(uuid, text, timestamptz) to sello_app;

alter table mails drop constraint mails_tell_events;
alter table mails drop column event_ids;
