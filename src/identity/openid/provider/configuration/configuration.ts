// The configuration of the OpenID library.
import type { Configuration } from 'oidc-provider';
import type { Access } from '../../../access/context/index.ts';
import type { Apis } from '../../../applications/apis/index.ts';
import type { ClientRegistration } from '../../../applications/client-registration/index.ts';
import { CLIENT_KEY_ALGORITHMS, ID_TOKEN_ALGORITHMS } from '../../../applications/consumers/index.ts';
import type { WalletProviders } from '../../../applications/wallet-providers/index.ts';
import type { Passkeys } from '../../../directory/passkeys/index.ts';
import type { LoginRequirements } from '../../../directory/two-factor/index.ts';
import type { Federation } from '../../../login/federation/index.ts';
import type { WalletSignIn } from '../../../login/wallet-sign-in/index.ts';
import type { LibraryAssertions } from '../../client-authentication/index.ts';
import { isAnonymousWallet } from '../../first-party-clients/index.ts';
import { ROOT, USER_INFORMATION } from '../../paths/index.ts';
import type { Records } from '../../records/index.ts';
import type { SignInRequests } from '../../sign-in-requests/index.ts';
import type { Accounts } from '../accounts.ts';
import { ACR_VALUES, methodsOf } from '../acr.ts';
import { type AdapterDeps, createAdapter } from '../adapter.ts';
import { apiClaims } from '../api-tokens.ts';
import {
  ATTESTATION_ALGORITHMS,
  ATTESTED,
  attestationFeatures,
  attestationParameter,
  bindCode,
  KEYLESS,
  replayErrorOf,
} from '../attested-wallets.ts';
import { OWN_ATTRIBUTES } from '../clients.ts';
import { CREDENTIAL_DETAILS, type CredentialCatalog, isForCredentials, offerParameter } from '../credential-requests.ts';
import { DPOP_ALGORITHMS } from '../dpop-proofs.ts';
import { DOMAIN_HINT, IDP_HINT } from '../idp-hint.ts';
import type { Keyring } from '../keys.ts';
import type { OidcProviderLibrary } from '../library.ts';
import type { ProviderPages } from '../provider-pages.ts';
import { needsScope } from '../requested-scope.ts';
import { checkRefreshedApi } from '../resources.ts';
import type { UnfinishedLimit } from '../unfinished-limit.ts';
import { type CertificateFeatureDeps, clientAuthMethodsOf } from './certificates.ts';
import { storedRequest } from './ciba.ts';
import { claimsOf } from './claims.ts';
import { featuresOf } from './features.ts';
import { loadExistingGrant } from './grants.ts';
import { ttlOf } from './lifetimes.ts';
import { metadataOf } from './metadata.ts';
import { checkIssued, hasProfile } from './profiles.ts';
import { type PromptDeps, promptsOf } from './prompts.ts';

export interface ProviderDeps extends CertificateFeatureDeps {
  readonly signInRequests: Pick<SignInRequests, 'begin' | 'mayAsk' | 'poll'>;
  readonly issuer: string;
  readonly records: Records;
  readonly accounts: Accounts;
  readonly access: Access;
  readonly unfinished: UnfinishedLimit;
  readonly client: AdapterDeps['client'];
  readonly pages: ProviderPages;
  /** The HTTP client for back-channel logout. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Applications that are part of this installation: people are not asked for consent. */
  isFirstParty(clientId: string): boolean;
  needsMore: PromptDeps['needsMore'];
  readonly freshLogin: PromptDeps['freshLogin'];
  readonly requirements: Pick<LoginRequirements, 'isEnough'>;
  readonly providerSessions: Federation['sessions'];
  readonly catalog: CredentialCatalog;
  readonly walletProviders: WalletProviders;
  readonly clientRegistration: Pick<ClientRegistration, 'refusal'>;
  readonly walletEntry: Pick<WalletSignIn['entry'], 'isStillGood'>;
  readonly passkeys: Pick<Passkeys, 'isThere'>;
  readonly apis: Apis;
  readonly libraryAssertions: Pick<LibraryAssertions, 'isOwn'>;
}

/** The account may ask for more since. A credential that was revoked since lets nobody in, nor does a passkey that was removed. */
const isSufficient =
  ({ requirements, walletEntry, passkeys }: ProviderDeps): AdapterDeps['isSufficient'] =>
  async ({ accountId, amr = [], credential, passkeyId, isEarlier = false }) =>
    (await requirements.isEnough(accountId, methodsOf(amr), { isEarlier })) &&
    (credential === undefined || (await walletEntry.isStillGood(accountId, credential))) &&
    (passkeyId === undefined || passkeys.isThere(accountId, passkeyId));

/** Of a code or a refresh token that another request used at the same moment. */
export const alreadyUsedErrorOf = ({ errors }: OidcProviderLibrary) => new errors.InvalidGrant('it was used already');

const adapterOf = (library: OidcProviderLibrary, deps: ProviderDeps) =>
  createAdapter({
    ...deps,
    issuer: deps.issuer,
    isSufficient: isSufficient(deps),
    hasLeft: deps.accounts.hasLeft,
    replayError: () => replayErrorOf(library),
    alreadyUsedError: () => alreadyUsedErrorOf(library),
    storedRequest: (payload) => storedRequest(library, payload),
    isInTime: (id) => deps.signInRequests.poll(id),
    tooEarlyError: () => new library.errors.SlowDown(),
  });

/**
 * With https, browsers take the session only from this very host, over https: a neighbouring host cannot plant a session of its own (as
 * `__Host-` says). Over plain http, as on localhost, browsers refuse such names.
 */
const sessionCookie = (issuer: string): string =>
  issuer.startsWith('https:') ? '__Host-gatehouse_session' : 'gatehouse_session';

const cookiesOf = (keys: Keyring, issuer: string) =>
  ({
    keys: [...keys.cookies],
    names: { session: sessionCookie(issuer), interaction: 'gatehouse_interaction', resume: 'gatehouse_resume' },
    long: { httpOnly: true, sameSite: 'lax', signed: true, path: '/' },
    short: { httpOnly: true, sameSite: 'lax', signed: true },
  }) satisfies Configuration['cookies'];

/** Client metadata and client authentication. */
const clients = {
  extraClientMetadata: { properties: OWN_ATTRIBUTES },
  clientDefaults: {
    grant_types: ['authorization_code'],
    response_types: ['code'],
    id_token_signed_response_alg: 'RS256',
    authorization_details_types: [CREDENTIAL_DETAILS],
  },
  responseTypes: ['code', 'none'],
  pkce: { required: (_ctx, client) => KEYLESS.includes(client.clientAuthMethod!) || hasProfile(client) },
  // Applications in a browser are public, and call from the origin of a registered redirect URI.
  // The service's own pages need no permission; the library asks for it nevertheless. A wallet that redeems an offer without saying who it
  // is may be at any origin: the code is all that it has.
  clientBasedCORS: (ctx, origin, client) =>
    origin === new URL(ctx.oidc.provider.issuer).origin ||
    isAnonymousWallet(client.clientId) ||
    ((ctx.oidc.route === 'userinfo' || KEYLESS.includes(client.clientAuthMethod!)) &&
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin && origin !== 'null')),
} satisfies Configuration;

const refreshTokensOf = (library: OidcProviderLibrary, deps: ProviderDeps) =>
  ({
    // A wallet that is attested proves its key each time, and must not lose its credentials with an answer (FAPI 2.0, 5.3.2.1).
    // Nor must an application with a profile.
    async rotateRefreshToken(ctx) {
      await checkRefreshedApi(library, deps, ctx);
      const { client } = ctx.oidc;
      return client!.clientAuthMethod !== ATTESTED && !hasProfile(client);
    },
    // What a wallet refreshes is not bound to the browser in which its person signed in.
    async expiresWithSession(ctx, code) {
      // The first thing that is asked about a new code.
      bindCode(ctx, code);
      return ctx.oidc.client!.clientAuthMethod !== ATTESTED && !code.scopes.has('offline_access');
    },
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') &&
      // First-party applications use it to check that the account still exists: otherwise their session could outlive it.
      ((client.clientAuthMethod === ATTESTED && isForCredentials(code)) ||
        deps.isFirstParty(client.clientId) ||
        code.scopes.has('offline_access') ||
        code.scopes.has('all_info')),
  }) satisfies Configuration;

const algorithms = {
  idTokenSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
  userinfoSigningAlgValues: ['RS256', 'ES256', 'EdDSA'],
  dPoPSigningAlgValues: [...DPOP_ALGORITHMS],
  clientAuthSigningAlgValues: [...CLIENT_KEY_ALGORITHMS],
  requestObjectSigningAlgValues: [...CLIENT_KEY_ALGORITHMS],
  authorizationSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
  introspectionSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
  attestSigningAlgValues: [...ATTESTATION_ALGORITHMS],
} satisfies Configuration['enabledJWA'];

const routes = {
  authorization: `${ROOT}/authorize`,
  backchannel_authentication: `${ROOT}/backchannel`,
  challenge: `${ROOT}/challenge`,
  code_verification: `${ROOT}/device`,
  device_authorization: `${ROOT}/device/authorize`,
  end_session: `${ROOT}/logout`,
  introspection: `${ROOT}/introspect`,
  jwks: `${ROOT}/jwks`,
  pushed_authorization_request: `${ROOT}/par`,
  revocation: `${ROOT}/revoke`,
  token: `${ROOT}/token`,
  userinfo: USER_INFORMATION,
} satisfies Configuration['routes'];

export function configurationOf(library: OidcProviderLibrary, keys: Keyring, deps: ProviderDeps): Configuration {
  const { isFirstParty, pages } = deps;
  const { needsMore, providerSessions, records, freshLogin, clientRegistration } = deps;
  const attestation = attestationFeatures(library, keys, deps.walletProviders);
  const methods = clientAuthMethodsOf(deps);
  const walletMethods = attestation ? [ATTESTED] : [];
  const policy = promptsOf(library, { isFirstParty, needsMore, providerSessions, records, freshLogin, clientRegistration });
  return {
    ...clients,
    clientAuthMethods: [...methods, ...walletMethods] as Configuration['clientAuthMethods'],
    ...claimsOf(deps),
    ...refreshTokensOf(library, deps),
    acrValues: [...ACR_VALUES],
    adapter: adapterOf(library, deps),
    assertJwtClientAuthClaimsAndHeader: async (_ctx, _claims, { kid }) => {
      if (!deps.libraryAssertions.isOwn(kid)) throw new library.errors.InvalidClientAuth('it was not checked before');
    },
    cookies: cookiesOf(keys, deps.issuer),
    enabledJWA: algorithms,
    discovery: metadataOf({
      issuer: deps.issuer,
      isHaip: deps.catalog.isHaip,
      methods,
      keyAlgorithms: CLIENT_KEY_ALGORITHMS,
      walletMethods,
    }),
    extraParams: {
      // The library asks the check of a parameter for every request, also for one that does not have it.
      [IDP_HINT]: needsScope(library),
      [DOMAIN_HINT]: null,
      ...offerParameter(library, deps),
      ...(attestation ? attestationParameter : {}),
    },
    extraTokenClaims(ctx, token) {
      checkIssued(library, ctx, token);
      return apiClaims(ctx, token);
    },
    features: { ...featuresOf(library, deps), ...(attestation as object) },
    fetch: deps.fetch as never,
    interactions: { policy, url: (_ctx, interaction) => `${ROOT}/interaction/${interaction.uid}` },
    jwks: { keys: [...keys.signing] as never },
    loadExistingGrant: (ctx) => loadExistingGrant(deps, ctx),
    renderError: pages.error,
    routes,
    ttl: ttlOf(records),
  };
}
