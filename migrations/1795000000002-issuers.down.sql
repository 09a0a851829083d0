drop function replace_sealed_key(uuid, uuid, bytea, bytea);
drop function sealed_keys_after(uuid, uuid, integer);
drop function claim_ruc(text, text, uuid, uuid, timestamptz);
drop table verified_rucs;
drop table certificates;
drop table emission_points;
drop table establishments;
drop table issuers;
