// Tokens are self-contained: a small binary record encrypted with AES-256-GCM. They are not stored, and only we can read them.
//
//   text   = base64url( key id (4) | nonce (12) | sealed record | tag (16) )
//   record = version (1) | methods | scope kind (1) | user id | scope id? | issued ms (6) | expires ms (6) | generation (6) | audit id (16) | rest
//
// Version 1: one byte of methods; rest = parent audit id? | login ms? (6) | application id?
// Older replicas ignore trailing fields they do not know, so a field is only present when all fields before it are. A token with an
// application but without a parent has its own audit id and time in the place of the parent's.
//
// Version 2: two bytes of methods; rest = which of these are present (1) | parent audit id? | login ms? (6) | application id? | delegation kind (1) and id?
// It is used only for tokens that need it, because replicas that do not know delegations must refuse such tokens.
//
// Nonces are random. A key encrypts far fewer than 2^32 tokens before it is rotated (GATEHOUSE_IDENTITY_TOKEN_KEY_DAYS).
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { type AuthMethod, DELEGATION_KINDS, METHODS, type Scope, type TokenRecord } from '../../access/context/index.ts';

const VERSION = 1;
const VERSION_2 = 2;
/** Methods that version 1 has a bit for. */
const METHODS_1 = METHODS.slice(0, 8);
const SCOPES = ['unscoped', 'project', 'domain', 'system'] as const;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = KEY_ID_BYTES + NONCE_BYTES;
const AUDIT_BYTES = 16;
const HEX_ID = /^[0-9a-f]{32}$/;

export const newAuditId = (): string => randomBytes(AUDIT_BYTES).toString('base64url');

/** Generated ids take 16 bytes. Any other id (chosen by a client) is stored as length and text. */
function packId(id: string): Buffer {
  if (HEX_ID.test(id)) return Buffer.concat([Buffer.of(0), Buffer.from(id, 'hex')]);
  const bytes = Buffer.from(id);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function packTime(value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
}

/** Parent and login time. A token with an application but no parent names itself. */
function originOf({ applicationId, auditId, issuedAt, parentAuditId, loginAt }: TokenRecord) {
  if (applicationId === undefined) return { parentAuditId, loginAt };
  return parentAuditId === undefined ? { parentAuditId: auditId, loginAt: issuedAt } : { parentAuditId, loginAt: loginAt ?? 0 };
}

const methodBits = (methods: readonly AuthMethod[]): number =>
  methods.reduce((bits, method) => bits | (1 << METHODS.indexOf(method)), 0);

function packBody(record: TokenRecord): Buffer {
  return Buffer.concat([
    Buffer.of(SCOPES.indexOf(record.scope.kind)),
    packId(record.userId),
    'id' in record.scope ? packId(record.scope.id) : Buffer.alloc(0),
    packTime(record.issuedAt),
    packTime(record.expiresAt),
    packTime(record.generation),
    Buffer.from(record.auditId, 'base64url'),
  ]);
}

function pack1(record: TokenRecord): Buffer {
  const { applicationId } = record;
  const { parentAuditId, loginAt } = originOf(record);
  const origin = [
    ...(parentAuditId ? [Buffer.from(parentAuditId, 'base64url')] : []),
    ...(parentAuditId && loginAt !== undefined ? [packTime(loginAt)] : []),
  ];
  return Buffer.concat([
    Buffer.of(VERSION, methodBits(record.methods)),
    packBody(record),
    ...origin,
    ...(applicationId === undefined ? [] : [packId(applicationId)]),
  ]);
}

function pack2(record: TokenRecord): Buffer {
  const { parentAuditId, loginAt, applicationId, delegation } = record;
  const fields = [
    parentAuditId === undefined ? undefined : Buffer.from(parentAuditId, 'base64url'),
    loginAt === undefined ? undefined : packTime(loginAt),
    applicationId === undefined ? undefined : packId(applicationId),
    delegation && Buffer.concat([Buffer.of(DELEGATION_KINDS.indexOf(delegation.kind)), packId(delegation.id)]),
  ];
  const present = fields.reduce((bits, field, index) => (field ? bits | (1 << index) : bits), 0);
  const methods = Buffer.alloc(2);
  methods.writeUInt16BE(methodBits(record.methods));
  return Buffer.concat([
    Buffer.of(VERSION_2),
    methods,
    packBody(record),
    Buffer.of(present),
    ...fields.flatMap((field) => field ?? []),
  ]);
}

const pack = (record: TokenRecord): Buffer =>
  record.delegation || record.methods.some((method) => !METHODS_1.includes(method)) ? pack2(record) : pack1(record);

class Unpacker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }
  take(length: number): Buffer {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
  id(): string {
    const length = this.byte();
    return length === 0 ? this.take(16).toString('hex') : this.take(length).toString();
  }
  time(): number {
    return this.take(6).readUIntBE(0, 6);
  }
  get left(): number {
    return this.#bytes.length - this.#at;
  }
}

type TokenBody = Omit<TokenRecord, 'parentAuditId' | 'loginAt' | 'applicationId' | 'delegation'>;

function unpackBody(from: Unpacker, bits: number): TokenBody {
  const kind = SCOPES[from.byte()]!;
  const userId = from.id();
  const scope: Scope = kind === 'project' || kind === 'domain' ? { kind, id: from.id() } : { kind };
  return {
    userId,
    methods: METHODS.filter((_, index) => bits & (1 << index)),
    scope,
    issuedAt: from.time(),
    expiresAt: from.time(),
    generation: from.time(),
    auditId: from.take(AUDIT_BYTES).toString('base64url'),
  };
}

function unpack1(from: Unpacker): TokenRecord {
  const record = unpackBody(from, from.byte());
  const parentAuditId = from.left > 0 ? from.take(AUDIT_BYTES).toString('base64url') : undefined;
  const loginAt = from.left > 0 ? { loginAt: from.time() } : {};
  const application = from.left > 0 ? { applicationId: from.id() } : {};
  return parentAuditId === record.auditId
    ? { ...record, parentAuditId: undefined, ...application }
    : { ...record, parentAuditId, ...loginAt, ...application };
}

function unpack2(from: Unpacker): TokenRecord | undefined {
  const record = unpackBody(from, from.take(2).readUInt16BE());
  const present = from.byte();
  const isPresent = (index: number): boolean => (present & (1 << index)) !== 0;
  const parentAuditId = isPresent(0) ? from.take(AUDIT_BYTES).toString('base64url') : undefined;
  const loginAt = isPresent(1) ? { loginAt: from.time() } : {};
  const application = isPresent(2) ? { applicationId: from.id() } : {};
  if (!isPresent(3)) return { ...record, parentAuditId, ...loginAt, ...application };
  const kind = DELEGATION_KINDS[from.byte()];
  // Of a newer replica: what it limits is not known here.
  return kind && { ...record, parentAuditId, ...loginAt, ...application, delegation: { kind, id: from.id() } };
}

function unpack(bytes: Buffer): TokenRecord | undefined {
  const from = new Unpacker(bytes);
  const version = from.byte();
  if (version === VERSION) return unpack1(from);
  return version === VERSION_2 ? unpack2(from) : undefined;
}

export interface TokenKey {
  readonly id: number;
  readonly key: KeyObject;
}

/** Part of the associated data, so that a receipt is not accepted as a token, nor a token as a receipt. */
export type SealPurpose = 'token' | 'receipt';

const associatedData = (head: Buffer, purpose: SealPurpose): Buffer =>
  purpose === 'token' ? head : Buffer.concat([head, Buffer.from(purpose)]);

export function sealBytes(plain: Buffer, { id, key }: TokenKey, purpose: SealPurpose): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(id, 0);
  randomBytes(NONCE_BYTES).copy(head, KEY_ID_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, head.subarray(KEY_ID_BYTES));
  cipher.setAAD(associatedData(head, purpose));
  return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

export const sealToken = (record: TokenRecord, key: TokenKey): string => sealBytes(pack(record), key, 'token');

const MIN_BYTES = HEAD_BYTES + TAG_BYTES + 3;
const MAX_TEXT = 1024;

/** The id of the key a token names; undefined when it cannot be one of our tokens. */
export function tokenKeyId(text: string): number | undefined {
  if (text.length > MAX_TEXT || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  // base64url can encode the same bytes in several ways. Only ours is accepted, so that a revoked token cannot return in another encoding.
  if (bytes.length < MIN_BYTES || bytes.toString('base64url') !== text) return undefined;
  return bytes.readUInt32BE(0);
}

/** Undefined for anything that was not encrypted with this key for this purpose. */
export function openBytes(text: string, key: KeyObject, purpose: SealPurpose): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  const head = bytes.subarray(0, HEAD_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, head.subarray(KEY_ID_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(head, purpose));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const plain = decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return plain;
}

export function openToken(text: string, key: KeyObject): TokenRecord | undefined {
  const plain = openBytes(text, key, 'token');
  return plain && unpack(plain);
}
