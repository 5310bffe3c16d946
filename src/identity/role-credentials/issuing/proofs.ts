// Key proofs (OID4VCI, appendix F): which keys credentials are to be bound to. Of the type `jwt`, signed by the key, or `attestation`, in which
// a wallet provider says that the keys are in a wallet of theirs.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { decodeJws, type PublicJwk, thumbprintOf, verifyJws } from '../../../verifiable/jose/index.ts';
import { documentOfDidJwk, documentOfDidKey, keyInDocument, readVerificationJwk } from '../../../verifiable/resolver/index.ts';
import { fail } from '../../ground/faults.ts';
import type { AttestedKey, KeyAttestation, KeyAttestations } from './key-attestations.ts';

/** As the metadata lists them. */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'ES384'] as const;
const TYPE = 'openid4vci-proof+jwt';
/** With an attestation in the header. */
const MAX_LENGTH = 80 * 1024;
const WINDOW_SECONDS = 300;

/** A key that a wallet has proved to have. */
export interface ProvenKey {
  readonly jwk: PublicJwk;
  readonly thumbprint: string;
  /** If the wallet names its key by a DID. */
  readonly did?: string;
}

/** Proofs of one type, as they were sent. */
export interface KeyProofs {
  readonly type: 'jwt' | 'attestation';
  readonly jwts: readonly unknown[];
}

export interface ProvenKeys {
  readonly keys: readonly ProvenKey[];
  /** Of the proofs and of their attestations; to be used up. */
  readonly nonces: readonly string[];
}

const refuse = (why: string): never => fail('role_credential.invalid_proof', { why });

/** Only DIDs that contain their key: nothing is fetched for a wallet. */
function keyOfDid(kid: string): { jwk: PublicJwk; did: string } {
  const did = kid.split('#', 1)[0]!;
  const document = did.startsWith('did:jwk:') ? documentOfDidJwk(did) : documentOfDidKey(did);
  return { jwk: keyInDocument(document, kid, 'authentication'), did };
}

/** The attested key that a header names: by itself, by its id, or by its place among the others. */
function attestedKeyOf({ jwk, kid }: Readonly<Record<string, unknown>>, { keys }: KeyAttestation): AttestedKey {
  const thumbprint = jwk === undefined ? undefined : thumbprintOf(readVerificationJwk(jwk));
  const found =
    thumbprint === undefined
      ? (keys.find((key) => key.kid !== undefined && key.kid === kid) ?? keys.find((_key, at) => String(at) === kid))
      : keys.find((key) => key.thumbprint === thumbprint);
  return found ?? refuse('its key is not one of its key attestation');
}

function keyOf(
  { jwk, kid, x5c }: Readonly<Record<string, unknown>>,
  attestation: KeyAttestation | undefined,
): { jwk: PublicJwk; did?: string } {
  if ([jwk, kid, x5c].filter((one) => one !== undefined).length !== 1) return refuse('its header names no key, or several');
  if (attestation && x5c === undefined) return { jwk: attestedKeyOf({ jwk, kid }, attestation).jwk };
  if (jwk !== undefined) return { jwk: readVerificationJwk(jwk) };
  return typeof kid === 'string' && /^did:(?:jwk|key):/.test(kid) ? keyOfDid(kid) : refuse('its key is named in an unknown way');
}

interface VerifiedProof {
  readonly key: { readonly jwk: PublicJwk; readonly did?: string };
  readonly payload: Readonly<Record<string, unknown>>;
  readonly attestation: KeyAttestation | undefined;
}

/** Without anybody who could attest keys, what a wallet says of its keys is not read. */
async function attestationIn(
  { key_attestation: jwt }: Readonly<Record<string, unknown>>,
  attestations: KeyAttestations,
): Promise<KeyAttestation | undefined> {
  if (jwt === undefined && attestations.isRequired()) return refuse('it has no key attestation');
  if (jwt === undefined || !attestations.isKnown) return undefined;
  const attestation = await attestations.read(jwt);
  return attestation.hasEnd ? attestation : refuse('its key attestation has no end');
}

async function verified(jwt: unknown, attestations: KeyAttestations): Promise<VerifiedProof> {
  try {
    const { header, payload } = decodeJws(jwt, MAX_LENGTH);
    if (header.typ !== TYPE) return refuse(`its typ is not ${TYPE}`);
    if (!PROOF_ALGORITHMS.includes(header.alg as 'ES256')) return refuse('its algorithm is not one of the metadata');
    const attestation = await attestationIn(header, attestations);
    const key = keyOf(header, attestation);
    await verifyJws(jwt as string, key.jwk, MAX_LENGTH);
    return { key, payload, attestation };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'role_credential.invalid_proof') throw error;
    return refuse('its key or its signature cannot be used');
  }
}

function checkTimes({ iat, exp, nbf }: Readonly<Record<string, unknown>>, now: number): void {
  if (typeof iat !== 'number' || Math.abs(now - iat) > WINDOW_SECONDS) refuse('its iat is too far from the current time');
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
  readonly attestations: KeyAttestations;
  readonly maxKeys: number;
}

function checkedNonce(nonce: unknown, expected: ProofExpectation, what = 'it'): string {
  if (typeof nonce !== 'string') return refuse(`${what} has no nonce`);
  return expected.isGoodNonce(nonce) ? nonce : fail('role_credential.invalid_nonce');
}

interface ProvenByJwt {
  readonly key: ProvenKey;
  readonly attestation: KeyAttestation | undefined;
  readonly nonces: readonly string[];
}

async function provenByJwt(clock: Clock, jwt: unknown, expected: ProofExpectation): Promise<ProvenByJwt> {
  const { key, payload, attestation } = await verified(jwt, expected.attestations);
  const { aud, iss, nonce } = payload;
  if (!isFor(aud, expected.issuer)) refuse('it is for another issuer');
  if (iss !== undefined && expected.clientId !== undefined && iss !== expected.clientId) refuse('it is of another client');
  checkTimes(payload, seconds(clock));
  const nonces = [checkedNonce(nonce, expected)];
  // Attested for this request, and not for another one (F.1).
  if (attestation) nonces.push(checkedNonce(attestation.nonce, expected, 'its key attestation'));
  return { key: { ...key, thumbprint: thumbprintOf(key.jwk) }, attestation, nonces };
}

/** One proof vouches for all keys of its attestation. Several are for one key each. */
async function byJwts(clock: Clock, jwts: readonly unknown[], expected: ProofExpectation): Promise<ProvenKeys> {
  const all: ProvenByJwt[] = [];
  for (const jwt of jwts) all.push(await provenByJwt(clock, jwt, expected));
  const [first, ...others] = all;
  const attested = others.length === 0 ? first?.attestation : undefined;
  return { keys: attested?.keys ?? all.map(({ key }) => key), nonces: all.flatMap(({ nonces }) => nonces) };
}

/** A wallet provider vouches for the keys; they themselves sign nothing (F.3). */
async function byAttestation([jwt, ...others]: readonly unknown[], expected: ProofExpectation): Promise<ProvenKeys> {
  const { attestations } = expected;
  if (!attestations.isKnown) return refuse('key attestations are not offered');
  if (others.length > 0) return refuse('there is more than one key attestation');
  const { keys, nonce } = await attestations.read(jwt);
  return { keys, nonces: [checkedNonce(nonce, expected, 'its key attestation')] };
}

/** A credential for each key, and each key once: two copies with one key could be linked for no gain. */
export async function provenKeys(clock: Clock, { type, jwts }: KeyProofs, expected: ProofExpectation): Promise<ProvenKeys> {
  const { keys, nonces } = await (type === 'jwt' ? byJwts(clock, jwts, expected) : byAttestation(jwts, expected));
  if (keys.length > expected.maxKeys) refuse('there are too many keys');
  if (new Set(keys.map(({ thumbprint }) => thumbprint)).size < keys.length) refuse('two of them have the same key');
  return {
    keys: keys.map(({ jwk, thumbprint, ...rest }) => ({ jwk, thumbprint, ...didOf(rest) })),
    nonces: [...new Set(nonces)],
  };
}

const didOf = ({ did }: { readonly did?: string }): { readonly did?: string } => (did === undefined ? {} : { did });
