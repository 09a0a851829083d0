-- What sending a mail asks of the database, each in one call.

-- A mail of a document with all that is needed to write it; none: there is no such mail, or it is about no document.
create function mail_of_document(p_tenant uuid, p_mail uuid)
  returns table (
    document_id uuid, document_status text, recipient text, language text, attempts integer,
    sequential integer, access_key text, authorization_date timestamptz, content jsonb, issuer jsonb, settings jsonb)
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select d.id, d.status, m.recipient, m.language, m.attempts, d.sequential, d.access_key::text, d.authorization_date, c.content, c.issuer_snapshot, to_jsonb(s)
  from mails m
  join documents d on d.tenant_id = m.tenant_id and d.id = m.document_id
  join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  left join mail_settings s on s.tenant_id = m.tenant_id
  where m.tenant_id = p_tenant and m.id = p_mail;
end $$;

-- Holds a claimed row until p_until; false: the lease was lost.
create function hold_mail(p_tenant uuid, p_mail uuid, p_token uuid, p_until timestamptz) returns boolean
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- Forgotten by a crash of the server, the mail is sent twice, as after any crash: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  update mail_outbox o set due_at = p_until where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  return found;
end $$;

-- How a mail stands after an attempt, and when it is due again; null: never. False: the lease was lost, nothing was written.
create function settle_mail(
  p_tenant uuid, p_mail uuid, p_token uuid, p_due_at timestamptz, p_status text, p_failure text, p_message_id text, p_now timestamptz)
  returns boolean
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if p_due_at is null then
    delete from mail_outbox o where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  else
    update mail_outbox o set due_at = p_due_at, lease_token = null where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  end if;
  if not found then return false; end if;
  update mails m set status = p_status, attempts = m.attempts + 1, failure = p_failure, message_id = coalesce(p_message_id, m.message_id),
    sent_at = case when p_status = 'sent' then p_now end, updated_at = p_now
  where m.tenant_id = p_tenant and m.id = p_mail;
  return true;
end $$;
