-- When the tokens of a user, or those that depend on a project or a domain, were ended the last time: in milliseconds, null for never. Tokens
-- that another service issued have no epoch, only a time.
alter table users add column tokens_ended_at bigint;
alter table projects add column tokens_ended_at bigint;
