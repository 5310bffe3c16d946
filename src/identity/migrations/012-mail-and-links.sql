-- Mails to be sent. Address and text are sealed with the master key, because they contain links.
create table mails (
  id text primary key,
  template text not null,
  sealed text not null,
  attempts bigint not null,
  next_at bigint not null,
  created_at bigint not null,
  -- Not sent after this time.
  expires_at bigint not null
);

create index mails_by_time on mails (next_at);
create index mails_by_end on mails (expires_at);

-- Links in mails: single-use tokens, stored as hashes. There is one for each purpose and subject; a new one replaces it.
create table links (
  purpose text not null,
  -- user:<id>, address:<e-mail address> or about:<other>.
  subject text not null,
  token_hash text not null unique,
  user_id text references users (id) on delete cascade,
  -- Where it was sent.
  address text not null,
  data text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (purpose, subject)
);

create index links_by_user on links (user_id);
create index links_by_end on links (expires_at);
