-- A document that was annulled in the SRI's portal before anybody asked here is cancelled in one write, as a fact. So
-- refuse_credited_cancellation, which sees the ends of a way, does not apply: it refuses a request, not what was done.
-- Credit notes of the document stay as they are; new ones need an authorized original.
create or replace function guard_document() returns trigger
  language plpgsql as $$
declare
  steps integer;
  path text[];
begin
  if tg_op = 'INSERT' then
    if new.status not in ('DRAFT', 'NUMBER_RESERVED') then
      raise exception 'a document cannot begin as %', new.status using errcode = 'SE100';
    end if;
    return new;
  end if;
  if new.tenant_id <> old.tenant_id or new.id <> old.id or (new.issuer_id <> old.issuer_id and old.status <> 'DRAFT')
     or (old.sequential is not null
         and (new.sequential, new.establishment_id, new.emission_point_id, new.document_type, new.sri_environment)
             is distinct from (old.sequential, old.establishment_id, old.emission_point_id, old.document_type, old.sri_environment)) then
    raise exception 'identity and number of a document never change' using errcode = 'SE101';
  end if;
  steps := new.version - old.version;
  if new.status <> old.status and steps < 1 then
    raise exception 'every move raises the version by one' using errcode = 'SE101';
  elsif steps = 1 and new.status <> old.status then
    if not exists (select from document_moves m where m.from_status = old.status and m.to_status = new.status) then
      raise exception 'no move from % to %', old.status, new.status using errcode = 'SE100';
    end if;
  elsif steps > 1 then
    path := string_to_array(current_setting('sello.path', true), ',');
    if path is null or cardinality(path) <> steps or path[steps] <> new.status then
      raise exception 'every move raises the version by one' using errcode = 'SE101';
    end if;
    path := old.status || path;
    for i in 1 .. steps loop
      -- What rests has triggers of its own, which see the ends of a way only: it is not passed through.
      if not (is_moving(path[i]) or path = '{AUTHORIZED,CANCELLATION_REQUESTED,CANCELLED}')
         or not exists (select from document_moves m where m.from_status = path[i] and m.to_status = path[i + 1]) then
        raise exception 'no move from % to %', path[i], path[i + 1] using errcode = 'SE100';
      end if;
    end loop;
  end if;
  return new;
end $$;
