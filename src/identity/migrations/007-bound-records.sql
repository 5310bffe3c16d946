-- What a record of the OpenID provider was made from: the epochs of its user and the user's domain at the moment they were checked.
-- Another sum now, and it is worth nothing. Null: kept by a version that did not know of it.
alter table openid_records add column generation bigint;
