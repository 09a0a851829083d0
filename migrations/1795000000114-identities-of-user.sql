-- without transaction
-- Every look at a person asks for their identities.
create index concurrently user_identities_of_user on user_identities (user_id);
