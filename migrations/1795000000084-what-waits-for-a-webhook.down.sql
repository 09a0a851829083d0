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
    select d.tenant_id, d.id from webhook_work w join webhook_deliveries d on d.tenant_id = w.tenant_id and d.id = w.delivery_id
    join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id and k.is_active
    where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > p_now and d.status = 'pending' and d.next_attempt_at is null
    order by w.due_at limit p_limit
    for update of w
  ), told as (
    update webhook_deliveries d set next_attempt_at = p_now from waiting where d.tenant_id = waiting.tenant_id and d.id = waiting.id
    returning d.tenant_id, d.id
  )
  update webhook_work w set due_at = least(p_now, clock_timestamp()) from told where w.tenant_id = told.tenant_id and w.delivery_id = told.id;
  get diagnostics resumed = row_count;
  return resumed;
end $$;
