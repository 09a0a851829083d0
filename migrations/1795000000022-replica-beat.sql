-- When the primary last gave a sign of life: what a replica has of it tells how far behind the replica is, however it is fed
-- and whether or not anything else is written.
create table replica_beat (
  is_only_row boolean primary key default true check (is_only_row),
  at timestamptz not null
);
alter table replica_beat enable row level security;
alter table replica_beat force row level security;
create policy worker_beats on replica_beat to sello_worker using (true) with check (true);
grant select, insert, update on replica_beat to sello_worker;

-- Of all processes that beat, one a second writes.
create function beat() returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into replica_beat as b (at) values (clock_timestamp())
  on conflict (is_only_row) do update set at = excluded.at where b.at < excluded.at - interval '1 second';
end $$;

-- Seconds since the last beat that is known here; null: there was none.
create function seconds_since_beat() returns double precision
  language sql stable security definer set search_path = sello, pg_temp as $$
  select extract(epoch from clock_timestamp() - b.at)::double precision from replica_beat b
$$;

-- Handing a function over needs the right to create, which is not left behind.
grant create on schema sello to sello_worker;
alter function beat() owner to sello_worker;
alter function seconds_since_beat() owner to sello_worker;
revoke create on schema sello from sello_worker;

revoke execute on function beat() from public;
revoke execute on function seconds_since_beat() from public;
grant execute on function beat() to sello_app;
grant execute on function seconds_since_beat() to sello_app;
