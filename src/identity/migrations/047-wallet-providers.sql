-- How people sign in with credentials that others issued: what is asked of their wallets, and which issuers are trusted.
create table wallet_providers (
  provider_id text primary key references identity_providers (id) on delete cascade,
  -- Null: people know it by its id.
  name text,
  -- 1: wallets are asked for it at the sign-in page.
  shown integer not null,
  -- JSON: formats, types, claims, and which claim says who the person is.
  credentials text not null,
  -- JSON: DIDs and addresses. Empty: whoever has a certificate of the roots.
  issuers text not null,
  -- JSON: PEM
  root_certificates text not null,
  -- 1: a credential without an entry in a status list is refused.
  requires_status integer not null,
  -- JSON: lower case
  email_domains text not null,
  trusts_email integer not null,
  whole_service integer not null,
  may_give_admin integer not null,
  -- These two are as in openid_providers.
  version bigint not null,
  taking_back bigint
);
