drop index members_invited;
