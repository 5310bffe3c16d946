// Tokens as a Keystone makes them, with every variation that its own code would not make. Recorded ones of its own code: fixtures/keystone-tokens.json.
import { createCipheriv, createHmac, createSign, type KeyObject, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A number that is written as a float, as Python does with times. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export type Value = number | boolean | null | string | Buffer | Float | readonly Value[];

function headOf(fixed: number, few: number, sized: readonly (readonly [type: number, bytes: 1 | 2])[], length: number): Buffer {
  if (length < few) return Buffer.of(fixed | length);
  const [type, bytes] = sized.find(([, size]) => length < 256 ** size)!;
  const head = Buffer.alloc(1 + bytes);
  head[0] = type;
  head.writeUIntBE(length, 1, bytes);
  return head;
}

export function pack(value: Value): Buffer {
  if (value === null) return Buffer.of(0xc0);
  if (typeof value === 'boolean') return Buffer.of(value ? 0xc3 : 0xc2);
  if (typeof value === 'number') {
    if (value < 128) return Buffer.of(value);
    const bytes = Buffer.alloc(5, 0xce);
    bytes.writeUInt32BE(value, 1);
    return bytes;
  }
  if (value instanceof Float) {
    const bytes = Buffer.alloc(9, 0xcb);
    bytes.writeDoubleBE(value.value, 1);
    return bytes;
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([
      headOf(
        0xa0,
        32,
        [
          [0xd9, 1],
          [0xda, 2],
        ],
        bytes.length,
      ),
      bytes,
    ]);
  }
  if (Buffer.isBuffer(value))
    return Buffer.concat([
      headOf(
        0,
        0,
        [
          [0xc4, 1],
          [0xc5, 2],
        ],
        value.length,
      ),
      value,
    ]);
  return Buffer.concat([headOf(0x90, 16, [[0xdc, 2]], value.length), ...value.map(pack)]);
}

/** An id as its tokens have it: a UUID by its bytes. */
export const packedId = (id: string): Value => (/^[0-9a-f]{32}$/.test(id) ? [true, Buffer.from(id, 'hex')] : [false, id]);

/** Any content, in an envelope. */
export function seal(key: Buffer, content: Buffer, issuedAt: number, { version = 0x80 } = {}): string {
  const head = Buffer.alloc(25);
  head[0] = version;
  head.writeBigUInt64BE(BigInt(issuedAt), 1);
  randomBytes(16).copy(head, 9);
  const cipher = createCipheriv('aes-128-cbc', key.subarray(16), head.subarray(9));
  const signed = Buffer.concat([head, cipher.update(content), cipher.final()]);
  return Buffer.concat([signed, createHmac('sha256', key.subarray(0, 16)).update(signed).digest()]).toString('base64url');
}

/** The bits of Keystone's usual methods. */
export const BITS = { external: 1, password: 2, token: 4, oauth1: 8, mapped: 16, application_credential: 32 } as const;

export interface TokenOptions {
  readonly key?: Buffer;
  /** In seconds. */
  readonly issuedAt?: number;
  readonly expiresAt?: number;
  readonly methods?: number;
  readonly auditIds?: readonly Buffer[];
}

export interface TokenParts {
  readonly user: Value;
  readonly methods: Value;
  readonly expiry: Value;
  readonly auditIds: Value;
}

/** Its keys in a folder, and tokens made with the newest of them. */
export class TestKeystone {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-keystone-'));
  readonly fernetKeys = join(this.folder, 'fernet-keys');
  readonly jwsKeys = join(this.folder, 'jws-keys');
  readonly key = randomBytes(32);
  now: () => number;

  /** `now`: the time in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.now = now;
    for (const folder of [this.fernetKeys, this.jwsKeys]) mkdirSync(folder);
    this.write('0', randomBytes(32));
    this.write('1', this.key);
  }

  write(name: string, key: Buffer): void {
    writeFileSync(join(this.fernetKeys, name), `${key.toString('base64url')}=`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** `fields`: the content after the version. */
  token(version: number, userId: string, fields: (parts: TokenParts) => readonly Value[], options: TokenOptions = {}): string {
    const { key = this.key, methods = BITS.password, auditIds = [randomBytes(16)] } = options;
    const issuedAt = options.issuedAt ?? Math.floor(this.now() / 1000);
    const expiresAt = options.expiresAt ?? issuedAt + 3600;
    const parts = { user: packedId(userId), methods, expiry: new Float(expiresAt), auditIds };
    return seal(key, pack([version, ...fields(parts)]), issuedAt);
  }

  unscoped = (userId: string, options?: TokenOptions): string =>
    this.token(0, userId, ({ user, methods, expiry, auditIds }) => [user, methods, expiry, auditIds], options);
  ofDomain = (userId: string, id: string, options?: TokenOptions): string =>
    this.token(
      1,
      userId,
      ({ user, methods, expiry, auditIds }) => [user, methods, id === 'default' ? id : Buffer.from(id, 'hex'), expiry, auditIds],
      options,
    );
  ofProject = (userId: string, id: string, options?: TokenOptions): string =>
    this.token(2, userId, ({ user, methods, expiry, auditIds }) => [user, methods, packedId(id), expiry, auditIds], options);
  ofTrust = (userId: string, project: string, trust: string, options?: TokenOptions): string =>
    this.token(
      3,
      userId,
      ({ user, methods, expiry, auditIds }) => [user, methods, packedId(project), expiry, auditIds, Buffer.from(trust, 'hex')],
      options,
    );
  ofOAuth1 = (userId: string, project: string, access: string, options?: TokenOptions): string =>
    this.token(
      7,
      userId,
      ({ user, methods, expiry, auditIds }) => [user, methods, packedId(project), packedId(access), expiry, auditIds],
      { methods: BITS.oauth1, ...options },
    );
  ofSystem = (userId: string, options?: TokenOptions): string =>
    this.token(8, userId, ({ user, methods, expiry, auditIds }) => [user, methods, 'all', expiry, auditIds], options);
  ofProgram = (userId: string, project: string, program: string, options?: TokenOptions): string =>
    this.token(
      9,
      userId,
      ({ user, methods, expiry, auditIds }) => [user, methods, packedId(project), expiry, auditIds, packedId(program)],
      { methods: BITS.application_credential, ...options },
    );
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWS with any header and claims. */
export function signedToken(key: KeyObject, claims: object, header: object = { alg: 'ES256', typ: 'JWT' }): string {
  const signed = `${part(header)}.${part(claims)}`;
  const signature = createSign('sha256').update(signed).sign({ key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
