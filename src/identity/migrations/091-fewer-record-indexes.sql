-- Every token of the OpenID provider is a row, and each index costs as much again as the row. Few records have a uid or a user code, and the index by
-- application and person also serves for the application alone.

create index openid_records_with_uid on openid_records (uid) where uid is not null;
create index openid_records_with_user_code on openid_records (user_code) where user_code is not null;
drop index if exists openid_records_by_uid;
drop index if exists openid_records_by_user_code;
drop index if exists openid_records_by_consumer;
