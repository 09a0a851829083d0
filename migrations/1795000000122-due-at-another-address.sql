-- What waits after failures at one address is due at once when the webhook gets another one.
create function bring_some_deliveries_forward(p_tenant uuid, p_webhook uuid, p_now timestamptz, p_after timestamptz, p_limit integer)
  returns timestamptz
  language plpgsql
  set enable_seqscan = off
  set enable_sort = off
as $$
declare
  seen record;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  -- An attempt that is just ending may not have seen the other address.
  perform from webhook_work w
  where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity' and w.lease_token is not null
  for update;
  for seen in
    -- Compared as rows, so that no other index gives this order.
    select w.delivery_id, w.due_at from webhook_work w
    where (w.tenant_id, w.webhook_id, w.due_at) > (p_tenant, p_webhook, p_after)
      and (w.tenant_id, w.webhook_id, w.due_at) <= (p_tenant, p_webhook, 'infinity')
      and w.due_at > '-infinity' and w.lease_token is null
    order by w.tenant_id, w.webhook_id, w.due_at fetch first (p_limit) rows with ties
  loop
    -- The work first, as whoever attempts it.
    perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = seen.delivery_id and w.lease_token is null and w.due_at > p_now for update;
    continue when not found;
    update webhook_deliveries d set next_attempt_at = p_now
    where d.tenant_id = p_tenant and d.id = seen.delivery_id and d.status = 'pending' and d.next_attempt_at > p_now
      and not exists (
        select from webhook_attempts a join webhooks k on k.tenant_id = a.tenant_id and k.id = p_webhook and k.url_version = a.url_version
        where a.tenant_id = p_tenant and a.delivery_id = seen.delivery_id and a.number = d.attempts);
    continue when not found;
    update webhook_work w set due_at = least(w.due_at, p_now, clock_timestamp()) where w.tenant_id = p_tenant and w.delivery_id = seen.delivery_id;
  end loop;
  return seen.due_at;
end $$;
comment on function bring_some_deliveries_forward(uuid, uuid, timestamptz, timestamptz, integer) is
  'Webhooks: Looks at about p_limit deliveries of a webhook that wait for an attempt later than p_after, makes those due '
  'that were last tried at a former address, and returns until when it looked; null means that none is left. It waits '
  'for attempts that are just ending. The API calls it again and again, with what it returned, after it has committed '
  'another address.';

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
  elsif p_outcome <> 'delivered' and not is_test
    -- At a former address: it says nothing of when the present one is to be tried.
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
  'for again meanwhile is due at once, before all that waits of its webhook, and so is one that failed at an address '
  'that was changed meanwhile, also where it ran out of attempts. A webhook that answered 410, or has failed for '
  'p_patience, is switched off with the event webhook.disabled. If the lease was lost, only the attempt itself is '
  'written. It locks the work. The worker calls it.';
