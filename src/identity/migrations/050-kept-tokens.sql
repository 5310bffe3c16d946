-- The token with which somebody changed their second factor. It stays good, while all their other tokens ended by that change.
create table kept_tokens (
  user_id text primary key references users (id) on delete cascade,
  audit_id text not null,
  -- Of the user after the change. When it is another one, this token has ended, too.
  epoch bigint not null,
  -- How many epochs of the user are later than the token.
  lag bigint not null
);
