-- A delivery that is sent again while it is being removed stays, and its attempts with it.
create or replace function rows_past_keeping(p_kind text, p_before timestamptz, p_from bigint, p_to bigint, p_remove boolean) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
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
end $$;

-- Work whose delivery was removed in that moment by an earlier version ends here; it was leased again and again.
create or replace function begin_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz)
  returns table (webhook_id uuid, url text, secrets jsonb, event jsonb, number integer, round integer)
  language plpgsql as $$
declare
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
  e events%rowtype;
begin
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
  update webhook_deliveries x set attempts = x.attempts + 1, round = x.round + 1 where x.tenant_id = p_tenant and x.id = p_delivery returning * into d;
  insert into webhook_attempts (tenant_id, delivery_id, number, started_at, url_version) values (p_tenant, p_delivery, d.attempts, p_now, k.url_version);
  return query
  select k.id, k.url,
    (select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed_secret, 'base64')) order by s.expires_at nulls first)
     from webhook_secrets s where s.tenant_id = p_tenant and s.webhook_id = k.id and (s.expires_at is null or s.expires_at > p_now)),
    event_card(e), d.attempts, d.round;
end $$;
alter function begin_attempt(uuid, uuid, uuid, timestamptz) set enable_seqscan = off;
