// Token requests to the provider, with a code or a refresh token.
import type { IDToken, refreshTokenGrant } from 'openid-client';
import type { DiscoveredProvider } from './provider-discovery.ts';
import { InvalidIdTokenError, SubjectChangedError } from './provider-errors.ts';
import { isNonEmptyString, LEEWAY_SECONDS } from './provider-tokens.ts';

/** The claims about a user, and the tokens for later requests. */
export interface ProviderGrant {
  /** Exactly as the provider writes it. */
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The session id at the provider, if it sends one. */
  readonly sid: string | undefined;
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** When the access token expires (milliseconds); undefined if unknown. */
  readonly expiresAt: number | undefined;
}

export type PreviousGrant = Pick<ProviderGrant, 'subject' | 'claims' | 'idToken'> & { readonly refreshToken: string };

/** A login in progress. */
export interface AuthorizationFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type TokenResponse = Awaited<ReturnType<typeof refreshTokenGrant>>;

const claimsOf = (idToken: string): IDToken => JSON.parse(Buffer.from(idToken.split('.')[1]!, 'base64url').toString());

export async function grantOf(
  { oidc, config }: DiscoveredProvider,
  tokens: TokenResponse,
  former?: PreviousGrant,
): Promise<ProviderGrant> {
  // A refresh response need not have an ID token (OpenID Connect Core, 12.2).
  const idClaims = tokens.claims() ?? claimsOf(former!.idToken);
  const { sub: subject, iss, sid, iat } = idClaims;
  // The library does not check these. A numeric or empty subject would give a wrong owner.
  if (!isNonEmptyString(subject) || typeof iat !== 'number' || iat > Date.now() / 1000 + LEEWAY_SECONDS)
    throw new InvalidIdTokenError('the ID token names nobody, or comes from the future');
  if (former && subject !== former.subject) throw new SubjectChangedError('the identity provider answers for another subject');
  const extra = config.serverMetadata().userinfo_endpoint
    ? await oidc.fetchUserInfo(config, tokens.access_token, subject).catch(() => undefined)
    : {};
  const lasts = tokens.expiresIn();
  return {
    issuer: iss,
    subject,
    // Claims the provider no longer sends are dropped, for example a role. Previous claims are used only if userinfo fails.
    claims: { ...(extra ? {} : former?.claims), ...idClaims, ...extra, sub: subject },
    sid: isNonEmptyString(sid) ? sid : undefined,
    idToken: tokens.id_token ?? former!.idToken,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? former?.refreshToken,
    expiresAt: lasts === undefined ? undefined : Date.now() + lasts * 1000,
  };
}

/** The library checks state, issuer, nonce, signature, audience and times. */
export async function redeemCode(
  discovered: DiscoveredProvider,
  redirectUri: string,
  returned: URLSearchParams,
  { state, nonce, verifier }: AuthorizationFlow,
): Promise<ProviderGrant> {
  const { oidc, config } = discovered;
  const tokens = await oidc.authorizationCodeGrant(config, new URL(`${redirectUri}?${returned}`), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  return grantOf(discovered, tokens);
}

export async function refreshGrant(discovered: DiscoveredProvider, former: PreviousGrant): Promise<ProviderGrant> {
  const { oidc, config } = discovered;
  return grantOf(discovered, await oidc.refreshTokenGrant(config, former.refreshToken), former);
}
