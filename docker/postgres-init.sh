#!/bin/sh
# Runs once, when the database folder is empty: the login of the service. It owns nothing and may
# only become sello_app, the role that the migrations give rights to. No other login comes into the database but its owner's.
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 --set password="$SERVICE_PASSWORD" <<'SQL'
create role sello_app nologin;
create role sello_service login noinherit password :'password';
grant sello_app to sello_service;
revoke connect on database :"DBNAME" from public;
grant connect on database :"DBNAME" to sello_service;
SQL
