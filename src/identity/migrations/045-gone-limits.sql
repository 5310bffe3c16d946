-- Registered limits and limits that were deleted with their service or region. Clients of Keystone, where they stay, delete them afterwards.
create table gone_limits (
  id text primary key,
  gone_at bigint not null
);
