create or replace function wake_resumed(p_tenant uuid, p_pause uuid, p_now timestamptz, p_limit integer) returns integer
  language plpgsql
  set enable_seqscan = off
as $$
declare
  pause issuing_pauses%rowtype;
  woken integer;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into pause from issuing_pauses p where p.tenant_id = p_tenant and p.id = p_pause and p.resumed_at is not null;
  if not found then return 0; end if;
  update outbox o set ahead = false, due_at = least(p_now, o.due_at - interval '10 minutes'), announced_at = null
  from (
    -- Locked in the order of their numbers, as whoever sends a document locks the next one.
    select locked.tenant_id, locked.document_id from outbox locked
    where locked.tenant_id = p_tenant and locked.ahead and locked.document_id = any (array(
      select w.document_id from outbox w
      where w.tenant_id = p_tenant and w.issuer_id = pause.issuer_id and w.step = 'submit' and w.ahead and w.sequential > 0
        and w.due_at < pause.resumed_at + interval '10 minutes 1 second'
        and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
        and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
        and (pause.document_type is null or w.document_type = pause.document_type)
      order by w.due_at limit p_limit))
    order by locked.emission_point_id, locked.document_type, locked.sequential
    for update
  ) waiting
  where o.tenant_id = waiting.tenant_id and o.document_id = waiting.document_id;
  get diagnostics woken = row_count;
  return woken;
end $$;

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

create or replace function delivery_of_event(p_tenant uuid, p_webhook uuid, p_event uuid) returns uuid
  language plpgsql stable
  set enable_seqscan = off
  set enable_sort = off
as $$
begin
  return (
    select d.id from webhook_deliveries d
    where (d.tenant_id, d.event_id, d.webhook_id) >= (p_tenant, p_event, p_webhook) and (d.tenant_id, d.event_id, d.webhook_id) <= (p_tenant, p_event, p_webhook)
    order by d.tenant_id, d.event_id, d.webhook_id limit 1);
end $$;
