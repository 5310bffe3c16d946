-- The kind of an error (RFC 7644, table 9), how long the answer took, and the id that the client got and the log has.
alter table scim_requests add column scim_type text;
alter table scim_requests add column milliseconds bigint;
alter table scim_requests add column request_id text;
