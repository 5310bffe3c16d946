// Builds a DID document from the DID and its keys.
import type { PublicJwk } from '../../verifiable/jose/index.ts';
import { RELATIONSHIPS, type Relationship } from '../keys/index.ts';

export const CONTEXTS = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'];

export interface DidService {
  readonly id: string;
  readonly type: string;
  readonly serviceEndpoint: unknown;
}

/** A key as a DID document lists it. */
export interface DocumentKey {
  readonly kid: string;
  readonly jwk: PublicJwk;
  readonly relationships: readonly Relationship[];
}

export interface DidDocument {
  readonly '@context': readonly string[];
  readonly id: string;
  readonly alsoKnownAs?: readonly string[];
  readonly verificationMethod?: readonly object[];
  readonly authentication?: readonly string[];
  readonly assertionMethod?: readonly string[];
  readonly keyAgreement?: readonly string[];
  readonly service?: readonly DidService[];
}

/** The fragment is the thumbprint, which is unique for each key. */
export const methodId = (did: string, kid: string): string => `${did}#${kid}`;

export function buildDocument(
  did: string,
  keys: readonly DocumentKey[],
  { service, alsoKnownAs }: { service: readonly DidService[]; alsoKnownAs: readonly string[] },
): DidDocument {
  const related = RELATIONSHIPS.map(
    (relationship) =>
      [
        relationship,
        keys.filter((key) => key.relationships.includes(relationship)).map(({ kid }) => methodId(did, kid)),
      ] as const,
  );
  return {
    '@context': CONTEXTS,
    id: did,
    ...(alsoKnownAs.length > 0 ? { alsoKnownAs } : {}),
    ...(keys.length > 0
      ? {
          verificationMethod: keys.map(({ kid, jwk }) => ({
            id: methodId(did, kid),
            type: 'JsonWebKey',
            controller: did,
            publicKeyJwk: { ...jwk, kid },
          })),
        }
      : {}),
    ...Object.fromEntries(related.filter(([, ids]) => ids.length > 0)),
    ...(service.length > 0 ? { service } : {}),
  };
}
