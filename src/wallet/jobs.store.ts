// Work nobody waits for: what has expired goes, keys whose grace period is over leave their documents, secrets are sealed anew.
import type { Clock } from '../platform/clock.ts';
import { keyIdOf, type Seal } from '../platform/seal/index.ts';
import { type RunChange, theNode } from './caller.ts';
import { credentialPlace, instancePlace } from './credentials/index.ts';
import type { Database, ExchangeRow, KeyRow, SessionRow, Tx } from './database.ts';
import { exchangePlace, sweepExchanges } from './exchanges/index.ts';
import type { Idempotency } from './idempotency.store.ts';
import type { Stores } from './keys/index.ts';
import { actAs, EVERYONE, readAs } from './owners.store.ts';
import { overdueKeys, type Publication } from './publication/index.ts';
import { sessionPlace, sweepSessions } from './session/index.ts';

const BATCH = 100;

/** Keys whose time is over leave the documents that still show them. Counts them. */
export async function retireKeys(deps: {
  db: Database;
  clock: Clock;
  change: RunChange;
  publication: Publication;
}): Promise<number> {
  const { db, clock, change, publication } = deps;
  const due = await readAs(db, EVERYONE, (reader) => overdueKeys(reader, clock.now(), BATCH));
  for (const { id, owner } of due) {
    await change(theNode, owner, async (inside) => {
      await publication.leave(inside, owner, id);
      inside.audit('key.retired', { kind: 'key', id });
    });
  }
  return due.length;
}

export async function sweepExpired(db: Database, clock: Clock, idempotency: Idempotency, idleMs: number): Promise<number> {
  return db.write(async (tx) => {
    await actAs(db, tx, EVERYONE);
    const sessions = await sweepSessions(tx, clock.now(), clock.now() - idleMs);
    return sessions + (await idempotency.sweep(tx)) + (await sweepExchanges(tx, clock.now()));
  });
}

/** What all these tables have in common is what is done with them. */
type SealedRow = Pick<ExchangeRow, 'id' | 'owner' | 'sealed'>;
const SEALED = [
  { table: 'credentials', key: 'id', place: credentialPlace },
  { table: 'credential_instances', key: 'id', place: instancePlace },
  { table: 'exchanges', key: 'id', place: exchangePlace },
  { table: 'sessions', key: 'id_hash', place: ({ id_hash }: SessionRow) => sessionPlace(id_hash) },
] as unknown as readonly { readonly table: 'exchanges'; readonly key: 'id'; place(row: SealedRow): string }[];

/** After a change of the master key: what is sealed under a former one is sealed under the one in force. Says how much. */
export async function resealAll(db: Database, seal: Seal & { readonly keyId: string }, stores: Stores): Promise<number> {
  let count = 0;

  /** Rows in the order of their key, in batches: a wallet with many must not stop for this. */
  async function each<Row>(
    read: (tx: Tx, after: string) => Promise<Row[]>,
    keyOf: (row: Row) => string,
    work: (tx: Tx, row: Row) => Promise<boolean>,
  ) {
    for (let after = ''; ; ) {
      const last = await db.write(async (tx) => {
        await actAs(db, tx, EVERYONE);
        const rows = await read(tx, after);
        for (const row of rows) if (await work(tx, row)) count++;
        return rows.length < BATCH ? undefined : keyOf(rows.at(-1)!);
      });
      if (last === undefined) return;
      after = last;
    }
  }

  await each<KeyRow>(
    (tx, after) =>
      tx
        .selectFrom('keys')
        .where('wrapped_key', 'is not', null)
        .where('id', '>', after)
        .orderBy('id')
        .limit(BATCH)
        .selectAll()
        .execute(),
    ({ id }) => id,
    async (tx, { id, owner, storage, wrapped_key: wrappedKey, material }) => {
      const kept = stores[storage as keyof Stores]?.rewrap({ wrappedKey, material: material! }, { owner, keyId: id });
      if (!kept) return false;
      const query = tx.updateTable('keys').set({ wrapped_key: kept.wrappedKey }).where('id', '=', id);
      return (await query.where('wrapped_key', '=', wrappedKey).executeTakeFirst()).numUpdatedRows > 0n;
    },
  );
  for (const { table, key, place } of SEALED)
    await each<SealedRow>(
      (tx, after) =>
        tx
          .selectFrom(table)
          .where('sealed', 'is not', null)
          .where(key, '>', after)
          .orderBy(key)
          .limit(BATCH)
          .selectAll()
          .execute(),
      (row) => row[key],
      async (tx, row) => {
        if (keyIdOf(row.sealed!) === seal.keyId) return false;
        const sealed = seal.seal(seal.open(row.sealed!, place(row)), place(row));
        // Not over what a replica wrote meanwhile.
        const query = tx.updateTable(table).set({ sealed }).where(key, '=', row[key]).where('sealed', '=', row.sealed);
        return (await query.executeTakeFirst()).numUpdatedRows > 0n;
      },
    );
  return count;
}
