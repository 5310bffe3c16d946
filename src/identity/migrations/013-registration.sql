-- People who were registered by an administrator's program, and the organizations that are enabled with them. The organizations may be
-- deleted before; then the ids stay, and the activation is refused.
create table registrations (
  user_id text primary key references users (id) on delete cascade,
  project_id text not null,
  cloud_project_id text not null,
  created_at bigint not null
);

-- Keys that activate a registered user, and tokens that reset a password. Only their hashes are stored. One that was used or replaced
-- stays for some time, so that it is refused as ended and not as unknown.
create table registration_keys (
  key_hash text primary key,
  -- activation or reset
  purpose text not null,
  user_id text not null references users (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null,
  -- When it was used, replaced or withdrawn; null before.
  ended_at bigint
);

create index registration_keys_by_user on registration_keys (user_id, purpose);
create index registration_keys_by_end on registration_keys (expires_at);
