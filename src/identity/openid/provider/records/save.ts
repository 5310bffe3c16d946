// Keeping a record: sealed, with the user and the consumer it belongs to, bound to the state the request found them in.
import { type Clock, seconds } from '../../../../platform/clock.ts';
import { isForeignKeyViolation } from '../../../../platform/database/index.ts';
import type { Seal } from '../../../../platform/seal/index.ts';
import type { Database, OpenidRecordRow } from '../../../database.ts';
import { OWN_CLIENT } from '../own-client.ts';
import type { Findings } from './findings.ts';
import { hashOf, type Payload, sealPayload, tagOfRecord, userOf } from './record.ts';
import { generationOf, insertNewRecord, insertRecord, replaceRecord } from './records.store.ts';

export interface SaveDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly findings: Findings;
}

export interface Saved {
  readonly model: string;
  readonly id: string;
  readonly payload: Payload;
  /** Seconds; for ever without. */
  readonly lifetime: number | undefined;
  /** Only if there is none yet; of several who try at once, one succeeds. */
  readonly once: boolean;
}

function rowOf({ clock, seal }: SaveDeps, { model, id, payload, lifetime }: Saved): Omit<OpenidRecordRow, 'generation'> {
  const hash = hashOf(model, id);
  const now = seconds(clock);
  return {
    id: hash,
    model,
    payload: sealPayload(seal, hash, payload),
    user_id: userOf(payload) ?? null,
    consumer_id: payload.clientId === OWN_CLIENT ? null : (payload.clientId ?? null),
    grant_id: payload.grantId === undefined ? null : hashOf('Grant', payload.grantId),
    uid: payload.uid === undefined ? null : hashOf('uid', payload.uid),
    user_code: payload.userCode === undefined ? null : hashOf('code', payload.userCode),
    consumed_at: null,
    created_at: now,
    expires_at: lifetime === undefined ? null : now + lifetime,
  };
}

/** False: there was one. */
export async function saveRecord(deps: SaveDeps, saved: Saved): Promise<boolean> {
  const { db, findings } = deps;
  const row = rowOf(deps, saved);
  const userId = row.user_id;
  try {
    return await db.write(async (tx, invalidate) => {
      invalidate(tagOfRecord(saved.model, saved.id));
      const known = userId === null ? null : findings.generationOf(userId);
      const bound = { ...row, generation: known === undefined ? await generationOf(tx, userId!) : known };
      // What this request found and somebody else ended since does not come back.
      if (saved.once) return insertNewRecord(tx, bound);
      await (findings.hasRecord(row.id) ? replaceRecord(tx, bound) : insertRecord(tx, bound));
      return true;
    });
  } catch (error) {
    // The user or the application was deleted meanwhile: there is nobody to keep it for.
    if (!isForeignKeyViolation(error)) throw error;
    return true;
  }
}
