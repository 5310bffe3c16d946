// Shared by all W3C credentials, JWT or Data Integrity.
import { expandedTypes } from './expanded-types.ts';
import { type QueryMeta, reject, type TypeQuery, type VerifiedCredential } from './format.ts';

export type JsonDocument = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The id of a string, or of an object with an id. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : isObject(value) && typeof value.id === 'string' ? value.id : undefined;

export function typesOf(credential: JsonDocument): string[] {
  const types = [credential.type].flat();
  if (!types.includes('VerifiableCredential') || types.some((type) => typeof type !== 'string'))
    reject('malformed', 'it is no verifiable credential');
  return types as string[];
}

/** The id of the first subject. */
export const subjectIdOf = (credential: JsonDocument): string | undefined => idOf([credential.credentialSubject].flat()[0]);

/** The DID of a subject, without a fragment. */
export const didOf = (subject: string | undefined): string | undefined =>
  subject?.startsWith('did:') ? subject.split('#', 1)[0] : undefined;

const typesIn = ({ type_values: alternatives }: QueryMeta): readonly (readonly string[])[] =>
  Array.isArray(alternatives) ? (alternatives as string[][]) : [];

/** What a credential says, and what that means by its contexts. Drafts of OID4VP compared the former, 1.0 compares the latter (B.1.1). */
const namesOf = ({ types, claims = {} }: Parameters<TypeQuery['isAsked']>[0]): ReadonlySet<string> =>
  new Set([...types, ...expandedTypes(types, claims['@context'])]);

export const w3cQuery = (name: string): TypeQuery => ({
  metaFor: (types) => [{ type_values: types }],
  isAsked(credential, meta) {
    const names = namesOf(credential);
    return typesIn(meta).some((all) => all.every((one) => names.has(one)));
  },
  // A credential has several types but is indexed by only one of them.
  typesIn: () => undefined,
  // Only the requested types, because the library compares all of them with each other.
  describe(credential, _named, meta) {
    const own = namesOf(credential);
    const requested = [...new Set(typesIn(meta).flat())].filter((type) => own.has(type));
    return { credential_format: name, type: requested, claims: {} };
  },
});

/** A credential may say more of its issuer, and say it otherwise than who signed it. */
export const aboutW3c = ({ issuer, claims }: VerifiedCredential): JsonDocument => ({ issuer: issuer.id, type: claims.type });
