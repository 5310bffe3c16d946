// The JSON of keys.
import { type Static, t } from '../../platform/http/index.ts';
import type { PublicJwk } from '../../verifiable/jose/index.ts';
import { readList, readObject } from '../access/index.ts';
import type { KeyRow } from '../ground/database.ts';
import { Alias, described, pageQuery, time } from '../resource/index.ts';
import { STORAGES } from './key-store.ts';
import { RELATIONSHIPS } from './uses.ts';

const Use = t.array(t.oneOf(...RELATIONSHIPS), { minItems: 1, maxItems: RELATIONSHIPS.length, uniqueItems: true });
/** Any string. An unknown algorithm is answered with 422, not 400. */
const AlgorithmName = t.string({ minLength: 1, maxLength: 20, examples: ['ES256', 'EdDSA'] });

const keyFields = {
  id: t.string({ examples: ['key_01KA2Z9Q1V8YB3T5M7N9P1R3S5'] }),
  algorithm: t.string({ examples: ['ES256'] }),
  kty: t.string(),
  kid: t.string({ description: 'The RFC 7638 thumbprint, which is also the fragment of its verification methods.' }),
  state: t.oneOf('active', 'rotated', 'revoked'),
  default: t.boolean({ description: 'The key that signs when no key is named.' }),
  use: t.array(t.string()),
  storage: t.oneOf(...STORAGES),
  publicKeyJwk: t.open({ kty: t.string() }),
  dids: t.array(t.string(), { description: 'DIDs that use the key.' }),
  credentialCount: t.integer(),
  createdAt: t.string({ format: 'date-time' }),
};

const keyOptions = {
  alias: t.string(),
  crv: t.string(),
  rotatedAt: t.string({ format: 'date-time' }),
  successorId: t.string(),
  predecessorId: t.string(),
  verifyUntil: t.string({ format: 'date-time', description: 'DID documents list the rotated key until then.' }),
  revokedAt: t.string({ format: 'date-time' }),
  revocationReason: t.string(),
  damaged: t.boolean({ description: 'Its public part can no longer be read; revoke it and purge it.' }),
};

export const Key = t.object(keyFields, keyOptions);
export const KeyList = t.array(Key);
export const RotatedKey = t.object({ ...keyFields, replaces: Key }, keyOptions);
export const RevokedKey = t.object(
  { ...keyFields, affectedCredentials: t.array(t.string()), republishedDids: t.array(t.string()) },
  keyOptions,
);

export const NewKey = t.object(
  {},
  {
    algorithm: AlgorithmName,
    alias: Alias,
    use: Use,
    default: t.boolean(),
    storage: t.oneOf(...STORAGES),
    jwk: t.open({ kty: t.string({ maxLength: 10 }) }, {}, { description: 'A private key to import, as a JWK.' }),
    pem: t.string({ maxLength: 16_384, description: 'A private key to import, as PKCS#8.' }),
  },
  { examples: [{ algorithm: 'ES256', alias: 'signing' }] },
);
export type NewKey = Static<typeof NewKey>;

export const Rotation = t.object(
  {},
  {
    gracePeriod: t.string({ maxLength: 40, description: 'An ISO 8601 duration; the default is P30D.', examples: ['P30D'] }),
    duration: t.string({ maxLength: 40, description: 'The grace period as a Go duration.', examples: ['720h'] }),
    algorithm: AlgorithmName,
    alias: Alias,
  },
);
export type Rotation = Static<typeof Rotation>;

export const REASONS = ['compromised', 'superseded', 'cessation', 'unspecified'] as const;

export const Revocation = t.object(
  {},
  { reason: t.oneOf(...REASONS), successor: t.object({}, { algorithm: AlgorithmName }) },
  { examples: [{ reason: 'compromised', successor: { algorithm: 'ES256' } }] },
);
export type Revocation = Static<typeof Revocation>;

export const KeyQuery = t.object(
  {},
  {
    ...pageQuery,
    state: described(t.oneOf('active', 'rotated', 'revoked'), 'Only keys in this state.'),
    algorithm: described(AlgorithmName, 'Only keys of this algorithm.'),
  },
);

export interface KeyReferences {
  readonly dids: readonly string[];
  readonly credentialCount: number;
}

export interface KeyContent {
  readonly jwk: PublicJwk;
  readonly use: readonly string[];
}

/** Throws if it is damaged. */
export const readContent = (row: Pick<KeyRow, 'public_jwk' | 'uses'>): KeyContent => ({
  jwk: readObject<PublicJwk>(row.public_jwk, 'kty'),
  use: readList<string>(row.uses),
});

/** What is still known from the other columns. */
const damagedContent = ({ algorithm }: KeyRow): KeyContent => ({
  jwk: { kty: algorithm === 'EdDSA' ? 'OKP' : algorithm.startsWith('ES') ? 'EC' : 'RSA' },
  use: [],
});

export function renderKey(row: KeyRow, content: KeyContent | undefined, references: KeyReferences): Static<typeof Key> {
  const { dids, credentialCount } = references;
  const { jwk, use } = content ?? damagedContent(row);
  return {
    id: row.id,
    ...(row.alias === null ? {} : { alias: row.alias }),
    algorithm: row.algorithm,
    kty: jwk.kty,
    ...(jwk.crv === undefined ? {} : { crv: jwk.crv }),
    kid: row.kid,
    state: row.state,
    default: row.is_default === 1,
    use: [...use],
    storage: row.storage as (typeof STORAGES)[number],
    publicKeyJwk: { ...jwk, kid: row.kid, alg: row.algorithm },
    dids: [...dids],
    credentialCount,
    createdAt: time(row.created_at),
    ...(row.rotated_at === null ? {} : { rotatedAt: time(row.rotated_at) }),
    ...(row.successor_id === null ? {} : { successorId: row.successor_id }),
    ...(row.predecessor_id === null ? {} : { predecessorId: row.predecessor_id }),
    ...(row.verify_until === null ? {} : { verifyUntil: time(row.verify_until) }),
    ...(row.revoked_at === null ? {} : { revokedAt: time(row.revoked_at) }),
    ...(row.revocation_reason === null ? {} : { revocationReason: row.revocation_reason }),
    ...(content ? {} : { damaged: true }),
  };
}

t.name({ Key, KeyList, RotatedKey, RevokedKey, NewKey, Rotation, Revocation });
