drop table sequence_raises;
