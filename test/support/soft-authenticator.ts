// An authenticator in software: makes passkeys and signs with them as WebAuthn says, and one thing wrong where a test wants it.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What an honest authenticator would not do. */
export interface AuthenticatorTwist {
  readonly origin?: string;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  /** Not signed by the passkey's key. */
  readonly foreignKey?: boolean;
  readonly isUserVerified?: boolean;
  readonly isUserPresent?: boolean;
  readonly counter?: number;
  readonly userHandle?: unknown;
  /** What it says of itself at a creation: nothing by default. A certificate was not asked for, nor what Android adds. */
  readonly attestation?: 'certificate' | 'self' | 'android';
  /** It is also on other devices of the person. */
  readonly isSynced?: boolean;
  readonly transports?: unknown;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const length = (bytes: Buffer): Buffer =>
  bytes.length < 256 ? Buffer.from([0x58, bytes.length]) : Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff]);

/** CBOR by hand: both structures have a fixed form (RFC 9052, WebAuthn 6.5.4). */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' }) as { x: string; y: string };
  const [bx, by] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return Buffer.concat([Buffer.from('a50102032620012158', 'hex'), Buffer.from([32]), bx, Buffer.from('225820', 'hex'), by]);
}

const text = (word: string): Buffer => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
const ES256 = 0x26;

/** The attestation object: its format, the statement in it, and the data of the authenticator. */
function attestation(authData: Buffer, clientData: Buffer, key: KeyObject, kind: AuthenticatorTwist['attestation']): Buffer {
  const object = (format: string, statement: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text(format),
      text('attStmt'),
      statement,
      text('authData'),
      length(authData),
      authData,
    ]);
  if (kind === 'certificate')
    return object('packed', Buffer.concat([Buffer.from([0xa1]), text('x5c'), Buffer.from('814100', 'hex')]));
  if (kind === 'android') return object('android-safetynet', Buffer.from([0xa0]));
  if (kind === undefined) return object('none', Buffer.from([0xa0]));
  const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), key);
  const statement = [Buffer.from([0xa2]), text('alg'), Buffer.from([ES256]), text('sig'), length(signature), signature];
  return object('packed', Buffer.concat(statement));
}

interface StoredPasskey {
  readonly id: Buffer;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly userHandle: string;
  counter: number;
}

/** The JSON that a browser's `PublicKeyCredential` becomes. */
function credentialOf(passkey: StoredPasskey, response: Readonly<Record<string, unknown>>): string {
  const id = passkey.id.toString('base64url');
  return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
}

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

export class SoftAuthenticator {
  readonly #origin: string;
  readonly passkeys: StoredPasskey[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  #clientData(type: string, challenge: string, twist: AuthenticatorTwist): Buffer {
    const { origin = this.#origin, crossOrigin = false } = twist;
    return Buffer.from(
      JSON.stringify({ type: twist.type ?? type, challenge: twist.challenge ?? challenge, origin, crossOrigin }),
    );
  }

  #authenticatorData(rpId: string, counter: number, twist: AuthenticatorTwist, attested = Buffer.alloc(0)): Buffer {
    const { isUserVerified = true, isUserPresent = true, isSynced = false } = twist;
    const flags =
      (isUserPresent ? 0x01 : 0) | (isUserVerified ? 0x04 : 0) | (isSynced ? 0x18 : 0) | (attested.length > 0 ? 0x40 : 0);
    const tail = Buffer.alloc(5);
    tail[0] = flags;
    tail.writeUInt32BE(twist.counter ?? counter, 1);
    return Buffer.concat([sha256(twist.rpId ?? rpId), tail, attested]);
  }

  /** A new passkey. */
  create(options: CreationOptions, twist: AuthenticatorTwist = {}): string {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const passkey = { id: randomBytes(32), privateKey, publicKey, userHandle: options.user.id, counter: 1 };
    this.passkeys.push(passkey);
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, 32]), passkey.id, coseKey(publicKey)]);
    const authData = this.#authenticatorData(options.rp.id, passkey.counter, twist, attested);
    const clientData = this.#clientData('webauthn.create', options.challenge, twist);
    return credentialOf(passkey, {
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestation(authData, clientData, privateKey, twist.attestation).toString('base64url'),
      transports: twist.transports ?? ['internal'],
    });
  }

  /** The JSON of a signature by a passkey, the last one made unless it is named. */
  get(options: RequestOptions, twist: AuthenticatorTwist = {}, passkey: StoredPasskey = this.passkeys.at(-1)!): string {
    passkey.counter++;
    const clientData = this.#clientData('webauthn.get', options.challenge, twist);
    const authData = this.#authenticatorData(options.rpId, passkey.counter, twist);
    const key = twist.foreignKey ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : passkey.privateKey;
    return credentialOf(passkey, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', Buffer.concat([authData, sha256(clientData)]), key).toString('base64url'),
      userHandle: 'userHandle' in twist ? twist.userHandle : passkey.userHandle,
    });
  }
}
