-- None had a comment before; those of extensions are none of ours.
do $$
declare
  commented record;
begin
  for commented in
    select case p.prokind when 'p' then 'procedure' else 'function' end as kind, p.oid::regprocedure::text as name
    from pg_proc p
    where p.pronamespace = 'sello'::regnamespace and obj_description(p.oid, 'pg_proc') is not null
      and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
    union all
    select 'table', c.oid::regclass::text
    from pg_class c
    where c.relnamespace = 'sello'::regnamespace and c.relkind = 'r' and obj_description(c.oid, 'pg_class') is not null
  loop
    execute format('comment on %s %s is null', commented.kind, commented.name);
  end loop;
end $$;
