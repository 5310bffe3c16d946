-- Databases of the very first version lack what was added to 001 after it: a column that every password needs, and an index.
-- Passwords of then are taken as given by an administrator.
alter table passwords add column if not exists self_service integer not null default 0;
create index if not exists users_by_default_project on users (default_project_id);
