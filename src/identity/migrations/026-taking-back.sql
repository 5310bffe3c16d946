-- Not null: the provider is for fewer people or may give less since this version, and what it gave before is not yet taken back from everybody.
alter table openid_providers add column taking_back bigint;
