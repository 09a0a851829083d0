drop function beat_of_life(bigint);
drop function life_of_database();
alter table deployment drop column beaten_at, drop column beats, drop column id;
