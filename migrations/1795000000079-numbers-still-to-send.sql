-- without transaction
-- For who asks which number is sent before or after another, and nobody else. Parked documents are in nobody's way, and not in the index: past a
-- hundred thousand of them each look walked over all.
create index concurrently outbox_to_send on outbox (tenant_id, emission_point_id, document_type, sequential) where unsent and due_at < 'infinity' and sequential is not null;
