-- Wrong passwords for one account, from wherever they came. Accounts that do not exist have rows of the same kind.
create table wrong_passwords (
  -- A hash: of the id of the user, or of what was typed for one.
  account text primary key,
  failures bigint not null,
  -- Milliseconds.
  last_at bigint not null
);

create index wrong_passwords_by_time on wrong_passwords (last_at);
create index devices_by_time on devices (created_at);
