// did:jwk: a JWK as JSON in base64url. https://github.com/quartzjer/did-jwk/blob/main/spec.md
import { type DIDDocument, type JsonWebKey, parse } from 'did-resolver';
import type { PublicJwk } from '../jose/index.ts';
import { ResolutionError, withKeyFault } from './errors.ts';
import { parseObject } from './json.ts';
import { readPublicJwk } from './public-jwk.ts';

const MAX_BYTES = 8192;

/** Members are sorted, as in RFC 7638, so that each key has exactly one DID. */
export function didJwkOf(jwk: PublicJwk): string {
  const members = Object.entries(readPublicJwk(jwk)).sort(([a], [b]) => (a < b ? -1 : 1));
  return `did:jwk:${Buffer.from(JSON.stringify(Object.fromEntries(members))).toString('base64url')}`;
}

function jwkOfDid(did: string): JsonWebKey {
  const parsed = parse(did);
  if (parsed?.method !== 'jwk' || parsed.did !== did) throw new ResolutionError('invalidDid', 'it is not a did:jwk');
  if (parsed.id.length > Math.ceil((MAX_BYTES * 4) / 3)) throw new ResolutionError('invalidDid', 'the did:jwk is too long');
  const bytes = Buffer.from(parsed.id, 'base64url');
  // Node ignores characters that are not base64url. Only the canonical encoding is accepted.
  const jwk = bytes.toString('base64url') === parsed.id ? parseObject(bytes) : undefined;
  if (!jwk) throw new ResolutionError('invalidDid', 'the did:jwk is not JSON in base64url');
  withKeyFault('invalidDid', 'the did:jwk', () => readPublicJwk(jwk));
  return jwk as JsonWebKey;
}

export function documentOfDidJwk(did: string): DIDDocument {
  const jwk = jwkOfDid(did);
  const id = `${did}#0`;
  const agrees = jwk.use !== 'sig' && (jwk.kty === 'EC' || jwk.crv === 'X25519' || jwk.use === 'enc');
  const signs = jwk.use !== 'enc' && jwk.crv !== 'X25519';
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: [{ id, type: 'JsonWebKey2020', controller: did, publicKeyJwk: jwk }],
    ...(signs ? { assertionMethod: [id], authentication: [id], capabilityInvocation: [id], capabilityDelegation: [id] } : {}),
    ...(agrees ? { keyAgreement: [id] } : {}),
  };
}
