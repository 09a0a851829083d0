-- What resumes a backlog does so in parts, and what is known to be served is not stopped by an old refusal.

-- Whether the SRI has authorized a document of a scope after it said what p_since is the time of, or the scope was paused and
-- resumed since. Of a tenant's documents the newest are looked at: where the SRI serves the scope, it is among them.
create function scope_was_served_since(d documents, p_scope text, p_since timestamptz) returns boolean
  language plpgsql stable as $$
begin
  return exists (
    select from issuing_pauses p
    where p.tenant_id = d.tenant_id and p.issuer_id = d.issuer_id and p.scope = p_scope and p.resumed_at > p_since
      and (p.establishment_id is null or p.establishment_id = d.establishment_id)
      and (p.emission_point_id is null or p.emission_point_id = d.emission_point_id)
      and (p.document_type is null or p.document_type = d.document_type)
  ) or exists (
    select from (
      select x.* from documents x where x.tenant_id = d.tenant_id order by x.created_at desc, x.id desc limit 5000
    ) x
    where x.issuer_id = d.issuer_id and x.authorization_date > p_since and x.sri_environment = d.sri_environment
      and (p_scope not in ('establishment', 'emission_point') or x.establishment_id = d.establishment_id)
      and (p_scope <> 'emission_point' or x.emission_point_id = d.emission_point_id)
      and (p_scope not in ('document_type', 'emission_point') or x.document_type = d.document_type)
  );
end $$;

create or replace function pause_scope(d documents, p_pause jsonb, p_now timestamptz) returns void
  language plpgsql as $$
declare
  wanted text := p_pause ->> 'scope';
begin
  if (p_pause ->> 'threshold')::integer > 1 and (p_pause ->> 'threshold')::integer > (
    select count(*) from documents x
    where x.tenant_id = d.tenant_id and x.emission_point_id = d.emission_point_id and x.document_type = d.document_type
      and x.sri_environment = d.sri_environment and (x.id = d.id or x.error_code = d.error_code)
      and x.sequential > coalesce((
        select max(y.sequential) from documents y
        where y.tenant_id = d.tenant_id and y.emission_point_id = d.emission_point_id and y.document_type = d.document_type
          and y.sri_environment = d.sri_environment and y.received_at is not null), 0)
  ) then
    return;
  end if;
  -- A refusal that is found late tells of how things stood when the SRI decided.
  if (p_pause ->> 'threshold')::integer = 1 and scope_was_served_since(d, wanted, (p_pause ->> 'decidedAt')::timestamptz) then
    return;
  end if;
  insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
  values (d.tenant_id, (p_pause ->> 'id')::uuid, wanted, d.issuer_id,
          case when wanted in ('establishment', 'emission_point') then d.establishment_id end,
          case when wanted = 'emission_point' then d.emission_point_id end,
          case when wanted in ('document_type', 'emission_point') then d.document_type end,
          p_pause ->> 'code', d.id, p_now)
  on conflict do nothing;
  if found then
    insert into events (tenant_id, id, type, document_id, document_version, created_at)
    values (d.tenant_id, (p_pause ->> 'event_id')::uuid, 'issuer.paused', d.id, d.version, p_now);
  end if;
end $$;

-- Takes the place of resume_pause, which wakes all that waits in one statement: here the pause is over at once, however much
-- waits. The version before still calls that one, and resume_deliveries; the next one drops both.
create function end_pause(p_tenant uuid, p_issuer uuid, p_pause uuid, p_now timestamptz)
  returns setof issuing_pauses language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  update issuing_pauses p set resumed_at = coalesce(p.resumed_at, p_now)
  where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.id = p_pause
  returning p.*;
end $$;

-- Wakes some of what came to wait in the scope of a pause before it ended, as the time tells at which it would look by itself,
-- ten minutes later; returns how many, 0 once none is left. What waits anew, for its turn or another pause, is left alone.
create function wake_resumed(p_tenant uuid, p_pause uuid, p_now timestamptz, p_limit integer) returns integer
  language plpgsql as $$
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

-- As resume_deliveries, some at a time; returns how many, 0 once none waits. It waits for attempts under way: one that has seen
-- the webhook switched off has put its delivery aside then. What is past its time is due anyway.
create function resume_some_deliveries(p_tenant uuid, p_webhook uuid, p_now timestamptz, p_limit integer) returns integer
  language plpgsql as $$
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
  update webhook_work w set due_at = p_now from told where w.tenant_id = told.tenant_id and w.delivery_id = told.id;
  get diagnostics resumed = row_count;
  return resumed;
end $$;
alter function wake_resumed(uuid, uuid, timestamptz, integer) set enable_seqscan = off;
alter function resume_some_deliveries(uuid, uuid, timestamptz, integer) set enable_seqscan = off;
