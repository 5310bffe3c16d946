-- What an exchange was about, for its history: names, kinds of credentials, claims that were shown. Sealed, because it is about
-- a person. It stays when the exchange is over.

alter table exchanges add column summary text;
