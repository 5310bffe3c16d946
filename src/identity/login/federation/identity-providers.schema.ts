// Identity providers and their protocols on the wire, as in Keystone's OS-FEDERATION.
import { t } from '../../../platform/http/index.ts';
import type { IdentityProviderRow, ProtocolRow } from '../../ground/database/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';

const RemoteIds = t.nullable(t.array(t.string({ minLength: 1, maxLength: 255 }), { uniqueItems: true, maxItems: 100 }));
const changeable = {
  enabled: t.boolean(),
  description: t.nullable(t.string({ maxLength: 4096 })),
  remote_ids: RemoteIds,
  authorization_ttl: t.nullable(t.integer({ minimum: 0, maximum: 2_000_000_000 })),
};

export const newProviderFields = { ...changeable, domain_id: t.nullable(t.string({ minLength: 1, maxLength: 64 })) };
const NewIdentityProvider = t.object({}, newProviderFields);
export const CreateIdentityProvider = t.envelope('identity_provider', NewIdentityProvider);
/** As in Keystone, the domain cannot be changed. */
const IdentityProviderChanges = t.changes(t.object({}, changeable));
export const UpdateIdentityProvider = t.envelope('identity_provider', IdentityProviderChanges);

const IdentityProvider = t.object({
  id: t.string(),
  enabled: t.boolean(),
  description: t.nullable(t.string()),
  domain_id: t.string(),
  remote_ids: t.array(t.string()),
  authorization_ttl: t.nullable(t.integer()),
  links: t.object({ self: t.string(), protocols: t.string() }),
});
export const IdentityProviderEnvelope = t.envelope('identity_provider', IdentityProvider);
export const IdentityProviderList = t.object({ links: ListLinks, identity_providers: t.array(IdentityProvider) });

export type IdentityProviderWithIds = IdentityProviderRow & { readonly remoteIds: readonly string[] };

const pathOf = (id: string): string => `/v3/OS-FEDERATION/identity_providers/${encodeURIComponent(id)}`;

export const renderIdentityProvider = (base: string, row: IdentityProviderWithIds) => ({
  id: row.id,
  enabled: row.enabled === 1,
  description: row.description,
  domain_id: row.domain_id,
  remote_ids: [...row.remoteIds],
  authorization_ttl: row.authorization_ttl,
  links: { self: base + pathOf(row.id), protocols: `${base}${pathOf(row.id)}/protocols` },
});

const protocolFields = { remote_id_attribute: t.nullable(t.string({ maxLength: 64 })) };
const MappingId = t.string({ minLength: 1, maxLength: 64 });
const NewProtocol = t.object({ mapping_id: MappingId }, protocolFields);
export const CreateProtocol = t.envelope('protocol', NewProtocol);
const ProtocolChanges = t.changes(t.object({}, { mapping_id: MappingId, ...protocolFields }));
export const UpdateProtocol = t.envelope('protocol', ProtocolChanges);
const Protocol = t.object({
  id: t.string(),
  mapping_id: t.string(),
  remote_id_attribute: t.nullable(t.string()),
  links: t.object({ self: t.string(), identity_provider: t.string() }),
});
export const ProtocolEnvelope = t.envelope('protocol', Protocol);
export const ProtocolList = t.object({ links: ListLinks, protocols: t.array(Protocol) });

export const renderProtocol = (base: string, row: ProtocolRow) => ({
  id: row.id,
  mapping_id: row.mapping_id,
  remote_id_attribute: row.remote_id_attribute,
  links: {
    self: `${base}${pathOf(row.provider_id)}/protocols/${encodeURIComponent(row.id)}`,
    identity_provider: base + pathOf(row.provider_id),
  },
});

export { pathOf };

t.name({
  NewIdentityProvider,
  CreateIdentityProvider,
  IdentityProviderChanges,
  UpdateIdentityProvider,
  IdentityProvider,
  IdentityProviderEnvelope,
  IdentityProviderList,
  NewProtocol,
  CreateProtocol,
  ProtocolChanges,
  UpdateProtocol,
  Protocol,
  ProtocolEnvelope,
  ProtocolList,
});
