-- Numbers that were skipped on purpose: somebody raised the counter of an emission point, and said why.
create table sequence_raises (
  tenant_id uuid not null,
  id uuid not null,
  emission_point_id uuid not null,
  document_type text not null,
  environment text not null,
  -- The skipped numbers, both included.
  from_number integer not null,
  to_number integer not null,
  reason text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, emission_point_id) references emission_points (tenant_id, id),
  check (from_number <= to_number)
);
create index sequence_raises_of_point on sequence_raises (tenant_id, emission_point_id, document_type, environment, from_number);
call isolate_tenant_table('sequence_raises');
grant select, insert on sequence_raises to sello_app;
