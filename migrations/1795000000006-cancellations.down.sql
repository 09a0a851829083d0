grant create on schema sello to sello_worker, sello_resolver;
drop trigger reserve_credit_again on documents;
drop function reserve_credit_again();
drop trigger refuse_credited_cancellation on documents;
drop function refuse_credited_cancellation();
