-- without transaction
-- For who asks which number comes before or after another, and nobody else.
create index concurrently outbox_in_line on outbox (tenant_id, emission_point_id, document_type, sequential) where unsent and sequential is not null;
