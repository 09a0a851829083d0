-- Events keep what they tell as it was when it happened, and an order in which none is ever missed: numbers of an identity
-- are drawn before the commit, so a reader who goes by them alone passes over what commits later. Ordered by transaction,
-- and shown only once every older transaction has ended, nothing appears behind a reader's place.
alter table events
  -- {document: the record without its content, which is kept by revision}; other kinds: {pause}, {certificate}, ...
  add column data jsonb,
  add column xid xid8 not null default pg_current_xact_id();
drop index events_in_order;
create index events_in_commit_order on events (tenant_id, xid, position);
-- Ranges of time, for replays: grows with the table at next to no cost.
create index events_in_time on events using brin (created_at) with (autosummarize = on);

-- A document's row as the API names it, at a version (null: as it is now); null when it is not at that version.
create function document_snapshot(p_tenant uuid, p_document uuid, p_version integer) returns jsonb
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
      from documents d
      where d.tenant_id = p_tenant and d.id = p_document and (p_version is null or d.version = p_version)
    ) r);
end $$;

-- What an event tells, where its writer did not say.
create function complete_event() returns trigger
  language plpgsql as $$
begin
  if new.type = 'issuer.paused' then
    select jsonb_build_object('pause', to_jsonb(r)) into new.data from (
      select p.id, p.scope, p.issuer_id, p.establishment_id, p.emission_point_id, p.document_type, p.code as sri_code, p.document_id, p.created_at, p.resumed_at
      from issuing_pauses p where p.tenant_id = new.tenant_id and p.document_id = new.document_id and p.resumed_at is null
      order by p.created_at desc limit 1) r;
  elsif new.document_id is not null then
    new.data := jsonb_build_object('document', document_snapshot(new.tenant_id, new.document_id, new.document_version));
  end if;
  return new;
end $$;
create trigger complete_event before insert on events
  for each row when (new.data is null) execute function complete_event();

-- An event as its readers get it; the content of its document beside it, for the program to put together.
create function event_card(e events) returns jsonb
  language sql stable as $$
  select jsonb_build_object(
    'id', e.id, 'type', e.type, 'created_at', e.created_at, 'tenant_id', e.tenant_id, 'version', e.document_version,
    'data', shown.data,
    'content', (
      select c.content from document_contents c
      where c.tenant_id = e.tenant_id and c.document_id = e.document_id and c.revision = (shown.data -> 'document' ->> 'content_revision')::integer))
  from (select case
    -- Written before events kept what they tell.
    when e.type in ('certificate.expiring', 'certificate.expired') and e.data is null then (
      -- Certificates do not change: they are shown as they are.
      select jsonb_build_object('certificate', jsonb_build_object(
        'id', c.id, 'issuer_id', c.issuer_id, 'subject', c.subject, 'issuer_name', c.issuer_name, 'serial_number', c.serial_number, 'ruc', c.ruc,
        'valid_from', c.valid_from, 'valid_to', c.valid_to, 'fingerprint_sha256', c.fingerprint_sha256, 'threshold_days', n.threshold))
      from certificate_notices n join certificates c on c.tenant_id = n.tenant_id and c.id = n.certificate_id
      where n.tenant_id = e.tenant_id and n.event_id = e.id)
    when e.document_id is not null and coalesce(e.data -> 'document', e.data -> 'pause', 'null') = 'null'
      then jsonb_build_object('document', document_snapshot(e.tenant_id, e.document_id, null))
    else coalesce(e.data, '{}')
  end as data) shown
$$;

-- Events behind a place, oldest first, and the place behind the last one looked at. A null place is the present: nothing
-- yet, and all that commits from now on behind it. Looks at no more than p_scan rows, so that a rare type costs no more than
-- a common one; is_more says that there is more to look at.
create function events_after(
  p_tenant uuid, p_credential uuid, p_now timestamptz, p_xid xid8, p_position bigint, p_type text, p_document uuid, p_scan integer, p_limit integer)
  returns table (credential_is_valid boolean, xid text, "position" text, is_more boolean, events jsonb)
  language plpgsql as $$
declare
  -- Taken before the events are read: what is older than every open transaction is committed or gone.
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
  -- A place of another life of the database, before it was restored: there all restored events stand at transaction 0.
  since xid8 := case when p_xid >= pg_snapshot_xmax(pg_current_snapshot()) then '0'::xid8 else p_xid end;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  if p_xid is null then
    return query select is_credential_valid(p_tenant, p_credential, p_now), (horizon::text::numeric - 1)::text, '9223372036854775807', false, '[]'::jsonb;
    return;
  end if;
  return query
  with seen as (
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is null and e.tenant_id = p_tenant and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
    union all
    (select e.id, e.type, e.xid, e.position from events e
     where p_document is not null and e.tenant_id = p_tenant and e.document_id = p_document and (e.xid, e.position) > (since, p_position) and e.xid < horizon
     order by e.xid, e.position limit p_scan + 1)
  ), judged as (
    select s.*, p_type is null or s.type = p_type as fits, row_number() over (order by s.xid, s.position) as place from seen s
  ), counted as (
    select j.*, count(*) filter (where j.fits) over (order by j.place) - j.fits::integer as before from judged j
  ), looked as (
    select c.* from counted c where c.place <= p_scan and c.before < p_limit
  )
  select is_credential_valid(p_tenant, p_credential, p_now),
    coalesce((select l.xid::text from looked l order by l.place desc limit 1), since::text),
    coalesce((select l.position::text from looked l order by l.place desc limit 1), p_position::text),
    (select count(*) from seen) > (select count(*) from looked),
    coalesce((
      select jsonb_agg(event_card(e) || jsonb_build_object('xid', e.xid::text, 'position', e.position::text) order by l.place)
      from looked l join events e on e.tenant_id = p_tenant and e.id = l.id where l.fits), '[]');
end $$;

-- After a restore into another cluster its transactions count from the beginning: what is numbered above them would stay
-- hidden. Called by `npm run migrate`.
create function settle_restored_events() returns bigint
  language sql security definer set search_path = sello, pg_temp as $$
  with settled as (
    update events e set xid = '0' where e.xid >= pg_snapshot_xmax(pg_current_snapshot()) returning 1
  )
  select count(*) from settled
$$;

-- Which thresholds of remaining numbers a counter has passed: each is told once.
create table sequence_notices (
  tenant_id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  threshold integer not null,
  noticed_at timestamptz not null,
  primary key (tenant_id, emission_point_id, document_type, environment, threshold),
  foreign key (tenant_id, emission_point_id) references emission_points (tenant_id, id) on delete cascade
);
call isolate_tenant_table('sequence_notices');
grant select on sequence_notices to sello_app;

-- Tells of counters that run low, once for each threshold; of several passed at once only the lowest. Returns how many.
create function notice_low_sequences(p_thresholds integer[], p_now timestamptz) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  told integer;
begin
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

-- Addresses of a tenant that events are sent to.
create table webhooks (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  url text not null check (length(url) <= 2048),
  description text,
  -- Null: every kind.
  kinds text[],
  is_active boolean not null,
  -- The first failure since which nothing arrived.
  failing_since timestamptz,
  -- Switched off by the service, and why; cleared when somebody switches it on again.
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  check (deleted_at is null or not is_active)
);
call isolate_tenant_table('webhooks');
grant select, insert, update on webhooks to sello_app;

-- Sealed for their record. One without an end signs; the one before it signs too until it ends.
create table webhook_secrets (
  tenant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  sealed_secret bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id)
);
create unique index webhook_secrets_current on webhook_secrets (tenant_id, webhook_id) where expires_at is null;
create index webhook_secrets_of_webhook on webhook_secrets (tenant_id, webhook_id);
call isolate_tenant_table('webhook_secrets');
grant select, insert, update (expires_at), delete on webhook_secrets to sello_app;

-- One event on its way to one address.
create table webhook_deliveries (
  tenant_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- All attempts, and those since it was last begun: the place in the schedule.
  attempts integer not null default 0,
  round integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id),
  foreign key (tenant_id, event_id) references events (tenant_id, id)
) with (fillfactor = 80);
create unique index webhook_deliveries_once on webhook_deliveries (tenant_id, webhook_id, event_id);
create index webhook_deliveries_newest on webhook_deliveries (tenant_id, webhook_id, created_at desc, id desc);
call isolate_tenant_table('webhook_deliveries');
grant select, insert, update on webhook_deliveries to sello_app;

-- Every request that was made, or begun. Committed before the first byte goes out.
create table webhook_attempts (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  outcome text,
  status_code integer,
  duration_ms integer,
  primary key (tenant_id, delivery_id, number),
  foreign key (tenant_id, delivery_id) references webhook_deliveries (tenant_id, id)
);
call isolate_tenant_table('webhook_attempts');
grant select, insert, update on webhook_attempts to sello_app;

-- Deliveries that are due, now or later. Crosses tenants, so it holds only ids and due times; only claim_deliveries walks it.
create table webhook_work (
  tenant_id uuid not null,
  delivery_id uuid not null,
  webhook_id uuid not null,
  -- While a worker holds the row: when its lease runs out.
  due_at timestamptz not null,
  lease_token uuid,
  primary key (tenant_id, delivery_id)
) with (fillfactor = 50);
create index webhook_work_due on webhook_work (due_at);
create index webhook_work_of_webhook on webhook_work (tenant_id, webhook_id, due_at);
create index webhook_work_held on webhook_work (tenant_id, webhook_id) where lease_token is not null;
alter table webhook_work enable row level security;
alter table webhook_work force row level security;
create policy tenant_isolation on webhook_work to sello_app using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy worker_walks on webhook_work to sello_worker using (true) with check (true);
grant select, insert, update, delete on webhook_work to sello_app;
grant select, insert, update on webhook_work to sello_worker;

create policy worker_fans_out on webhooks for select to sello_worker using (true);
grant select (tenant_id, id, kinds, is_active, failing_since) on webhooks to sello_worker;
create policy worker_fans_out on webhook_deliveries for insert to sello_worker with check (true);
grant insert on webhook_deliveries to sello_worker;
create policy worker_notices_sequences on sequence_notices to sello_worker using (true) with check (true);
grant select, insert on sequence_notices to sello_worker;
create policy worker_notices_sequences on sequence_counters for select to sello_worker using (true);
grant select on sequence_counters to sello_worker;
create policy worker_notices_sequences on emission_points for select to sello_worker using (true);
grant select (tenant_id, id, establishment_id) on emission_points to sello_worker;
create policy worker_notices_sequences on establishments for select to sello_worker using (true);
grant select (tenant_id, id, issuer_id) on establishments to sello_worker;
create policy worker_settles_restored on events to sello_worker using (true) with check (true);
grant select (tenant_id, id, xid), update (xid) on events to sello_worker;

-- In the transaction of the event: to every address that listens to its kind. A ping is for the address that is tried only.
create function fan_out_event() returns trigger
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  with listeners as (
    select w.tenant_id, gen_random_uuid() as delivery_id, w.id as webhook_id
    from webhooks w
    where w.tenant_id = new.tenant_id and w.is_active and (w.kinds is null or new.type = any (w.kinds))
  ), due as (
    insert into webhook_work (tenant_id, delivery_id, webhook_id, due_at)
    select l.tenant_id, l.delivery_id, l.webhook_id, new.created_at from listeners l
  )
  insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
  select l.tenant_id, l.delivery_id, l.webhook_id, new.id, 'pending', new.created_at, new.created_at from listeners l;
  return null;
end $$;
create trigger fan_out_event after insert on events
  for each row when (new.type <> 'ping') execute function fan_out_event();

-- Leases due deliveries, tenants and addresses taking turns: those with least under way first. Of one address at most
-- p_per_webhook are under way, over all workers, and one while it fails; of all that fail together p_limit_failing more.
-- One claim at a time, so that the bounds hold; each takes a moment.
create function claim_deliveries(
  p_token uuid, p_now timestamptz, p_lease interval, p_limit integer, p_limit_failing integer, p_per_webhook integer)
  returns table (tenant_id uuid, delivery_id uuid, is_failing boolean)
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- A lease forgotten by a crash of the server leads to one delivery more: no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if not exists (select from webhook_work w where w.due_at <= p_now) then return; end if;
  perform pg_advisory_xact_lock(7356114);
  return query
  with recursive addresses as (
    (select w.tenant_id, w.webhook_id from webhook_work w order by w.tenant_id, w.webhook_id limit 1)
    union all
    select next.tenant_id, next.webhook_id from addresses a cross join lateral (
      select w.tenant_id, w.webhook_id from webhook_work w
      where (w.tenant_id, w.webhook_id) > (a.tenant_id, a.webhook_id) order by w.tenant_id, w.webhook_id limit 1) next
  ), busy as (
    select a.tenant_id, a.webhook_id, k.failing_since is not null as fails,
      (select count(*) from webhook_work b
       where b.tenant_id = a.tenant_id and b.webhook_id = a.webhook_id and b.lease_token is not null and b.due_at > p_now) as under_way
    from addresses a join webhooks k on k.tenant_id = a.tenant_id and k.id = a.webhook_id
  ), candidates as (
    select b.tenant_id, due.delivery_id, b.fails, due.due_at,
      b.under_way + row_number() over (partition by b.tenant_id, b.webhook_id order by due.due_at) as place
    from busy b cross join lateral (
      select w.delivery_id, w.due_at from webhook_work w
      where w.tenant_id = b.tenant_id and w.webhook_id = b.webhook_id and w.due_at <= p_now
      order by w.due_at limit greatest(0, case when b.fails then 1 else p_per_webhook end - b.under_way)) due
  ), turns as (
    select c.*, row_number() over (partition by c.tenant_id, c.fails order by c.place, c.due_at) as turn from candidates c
  ), chosen as (
    (select t.* from turns t where t.fails order by t.turn, t.due_at limit p_limit_failing)
    union all
    (select t.* from turns t where not t.fails order by t.turn, t.due_at limit p_limit)
  ), held as (
    select w.tenant_id, w.delivery_id, c.fails
    from (select * from chosen order by fails, turn, due_at limit p_limit) c
    join webhook_work w on w.tenant_id = c.tenant_id and w.delivery_id = c.delivery_id
    where w.due_at <= p_now
    for update of w skip locked
  )
  update webhook_work w set lease_token = p_token, due_at = p_now + p_lease
  from held where w.tenant_id = held.tenant_id and w.delivery_id = held.delivery_id
  returning w.tenant_id, w.delivery_id, held.fails;
end $$;

-- Begins an attempt of a leased delivery: it is on record before anything is sent. No row: the lease was lost, or nobody
-- listens at the address any more, and then the delivery is over.
create function begin_attempt(p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz)
  returns table (webhook_id uuid, url text, secrets jsonb, event jsonb, number integer, round integer)
  language plpgsql as $$
declare
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
  e events%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery and w.lease_token = p_token for update;
  if not found then return; end if;
  select * into d from webhook_deliveries x where x.tenant_id = p_tenant and x.id = p_delivery for update;
  select * into k from webhooks x where x.tenant_id = p_tenant and x.id = d.webhook_id;
  select * into e from events x where x.tenant_id = p_tenant and x.id = d.event_id;
  -- What a worker began that did not come back.
  update webhook_attempts a set finished_at = p_now, outcome = 'interrupted'
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = d.attempts and a.finished_at is null;
  if k.deleted_at is not null or not k.is_active and e.type <> 'ping' then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
    update webhook_deliveries x set status = 'failed', finished_at = p_now, next_attempt_at = null where x.tenant_id = p_tenant and x.id = p_delivery;
    return;
  end if;
  update webhook_deliveries x set attempts = x.attempts + 1, round = x.round + 1 where x.tenant_id = p_tenant and x.id = p_delivery returning * into d;
  insert into webhook_attempts (tenant_id, delivery_id, number, started_at) values (p_tenant, p_delivery, d.attempts, p_now);
  return query
  select k.id, k.url,
    (select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', encode(s.sealed_secret, 'base64')) order by s.expires_at nulls first)
     from webhook_secrets s where s.tenant_id = p_tenant and s.webhook_id = k.id and (s.expires_at is null or s.expires_at > p_now)),
    event_card(e), d.attempts, d.round;
end $$;

-- Ends an attempt. p_next_at null: no more are to come. An address that is gone, or where nothing arrived for p_patience,
-- is switched off with an event. Without the lease only the attempt itself is put on record.
create function end_attempt(
  p_tenant uuid, p_delivery uuid, p_token uuid, p_now timestamptz, p_number integer, p_outcome text, p_status_code integer, p_duration_ms integer,
  p_next_at timestamptz, p_patience interval, p_event uuid) returns void
  language plpgsql as $$
declare
  d webhook_deliveries%rowtype;
  k webhooks%rowtype;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  perform from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery and w.lease_token = p_token for update;
  if not found then
    update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
    where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number;
    return;
  end if;
  update webhook_deliveries x set
    status = case when p_outcome = 'delivered' then 'delivered' when p_next_at is null then 'failed' else 'pending' end,
    next_attempt_at = p_next_at, finished_at = case when p_next_at is null then p_now end
  where x.tenant_id = p_tenant and x.id = p_delivery
  returning * into d;
  update webhook_attempts a set finished_at = p_now, outcome = p_outcome, status_code = p_status_code, duration_ms = p_duration_ms
  where a.tenant_id = p_tenant and a.delivery_id = p_delivery and a.number = p_number;
  if p_next_at is null then
    delete from webhook_work w where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  else
    update webhook_work w set due_at = p_next_at, lease_token = null where w.tenant_id = p_tenant and w.delivery_id = p_delivery;
  end if;
  if p_outcome = 'delivered' then
    update webhooks x set failing_since = null where x.tenant_id = p_tenant and x.id = d.webhook_id and x.failing_since is not null;
    return;
  end if;
  -- A secret that we could not open is no fault of the address.
  if p_outcome = 'secret_unavailable' then return; end if;
  update webhooks x set failing_since = p_now where x.tenant_id = p_tenant and x.id = d.webhook_id and x.is_active and x.failing_since is null;
  update webhooks x set
    is_active = false, disabled_at = p_now, updated_at = p_now, disabled_reason = case when p_status_code = 410 then 'gone' else 'failing' end
  where x.tenant_id = p_tenant and x.id = d.webhook_id and x.is_active and (p_status_code = 410 or x.failing_since <= p_now - p_patience)
  returning * into k;
  if found then
    insert into events (tenant_id, id, type, created_at, data)
    values (p_tenant, p_event, 'webhook.disabled', p_now, jsonb_build_object('webhook', jsonb_build_object(
      'id', k.id, 'url', k.url, 'description', k.description, 'disabled_reason', k.disabled_reason, 'disabled_at', k.disabled_at, 'failing_since', k.failing_since)));
  end if;
end $$;

-- Sends a delivery again from the beginning of its schedule, or for the first time. Work is locked first, as by those who deliver.
create function restart_delivery(p_tenant uuid, p_delivery uuid, p_webhook uuid, p_event uuid, p_now timestamptz) returns void
  language plpgsql as $$
begin
  insert into webhook_work as w (tenant_id, delivery_id, webhook_id, due_at) values (p_tenant, p_delivery, p_webhook, p_now)
  on conflict (tenant_id, delivery_id) do update set due_at = p_now, lease_token = null;
  insert into webhook_deliveries as d (tenant_id, id, webhook_id, event_id, status, next_attempt_at, created_at)
  values (p_tenant, p_delivery, p_webhook, p_event, 'pending', p_now, p_now)
  on conflict (tenant_id, id) do update set status = 'pending', round = 0, next_attempt_at = p_now, finished_at = null;
end $$;

-- Sends an address the events of a time again, oldest first, whether or not they were sent to it before. Returns how many,
-- at most p_limit + 1: then nothing is to be kept of it.
create function replay_events(p_tenant uuid, p_webhook uuid, p_from timestamptz, p_to timestamptz, p_kinds text[], p_now timestamptz, p_limit integer)
  returns integer
  language plpgsql as $$
declare
  replayed integer := 0;
  chosen record;
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  for chosen in
    select e.id as event_id, coalesce(d.id, gen_random_uuid()) as delivery_id
    from events e left join webhook_deliveries d on d.tenant_id = e.tenant_id and d.webhook_id = p_webhook and d.event_id = e.id
    where e.tenant_id = p_tenant and e.created_at >= p_from and e.created_at < p_to and e.type <> 'ping' and (p_kinds is null or e.type = any (p_kinds))
    order by e.xid, e.position limit p_limit + 1
  loop
    perform restart_delivery(p_tenant, chosen.delivery_id, p_webhook, chosen.event_id, p_now);
    replayed := replayed + 1;
  end loop;
  return replayed;
end $$;

-- Rotation of the master key: an operator's act, as the owner of the schema; the service's role may not call it.
create policy resolver_rotates on webhook_secrets to sello_resolver using (true) with check (true);
grant select, update (sealed_secret) on webhook_secrets to sello_resolver;

create function sealed_webhook_secrets_after(p_tenant uuid, p_id uuid, p_limit integer)
  returns table (tenant_id uuid, id uuid, webhook_id uuid, sealed_secret bytea)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select s.tenant_id, s.id, s.webhook_id, s.sealed_secret from webhook_secrets s
  where (s.tenant_id, s.id) > (p_tenant, p_id)
  order by s.tenant_id, s.id
  limit p_limit
$$;

create function replace_sealed_webhook_secret(p_tenant uuid, p_id uuid, p_old bytea, p_new bytea) returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  update webhook_secrets s set sealed_secret = p_new where s.tenant_id = p_tenant and s.id = p_id and s.sealed_secret = p_old;
  return found;
end $$;

-- Handing a function over needs the right to create, which is not left behind.
grant create on schema sello to sello_worker, sello_resolver;
alter function settle_restored_events() owner to sello_worker;
alter function notice_low_sequences(integer[], timestamptz) owner to sello_worker;
alter function fan_out_event() owner to sello_worker;
alter function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) owner to sello_worker;
alter function sealed_webhook_secrets_after(uuid, uuid, integer) owner to sello_resolver;
alter function replace_sealed_webhook_secret(uuid, uuid, bytea, bytea) owner to sello_resolver;
revoke create on schema sello from sello_worker, sello_resolver;

revoke execute on function settle_restored_events() from public;
revoke execute on function notice_low_sequences(integer[], timestamptz) from public;
revoke execute on function fan_out_event() from public;
revoke execute on function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) from public;
revoke execute on function sealed_webhook_secrets_after(uuid, uuid, integer) from public;
revoke execute on function replace_sealed_webhook_secret(uuid, uuid, bytea, bytea) from public;
grant execute on function notice_low_sequences(integer[], timestamptz) to sello_app;
grant execute on function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) to sello_app;
