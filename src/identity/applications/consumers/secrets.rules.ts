// The secret of a consumer: stored encrypted, decrypted for those who may see it, and replaced. The previous one can still work for a while,
// so that the new one reaches an application without a pause.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { clearPreviousSecrets, lockConsumer, updateConsumer } from './consumers.store.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';

export type ConsumerWithSecret = ConsumerRow & {
  readonly plainSecret: string;
  /** While it works. */
  readonly plainPreviousSecret?: string;
};

const SWEPT_AT_ONCE = 1000;
const sealContext = (id: string): string => `consumers/${id}`;
/** Another context, so that an old secret put into the other column does not open. */
const previousContext = (id: string): string => `consumers/${id}/previous`;

export const newSealedSecret = (seal: Seal, id: string): string => seal.seal(Buffer.from(newSecret()), sealContext(id));

/** The time until which the previous secret works; null when none does. */
export const previousSecretUntil = (clock: Clock, { previous_secret: secret, previous_secret_until: until }: ConsumerRow) =>
  secret !== null && until !== null && until > seconds(clock) ? until : null;

export function withSecret({ seal, clock }: Pick<ConsumerDeps, 'seal' | 'clock'>, row: ConsumerRow): ConsumerWithSecret {
  const plainSecret = seal.open(row.secret, sealContext(row.id)).toString();
  if (previousSecretUntil(clock, row) === null) return { ...row, plainSecret };
  return { ...row, plainSecret, plainPreviousSecret: seal.open(row.previous_secret!, previousContext(row.id)).toString() };
}

/**
 * `graceSeconds`: how long the current secret still works. Not while an older one does: if a request is repeated, the secret that the
 * application has would end.
 */
export async function rotateSecret(deps: ConsumerDeps, actor: Actor, id: string, graceSeconds = 0): Promise<ConsumerWithSecret> {
  const { db, seal, clock } = deps;
  const secret = newSealedSecret(seal, id);
  const row = await deps.change(actor, async ({ tx, audit, invalidate }) => {
    const consumer = (await lockConsumer(db, tx, id)) ?? fail('consumer.not_found', { id });
    if (graceSeconds > 0 && previousSecretUntil(clock, consumer) !== null) fail('consumer.previous_secret_works', { id });
    const previous =
      graceSeconds > 0
        ? {
            previous_secret: seal.seal(seal.open(consumer.secret, sealContext(id)), previousContext(id)),
            previous_secret_until: seconds(clock) + graceSeconds,
          }
        : { previous_secret: null, previous_secret_until: null };
    await updateConsumer(tx, id, { secret, ...previous });
    invalidate(tagOfConsumer(id));
    audit('consumer.secret_rotated', { kind: 'consumer', id }, { grace_seconds: graceSeconds });
    return { ...consumer, secret, ...previous };
  });
  return withSecret(deps, row);
}

/** Ends the previous secret before its time. */
export async function endPreviousSecret({ db, clock, change }: ConsumerDeps, actor: Actor, id: string): Promise<void> {
  await change(actor, async ({ tx, audit, invalidate }) => {
    const consumer = (await lockConsumer(db, tx, id)) ?? fail('consumer.not_found', { id });
    if (previousSecretUntil(clock, consumer) === null) fail('consumer.no_previous_secret', { id });
    await updateConsumer(tx, id, { previous_secret: null, previous_secret_until: null });
    invalidate(tagOfConsumer(id));
    audit('consumer.previous_secret_ended', { kind: 'consumer', id });
  });
}

/** A secret that does not work any more is not stored any more. Returns how many were removed. */
export const sweepPreviousSecrets = ({ db, clock }: Pick<ConsumerDeps, 'db' | 'clock'>): Promise<number> =>
  db.write(async (tx, invalidate) => {
    const ids = await clearPreviousSecrets(tx, seconds(clock), SWEPT_AT_ONCE);
    for (const id of ids) invalidate(tagOfConsumer(id));
    return ids.length;
  });
