// Chooses a key for a key proof: an existing key with a supported algorithm, or a new one.
import { Fault } from '../../platform/faults/index.ts';
import { ALGORITHMS, type PublicJwk } from '../../verifiable/jose/index.ts';
import type { Caller } from '../access/index.ts';
import type { Attester } from '../attester/index.ts';
import type { Dids } from '../dids/index.ts';
import type { KeyRow } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { isSlow, type Keys } from '../keys/index.ts';
import { notIdempotent } from '../resource/index.ts';
import { noAlgorithm, type ProofDemand } from './proof-types.ts';

/** The key that one copy of a credential is bound to. Stored with waiting exchanges. */
export interface ProofKey {
  readonly keyId: string;
  readonly algorithm: string;
  readonly jwk: PublicJwk;
  readonly kid: string;
  /** The DID and its verification method, if the credential is bound to a DID. */
  readonly did?: { readonly id: string; readonly did: string; readonly url: string };
  /** Generated only for a copy of a batch. */
  readonly isForCopy?: true;
}

export interface ProofKeyDeps {
  readonly attester: Pick<Attester, 'satisfies'>;
  readonly keys: Keys;
  readonly dids: Dids;
}

type KeyAccess = Pick<ProofKeyDeps, 'keys'>;

/** Maximum number of additional copies with slow keys. */
const MAX_SLOW_COPIES = 2;

export const proofKeyOf = (row: Pick<KeyRow, 'id' | 'algorithm' | 'kid' | 'public_jwk'>): ProofKey => ({
  keyId: row.id,
  algorithm: row.algorithm,
  kid: row.kid,
  jwk: JSON.parse(row.public_jwk) as PublicJwk,
});

const isInDevice = ({ storage }: Pick<KeyRow, 'storage'>): boolean => storage === 'pkcs11';

export async function namedKey(
  { keys }: KeyAccess,
  caller: Caller,
  { algorithms, attested }: ProofDemand,
  id: string,
): Promise<ProofKey> {
  const row = await keys.find(caller, id);
  if (row.owner !== caller.owner || row.state !== 'active') fail('key-not-active/named', { id });
  if (!algorithms.includes(row.algorithm)) fail('unsupported-proof-type', { why: `the issuer takes ${algorithms.join(', ')}` });
  if (attested && !isInDevice(row)) fail('unsupported-proof-type', { why: 'the issuer takes keys in a device only' });
  return proofKeyOf(row);
}

async function newKey({ keys }: KeyAccess, caller: Caller, { algorithms, attested }: ProofDemand): Promise<ProofKey> {
  const algorithm = ALGORITHMS.find((one) => algorithms.includes(one)) ?? noAlgorithm(algorithms);
  const body = { algorithm, ...(attested ? { storage: 'pkcs11' as const } : {}) };
  return proofKeyOf((await keys.create(caller, body, notIdempotent)).row);
}

/** The named key, the default key, any other suitable key, or a new one. */
export async function anyKey(deps: KeyAccess, caller: Caller, demand: ProofDemand, named: string | undefined): Promise<ProofKey> {
  if (named !== undefined) return namedKey(deps, caller, demand, named);
  const { algorithms, attested } = demand;
  const active = await deps.keys.list(caller, { state: 'active' }, { limit: 200, after: undefined });
  const whole = active.filter(({ content }) => content !== undefined);
  const fitting = whole
    .map(({ row }) => row)
    .filter((row) => algorithms.includes(row.algorithm) && (!attested || isInDevice(row)));
  const found = fitting.find((row) => row.is_default === 1) ?? fitting.at(-1);
  return found ? proofKeyOf(found) : newKey(deps, caller, demand);
}

/** Each copy gets its own key, so that verifiers cannot link copies. */
export async function keysForCopies(
  deps: KeyAccess,
  caller: Caller,
  first: ProofKey,
  { algorithms, ...rest }: ProofDemand,
  count: number,
): Promise<ProofKey[]> {
  const forCopy = async (algorithm: string): Promise<ProofKey> => ({
    ...(await newKey(deps, caller, { algorithms: [algorithm], ...rest })),
    isForCopy: true,
  });
  // Prefers a fast algorithm, because many slow keys would take too long.
  const quick = isSlow(first.algorithm) ? ALGORITHMS.find((one) => !isSlow(one) && algorithms.includes(one)) : first.algorithm;
  if (quick !== undefined) return Promise.all(Array.from({ length: count }, () => forCopy(quick)));
  const made: ProofKey[] = [];
  while (made.length < Math.min(count, MAX_SLOW_COPIES)) {
    const one = await forCopy(first.algorithm).catch((error: unknown) => {
      // The queue is full. Fewer copies are better than none.
      if (error instanceof Fault && (error.status === 429 || error.status === 503)) return undefined;
      throw error;
    });
    if (!one) break;
    made.push(one);
  }
  return made;
}
