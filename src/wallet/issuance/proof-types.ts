// Reads `proof_types_supported` and `cryptographic_binding_methods_supported` of a credential configuration (OID4VCI, 12.2.4).

import { FORMATS } from '../../verifiable/formats/index.ts';
import { ALGORITHMS } from '../../verifiable/jose/index.ts';
import { fail } from '../ground/faults.ts';
import type { CredentialConfiguration } from './offer.ts';

/** The binding methods the issuer accepts. */
export interface BindingMethods {
  /** A key without a DID. */
  readonly bareKey: boolean;
  /** The DID methods the issuer names. */
  readonly didMethods: readonly string[];
  takes(didMethod: string): boolean;
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Undefined if the configuration requires no proof. */
export function proofAlgorithmsOf({ raw, format }: CredentialConfiguration): readonly string[] | undefined {
  // The key must be able to sign presentations of this format.
  const { algorithms } = FORMATS[format].holder;
  const showable = (all: readonly string[]): readonly string[] =>
    algorithms ? all.filter((one) => algorithms.includes(one)) : all;
  const types = raw.proof_types_supported as Readonly<Record<string, Record<string, unknown>>> | undefined;
  if (!types) return raw.cryptographic_binding_methods_supported === undefined ? undefined : showable(ALGORITHMS);
  if (!types.jwt) fail('unsupported-proof-type', { why: Object.keys(types).join(', ').slice(0, 100) });
  if (types.jwt.key_attestations_required) fail('unsupported-proof-type', { why: 'key attestations' });
  return showable(strings(types.jwt.proof_signing_alg_values_supported));
}

/** A DID is used only if the issuer does not accept a plain key, or the caller wants one. */
export function bindingMethodsOf({ raw, format }: CredentialConfiguration): BindingMethods {
  const stated = strings(raw.cryptographic_binding_methods_supported);
  const takesKey = stated.length === 0 || stated.includes('jwk') || stated.includes('cose_key');
  const didMethods = stated.flatMap((one) => /^did:(\w+)$/.exec(one)?.[1] ?? []);
  const takesAnyDid = stated.length === 0 || stated.includes('did');
  return {
    bareKey: takesKey && !FORMATS[format].holder.byDidOnly,
    didMethods,
    takes: (method) => takesAnyDid || didMethods.includes(method),
  };
}

export const noAlgorithm = (algorithms: readonly string[]): never =>
  fail('unsupported-proof-type', { why: algorithms.join(', ').slice(0, 100) || 'no algorithm' });
