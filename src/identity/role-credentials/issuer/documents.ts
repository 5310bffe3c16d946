// What the issuer publishes about itself: its DID document, and its keys as verifiers of SD-JWT VCs read them.
import type { IssuerIdentity } from './issuer.ts';
import type { IssuerPublicKey } from './key-material.ts';

const CONTEXT = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'];

export function didDocumentOf(did: string, keys: readonly IssuerPublicKey[]) {
  const ids = keys.map(({ kid }) => `${did}#${kid}`);
  return {
    '@context': CONTEXT,
    id: did,
    verificationMethod: keys.map(({ kid, kty, crv, x, y }) => ({
      id: `${did}#${kid}`,
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: { kty, crv, x, y, kid, alg: 'ES256' },
    })),
    assertionMethod: ids,
    // Requests to wallets are signed with the same keys.
    authentication: ids,
  };
}

/** SD-JWT VC, JWT VC issuer metadata. */
export const issuerMetadataOf = async (identity: IssuerIdentity) => ({
  issuer: identity.id(),
  jwks: { keys: await identity.publicKeys() },
});
