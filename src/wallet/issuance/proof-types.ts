// What a credential configuration says of proofs and of what the credential is bound to (OID4VCI, 12.2.4): `proof_types_supported`,
// `cryptographic_binding_methods_supported`.
import { fail } from '../faults.ts';
import { ALGORITHMS, PROOF_ALGORITHMS } from '../jose/index.ts';
import type { CredentialConfiguration } from './offer.ts';

/** What the issuer takes as the binding. */
export interface BindingMethods {
  /** A key without a DID. */
  readonly bareKey: boolean;
  /** The DID methods the issuer names. */
  readonly didMethods: readonly string[];
  takes(didMethod: string): boolean;
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Undefined: the configuration asks for no proof, and the credential is bound to nobody. */
export function proofAlgorithmsOf({ raw, format }: CredentialConfiguration): readonly string[] | undefined {
  // A credential whose key could never show it is of no use.
  const showable = (all: readonly string[]): readonly string[] =>
    format === 'ldp_vc' ? all.filter((one) => PROOF_ALGORITHMS.includes(one)) : all;
  const types = raw.proof_types_supported as Readonly<Record<string, Record<string, unknown>>> | undefined;
  if (!types) return raw.cryptographic_binding_methods_supported === undefined ? undefined : showable(ALGORITHMS);
  if (!types.jwt) fail('unsupported-proof-type', { why: Object.keys(types).join(', ').slice(0, 100) });
  if (types.jwt.key_attestations_required) fail('unsupported-proof-type', { why: 'key attestations' });
  return showable(strings(types.jwt.proof_signing_alg_values_supported));
}

/** The binding is to be a DID only where the issuer takes no bare key, or the caller wants one. */
export function bindingMethodsOf({ raw, format }: CredentialConfiguration): BindingMethods {
  const stated = strings(raw.cryptographic_binding_methods_supported);
  const takesKey = stated.length === 0 || stated.includes('jwk') || stated.includes('cose_key');
  const didMethods = stated.flatMap((one) => /^did:(\w+)$/.exec(one)?.[1] ?? []);
  const takesAnyDid = stated.length === 0 || stated.includes('did');
  return {
    // A Data Integrity proof names its key by a DID.
    bareKey: takesKey && format !== 'ldp_vc',
    didMethods,
    takes: (method) => takesAnyDid || didMethods.includes(method),
  };
}

export const noAlgorithm = (algorithms: readonly string[]): never =>
  fail('unsupported-proof-type', { why: algorithms.join(', ').slice(0, 100) || 'no algorithm' });
