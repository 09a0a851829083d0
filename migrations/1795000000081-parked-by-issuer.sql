-- without transaction
-- For who wakes the parked documents of an issuer, a part at a time, in the order of their numbers. Nearly always empty.
create index concurrently outbox_parked on outbox (tenant_id, issuer_id, emission_point_id, document_type, sequential) where due_at = 'infinity' and sequential > 0;
