-- An invoice with issued credit notes is not annulled: they would hang in the air. Runs under the lock that the move holds,
-- and credit notes take the same lock before they are issued.
--   SE008 credited
create function refuse_credited_cancellation() returns trigger
  language plpgsql as $$
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
create trigger refuse_credited_cancellation before update of status on documents
  for each row when (new.status = 'CANCELLATION_REQUESTED' and old.status = 'AUTHORIZED')
  execute function refuse_credited_cancellation();

-- A credit note that was given up has returned its amount; taking it up again needs the balance again. SQLSTATEs as reserve_credit.
create function reserve_credit_again() returns trigger
  language plpgsql as $$
begin
  perform reserve_credit(new.tenant_id, new.id, new.modified_document_id, new.total);
  return null;
end $$;
create trigger reserve_credit_again after update of status on documents
  for each row when (old.status = 'FAILED_PERMANENT' and new.status in ('RECEPTION_RETRY_SCHEDULED', 'AUTHORIZATION_RETRY_SCHEDULED')
                     and new.document_type = '04' and new.modified_document_id is not null)
  execute function reserve_credit_again();

-- Handing functions over is done; a later migration that does so again grants this for itself.
revoke create on schema sello from sello_worker, sello_resolver;
