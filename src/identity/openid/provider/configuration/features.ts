// Features beyond the core of OpenID Connect.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Access } from '../../../access/context/index.ts';
import { SCOPES } from '../accounts.ts';
import { acrClaimOf } from '../acr.ts';
import { KEYLESS } from '../attested-wallets.ts';
import { asksForCredentials, type CredentialRequestDeps, credentialServer, richRequests } from '../credential-requests.ts';
import type { OidcProviderLibrary } from '../library.ts';
import type { ProviderPages } from '../provider-pages.ts';
import { resourceServer } from '../resources.ts';

type FeatureConfiguration = NonNullable<Configuration['features']>;

/** Tokens of a person are invalid when the person or their domain is disabled. */
async function isAccountEnabled(access: Access, token: object): Promise<boolean> {
  const accountId = 'accountId' in token ? token.accountId : undefined;
  return typeof accountId !== 'string' || (await access.read(accountId, { kind: 'unscoped' })) !== undefined;
}

/** Requests for credentials are for their issuer. Without a resource, client credentials can only request known scopes. */
function defaultResources(
  { errors }: OidcProviderLibrary,
  issuer: string,
  { oidc }: KoaContextWithOIDC,
): string | readonly string[] {
  const { grant_type: grantType, scope } = (oidc.params ?? {}) as { grant_type?: string; scope?: string };
  const unknown = (scope ?? '').split(' ').find((one) => one !== '' && !SCOPES.includes(one));
  if (grantType === 'client_credentials' && unknown !== undefined)
    throw new errors.InvalidScope('requested scope is not known', unknown);
  return asksForCredentials(oidc.params) ? issuer : [];
}

const claimsParameter = ({ errors }: OidcProviderLibrary) =>
  ({
    enabled: true,
    assertClaimsParameter: async (ctx) => {
      const { value, values } = acrClaimOf(ctx.oidc.params?.claims);
      if (values !== undefined && !Array.isArray(values))
        throw new errors.InvalidRequest('invalid claims.id_token.acr.values type');
      if (value !== undefined && typeof value !== 'string')
        throw new errors.InvalidRequest('invalid claims.id_token.acr.value type');
    },
  }) satisfies FeatureConfiguration['claimsParameter'];

const introspection = (access: Access) =>
  ({
    enabled: true,
    allowedPolicy: async (_ctx, client, token) =>
      // A wallet that is attested is no application that has to check tokens of others.
      (!KEYLESS.includes(client.clientAuthMethod!) || token.clientId === client.clientId) && isAccountEnabled(access, token),
  }) satisfies FeatureConfiguration['introspection'];

const revocation = ({ errors }: OidcProviderLibrary) =>
  ({
    enabled: true,
    allowedPolicy: async (_ctx, client, token) => {
      if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token is of another client');
      return true;
    },
  }) satisfies FeatureConfiguration['revocation'];

const resourceIndicators = (library: OidcProviderLibrary, deps: CredentialRequestDeps) =>
  ({
    enabled: true,
    defaultResource: (ctx) => defaultResources(library, deps.issuer, ctx) as never,
    getResourceServerInfo: async (ctx, resource) =>
      resource === deps.issuer ? credentialServer(library, deps, ctx) : resourceServer(resource, library),
    useGrantedResource: async () => true,
  }) satisfies FeatureConfiguration['resourceIndicators'];

const deviceFlow = (pages: ProviderPages) =>
  ({
    enabled: true,
    userCodeInputSource: pages.userCode,
    userCodeConfirmSource: pages.confirmCode,
    successSource: pages.deviceDone,
  }) satisfies FeatureConfiguration['deviceFlow'];

export const featuresOf = (
  library: OidcProviderLibrary,
  { access, pages, ...deps }: CredentialRequestDeps & { access: Access; pages: ProviderPages },
) =>
  ({
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    claimsParameter: claimsParameter(library),
    clientCredentials: { enabled: true },
    deviceFlow: deviceFlow(pages),
    dPoP: { enabled: true },
    introspection: introspection(access),
    pushedAuthorizationRequests: { enabled: true },
    resourceIndicators: resourceIndicators(library, deps),
    revocation: revocation(library),
    richAuthorizationRequests: richRequests(library, deps),
    rpInitiatedLogout: { enabled: true, logoutSource: pages.logout, postLogoutSuccessSource: pages.loggedOut },
    userinfo: { enabled: true },
  }) satisfies FeatureConfiguration;
