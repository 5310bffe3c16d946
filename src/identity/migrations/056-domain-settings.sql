-- Who stored an option: administrator or manager. Null: a version in which it had no effect, so that an update connects no directory.
alter table domain_config_options add column stored_by text;
alter table domain_config_secrets add column stored_by text;
