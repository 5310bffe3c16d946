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

/** What an issuer wants of the keys that a credential is bound to. */
export interface ProofDemand {
  readonly algorithms: readonly string[];
  /** They must be in the device of the node, which attests them: in the header of a proof, or instead of one. */
  readonly attested?: 'jwt' | 'attestation';
}

/** Who attests keys, and whether there is a device for them. */
export interface KeyAttesting {
  readonly attester: { satisfies(requirement: Readonly<Record<string, unknown>>): boolean };
  readonly keys: { readonly hasDevice: boolean };
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** What the attester signs with. */
const ATTESTER_ALGORITHM = 'ES256';

/** Undefined if the configuration requires no proof. Keys are attested only to issuers that require it: it says where a key is. */
export function proofDemandOf(
  { raw, format }: CredentialConfiguration,
  { attester, keys }: KeyAttesting,
): ProofDemand | undefined {
  // The key must be able to sign presentations of this format.
  const { algorithms } = FORMATS[format].holder;
  const showable = (all: readonly string[]): readonly string[] =>
    algorithms ? all.filter((one) => algorithms.includes(one)) : all;
  const types = raw.proof_types_supported as Readonly<Record<string, Record<string, unknown>>> | undefined;
  if (!types) return raw.cryptographic_binding_methods_supported === undefined ? undefined : { algorithms: showable(ALGORITHMS) };
  const algorithmsOf = (type: Record<string, unknown>): readonly string[] => strings(type.proof_signing_alg_values_supported);
  const canAttest = ({ key_attestations_required: wanted = {} }: Record<string, unknown>): boolean =>
    keys.hasDevice && attester.satisfies((wanted ?? {}) as Readonly<Record<string, unknown>>);
  const { jwt, attestation } = types;
  if (jwt && !jwt.key_attestations_required) return { algorithms: showable(algorithmsOf(jwt)) };
  if (jwt && canAttest(jwt)) return { algorithms: showable(algorithmsOf(jwt)), attested: 'jwt' };
  if (attestation && canAttest(attestation) && algorithmsOf(attestation).includes(ATTESTER_ALGORITHM))
    return { algorithms: showable(ALGORITHMS), attested: 'attestation' };
  return fail('unsupported-proof-type', {
    why: jwt || attestation ? 'key attestations' : Object.keys(types).join(', ').slice(0, 100),
  });
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
