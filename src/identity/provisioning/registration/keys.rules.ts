// Activation keys and reset tokens: long, random, for one user and one use.
import { createHash } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { endKeys, findKey, insertKey, type KeyPurpose, sweepKeys, useKey } from './registration.store.ts';

/** People open old mails. For so long they are told that a key has ended, not that there is no such key. */
const KEPT_SECONDS = 30 * 86_400;

export const NAMES: Readonly<Record<KeyPurpose, string>> = { activation: 'activation key', reset: 'reset token' };

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

export function createRegistrationKeys({ db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>) {
  return {
    /** Ends the one before. The caller has locked the row of the user. */
    async make({ tx }: Change, userId: string, purpose: KeyPurpose): Promise<string> {
      const now = seconds(clock);
      await endKeys(tx, userId, purpose, now);
      const key = newSecret();
      const expiresAt = now + config.registrationKeySeconds;
      const key_hash = hashOf(key);
      await insertKey(tx, { key_hash, purpose, user_id: userId, created_at: now, expires_at: expiresAt, ended_at: null });
      return key;
    },

    /** Only a look: `use` decides. A key of another user or purpose is unknown. */
    async look(userId: string, purpose: KeyPurpose, key: string): Promise<'valid' | 'ended' | 'unknown'> {
      const row = await findKey(db.read, hashOf(key));
      if (row?.user_id !== userId || row.purpose !== purpose) return 'unknown';
      return row.ended_at === null && row.expires_at > seconds(clock) ? 'valid' : 'ended';
    },

    async use({ tx }: Change, userId: string, purpose: KeyPurpose, key: string): Promise<void> {
      const isUsed = await useKey(tx, { hash: hashOf(key), userId, purpose, now: seconds(clock) });
      if (!isUsed) fail('registration.key_ended', { kind: NAMES[purpose] });
    },

    /** For a new password and a disabled account. */
    endResets: ({ tx }: Change, userId: string): Promise<void> => endKeys(tx, userId, 'reset', seconds(clock)),

    /** For an account that is disabled before it was activated. */
    endActivations: ({ tx }: Change, userId: string): Promise<void> => endKeys(tx, userId, 'activation', seconds(clock)),

    sweep: (): Promise<number> => sweepKeys(db, seconds(clock) - KEPT_SECONDS),
  };
}

export type RegistrationKeys = ReturnType<typeof createRegistrationKeys>;
