// Requests for credentials at the OpenID provider (OID4VCI, 5): by scope or by authorization details, for the resource that is the
// credential issuer. Its access tokens are good at the credential endpoint and nowhere else.
import type { AuthorizationDetail, Configuration, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import type { FreshLogin } from '../../access/rules/index.ts';
import type { Records } from '../records/index.ts';
import { isForDevice } from './device-routes.ts';
import type { OidcProviderLibrary } from './library.ts';

/** The type of authorization details. */
export const CREDENTIAL_DETAILS = 'openid_credential';
/** Begins the scope of each type of credential. */
export const CREDENTIAL_SCOPE = 'role_credential.';
/** The record of an offer for the code flow, by its `issuer_state`. */
export const ISSUER_STATE_MODEL = 'CredentialIssuerState';

const TOKEN_SECONDS = 600;
const MAX_DETAILS = 20;

/** What is issued. */
export interface CredentialCatalog {
  scopes(): Promise<readonly string[]>;
  has(configurationId: string): Promise<boolean>;
  /** What people call it: of a scope, or of a configuration. */
  nameOf(asked: string): Promise<string | undefined>;
  /** Requests must be as HAIP 1.0 asks: of wallets that authenticate, pushed, with S256 and DPoP. */
  readonly isHaip: boolean;
}

export interface CredentialRequestDeps {
  readonly issuer: string;
  readonly catalog: CredentialCatalog;
  readonly records: Records;
}

export const isCredentialScope = (scope: string): boolean => scope.startsWith(CREDENTIAL_SCOPE);

const scopesOf = (scope: unknown): string[] => (typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []);

/** Configurations in a parameter that the library has validated. */
function configurationsIn(details: unknown): string[] {
  if (typeof details !== 'string') return [];
  const list = JSON.parse(details) as { credential_configuration_id: string }[];
  return [...new Set(list.map(({ credential_configuration_id: id }) => id))];
}

/** Credentials that a request asks for: scopes and configurations. */
export const credentialsAsked = ({ scope, authorization_details: details }: Readonly<Record<string, unknown>>): string[] => [
  ...scopesOf(scope).filter(isCredentialScope),
  ...configurationsIn(details),
];

/** Requests for credentials are for the credential issuer, also if they do not say so. */
export const asksForCredentials = (params: Readonly<Record<string, unknown>> | undefined): boolean =>
  params !== undefined && (scopesOf(params.scope).some(isCredentialScope) || params.authorization_details !== undefined);

const AUTHENTICATED: readonly string[] = ['pushed_authorization_request', 'device_authorization', 'token'];

/** Whether a code is for credentials. */
export const isForCredentials = ({ scopes, rar }: { readonly scopes: Iterable<string>; readonly rar?: unknown }): boolean =>
  rar !== undefined || [...scopes].some(isCredentialScope);

/** What HAIP 1.0 (4.3, 4.4) asks of requests: only for credentials, because other applications use the same endpoints. */
function checkHaip({ errors }: OidcProviderLibrary, ctx: KoaContextWithOIDC): void {
  const { route, entities, params, client } = ctx.oidc;
  if (route === 'authorization' && !entities.PushedAuthorizationRequest)
    throw new errors.InvalidRequest('requests for credentials must be pushed (RFC 9126)');
  if (route === 'pushed_authorization_request' && params?.code_challenge_method !== 'S256')
    throw new errors.InvalidRequest('requests for credentials need PKCE with S256');
  if (AUTHENTICATED.includes(route) && client?.clientAuthMethod === 'none')
    throw new errors.InvalidClient('wallets must authenticate to receive credentials');
  if (route === 'token' && !ctx.get('DPoP'))
    throw new errors.InvalidDpopProof('tokens for credentials are bound to a key (DPoP)');
}

/** The resource server of credentials. */
export async function credentialServer(library: OidcProviderLibrary, deps: CredentialRequestDeps, ctx: KoaContextWithOIDC) {
  const { issuer, catalog } = deps;
  // Whoever asks is not where the person is: nothing says that it is their wallet, and the person cannot tell.
  if (isForDevice(ctx.oidc.route)) throw new library.errors.InvalidTarget('credentials are not issued by the device flow');
  if (catalog.isHaip) checkHaip(library, ctx);
  const scopes = await catalog.scopes();
  const unknown = scopesOf(ctx.oidc.params?.scope).find((scope) => isCredentialScope(scope) && !scopes.includes(scope));
  if (unknown !== undefined && ctx.oidc.route !== 'token')
    throw new library.errors.InvalidScope('requested scope is not known', unknown);
  return { scope: scopes.join(' '), audience: issuer, accessTokenFormat: 'opaque' as const, accessTokenTTL: TOKEN_SECONDS };
}

export const credentialDetail = (id: string): AuthorizationDetail => ({
  type: CREDENTIAL_DETAILS,
  credential_configuration_id: id,
});

/**
 * What a token response says: all that was granted, or what the token request names (RFC 9396, 6), never anything else. A wallet asks for it by the
 * identifiers (OID4VCI, 6.2).
 */
export function identifiedDetails(
  { errors }: OidcProviderLibrary,
  granted: readonly string[],
  asked: unknown,
): (AuthorizationDetail & { readonly credential_identifiers: readonly string[] })[] {
  const ids = asked === undefined ? granted : configurationsIn(asked);
  if (ids.some((id) => !granted.includes(id)))
    throw new errors.InvalidAuthorizationDetails('these credentials were not authorized');
  return ids.map((id) => ({ ...credentialDetail(id), credential_identifiers: [id] }));
}

/** `authorization_details` (RFC 9396). Nothing but credentials can be asked for in this way. */
export function richRequests(library: OidcProviderLibrary, { issuer, catalog }: CredentialRequestDeps) {
  const { errors } = library;
  return {
    enabled: true,
    types: {
      [CREDENTIAL_DETAILS]: {
        async validate(_ctx: KoaContextWithOIDC, { credential_configuration_id: id, locations }: AuthorizationDetail) {
          if (typeof id !== 'string' || !(await catalog.has(id)))
            throw new errors.InvalidAuthorizationDetails('credential_configuration_id is not one of this issuer');
          if (Array.isArray(locations) && !locations.includes(issuer))
            throw new errors.InvalidAuthorizationDetails('locations does not name this issuer');
        },
      },
    },
    authorizationDetailsForGrantSource: async ({ oidc }: KoaContextWithOIDC) => {
      const ids = configurationsIn(oidc.params?.authorization_details);
      if (ids.length > MAX_DETAILS) throw new errors.InvalidAuthorizationDetails('there are too many of them');
      return ids.map(credentialDetail);
    },
    async authorizationDetailsForAccessToken(
      { oidc }: KoaContextWithOIDC,
      _token: unknown,
      source: { rar?: unknown } | undefined,
    ) {
      const granted = ((source?.rar ?? []) as { credential_configuration_id: string }[]).map(
        (one) => one.credential_configuration_id,
      );
      return identifiedDetails(library, granted, oidc.params?.authorization_details);
    },
    authorizationDetailsForIntrospection: async () => undefined,
  } satisfies NonNullable<Configuration['features']>['richAuthorizationRequests'];
}

/** `issuer_state` of an offer (OID4VCI, 5.1.3). */
export const offerParameter = ({ errors }: OidcProviderLibrary, { records }: Pick<CredentialRequestDeps, 'records'>) => ({
  issuer_state: async (_ctx: KoaContextWithOIDC, value: string | undefined): Promise<void> => {
    if (value !== undefined && !(await records.find(ISSUER_STATE_MODEL, value)))
      throw new errors.InvalidRequest('issuer_state is not known, or the offer has ended');
  },
});

/** An offer is for one person: somebody else who is signed in must not receive it, nor credentials of their own through it. */
export function offeredToAnother(
  { interactionPolicy: { Check }, errors }: OidcProviderLibrary,
  { records }: Pick<CredentialRequestDeps, 'records'>,
): interactionPolicy.Check {
  return new Check('offered_to_another', 'End-User authentication is required', 'login_required', async ({ oidc }) => {
    const state = oidc.params?.issuer_state;
    if (typeof state !== 'string' || !oidc.session?.accountId) return Check.NO_NEED_TO_PROMPT;
    const offer = await records.find(ISSUER_STATE_MODEL, state);
    if (offer?.accountId === oidc.session.accountId) return Check.NO_NEED_TO_PROMPT;
    if (oidc.result?.login) throw new errors.AccessDenied('the offer is for another account');
    return Check.REQUEST_PROMPT;
  });
}

/** A credential can be a way to sign in. As with any other, an old session is not enough to get one: whoever has it may not be the person. */
export function signInTooOld(
  { interactionPolicy: { Check } }: OidcProviderLibrary,
  { freshLogin }: { readonly freshLogin: Pick<FreshLogin, 'isFresh'> },
): interactionPolicy.Check {
  return new Check('sign_in_too_old', 'End-User authentication is required', 'login_required', ({ oidc }) => {
    const { session, result, params } = oidc;
    const isOld = session?.accountId && !result?.login && !freshLogin.isFresh(Number(session.loginTs) * 1000);
    return isOld && asksForCredentials(params) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
}

/** A credential outlives the session, so its person is asked each time, whatever they allowed before, and whoever asks. */
export const credentialsNotAgreed = ({ interactionPolicy: { Check } }: OidcProviderLibrary): interactionPolicy.Check =>
  new Check('credentials_not_agreed', 'credentials were requested', 'consent_required', ({ oidc }) =>
    asksForCredentials(oidc.params) && !oidc.result?.consent ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
  );
