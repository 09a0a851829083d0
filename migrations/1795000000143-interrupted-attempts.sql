-- A worker that died in the middle of an attempt used up a place in the schedule of its delivery: after ten deaths it had failed, though
-- its receiver was perhaps never called.
create or replace function begin_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz)
  returns table(webhook_id uuid, url text, secrets jsonb, event jsonb, number integer, round integer)
  language plpgsql set enable_seqscan = off as $$
declare
  -- A delivery that ends every worker that makes it must end itself.
  most_interrupted constant integer := 50;
  was_interrupted boolean;
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
  e events%rowtype;
begin
  p_now := least(p_now, clock_timestamp());
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery and w.lease_token = p_token for update;
  if not found then return; end if;
  select * into d from webhook_deliveries x where x.tenant_id = p_tenant and x.id = p_delivery for update;
  if not found then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
    return;
  end if;
  select * into k from webhooks x where x.tenant_id = p_tenant and x.id = d.webhook_id;
  select * into e from events x where x.tenant_id = p_tenant and x.id = d.event_id;
  -- What a worker began that did not come back.
  update webhook_attempts a set finished_at = p_now, outcome = 'interrupted'
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = d.attempts and a.finished_at is null;
  if found and d.round > 0 and d.attempts >= most_interrupted and not exists (
    select from webhook_attempts a
    where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number > d.attempts - most_interrupted and a.outcome is distinct from 'interrupted') then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
    update webhook_deliveries x set status = 'failed', finished_at = p_now, next_attempt_at = null where x.tenant_id = p_tenant and x.id = p_delivery;
    return;
  end if;
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
  -- The schedule is of the receiver: what never came to it, or of which nobody knows, leaves the delivery where it was.
  was_interrupted := exists (
    select from webhook_attempts a where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = d.attempts and a.outcome = 'interrupted');
  update webhook_deliveries x set attempts = x.attempts + 1, round = case when was_interrupted then greatest(x.round, 1) else x.round + 1 end
  where x.tenant_id = p_tenant and x.id = p_delivery returning * into d;
  insert into webhook_attempts (tenant_id, delivery_id, number, started_at, url_version) values (p_tenant, p_delivery, d.attempts, p_now, k.url_version);
  return query
  select k.id, k.url,
    (select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed_secret, 'base64')) order by s.expires_at nulls first)
     from webhook_secrets s where s.tenant_id = p_tenant and s.webhook_id = k.id and (s.expires_at is null or s.expires_at > p_now)),
    event_card(e), d.attempts, d.round;
end $$;
comment on function begin_attempt(uuid, uuid, uuid, timestamptz) is
  'Webhooks: Begins an attempt at a leased delivery, counts it, and returns the address, secrets, event, number and '
  'round of the attempt. After one that was interrupted the round stays as it is; after fifty in a row the delivery '
  'ends as failed. It returns no row then, if the lease was lost, and if the webhook is switched off or removed: then '
  'the delivery is put aside or ends as failed. It locks the work, then the delivery. The worker calls it. It goes by '
  'the database''s clock if the caller''s is ahead of it.';
comment on table webhook_deliveries is
  'Webhooks: Events on their way to webhooks, one row for each pair. attempts counts all requests, round those since '
  'the delivery was last begun that were not interrupted, and replays how often it was sent again since replays_since.';
