drop function leave_to_relay(uuid[], uuid[]);
