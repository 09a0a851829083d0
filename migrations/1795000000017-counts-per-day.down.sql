drop trigger count_day on document_counts;
drop function count_day();
drop table document_day_counts;
