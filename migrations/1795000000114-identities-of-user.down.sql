drop index user_identities_of_user;
