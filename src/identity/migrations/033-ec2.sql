-- Tokens that were made with an EC2 key end when the key is changed or replaced: each change gives it another number.
alter table credentials add column epoch bigint not null default 0;
