// Rotates a key: the successor takes over its uses, and DID documents list both until the grace period ends.
import type { Caller } from '../access/index.ts';
import type { KeyRow, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import type { KeyDeps } from './deps.ts';
import { type KeyDraft, parseAlgorithm } from './drafts.ts';
import { parseDuration } from './duration.ts';
import type { KeyStorage } from './key-store.ts';
import type { Rotation } from './keys.schema.ts';
import { updateKey } from './keys.store.ts';
import { getKey, type KeyWithUse, reloadKey } from './reading.ts';
import { failKeyAgreement, register } from './registration.ts';

const DEFAULT_GRACE = 'P30D';

/** Milliseconds. */
export function graceOf({ gracePeriod, duration }: Pick<Rotation, 'gracePeriod' | 'duration'>): number {
  if (gracePeriod !== undefined && duration !== undefined)
    fail('invalid-request', { why: 'give gracePeriod or duration, not both' });
  const grace = parseDuration(gracePeriod ?? duration ?? DEFAULT_GRACE);
  return grace ?? fail('invalid-request', { why: 'gracePeriod must be a duration of at most ten years, such as P30D' });
}

/** Registers the successor with the uses of the key, and notifies the listener. */
export async function addSuccessor(
  deps: Pick<KeyDeps, 'clock' | 'maxKeys' | 'listener'>,
  transaction: WalletChange,
  key: KeyRow,
  draft: KeyDraft,
  alias: string | undefined,
): Promise<void> {
  const { algorithm } = draft;
  const use = (JSON.parse(key.uses) as string[]).filter((one) => one !== 'keyAgreement' || algorithm === 'ES256');
  if (use.length === 0) failKeyAgreement(algorithm);
  await register(deps, transaction, key.owner, draft, { alias, use, isDefault: key.is_default === 1, predecessorId: key.id });
  await deps.listener.onReplaced(transaction, key, draft);
}

function checkActive({ id, state }: KeyRow): void {
  if (state !== 'active') fail('key-not-active', { id, state });
}

export async function rotateKey(
  deps: KeyDeps,
  caller: Caller,
  row: KeyRow,
  body: Rotation,
  signal?: AbortSignal,
): Promise<{ successor: KeyWithUse; replaced: KeyWithUse }> {
  const { owner, id } = row;
  const grace = graceOf(body);
  checkActive(row);
  const algorithm = parseAlgorithm(body.algorithm ?? row.algorithm);
  const draft = await deps.drafts.generate({ owner, signal }, algorithm, row.storage as KeyStorage);
  await deps.drafts.discardOnFailure(owner, draft, () =>
    deps.change(caller, owner, async (transaction) => {
      const key = await reloadKey(transaction, row);
      checkActive(key);
      const now = deps.clock.now();
      // The old key first, because only one active key may have the alias, and only one may be the default.
      await updateKey(transaction.tx, owner, id, {
        state: 'rotated',
        is_default: 0,
        rotated_at: now,
        verify_until: now + grace,
        successor_id: draft.id,
      });
      await addSuccessor(deps, transaction, key, draft, body.alias ?? key.alias ?? undefined);
      transaction.audit('key.rotated', { kind: 'key', id }, { successor: draft.id });
    }),
  );
  return { successor: await getKey(deps, owner, draft.id), replaced: await getKey(deps, owner, id) };
}
