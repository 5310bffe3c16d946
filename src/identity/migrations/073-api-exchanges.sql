-- Which applications may exchange tokens for tokens of an API (RFC 8693): JSON; null: none.
alter table apis add column exchanges text;
