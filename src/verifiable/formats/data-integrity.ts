// Data Integrity proofs: the cryptosuites eddsa-rdfc-2022 and ecdsa-rdfc-2019. The library canonicalizes. The proof itself is two
// hashes and a signature, and is implemented here, because issuer keys come from the trust module and holder keys may be in a
// device. @digitalbazaar's suites need both as their own key objects.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Algorithm, type PublicJwk, verifyWith } from '../jose/index.ts';
import { fromBase58, toBase58 } from '../resolver/index.ts';
import { createLoader } from './contexts.ts';
import { reject } from './format.ts';
import type { JsonDocument } from './w3c.ts';

/**
 * Canonicalization can be made expensive on purpose, and blocks the event loop. With these limits the worst case takes about 0.2 s.
 * They are far above what real credentials have.
 */
const LIMITS = { objects: 400, values: 1_500, types: 400, contexts: 64 } as const;

/** The library checks the abort signal after every third permutation of blank nodes. */
const MAX_LOOKS = 300;

/** Must run before canonicalization, and after the depth was checked. */
export function checkSize(document: JsonDocument): void {
  const left: Record<keyof typeof LIMITS, number> = { ...LIMITS };
  const take = (what: keyof typeof LIMITS, count: number): void => {
    left[what] -= count;
    if (left[what] < 0) reject('malformed', `it has too many ${what}`);
  };
  const walk = (value: unknown): void => {
    take('values', 1);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) walk(item);
      return;
    }
    take('objects', 1);
    for (const [name, child] of Object.entries(value)) {
      // Both may activate contexts each time they occur.
      if (name === 'type') take('types', [child].flat().length);
      if (name === '@context') take('contexts', [child].flat().length);
      walk(child);
    }
  };
  walk(document);
}

/** Limits the work and not the time, because the time depends on the load of the machine. */
function newLimit(): AbortSignal {
  let looks = 0;
  const limit = {
    get aborted(): boolean {
      return ++looks > MAX_LOOKS;
    },
    reason: 'too many blank nodes look the same',
  };
  return limit as AbortSignal;
}

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

export interface DataIntegrityProof extends JsonDocument {
  readonly cryptosuite: string;
  readonly verificationMethod: string;
  readonly proofValue: string;
}

export const isSupported = (proof: JsonDocument): proof is DataIntegrityProof =>
  proof.type === 'DataIntegrityProof' &&
  [...SUITES.values()].some(({ cryptosuite }) => cryptosuite === proof.cryptosuite) &&
  typeof proof.verificationMethod === 'string' &&
  typeof proof.proofValue === 'string' &&
  // Proof chains are not supported.
  proof.previousProof === undefined;

let loading: ReturnType<typeof load> | undefined;

async function load() {
  const [{ default: jsonld }, documentLoader] = await Promise.all([import('jsonld'), createLoader()]);
  // `safe`: terms that the contexts do not define would not be signed, so they are an error.
  const common = { base: null, safe: true, documentLoader } as const;
  return {
    canonize: (document: object, messageDigestAlgorithm: Suite['hash']) =>
      jsonld.canonize(document, {
        ...common,
        rdfDirection: 'i18n-datatype',
        canonizeOptions: {
          algorithm: 'RDFC-1.0',
          format: 'application/n-quads',
          messageDigestAlgorithm,
          maxWorkFactor: 1,
          signal: newLimit(),
        },
      }),
    compact: (document: JsonDocument) => jsonld.compact(document, document['@context'], { ...common, compactArrays: true }),
  };
}

/** The signed form has lower-case language tags. */
const tagOf = (language: unknown): unknown => (typeof language === 'string' ? language.toLowerCase() : language);

/** Ignores differences that the signed form does not have: the order of lists, lists of one, and objects with only an id. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(normalize).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    return items.length === 1 ? items[0] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  if (entries.length === 1 && entries[0]![0] === 'id') return entries[0]![1];
  return Object.fromEntries(entries.map(([name, child]) => [name, name === '@language' ? tagOf(child) : normalize(child)]));
}

const rejectUncovered = (what: string): never => reject('malformed', `it has ${what}, which a proof does not cover`);

/** Refuses what could be added or moved in a document without breaking the signature. */
function checkCovered(document: JsonDocument): void {
  const contentById = new Map<string, unknown>();
  const walk = (value: unknown): void => {
    if (value === null) rejectUncovered('a null');
    if (typeof value !== 'object') return;
    if (Array.isArray(value)) {
      if (value.length === 0) rejectUncovered('an empty list');
      if (value.some(Array.isArray)) rejectUncovered('a list in a list');
      const plain = value.filter((item) => typeof item !== 'object');
      if (new Set(plain).size < plain.length) rejectUncovered('a value twice in a list');
      for (const item of value) walk(item);
      return;
    }
    const { id, ...rest } = value as JsonDocument;
    if (typeof id === 'string') {
      if (id.startsWith('_:')) rejectUncovered('a name of its own for what has none');
      // Claims could be moved between two objects with the same id, unless both objects are equal.
      const content = normalize(value);
      if (contentById.has(id) && !isDeepStrictEqual(contentById.get(id), content))
        rejectUncovered('the same thing in two places');
      contentById.set(id, content);
    }
    for (const child of Object.values(rest)) walk(child);
  };
  walk(document);
}

/**
 * The signature covers a set of RDF statements, and many JSON documents have the same statements. Only the compact form by the
 * document's own contexts is accepted, so that no claim is renamed, hidden or added.
 */
export async function checkCompactForm(document: JsonDocument): Promise<void> {
  checkCovered(document);
  loading ??= load();
  const { '@context': _, ...compacted } = await (await loading).compact(document);
  const { '@context': __, ...own } = document;
  if (!isDeepStrictEqual(normalize(own), normalize(compacted))) reject('malformed', 'it is not written as its contexts write it');
}

/** The signed bytes: the hash of the proof options, then the hash of the document. */
export async function signedBytes(document: JsonDocument, options: JsonDocument, hash: Suite['hash']): Promise<Buffer> {
  loading ??= load();
  const { canonize } = await loading;
  const digest = async (value: JsonDocument): Promise<Buffer> =>
    createHash(hash.replace('-', ''))
      .update(await canonize(value, hash))
      .digest();
  return Buffer.concat([await digest({ '@context': document['@context'], ...options }), await digest(document)]);
}

/** `document` must not contain its proofs. */
export async function verifyProof(document: JsonDocument, proof: DataIntegrityProof, jwk: PublicJwk): Promise<void> {
  const algorithm = ALGORITHMS[jwk.crv ?? ''];
  const suite = algorithm && SUITES.get(algorithm);
  if (!algorithm || suite?.cryptosuite !== proof.cryptosuite)
    reject('invalid-signature', 'its key is not one of its cryptosuite');
  const { proofValue, '@context': own, ...options } = proof;
  // The proof is interpreted with the contexts of the document. Its own contexts could change the meaning.
  if (own !== undefined && !isDeepStrictEqual([own].flat(), [document['@context']].flat()))
    reject('malformed', 'its proof has contexts of its own');
  const signature = proofValue.startsWith('z') ? fromBase58(proofValue.slice(1)) : undefined;
  if (!signature) reject('malformed', 'its signature is not base58');
  if (!verifyWith(jwk, algorithm, await signedBytes(document, options, suite.hash), signature))
    reject('invalid-signature', 'its signature is not valid');
  await checkCompactForm(document);
  await checkCompactForm({ '@context': document['@context'], ...options });
}

/** Adds a proof with a key of this algorithm. */
export async function addProof(
  document: JsonDocument,
  options: JsonDocument,
  algorithm: string,
  sign: (data: Buffer) => Promise<Buffer>,
): Promise<JsonDocument> {
  const suite = SUITES.get(algorithm) ?? reject('unsupported-binding', 'there is no Data Integrity proof with such a key');
  const proof = { type: 'DataIntegrityProof', cryptosuite: suite.cryptosuite, ...options };
  const signature = await sign(await signedBytes(document, proof, suite.hash));
  return { ...document, proof: { ...proof, proofValue: `z${toBase58(signature)}` } };
}
