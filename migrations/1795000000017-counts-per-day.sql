-- How many documents rest per day of creation, whatever they are: what the first look at a list is counted and paged by.
-- The finer counts of a tenant with a million documents are tens of thousands of rows.
create table document_day_counts (
  tenant_id uuid not null,
  -- Day of created_at in UTC.
  created_on date not null,
  documents bigint not null,
  primary key (tenant_id, created_on)
) with (fillfactor = 50);

-- The owner sees all tenants only while row security is not forced on it. Nobody folds until this is committed, and
-- whoever waited for it meets the trigger below.
alter table document_counts no force row level security;
insert into document_day_counts (tenant_id, created_on, documents)
select tenant_id, created_on, sum(documents) from document_counts group by 1, 2;
alter table document_counts force row level security;

call isolate_tenant_table('document_day_counts');
create policy worker_walks on document_day_counts to sello_worker using (true) with check (true);
grant select on document_day_counts to sello_app;
grant select, insert, update on document_day_counts to sello_worker;

-- Folding writes counts in the order of their key, so days come in order too: two workers cannot wait for each other.
create function count_day() returns trigger
  language plpgsql as $$
begin
  insert into document_day_counts as k (tenant_id, created_on, documents)
  values (new.tenant_id, new.created_on, new.documents - case tg_op when 'UPDATE' then old.documents else 0 end)
  on conflict (tenant_id, created_on) do update set documents = k.documents + excluded.documents;
  return null;
end $$;
create trigger count_day after insert or update on document_counts for each row execute function count_day();
