-- Users and groups that are in a directory (LDAP): each has a row like any other, so that it can be listed, granted roles and logged in,
-- and one here that says which entry it is. Their ids are made of the domain and the entry's own id.
create table directory_users (
  user_id text primary key references users (id) on delete cascade,
  domain_id text not null references projects (id) on delete cascade,
  local_id text not null,
  dn text not null,
  -- When the password was changed, as the directory says it; null when it does not.
  password_changed text,
  -- When the entry was written or logged in last, in milliseconds: a synchronization that began before knows less.
  seen_at bigint not null,
  -- When the entry was first missed, in milliseconds; the account is closed since.
  gone_at bigint
);

create unique index directory_users_by_entry on directory_users (domain_id, local_id);
create index directory_users_by_time on directory_users (domain_id, seen_at);

create table directory_groups (
  group_id text primary key references groups (id) on delete cascade,
  domain_id text not null references projects (id) on delete cascade,
  local_id text not null,
  dn text not null,
  gone_at bigint
);

create unique index directory_groups_by_entry on directory_groups (domain_id, local_id);

-- When everything in a directory was last read, in milliseconds.
create table directory_syncs (
  domain_id text primary key references projects (id) on delete cascade,
  finished_at bigint not null
);
