-- Keys of the issuer of credentials, by their thumbprints. A key that a setting brings is not stored: only its public part, which stays published.
create table issuer_keys (
  id text primary key,
  -- made: here. brought: by a setting. authority: that of the development CA.
  origin text not null,
  public_key text not null,
  sealed text,
  -- Of an authority.
  certificate text,
  created_at bigint not null,
  active_from bigint not null,
  -- When a process last said that it signs with it, to about an hour.
  last_active_at bigint not null
);

-- Certificates of keys that were made here, for the address of the issuer.
create table issuer_certificates (
  id text primary key,
  key_id text not null references issuer_keys (id) on delete cascade,
  issuer text not null,
  certificate text not null,
  expires_at bigint not null
);
create unique index issuer_certificates_once on issuer_certificates (key_id, issuer);

-- Credentials that people can have issued about their roles in applications.
create table credential_types (
  id text primary key,
  application_id text not null references consumers (id) on delete cascade,
  type_name text not null,
  name text not null,
  description text not null,
  formats text not null,
  data_model text not null,
  validity_seconds bigint not null,
  roles text not null,
  organizations text not null,
  claims text not null,
  enabled integer not null,
  created_at bigint not null,
  updated_at bigint not null
);
create index credential_types_by_application on credential_types (application_id);

-- Further applications whose roles are in the credential.
create table credential_type_targets (
  type_id text not null references credential_types (id) on delete cascade,
  application_id text not null references consumers (id) on delete cascade,
  primary key (type_id, application_id)
);
create index credential_type_targets_by_application on credential_type_targets (application_id);

-- What credentials call an application instead of by its id.
create table application_dids (
  application_id text primary key references consumers (id) on delete cascade,
  did text not null
);
create unique index application_dids_once on application_dids (did);
