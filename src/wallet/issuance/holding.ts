// What a credential will be bound to: keys and DIDs of the wallet that the issuer accepts, and the proofs that they are ours.
import type { IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import type { Dids } from '../dids/index.ts';
import { fail } from '../faults.ts';
import { ALGORITHMS, PROOF_ALGORITHMS, type PublicJwk } from '../jose/index.ts';
import { isSlow, type Keys } from '../keys/index.ts';
import type { Signer } from '../protocols/index.ts';
import { always } from '../resource/index.ts';
import type { Configuration } from './offer.ts';

/** One copy of a credential is bound to this. */
export interface Holding {
  readonly keyId: string;
  readonly algorithm: string;
  readonly jwk: PublicJwk;
  readonly kid: string;
  /** The DID and its verification method, where the issuer wants a DID. */
  readonly did?: { readonly id: string; readonly did: string; readonly url: string };
  /** Made for a copy of a batch, and for nothing else. */
  readonly isForCopy?: true;
}

export interface Wanted {
  readonly keyId?: string | undefined;
  readonly didId?: string | undefined;
  readonly count: number;
}

/** Besides the first, where the issuer takes nothing that is made quickly. */
const MAX_SLOW_COPIES = 2;

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Undefined: the configuration asks for no proof, and the credential is bound to nobody. */
function proofOf({ raw, format }: Configuration): { algorithms: readonly string[] } | undefined {
  // A credential whose key could never show it is of no use.
  const showable = (all: readonly string[]): readonly string[] =>
    format === 'ldp_vc' ? all.filter((one) => PROOF_ALGORITHMS.includes(one)) : all;
  const types = raw.proof_types_supported as Readonly<Record<string, Record<string, unknown>>> | undefined;
  const methods = raw.cryptographic_binding_methods_supported;
  if (!types) return methods === undefined ? undefined : { algorithms: showable(ALGORITHMS) };
  if (!types.jwt) fail('unsupported-proof-type', { why: Object.keys(types).join(', ').slice(0, 100) });
  if (types.jwt.key_attestations_required) fail('unsupported-proof-type', { why: 'key attestations' });
  return { algorithms: showable(strings(types.jwt.proof_signing_alg_values_supported)) };
}

/** Whether the binding is to be a DID: only where the issuer takes no bare key, or the caller wants one. */
function bindingsOf({ raw, format }: Configuration): Bindings {
  const stated = strings(raw.cryptographic_binding_methods_supported);
  const isBare = stated.length === 0 || stated.includes('jwk') || stated.includes('cose_key');
  const methods = stated.flatMap((one) => /^did:(\w+)$/.exec(one)?.[1] ?? []);
  const takesAny = stated.length === 0 || stated.includes('did');
  return {
    // A Data Integrity proof names its key by a DID.
    bareKey: isBare && format !== 'ldp_vc',
    methods,
    takes: (method) => takesAny || methods.includes(method),
  };
}

interface Bindings {
  readonly bareKey: boolean;
  /** Those the issuer names. */
  readonly methods: readonly string[];
  takes(method: string): boolean;
}

export interface HoldingDeps {
  readonly keys: Keys;
  readonly dids: Dids;
}

/** A key of the caller's that can sign so: the one named, the default one, any other, or a new one. */
async function keyFor(
  deps: HoldingDeps,
  caller: Caller,
  algorithms: readonly string[],
  named: string | undefined,
): Promise<Holding> {
  const accepted = (algorithm: string): boolean => algorithms.includes(algorithm);
  if (named !== undefined) {
    const row = await deps.keys.find(caller, named);
    if (row.owner !== caller.owner || row.state !== 'active') fail('key-not-active/named', { id: named });
    if (!accepted(row.algorithm)) fail('unsupported-proof-type', { why: `the issuer takes ${algorithms.join(', ')}` });
    return holdingOf(row);
  }
  const active = await deps.keys.list(caller, { state: 'active' }, { limit: 200, after: undefined });
  const whole = active.filter(({ content }) => content !== undefined);
  const fitting = whole.map(({ row }) => row).filter(({ algorithm }) => accepted(algorithm));
  const found = fitting.find((row) => row.is_default === 1) ?? fitting.at(-1);
  return found ? holdingOf(found) : newKey(deps, caller, algorithms);
}

async function newKey(deps: HoldingDeps, caller: Caller, algorithms: readonly string[]): Promise<Holding> {
  const algorithm = ALGORITHMS.find((one) => algorithms.includes(one));
  if (!algorithm) fail('unsupported-proof-type', { why: algorithms.join(', ').slice(0, 100) || 'no algorithm' });
  return holdingOf((await deps.keys.create(caller, { algorithm }, always)).row);
}

/** Copies that share a key are one credential to whoever compares them: each gets a key of its own. */
async function copiesOf(
  deps: HoldingDeps,
  caller: Caller,
  first: Holding,
  algorithms: readonly string[],
  count: number,
): Promise<Holding[]> {
  const forCopy = async (algorithm: string): Promise<Holding> => ({
    ...(await newKey(deps, caller, [algorithm])),
    isForCopy: true,
  });
  // Twenty keys that take seconds each would take longer than anybody waits.
  const quick = isSlow(first.algorithm) ? ALGORITHMS.find((one) => !isSlow(one) && algorithms.includes(one)) : first.algorithm;
  if (quick !== undefined) return Promise.all(Array.from({ length: count }, () => forCopy(quick)));
  const made: Holding[] = [];
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

const holdingOf = (row: { id: string; algorithm: string; kid: string; public_jwk: string }): Holding => ({
  keyId: row.id,
  algorithm: row.algorithm,
  kid: row.kid,
  jwk: JSON.parse(row.public_jwk) as PublicJwk,
});

async function withDid(
  deps: HoldingDeps,
  caller: Caller,
  idOrDid: string,
  { takes }: Bindings,
  algorithms: readonly string[],
): Promise<Holding> {
  const { row, keys: carried } = await deps.dids.show(await deps.dids.find(caller, idOrDid));
  if (row.owner !== caller.owner || row.state !== 'published') fail('invalid-request', { why: 'the DID is not published' });
  if (!takes(row.method)) fail('unsupported-proof-type', { why: `the issuer does not take did:${row.method}` });
  const key = carried.find(({ state }) => state === 'active') ?? fail('no-active-key');
  return {
    ...(await keyFor(deps, caller, algorithms, key.key_id)),
    did: { id: row.id, did: row.did, url: key.verificationMethod },
  };
}

/** A DID of the caller's that the issuer takes, and that has the key that is wanted. */
async function ownDid(
  deps: HoldingDeps,
  caller: Caller,
  { takes }: Bindings,
  algorithms: readonly string[],
  keyId: string | undefined,
) {
  const published = await deps.dids.list(caller, { state: 'published' }, { limit: 200, after: undefined });
  for (const { row, keys: carried, isDamaged } of published) {
    const key = carried.find((one) => one.state === 'active' && (keyId === undefined || one.key_id === keyId));
    if (isDamaged || !key || !takes(row.method)) continue;
    const own = await deps.keys.find(caller, key.key_id);
    if (algorithms.includes(own.algorithm))
      return { ...holdingOf(own), did: { id: row.id, did: row.did, url: key.verificationMethod } };
  }
  return undefined;
}

/** Those that are made of a key resolve by themselves. */
const methodToMake = ({ takes, methods }: Bindings): string =>
  ['jwk', 'key'].find((one) => takes(one)) ??
  fail('unsupported-proof-type', { why: `bindings by did:${methods.join(', did:')}`.slice(0, 100) });

async function anyDid(
  deps: HoldingDeps,
  caller: Caller,
  bindings: Bindings,
  algorithms: readonly string[],
  keyId: string | undefined,
): Promise<Holding> {
  const own = await ownDid(deps, caller, bindings, algorithms, keyId);
  if (own) return own;
  const method = methodToMake(bindings);
  const key = await keyFor(deps, caller, algorithms, keyId);
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
    always,
  );
  return { ...key, did: { id: made.row.id, did: made.row.did, url: made.keys[0]!.verificationMethod } };
}

async function areActive(deps: HoldingDeps, caller: Caller, all: readonly Holding[]): Promise<boolean> {
  for (const { keyId } of all) if (!(await deps.keys.isActive(caller.owner, keyId))) return false;
  return true;
}

/** Keys that were made for copies nobody got. One that was put to other use meanwhile stays. */
export async function discardHoldings(deps: HoldingDeps, caller: Caller, all: readonly Holding[] = []): Promise<void> {
  const purge = async (id: string): Promise<void> => deps.keys.purge(caller, await deps.keys.find(caller, id), false);
  for (const { keyId, isForCopy } of all) if (isForCopy) await purge(keyId).catch(() => undefined);
}

/** Whether there will be something to bind it to. Nothing is made for that: it is asked before a code is spent. */
export async function checkHolding(
  deps: HoldingDeps,
  caller: Caller,
  configuration: Configuration,
  { keyId, didId }: Omit<Wanted, 'count'>,
): Promise<void> {
  const proof = proofOf(configuration);
  if (!proof) return;
  if (!ALGORITHMS.some((one) => proof.algorithms.includes(one)))
    fail('unsupported-proof-type', { why: proof.algorithms.join(', ').slice(0, 100) || 'no algorithm' });
  const bindings = bindingsOf(configuration);
  if (didId !== undefined) await withDid(deps, caller, didId, bindings, proof.algorithms);
  else if (keyId !== undefined) await keyFor(deps, caller, proof.algorithms, keyId);
  if (didId === undefined && !bindings.bareKey && !(await ownDid(deps, caller, bindings, proof.algorithms, keyId)))
    methodToMake(bindings);
}

/** As many as copies are wanted; none when the credential is bound to nobody. Those of `before`, while they can sign. */
export async function chooseHoldings(
  deps: HoldingDeps,
  caller: Caller,
  configuration: Configuration,
  { keyId, didId, count }: Wanted,
  before: readonly Holding[] | undefined,
): Promise<readonly Holding[]> {
  if (before && (await areActive(deps, caller, before))) return before;
  await discardHoldings(deps, caller, before);
  const proof = proofOf(configuration);
  if (!proof) return [];
  const bindings = bindingsOf(configuration);
  if (didId !== undefined) return [await withDid(deps, caller, didId, bindings, proof.algorithms)];
  if (!bindings.bareKey) return [await anyDid(deps, caller, bindings, proof.algorithms, keyId)];
  const first = await keyFor(deps, caller, proof.algorithms, keyId);
  return [first, ...(await copiesOf(deps, caller, first, proof.algorithms, count - 1))];
}

export const signerOf = (deps: HoldingDeps, caller: Caller, { keyId, algorithm, jwk }: Holding): Signer => ({
  algorithm,
  jwk,
  sign: (data) => deps.keys.sign(caller.owner, keyId, data),
});

/** What copies of a credential are bound to: asked about, chosen, given up. */
export const createHoldings = (deps: HoldingDeps) => ({
  check: (caller: Caller, configuration: Configuration, wanted: Omit<Wanted, 'count'>) =>
    checkHolding(deps, caller, configuration, wanted),
  choose: (caller: Caller, configuration: Configuration, wanted: Wanted, before: readonly Holding[] | undefined) =>
    chooseHoldings(deps, caller, configuration, wanted, before),
  discard: (caller: Caller, all?: readonly Holding[]) => discardHoldings(deps, caller, all),
  signerOf: (caller: Caller, holding: Holding) => signerOf(deps, caller, holding),
});

export type Holdings = ReturnType<typeof createHoldings>;

/** That the key is ours, for this issuer, now (OID4VCI, appendix F.1). */
export async function proofJwt(
  client: Openid4vciClient,
  metadata: IssuerMetadataResult,
  configuration: Configuration,
  holding: Holding,
  { nonce, clientId, now }: { nonce: string | undefined; clientId: string | undefined; now: number },
): Promise<string> {
  const { algorithm: alg, jwk, did } = holding;
  const { jwt } = await client.createCredentialRequestJwtProof({
    issuerMetadata: metadata,
    credentialConfigurationId: configuration.id,
    signer: did ? { method: 'did', didUrl: did.url, alg } : { method: 'jwk', publicJwk: { ...jwk } as never, alg },
    issuedAt: new Date(now),
    ...(nonce === undefined ? {} : { nonce }),
    ...(clientId === undefined ? {} : { clientId }),
  });
  return jwt;
}
