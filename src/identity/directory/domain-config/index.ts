// The configuration of domains, as Keystone's API has it (domain-config), and with all that is in force (effective).
// What they store is kept and followed by directory/domain-settings.
export { mountDomainConfig } from './domain-config.routes.ts';
export { createDomainConfig, type DomainConfig } from './domain-config.rules.ts';
export { mountEffectiveSettings } from './effective.routes.ts';
export { createEffectiveSettings, type EffectiveSettings } from './effective.rules.ts';
