-- The second factor of a user, remembered devices, recovery codes, credentials, and notifications that wait to be sent.

create table two_factor (
  user_id text primary key references users (id) on delete cascade,
  -- Sealed with the master key.
  key text not null,
  security_question text not null,
  -- Hashed like a password.
  security_answer text not null,
  -- The time step of the last code that was accepted: no code is accepted twice.
  last_step bigint not null,
  created_at bigint not null
);

-- Guesses at codes and answers, counted before they are looked at.
create table factor_attempts (
  user_id text primary key references users (id) on delete cascade,
  attempts bigint not null,
  last_at bigint not null
);

create table devices (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  user_agent text not null,
  created_at bigint not null,
  last_used_at bigint not null
);

create index devices_by_user on devices (user_id);

-- Only hashes. A token that was replaced stays, so that its use is recognised as theft.
create table device_tokens (
  token_hash text primary key,
  device_id text not null references devices (id) on delete cascade,
  replaced_at bigint
);

create index device_tokens_by_device on device_tokens (device_id);

create table recovery_codes (
  code_hash text primary key,
  user_id text not null references users (id) on delete cascade
);

create index recovery_codes_by_user on recovery_codes (user_id);

create table credentials (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  project_id text,
  type text not null,
  -- Sealed with the master key.
  blob text not null,
  extra text not null,
  last_step bigint not null,
  created_at bigint not null
);

create index credentials_by_user on credentials (user_id, type);

create table outbox (
  id text primary key,
  event text not null,
  body text not null,
  attempts bigint not null,
  next_at bigint not null,
  created_at bigint not null
);

create index outbox_by_time on outbox (next_at);
