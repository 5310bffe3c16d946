// Token requests to the provider, with a code or a refresh token.
import { createHash } from 'node:crypto';
import type { IDToken, refreshTokenGrant } from 'openid-client';
import type { DiscoveredProvider } from './discovery.ts';
import { InvalidIdTokenError, SubjectChangedError } from './errors.ts';
import { isNonEmptyString, isSubject, LEEWAY_SECONDS } from './tokens.ts';

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
  /** The address of this service at which it began, if that is not the usual one. The browser returns there. */
  readonly at?: string | undefined;
}

type TokenResponse = Awaited<ReturnType<typeof refreshTokenGrant>>;

type Claims = Readonly<Record<string, unknown>>;

const partOf = (idToken: string, at: number): unknown => JSON.parse(Buffer.from(idToken.split('.')[at]!, 'base64url').toString());
const claimsOf = (idToken: string): IDToken => partOf(idToken, 1) as IDToken;

/** Code that walks through deeper ones would overflow the stack. */
const MAX_DEPTH = 32;
const isTooDeep = (value: unknown, depth = 0): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === MAX_DEPTH || Object.values(value).some((inner) => isTooDeep(inner, depth + 1)));

/** Whether an address is verified is said of the address beside it, so both are taken from one place. */
function mergeClaims(idClaims: Claims, userInfo: Claims): Claims {
  const { email, email_verified, ...rest } = idClaims;
  const { email: newEmail, email_verified: newVerified, ...newer } = userInfo;
  const [address, verified] = newEmail === undefined ? [email, email_verified] : [newEmail, newVerified];
  return {
    ...rest,
    ...newer,
    ...(address === undefined ? {} : { email: address }),
    ...(verified === undefined ? {} : { email_verified: verified }),
  };
}

/** The hash of the access token (OpenID Connect Core, 3.1.3.6) is optional here. One that is wrong belongs to another token. */
function checkAccessTokenHash(idToken: string, accessToken: string): void {
  const { at_hash: expected } = claimsOf(idToken);
  if (expected === undefined) return;
  const { alg } = partOf(idToken, 0) as { alg: string };
  const digest = createHash(/^(?:EdDSA|Ed25519)$/.test(alg) ? 'sha512' : `sha${alg.slice(-3)}`)
    .update(accessToken)
    .digest();
  if (digest.subarray(0, digest.length / 2).toString('base64url') !== expected)
    throw new InvalidIdTokenError('the ID token belongs to another access token');
}

export async function grantOf(
  discovered: DiscoveredProvider,
  tokens: TokenResponse,
  former?: PreviousGrant,
): Promise<ProviderGrant> {
  const { oidc, config, dpop, needsUserInfo = false } = discovered;
  const proof = dpop && { DPoP: dpop };
  // Somebody on the way, or the provider, would have made it good for whoever has it.
  if (dpop && tokens.token_type !== 'dpop') throw new InvalidIdTokenError('the access token is not bound to our key');
  // A refresh response need not have an ID token (OpenID Connect Core, 12.2).
  const idClaims = tokens.claims() ?? claimsOf(former!.idToken);
  const { sub: subject, iss, sid, iat } = idClaims;
  // The library does not check these. A numeric or empty subject would give a wrong owner.
  if (!isSubject(subject) || typeof iat !== 'number' || iat > Date.now() / 1000 + LEEWAY_SECONDS)
    throw new InvalidIdTokenError('the ID token names nobody, or comes from the future');
  if (tokens.id_token !== undefined) checkAccessTokenHash(tokens.id_token, tokens.access_token);
  if (former && subject !== former.subject) throw new SubjectChangedError('the identity provider answers for another subject');
  const extra = config.serverMetadata().userinfo_endpoint
    ? await oidc.fetchUserInfo(config, tokens.access_token, subject, proof).catch((error: unknown) => {
        if (needsUserInfo && !former) throw error;
        return undefined;
      })
    : {};
  const lasts = tokens.expiresIn();
  // Claims the provider no longer sends are dropped, for example a role. Previous claims are used only if userinfo fails.
  const claims = {
    ...(extra ? {} : former?.claims),
    ...mergeClaims(idClaims, extra ?? {}),
    // Not later: what a refresh token was exchanged for must not be lost because of it.
    ...(former ? {} : await furtherClaims(discovered, tokens.access_token)),
    sub: subject,
  };
  if (isTooDeep(claims)) throw new InvalidIdTokenError(`the claims are nested deeper than ${MAX_DEPTH} levels`);
  return {
    issuer: iss,
    subject,
    claims,
    sid: isNonEmptyString(sid) ? sid : undefined,
    idToken: tokens.id_token ?? former!.idToken,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? former?.refreshToken,
    expiresAt: lasts === undefined ? undefined : Date.now() + lasts * 1000,
  };
}

/** What an API of the provider says about the person, apart from what is signed. */
async function furtherClaims({ oidc, config, dpop, way }: DiscoveredProvider, accessToken: string): Promise<Claims> {
  if (way.claims_uri === null) return {};
  const headers = new Headers({ Accept: 'application/json' });
  const proof = dpop && { DPoP: dpop };
  const answer = await oidc.fetchProtectedResource(
    config,
    accessToken,
    new URL(way.claims_uri),
    'GET',
    undefined,
    headers,
    proof,
  );
  const found: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  if (typeof found !== 'object' || found === null) throw new InvalidIdTokenError(`the API for claims answered ${answer.status}`);
  return { api: found };
}

/** The library checks state, issuer, nonce, signature, audience and times. */
export async function redeemCode(
  discovered: DiscoveredProvider,
  redirectUri: string,
  returned: URLSearchParams,
  { state, nonce, verifier }: AuthorizationFlow,
): Promise<ProviderGrant> {
  const { oidc, config, dpop } = discovered;
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const address = new URL(`${redirectUri}?${returned}`);
  const tokens = await oidc.authorizationCodeGrant(config, address, checks, undefined, dpop && { DPoP: dpop });
  return grantOf(discovered, tokens);
}

export async function refreshGrant(discovered: DiscoveredProvider, former: PreviousGrant): Promise<ProviderGrant> {
  const { oidc, config, dpop } = discovered;
  return grantOf(
    discovered,
    await oidc.refreshTokenGrant(config, former.refreshToken, undefined, dpop && { DPoP: dpop }),
    former,
  );
}
