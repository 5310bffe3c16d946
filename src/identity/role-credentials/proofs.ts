// Key proofs of the type `jwt` (OID4VCI, appendix F.1): each says which key a credential is to be bound to.
import { type Clock, seconds } from '../../platform/clock.ts';
import { decodeJws, type PublicJwk, thumbprintOf, verifyJws } from '../../verifiable/jose/index.ts';
import { documentOfDidJwk, documentOfDidKey, readPublicJwk, readVerificationJwk } from '../../verifiable/resolver/index.ts';
import { fail } from '../faults.ts';

/** As the metadata lists them. */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'ES384'] as const;
const TYPE = 'openid4vci-proof+jwt';
const MAX_LENGTH = 16 * 1024;
const WINDOW_SECONDS = 300;

/** A key that a wallet has proved to have. */
export interface ProvenKey {
  readonly jwk: PublicJwk;
  readonly thumbprint: string;
  /** If the wallet names its key by a DID. */
  readonly did?: string;
  readonly nonce: string;
}

const refuse = (why: string): never => fail('role_credential.invalid_proof', { why });

/** Only DIDs that contain their key: nothing is fetched for a wallet. */
function keyOfDid(kid: string): { jwk: PublicJwk; did: string } {
  const did = kid.split('#', 1)[0]!;
  const document = did.startsWith('did:jwk:') ? documentOfDidJwk(did) : documentOfDidKey(did);
  const method = document.verificationMethod?.find(({ id }) => id === kid);
  if (!method || !document.authentication?.includes(kid)) return refuse('kid names no key of its DID');
  return { jwk: readPublicJwk(method.publicKeyJwk), did };
}

function keyOf({ jwk, kid, x5c }: Readonly<Record<string, unknown>>): { jwk: PublicJwk; did?: string } {
  if ([jwk, kid, x5c].filter((one) => one !== undefined).length !== 1) return refuse('its header names no key, or several');
  if (jwk !== undefined) return { jwk: readVerificationJwk(jwk) };
  return typeof kid === 'string' && /^did:(?:jwk|key):/.test(kid) ? keyOfDid(kid) : refuse('its key is named in an unknown way');
}

async function verified(
  jwt: unknown,
): Promise<{ key: { jwk: PublicJwk; did?: string }; payload: Readonly<Record<string, unknown>> }> {
  try {
    const { header, payload } = decodeJws(jwt, MAX_LENGTH);
    if (header.typ !== TYPE) return refuse(`its typ is not ${TYPE}`);
    if (!PROOF_ALGORITHMS.includes(header.alg as 'ES256')) return refuse('its algorithm is not one of the metadata');
    const key = keyOf(header);
    await verifyJws(jwt as string, key.jwk, MAX_LENGTH);
    return { key, payload };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'role_credential.invalid_proof') throw error;
    return refuse('its key or its signature cannot be used');
  }
}

function checkTimes({ iat, exp, nbf }: Readonly<Record<string, unknown>>, now: number): void {
  if (typeof iat !== 'number' || Math.abs(now - iat) > WINDOW_SECONDS) refuse('its time is not now');
  if (exp !== undefined && !(typeof exp === 'number' && exp > now)) refuse('it has expired');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + WINDOW_SECONDS)) refuse('it is not valid yet');
}

const isFor = (aud: unknown, issuer: string): boolean =>
  aud === issuer || (Array.isArray(aud) && aud.length === 1 && aud[0] === issuer);

export interface ProofExpectation {
  readonly issuer: string;
  /** Undefined for a wallet that did not say who it is. */
  readonly clientId: string | undefined;
  isGoodNonce(nonce: string): boolean;
}

async function provenKey(clock: Clock, jwt: unknown, expected: ProofExpectation): Promise<ProvenKey> {
  const { key, payload } = await verified(jwt);
  const { aud, iss, nonce } = payload;
  if (!isFor(aud, expected.issuer)) refuse('it is for another issuer');
  if (iss !== undefined && expected.clientId !== undefined && iss !== expected.clientId) refuse('it is of another client');
  checkTimes(payload, seconds(clock));
  if (typeof nonce !== 'string') return refuse('it has no nonce');
  if (!expected.isGoodNonce(nonce)) fail('role_credential.invalid_nonce');
  return { ...key, thumbprint: thumbprintOf(key.jwk), nonce };
}

/** A credential for each key, and each key once: two copies with one key could be linked for no gain. */
export async function provenKeys(clock: Clock, jwts: readonly unknown[], expected: ProofExpectation): Promise<ProvenKey[]> {
  const keys: ProvenKey[] = [];
  for (const jwt of jwts) keys.push(await provenKey(clock, jwt, expected));
  if (new Set(keys.map(({ thumbprint }) => thumbprint)).size < keys.length) refuse('two of them have the same key');
  return keys;
}
