// The specifications the provider serves beyond the core of OpenID Connect.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Access } from '../../../access/index.ts';
import type { ProviderPages } from '../../pages/provider-pages.ts';
import { SCOPES } from '../accounts.ts';
import { resourceServer } from '../resources.ts';

type Library = typeof import('oidc-provider');
type Features = NonNullable<Configuration['features']>;

/** A token of a person ends, at the latest, when the person or their domain is disabled. */
async function isOpen(access: Access, token: object): Promise<boolean> {
  const accountId = 'accountId' in token ? token.accountId : undefined;
  return typeof accountId !== 'string' || (await access.read(accountId, { kind: 'unscoped' })) !== undefined;
}

/** What an application may do by itself a resource says; where there is none, nothing that nobody knows. */
function noResource({ errors }: Library, { oidc }: KoaContextWithOIDC): readonly string[] {
  const { grant_type: grantType, scope } = (oidc.params ?? {}) as { grant_type?: string; scope?: string };
  const unknown = (scope ?? '').split(' ').find((one) => one !== '' && !SCOPES.includes(one));
  if (grantType === 'client_credentials' && unknown !== undefined)
    throw new errors.InvalidScope('requested scope is not known', unknown);
  return [];
}

const introspection = (access: Access) =>
  ({
    enabled: true,
    allowedPolicy: async (_ctx, client, token) =>
      (client.clientAuthMethod !== 'none' || token.clientId === client.clientId) && isOpen(access, token),
  }) satisfies Features['introspection'];

const revocation = ({ errors }: Library) =>
  ({
    enabled: true,
    allowedPolicy: async (_ctx, client, token) => {
      if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token is of another client');
      return true;
    },
  }) satisfies Features['revocation'];

const resourceIndicators = (library: Library) =>
  ({
    enabled: true,
    defaultResource: (ctx) => noResource(library, ctx) as never,
    getResourceServerInfo: async (_ctx, resource) => resourceServer(resource, library),
    useGrantedResource: async () => true,
  }) satisfies Features['resourceIndicators'];

const deviceFlow = (pages: ProviderPages) =>
  ({
    enabled: true,
    userCodeInputSource: pages.userCode,
    userCodeConfirmSource: pages.confirmCode,
    successSource: pages.deviceDone,
  }) satisfies Features['deviceFlow'];

export const featuresOf = (library: Library, { access, pages }: { access: Access; pages: ProviderPages }) =>
  ({
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    clientCredentials: { enabled: true },
    deviceFlow: deviceFlow(pages),
    dPoP: { enabled: true },
    introspection: introspection(access),
    pushedAuthorizationRequests: { enabled: true },
    resourceIndicators: resourceIndicators(library),
    revocation: revocation(library),
    rpInitiatedLogout: { enabled: true, logoutSource: pages.logout, postLogoutSuccessSource: pages.loggedOut },
    userinfo: { enabled: true },
  }) satisfies Features;
