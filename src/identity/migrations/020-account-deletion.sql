-- Accounts that their owners want deleted. The account is disabled until the deletion is due.
create table account_deletions (
  user_id text primary key references users (id) on delete cascade,
  requested_at bigint not null,
  due_at bigint not null,
  -- The version of the user that was disabled. An account that was changed since is not deleted.
  user_version bigint not null
);

create index account_deletions_by_time on account_deletions (due_at);
