-- The logo and the icon of the service. A new picture has a new id.
create table brand_pictures (
  kind text primary key,
  id text not null,
  media_type text not null,
  content text not null,
  created_at bigint not null
);

-- Pages that show for some minutes what is not saved yet, for those who change the look of pages or the text of a mail.
create table previews (
  id text primary key,
  content text not null,
  expires_at bigint not null
);

create index previews_by_end on previews (expires_at);

-- Texts of mails that administrators wrote instead of those of the program, by language and template, as in en/invitation.
create table mail_texts (
  id text primary key,
  subject text not null,
  body text not null,
  version text not null,
  changed_at bigint not null
);
