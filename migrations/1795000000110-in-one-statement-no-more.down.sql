create function resume_pause(p_tenant uuid, p_issuer uuid, p_pause uuid, p_now timestamptz)
  returns setof issuing_pauses language plpgsql as $$
declare
  pause issuing_pauses%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  select * into pause from issuing_pauses p where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.id = p_pause;
  if not found then return; end if;
  perform from outbox w
  where w.tenant_id = p_tenant and w.issuer_id = p_issuer
    and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
    and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
    and (pause.document_type is null or w.document_type = pause.document_type)
  order by w.emission_point_id, w.document_type, w.sequential
  for update;
  update issuing_pauses p set resumed_at = coalesce(p.resumed_at, p_now)
  where p.tenant_id = p_tenant and p.id = p_pause
  returning * into pause;
  -- Again by scope: what came to wait meanwhile is woken too.
  update outbox w set ahead = false, due_at = least(p_now, w.due_at - interval '10 minutes'), announced_at = null
  where w.tenant_id = p_tenant and w.issuer_id = p_issuer and w.due_at < 'infinity' and w.step = 'submit' and w.ahead and w.sequential > 0
    and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
    and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
    and (pause.document_type is null or w.document_type = pause.document_type);
  return next pause;
end $$;
comment on function resume_pause(uuid, uuid, uuid, timestamptz) is
  'Pauses: Ends a pause, returns it, and wakes all documents that waited for it in one statement, under locks on '
  'all work of its scope. No process of this version calls it, for end_pause and wake_resumed have taken its place; '
  'it is kept for the version before and may be dropped.';

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
comment on function resume_deliveries(uuid, uuid, timestamptz) is
  'Webhooks: Makes all deliveries due that wait for a webhook that was switched off, in one statement and under '
  'locks on their work. No process of this version calls it, for resume_some_deliveries has taken its place; it is '
  'kept for the version before and may be dropped.';
