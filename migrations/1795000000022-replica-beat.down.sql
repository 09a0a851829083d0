drop function seconds_since_beat();
drop function beat();
drop table replica_beat;
