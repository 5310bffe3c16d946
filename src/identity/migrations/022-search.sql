-- Lists that can be searched and sorted. People are found by the beginnings of these words: of their name, their e-mail addresses and
-- the names in their profile, without case and accents. A word that another of the same person begins with has no row.
create table user_words (
  user_id text not null references users (id) on delete cascade,
  domain_id text not null,
  word text not null,
  primary key (user_id, word)
);

create index user_words_by_word on user_words (word, user_id);
create index user_words_by_domain on user_words (domain_id, word, user_id);

-- The version of the user whose words are stored. Users of before, and those that an older version changed, are read in the background.
alter table users add column words_version bigint not null default 0;
create index users_without_words on users (id) where words_version <> version;

create index users_by_creation on users (created_at, id);
create index users_by_domain_and_creation on users (domain_id, created_at, id);

create index groups_by_lower_name on groups (lower(name), id);
create index groups_by_domain_and_lower_name on groups (domain_id, lower(name), id);
create index groups_by_creation on groups (created_at, id);
create index projects_by_lower_name on projects (is_domain, lower(name), id);
create index projects_by_domain_and_lower_name on projects (domain_id, lower(name), id);
create index projects_by_creation on projects (created_at, id);
create index roles_by_lower_name on roles (lower(name), id);
create index consumers_by_lower_name on consumers (lower(name), id);
create index consumers_by_creation on consumers (created_at, id);
create index invitations_by_email on invitations (email_key, id);
create index invitations_by_creation on invitations (created_at, id);
