-- An earlier number of the same emission point and type is still to be sent: the document is signed before its turn, or,
-- being signed, waits for it. Tells the relay what to do first; whether a document may be sent is looked up when it is taken.
alter table outbox add column ahead boolean not null default false;
