-- Where the clock of the database was put back, or a new primary's is behind, the last sign of life lay ahead of it: none was
-- given until the clock came there, and a replica that fell behind meanwhile counted as fresh.

create or replace function beat() returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into replica_beat as b (at) values (clock_timestamp())
  on conflict (is_only_row) do update set at = excluded.at where b.at not between excluded.at - interval '1 second' and excluded.at + interval '1 second';
end $$;
