// Features beyond the core of OpenID Connect.
import type { Configuration } from 'oidc-provider';
import type { Access } from '../../../access/context/index.ts';
import { acrClaimOf } from '../acr.ts';
import { KEYLESS } from '../attested-wallets.ts';
import { type CredentialRequestDeps, credentialServer, richRequests } from '../credential-requests.ts';
import type { OidcProviderLibrary } from '../library.ts';
import type { ProviderPages } from '../provider-pages.ts';
import { type ApiRequestDeps, apiServer, defaultResource } from '../resources.ts';
import { type CertificateFeatureDeps, mutualTls } from './certificates.ts';
import { type CibaDeps, ciba } from './ciba.ts';
import { fapi } from './profiles.ts';
import { requestObjects } from './request-objects.ts';

type FeatureConfiguration = NonNullable<Configuration['features']>;

/** Tokens of a person are invalid when the person or their domain is disabled. */
async function isAccountEnabled(access: Access, token: object): Promise<boolean> {
  const accountId = 'accountId' in token ? token.accountId : undefined;
  return typeof accountId !== 'string' || (await access.read(accountId, { kind: 'unscoped' })) !== undefined;
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

const resourceIndicators = (library: OidcProviderLibrary, deps: CredentialRequestDeps & ApiRequestDeps) =>
  ({
    enabled: true,
    defaultResource: (ctx, _client, granted) => defaultResource(library, deps, ctx, granted as string[] | undefined) as never,
    getResourceServerInfo: async (ctx, resource) =>
      resource === deps.issuer ? credentialServer(library, deps, ctx) : apiServer(library, deps, ctx, resource),
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
  {
    access,
    pages,
    ...deps
  }: CredentialRequestDeps & ApiRequestDeps & CertificateFeatureDeps & CibaDeps & { access: Access; pages: ProviderPages },
) =>
  ({
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    ciba: ciba(library, deps),
    claimsParameter: claimsParameter(library),
    clientCredentials: { enabled: true },
    deviceFlow: deviceFlow(pages),
    dPoP: { enabled: true },
    fapi,
    introspection: introspection(access),
    pushedAuthorizationRequests: { enabled: true },
    resourceIndicators: resourceIndicators(library, deps),
    jwtIntrospection: { enabled: true },
    jwtResponseModes: { enabled: true },
    mTLS: mutualTls(deps),
    requestObjects: requestObjects(library),
    revocation: revocation(library),
    richAuthorizationRequests: richRequests(library, deps),
    rpInitiatedLogout: { enabled: true, logoutSource: pages.logout, postLogoutSuccessSource: pages.loggedOut },
    userinfo: { enabled: true },
  }) satisfies FeatureConfiguration;
