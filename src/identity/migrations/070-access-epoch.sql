-- Changes when all that an application has of people ends: a grant that a request stores a moment later is for the access that ended.
alter table consumers add column access_epoch bigint not null default 0;
