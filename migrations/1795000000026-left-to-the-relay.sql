-- A document whose bell was not rung, because the queue is long enough: the relay announces it like any other, tenants in
-- turns. What somebody holds or waits with is passed over; it comes again by itself.
create function leave_to_relay(p_tenants uuid[], p_documents uuid[]) returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- Forgotten by a crash of the server, the row is announced again when nobody has come for it.
  perform set_config('synchronous_commit', 'off', true);
  update outbox o set announced_at = null
  from (
    select w.tenant_id, w.document_id
    from unnest(p_tenants, p_documents) as unrung (tenant_id, document_id)
    join outbox w on w.tenant_id = unrung.tenant_id and w.document_id = unrung.document_id
    where w.step = 'prepare' and w.lease_token is null
    for update of w skip locked
  ) free
  where o.tenant_id = free.tenant_id and o.document_id = free.document_id;
end $$;
-- Handing a function over needs the right to create, which is not left behind.
grant create on schema sello to sello_worker;
alter function leave_to_relay(uuid[], uuid[]) owner to sello_worker;
revoke create on schema sello from sello_worker;
revoke execute on function leave_to_relay(uuid[], uuid[]) from public;
grant execute on function leave_to_relay(uuid[], uuid[]) to sello_app;
