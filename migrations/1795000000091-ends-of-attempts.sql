-- Of an address: that it is gone, or has failed for long. Told by an attempt at it, or by whoever looks for what attempts no longer tell.
create function switch_webhook_off(
  p_tenant uuid, p_webhook uuid, p_url_version integer, p_is_gone boolean, p_may_be_failing boolean, p_patience interval, p_now timestamptz, p_event uuid) returns boolean
  language plpgsql as $$
declare
  k webhooks%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  update webhooks x set
    is_active = false, disabled_at = p_now, updated_at = p_now, disabled_reason = case when p_is_gone then 'gone' else 'failing' end
  where x.tenant_id = p_tenant and x.id = p_webhook and x.url_version = coalesce(p_url_version, x.url_version) and x.is_active
    and (p_is_gone or p_may_be_failing and x.failing_since <= p_now - p_patience)
  returning * into k;
  if not found then return false; end if;
  insert into events (tenant_id, id, type, created_at, data)
  values (p_tenant, p_event, 'webhook.disabled', p_now, jsonb_build_object('webhook', jsonb_build_object(
    'id', k.id, 'url', substring(k.url from '^[^/]+//[^/?]+'), 'description', k.description, 'disabled_reason', k.disabled_reason, 'disabled_at', k.disabled_at, 'failing_since', k.failing_since)));
  return true;
end $$;
comment on function switch_webhook_off(uuid, uuid, integer, boolean, boolean, interval, timestamptz, uuid) is
  'Webhooks: Switches an active webhook off if it is gone, or if p_may_be_failing and it has failed for p_patience, with the event '
  'webhook.disabled, and returns whether it did. With a p_url_version only while the address is that one. It locks the webhook. '
  'end_attempt calls it, and the worker at intervals.';
alter function switch_webhook_off(uuid, uuid, integer, boolean, boolean, interval, timestamptz, uuid) set enable_seqscan = off;

-- The schedule of a delivery ends after three days: without another event no attempt would tell that five have passed.
create function failing_webhooks(p_patience interval, p_now timestamptz, p_limit integer) returns table (tenant_id uuid, id uuid)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select k.tenant_id, k.id from webhooks k
  where k.is_active and k.failing_since <= p_now - p_patience
    -- What has an attempt before it tells by itself; behind an outage of ours it may be the first one in days.
    and not exists (select from webhook_work w where w.tenant_id = k.tenant_id and w.webhook_id = k.id and w.due_at is not null)
  limit p_limit
$$;
comment on function failing_webhooks(interval, timestamptz, integer) is
  'Webhooks: Returns up to p_limit active webhooks, of all tenants, that have failed for p_patience and have no delivery before '
  'them. The worker calls it at intervals and switches them off.';
alter function failing_webhooks(interval, timestamptz, integer) owner to sello_worker;
revoke execute on function failing_webhooks(interval, timestamptz, integer) from public;
grant execute on function failing_webhooks(interval, timestamptz, integer) to sello_app;

-- As before; an attempt that the service could not make is no failure of the address, and the other receivers of a tenant are told
-- only where an address leads: its path may be a secret.
create or replace function end_attempt(
  p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer,
  p_next_at timestamptz, p_patience interval, p_event uuid) returns void
  language plpgsql as $$
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
alter function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) set enable_seqscan = off;
