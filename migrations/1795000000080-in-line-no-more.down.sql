create index outbox_in_line on outbox (tenant_id, emission_point_id, document_type, sequential) where unsent and sequential is not null;
