-- A role for analysts, who read the views and nothing else. The owner of the database runs this:
--   psql "$DATABASE_URL" -v role=analyst -v password=secret -v views=namedex -f docs/analyst-role.sql
-- `views` is VIEWS_SCHEMA. Each build of the index creates the views again. The grant on future views holds for
-- views of the user that runs this.
create role :"role" login password :'password';
alter role :"role" in database :"DBNAME" set default_transaction_read_only = on;
alter role :"role" in database :"DBNAME" set statement_timeout = '5min';
alter role :"role" in database :"DBNAME" set search_path = :"views";
create schema if not exists :"views";
grant usage on schema :"views" to :"role";
grant select on all tables in schema :"views" to :"role";
alter default privileges in schema :"views" grant select on tables to :"role";
