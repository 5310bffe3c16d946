// Domain configuration: what clients of Keystone write about the directory of a domain.
// /v3/domains/{id}/config is kept for them; directory/domain-settings is what counts.
export { mountDomainConfig } from './domain-config.routes.ts';
export { createDomainConfig, type DomainConfig } from './domain-config.rules.ts';
