drop function note_mail_to_stranger(uuid, uuid, text, integer);
drop table mails_to_strangers;
