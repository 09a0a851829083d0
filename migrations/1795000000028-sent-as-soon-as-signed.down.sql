drop function clear_to_send(uuid, uuid);
