-- 1: people are not asked for consent. In a column of its own: `extra` may have `skip_consent` from versions that knew it as a free attribute
-- of whoever manages the application.
alter table consumers add column skips_consent integer;
