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

drop function bring_some_deliveries_forward(uuid, uuid, timestamptz, timestamptz, integer);
