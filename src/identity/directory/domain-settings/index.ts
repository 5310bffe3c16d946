// Settings of a domain: where its users are, rules of passwords, who may register, passkeys, deletion of accounts: `domainSettings.of(domainId)`.
// From keystone.<domain name>.conf, which the operator writes, and from what is stored while the service runs (store.rules.ts).
export { createDomainSettings, type DomainSettingsModule, type DomainSettingsOf } from './domain-settings.ts';
export type { SettingPlace } from './in-force.ts';
export { forgetDomainSetting, inspectDomains, type StoredDomainReport, storedDomainKeys } from './inspect.ts';
export {
  type DomainOption,
  domainOptions,
  isOfDirectory,
  OF_MACHINE,
  optionName,
  optionsByName,
  type SettingGroupOfDomain,
} from './options.ts';
export { type DomainSettings, domainSections, type LdapSettings, OF_SERVICE } from './sections.ts';
export { type DirectoryChange, LEADS_THE_PASSWORD, type OptionChange, type StoreRequest } from './store.rules.ts';
export type { ConfigPart, StoredRow } from './stored.store.ts';
export { textOf } from './stored.ts';
