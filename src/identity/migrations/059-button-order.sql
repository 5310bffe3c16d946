-- The place of the button on the sign-in page: lower numbers first, those without one last, by their names.
alter table openid_providers add column button_order integer;
-- People who are linked with a provider are listed by their link.
create index provider_links_by_provider on provider_links (provider_id, id);
