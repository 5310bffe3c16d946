-- The logos and icons of domains. A new picture has a new id, by which everybody can see it. `stored_by`: administrator or manager.
create table domain_pictures (
  domain_id text not null references projects (id) on delete cascade,
  kind text not null,
  id text not null unique,
  media_type text not null,
  content text not null,
  created_at bigint not null,
  stored_by text not null,
  primary key (domain_id, kind)
);
