// The two ceremonies of WebAuthn, by the library: making a passkey, and signing with one. Nothing here is stored.
import { generateKeyPairSync } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { PasskeyRow } from '../../ground/database/index.ts';
import type { RelyingParty } from './relying-party.ts';

/** How long a browser waits for the person. */
const CEREMONY_MS = 300_000;

/** Loaded when the first passkey is used: it brings parsers for every kind of attestation. */
const library = (): Promise<typeof import('@simplewebauthn/server')> => import('@simplewebauthn/server');

const transportsOf = ({ transports }: PasskeyRow): string[] => JSON.parse(transports) as string[];

const descriptors = (passkeys: readonly PasskeyRow[]) =>
  passkeys.map((row) => ({ id: row.credential_id, transports: transportsOf(row) }));

/** What a browser sends is JSON in a form field. Undefined when it is none. */
function parse<T>(text: string): T | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

/** For the log: without the values that the library quotes. */
const reasonOf = (error: unknown): string => (error as Error).message.split('"', 1)[0]!.trim();

/** Options for `navigator.credentials.create`, as JSON. */
export async function creationOptions(
  party: RelyingParty,
  user: { readonly id: string; readonly name: string; readonly displayName: string },
  { challenge, passkeys }: { readonly challenge: string; readonly passkeys: readonly PasskeyRow[] },
): Promise<object> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: new TextEncoder().encode(user.id),
    userName: user.name,
    userDisplayName: user.displayName,
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: CEREMONY_MS,
    // Who made the authenticator is not asked: no decision depends on it, and it can name a person.
    attestationType: 'none',
    excludeCredentials: descriptors(passkeys),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
}

/** Options for `navigator.credentials.get`, as JSON. Without passkeys the browser offers all it has for this site. */
export const requestOptions = (
  party: RelyingParty,
  { challenge, passkeys, mustVerify }: { challenge: string; passkeys: readonly PasskeyRow[]; mustVerify: boolean },
): object => ({
  rpId: party.id,
  challenge,
  allowCredentials: descriptors(passkeys).map((one) => ({ ...one, type: 'public-key' })),
  userVerification: mustVerify ? 'required' : 'preferred',
  timeout: CEREMONY_MS,
});

export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly isSynced: boolean;
}

/**
 * Attestation was not asked for, so browsers send none, or one signed by the passkey itself. Others have certificates, for which the
 * library would fetch revocation lists from addresses that the sender chooses.
 */
async function isWithoutCertificates({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

/** What a browser says of the transports is stored and sent back to it, so only short words are taken. */
const knownTransports = (transports: unknown): string[] =>
  Array.isArray(transports) ? transports.filter((one) => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one)).slice(0, 10) : [];

/** The reason, for the log, when it is not the answer to one of these challenges for this site. */
export async function verifyCreation(
  party: RelyingParty,
  challenges: readonly string[],
  text: string,
): Promise<NewPasskey | { readonly reason: string }> {
  const response = parse<RegistrationResponseJSON>(text);
  if (!response) return { reason: 'no JSON' };
  const { verifyRegistrationResponse } = await library();
  try {
    if (!(await isWithoutCertificates(response))) return { reason: 'an attestation that was not asked for' };
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => challenges.includes(challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // Whether the person was verified is asked when the passkey is used alone.
      requireUserVerification: false,
    });
    if (!verified) return { reason: 'not verified' };
    const { credential, credentialDeviceType } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: knownTransports(credential.transports),
      isSynced: credentialDeviceType === 'multiDevice',
    };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

const BASE64URL = /^[\w-]{1,1400}$/;

/** Which passkey an answer claims to come from, before anything is verified. */
export function credentialIdOf(text: string): string | undefined {
  const id: unknown = parse<AuthenticationResponseJSON>(text)?.id;
  return typeof id === 'string' && BASE64URL.test(id) ? id : undefined;
}

/** The COSE key of a new key pair whose private key nobody has (ES256, RFC 9053). */
function strangePublicKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const part = (text: string): Buffer => Buffer.from(text, 'base64url');
  const [head, between] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')];
  return Buffer.concat([head, part(x), between, part(y)]).toString('base64url');
}

/** In place of a passkey that is not known: its answer is verified all the same, so that the time does not tell which ones are known. */
export const unknownPasskey = (): PasskeyRow => ({
  id: '',
  user_id: '',
  credential_id: '',
  public_key: strangePublicKey(),
  counter: 0,
  transports: '[]',
  synced: 0,
  name: '',
  created_at: 0,
  last_used_at: null,
  removed_at: null,
});

export interface Assertion {
  readonly counter: number;
  readonly isUserVerified: boolean;
}

/** The signature counter is compared by `recordUse`, in the statement that stores it. */
export async function verifyAssertion(
  party: RelyingParty,
  row: PasskeyRow,
  { challenges, text, mustVerify }: { challenges: readonly string[]; text: string; mustVerify: boolean },
): Promise<Assertion | { readonly reason: string }> {
  const response = parse<AuthenticationResponseJSON>(text);
  if (!response) return { reason: 'no JSON' };
  const userHandle: unknown = response.response?.userHandle;
  const isOwner = typeof userHandle === 'string' && Buffer.from(userHandle, 'base64url').toString() === row.user_id;
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => challenges.includes(challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        counter: 0,
        transports: transportsOf(row),
      },
      requireUserVerification: mustVerify,
    });
    if (!verified) return { reason: 'signature wrong' };
    // After the signature, which takes long: the time must not tell whose passkey it is.
    if (userHandle !== undefined && userHandle !== null && !isOwner) return { reason: 'passkey of another user' };
    return { counter: authenticationInfo.newCounter, isUserVerified: authenticationInfo.userVerified };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}
