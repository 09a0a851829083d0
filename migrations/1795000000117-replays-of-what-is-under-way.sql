-- A replay took the lease of what was under way: the calls went on and counted no longer, so that an address had as many at once as it
-- was replayed, and one that hung was never found to fail. One of too long a time wrote 5,001 deliveries before it was refused.
create or replace function restart_delivery(p_tenant uuid, p_delivery uuid, p_webhook uuid, p_event uuid, p_now timestamptz)
  returns void
  language plpgsql
as $$
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
end $$;
comment on function restart_delivery(uuid, uuid, uuid, uuid, timestamptz) is
  'Webhooks: Makes a delivery due at once and lets it run through the whole schedule again, or creates it. One that '
  'is under way begins again when its attempt ends. It raises SE140 from the 21st time within an hour; the detail '
  'holds the limit, its window, and after how many seconds it may be sent again. The API calls it for a test and '
  'for a delivery that is sent again, and so does replay_events.';

create or replace function replay_events(p_tenant uuid, p_webhook uuid, p_from timestamptz, p_to timestamptz, p_kinds text[], p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql
  set enable_seqscan = off
as $$
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
end $$;
comment on function replay_events(uuid, uuid, timestamptz, timestamptz, text[], timestamptz, integer) is
  'Webhooks: Sends the events of a span of time to a webhook again, and returns how many; if there are more than '
  'p_limit it sends none and returns one more than p_limit. It raises SE140 as restart_delivery does. The API calls it.';

create function before_all_waiting(p_tenant uuid, p_webhook uuid, p_delivery uuid)
  returns timestamptz
  language plpgsql
  stable
  set enable_seqscan = off
as $$
begin
  return (
    select w.due_at - interval '1 microsecond' from webhook_work w
    -- Compared as rows, so that no other index gives this order.
    where (w.tenant_id, w.webhook_id, w.due_at) >= (p_tenant, p_webhook, '-infinity')
      and (w.tenant_id, w.webhook_id, w.due_at) <= (p_tenant, p_webhook, 'infinity')
      and w.due_at > '-infinity' and w.lease_token is null and w.delivery_id <> p_delivery
    order by w.tenant_id, w.webhook_id, w.due_at limit 1);
end $$;
comment on function before_all_waiting(uuid, uuid, uuid) is
  'Webhooks: Returns when a delivery must be due to go before all others that wait for its webhook, or null if none '
  'does: what somebody asks for does not wait behind hours of work. The API calls it for a test and for a delivery '
  'that is sent again, and so does end_attempt.';

create or replace function end_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer, p_next_at timestamptz, p_patience interval, p_event uuid)
  returns void
  language plpgsql
  set enable_seqscan = off
as $$
declare
  d webhook_deliveries%rowtype;
  next_at timestamptz := p_next_at;
  is_test boolean;
  counts boolean;
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
  if d.round = 0 then
    -- Asked for again while it was under way.
    next_at := p_now;
  elsif p_outcome <> 'delivered' and p_next_at is null and not is_test
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
end $$;
comment on function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) is
  'Webhooks: Writes how an attempt ended and when the next one is due; null means never. A delivery that was asked '
  'for again meanwhile is due at once, before all that waits of its webhook, and one that ran out of attempts gets one '
  'more if the webhook''s address was changed. A webhook that answered 410, or has failed for p_patience, is '
  'switched off with the event webhook.disabled. If the lease was lost, only the attempt itself is written. It '
  'locks the work. The worker calls it.';
