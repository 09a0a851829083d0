drop trigger learn_buyer on documents;
drop function learn_buyer();
drop function verify_buyers(uuid, text);
drop function ruc_of(text, text);
drop function remember_taxpayer(text, boolean, text, text, text, text, text, timestamptz);
drop function recall_taxpayer(text);
drop table taxpayers;
drop table buyer_documents;
drop table buyers;
