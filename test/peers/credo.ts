// Keys and records in memory for a Credo agent, instead of @credo-ts/askar and @credo-ts/node, which are native.
import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  randomBytes,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  type AgentContext,
  type AgentDependencies,
  type BaseRecord,
  type BaseRecordConstructor,
  ConsoleLogger,
  type InitConfig,
  InjectionSymbols,
  JsonTransformer,
  Kms,
  LogLevel,
  type Module,
  type Query,
  type QueryOptions,
  RecordDuplicateError,
  RecordNotFoundError,
  type StorageService,
} from '@credo-ts/core';
import { compactDecrypt } from 'jose';

type Key = JsonWebKey & { kid: string };
type AnyRecord = BaseRecord<any, any, any>;

const DIGESTS: Record<string, string | null> = {
  ES256: 'sha256',
  ES256K: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  RS256: 'sha256',
  PS256: 'sha256',
  EdDSA: null,
  Ed25519: null,
};

/** Named like an OpenSSL key: raw r‖s for ECDSA, the PSS padding where the algorithm says so. */
function keyFor(key: ReturnType<typeof createPublicKey>, algorithm: string) {
  const padding = algorithm.startsWith('PS') ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {};
  return { key, dsaEncoding: 'ieee-p1363' as const, ...padding };
}

/** Keys in memory, node:crypto does the work; JWE is left to jose. */
export class KeysInMemory implements Kms.KeyManagementService {
  readonly backend = 'memory';
  readonly #keys = new Map<string, Key>();

  isOperationSupported(_context: AgentContext, operation: Kms.KmsOperation): boolean {
    if (operation.operation === 'createKey') return operation.type.kty === 'EC' || operation.type.kty === 'OKP';
    if (operation.operation === 'sign' || operation.operation === 'verify') return operation.algorithm in DIGESTS;
    return operation.operation !== 'encrypt';
  }

  async getPublicKey(_context: AgentContext, keyId: string): Promise<any> {
    const key = this.#keys.get(keyId);
    return key ? publicHalf(key) : null;
  }

  async createKey(_context: AgentContext, { keyId = randomUUID(), type }: Kms.KmsCreateKeyOptions): Promise<any> {
    if (type.kty !== 'EC' && type.kty !== 'OKP') throw new Kms.KeyManagementError(`no keys of type ${type.kty} here`);
    const pair =
      type.kty === 'EC'
        ? generateKeyPairSync('ec', { namedCurve: type.crv })
        : generateKeyPairSync(type.crv.toLowerCase() as 'ed25519');
    const key = { ...pair.privateKey.export({ format: 'jwk' }), kid: keyId };
    this.#keys.set(keyId, key);
    return { keyId, publicJwk: publicHalf(key) };
  }

  async importKey(_context: AgentContext, { privateJwk }: Kms.KmsImportKeyOptions<Kms.KmsJwkPrivate>): Promise<any> {
    const key = { ...privateJwk, kid: privateJwk.kid ?? randomUUID() } as Key;
    this.#keys.set(key.kid, key);
    return { keyId: key.kid, publicJwk: publicHalf(key) };
  }

  async deleteKey(_context: AgentContext, { keyId }: Kms.KmsDeleteKeyOptions): Promise<boolean> {
    return this.#keys.delete(keyId);
  }

  async sign(_context: AgentContext, { keyId, algorithm, data }: Kms.KmsSignOptions): Promise<Kms.KmsSignReturn> {
    const key = createPrivateKey({ key: this.#get(keyId), format: 'jwk' });
    return { signature: new Uint8Array(sign(DIGESTS[algorithm]!, data, keyFor(key, algorithm))) };
  }

  async verify(_context: AgentContext, { key, algorithm, data, signature }: Kms.KmsVerifyOptions): Promise<Kms.KmsVerifyReturn> {
    const jwk = key.publicJwk ?? publicHalf(this.#get(key.keyId!));
    const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const verified = verify(DIGESTS[algorithm]!, data, keyFor(publicKey, algorithm), signature);
    return verified ? { verified, publicJwk: jwk as Kms.KmsJwkPublic } : { verified };
  }

  async encrypt(): Promise<never> {
    throw new Kms.KeyManagementError('nothing is encrypted here');
  }

  /** Credo took the compact JWE apart and hands its protected header as additional data: put together again for jose. */
  async decrypt(_context: AgentContext, { key, decryption, encrypted }: Kms.KmsDecryptOptions): Promise<Kms.KmsDecryptReturn> {
    const { aad, iv, tag } = decryption as { aad: Uint8Array; iv: Uint8Array; tag: Uint8Array };
    const parts = [iv, encrypted, tag].map((part) => Buffer.from(part).toString('base64url'));
    const own = createPrivateKey({ key: this.#get(key.keyAgreement!.keyId), format: 'jwk' });
    const { plaintext } = await compactDecrypt(`${Buffer.from(aad)}..${parts.join('.')}`, own);
    return { data: new Uint8Array(plaintext) };
  }

  randomBytes(_context: AgentContext, { length }: Kms.KmsRandomBytesOptions): Kms.KmsRandomBytesReturn {
    return new Uint8Array(randomBytes(length));
  }

  #get(keyId: string): Key {
    const key = this.#keys.get(keyId);
    if (!key) throw new Kms.KeyManagementKeyNotFoundError(keyId, [this.backend]);
    return key;
  }
}

function publicHalf({ d: _, ...rest }: Key): Key {
  return rest as Key;
}

/** Stores records as JSON, so that no object is shared with the caller. */
class RecordsInMemory implements StorageService<AnyRecord> {
  readonly supportsCursorPagination = false;
  readonly #records = new Map<string, { type: string; value: string; tags: Record<string, unknown> }>();

  async save(_context: AgentContext, record: AnyRecord): Promise<void> {
    const { id, type: recordType } = record;
    if (this.#records.has(id)) throw new RecordDuplicateError(`there is a record ${id}`, { recordType });
    this.#put(record);
  }

  async update(_context: AgentContext, record: AnyRecord): Promise<void> {
    this.#find(record.type, record.id);
    this.#put(record);
  }

  async delete(context: AgentContext, record: AnyRecord): Promise<void> {
    await this.deleteById(context, record.constructor as BaseRecordConstructor<AnyRecord>, record.id);
  }

  async deleteById(_context: AgentContext, { type }: BaseRecordConstructor<AnyRecord>, id: string): Promise<void> {
    this.#find(type, id);
    this.#records.delete(id);
  }

  async getById(_context: AgentContext, kind: BaseRecordConstructor<AnyRecord>, id: string): Promise<any> {
    return this.#revive(kind, this.#find(kind.type, id));
  }

  async getAll(_context: AgentContext, kind: BaseRecordConstructor<AnyRecord>): Promise<any[]> {
    return this.findByQuery(_context, kind, {});
  }

  async findByQuery(
    _context: AgentContext,
    kind: BaseRecordConstructor<AnyRecord>,
    query: Query<AnyRecord>,
    { limit, offset = 0 }: QueryOptions = {},
  ): Promise<any[]> {
    const found = [...this.#records.values()].filter(({ type, tags }) => type === kind.type && matches(tags, query));
    return found.slice(offset, limit === undefined ? undefined : offset + limit).map((stored) => this.#revive(kind, stored));
  }

  #put(record: AnyRecord): void {
    record.updatedAt = new Date();
    const { id, type } = record;
    this.#records.set(id, { type, value: JsonTransformer.serialize(record), tags: structuredClone(record.getTags()) });
  }

  #find(type: string, id: string) {
    const stored = this.#records.get(id);
    if (stored?.type !== type) throw new RecordNotFoundError(`no record ${id}`, { recordType: type });
    return stored;
  }

  #revive(kind: BaseRecordConstructor<AnyRecord>, { value, tags }: { value: string; tags: object }): AnyRecord {
    const record = JsonTransformer.deserialize(value, kind);
    record.replaceTags(structuredClone(tags));
    return record;
  }
}

function matches(tags: Record<string, any>, { $and, $or, $not, ...plain }: Record<string, any>): boolean {
  if ($and?.some((part: object) => !matches(tags, part))) return false;
  if ($or && !$or.some((part: object) => matches(tags, part))) return false;
  if ($not && matches(tags, $not)) return false;
  return Object.entries(plain).every(([name, wanted]) => {
    if (wanted === undefined) return true;
    if (Array.isArray(wanted)) return wanted.every((each) => tags[name]?.includes(each));
    return tags[name] === wanted;
  });
}

const inMemory: Module = {
  register: (manager) => manager.registerInstance(InjectionSymbols.StorageService, new RecordsInMemory()),
};

/** The modules without which an agent does not start. */
export function memoryModules() {
  return { inMemory, keyManagement: new Kms.KeyManagementModule({ backends: [new KeysInMemory()] }) };
}

/** Files and sockets are never used. */
export const DEPENDENCIES: AgentDependencies = {
  FileSystem: class {} as never,
  EventEmitterClass: EventEmitter,
  fetch,
  WebSocketClass: class {} as never,
};

/** The empty store counts as one of Credo 0.1 until it is brought up to date. PEER_LOG makes it talk. */
export const CONFIG: InitConfig = {
  allowInsecureHttpUrls: true,
  autoUpdateStorageOnStartup: true,
  logger: new ConsoleLogger(process.env.PEER_LOG ? LogLevel.debug : LogLevel.off),
};
