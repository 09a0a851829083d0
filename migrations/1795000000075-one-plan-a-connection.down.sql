do $$
declare
  asked regprocedure;
begin
  foreach asked in array array[
    'issuing_context(uuid, uuid, uuid, uuid, text)',
    'claim_step(uuid, uuid, uuid, timestamptz, interval)',
    'clear_to_send(uuid, uuid)',
    'load_document(uuid, uuid)',
    'advance_document(uuid, uuid, text, integer, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, jsonb, bytea)',
    'mail_of_document(uuid, uuid)',
    'settle_mail(uuid, uuid, uuid, timestamptz, text, text, text, timestamptz)']::regprocedure[]
  loop
    execute format('alter function %s reset plan_cache_mode', asked);
  end loop;
end $$;
