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
  /** An attestation with a certificate, which nobody asked for. */
  readonly hasCertificate?: boolean;
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

const NO_STATEMENT = '646e6f6e656761747453746d74a0';
const PACKED_WITH_CERTIFICATE = '667061636b65646761747453746d74a163783563814100';

const attestation = (authData: Buffer, hasCertificate = false): Buffer =>
  Buffer.concat([
    Buffer.from(`a363666d74${hasCertificate ? PACKED_WITH_CERTIFICATE : NO_STATEMENT}686175746844617461`, 'hex'),
    length(authData),
    authData,
  ]);

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
    const { isUserVerified = true, isUserPresent = true } = twist;
    const flags = (isUserPresent ? 0x01 : 0) | (isUserVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
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
    return credentialOf(passkey, {
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, twist).toString('base64url'),
      attestationObject: attestation(authData, twist.hasCertificate).toString('base64url'),
      transports: ['internal'],
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
      userHandle: twist.userHandle ?? passkey.userHandle,
    });
  }
}
