// The OpenID provider people log in through. It may be away: it is asked for when it is needed, and asked again until it answers.
import type { Configuration, CustomFetch, IDToken, refreshTokenGrant } from 'openid-client';
import { newSecret } from '../../platform/ids.ts';
import { guardedFetch, type Outbound, OutboundError } from '../../platform/outbound/index.ts';
import { fail } from '../faults.ts';
import { isName, LEEWAY_SECONDS } from './provider-tokens.ts';

export interface ProviderOptions {
  readonly issuer: string;
  readonly scopes: string;
  /** What the node is registered with there; asked for when it is needed first. */
  client(): Promise<{ readonly clientId: string; readonly clientSecret: string | undefined }>;
}

export interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider said about a person, and what to ask it again with. */
export interface Grant {
  /** As the provider itself writes it. */
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The session at the provider, where it names one. */
  readonly sid: string | undefined;
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** When what was granted runs out (milliseconds); undefined when it did not say. */
  readonly expiresAt: number | undefined;
}

/** Keys and addresses of a provider change now and then; a day is what its own caches allow. */
const DISCOVERED_MS = 24 * 3600 * 1000;
const AGAIN_MS = 2_000;
const PING_MS = 1_000;
const RETRY_SECONDS = '5';

type Before = Pick<Grant, 'subject' | 'claims' | 'idToken'> & { readonly refreshToken: string };

const claimsOf = (idToken: string): IDToken => JSON.parse(Buffer.from(idToken.split('.')[1]!, 'base64url').toString());

/** Loaded when somebody logs in: it is large, and a node that only publishes documents never needs it. */
interface Ready {
  readonly oidc: typeof import('openid-client');
  readonly config: Configuration;
}

/** What the provider itself refused, by its own word. Everything else that goes wrong is its absence. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof BadIdToken) return 'invalid_response';
  if (error.name === 'ResponseBodyError' || error.name === 'AuthorizationResponseError')
    return (error as Error & { error: string }).error;
  if (error.name === 'WWWAuthenticateChallengeError') return 'invalid_token';
  // An answer that does not hold: a wrong signature, nonce, issuer, or audience.
  return error.name === 'ClientError' && !isAbsence(error) ? 'invalid_response' : undefined;
}

/** What a provider says of a grant that holds no more, or only after the person was there again. */
const TAKEN_BACK = ['invalid_grant', 'access_denied', 'login_required', 'interaction_required', 'consent_required'];

/**
 * The provider takes its word back: the account was closed, the consent withdrawn, or the subject is another. All else that goes
 * wrong (a proxy's page, a client secret that was changed) is about us or the way there, and logs nobody out.
 */
export const isTakenBack = (error: unknown): boolean =>
  error instanceof SubjectChanged || TAKEN_BACK.includes(refusalOf(error) ?? '');

class SubjectChanged extends Error {}
class BadIdToken extends Error {}

/** The word of RFC 6750 for a token that expired, was revoked, or never was. */
const isUnknownToken = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'WWWAuthenticateChallengeError' &&
  (error as Error & { status: number }).status === 401;

function isAbsence(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError || cause instanceof TypeError || cause.name === 'TimeoutError') return true;
    if ((cause as { code?: string }).code === 'OAUTH_TIMEOUT') return true;
  }
  return isTurnedAway(error);
}

/** It answers, and only not this: it may answer about another. */
export function isTurnedAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.cause instanceof Response && (cause.cause.status >= 500 || cause.cause.status === 429)) return true;
  return false;
}

export function createProvider(options: ProviderOptions, deps: { outbound: Outbound; redirectUri(): string }) {
  const { issuer, scopes } = options;
  const guarded = guardedFetch(deps.outbound, { kind: 'identity-provider', timeoutMs: 5_000, maxBytes: 256 * 1024 });
  let discovered: { at: number; ready: Promise<Ready> } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let failure = '';
  const unavailable = (): never =>
    fail('identity-provider-unavailable', undefined, { reason: failure, headers: { 'Retry-After': RETRY_SECONDS } });
  let pinged = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve() };

  async function discover(): Promise<Ready> {
    const oidc = await import('openid-client');
    const { clientId, clientSecret } = await options.client();
    const auth = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
    const read = (from: string): Promise<Configuration> =>
      oidc.discovery(new URL(from), clientId, undefined, auth, {
        [oidc.customFetch]: guarded as CustomFetch,
        timeout: 5,
        // The library takes an ID token that came by TLS as it is; a signature costs little more.
        execute: [
          oidc.enableNonRepudiationChecks,
          // Whoever configures a provider on plain http wants it: the address is the operator's, not a stranger's.
          ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
        ],
      });
    const config = await read(issuer).catch((error: { code?: string }) => {
      // Settings drop a slash at the end; the name of some providers has one.
      if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
      return read(`${issuer}/`);
    });
    config[oidc.customFetch] = guarded as CustomFetch;
    return { oidc, config };
  }

  async function whenReady(): Promise<Ready> {
    const now = performance.now();
    const former = discovered;
    if (former && now - former.at < DISCOVERED_MS) return former.ready;
    if (now - failedAt < AGAIN_MS) return former ? former.ready : unavailable();
    const attempt = {
      at: now,
      ready: discover().catch((error: unknown) => {
        failedAt = performance.now();
        failure = `discovery: ${(error as Error).message}`;
        discovered = former;
        // What it said yesterday most likely still holds.
        if (former) return former.ready;
        return unavailable();
      }),
    };
    discovered = attempt;
    return attempt.ready;
  }

  async function tryReach(): Promise<void> {
    await whenReady();
    const { ok, status } = await guarded(`${issuer}/.well-known/openid-configuration`);
    if (!ok) throw new Error(`the identity provider answers ${status}`);
  }

  async function grantOf(
    { oidc, config }: Ready,
    tokens: Awaited<ReturnType<typeof refreshTokenGrant>>,
    before?: Before,
  ): Promise<Grant> {
    // Who refreshes need not be told again who it is (OpenID Connect Core, 12.2).
    const idClaims = tokens.claims() ?? claimsOf(before!.idToken);
    const { sub: subject, iss, sid, iat } = idClaims;
    // The library looks at neither: a number would be another owner than the text, and nobody is not a person.
    if (!isName(subject) || typeof iat !== 'number' || iat > Date.now() / 1000 + LEEWAY_SECONDS)
      throw new BadIdToken('the ID token names nobody, or comes from the future');
    if (before && subject !== before.subject) throw new SubjectChanged('the identity provider answers for another subject');
    const extra = config.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(config, tokens.access_token, subject).catch(() => undefined)
      : {};
    const lasts = tokens.expiresIn();
    return {
      issuer: iss,
      subject,
      // What the provider says no more holds no more, a role for one; what was said before helps only when it cannot be asked.
      claims: { ...(extra ? {} : before?.claims), ...idClaims, ...extra, sub: subject },
      sid: isName(sid) ? sid : undefined,
      idToken: tokens.id_token ?? before!.idToken,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? before?.refreshToken,
      expiresAt: lasts === undefined ? undefined : Date.now() + lasts * 1000,
    };
  }

  return {
    issuer,

    async authorizationUrl(flow: Flow, more: { prompt?: string | undefined; loginHint?: string | undefined }): Promise<string> {
      const { oidc, config } = await whenReady();
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: deps.redirectUri(),
        scope: scopes,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...(more.prompt ? { prompt: more.prompt } : {}),
        ...(more.loginHint ? { login_hint: more.loginHint } : {}),
      }).href;
    },

    newFlow: (): Flow => ({ state: newSecret(), nonce: newSecret(), verifier: newSecret() }),

    /** The code for a grant; the library checks state, issuer, nonce, signature, audience and times. */
    async redeem(returned: URLSearchParams, { state, nonce, verifier }: Flow): Promise<Grant> {
      const ready = await whenReady();
      const { oidc, config } = ready;
      const tokens = await oidc.authorizationCodeGrant(config, new URL(`${deps.redirectUri()}?${returned}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return grantOf(ready, tokens);
    },

    async refresh(before: Before): Promise<Grant> {
      const ready = await whenReady();
      return grantOf(ready, await ready.oidc.refreshTokenGrant(ready.config, before.refreshToken), before);
    },

    /**
     * Whether what it granted still holds; undefined when it cannot be asked, or does not say. Introspection speaks of tokens
     * to those it trusts with that, and calls all tokens inactive to others: its no counts when nothing else says yes.
     */
    async isActive(accessToken: string, subject: string): Promise<boolean | undefined> {
      const { oidc, config } = await whenReady();
      const { introspection_endpoint: introspects, userinfo_endpoint: tells } = config.serverMetadata();
      const { clientSecret } = await options.client();
      const said =
        introspects === undefined || clientSecret === undefined
          ? undefined
          : await oidc.tokenIntrospection(config, accessToken, { token_type_hint: 'access_token' }).then(
              ({ active }) => active,
              (error: unknown) => (isAbsence(error) ? Promise.reject(error) : undefined),
            );
      if (said === true || tells === undefined) return said;
      return oidc.fetchUserInfo(config, accessToken, subject).then(
        () => true,
        (error: unknown) => {
          if (isAbsence(error)) throw error;
          return isUnknownToken(error) ? false : undefined;
        },
      );
    },

    async revoke(refreshToken: string): Promise<void> {
      const { oidc, config } = await whenReady();
      if (config.serverMetadata().revocation_endpoint)
        await oidc.tokenRevocation(config, refreshToken, { token_type_hint: 'refresh_token' });
    },

    /** Where the browser ends the session at the provider too; undefined when it has no such place, or is away. */
    async endSessionUrl(idToken: string, back: string): Promise<string | undefined> {
      const ready = await whenReady().catch(() => undefined);
      if (!ready?.config.serverMetadata().end_session_endpoint) return undefined;
      return ready.oidc.buildEndSessionUrl(ready.config, { id_token_hint: idToken, post_logout_redirect_uri: back }).href;
    },

    /** What the node is called there. */
    clientId: async (): Promise<string> => (await options.client()).clientId,

    /** Its name, and where its keys are, for whoever verifies its tokens. */
    async signer(): Promise<{ issuer: string; jwksUri: string }> {
      const { issuer: name, jwks_uri: jwksUri } = (await whenReady()).config.serverMetadata();
      return { issuer: name, jwksUri: jwksUri ?? fail('identity-provider-unavailable') };
    },

    /** Rejects while it cannot be reached. Asked of us by anybody, so not passed on each time. */
    ping(): Promise<void> {
      const now = performance.now();
      if (now - pinged.at > PING_MS) pinged = { at: now, answer: tryReach() };
      return pinged.answer;
    },
    fetch: guarded,
  };
}

export type Provider = ReturnType<typeof createProvider>;
