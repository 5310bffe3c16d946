-- What the name of a user looks like: names of one domain that look alike have the same form, and one of them that is not plain ASCII
-- keeps the others out. Users without a row were made by a version that did not know of it; they are looked at in the background.
create table user_name_forms (
  user_id text primary key references users (id) on delete cascade,
  domain_id text not null,
  form text not null
);

create index user_name_forms_by_form on user_name_forms (domain_id, form);
