drop function claim_ruc(text, text, uuid, uuid, timestamptz);
drop table verified_rucs;
drop table certificates;
drop table emission_points;
drop table establishments;
drop table issuers;
