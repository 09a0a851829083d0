create or replace function refuse_credited_cancellation()
  returns trigger
  language plpgsql
as $$
begin
  if exists (
    select from documents d
    where d.tenant_id = new.tenant_id and d.modified_document_id = new.id and d.document_type = '04'
      and d.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED')
  ) then
    raise exception 'credit notes were issued for the document' using errcode = 'SE008';
  end if;
  return new;
end $$;
comment on function refuse_credited_cancellation() is
  'Credit notes: Trigger of documents before an authorized document is asked to be annulled: raises SE008 if credit '
  'notes were issued for it that have not come to nothing. It runs under the document''s lock, which credit notes '
  'take too.';
