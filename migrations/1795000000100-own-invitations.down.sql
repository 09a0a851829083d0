drop function invitations_of_person(uuid, timestamptz);
