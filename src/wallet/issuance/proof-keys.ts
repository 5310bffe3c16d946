// The keys and DIDs for key proofs: checked before the code is redeemed, chosen when proofs are created.

import { ALGORITHMS } from '../../verifiable/jose/index.ts';
import type { Caller } from '../access/index.ts';
import type { WalletSigner } from '../protocols/index.ts';
import type { CredentialConfiguration } from './offer.ts';
import { anyDid, namedDid, newDidMethod, ownDid } from './proof-did.ts';
import { anyKey, keysForCopies, namedKey, type ProofKey, type ProofKeyDeps } from './proof-key.ts';
import { bindingMethodsOf, noAlgorithm, proofDemandOf } from './proof-types.ts';

/** The key or DID the caller wants, and the number of copies. */
export interface BindingPreferences {
  readonly keyId?: string | undefined;
  readonly didId?: string | undefined;
  readonly count: number;
}

/** Throws if no key or DID fits. Creates nothing, because it runs before the code is redeemed. */
export async function checkProofKeys(
  deps: ProofKeyDeps,
  caller: Caller,
  configuration: CredentialConfiguration,
  { keyId, didId }: Omit<BindingPreferences, 'count'>,
): Promise<void> {
  const demand = proofDemandOf(configuration, deps);
  if (!demand) return;
  if (!ALGORITHMS.some((one) => demand.algorithms.includes(one))) noAlgorithm(demand.algorithms);
  const methods = bindingMethodsOf(configuration);
  if (didId !== undefined) {
    await namedDid(deps, caller, didId, methods, demand);
    return;
  }
  if (keyId !== undefined) await namedKey(deps, caller, demand, keyId);
  if (!methods.bareKey && !(await ownDid(deps, caller, methods, demand, keyId))) newDidMethod(methods);
}

async function areActive({ keys }: ProofKeyDeps, caller: Caller, all: readonly ProofKey[]): Promise<boolean> {
  for (const { keyId } of all) if (!(await keys.isActive(caller.owner, keyId))) return false;
  return true;
}

/** Deletes keys of copies that were never received, unless they are in use. */
export async function discardProofKeys(
  { keys }: Pick<ProofKeyDeps, 'keys'>,
  caller: Caller,
  all: readonly ProofKey[] = [],
): Promise<void> {
  const purge = async (id: string): Promise<void> => keys.purge(caller, await keys.find(caller, id), false);
  for (const { keyId, isForCopy } of all) if (isForCopy) await purge(keyId).catch(() => undefined);
}

/** One key per copy; none if the credential needs no binding. Reuses the keys of `before` while they are active. */
export async function chooseProofKeys(
  deps: ProofKeyDeps,
  caller: Caller,
  configuration: CredentialConfiguration,
  { keyId, didId, count }: BindingPreferences,
  before: readonly ProofKey[] | undefined,
): Promise<readonly ProofKey[]> {
  if (before && (await areActive(deps, caller, before))) return before;
  await discardProofKeys(deps, caller, before);
  const demand = proofDemandOf(configuration, deps);
  if (!demand) return [];
  const methods = bindingMethodsOf(configuration);
  if (didId !== undefined) return [await namedDid(deps, caller, didId, methods, demand)];
  if (!methods.bareKey) return [await anyDid(deps, caller, methods, demand, keyId)];
  const first = await anyKey(deps, caller, demand, keyId);
  return [first, ...(await keysForCopies(deps, caller, first, demand, count - 1))];
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
