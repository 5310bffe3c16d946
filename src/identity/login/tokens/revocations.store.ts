// Tokens revoked one by one, stored until they would have expired anyway.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isIn, preparedRows } from '../../../platform/database/index.ts';
import type { Database, Reader, Tables, Tx } from '../../ground/database/index.ts';

const PAGE = 5000;

/** A revoked token: its audit id, and its expiry in seconds. */
export interface RevokedToken {
  readonly id: string;
  readonly expiresAt: number;
}

const COLUMNS = ['audit_id as id', 'expires_at as expiresAt'] as const;

/** All of them, page by page. There may be a hundred thousand, and requests must be answered in between. */
export async function* readRevoked(db: Reader): AsyncGenerator<RevokedToken[]> {
  let after = '';
  for (;;) {
    const rows = await db
      .selectFrom('revoked_tokens')
      .where('audit_id', '>', after)
      .orderBy('audit_id')
      .limit(PAGE)
      .select(COLUMNS)
      .execute();
    yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
    await nextTurn();
  }
}

const revoked = preparedRows<Tables, [id: string], { audit_id: string }>((db, id) =>
  db.selectFrom('revoked_tokens').where('audit_id', '=', id).select('audit_id'),
);

export const isRevoked = async (db: Reader, auditId: string): Promise<boolean> => (await revoked(db, auditId)).length > 0;

/** Which of these are revoked. */
export const findRevoked = (db: Reader, auditIds: readonly string[]): Promise<RevokedToken[]> =>
  db.selectFrom('revoked_tokens').where(isIn('audit_id', auditIds)).select(COLUMNS).execute();

export async function insertRevoked(tx: Tx, auditIds: readonly string[], expiresAt: number): Promise<void> {
  for (let from = 0; from < auditIds.length; from += PAGE)
    await tx
      .insertInto('revoked_tokens')
      .values(auditIds.slice(from, from + PAGE).map((id) => ({ audit_id: id, expires_at: expiresAt })))
      .onConflict((conflict) => conflict.column('audit_id').doNothing())
      .execute();
}

const SWEEP_BATCH = 1000;

/** In small batches, so that other writers do not wait long. Returns how many were deleted. */
export async function sweepRevoked(db: Database, before: number): Promise<number> {
  let swept = 0;
  for (;;) {
    const { numDeletedRows } = await db.write((tx) =>
      tx
        .deleteFrom('revoked_tokens')
        .where('audit_id', 'in', (eb) =>
          eb.selectFrom('revoked_tokens').where('expires_at', '<', before).select('audit_id').limit(SWEEP_BATCH),
        )
        .executeTakeFirst(),
    );
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}
