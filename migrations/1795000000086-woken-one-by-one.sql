-- Who resumes a pause wakes what waits for it one document after another. In one statement PostgreSQL chose, where its statistics
-- came from a day on which nothing waited, to compare each document of the backlog with each of those to be woken: ten thousand
-- took longer than a statement may, and waited up to ten minutes longer.

create or replace function wake_resumed(p_tenant uuid, p_pause uuid, p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql
  set enable_seqscan = off
as $$
declare
  pause issuing_pauses%rowtype;
  chosen record;
  woken integer := 0;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into pause from issuing_pauses p where p.tenant_id = p_tenant and p.id = p_pause and p.resumed_at is not null;
  if not found then return 0; end if;
  for chosen in
    -- Locked in the order of their numbers, as whoever sends a document locks the next one.
    select waiting.document_id from (
      select w.document_id, w.emission_point_id, w.document_type, w.sequential from outbox w
      where w.tenant_id = p_tenant and w.issuer_id = pause.issuer_id and w.step = 'submit' and w.ahead and w.sequential > 0
        and w.due_at < pause.resumed_at + interval '10 minutes 1 second'
        and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
        and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
        and (pause.document_type is null or w.document_type = pause.document_type)
      order by w.due_at limit p_limit
    ) waiting
    order by waiting.emission_point_id, waiting.document_type, waiting.sequential
  loop
    update outbox o set ahead = false, due_at = least(p_now, o.due_at - interval '10 minutes'), announced_at = null
    where o.tenant_id = p_tenant and o.document_id = chosen.document_id and o.ahead;
    if found then woken := woken + 1; end if;
  end loop;
  return woken;
end $$;

-- So does who switches a webhook on with what was set aside meanwhile.
create or replace function resume_some_deliveries(p_tenant uuid, p_webhook uuid, p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql
  set enable_seqscan = off
  set enable_sort = off
as $$
declare
  chosen record;
  resumed integer := 0;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w
  where w.tenant_id = p_tenant and w.webhook_id = p_webhook and w.due_at > '-infinity' and w.lease_token is not null
  for update;
  for chosen in
    -- In the order of the index of what is set aside.
    select d.id from webhook_deliveries d
    where d.tenant_id = p_tenant and d.webhook_id = p_webhook and d.status = 'pending' and d.next_attempt_at is null
    order by d.tenant_id, d.webhook_id, d.id limit p_limit
  loop
    -- The work first, as whoever attempts it.
    perform from webhook_work w join webhooks k on k.tenant_id = w.tenant_id and k.id = w.webhook_id and k.is_active
    where w.tenant_id = p_tenant and w.delivery_id = chosen.id
    for update of w;
    continue when not found;
    update webhook_deliveries d set next_attempt_at = p_now
    where d.tenant_id = p_tenant and d.id = chosen.id and d.status = 'pending' and d.next_attempt_at is null;
    continue when not found;
    update webhook_work w set due_at = least(w.due_at, p_now, clock_timestamp()) where w.tenant_id = p_tenant and w.delivery_id = chosen.id;
    resumed := resumed + 1;
  end loop;
  return resumed;
end $$;

-- Rows compared as such began, beside the tenant that row security asks for, at the tenant's first delivery: a replay read all of
-- them for each event. No other index has this order, so that this one is used whatever the statistics say.
create or replace function delivery_of_event(p_tenant uuid, p_webhook uuid, p_event uuid) returns uuid
  language plpgsql stable
  set enable_seqscan = off
  set enable_sort = off
as $$
begin
  return (
    select d.id from webhook_deliveries d
    where d.tenant_id = p_tenant and d.event_id >= p_event and d.event_id <= p_event and d.webhook_id = p_webhook
    order by d.event_id limit 1);
end $$;
