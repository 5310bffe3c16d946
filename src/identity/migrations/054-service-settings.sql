-- Settings of the service that administrators have stored, by their keys. A secret is in `sealed`, anything else in `value`. Every change of
-- one gives it another version.
create table service_settings (
  id text primary key,
  value text,
  sealed text,
  version text not null,
  changed_at bigint not null
);
