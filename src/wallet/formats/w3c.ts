// What W3C credentials have in common, however they are secured.
import { reject } from './format.ts';

export type JsonDocument = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a text, or of a thing with an id. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : isObject(value) && typeof value.id === 'string' ? value.id : undefined;

export function typesOf(credential: JsonDocument): string[] {
  const types = [credential.type].flat();
  if (!types.includes('VerifiableCredential') || types.some((type) => typeof type !== 'string'))
    reject('malformed', 'it is no verifiable credential');
  return types as string[];
}

/** The first it is about. */
export const subjectIdOf = (credential: JsonDocument): string | undefined => idOf([credential.credentialSubject].flat()[0]);

/** The DID of a subject, without the key it may name. */
export const didOf = (subject: string | undefined): string | undefined =>
  subject?.startsWith('did:') ? subject.split('#', 1)[0] : undefined;
