// What the provider grants: for a code, or for a refresh token.
import type { IDToken, refreshTokenGrant } from 'openid-client';
import type { DiscoveredProvider } from './provider-discovery.ts';
import { InvalidIdTokenError, SubjectChangedError } from './provider-errors.ts';
import { isNonEmptyString, LEEWAY_SECONDS } from './provider-tokens.ts';

/** What the provider said about a person, and what to ask it again with. */
export interface ProviderGrant {
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

export type PreviousGrant = Pick<ProviderGrant, 'subject' | 'claims' | 'idToken'> & { readonly refreshToken: string };

/** A login that is under way. */
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
  // Who refreshes need not be told again who it is (OpenID Connect Core, 12.2).
  const idClaims = tokens.claims() ?? claimsOf(former!.idToken);
  const { sub: subject, iss, sid, iat } = idClaims;
  // The library looks at neither: a number would be another owner than the text, and nobody is not a person.
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
    // What the provider says no more holds no more, a role for one; what was said before helps only when it cannot be asked.
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
