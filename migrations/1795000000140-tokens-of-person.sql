-- without transaction
-- Who asks for a link is counted by what they asked for before, and sign-ins that nobody ended are of nobody: whole tables were read for both.
create index concurrently one_time_tokens_of_person on one_time_tokens (user_id, expires_at);
