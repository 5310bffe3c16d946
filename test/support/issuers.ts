// The environment for issued credentials: keys, answers of the network, trusted issuers, and the time.
import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { type Outbound, OutboundError } from '../../src/platform/outbound/index.ts';
import { algorithmOf, type PublicJwk, publicJwkOf } from '../../src/verifiable/jose/index.ts';
import { createResolver, didJwkOf } from '../../src/verifiable/resolver/index.ts';
import { createTrust, type TrustPolicy } from '../../src/verifiable/trust/index.ts';
import { newEcKey, type TestCertificate } from './certificates.ts';

/** 2026-01-01. */
export const NOW = 1_767_225_600_000;

export interface IssuerWorld {
  /** Answers of the network by URL: JSON, or plain text. */
  readonly answers: Map<string, unknown>;
  readonly asked: string[];
  readonly anchors: TestCertificate[];
  now: number;
}

export function issuerWorld({
  policy = { mode: 'any', dids: [] },
  now = NOW,
  isDevelopment = false,
}: {
  policy?: TrustPolicy;
  now?: number;
  isDevelopment?: boolean;
} = {}) {
  const world: IssuerWorld = { answers: new Map(), asked: [], anchors: [], now };
  const clock = { now: () => world.now };
  const outbound: Outbound = async ({ url }) => {
    world.asked.push(url);
    const answer = world.answers.get(url);
    if (answer === undefined) throw new OutboundError('failed', 'calling it failed');
    if (typeof answer === 'number') return { status: answer, headers: {}, body: Buffer.alloc(0) };
    const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  };
  const resolver = createResolver({ outbound, clock });
  const anchors = () => world.anchors.map(({ certificate }) => certificate);
  const trust = createTrust({ outbound, resolver, anchors, clock, policy, isDevelopment });
  return { world, clock, outbound, trust };
}

export interface TestSigner {
  readonly key: KeyObject;
  readonly jwk: PublicJwk;
  readonly algorithm: string;
  readonly did: string;
  readonly didUrl: string;
  sign(data: Buffer): Promise<Buffer>;
}

const HASHES: Readonly<Record<string, string | null>> = { ES256: 'sha256', ES384: 'sha384', ES512: 'sha512', EdDSA: null };

/** A key with its own DID. Signs with node:crypto only, independently of the code under test. */
export function newSigner(key: KeyObject = newEcKey()): TestSigner {
  const jwk = publicJwkOf(createPublicKey(key));
  const algorithm = algorithmOf(createPublicKey(key))!;
  const did = didJwkOf(jwk);
  return {
    key,
    jwk,
    algorithm,
    did,
    didUrl: `${did}#0`,
    sign: async (data) => sign(HASHES[algorithm]!, data, { key, dsaEncoding: 'ieee-p1363' }),
  };
}

/** Signed with jose. The key is identified by its DID, unless the header says otherwise. */
export function newJwt(signer: TestSigner, payload: object, header: object = {}): Promise<string> {
  return new SignJWT(payload as JWTPayload)
    .setProtectedHeader({ alg: signer.algorithm, kid: signer.didUrl, typ: 'JWT', ...header })
    .sign(signer.key);
}

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT with any header and payload, signed or not, that no library would create. */
export async function rawJwt(header: unknown, payload: unknown, signer?: TestSigner): Promise<string> {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signer ? (await signer.sign(Buffer.from(input))).toString('base64url') : 'AAAA'}`;
}

/** Nested arrays as JSON text, deeper than JSON.stringify can handle. */
export const deepJson = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
