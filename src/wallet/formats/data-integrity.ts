// Data Integrity proofs over canonical RDF: the cryptosuites eddsa-rdfc-2022 and ecdsa-rdfc-2019. The library canonicalises; the
// proof itself is two hashes and a signature, and is ours because the keys are: those of issuers come from trust, with limits of
// our own, and those of holders may be in a device. @digitalbazaar's suites want both as objects of their own kinds.
import { createHash } from 'node:crypto';
import { type Algorithm, type PublicJwk, verifyWith } from '../keys/index.ts';
import { fromBase58, toBase58 } from '../resolver/index.ts';
import { createLoader } from './contexts.ts';
import { reject } from './format.ts';

type Json = Readonly<Record<string, unknown>>;

/** Canonicalising can be made expensive on purpose; no real credential takes milliseconds. */
const MAX_MS = 2_000;

interface Suite {
  readonly cryptosuite: 'eddsa-rdfc-2022' | 'ecdsa-rdfc-2019';
  readonly hash: 'SHA-256' | 'SHA-384';
}

const SUITES: ReadonlyMap<string, Suite> = new Map([
  ['EdDSA', { cryptosuite: 'eddsa-rdfc-2022', hash: 'SHA-256' }],
  ['ES256', { cryptosuite: 'ecdsa-rdfc-2019', hash: 'SHA-256' }],
  ['ES384', { cryptosuite: 'ecdsa-rdfc-2019', hash: 'SHA-384' }],
]);

const ALGORITHMS: Readonly<Record<string, Algorithm>> = { Ed25519: 'EdDSA', 'P-256': 'ES256', 'P-384': 'ES384' };

export interface Proof extends Json {
  readonly cryptosuite: string;
  readonly verificationMethod: string;
  readonly proofValue: string;
}

export const isSupported = (proof: Json): proof is Proof =>
  proof.type === 'DataIntegrityProof' &&
  [...SUITES.values()].some(({ cryptosuite }) => cryptosuite === proof.cryptosuite) &&
  typeof proof.verificationMethod === 'string' &&
  typeof proof.proofValue === 'string' &&
  // One of a chain depends on others.
  proof.previousProof === undefined;

let loading: Promise<(document: object, hash: Suite['hash']) => Promise<string>> | undefined;

async function load() {
  const [{ default: jsonld }, documentLoader] = await Promise.all([import('jsonld'), createLoader()]);
  return (document: object, messageDigestAlgorithm: Suite['hash']) =>
    jsonld.canonize(document, {
      base: null,
      // What has no meaning would not be signed: it is an error.
      safe: true,
      rdfDirection: 'i18n-datatype',
      documentLoader,
      canonizeOptions: {
        algorithm: 'RDFC-1.0',
        format: 'application/n-quads',
        messageDigestAlgorithm,
        maxWorkFactor: 1,
        signal: AbortSignal.timeout(MAX_MS),
      },
    });
}

/** What is signed: the hash of how it is signed, then that of what. */
export async function signedBytes(document: Json, options: Json, hash: Suite['hash']): Promise<Buffer> {
  loading ??= load();
  const canonize = await loading;
  const digest = async (value: Json): Promise<Buffer> =>
    createHash(hash.replace('-', ''))
      .update(await canonize(value, hash))
      .digest();
  return Buffer.concat([await digest({ '@context': document['@context'], ...options }), await digest(document)]);
}

/** `document` without its proofs. */
export async function verifyProof(document: Json, proof: Proof, jwk: PublicJwk): Promise<void> {
  const algorithm = ALGORITHMS[jwk.crv ?? ''];
  const suite = algorithm && SUITES.get(algorithm);
  if (!algorithm || suite?.cryptosuite !== proof.cryptosuite)
    reject('invalid-signature', 'its key is not one of its cryptosuite');
  const { proofValue, '@context': _, ...options } = proof;
  const signature = proofValue.startsWith('z') ? fromBase58(proofValue.slice(1)) : undefined;
  if (!signature) reject('malformed', 'its signature is not base58');
  if (!verifyWith(jwk, algorithm, await signedBytes(document, options, suite.hash), signature))
    reject('invalid-signature', 'its signature does not hold');
}

/** Adds a proof, as a key of this algorithm makes it. */
export async function prove(
  document: Json,
  options: Json,
  algorithm: string,
  sign: (data: Buffer) => Promise<Buffer>,
): Promise<Json> {
  const suite = SUITES.get(algorithm) ?? reject('unsupported-binding', 'there is no Data Integrity proof with such a key');
  const proof = { type: 'DataIntegrityProof', cryptosuite: suite.cryptosuite, ...options };
  const signature = await sign(await signedBytes(document, proof, suite.hash));
  return { ...document, proof: { ...proof, proofValue: `z${toBase58(signature)}` } };
}
