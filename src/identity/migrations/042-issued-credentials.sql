-- Published lists of the state of credentials. Their content is in issued_credentials.
create table status_lists (
  id text primary key,
  size integer not null,
  -- Counts the changes. What a list says has changed, if this is higher than before.
  version bigint not null,
  -- 1: hardly any entry is free, so that new credentials go to another list.
  is_full integer not null,
  created_at bigint not null
);

-- Credentials in the wallets of people. Nothing refers to users, applications and types: an entry stays revoked after these are deleted.
create table issued_credentials (
  id text primary key,
  -- Those issued together, which say the same.
  batch_id text not null,
  issuance_id text not null,
  user_id text not null,
  type_id text not null,
  application_id text not null,
  client_id text,
  format text not null,
  key_thumbprint text not null,
  -- valid, suspended or revoked
  state text not null,
  reason text,
  changed_at bigint not null,
  issued_at bigint not null,
  expires_at bigint not null,
  list_id text not null,
  list_index integer not null,
  -- What the list says: 0 valid, 1 revoked, 2 suspended; 0 again some time after the credential has expired.
  list_state integer not null,
  -- The version of the list with this change.
  list_version bigint not null
);

create unique index issued_credentials_by_entry on issued_credentials (list_id, list_index);
create index issued_credentials_by_change on issued_credentials (list_id, list_version) where list_version > 0;
create index issued_credentials_by_user on issued_credentials (user_id);
create index issued_credentials_by_type on issued_credentials (type_id);
create index issued_credentials_by_application on issued_credentials (application_id);
create index issued_credentials_by_batch on issued_credentials (batch_id);
create index issued_credentials_by_end on issued_credentials (expires_at);

-- The roles that the credentials of a batch say.
create table issued_credential_roles (
  batch_id text not null,
  application_id text not null,
  role_id text not null,
  target text not null,
  name text not null,
  primary key (batch_id, application_id, role_id)
);

-- What the credentials of a batch depend on, beside their user and their type: applications, organizations, domains and groups, as the caches name them.
create table issued_credential_tags (
  tag text not null,
  batch_id text not null,
  primary key (tag, batch_id)
);

create index issued_credential_tags_by_batch on issued_credential_tags (batch_id);
