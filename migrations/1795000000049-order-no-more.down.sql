create index outbox_order on outbox (tenant_id, emission_point_id, document_type, sequential) where unsent;
