-- What one wallet got of one type in one format, at first and again: by the same authorization, or for the same key. Null: not known.
alter table issued_credentials add column series_id text;
-- Of the first of the series. It may be gone by now.
alter table issued_credentials add column first_issued_at bigint;
-- A hash of the authorization by which it was fetched; the same after the wallet refreshed its token.
alter table issued_credentials add column authorization_id text;

create index issued_credentials_by_series on issued_credentials (series_id, state, issued_at, id);
create index issued_credentials_by_authorization on issued_credentials (authorization_id);
create index issued_credentials_by_time on issued_credentials (issued_at, id);
create index issued_credentials_by_key on issued_credentials (key_thumbprint);
-- Serves what the former index did, too.
drop index if exists issued_credentials_by_application;
create index issued_credentials_of_application on issued_credentials (application_id, issued_at, id);
