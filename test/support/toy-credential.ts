// An SD-JWT VC of a toy issuer. Tests can change everything before it is signed.
import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';

export interface CredentialDraft {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
  /** Selectively disclosable claims. */
  disclosures: Record<string, unknown>;
  /** Their digests, as they are signed. */
  digests?: (honest: readonly string[]) => readonly string[];
  key: KeyObject;
}

export const disclosure = (name: string, value: unknown): string =>
  Buffer.from(JSON.stringify([randomBytes(12).toString('base64url'), name, value])).toString('base64url');

export async function signDraft({ header, payload, disclosures, digests, key }: CredentialDraft): Promise<string> {
  const texts = Object.entries(disclosures).map(([name, value]) => disclosure(name, value));
  const honest = texts.map((text) => createHash('sha256').update(text).digest('base64url')).sort();
  const jwt = await new SignJWT({ ...payload, _sd: digests?.(honest) ?? honest, _sd_alg: 'sha-256' })
    .setProtectedHeader(header as never)
    .sign(key);
  return `${[jwt, ...texts].join('~')}~`;
}
