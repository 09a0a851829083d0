-- What resumes a backlog does so in parts, and what is known to be served is not stopped by an old refusal.

-- Whether the SRI has authorized a document of a scope that was sent later than this one, or the scope was paused and resumed
-- since. A document that is sent again counts from its last sending.
create function scope_was_served_since(d documents, p_scope text) returns boolean
  language plpgsql stable as $$
declare
  sent_at timestamptz := coalesce(
    (select max(a.started_at) from sri_attempts a where a.tenant_id = d.tenant_id and a.document_id = d.id and a.service = 'reception'), d.first_sent_at);
begin
  return exists (
    select from issuing_pauses p
    where p.tenant_id = d.tenant_id and p.issuer_id = d.issuer_id and p.scope = p_scope and p.resumed_at > sent_at
      and (p.establishment_id is null or p.establishment_id = d.establishment_id)
      and (p.emission_point_id is null or p.emission_point_id = d.emission_point_id)
      and (p.document_type is null or p.document_type = d.document_type)
  ) or exists (
    -- From the newest on: where the SRI serves it, few are looked at.
    select from (
      select from documents x
      where x.tenant_id = d.tenant_id and x.issuer_id = d.issuer_id and x.created_at >= sent_at - interval '1 day'
        and x.first_sent_at > sent_at and x.authorization_date is not null and x.sri_environment = d.sri_environment
        and (p_scope not in ('establishment', 'emission_point') or x.establishment_id = d.establishment_id)
        and (p_scope <> 'emission_point' or x.emission_point_id = d.emission_point_id)
        and (p_scope not in ('document_type', 'emission_point') or x.document_type = d.document_type)
      order by x.created_at desc limit 1
    ) served
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
  -- A refusal that is found late tells of how things stood when the document was sent: whom the SRI has served since, or whom
  -- somebody has let go on since, it does not stop again.
  if (p_pause ->> 'threshold')::integer = 1 and scope_was_served_since(d, wanted) then
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

-- As resume_pause, which wakes all that waits in one statement: however much waits, the pause is over at once.
create function end_pause(p_tenant uuid, p_issuer uuid, p_pause uuid, p_now timestamptz)
  returns setof issuing_pauses language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  update issuing_pauses p set resumed_at = coalesce(p.resumed_at, p_now)
  where p.tenant_id = p_tenant and p.issuer_id = p_issuer and p.id = p_pause
  returning p.*;
end $$;

-- Wakes some of what waits in the scope of a pause that has ended; returns how many, 0 once none is left. What is not woken
-- looks by itself ten minutes after it came to wait.
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
    select w.tenant_id, w.document_id from outbox w
    where w.tenant_id = p_tenant and w.issuer_id = pause.issuer_id and w.due_at < 'infinity' and w.step = 'submit' and w.ahead and w.sequential > 0
      and (pause.establishment_id is null or w.establishment_id = pause.establishment_id)
      and (pause.emission_point_id is null or w.emission_point_id = pause.emission_point_id)
      and (pause.document_type is null or w.document_type = pause.document_type)
    order by w.due_at limit p_limit
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
