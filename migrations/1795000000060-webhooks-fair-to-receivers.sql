-- What befalls an address by no fault of its own no longer ends it, nor what is on its way to it; and sending again has bounds.

-- Grows with every change of the address: what became of an attempt counts for the address at which it was made.
alter table webhooks add column url_version integer not null default 1;
alter table webhook_attempts add column url_version integer not null default 1;
-- How often a delivery was sent again in the hour that began at replays_since.
alter table webhook_deliveries add column replays integer not null default 0, add column replays_since timestamptz;

-- As before; notes the address, and what is due while the webhook is switched off waits three days, as long as its schedule,
-- to be switched on again. Such a delivery is pending without a next attempt.
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

-- Makes due what waits for a webhook that was switched off. Called when that it is on again is committed: who begins an attempt
-- meanwhile and saw it off holds the work that is locked here first.
create function resume_deliveries(p_tenant uuid, p_webhook uuid, p_now timestamptz) returns void
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w
  where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity' and (w.lease_token is not null or exists (
    select from webhook_deliveries d where d.tenant_id = w.tenant_id and d.id = w.delivery_id and d.status = 'pending' and d.next_attempt_at is null))
  for update of w;
  with waiting as (
    update webhook_deliveries d set next_attempt_at = p_now
    from webhook_work w
    where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity'
      and d.tenant_id = w.tenant_id and d.id = w.delivery_id and d.status = 'pending' and d.next_attempt_at is null
    returning d.tenant_id, d.id
  )
  update webhook_work w set due_at = p_now from waiting where w.tenant_id = waiting.tenant_id and w.delivery_id = waiting.id;
end $$;
alter function resume_deliveries(uuid, uuid, timestamptz) set enable_seqscan = off;

-- As before, but: a ping that fails says nothing of what arrives; nobody is switched off at the first attempt of a delivery,
-- however long ago the one before failed; and what a former address said counts for nothing at the one that took its place,
-- where the delivery is made again.
create or replace function end_attempt(
  p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer,
  p_next_at timestamptz, p_patience interval, p_event uuid) returns void
  language plpgsql as $$
declare
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
  next_at timestamptz := p_next_at;
  is_test boolean;
  tried integer;
begin
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
  if p_outcome <> 'delivered' and p_next_at is null and not is_test
    and exists (select from webhooks x where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version <> tried) then
    next_at := p_now;
  end if;
  update webhook_deliveries x set
    status = case when p_outcome = 'delivered' then 'delivered' when next_at is null then 'failed' else 'pending' end,
    next_attempt_at = next_at, finished_at = case when next_at is null then p_now end
  where x.tenant_id = p_tenant and x.id = p_delivery;
  if next_at is null then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  else
    update webhook_work w set due_at = next_at, lease_token = null where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  end if;
  if p_outcome = 'delivered' then
    update webhooks x set failing_since = null
    where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version = tried and x.failing_since is not null;
    return;
  end if;
  -- A secret that we could not open is no fault of the address.
  if p_outcome = 'secret_unavailable' then return; end if;
  update webhooks x set failing_since = p_now
  where x.tenant_id = p_tenant and x.id = d.webhook_id and (not is_test or p_status_code = 410) and x.url_version = tried and x.is_active and x.failing_since is null;
  update webhooks x set
    is_active = false, disabled_at = p_now, updated_at = p_now, disabled_reason = case when p_status_code = 410 then 'gone' else 'failing' end
  where x.tenant_id = p_tenant and x.id = d.webhook_id and x.url_version = tried and x.is_active
    and (p_status_code = 410 or not is_test and d.round > 1 and x.failing_since <= p_now - p_patience)
  returning * into k;
  if found then
    insert into events (tenant_id, id, type, created_at, data)
    values (p_tenant, p_event, 'webhook.disabled', p_now, jsonb_build_object('webhook', jsonb_build_object(
      'id', k.id, 'url', k.url, 'description', k.description, 'disabled_reason', k.disabled_reason, 'disabled_at', k.disabled_at, 'failing_since', k.failing_since)));
  end if;
end $$;
alter function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) set enable_seqscan = off;

-- As before; one delivery is sent again twenty times an hour at most. SE140: more often; the detail says how often it may be and
-- in how many seconds it may again.
create or replace function restart_delivery(p_tenant uuid, p_delivery uuid, p_webhook uuid, p_event uuid, p_now timestamptz) returns void
  language plpgsql as $$
declare
  most constant integer := 20;
  an_hour constant interval := interval '1 hour';
  again record;
begin
  insert into webhook_work as w (tenant_id, delivery_id, webhook_id, due_at) values (p_tenant, p_delivery, p_webhook, p_now)
  on conflict (tenant_id, delivery_id) do update set due_at = p_now, lease_token = null;
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
end $$;

-- The delivery of an event to an address; null: there is none. Asked for in the order of its key, so that no other index serves:
-- all deliveries to the address would be read for each event with a plan of when there were none.
create function delivery_of_event(p_tenant uuid, p_webhook uuid, p_event uuid) returns uuid
  language plpgsql stable as $$
begin
  return (
    select d.id from webhook_deliveries d
    where (d.tenant_id, d.event_id, d.webhook_id) >= (p_tenant, p_event, p_webhook) and (d.tenant_id, d.event_id, d.webhook_id) <= (p_tenant, p_event, p_webhook)
    order by d.tenant_id, d.event_id, d.webhook_id limit 1);
end $$;
alter function delivery_of_event(uuid, uuid, uuid) set enable_seqscan = off;
alter function delivery_of_event(uuid, uuid, uuid) set enable_sort = off;

-- As before, with each delivery looked up by its key.
create or replace function replay_events(p_tenant uuid, p_webhook uuid, p_from timestamptz, p_to timestamptz, p_kinds text[], p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql as $$
declare
  replayed integer := 0;
  chosen record;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  for chosen in
    select e.id from events e
    where e.tenant_id = p_tenant and e.created_at >= p_from and e.created_at < p_to and e.type <> 'ping' and (p_kinds is null or e.type = any (p_kinds))
    order by e.xid, e.position limit p_limit + 1
  loop
    perform restart_delivery(p_tenant, coalesce(delivery_of_event(p_tenant, p_webhook, chosen.id), gen_random_uuid()), p_webhook, chosen.id, p_now);
    replayed := replayed + 1;
  end loop;
  return replayed;
end $$;
alter function replay_events(uuid, uuid, timestamptz, timestamptz, text[], timestamptz, integer) set enable_seqscan = off;
