// The JSON of DIDs, and alexandria's form of the request.
import { type Static, t } from '../../platform/http/index.ts';
import type { DidRow } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { CarriedKey, DidDocument, DidService } from '../publication/index.ts';
import { Alias, described, pageQuery, time } from '../resource/index.ts';

const Method = t.string({ minLength: 1, maxLength: 20, examples: ['web', 'key', 'jwk'] });
const Path = t.string({ maxLength: 200, description: 'The name of the hosted document; random by default.' });
const KeyIds = t.array(t.string({ maxLength: 40 }), { minItems: 1, maxItems: 20, uniqueItems: true });

const ServiceInput = t.object(
  {
    type: t.string({ minLength: 1, maxLength: 200 }),
    serviceEndpoint: t.unknown({ description: 'An address, a list of them, or an object (DID Core, 5.4).' }),
  },
  { id: t.string({ minLength: 1, maxLength: 300 }) },
);

/** One body for both forms: ours, and alexandria's `{builder: {method, domain, path}, keys: [...]}`. */
export const NewDid = t.object(
  {},
  {
    method: Method,
    path: Path,
    keyIds: KeyIds,
    alias: Alias,
    default: t.boolean(),
    service: t.array(ServiceInput, { maxItems: 20 }),
    alsoKnownAs: t.array(t.string({ minLength: 1, maxLength: 500 }), { maxItems: 20, uniqueItems: true }),
    builder: t.object({}, { method: Method, domain: t.string({ maxLength: 300 }), path: Path }),
    keys: KeyIds,
  },
  { examples: [{ method: 'web', path: 'acme', alias: 'the company' }] },
);

export interface DidRequest {
  readonly method: string;
  readonly path: string | undefined;
  readonly domain: string | undefined;
  readonly keyIds: readonly string[] | undefined;
  readonly alias: string | undefined;
  readonly isDefault: boolean | undefined;
  readonly service: readonly Static<typeof ServiceInput>[];
  readonly alsoKnownAs: readonly string[];
}

export function requestOf(body: Static<typeof NewDid>): DidRequest {
  const { builder = {}, keys, keyIds, service = [], alsoKnownAs = [] } = body;
  if ((keys && keyIds) || (builder.method && body.method) || (builder.path && body.path))
    fail('invalid-request', { why: 'the same value is given twice: use method, path and keyIds, or builder and keys' });
  return {
    method: body.method ?? builder.method ?? 'web',
    path: body.path ?? builder.path,
    domain: builder.domain,
    keyIds: keyIds ?? keys,
    alias: body.alias,
    isDefault: body.default,
    service,
    alsoKnownAs,
  };
}

const DidKey = t.object({
  keyId: t.string(),
  kid: t.string(),
  verificationMethod: t.string(),
  relationships: t.array(t.string()),
  state: t.string(),
});

export const Did = t.object(
  {
    id: t.string({ examples: ['did_01KA2Z9Q1V8YB3T5M7N9P1R3S5'] }),
    did: t.string({ examples: ['did:web:wallet.example:dids:acme'] }),
    method: t.oneOf('web', 'key', 'jwk'),
    state: t.oneOf('draft', 'published', 'unpublished'),
    default: t.boolean(),
    keys: t.array(DidKey),
    service: t.array(t.open({ id: t.string(), type: t.string() })),
    document: t.open({ id: t.string() }),
    createdAt: t.string({ format: 'date-time' }),
    versionId: t.integer(),
  },
  {
    alias: t.string(),
    documentUrl: t.string(),
    publishedAt: t.string({ format: 'date-time' }),
    unpublishedAt: t.string({ format: 'date-time' }),
    damaged: t.boolean({ description: 'The DID, or one of its keys, can no longer be read.' }),
  },
);
export const DidList = t.array(Did);

export const DidQuery = t.object(
  {},
  {
    ...pageQuery,
    state: described(t.oneOf('draft', 'published', 'unpublished'), 'Only DIDs in this state.'),
    method: described(t.oneOf('web', 'key', 'jwk'), 'Only DIDs of this method.'),
  },
);

export interface DidDetails {
  readonly row: DidRow;
  readonly service: readonly DidService[];
  readonly keys: readonly (CarriedKey & { readonly verificationMethod: string; readonly relationships: readonly string[] })[];
  readonly document: DidDocument | object;
  readonly documentUrl: string | undefined;
  readonly isDamaged?: boolean;
}

export function renderDid({ row, keys, service, document, documentUrl, isDamaged }: DidDetails): Static<typeof Did> {
  return {
    id: row.id,
    did: row.did,
    method: row.method,
    ...(row.alias === null ? {} : { alias: row.alias }),
    state: row.state,
    default: row.is_default === 1,
    keys: keys.map((key) => ({
      keyId: key.key_id,
      kid: key.kid,
      verificationMethod: key.verificationMethod,
      relationships: [...key.relationships],
      state: key.state,
    })),
    service: service as (DidService & Record<string, unknown>)[],
    document: document as { id: string },
    ...(documentUrl === undefined ? {} : { documentUrl }),
    createdAt: time(row.created_at),
    ...(row.published_at === null ? {} : { publishedAt: time(row.published_at) }),
    ...(row.unpublished_at === null ? {} : { unpublishedAt: time(row.unpublished_at) }),
    versionId: row.version,
    ...(isDamaged ? { damaged: true } : {}),
  };
}

t.name({ NewDidService: ServiceInput, NewDid, DidKey, Did, DidList });
