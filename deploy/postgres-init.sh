#!/bin/sh
# Run once by the image of Postgres, when its data directory is empty.
#
# The role that owns the store is no superuser: those pass by the rules that keep projects apart. So
# the extension, which only a superuser installs, is there before Lamina comes.
set -eu

psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
    --set password="$(cat /run/secrets/postgres_password)" <<'SQL'
create role lamina login password :'password';
create database lamina owner lamina;
\connect lamina
create extension vector;
SQL
