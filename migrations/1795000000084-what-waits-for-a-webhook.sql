-- Who switches a webhook on again finds what waits for it without looking through all that is only to be tried again later:
-- some hundred thousand of those took longer than a statement may. What waited past its three days, and is due already, is
-- resumed too, and keeps its place.

create or replace function resume_some_deliveries(p_tenant uuid, p_webhook uuid, p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql
  set enable_seqscan = off
as $$
declare
  resumed integer;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w
  where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity' and w.lease_token is not null
  for update;
  with waiting as (
    -- In the order of the index of what is set aside.
    select d.tenant_id, d.id from webhook_deliveries d join webhook_work w on w.tenant_id = d.tenant_id and w.delivery_id = d.id
    join webhooks k on k.tenant_id = d.tenant_id and k.id = d.webhook_id and k.is_active
    where d.tenant_id = p_tenant and d.webhook_id = p_webhook and d.status = 'pending' and d.next_attempt_at is null
    order by d.tenant_id, d.webhook_id, d.id limit p_limit
    for update of w
  ), told as (
    update webhook_deliveries d set next_attempt_at = p_now from waiting where d.tenant_id = waiting.tenant_id and d.id = waiting.id
    returning d.tenant_id, d.id
  )
  update webhook_work w set due_at = least(w.due_at, p_now, clock_timestamp()) from told where w.tenant_id = told.tenant_id and w.delivery_id = told.id;
  get diagnostics resumed = row_count;
  return resumed;
end $$;
