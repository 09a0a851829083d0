drop function begin_new_life(text, text[], integer, text, timestamptz);
drop function current_lineage();
revoke select, insert on sequence_raises from sello_resolver;
revoke insert, update on sequence_counters from sello_resolver;
drop policy resolver_raises on sequence_raises;
drop policy resolver_raises on sequence_counters;
revoke update (lineage) on deployment from sello_resolver;
alter table deployment drop column lineage;
