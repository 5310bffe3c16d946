-- Sessions of people at the OpenID provider: where each was opened, and its last use. The record of the library has none of this.

create table openid_sessions (
  -- The hash in `uid` of the session's record.
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  user_agent text not null,
  address text not null,
  signed_in_at bigint not null,
  last_used_at bigint not null
);

create index openid_sessions_by_user on openid_sessions (user_id);
create index openid_sessions_by_use on openid_sessions (last_used_at);

-- Pictures that people uploaded.

create table pictures (
  user_id text primary key references users (id) on delete cascade,
  -- Random: whoever knows it may see the picture.
  id text not null unique,
  media_type text not null,
  -- Base64.
  content text not null,
  created_at bigint not null
);
