-- A worker whose clock has leapt ahead goes by it until it notices, seconds later. Meanwhile it switched webhooks off that had failed
-- for minutes, attempted deliveries and mails that were not due yet, and left their leases and times of next tries as far ahead.
-- Now PostgreSQL's clock judges, as in advance_document; where a time to come is given as well, it is put back by as much.
create or replace function claim_mails_going_round(p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_after uuid)
  returns table(taken jsonb, looked_until uuid)
  language plpgsql security definer set search_path = sello, pg_temp set plan_cache_mode = force_generic_plan set random_page_cost = 1 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_incremental_sort = off set enable_sort = off as $$
declare
  by_age constant integer := 64;
  -- Of those, how many are looked at besides the others where there are more.
  eldest constant integer := 16;
  most_looked_at constant integer := 256;
  -- By chance at first, so that not all workers begin with the same tenants.
  start_at constant uuid := coalesce(p_after, p_token);
begin
  p_now := least(p_now, clock_timestamp());
  if not exists (select from mail_outbox o where o.due_at <= p_now) then
    return;
  end if;
  -- A lease forgotten by a crash of the server means a mail that is sent twice, as any crash may: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with recursive oldest as materialized (
    select w.tenant_id, w.due_at, row_number() over (order by w.due_at) as age from mail_outbox w where w.due_at <= p_now order by w.due_at limit by_age + 1
  ), ahead as (
    (select w.tenant_id, w.due_at, 1 as place, (w.due_at <= p_now)::integer as due from mail_outbox w
     where (select count(*) from oldest) > by_age and w.tenant_id > start_at and w.due_at > '-infinity'
     order by w.tenant_id, w.due_at limit 1)
    union all
    select next.tenant_id, next.due_at, t.place + 1, t.due + (next.due_at <= p_now)::integer from ahead t cross join lateral (
      select w.tenant_id, w.due_at from mail_outbox w
      where w.tenant_id > t.tenant_id and w.due_at > '-infinity' order by w.tenant_id, w.due_at limit 1) next
    where t.place < most_looked_at and t.due < p_limit
  ), passed as materialized (
    select count(*)::integer as places, coalesce(max(a.due), 0) as due from ahead a
  ), behind as (
    (select w.tenant_id, w.due_at, p.places + 1 as place, p.due + (w.due_at <= p_now)::integer as due from passed p cross join lateral (
       select w.tenant_id, w.due_at from mail_outbox w
       where (select count(*) from oldest) > by_age and w.tenant_id <= start_at and w.due_at > '-infinity'
       order by w.tenant_id, w.due_at limit 1) w
     where p.places < most_looked_at and p.due < p_limit)
    union all
    select next.tenant_id, next.due_at, t.place + 1, t.due + (next.due_at <= p_now)::integer from behind t cross join lateral (
      select w.tenant_id, w.due_at from mail_outbox w
      where w.tenant_id > t.tenant_id and w.tenant_id <= start_at and w.due_at > '-infinity' order by w.tenant_id, w.due_at limit 1) next
    where t.place < most_looked_at and t.due < p_limit
  ), looked_at as materialized (
    select a.tenant_id, a.due_at, a.place from ahead a union all select b.tenant_id, b.due_at, b.place from behind b
  ), tenants as (
    select t.tenant_id, min(t.place) as place from (
      select l.tenant_id, l.place from looked_at l where l.due_at <= p_now
      union all
      select o.tenant_id, most_looked_at + 1 from oldest o where o.age <= case when (select count(*) from oldest) > by_age then eldest else by_age end) t
    group by t.tenant_id
  ), turns as (
    select t.tenant_id, t.place, mine.id, row_number() over (partition by t.tenant_id order by mine.due_at) as turn,
      hashtext(mine.id::text || p_now::text) as chance
    from tenants t cross join lateral (
      select w.id, w.due_at from mail_outbox w
      where (w.tenant_id, w.due_at) >= (t.tenant_id, '-infinity') and (w.tenant_id, w.due_at) <= (t.tenant_id, p_now) and w.due_at > '-infinity'
      order by w.tenant_id, w.due_at limit p_limit) mine
  ), chosen as materialized (
    select t.tenant_id, t.id, t.place from turns t order by t.turn, t.place, t.chance limit p_limit
  ), held as (
    select w.tenant_id, w.id from chosen c join mail_outbox w on w.tenant_id = c.tenant_id and w.id = c.id
    where w.due_at - p_now <= interval '0'
    for update of w skip locked
  ), leased as (
    update mail_outbox o set due_at = p_now + p_lease, lease_token = p_token
    from held where o.tenant_id = held.tenant_id and o.id = held.id
    returning o.tenant_id, o.id, o.kind
  )
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', l.tenant_id, 'id', l.id, 'kind', l.kind)), '[]'), (
    -- Behind the last of those whose turn it was; where nobody of those on the way had anything, behind all of them.
    select r.tenant_id from looked_at r
    where r.place = coalesce((select max(c.place) from chosen c where c.place <= most_looked_at), (select max(place) from looked_at)))
  from leased l;
end $$;

create or replace function settle_mail(p_tenant uuid, p_mail uuid, p_token uuid, p_due_at timestamptz, p_status text, p_failure text, p_message_id text, p_now timestamptz)
  returns boolean
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  lead constant interval := greatest(p_now - clock_timestamp(), interval '0');
begin
  p_now := p_now - lead;
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if p_due_at is null then
    delete from mail_outbox o where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  else
    update mail_outbox o set due_at = p_due_at - lead, lease_token = null where o.tenant_id = p_tenant and o.id = p_mail and o.lease_token = p_token;
  end if;
  if not found then return false; end if;
  update mails m set status = p_status, attempts = m.attempts + 1, failure = p_failure, message_id = coalesce(p_message_id, m.message_id),
    sent_at = case when p_status = 'sent' then p_now end, updated_at = p_now
  where m.tenant_id = p_tenant and m.id = p_mail;
  return true;
end $$;

create or replace function claim_deliveries_going_round(p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_limit_failing integer, p_per_webhook integer, p_after uuid[])
  returns table(taken jsonb, looked_until uuid[])
  language plpgsql security definer set search_path = sello, pg_temp set plan_cache_mode = force_generic_plan set random_page_cost = 1 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_incremental_sort = off set enable_sort = off as $$
declare
  by_age constant integer := 64;
  -- Of those, how many are looked at besides the others where there are more.
  eldest constant integer := 16;
  most_looked_at constant integer := 256;
  most_due constant integer := greatest(64, p_limit);
  start_tenant constant uuid := coalesce(p_after[1], p_token);
  start_webhook constant uuid := coalesce(p_after[2], p_token);
begin
  p_now := least(p_now, clock_timestamp());
  -- A lease forgotten by a crash of the server leads to one delivery more: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if not exists (select from webhook_work w where w.due_at <= p_now) then return; end if;
  perform pg_advisory_xact_lock(7356114);
  return query
  with recursive oldest as materialized (
    select w.tenant_id, w.webhook_id, w.due_at, row_number() over (order by w.due_at) as age
    from webhook_work w where w.due_at <= p_now order by w.due_at limit by_age + 1
  ), ahead as (
    (select w.tenant_id, w.webhook_id, w.due_at, 1 as place, (w.due_at <= p_now)::integer as due from webhook_work w
     where (select count(*) from oldest) > by_age and (w.tenant_id, w.webhook_id) > (start_tenant, start_webhook) and w.due_at > '-infinity'
     order by w.tenant_id, w.webhook_id, w.due_at limit 1)
    union all
    select next.tenant_id, next.webhook_id, next.due_at, a.place + 1, a.due + (next.due_at <= p_now)::integer from ahead a cross join lateral (
      select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id) > (a.tenant_id, a.webhook_id) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit 1) next
    where a.place < most_looked_at and a.due < most_due
  ), passed as materialized (
    select count(*)::integer as places, coalesce(max(a.due), 0) as due from ahead a
  ), behind as (
    (select w.tenant_id, w.webhook_id, w.due_at, p.places + 1 as place, p.due + (w.due_at <= p_now)::integer as due from passed p cross join lateral (
       select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
       where (select count(*) from oldest) > by_age and (w.tenant_id, w.webhook_id) <= (start_tenant, start_webhook) and w.due_at > '-infinity'
       order by w.tenant_id, w.webhook_id, w.due_at limit 1) w
     where p.places < most_looked_at and p.due < most_due)
    union all
    select next.tenant_id, next.webhook_id, next.due_at, b.place + 1, b.due + (next.due_at <= p_now)::integer from behind b cross join lateral (
      select w.tenant_id, w.webhook_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id) > (b.tenant_id, b.webhook_id) and (w.tenant_id, w.webhook_id) <= (start_tenant, start_webhook) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit 1) next
    where b.place < most_looked_at and b.due < most_due
  ), looked_at as materialized (
    select a.tenant_id, a.webhook_id, a.due_at, a.place from ahead a
    union all
    select b.tenant_id, b.webhook_id, b.due_at, b.place from behind b
  ), addresses as (
    -- With all that have something under way, which counts for their tenants; place: where they are to be served.
    select a.tenant_id, a.webhook_id, min(a.place) as place, sum(a.under_way) as under_way from (
      select l.tenant_id, l.webhook_id, l.place, 0 as under_way from looked_at l where l.due_at <= p_now
      union all
      select o.tenant_id, o.webhook_id, most_looked_at + 1, 0 from oldest o
      where o.age <= case when (select count(*) from oldest) > by_age then eldest else by_age end
      union all
      select w.tenant_id, w.webhook_id, null, 1 from webhook_work w where w.lease_token is not null and w.due_at - p_now > interval '0') a
    group by a.tenant_id, a.webhook_id
  ), busy as (
    select a.*, k.last_attempt_failed or k.failing_since is not null as fails from addresses a join webhooks k on k.tenant_id = a.tenant_id and k.id = a.webhook_id
  ), shared as (
    -- Room that only another worker has is left out: the share errs on the small side.
    select b.*, sum(b.under_way) over (partition by b.tenant_id, b.fails) as of_tenant, p_limit + sum(b.under_way) over () as room from busy b
  ), candidates as (
    select s.tenant_id, due.delivery_id, s.fails, due.due_at, s.place, s.of_tenant, s.room,
      s.under_way + row_number() over (partition by s.tenant_id, s.webhook_id order by due.due_at) as number
    from shared s cross join lateral (
      select w.delivery_id, w.due_at from webhook_work w
      where (w.tenant_id, w.webhook_id, w.due_at) >= (s.tenant_id, s.webhook_id, '-infinity')
        and (w.tenant_id, w.webhook_id, w.due_at) <= (s.tenant_id, s.webhook_id, p_now) and w.due_at > '-infinity'
      order by w.tenant_id, w.webhook_id, w.due_at limit greatest(0, case when s.fails then 1 else p_per_webhook end - s.under_way)) due
    where s.place is not null
  ), turns as (
    select c.*, c.of_tenant + row_number() over (partition by c.tenant_id, c.fails order by c.number, c.due_at) as turn from candidates c
  ), chosen as materialized (
    select c.* from (
      -- By chance: the way round is that of addresses that work, and by age one that recovered would wait for older backlogs.
      (select t.* from turns t where t.fails and t.turn <= greatest(1, t.room / 8)
       order by t.turn, hashtext(t.delivery_id::text || p_token::text) limit p_limit_failing)
      union all
      (select t.* from turns t where not t.fails and t.turn <= greatest(1, t.room / 4) order by t.turn, t.place, t.due_at limit p_limit)) c
    order by c.fails, c.turn, c.place, c.due_at limit p_limit
  ), held as (
    select w.tenant_id, w.delivery_id, c.fails
    from chosen c join webhook_work w on w.tenant_id = c.tenant_id and w.delivery_id = c.delivery_id
    where w.due_at - p_now <= interval '0'
    for update of w skip locked
  ), leased as (
    update webhook_work w set lease_token = p_token, due_at = p_now + p_lease
    from held where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id
    returning w.tenant_id, w.delivery_id, held.fails
  )
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', l.tenant_id, 'deliveryId', l.delivery_id, 'isFailing', l.fails)), '[]'), (
    -- Behind the last of those whose turn it was; where there is room for more to addresses that work, behind all that were
    -- looked at, so that those that fail hold nobody up.
    select array[r.tenant_id, r.webhook_id] from looked_at r
    where r.place = case
      when (select count(*) from chosen c where not c.fails) < p_limit then (select max(place) from looked_at)
      else (select coalesce(max(c.place) filter (where c.place <= most_looked_at), (select max(place) from looked_at)) from chosen c where not c.fails) end)
  from leased l;
end $$;

create or replace function begin_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz)
  returns table(webhook_id uuid, url text, secrets jsonb, event jsonb, number integer, round integer)
  language plpgsql set enable_seqscan = off as $$
declare
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
  update webhook_deliveries x set attempts = x.attempts + 1, round = x.round + 1 where x.tenant_id = p_tenant and x.id = p_delivery returning * into d;
  insert into webhook_attempts (tenant_id, delivery_id, number, started_at, url_version) values (p_tenant, p_delivery, d.attempts, p_now, k.url_version);
  return query
  select k.id, k.url,
    (select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed_secret, 'base64')) order by s.expires_at nulls first)
     from webhook_secrets s where s.tenant_id = p_tenant and s.webhook_id = k.id and (s.expires_at is null or s.expires_at > p_now)),
    event_card(e), d.attempts, d.round;
end $$;

create or replace function end_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer, p_next_at timestamptz, p_patience interval, p_event uuid)
  returns void
  language plpgsql set enable_seqscan = off as $$
declare
  lead constant interval := greatest(p_now - clock_timestamp(), interval '0');
  d webhook_deliveries%rowtype;
  next_at timestamptz := p_next_at - lead;
  is_test boolean;
  counts boolean;
  tried integer;
begin
  p_now := p_now - lead;
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

create or replace function switch_webhook_off(p_tenant uuid, p_webhook uuid, p_url_version integer, p_is_gone boolean, p_may_be_failing boolean, p_patience interval, p_now timestamptz, p_event uuid)
  returns boolean
  language plpgsql set enable_seqscan = off as $$
declare
  k webhooks%rowtype;
begin
  p_now := least(p_now, clock_timestamp());
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

create or replace function failing_webhooks(p_patience interval, p_now timestamptz, p_limit integer)
  returns table(tenant_id uuid, id uuid)
  language sql stable security definer set search_path = sello, pg_temp set enable_seqscan = off as $$
  select k.tenant_id, k.id from webhooks k
  where k.is_active and k.failing_since <= least(p_now, now()) - p_patience
    -- What has an attempt before it tells by itself; behind an outage of ours it may be the first one in days.
    and not exists (select from webhook_work w where w.tenant_id = k.tenant_id and w.webhook_id = k.id and w.due_at is not null)
  limit p_limit
$$;

create or replace function notice_low_sequences(p_thresholds integer[], p_now timestamptz)
  returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  told integer;
begin
  p_now := least(p_now, clock_timestamp());
  with passed as (
    insert into sequence_notices (tenant_id, emission_point_id, document_type, environment, threshold, noticed_at)
    select s.tenant_id, s.emission_point_id, s.document_type, s.environment, t, p_now
    from sequence_counters s cross join unnest(p_thresholds) t
    where 999999999 - s.last_value < t
    on conflict do nothing
    returning *
  ), lowest as (
    select p.tenant_id, p.emission_point_id, p.document_type, p.environment, min(p.threshold) as threshold from passed p group by 1, 2, 3, 4
  )
  insert into events (tenant_id, id, type, created_at, data)
  select l.tenant_id, gen_random_uuid(), 'sequence.low', p_now, jsonb_build_object('sequence', jsonb_build_object(
    'issuer_id', b.issuer_id, 'establishment_id', b.id, 'emission_point_id', l.emission_point_id, 'document_type', l.document_type,
    'sri_environment', l.environment, 'next_number', case when s.last_value < 999999999 then s.last_value + 1 end,
    'remaining', 999999999 - s.last_value, 'threshold', l.threshold))
  from lowest l
  join sequence_counters s using (tenant_id, emission_point_id, document_type, environment)
  join emission_points p on p.tenant_id = l.tenant_id and p.id = l.emission_point_id
  join establishments b on b.tenant_id = p.tenant_id and b.id = p.establishment_id;
  get diagnostics told = row_count;
  return told;
end $$;

create or replace function queue_notice()
  returns trigger
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into mail_outbox (tenant_id, id, kind, due_at) values (new.tenant_id, new.id, 'notice', least(new.created_at, clock_timestamp()));
  return null;
end $$;

create or replace function notice_certificates(p_now timestamptz)
  returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  written integer;
begin
  p_now := least(p_now, clock_timestamp());
  with due as (
    select c.tenant_id, c.id as certificate_id, gen_random_uuid() as event_id,
      (select min(t.days) from unnest(array[0, 1, 7, 15, 30]) as t (days) where c.valid_to <= p_now + make_interval(hours => 24 * t.days)) as threshold
    from certificates c
    join issuers i on i.tenant_id = c.tenant_id and i.id = c.issuer_id and i.is_active
    join tenants t on t.id = c.tenant_id and t.is_active
    where c.is_active and c.valid_to <= p_now + interval '720 hours'
  ), noticed as (
    insert into certificate_notices (tenant_id, certificate_id, threshold, event_id, noticed_at)
    select d.tenant_id, d.certificate_id, d.threshold, d.event_id, p_now from due d order by 1, 2
    on conflict do nothing
    returning certificate_notices.tenant_id, certificate_notices.certificate_id, certificate_notices.threshold, certificate_notices.event_id
  ), told as (
    insert into events (tenant_id, id, type, data, created_at)
    select n.tenant_id, n.event_id, case n.threshold when 0 then 'certificate.expired' else 'certificate.expiring' end,
      certificate_told(n.tenant_id, n.certificate_id, n.threshold), p_now
    from noticed n
  )
  select count(*) into written from noticed;
  return written;
end $$;

comment on function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid) is
  'Mails: Leases up to p_limit due mails and notices to a worker and returns them with the tenant after which the '
  'next claim goes on; null means that everything due was looked at. Tenants take turns, so that one tenant''s '
  'month-end does not hold up another''s mail. Rows that somebody holds are skipped. The worker calls it. It goes '
  'by the database''s clock if the caller''s is ahead of it.';
comment on function settle_mail(uuid, uuid, uuid, timestamptz, text, text, text, timestamptz) is
  'Mails: Writes how a mail stands after an attempt and when it is due again; null means never. It returns false, '
  'and writes nothing, if the lease was lost. It locks the due work before the mail. The worker calls it. All times'
  ' of a caller whose clock is ahead of the database''s are put back by as much.';
comment on function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]) is
  'Webhooks: Leases up to p_limit due deliveries to a worker and returns them with the place after which the next '
  'claim goes on; null means that everything due was looked at. Tenants and addresses take turns: a tenant has a '
  'quarter of the room at most and an address p_per_webhook deliveries under way, but addresses whose latest '
  'attempt failed have an eighth and one delivery each. It holds an advisory lock until the commit, so one worker '
  'claims at a time. The worker calls it. It goes by the database''s clock if the caller''s is ahead of it.';
comment on function begin_attempt(uuid, uuid, uuid, timestamptz) is
  'Webhooks: Begins an attempt at a leased delivery, counts it, and returns the address, secrets, event and number '
  'of the attempt. It returns no row if the lease was lost, and if the webhook is switched off or removed: then the'
  ' delivery is put aside or ends as failed. It locks the work, then the delivery. The worker calls it. It goes by '
  'the database''s clock if the caller''s is ahead of it.';
comment on function end_attempt(uuid, uuid, uuid, timestamptz, integer, text, integer, integer, timestamptz, interval, uuid) is
  'Webhooks: Writes how an attempt ended and when the next one is due; null means never. A delivery that was asked '
  'for again meanwhile is due at once, before all that waits of its webhook, and so is one that failed at an '
  'address that was changed meanwhile, also where it ran out of attempts. A webhook that answered 410, or has '
  'failed for p_patience, is switched off with the event webhook.disabled. If the lease was lost, only the attempt '
  'itself is written. It locks the work. The worker calls it. All times of a caller whose clock is ahead of the '
  'database''s are put back by as much.';
comment on function switch_webhook_off(uuid, uuid, integer, boolean, boolean, interval, timestamptz, uuid) is
  'Webhooks: Switches an active webhook off if it is gone, or if p_may_be_failing and it has failed for p_patience,'
  ' with the event webhook.disabled, and returns whether it did. With a p_url_version only while the address is '
  'that one. It locks the webhook. end_attempt calls it, and the worker at intervals. It goes by the database''s '
  'clock if the caller''s is ahead of it.';
comment on function failing_webhooks(interval, timestamptz, integer) is
  'Webhooks: Returns up to p_limit active webhooks, of all tenants, that have failed for p_patience and have no '
  'delivery before them. The worker calls it at intervals and switches them off. It goes by the database''s clock '
  'if the caller''s is ahead of it.';
comment on function notice_low_sequences(integer[], timestamptz) is
  'Numbers: Writes the event sequence.low for counters that have fewer numbers left than a threshold, once for each '
  'threshold, and only for the lowest if several are passed at once. It returns how many it wrote. The worker calls '
  'it at intervals. It goes by the database''s clock if the caller''s is ahead of it.';
comment on function notice_certificates(timestamptz) is
  'Issuers: Writes the event certificate.expiring, or certificate.expired, for each active certificate whose end '
  'has come within 30, 15, 7 or 1 days or has passed, once for each of these thresholds and only for active issuers'
  ' of active tenants. It returns how many it wrote. The worker calls it at intervals. It goes by the database''s '
  'clock if the caller''s is ahead of it.';

-- What an operator changes by psql, where no search_path leads to this schema, is to find what its triggers need. Those that run
-- once a document at most have the path set, which takes microseconds of each call; those of every write name the schema.
alter function resume_parked_documents() set search_path = sello, pg_temp;
alter function guard_draft_deletion() set search_path = sello, pg_temp;
alter function guard_draft_part_deletion() set search_path = sello, pg_temp;
alter function learn_buyer() set search_path = sello, pg_temp;
alter function queue_buyer_mail() set search_path = sello, pg_temp;
alter function refuse_credited_cancellation() set search_path = sello, pg_temp;
alter function reserve_credit_again() set search_path = sello, pg_temp;
alter function settle_credited_original() set search_path = sello, pg_temp;
alter function settle_kept_original() set search_path = sello, pg_temp;
create or replace function guard_document()
  returns trigger
  language plpgsql as $$
declare
  steps integer;
  path text[];
begin
  if tg_op = 'INSERT' then
    if new.status not in ('DRAFT', 'NUMBER_RESERVED') then
      raise exception 'a document cannot begin as %', new.status using errcode = 'SE100';
    end if;
    return new;
  end if;
  if new.tenant_id <> old.tenant_id or new.id <> old.id or (new.issuer_id <> old.issuer_id and old.status <> 'DRAFT')
     or (old.sequential is not null
         and (new.sequential, new.establishment_id, new.emission_point_id, new.document_type, new.sri_environment)
             is distinct from (old.sequential, old.establishment_id, old.emission_point_id, old.document_type, old.sri_environment)) then
    raise exception 'identity and number of a document never change' using errcode = 'SE101';
  end if;
  steps := new.version - old.version;
  if new.status <> old.status and steps < 1 then
    raise exception 'every move raises the version by one' using errcode = 'SE101';
  elsif steps = 1 and new.status <> old.status then
    if not exists (select from sello.document_moves m where m.from_status = old.status and m.to_status = new.status) then
      raise exception 'no move from % to %', old.status, new.status using errcode = 'SE100';
    end if;
  elsif steps > 1 then
    path := string_to_array(current_setting('sello.path', true), ',');
    if path is null or cardinality(path) <> steps or path[steps] <> new.status then
      raise exception 'every move raises the version by one' using errcode = 'SE101';
    end if;
    path := old.status || path;
    for i in 1 .. steps loop
      -- What rests has triggers of its own, which see the ends of a way only: it is not passed through.
      if not (sello.is_moving(path[i]) or path = '{AUTHORIZED,CANCELLATION_REQUESTED,CANCELLED}')
         or not exists (select from sello.document_moves m where m.from_status = path[i] and m.to_status = path[i + 1]) then
        raise exception 'no move from % to %', path[i], path[i + 1] using errcode = 'SE100';
      end if;
    end loop;
  end if;
  return new;
end $$;
create or replace function list_document()
  returns trigger
  language plpgsql as $$
begin
  new.resting_status := case when not sello.is_moving(new.status) then new.status end;
  if tg_op = 'INSERT' or new.buyer_name is distinct from old.buyer_name or new.buyer_search is null then
    new.buyer_search := sello.search_form(new.buyer_name);
  end if;
  return new;
end $$;
create or replace function count_documents()
  returns trigger
  language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform sello.count_document(old, -1); end if;
  if tg_op <> 'DELETE' then perform sello.count_document(new, 1); end if;
  return null;
end $$;
create or replace function count_document(d documents, p_change integer)
  returns void
  language sql as $$
  insert into sello.document_count_changes (tenant_id, created_on, issue_date, issuer_id, document_type, resting_status, change)
  select d.tenant_id, sello.utc_day(d.created_at), d.issue_date, d.issuer_id, d.document_type, d.resting_status, p_change
  where d.resting_status is not null
$$;
create or replace function count_day()
  returns trigger
  language plpgsql as $$
begin
  insert into sello.document_day_counts as k (tenant_id, created_on, documents)
  values (new.tenant_id, new.created_on, new.documents - case tg_op when 'UPDATE' then old.documents else 0 end)
  on conflict (tenant_id, created_on) do update set documents = k.documents + excluded.documents;
  return null;
end $$;
create or replace function complete_event()
  returns trigger
  language plpgsql as $$
begin
  if new.type = 'issuer.paused' then
    select jsonb_build_object('pause', to_jsonb(r)) into new.data from (
      select p.id, p.scope, p.issuer_id, p.establishment_id, p.emission_point_id, p.document_type, p.code as sri_code, p.document_id, p.created_at, p.resumed_at
      from sello.issuing_pauses p where p.tenant_id = new.tenant_id and p.document_id = new.document_id and p.resumed_at is null
      order by p.created_at desc limit 1) r;
  elsif new.document_id is not null then
    new.data := jsonb_build_object('document', sello.document_snapshot(new.tenant_id, new.document_id, new.document_version));
  end if;
  return new;
end $$;
create or replace function document_snapshot(p_tenant uuid, p_document uuid, p_version integer)
  returns jsonb
  language plpgsql stable as $$
begin
  return (
    select to_jsonb(r) from (
      select d.id, d.tenant_id, d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, d.access_key,
        d.status, d.version, d.idempotency_key, to_char(d.issue_date, 'YYYY-MM-DD') as issue_date,
        d.subtotal::text, d.total_discount::text, d.total_tax::text, d.total::text,
        d.buyer_id_type, d.buyer_id, d.buyer_name, d.buyer_email, d.buyer_address,
        d.modified_document_id, d.modified_document_type, d.modified_document_number,
        to_char(d.modified_document_issue_date, 'YYYY-MM-DD') as modified_document_issue_date,
        d.reason, d.authorization_number, d.authorization_date, d.sri_environment, d.created_at, d.updated_at,
        d.sri_messages, d.warnings, d.error_code, d.error_detail, d.next_attempt_at, d.cancellation, d.content_revision
      from sello.documents d
      where d.tenant_id = p_tenant and d.id = p_document and (p_version is null or d.version = p_version)
    ) r);
end $$;
