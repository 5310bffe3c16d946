// Finds a key in a DID document by its DID URL and relationship.
import { type DIDDocument, parse, VerificationRelationship } from 'did-resolver';
import type { PublicJwk } from '../jose/index.ts';
import { fromBase58 } from './base58.ts';
import { jwkOfMultibase } from './did-key.ts';
import { InvalidKeyError, ResolutionError, withKeyFault } from './errors.ts';
import { isObject, type JsonObject } from './json.ts';
import { readPublicJwk, readVerificationJwk } from './public-jwk.ts';

const RELATIONSHIPS = Object.keys(VerificationRelationship);

/** A key is refused if its private part is published. */
const SECRETS = ['privateKeyJwk', 'privateKeyMultibase', 'privateKeyBase58', 'secretKeyMultibase', 'secretKeyJwk'];

/** Types whose multibase is a Multikey, with their curve. */
const MULTIBASE_TYPES: Readonly<Record<string, string | undefined>> = {
  Ed25519VerificationKey2020: 'Ed25519',
  X25519KeyAgreementKey2020: 'X25519',
};

function multibaseKey(type: unknown, text: unknown): PublicJwk {
  if (typeof text !== 'string') throw new InvalidKeyError('its key is not a text');
  const jwk = jwkOfMultibase(text);
  if (type === 'Multikey') return jwk;
  if (typeof type !== 'string' || !Object.hasOwn(MULTIBASE_TYPES, type)) throw new InvalidKeyError('its type is not supported');
  if (jwk.crv !== MULTIBASE_TYPES[type]) throw new InvalidKeyError('its key is not of its type');
  return jwk;
}

function base58Key(type: unknown, text: unknown): PublicJwk {
  if (type !== 'Ed25519VerificationKey2018') throw new InvalidKeyError('its type is not supported');
  const bytes = typeof text === 'string' ? fromBase58(text) : undefined;
  return readPublicJwk({ kty: 'OKP', crv: 'Ed25519', x: bytes?.toString('base64url') });
}

function keyOf(method: JsonObject, read: (jwk: unknown) => PublicJwk): PublicJwk {
  if (SECRETS.some((name) => Object.hasOwn(method, name))) throw new InvalidKeyError('its private key is published');
  const { type, publicKeyJwk, publicKeyMultibase, publicKeyBase58 } = method;
  if ([publicKeyJwk, publicKeyMultibase, publicKeyBase58].filter((key) => key !== undefined).length !== 1)
    throw new InvalidKeyError('it has not exactly one key');
  if (publicKeyJwk !== undefined) return read(publicKeyJwk);
  return publicKeyMultibase !== undefined ? multibaseKey(type, publicKeyMultibase) : base58Key(type, publicKeyBase58);
}

export function didOfMethod(didUrl: string): string {
  const parsed = parse(didUrl);
  // Parameters could select another version of the document, but only the current one is available.
  if (!parsed?.fragment || parsed.path !== undefined || parsed.query !== undefined)
    throw new ResolutionError('invalidDid', 'a verification method is named by a DID and a fragment');
  return parsed.did;
}

export function keyInDocument(document: DIDDocument, didUrl: string, relationship?: VerificationRelationship): PublicJwk {
  const refuse = (message: string): ResolutionError => new ResolutionError('invalidDidDocument', `${didUrl}: ${message}`);
  if (document.id !== didOfMethod(didUrl)) throw refuse('it belongs to another document');

  const listed = (name: string): unknown[] => {
    const entries = (document as unknown as JsonObject)[name] ?? [];
    if (!Array.isArray(entries)) throw refuse(`${name} is not a list`);
    return entries;
  };
  const isIt = (id: unknown): boolean => id === didUrl || (typeof id === 'string' && `${document.id}${id}` === didUrl);

  const found = ['verificationMethod', ...RELATIONSHIPS]
    .flatMap(listed)
    .filter((entry): entry is JsonObject => isObject(entry) && isIt(entry.id));
  const [method] = found;
  if (!method) throw new ResolutionError('notFound', `${didUrl} is not in its document`);
  if (new Set(found.map((entry) => JSON.stringify(entry))).size > 1) throw refuse('several methods have this id');
  if (relationship && !listed(relationship).some((entry) => isIt(isObject(entry) ? entry.id : entry)))
    throw new ResolutionError('relationship', `${didUrl} is not for ${relationship}`);
  // All relationships except keyAgreement need a signature key.
  const read = relationship === undefined || relationship === 'keyAgreement' ? readPublicJwk : readVerificationJwk;
  return withKeyFault('invalidDidDocument', didUrl, () => keyOf(method, read));
}
