// Shared by all W3C credentials, JWT or Data Integrity.
import { reject } from './format.ts';

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
