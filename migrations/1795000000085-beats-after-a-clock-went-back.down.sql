create or replace function beat() returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into replica_beat as b (at) values (clock_timestamp())
  on conflict (is_only_row) do update set at = excluded.at where b.at < excluded.at - interval '1 second';
end $$;
