-- Mails that somebody asked for were bounded by document alone: whoever had a key of a tenant with many wrote to a stranger without end.
create table mails_to_strangers (
  tenant_id uuid not null references tenants (id),
  mailed_at timestamptz not null,
  mail_id uuid not null,
  -- SHA-256: to count needs no list of addresses.
  address_hash bytea not null,
  primary key (tenant_id, mailed_at, mail_id)
);
create index mails_to_strangers_of_address on mails_to_strangers (tenant_id, address_hash, mailed_at);
call isolate_tenant_table('mails_to_strangers');
-- Nobody changes a row; to lock those that are cleared away needs the right to.
grant select, insert, update, delete on mails_to_strangers to sello_app;
comment on table mails_to_strangers is
  'Mails: When a tenant lately asked that a document be mailed to an address that is not its buyer''s, by the database''s '
  'clock. note_mail_to_stranger writes it, and clears away what is older than a day.';

create function note_mail_to_stranger(p_tenant uuid, p_mail uuid, p_address text, p_limit integer) returns integer
  language plpgsql set enable_seqscan = off as $$
declare
  day constant interval := interval '1 day';
  hash constant bytea := sha256(convert_to(p_address, 'UTF8'));
  noted_at timestamptz;
  room_at timestamptz;
begin
  -- Mails of several documents to one address wait for each other here.
  perform pg_advisory_xact_lock(hashtextextended(p_tenant || ' ' || p_address, 0));
  noted_at := clock_timestamp();
  select m.mailed_at + day into room_at from mails_to_strangers m
  where m.tenant_id = p_tenant and m.address_hash = hash order by m.mailed_at desc offset p_limit - 1 limit 1;
  if room_at > noted_at then
    return ceil(extract(epoch from room_at - noted_at));
  end if;
  insert into mails_to_strangers (tenant_id, mailed_at, mail_id, address_hash) values (p_tenant, noted_at, p_mail, hash);
  -- What is over is cleared away on the occasion, without waiting for anybody.
  delete from mails_to_strangers o
  using (
    select m.mailed_at, m.mail_id from mails_to_strangers m
    where m.tenant_id = p_tenant and m.mailed_at <= noted_at - day order by m.mailed_at limit 20 for update skip locked
  ) over_now
  where o.tenant_id = p_tenant and o.mailed_at = over_now.mailed_at and o.mail_id = over_now.mail_id;
  return null;
end $$;
comment on function note_mail_to_stranger(uuid, uuid, text, integer) is
  'Mails: Notes that a document is mailed to an address that is not its buyer''s, in the normal form of addresses, and returns '
  'null. Where the tenant has mailed p_limit documents so to the address within a day, it notes nothing and returns in how '
  'many seconds there is room for another. It locks the address within the tenant until the commit. The API calls it, and '
  'refuses to mail then.';
