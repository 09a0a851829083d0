drop function settle_mail(uuid, uuid, uuid, timestamptz, text, text, text, timestamptz);
drop function hold_mail(uuid, uuid, uuid, timestamptz);
drop function mail_of_document(uuid, uuid);
