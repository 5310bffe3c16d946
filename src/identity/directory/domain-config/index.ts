// Domain configuration: what clients of Keystone write about the directory of a domain.
export { mountDomainConfig } from './domain-config.routes.ts';
export { createDomainConfig, type DomainConfig } from './domain-config.rules.ts';
