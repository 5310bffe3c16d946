// Chooses a DID and its key for a key proof.
import type { Caller } from '../access/index.ts';
import { fail } from '../ground/faults.ts';
import { notIdempotent } from '../resource/index.ts';
import { anyKey, namedKey, type ProofKey, type ProofKeyDeps, proofKeyOf } from './proof-key.ts';
import type { BindingMethods, ProofDemand } from './proof-types.ts';

export async function namedDid(
  deps: ProofKeyDeps,
  caller: Caller,
  idOrDid: string,
  { takes }: BindingMethods,
  demand: ProofDemand,
): Promise<ProofKey> {
  const { row, keys: carried } = await deps.dids.show(await deps.dids.find(caller, idOrDid));
  if (row.owner !== caller.owner || row.state !== 'published') fail('invalid-request', { why: 'the DID is not published' });
  if (!takes(row.method)) fail('unsupported-proof-type', { why: `the issuer does not take did:${row.method}` });
  const key = carried.find(({ state }) => state === 'active') ?? fail('no-active-key');
  const proofKey = await namedKey(deps, caller, demand, key.key_id);
  return { ...proofKey, did: { id: row.id, did: row.did, url: key.verificationMethod } };
}

/** A published DID of the caller that the issuer accepts and that has the requested key. */
export async function ownDid(
  { keys, dids }: ProofKeyDeps,
  caller: Caller,
  { takes }: BindingMethods,
  { algorithms, attested }: ProofDemand,
  keyId: string | undefined,
): Promise<ProofKey | undefined> {
  const published = await dids.list(caller, { state: 'published' }, { limit: 200, after: undefined });
  for (const { row, keys: carried, isDamaged } of published) {
    const key = carried.find((one) => one.state === 'active' && (keyId === undefined || one.key_id === keyId));
    if (isDamaged || !key || !takes(row.method)) continue;
    const own = await keys.find(caller, key.key_id);
    if (algorithms.includes(own.algorithm) && (!attested || own.storage === 'pkcs11'))
      return { ...proofKeyOf(own), did: { id: row.id, did: row.did, url: key.verificationMethod } };
  }
  return undefined;
}

/** The method for a new DID: did:jwk or did:key, which need no hosting. */
export const newDidMethod = ({ takes, didMethods }: BindingMethods): string =>
  ['jwk', 'key'].find((one) => takes(one)) ??
  fail('unsupported-proof-type', { why: `bindings by did:${didMethods.join(', did:')}`.slice(0, 100) });

/** An existing DID of the caller, or a new one. */
export async function anyDid(
  deps: ProofKeyDeps,
  caller: Caller,
  methods: BindingMethods,
  demand: ProofDemand,
  keyId: string | undefined,
): Promise<ProofKey> {
  const own = await ownDid(deps, caller, methods, demand, keyId);
  if (own) return own;
  const method = newDidMethod(methods);
  const key = await anyKey(deps, caller, demand, keyId);
  const made = await deps.dids.create(
    caller,
    {
      method,
      keyIds: [key.keyId],
      path: undefined,
      domain: undefined,
      alias: undefined,
      isDefault: false,
      service: [],
      alsoKnownAs: [],
    },
    notIdempotent,
  );
  return { ...key, did: { id: made.row.id, did: made.row.did, url: made.keys[0]!.verificationMethod } };
}
