// A key that is proved to the issuer: one of the caller's that can sign as the issuer wants it, or a new one.
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import type { KeyRow } from '../database.ts';
import type { Dids } from '../dids/index.ts';
import { fail } from '../faults.ts';
import { ALGORITHMS, type PublicJwk } from '../jose/index.ts';
import { isSlow, type Keys } from '../keys/index.ts';
import { notIdempotent } from '../resource/index.ts';
import { noAlgorithm } from './proof-types.ts';

/** One copy of a credential is bound to this. */
export interface ProofKey {
  readonly keyId: string;
  readonly algorithm: string;
  readonly jwk: PublicJwk;
  readonly kid: string;
  /** The DID and its verification method, where the issuer wants a DID. */
  readonly did?: { readonly id: string; readonly did: string; readonly url: string };
  /** Made for a copy of a batch, and for nothing else. */
  readonly isForCopy?: true;
}

export interface ProofKeyDeps {
  readonly keys: Keys;
  readonly dids: Dids;
}

type KeyAccess = Pick<ProofKeyDeps, 'keys'>;

/** Besides the first, where the issuer takes nothing that is made quickly. */
const MAX_SLOW_COPIES = 2;

export const proofKeyOf = (row: Pick<KeyRow, 'id' | 'algorithm' | 'kid' | 'public_jwk'>): ProofKey => ({
  keyId: row.id,
  algorithm: row.algorithm,
  kid: row.kid,
  jwk: JSON.parse(row.public_jwk) as PublicJwk,
});

export async function namedKey(
  { keys }: KeyAccess,
  caller: Caller,
  algorithms: readonly string[],
  id: string,
): Promise<ProofKey> {
  const row = await keys.find(caller, id);
  if (row.owner !== caller.owner || row.state !== 'active') fail('key-not-active/named', { id });
  if (!algorithms.includes(row.algorithm)) fail('unsupported-proof-type', { why: `the issuer takes ${algorithms.join(', ')}` });
  return proofKeyOf(row);
}

async function newKey({ keys }: KeyAccess, caller: Caller, algorithms: readonly string[]): Promise<ProofKey> {
  const algorithm = ALGORITHMS.find((one) => algorithms.includes(one)) ?? noAlgorithm(algorithms);
  return proofKeyOf((await keys.create(caller, { algorithm }, notIdempotent)).row);
}

/** The one named, the default one, any other, or a new one. */
export async function anyKey(
  deps: KeyAccess,
  caller: Caller,
  algorithms: readonly string[],
  named: string | undefined,
): Promise<ProofKey> {
  if (named !== undefined) return namedKey(deps, caller, algorithms, named);
  const active = await deps.keys.list(caller, { state: 'active' }, { limit: 200, after: undefined });
  const whole = active.filter(({ content }) => content !== undefined);
  const fitting = whole.map(({ row }) => row).filter(({ algorithm }) => algorithms.includes(algorithm));
  const found = fitting.find((row) => row.is_default === 1) ?? fitting.at(-1);
  return found ? proofKeyOf(found) : newKey(deps, caller, algorithms);
}

/** Copies that share a key are one credential to whoever compares them: each gets a key of its own. */
export async function keysForCopies(
  deps: KeyAccess,
  caller: Caller,
  first: ProofKey,
  algorithms: readonly string[],
  count: number,
): Promise<ProofKey[]> {
  const forCopy = async (algorithm: string): Promise<ProofKey> => ({
    ...(await newKey(deps, caller, [algorithm])),
    isForCopy: true,
  });
  // Twenty keys that take seconds each would take longer than anybody waits.
  const quick = isSlow(first.algorithm) ? ALGORITHMS.find((one) => !isSlow(one) && algorithms.includes(one)) : first.algorithm;
  if (quick !== undefined) return Promise.all(Array.from({ length: count }, () => forCopy(quick)));
  const made: ProofKey[] = [];
  while (made.length < Math.min(count, MAX_SLOW_COPIES)) {
    const one = await forCopy(first.algorithm).catch((error: unknown) => {
      // Others wait for theirs: fewer copies are better than none.
      if (error instanceof Fault && (error.status === 429 || error.status === 503)) return undefined;
      throw error;
    });
    if (!one) break;
    made.push(one);
  }
  return made;
}
