-- Certificate events keep what they tell, as other events do: they outlive the certificate they are about.
create or replace function notice_certificates(p_now timestamptz) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  written integer;
begin
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
end $$;

-- What an event tells of a certificate.
create function certificate_told(p_tenant uuid, p_certificate uuid, p_threshold integer) returns jsonb
  language sql stable as $$
  select jsonb_build_object('certificate', jsonb_build_object(
    'id', c.id, 'issuer_id', c.issuer_id, 'subject', c.subject, 'issuer_name', c.issuer_name, 'serial_number', c.serial_number, 'ruc', c.ruc,
    'valid_from', c.valid_from, 'valid_to', c.valid_to, 'fingerprint_sha256', c.fingerprint_sha256, 'threshold_days', p_threshold))
  from certificates c where c.tenant_id = p_tenant and c.id = p_certificate
$$;
grant select (subject, issuer_name, serial_number, ruc, valid_from, fingerprint_sha256) on certificates to sello_worker;

update events e set data = certificate_told(n.tenant_id, n.certificate_id, n.threshold)
from certificate_notices n
where n.tenant_id = e.tenant_id and n.event_id = e.id and e.data is null and e.type in ('certificate.expiring', 'certificate.expired');

-- Confirmation mails go to an address that somebody typed: at most five a day for each account.
create or replace function begin_email_verification(p_user uuid, p_hash bytea, p_expires timestamptz, p_now timestamptz)
  returns table (email text, name text)
  language plpgsql security definer set search_path = sello, pg_temp as $$
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
end $$;
