// The keys and DIDs a credential will be bound to: checked before a code is spent, chosen when proofs are made.
import type { Caller } from '../access/index.ts';
import { ALGORITHMS } from '../jose/index.ts';
import type { WalletSigner } from '../protocols/index.ts';
import type { CredentialConfiguration } from './offer.ts';
import { anyDid, namedDid, newDidMethod, ownDid } from './proof-did.ts';
import { anyKey, keysForCopies, namedKey, type ProofKey, type ProofKeyDeps } from './proof-key.ts';
import { bindingMethodsOf, noAlgorithm, proofAlgorithmsOf } from './proof-types.ts';

/** What the caller wants it bound to, and in how many copies. */
export interface BindingPreferences {
  readonly keyId?: string | undefined;
  readonly didId?: string | undefined;
  readonly count: number;
}

/** Whether there will be something to bind it to. Nothing is made for that: it is asked before a code is spent. */
export async function checkProofKeys(
  deps: ProofKeyDeps,
  caller: Caller,
  configuration: CredentialConfiguration,
  { keyId, didId }: Omit<BindingPreferences, 'count'>,
): Promise<void> {
  const algorithms = proofAlgorithmsOf(configuration);
  if (!algorithms) return;
  if (!ALGORITHMS.some((one) => algorithms.includes(one))) noAlgorithm(algorithms);
  const methods = bindingMethodsOf(configuration);
  if (didId !== undefined) {
    await namedDid(deps, caller, didId, methods, algorithms);
    return;
  }
  if (keyId !== undefined) await namedKey(deps, caller, algorithms, keyId);
  if (!methods.bareKey && !(await ownDid(deps, caller, methods, algorithms, keyId))) newDidMethod(methods);
}

async function areActive({ keys }: ProofKeyDeps, caller: Caller, all: readonly ProofKey[]): Promise<boolean> {
  for (const { keyId } of all) if (!(await keys.isActive(caller.owner, keyId))) return false;
  return true;
}

/** Keys that were made for copies nobody got. One that was put to other use meanwhile stays. */
export async function discardProofKeys(
  { keys }: Pick<ProofKeyDeps, 'keys'>,
  caller: Caller,
  all: readonly ProofKey[] = [],
): Promise<void> {
  const purge = async (id: string): Promise<void> => keys.purge(caller, await keys.find(caller, id), false);
  for (const { keyId, isForCopy } of all) if (isForCopy) await purge(keyId).catch(() => undefined);
}

/** As many as copies are wanted; none when the credential is bound to nobody. Those of `before`, while they can sign. */
export async function chooseProofKeys(
  deps: ProofKeyDeps,
  caller: Caller,
  configuration: CredentialConfiguration,
  { keyId, didId, count }: BindingPreferences,
  before: readonly ProofKey[] | undefined,
): Promise<readonly ProofKey[]> {
  if (before && (await areActive(deps, caller, before))) return before;
  await discardProofKeys(deps, caller, before);
  const algorithms = proofAlgorithmsOf(configuration);
  if (!algorithms) return [];
  const methods = bindingMethodsOf(configuration);
  if (didId !== undefined) return [await namedDid(deps, caller, didId, methods, algorithms)];
  if (!methods.bareKey) return [await anyDid(deps, caller, methods, algorithms, keyId)];
  const first = await anyKey(deps, caller, algorithms, keyId);
  return [first, ...(await keysForCopies(deps, caller, first, algorithms, count - 1))];
}

export const signerOf = (
  { keys }: Pick<ProofKeyDeps, 'keys'>,
  caller: Caller,
  { keyId, algorithm, jwk }: ProofKey,
): WalletSigner => ({
  algorithm,
  jwk,
  sign: (data) => keys.sign(caller.owner, keyId, data),
});
