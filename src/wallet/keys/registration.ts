// Registers a key: generated or imported before the change, checked and stored within it.
import { Fault } from '../../platform/faults/index.ts';
import { thumbprintOf } from '../../verifiable/jose/index.ts';
import { type Caller, NODE, ownerTag } from '../access/index.ts';
import type { KeyRow, WalletChange } from '../ground/database.ts';
import { fail, fault } from '../ground/faults.ts';
import type { IdempotentRequest } from '../resource/index.ts';
import type { KeyDeps } from './deps.ts';
import type { KeyDraft } from './drafts.ts';
import type { NewKey } from './keys.schema.ts';
import { clearDefault, countKeysOf, findDefaultKey, hasActiveAlias, insertKey, isKnownKid } from './keys.store.ts';
import { getKey, type KeyWithUse } from './reading.ts';

const DEFAULT_USE = ['authentication', 'assertionMethod'];

export interface KeyValues {
  readonly alias?: string | undefined;
  readonly use: readonly string[];
  readonly isDefault: boolean;
  readonly predecessorId?: string;
}

export const failKeyAgreement = (algorithm: string): never =>
  fail('unsupported-algorithm', { algorithm, why: ' for keyAgreement; ES256 is' });

/** Changes of one owner run one after another, so concurrent requests cannot exceed the quota. */
async function checkQuota({ maxKeys }: Pick<KeyDeps, 'maxKeys'>, { tx }: WalletChange, owner: string): Promise<void> {
  if (owner !== NODE && (await countKeysOf(tx, owner)) >= maxKeys)
    fail('quota-exceeded', { what: 'keys', most: String(maxKeys) });
}

function rowOf(
  owner: string,
  { id, algorithm, storage, created: { publicJwk, stored } }: KeyDraft,
  values: KeyValues,
  now: number,
): KeyRow {
  return {
    id,
    owner,
    alias: values.alias ?? null,
    algorithm,
    kid: thumbprintOf(publicJwk),
    state: 'active',
    is_default: values.isDefault ? 1 : 0,
    uses: JSON.stringify(values.use),
    storage,
    public_jwk: JSON.stringify(publicJwk),
    wrapped_key: stored.wrappedKey,
    material: stored.material,
    created_at: now,
    rotated_at: null,
    verify_until: null,
    successor_id: null,
    predecessor_id: values.predecessorId ?? null,
    revoked_at: null,
    revocation_reason: null,
    republished: null,
  };
}

type RegistrationDeps = Pick<KeyDeps, 'clock' | 'maxKeys'>;

/** Checks and stores the key. */
export async function register(
  deps: RegistrationDeps,
  transaction: WalletChange,
  owner: string,
  draft: KeyDraft,
  values: KeyValues,
): Promise<KeyRow> {
  const { tx, audit, invalidate } = transaction;
  const { alias, use, isDefault } = values;
  const row = rowOf(owner, draft, values, deps.clock.now());
  await checkQuota(deps, transaction, owner);
  if (await isKnownKid(tx, owner, row.kid)) fail('key-exists');
  if (alias !== undefined && (await hasActiveAlias(tx, owner, alias))) fail('alias-taken', { kind: 'key', alias });
  if (use.includes('keyAgreement') && draft.algorithm !== 'ES256') failKeyAgreement(draft.algorithm);
  if (isDefault) await clearDefault(tx, owner);
  await insertKey(tx, row);
  audit('key.created', { kind: 'key', id: row.id }, { algorithm: draft.algorithm, storage: draft.storage });
  invalidate(ownerTag(owner));
  return row;
}

/** Registers a key with the options of the request. The first key becomes the default, unless the request says otherwise. */
export async function addKey(
  deps: RegistrationDeps,
  transaction: WalletChange,
  owner: string,
  draft: KeyDraft,
  body: Pick<NewKey, 'alias' | 'use' | 'default'>,
): Promise<KeyRow> {
  const isFirst = !(await findDefaultKey(transaction.tx, owner));
  return register(deps, transaction, owner, draft, {
    alias: body.alias,
    use: body.use ?? DEFAULT_USE,
    isDefault: body.default ?? isFirst,
  });
}

/** The id of the key: of this draft, or of the key that an earlier request with the same Idempotency-Key created. */
function addOnce(deps: KeyDeps, caller: Caller, draft: KeyDraft, body: NewKey, once: IdempotentRequest): Promise<string> {
  const { owner } = caller;
  return deps.drafts.discardOnFailure(owner, draft, () =>
    deps.change(caller, owner, async (transaction) => {
      const made = await once.claim(transaction, draft.id);
      if (made === undefined) return (await addKey(deps, transaction, owner, draft, body)).id;
      transaction.audit('key.repeated', { kind: 'key', id: made });
      return made;
    }),
  );
}

export async function createKey(
  deps: KeyDeps,
  caller: Caller,
  body: NewKey,
  once: IdempotentRequest,
  signal?: AbortSignal,
): Promise<KeyWithUse> {
  const { owner } = caller;
  const earlier = await once.earlierResult();
  const draft = earlier === undefined ? await deps.drafts.createDraft({ owner, signal }, body) : undefined;
  const id = draft ? await addOnce(deps, caller, draft, body, once) : earlier!;
  // Another request with the same Idempotency-Key was first, so this key is not needed.
  if (draft && id !== draft.id) await deps.drafts.discard(owner, draft).catch(() => {});
  return getKey(deps, owner, id).catch((error: unknown) => {
    const isGone = id !== draft?.id && error instanceof Fault && error.code === 'not-found';
    throw isGone ? fault('idempotent-result-gone') : error;
  });
}
