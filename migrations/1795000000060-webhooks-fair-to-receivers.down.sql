create or replace function replay_events(p_tenant uuid, p_webhook uuid, p_from timestamptz, p_to timestamptz, p_kinds text[], p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql as $$
declare
  replayed integer := 0;
  chosen record;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  for chosen in
    select e.id as event_id, coalesce(d.id, gen_random_uuid()) as delivery_id
    from events e left join webhook_deliveries d on d.tenant_id = e.tenant_id and d.webhook_id = p_webhook and d.event_id = e.id
    where e.tenant_id = p_tenant and e.created_at >= p_from and e.created_at < p_to and e.type <> 'ping' and (p_kinds is null or e.type = any (p_kinds))
    order by e.xid, e.position limit p_limit + 1
  loop
    perform restart_delivery(p_tenant, chosen.delivery_id, p_webhook, chosen.event_id, p_now);
    replayed := replayed + 1;
  end loop;
  return replayed;
end $$;
drop function delivery_of_event(uuid, uuid, uuid);
create or replace function restart_delivery(p_tenant uuid, p_delivery uuid, p_webhook uuid, p_event uuid, p_now timestamptz) returns void
  language plpgsql as $$
begin
  insert into webhook_work as w (tenant_id, delivery_id, webhook_id, due_at) values (p_tenant, p_delivery, p_webhook, p_now)
  on conflict (tenant_id, delivery_id) do update set due_at = p_now, lease_token = null;
  insert into webhook_deliveries as d (tenant_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
  values (p_tenant, p_delivery, p_webhook, p_event, 'pending', p_now, p_now)
  on conflict (tenant_id, id) do update set status = 'pending', round = 0, next_attempt_at = p_now, finished_at = null;
end $$;
create or replace function end_attempt(
  p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer,
  p_next_at timestamptz, p_patience interval, p_event uuid) returns void
  language plpgsql as $$
declare
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery and w.lease_token = p_token for update;
  if not found then
    update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
    where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number;
    return;
  end if;
  update webhook_deliveries x set
    status = case when p_outcome = 'delivered' then 'delivered' when p_next_at is null then 'failed' else 'pending' end,
    next_attempt_at = p_next_at, finished_at = case when p_next_at is null then p_now end
  where x.tenant_id = p_tenant and x.id = p_delivery
  returning * into d;
  update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number;
  if p_next_at is null then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  else
    update webhook_work w set due_at = p_next_at, lease_token = null where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  end if;
  if p_outcome = 'delivered' then
    update webhooks x set failing_since = null where x.tenant_id = p_tenant and x.id = d.webhook_id and x.failing_since is not null;
    return;
  end if;
  -- A secret that we could not open is no fault of the address.
  if p_outcome = 'secret_unavailable' then return; end if;
  update webhooks x set failing_since = p_now where x.tenant_id = p_tenant and x.id = d.webhook_id and x.is_active and x.failing_since is null;
  update webhooks x set
    is_active = false, disabled_at = p_now, updated_at = p_now, disabled_reason = case when p_status_code = 410 then 'gone' else 'failing' end
  where x.tenant_id = p_tenant and x.id = d.webhook_id and x.is_active and (p_status_code = 410 or x.failing_since <= p_now - p_patience)
  returning * into k;
  if found then
    insert into events (tenant_id, id, type, created_at, data)
    values (p_tenant, p_event, 'webhook.disabled', p_now, jsonb_build_object('webhook', jsonb_build_object(
      'id', k.id, 'url', k.url, 'description', k.description, 'disabled_reason', k.disabled_reason, 'disabled_at', k.disabled_at, 'failing_since', k.failing_since)));
  end if;
end $$;
alter function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) set enable_seqscan = off;
drop function resume_deliveries(uuid, uuid, timestamptz);
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
  select * into k from webhooks x where x.tenant_id = p_tenant and x.id = d.webhook_id;
  select * into e from events x where x.tenant_id = p_tenant and x.id = d.event_id;
  -- What a worker began that did not come back.
  update webhook_attempts a set finished_at = p_now, outcome = 'interrupted'
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = d.attempts and a.finished_at is null;
  if k.deleted_at is not null or not k.is_active and e.type <> 'ping' then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
    update webhook_deliveries x set status = 'failed', finished_at = p_now, next_attempt_at = null where x.tenant_id = p_tenant and x.id = p_delivery;
    return;
  end if;
  update webhook_deliveries x set attempts = x.attempts + 1, round = x.round + 1 where x.tenant_id = p_tenant and x.id = p_delivery returning * into d;
  insert into webhook_attempts (tenant_id, delivery_id, number, started_at) values (p_tenant, p_delivery, d.attempts, p_now);
  return query
  select k.id, k.url,
    (select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed_secret, 'base64')) order by s.expires_at nulls first)
     from webhook_secrets s where s.tenant_id = p_tenant and s.webhook_id = k.id and (s.expires_at is null or s.expires_at > p_now)),
    event_card(e), d.attempts, d.round;
end $$;
alter function begin_attempt(uuid, uuid, uuid, timestamptz) set enable_seqscan = off;
alter table webhook_deliveries drop column replays_since, drop column replays;
alter table webhook_attempts drop column url_version;
alter table webhooks drop column url_version;
