-- What credentials of a type call their holder: none, or the id of the user. Types from before say the user, as they did; new ones do not.
alter table credential_types add column subject text not null default 'user';
