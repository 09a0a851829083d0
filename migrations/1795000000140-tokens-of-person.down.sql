drop index one_time_tokens_of_person;
