// The OpenID provider's configuration: what it offers, to whom, for how long, and where our own parts come in.
import type { Account, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Access } from '../../../access/index.ts';
import { ID_TOKEN_ALGORITHMS } from '../../../consumers/index.ts';
import type { Factor } from '../../../two-factor/index.ts';
import type { ProviderPages } from '../../pages/provider-pages.ts';
import { type Accounts, CLAIMS, SCOPES } from '../accounts.ts';
import { type AdapterDeps, createAdapter } from '../adapter.ts';
import { readConsent } from '../consents.ts';
import type { Keyring } from '../keys.ts';
import type { Records } from '../records/records.ts';
import { notAllowed, resourceServer } from '../resources.ts';
import type { Unfinished } from '../unfinished.ts';

export const ROOT = '/openid';
export const DISCOVERY = '/.well-known/openid-configuration';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Lifetimes {
  /** A session ends when nobody used it for so long, and at last after the second. */
  readonly sessionIdleSeconds: number;
  readonly sessionSeconds: number;
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
}

export interface ProviderDeps {
  readonly records: Records;
  readonly accounts: Accounts;
  readonly access: Access;
  readonly factor: Factor;
  readonly unfinished: Unfinished;
  readonly client: AdapterDeps['client'];
  readonly pages: ProviderPages;
  readonly lifetimes: Lifetimes;
  /** The only way out: back-channel logout goes through it. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Applications that are part of this installation: nobody is asked whether they may know who they are. */
  isOwn(clientId: string): boolean;
}

type Library = typeof import('oidc-provider');

export function configurationOf(library: Library, keys: Keyring, deps: ProviderDeps): Configuration {
  const { records, accounts, access, pages, lifetimes } = deps;
  const { errors, interactionPolicy } = library;

  /** A session that is too old asks for the password again, however much it was used. */
  const policy = interactionPolicy.base();
  policy.get('login')!.checks.add(
    new interactionPolicy.Check('session_too_old', 'End-User authentication is required', 'login_required', ({ oidc }) => {
      const tooOld = oidc.session?.accountId && oidc.session.past(lifetimes.sessionSeconds) && !oidc.result?.login;
      return tooOld ? interactionPolicy.Check.REQUEST_PROMPT : interactionPolicy.Check.NO_NEED_TO_PROMPT;
    }),
  );
  /** Disabled since, or of a domain that is: the session is worth nothing. */
  policy
    .get('login')!
    .checks.add(
      new interactionPolicy.Check('account_closed', 'End-User authentication is required', 'login_required', ({ oidc }) =>
        oidc.session?.accountId && !oidc.account
          ? interactionPolicy.Check.REQUEST_PROMPT
          : interactionPolicy.Check.NO_NEED_TO_PROMPT,
      ),
    );

  /** A resource is used in a person's name only after they saw its address; own applications are not asked about. */
  const missing = ({ oidc }: KoaContextWithOIDC): string[] =>
    deps.isOwn(oidc.client!.clientId) ? [] : notAllowed(oidc.entities.Grant!, Object.keys(oidc.resourceServers ?? {}));
  policy.get('consent')!.checks.add(
    new interactionPolicy.Check(
      'resource_not_allowed',
      'requested resource not granted',
      'consent_required',
      (ctx) => (missing(ctx).length > 0 ? interactionPolicy.Check.REQUEST_PROMPT : interactionPolicy.Check.NO_NEED_TO_PROMPT),
      (ctx) => ({ missingResources: missing(ctx) }),
    ),
  );

  /** In the ID token, for those that asked for it when they were registered; or whose access token is not for asking us. */
  const wantsClaims = ({ oidc }: KoaContextWithOIDC): boolean =>
    oidc.client?.['id_token_claims'] === true || Boolean(oidc.entities.AccessToken?.aud);

  async function findAccount(ctx: KoaContextWithOIDC, sub: string): Promise<Account | undefined> {
    // Disabled, or of a disabled domain: as if there were none.
    const view = await access.read(sub, { kind: 'unscoped' });
    const user = view && (await accounts.find(sub));
    if (!user) return undefined;
    return {
      accountId: sub,
      claims: async (use, scope) => {
        if (use === 'id_token' && !wantsClaims(ctx)) return { sub };
        const { sub: _, ...claims } = await accounts.claims(user, ctx.oidc.client?.clientId ?? '', new Set(scope.split(' ')));
        return { sub, ...claims };
      },
    };
  }

  /** A token of a person ends, at the latest, when the person or their domain is disabled. */
  async function isOpen(token: object): Promise<boolean> {
    const accountId = 'accountId' in token ? token.accountId : undefined;
    return typeof accountId !== 'string' || (await access.read(accountId, { kind: 'unscoped' })) !== undefined;
  }

  /** What an application may do by itself a resource says; where there is none, nothing that nobody knows. */
  function noResource({ oidc }: KoaContextWithOIDC): readonly string[] {
    const { grant_type: grantType, scope } = (oidc.params ?? {}) as { grant_type?: string; scope?: string };
    const unknown = (scope ?? '').split(' ').find((one) => one !== '' && !SCOPES.includes(one));
    if (grantType === 'client_credentials' && unknown !== undefined)
      throw new errors.InvalidScope('requested scope is not known', unknown);
    return [];
  }

  /** What a person once allowed an application they are not asked again, in whichever browser. */
  async function loadExistingGrant(ctx: KoaContextWithOIDC) {
    const { client, session, result, provider } = ctx.oidc;
    const clientId = client!.clientId;
    const inSession = result?.consent?.grantId ?? session!.grantIdFor(clientId);
    const given = inSession ? await provider.Grant.find(inSession) : undefined;
    const accountId = session!.accountId;
    if (accountId && deps.isOwn(clientId))
      return ownGrant(given ?? new provider.Grant({ accountId, clientId }), ctx.oidc.requestParamOIDCScopes);
    if (inSession || !accountId) return given;
    const consent = await readConsent(records, accountId, clientId);
    if (!consent) return undefined;
    // One for each session: what ends in one browser goes on in the others.
    const grant = new provider.Grant({ accountId, clientId });
    Object.assign(grant, consent);
    await grant.save();
    return grant;
  }

  /** Has what is asked for now, when it was less before. */
  async function ownGrant(grant: InstanceType<Provider['Grant']>, scopes: ReadonlySet<string>) {
    const held = new Set(grant.getOIDCScope().split(' '));
    if (grant.jti && [...scopes].every((scope) => held.has(scope))) return grant;
    grant.addOIDCScope([...scopes].join(' '));
    await grant.save();
    return grant;
  }

  return {
    adapter: createAdapter({
      records,
      client: deps.client,
      unfinished: deps.unfinished,
      // Two-factor authentication that was turned on since asks for a code.
      suffices: async ({ accountId, amr = [] }) => amr.includes('mfa') || !(await deps.factor.isEnabled(accountId)),
      replayed: () => new errors.InvalidDpopProof('DPoP proof JWT Replay detected'),
      alreadyUsed: () => new errors.InvalidGrant('it was used already'),
    }),
    jwks: { keys: [...keys.signing] as never },
    cookies: {
      keys: [...keys.cookies],
      names: { session: 'gatehouse_session', interaction: 'gatehouse_interaction', resume: 'gatehouse_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true, path: '/' },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    claims: Object.fromEntries(Object.entries(CLAIMS).map(([scope, names]) => [scope, [...names]])),
    scopes: SCOPES,
    // Who gets them there is decided for each client, see findAccount.
    conformIdTokenClaims: false,
    extraClientMetadata: { properties: ['id_token_claims'] },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { grant_types: ['authorization_code'], response_types: ['code'], id_token_signed_response_alg: 'RS256' },
    responseTypes: ['code', 'none'],
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') &&
      // Our own ask again whether a person may still come in: a session there would otherwise outlive the account here.
      (deps.isOwn(client.clientId) || code.scopes.has('offline_access') || code.scopes.has('all_info')),
    // Applications in a browser are public, and call from the address they are registered with.
    clientBasedCORS: (ctx, origin, client) =>
      (ctx.oidc.route === 'userinfo' || client.clientAuthMethod === 'none') &&
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin && origin !== 'null'),
    findAccount,
    loadExistingGrant,
    interactions: { policy, url: (_ctx, interaction) => `${ROOT}/interaction/${interaction.uid}` },
    renderError: pages.error,
    fetch: deps.fetch as never,
    enabledJWA: {
      idTokenSigningAlgValues: [...ID_TOKEN_ALGORITHMS],
      userinfoSigningAlgValues: ['RS256', 'ES256', 'EdDSA'],
      dPoPSigningAlgValues: ['ES256', 'EdDSA', 'RS256', 'PS256'],
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: pages.userCode,
        userCodeConfirmSource: pages.confirmCode,
        successSource: pages.deviceDone,
      },
      dPoP: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) =>
          (client.clientAuthMethod !== 'none' || token.clientId === client.clientId) && isOpen(token),
      },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (ctx) => noResource(ctx) as never,
        getResourceServerInfo: async (_ctx, resource) => resourceServer(resource, library),
        useGrantedResource: async () => true,
      },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => {
          if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token is of another client');
          return true;
        },
      },
      rpInitiatedLogout: { enabled: true, logoutSource: pages.logout, postLogoutSuccessSource: pages.loggedOut },
      userinfo: { enabled: true },
    },
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? lifetimes.accessTokenSeconds,
      AuthorizationCode: MINUTE,
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? lifetimes.accessTokenSeconds,
      DeviceCode: 10 * MINUTE,
      Grant: lifetimes.refreshTokenSeconds,
      IdToken: HOUR,
      // Until there is a person, it is a stranger's.
      Interaction: (_ctx, { session }) => (session?.accountId ? HOUR : 20 * MINUTE),
      RefreshToken: lifetimes.refreshTokenSeconds,
      Session: (_ctx, { accountId }) => (accountId ? Math.min(lifetimes.sessionIdleSeconds, 30 * DAY) : 20 * MINUTE),
    },
    routes: {
      authorization: `${ROOT}/authorize`,
      code_verification: `${ROOT}/device`,
      device_authorization: `${ROOT}/device/authorize`,
      end_session: `${ROOT}/logout`,
      introspection: `${ROOT}/introspect`,
      jwks: `${ROOT}/jwks`,
      pushed_authorization_request: `${ROOT}/par`,
      revocation: `${ROOT}/revoke`,
      token: `${ROOT}/token`,
      userinfo: `${ROOT}/userinfo`,
    },
  };
}
