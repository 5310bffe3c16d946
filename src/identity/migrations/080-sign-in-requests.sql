-- Requests of applications that a person signs in somewhere else (CIBA). id: that of the record of the request, which has what it asks for.
create table sign_in_requests (
  id text primary key,
  consumer_id text not null references consumers (id) on delete cascade,
  -- Null until it is known who is meant, and for ever if that is nobody.
  user_id text references users (id) on delete cascade,
  -- Null: nothing was decided yet. asked, withheld (the person does not see it), allowed or refused.
  state text,
  created_at bigint not null,
  expires_at bigint not null,
  -- When the application may ask for the answer again, and how long it has to wait in between.
  poll_at bigint not null,
  poll_seconds bigint not null
);
create index sign_in_requests_by_person on sign_in_requests (user_id, created_at);
create index sign_in_requests_by_application on sign_in_requests (consumer_id);
create index sign_in_requests_by_end on sign_in_requests (expires_at);

-- What is done after the answer: finding out who is meant, and telling applications of an answer (CIBA, 10.2). sealed: what is needed for it.
create table sign_in_tasks (
  id text primary key,
  consumer_id text not null references consumers (id) on delete cascade,
  kind text not null,
  sealed text not null,
  attempts bigint not null,
  next_at bigint not null,
  created_at bigint not null,
  last_error text,
  failed_at bigint
);
create index sign_in_tasks_by_time on sign_in_tasks (next_at);
create index sign_in_tasks_by_application on sign_in_tasks (consumer_id);

-- Whether a person may be asked. code: only by who sends it along; null: by nobody.
create table sign_in_request_choices (
  user_id text primary key references users (id) on delete cascade,
  code text
);
