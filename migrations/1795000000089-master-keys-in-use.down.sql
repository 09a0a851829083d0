drop function master_keys_in_use(integer);
