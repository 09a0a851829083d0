-- without transaction
-- For who asks what is due first, whoever's it is, and nobody else: no number has ten digits. Who asks by turns could be read
-- through outbox_in_time as well: of a queue in which all wait for the same, PostgreSQL thinks that the first few rows will do.
create index concurrently outbox_by_age on outbox (due_at) where sequential < 1000000000;
