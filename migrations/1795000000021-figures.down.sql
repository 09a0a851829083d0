drop function moving_documents(integer);
drop function work_ages(timestamptz, integer);
