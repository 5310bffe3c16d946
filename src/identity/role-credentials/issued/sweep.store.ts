// Removes credentials that have expired.
import type { Database, Tx } from '../../ground/database/index.ts';
import { WITHDRAWING } from './holders.store.ts';
import { nextVersion } from './issued-credentials.store.ts';

const BATCH = 500;

/** In small batches, so that other writers do not wait long. */
async function inBatches(db: Database, step: (tx: Tx, invalidate: (tag: string) => void) => Promise<number>): Promise<number> {
  for (let done = 0; ; ) {
    const count = await db.write(step);
    done += count;
    if (count < BATCH) return done;
  }
}

/** Entries of credentials that expired before this time say again that they are valid: they are used again, after all replicas know. */
export const clearEntries = (db: Database, before: number, tagOfList: (id: string) => string): Promise<number> =>
  inBatches(db, async (tx, invalidate) => {
    const rows = await tx
      .selectFrom('issued_credentials')
      .where('expires_at', '<', before)
      .where('list_state', '<>', 0)
      .orderBy('list_id')
      .select(['id', 'list_id'])
      .limit(BATCH)
      .execute();
    for (const [list, own] of Map.groupBy(rows, ({ list_id }) => list_id)) {
      const list_version = await nextVersion(tx, list);
      await tx
        .updateTable('issued_credentials')
        .set({ list_state: 0, list_version })
        .where(
          'id',
          'in',
          own.map(({ id }) => id),
        )
        .execute();
      invalidate(tagOfList(list));
    }
    return rows.length;
  });

/**
 * Those that expired before this time, and whose entry was cleared before. What somebody took from a wallet stays until the wallet has no token any more
 * that was good then: it says that the wallet gets no new one.
 */
export const deleteExpired = (db: Database, before: number, withdrawnBefore: number): Promise<number> =>
  inBatches(db, async (tx) => {
    const rows = await tx
      .deleteFrom('issued_credentials')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('issued_credentials')
          .where('expires_at', '<', before)
          .where('list_state', '=', 0)
          // Somebody may have revoked it after it had expired: its entry was cleared after that, and not long ago.
          .where('changed_at', '<', before)
          .where((is) =>
            is.or([
              is('state', '=', 'valid'),
              is('authorization_id', 'is', null),
              is('reason', 'is', null),
              is('reason', 'not in', WITHDRAWING),
              is('changed_at', '<', withdrawnBefore),
              is.not(
                is.exists(is.selectFrom('users').whereRef('users.id', '=', 'issued_credentials.user_id').select('users.id')),
              ),
            ]),
          )
          .orderBy('expires_at')
          .orderBy('id')
          .select('id')
          .limit(BATCH),
      )
      .returning('batch_id')
      .execute();
    const batches = [...new Set(rows.map(({ batch_id }) => batch_id))];
    if (batches.length === 0) return 0;
    const left = await tx.selectFrom('issued_credentials').where('batch_id', 'in', batches).select('batch_id').execute();
    const gone = batches.filter((id) => !left.some(({ batch_id }) => batch_id === id));
    if (gone.length > 0) {
      await tx.deleteFrom('issued_credential_tags').where('batch_id', 'in', gone).execute();
      await tx.deleteFrom('issued_credential_roles').where('batch_id', 'in', gone).execute();
    }
    return rows.length;
  });

/** Full lists without any credential. An open one is used again, and one stays: without any list, changes do not look for credentials. */
export async function deleteEmptyLists(db: Database): Promise<void> {
  const full = await db.read.selectFrom('status_lists').where('is_full', '=', 1).select('id').execute();
  for (const { id } of full)
    await db.write((tx) =>
      tx
        .deleteFrom('status_lists')
        .where('id', '=', id)
        .where(({ exists, selectFrom }) =>
          exists(selectFrom('status_lists as open').where('open.is_full', '=', 0).select('open.id')),
        )
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('issued_credentials').where('list_id', '=', id).select('issued_credentials.id').limit(1))),
        )
        .execute(),
    );
}
