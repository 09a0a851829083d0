drop function note_invitation(text, boolean, integer, integer, timestamptz);
drop table invited_addresses;
