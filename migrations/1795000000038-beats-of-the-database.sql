-- Which database this is, and how far it has come. What was last seen of it stands outside of it too: a database that is
-- behind that was restored, or lost something in a failover, and is not served before a new life of it has begun.
alter table deployment
  add column id uuid not null default gen_random_uuid(),
  add column beats bigint not null default 0,
  add column beaten_at timestamptz not null default '-infinity';
grant update (beats, beaten_at) on deployment to sello_resolver;

-- The life of the database, the first of its lives by the id alone; no row: no process was started on it yet.
create function life_of_database() returns text
  language sql stable security definer set search_path = sello, pg_temp as $$
  select d.id || coalesce('/' || nullif(d.lineage, ''), '') from deployment d
$$;

-- Of all processes that look, one in four seconds beats; none where more beats were seen than there are. Waits for the disk:
-- what is remembered elsewhere must not be lost here. A clock that was ahead does not hold the beats up.
create function beat_of_life(p_seen bigint) returns table (life text, beats bigint)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  at constant timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'on', true);
  update deployment d set beats = d.beats + 1, beaten_at = at
  where d.beats >= p_seen and d.beaten_at not between at - interval '4 seconds' and at;
  return query select life_of_database(), d.beats from deployment d;
end $$;

grant create on schema sello to sello_resolver;
alter function life_of_database() owner to sello_resolver;
alter function beat_of_life(bigint) owner to sello_resolver;
revoke create on schema sello from sello_resolver;
revoke execute on function life_of_database(), beat_of_life(bigint) from public;
grant execute on function life_of_database(), beat_of_life(bigint) to sello_app;
