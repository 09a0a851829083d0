create or replace function reserve_credit(p_tenant uuid, p_credit_note uuid, p_original uuid, p_total numeric) returns void
  language plpgsql as $$
declare
  original documents%rowtype;
  credited numeric;
begin
  select * into original from documents d where d.tenant_id = p_tenant and d.id = p_original for update;
  if original.status is distinct from 'AUTHORIZED' then
    raise exception 'the original is %', coalesce(original.status, 'missing') using errcode = 'SE006';
  end if;
  select coalesce(sum(d.total), 0) into credited from documents d
  where d.tenant_id = p_tenant and d.modified_document_id = p_original and d.document_type = '04' and d.id <> p_credit_note
    and d.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED');
  if credited + p_total > original.total then
    raise exception 'credited % of %', credited, original.total using errcode = 'SE007', detail = (original.total - credited)::text;
  end if;
end $$;
drop function credit_left(uuid, uuid, uuid);
