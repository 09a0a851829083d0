-- Who is to annul the credit notes of a document first is told which: no list finds them by the document that they credit.
create or replace function refuse_credited_cancellation()
  returns trigger
  language plpgsql
as $$
declare
  notes text;
begin
  select string_agg(case when n.place <= 20 then n.number else '…' end, ', ' order by n.place) into notes from (
    select row_number() over (order by d.created_at, d.id) as place,
      substr(d.access_key, 25, 3) || '-' || substr(d.access_key, 28, 3) || '-' || substr(d.access_key, 31, 9) as number
    from documents d
    where d.tenant_id = new.tenant_id and d.modified_document_id = new.id and d.document_type = '04'
      and d.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED')
    order by d.created_at, d.id limit 21
  ) n;
  if notes is not null then
    raise exception 'credit notes were issued for the document' using errcode = 'SE008', detail = notes;
  end if;
  return new;
end $$;
comment on function refuse_credited_cancellation() is
  'Credit notes: Trigger of documents before an authorized document is asked to be annulled: raises SE008 if credit '
  'notes were issued for it that have not come to nothing, with the numbers of the first twenty in the detail, and … '
  'behind them if there are more. It runs '
  'under the document''s lock, which credit notes take too.';
