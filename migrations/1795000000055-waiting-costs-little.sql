-- Streams of events that wait are asked about together, and a call that waits for its document asks in one statement.

-- Of each place of a tenant (one of each array), whether an event is shown behind it, of one document or (null) of any, whatever
-- its type. Of another life of the database nothing is found here: a stream's own look tells that.
create function events_behind(p_tenants uuid[], p_xids xid8[], p_positions bigint[], p_documents uuid[]) returns boolean[]
  language plpgsql stable security definer set search_path = sello, pg_temp set enable_seqscan = off as $$
declare
  horizon constant xid8 := pg_snapshot_xmin(pg_current_snapshot());
begin
  return array(
    select coalesce(case when place.document_id is null
      then (
        select true from events e
        where e.tenant_id = place.tenant_id and (e.xid, e.position) > (place.xid, place.position) and e.xid < horizon
        order by e.xid, e.position limit 1)
      else (
        select true from events e
        where e.tenant_id = place.tenant_id and e.document_id = place.document_id and (e.xid, e.position) > (place.xid, place.position) and e.xid < horizon
        limit 1)
      end, false)
    from unnest(p_tenants, p_xids, p_positions, p_documents) with ordinality as place (tenant_id, xid, position, document_id, number)
    order by place.number);
end $$;
grant create on schema sello to sello_worker;
alter function events_behind(uuid[], xid8[], bigint[], uuid[]) owner to sello_worker;
revoke create on schema sello from sello_worker;
revoke execute on function events_behind(uuid[], xid8[], bigint[], uuid[]) from public;
grant execute on function events_behind(uuid[], xid8[], bigint[], uuid[]) to sello_app;

-- How a document stands, for the caller who waits for it, and whether the caller's credential still does.
create function document_outcome(p_tenant uuid, p_document uuid, p_credential uuid, p_now timestamptz)
  returns table (status text, sri_messages jsonb, authorization_number text, authorization_date timestamptz, credential_is_valid boolean)
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  return query
  select d.status, d.sri_messages, d.authorization_number, d.authorization_date, is_credential_valid(p_tenant, p_credential, p_now)
  from documents d where d.tenant_id = p_tenant and d.id = p_document;
end $$;
alter function document_outcome(uuid, uuid, uuid, timestamptz) set enable_seqscan = off;
