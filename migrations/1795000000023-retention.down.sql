drop function sign_ins_past_keeping(text, timestamptz, bigint, bigint, boolean);
drop function rows_past_keeping(text, timestamptz, bigint, bigint, boolean);
drop function remove_archived_documents(uuid, uuid[], integer[], date, timestamptz);
drop function document_papers(uuid, uuid[]);
drop function documents_past_keeping(uuid, date, date, date, date, timestamptz, uuid, integer);
drop function is_settled(documents);
drop function months_past_keeping(date);
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'SE120';
end $$;
create or replace function guard_draft_part_deletion() returns trigger
  language plpgsql as $$
begin
  if not exists (select from documents d where d.tenant_id = old.tenant_id and d.id = old.document_id and d.status = 'DRAFT') then
    raise exception 'contents and history are kept for ever' using errcode = 'SE100';
  end if;
  return old;
end $$;
create or replace function guard_draft_deletion() returns trigger
  language plpgsql as $$
begin
  if old.status <> 'DRAFT' then
    raise exception 'only a draft may be deleted' using errcode = 'SE100';
  end if;
  return old;
end $$;
revoke delete on webhook_work from sello_worker;
revoke insert on document_count_changes from sello_worker;
do $$
declare
  name text;
begin
  foreach name in array array[
    'documents', 'document_contents', 'document_history', 'signed_documents', 'sri_attempts', 'document_authorizations', 'buyer_documents',
    'mails', 'events', 'webhook_deliveries', 'webhook_attempts', 'audit_log'] loop
    execute format('drop policy worker_removes on %I', name);
    execute format('revoke delete on %I from sello_worker', name);
    if name <> 'mails' then execute format('revoke select on %I from sello_worker', name); end if;
  end loop;
end $$;
grant select (tenant_id, id, xid) on events to sello_worker;
alter table buyer_documents add constraint buyer_documents_tenant_id_document_id_fkey foreign key (tenant_id, document_id) references documents (tenant_id, id);
drop index webhook_deliveries_once;
create unique index webhook_deliveries_once on webhook_deliveries (tenant_id, webhook_id, event_id);
drop table archived_numbers;
drop function is_past_keeping(date);
