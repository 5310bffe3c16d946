// /v3/OS-FEDERATION: identity providers, mappings and protocols as in Keystone, and the settings of a provider.
import type { Answer } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import type { OpenidProviderRow, WalletProviderRow } from '../../ground/database/index.ts';
import {
  CHANGE_IF_MATCH,
  DELETE_IF_MATCH,
  ETAG,
  filterDocumentation,
  listOf,
  PAGE_DOCUMENTATION,
  wholeList,
  withEtag,
} from '../../ground/resource/index.ts';
import type { Federation } from './federation.ts';
import {
  CreateIdentityProvider,
  CreateProtocol,
  IdentityProviderEnvelope,
  IdentityProviderList,
  type IdentityProviderWithIds,
  ProtocolEnvelope,
  ProtocolList,
  renderIdentityProvider,
  renderProtocol,
  UpdateIdentityProvider,
  UpdateProtocol,
} from './identity-providers.schema.ts';
import { CreateMapping, MappingEnvelope, MappingList, renderMapping, UpdateMapping } from './mappings.schema.ts';
import { OpenidSettingsEnvelope, PutOpenidSettings, renderOpenidSettings } from './openid-settings.schema.ts';
import { mountProviderKeys } from './provider-keys.routes.ts';
import { mountProviderRegistrations } from './provider-registrations.routes.ts';
import { mountSignInProviders } from './sign-in-providers.routes.ts';
import { mountTokenLogins, type TokenLoginRouteDeps } from './token-logins.routes.ts';
import { versionedProvider, versionedSettings } from './versions.ts';
import { PutWalletSettings, renderWalletSettings, WalletSettingsEnvelope } from './wallet-settings.schema.ts';

const tag = 'Federation';
const ROOT = '/v3/OS-FEDERATION';

interface FederationRouteDeps extends TokenLoginRouteDeps {
  readonly federation: Federation;
}

export function mountFederation(app: IdentityApp, modules: FederationRouteDeps): void {
  mountIdentityProviders(app, modules);
  mountMappings(app, modules);
  mountProtocols(app, modules);
  mountOpenidSettings(app, modules);
  mountProviderKeys(app, modules);
  mountProviderRegistrations(app, modules);
  mountWalletSettings(app, modules);
  mountSignInProviders(app, modules);
  mountTokenLogins(app, modules);
}

const shownProvider = (base: string, row: IdentityProviderWithIds): Answer =>
  withEtag(versionedProvider(row), { identity_provider: renderIdentityProvider(base, row) });

function mountIdentityProviders(app: IdentityApp, { federation }: FederationRouteDeps): void {
  const path = `${ROOT}/identity_providers/:idp_id` as const;
  const target = ({ params }: { params: { idp_id: string } }) => federation.identityProviders.target(params.idp_id);

  app.get(
    `${ROOT}/identity_providers`,
    {
      id: 'listIdentityProviders',
      summary: 'List identity providers',
      tag,
      rule: 'identity:list_identity_providers',
      documentation: filterDocumentation(['id'], ['enabled']),
      reply: { 200: IdentityProviderList },
    },
    async (call) =>
      listOf(call, 'identity_providers', await federation.identityProviders.list(call.query), renderIdentityProvider),
  );
  app.put(
    path,
    {
      id: 'createIdentityProvider',
      summary: 'Create an identity provider',
      description:
        'With the id in the path. People sign in through it when it has a protocol with a mapping, and the settings of this protocol.',
      tag,
      rule: 'identity:create_identity_provider',
      body: CreateIdentityProvider,
      reply: { 201: IdentityProviderEnvelope },
    },
    async ({ caller, params, body, base }) => ({
      identity_provider: renderIdentityProvider(
        base,
        await federation.identityProviders.create(caller, params.idp_id, body.identity_provider),
      ),
    }),
  );
  app.get(
    path,
    {
      id: 'getIdentityProvider',
      summary: 'Show an identity provider',
      tag,
      rule: 'identity:get_identity_provider',
      target,
      documentation: ETAG,
      reply: { 200: IdentityProviderEnvelope },
    },
    async ({ target: row, base }) => shownProvider(base, await federation.identityProviders.get(row)),
  );
  app.patch(
    path,
    {
      id: 'updateIdentityProvider',
      summary: 'Change an identity provider',
      description: 'Disabling it ends the sessions that were begun through it.',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      body: UpdateIdentityProvider,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: IdentityProviderEnvelope },
    },
    async ({ caller, target: row, body, base, headers }) =>
      shownProvider(base, await federation.identityProviders.update(caller, row, body.identity_provider, headers['if-match'])),
  );
  app.delete(
    path,
    {
      id: 'deleteIdentityProvider',
      summary: 'Delete an identity provider',
      description: 'Its links to accounts are deleted, and the roles and groups that it gave are taken back. The accounts stay.',
      tag,
      rule: 'identity:delete_identity_provider',
      target,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    ({ caller, target: row, headers }) => federation.identityProviders.remove(caller, row, headers['if-match']),
  );
}

function mountMappings(app: IdentityApp, { federation }: FederationRouteDeps): void {
  const path = `${ROOT}/mappings/:mapping_id` as const;
  const target = ({ params }: { params: { mapping_id: string } }) => federation.mappings.target(params.mapping_id);

  app.get(
    `${ROOT}/mappings`,
    {
      id: 'listMappings',
      summary: 'List mappings',
      tag,
      rule: 'identity:list_mappings',
      documentation: PAGE_DOCUMENTATION,
      reply: { 200: MappingList },
    },
    async (call) => listOf(call, 'mappings', await federation.mappings.list(call.query), renderMapping),
  );
  app.put(
    path,
    {
      id: 'createMapping',
      summary: 'Create a mapping',
      description: 'With the id in the path, in Keystone’s mapping language.',
      tag,
      rule: 'identity:create_mapping',
      body: CreateMapping,
      reply: { 201: MappingEnvelope },
    },
    async ({ caller, params, body, base }) => ({
      mapping: renderMapping(base, await federation.mappings.create(caller, params.mapping_id, body.mapping)),
    }),
  );
  app.get(
    path,
    {
      id: 'getMapping',
      summary: 'Show a mapping',
      tag,
      rule: 'identity:get_mapping',
      target,
      documentation: ETAG,
      reply: { 200: MappingEnvelope },
    },
    ({ target: row, base }) => withEtag(row, { mapping: renderMapping(base, row) }),
  );
  app.patch(
    path,
    {
      id: 'updateMapping',
      summary: 'Replace the rules of a mapping',
      tag,
      rule: 'identity:update_mapping',
      target,
      body: UpdateMapping,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: MappingEnvelope },
    },
    async ({ caller, target, body, base, headers }) => {
      const row = await federation.mappings.update(caller, target, body.mapping, headers['if-match']);
      return withEtag(row, { mapping: renderMapping(base, row) });
    },
  );
  app.delete(
    path,
    {
      id: 'deleteMapping',
      summary: 'Delete a mapping',
      description: 'Nobody can sign in any more by protocols that use it.',
      tag,
      rule: 'identity:delete_mapping',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => federation.mappings.remove(caller, row),
  );
}

function mountProtocols(app: IdentityApp, { federation }: FederationRouteDeps): void {
  const all = `${ROOT}/identity_providers/:idp_id/protocols` as const;
  const path = `${ROOT}/identity_providers/:idp_id/protocols/:protocol_id` as const;
  const provider = ({ params }: { params: { idp_id: string } }) => federation.identityProviders.target(params.idp_id);
  const target = ({ params }: { params: { idp_id: string; protocol_id: string } }) =>
    federation.protocols.target(params.idp_id, params.protocol_id);

  app.get(
    all,
    {
      id: 'listProtocols',
      summary: 'List the protocols of an identity provider',
      tag,
      rule: 'identity:list_protocols',
      target: provider,
      reply: { 200: ProtocolList },
    },
    async (call) => wholeList(call, 'protocols', await federation.protocols.list(call.target), renderProtocol),
  );
  app.put(
    path,
    {
      id: 'createProtocol',
      summary: 'Add a protocol to an identity provider',
      description: 'With the mapping that turns what the provider asserts into a user. `openid` and `openid4vp` are served.',
      tag,
      rule: 'identity:create_protocol',
      target: provider,
      body: CreateProtocol,
      reply: { 201: ProtocolEnvelope },
    },
    async ({ caller, target: row, params, body, base }) => ({
      protocol: renderProtocol(base, await federation.protocols.create(caller, row, params.protocol_id, body.protocol)),
    }),
  );
  app.get(
    path,
    {
      id: 'getProtocol',
      summary: 'Show a protocol',
      tag,
      rule: 'identity:get_protocol',
      target,
      reply: { 200: ProtocolEnvelope },
    },
    ({ target: row, base }) => ({ protocol: renderProtocol(base, row) }),
  );
  app.patch(
    path,
    {
      id: 'updateProtocol',
      summary: 'Change a protocol',
      tag,
      rule: 'identity:update_protocol',
      target,
      body: UpdateProtocol,
      reply: { 200: ProtocolEnvelope },
    },
    async ({ caller, target: row, body, base }) => ({
      protocol: renderProtocol(base, await federation.protocols.update(caller, row, body.protocol)),
    }),
  );
  app.delete(
    path,
    { id: 'deleteProtocol', summary: 'Delete a protocol', tag, rule: 'identity:delete_protocol', target, reply: { 204: null } },
    ({ caller, target: row }) => federation.protocols.remove(caller, row),
  );
}

/** An extension of ours: how people sign in at the provider is as much part of it as its protocols, so the same people decide it. */
function mountOpenidSettings(app: IdentityApp, { federation }: FederationRouteDeps): void {
  const path = `${ROOT}/identity_providers/:idp_id/openid` as const;
  const target = ({ params }: { params: { idp_id: string } }) => federation.openidSettings.target(params.idp_id);
  const provider = ({ params }: { params: { idp_id: string } }) => federation.identityProviders.target(params.idp_id);
  const shown = (base: string, row: OpenidProviderRow): Answer =>
    withEtag(versionedSettings(row), { openid: renderOpenidSettings(base, federation.issuer(), row) });

  app.put(
    path,
    {
      id: 'setOpenidSettings',
      summary: 'Set the OpenID settings of an identity provider',
      description:
        'How people sign in through it by OpenID Connect. The answer has the redirect address to register at the provider.',
      tag,
      rule: 'identity:update_identity_provider',
      target: provider,
      body: PutOpenidSettings,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: OpenidSettingsEnvelope },
    },
    async ({ caller, target, body, base, headers }) =>
      shown(base, await federation.openidSettings.put(caller, target, body.openid, { ifMatch: headers['if-match'] })),
  );
  app.get(
    path,
    {
      id: 'getOpenidSettings',
      summary: 'Show the OpenID settings of an identity provider',
      tag,
      rule: 'identity:get_identity_provider',
      target,
      documentation: ETAG,
      reply: { 200: OpenidSettingsEnvelope },
    },
    ({ target: row, base }) => shown(base, row),
  );
  app.delete(
    path,
    {
      id: 'deleteOpenidSettings',
      summary: 'Remove the OpenID settings of an identity provider',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => federation.openidSettings.remove(caller, row),
  );
}

/** The same for credentials from wallets. */
function mountWalletSettings(app: IdentityApp, { federation }: FederationRouteDeps): void {
  const path = `${ROOT}/identity_providers/:idp_id/openid4vp` as const;
  const target = ({ params }: { params: { idp_id: string } }) => federation.walletSettings.target(params.idp_id);
  const provider = ({ params }: { params: { idp_id: string } }) => federation.identityProviders.target(params.idp_id);
  const shown = (base: string, row: WalletProviderRow): Answer =>
    withEtag(versionedSettings(row), { openid4vp: renderWalletSettings(base, row) });

  app.put(
    path,
    {
      id: 'setWalletSettings',
      summary: 'Set which credentials from wallets sign people in through an identity provider',
      description:
        'By OpenID4VP, with the protocol `openid4vp`: which credentials are asked for, and which issuers are trusted. If the new settings trust less than the old ones, sessions through this provider end, and the roles and groups that it gave are taken back until people sign in again.',
      tag,
      rule: 'identity:update_identity_provider',
      target: provider,
      body: PutWalletSettings,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: WalletSettingsEnvelope },
    },
    async ({ caller, target, body, base, headers }) =>
      shown(base, await federation.walletSettings.put(caller, target, body.openid4vp, headers['if-match'])),
  );
  app.get(
    path,
    {
      id: 'getWalletSettings',
      summary: 'Show which credentials from wallets sign people in through an identity provider',
      tag,
      rule: 'identity:get_identity_provider',
      target,
      documentation: ETAG,
      reply: { 200: WalletSettingsEnvelope },
    },
    ({ target: row, base }) => shown(base, row),
  );
  app.delete(
    path,
    {
      id: 'deleteWalletSettings',
      summary: 'Remove the settings for credentials from wallets of an identity provider',
      tag,
      rule: 'identity:update_identity_provider',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => federation.walletSettings.remove(caller, row),
  );
}
