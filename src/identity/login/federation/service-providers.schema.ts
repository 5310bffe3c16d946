// Service providers on the wire, as in Keystone's OS-FEDERATION.
import { t } from '../../../platform/http/index.ts';
import type { ServiceProviderRow } from '../../ground/database/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';

/** Keystone's default, for SAML. */
export const RELAY_STATE_PREFIX = 'ss:mem:';

const Address = (description: string) => t.string({ minLength: 1, maxLength: 225, pattern: '^https?://.+', description });
const addresses = {
  auth_url: Address('Where a token of this service is turned into one of the other service.'),
  sp_url: Address('Where the other service takes an assertion about a person.'),
};
const optional = {
  enabled: t.boolean({ description: 'Tokens name it.' }),
  description: t.nullable(t.string({ maxLength: 4096 })),
  relay_state_prefix: t.nullable(t.string({ maxLength: 256 })),
};

const NewServiceProvider = t.object(addresses, optional);
export const CreateServiceProvider = t.envelope('service_provider', NewServiceProvider);
const ServiceProviderChanges = t.changes(t.object({}, { ...addresses, ...optional }));
export const UpdateServiceProvider = t.envelope('service_provider', ServiceProviderChanges);

const ServiceProvider = t.object({
  id: t.string(),
  enabled: t.boolean(),
  description: t.nullable(t.string()),
  auth_url: t.string(),
  sp_url: t.string(),
  relay_state_prefix: t.nullable(t.string()),
  links: t.object({ self: t.string() }),
});
export const ServiceProviderEnvelope = t.envelope('service_provider', ServiceProvider);
export const ServiceProviderList = t.object({ links: ListLinks, service_providers: t.array(ServiceProvider) });

export const renderServiceProvider = (base: string, row: ServiceProviderRow) => ({
  id: row.id,
  enabled: row.enabled === 1,
  description: row.description,
  auth_url: row.auth_url,
  sp_url: row.sp_url,
  relay_state_prefix: row.relay_state_prefix,
  links: { self: `${base}/v3/OS-FEDERATION/service_providers/${encodeURIComponent(row.id)}` },
});

t.name({
  NewServiceProvider,
  CreateServiceProvider,
  ServiceProviderChanges,
  UpdateServiceProvider,
  ServiceProvider,
  ServiceProviderEnvelope,
  ServiceProviderList,
});
