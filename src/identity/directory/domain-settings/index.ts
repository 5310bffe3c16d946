// Settings of a domain: where its users are, who may register, passkeys, deletion of accounts.
// From keystone.<domain name>.conf: `domainSettings.of(domainId)`.
export { createDomainSettings, type DomainSettingsOf } from './domain-settings.ts';
export { type DomainSettings, type LdapSettings, sectionsWith } from './sections.ts';
