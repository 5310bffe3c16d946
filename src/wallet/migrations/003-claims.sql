-- Who works on an exchange: whoever took too long, and lost it to another, can be told from the other.

alter table exchanges add column claimed_by text not null default '';
