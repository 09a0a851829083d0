-- Tenants cost nothing, so the bounds of each keep nobody from mailing one person through many of them.
create table invited_addresses (
  -- SHA-256: to count needs no list of whom strangers invited.
  email_hash bytea primary key,
  -- Of the last day, oldest first.
  mails timestamptz[] not null default '{}',
  unconfirmed_mails timestamptz[] not null default '{}',
  last_at timestamptz not null
);
comment on table invited_addresses is
  'Members: When invitations were mailed to an address lately, by whichever tenant: all of them, and those of inviters '
  'who have not confirmed an address of their own. Only the functions of sello_resolver reach it, and they clear away '
  'what is older than a day.';
create index invited_addresses_in_time on invited_addresses (last_at);
alter table invited_addresses enable row level security;
alter table invited_addresses force row level security;
create policy resolver_knows_people on invited_addresses to sello_resolver using (true) with check (true);
grant select, insert, update, delete on invited_addresses to sello_resolver;

create function note_invitation(p_email text, p_is_confirmed boolean, p_limit integer, p_unconfirmed_limit integer, p_now timestamptz)
  returns table (exceeded integer, room_at timestamptz)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  day constant interval := interval '1 day';
  address invited_addresses%rowtype;
begin
  -- Invitations of many tenants at once wait for each other here.
  insert into invited_addresses (email_hash, last_at) values (sha256(convert_to(p_email, 'UTF8')), p_now)
  on conflict (email_hash) do update set last_at = p_now
  returning * into address;
  address.mails := array(select m from unnest(address.mails) m where m > p_now - day order by m);
  address.unconfirmed_mails := array(select m from unnest(address.unconfirmed_mails) m where m > p_now - day order by m);
  if cardinality(address.mails) >= p_limit then
    return query select p_limit, address.mails[cardinality(address.mails) - p_limit + 1] + day;
    return;
  elsif not p_is_confirmed and cardinality(address.unconfirmed_mails) >= p_unconfirmed_limit then
    return query select p_unconfirmed_limit, address.unconfirmed_mails[cardinality(address.unconfirmed_mails) - p_unconfirmed_limit + 1] + day;
    return;
  end if;
  update invited_addresses i set mails = address.mails || p_now,
    unconfirmed_mails = case when p_is_confirmed then address.unconfirmed_mails else address.unconfirmed_mails || p_now end
  where i.email_hash = address.email_hash;
  -- What is over is cleared away on the occasion, without waiting for anybody.
  delete from invited_addresses where email_hash in
    (select i.email_hash from invited_addresses i where i.last_at < p_now - day order by i.last_at limit 20 for update skip locked);
end $$;
alter function note_invitation(text, boolean, integer, integer, timestamptz) owner to sello_resolver;
revoke execute on function note_invitation(text, boolean, integer, integer, timestamptz) from public;
grant execute on function note_invitation(text, boolean, integer, integer, timestamptz) to sello_app;
comment on function note_invitation(text, boolean, integer, integer, timestamptz) is
  'Members: Notes that an invitation is mailed to an address, and returns no row. Where tenants have together mailed it '
  'p_limit within a day, or those whose inviters have not confirmed an address p_unconfirmed_limit and this one is of '
  'such, it notes nothing and returns the bound that is exceeded and when there is room for another. It locks the '
  'address until the commit. The API calls it, and refuses to invite then.';
