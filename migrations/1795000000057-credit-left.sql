-- What an invoice has left to credit: its total without its credit notes, of which `p_except` (null: none) is not counted.
-- Every issued one counts unless it came to nothing. Null when there is no such document.
create function credit_left(p_tenant uuid, p_original uuid, p_except uuid) returns numeric
  language sql stable as $$
  select d.total - coalesce((
    select sum(n.total) from documents n
    where n.tenant_id = p_tenant and n.modified_document_id = p_original and n.document_type = '04' and n.id is distinct from p_except
      and n.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED')), 0)
  from documents d where d.tenant_id = p_tenant and d.id = p_original
$$;

-- A credit note may not credit more than its original holds. The original's row is locked, so that concurrent
-- credit notes are judged one after the other: the balance is a statement of its own, which sees what the lock waited for.
--   SE006 original not authorized, SE007 balance exceeded
create or replace function reserve_credit(p_tenant uuid, p_credit_note uuid, p_original uuid, p_total numeric) returns void
  language plpgsql as $$
declare
  original_status text;
  available numeric;
begin
  select d.status into original_status from documents d where d.tenant_id = p_tenant and d.id = p_original for update;
  if original_status is distinct from 'AUTHORIZED' then
    raise exception 'the original is %', coalesce(original_status, 'missing') using errcode = 'SE006';
  end if;
  available := credit_left(p_tenant, p_original, p_credit_note);
  if p_total > available then
    raise exception '% are left to credit', available using errcode = 'SE007', detail = available::text;
  end if;
end $$;
