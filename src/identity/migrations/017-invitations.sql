-- The e-mail address that its user has proved to read, as it is spelled in the profile; null if there is none.
alter table users add column confirmed_email text;

-- Invitations of people to a domain. What an invitation names may be deleted before it is accepted; then the ids stay.
create table invitations (
  id text primary key,
  domain_id text not null references projects (id) on delete cascade,
  email text not null,
  -- Normalized like names of users.
  email_key text not null,
  -- The user name that is proposed.
  name text,
  language text,
  -- An organization and the base role in it, or neither.
  organization_id text,
  role_id text,
  -- JSON: ids of groups.
  group_ids text not null,
  -- JSON: applications and their roles, in the organization.
  application_roles text not null,
  -- Who gives all this. Their rights in the scope (JSON) of their token are checked again when the invitation is accepted.
  inviter_id text not null,
  inviter_scope text not null,
  -- pending, accepted or withdrawn. A pending one may have expired.
  status text not null,
  created_at bigint not null,
  sent_at bigint not null,
  expires_at bigint not null,
  ended_at bigint,
  -- Who accepted it.
  user_id text
);

create index invitations_by_domain on invitations (domain_id, email_key);
create index invitations_by_end on invitations (expires_at);
