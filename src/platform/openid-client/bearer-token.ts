// Tokens of the provider that say who somebody is, sent to us by whoever has one: ID tokens, and access tokens in the form of a JWT.
import { claimsIssuer, isNonEmptyString, isSubject, LEEWAY_SECONDS, typeOfToken, type VerifyToken } from './tokens.ts';

/** ID tokens and access tokens (RFC 9068), or none. Whatever else the provider signs does not say that somebody is present. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];

export interface VerifiedBearer {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Whether it was issued to our client, and for it. Otherwise another client of the provider, or an API that our client calls, could log in here as
 * everybody whose token it was sent.
 */
function isOurs({ aud, azp, client_id: client }: Readonly<Record<string, unknown>>, clientId: string): boolean {
  const party = azp ?? client;
  const audience = [aud].flat();
  return audience.includes(clientId) && (party === undefined ? audience.length === 1 : party === clientId);
}

/** Undefined if the token is not valid. Throws a Fault if the provider's keys cannot be fetched. */
export async function readBearerToken(
  verify: VerifyToken,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
  token: string,
): Promise<VerifiedBearer | undefined> {
  if (!TYPES.includes(typeOfToken(token)) || !claimsIssuer(token, issuer)) return undefined;
  const payload = await verify(token, { requiredClaims: ['exp', 'iat', 'sub'], clockTolerance: LEEWAY_SECONDS });
  if (!payload || !isOurs(payload, clientId)) return undefined;
  const { iss, sub, iat, events, cnf } = payload;
  // A logout token is one with events, whatever its type. A token with `cnf` needs the key of its holder, which is not proved here.
  if (events !== undefined || cnf !== undefined) return undefined;
  if (!isSubject(sub) || !isNonEmptyString(iss) || iat! > Date.now() / 1000 + LEEWAY_SECONDS) return undefined;
  return { issuer: iss, subject: sub, claims: payload };
}
