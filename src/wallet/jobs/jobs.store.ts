// Work over everybody's rows: what has expired goes, secrets are sealed anew.
import { DamagedSeal, keyIdOf, type Seal } from '../../platform/seal/index.ts';
import { actAs, EVERYONE } from '../access/index.ts';
import { credentialSealContext, instanceSealContext } from '../credentials/index.ts';
import type { Database, ExchangeRow, KeyRow, SessionRow, Tx } from '../database.ts';
import { exchangeSealContext } from '../exchanges/index.ts';
import type { KeyStores } from '../keys/index.ts';
import { sessionSealContext } from '../session/index.ts';

const BATCH = 100;

/** Of every module that has something to forget, in one transaction. Counts it. */
export async function sweepExpired(db: Database, all: readonly { sweep(tx: Tx): Promise<number> }[]): Promise<number> {
  return db.write(async (tx) => {
    await actAs(db, tx, EVERYONE);
    let count = 0;
    for (const { sweep } of all) count += await sweep(tx);
    return count;
  });
}

/** What all these tables have in common is what is done with them. */
type SealedRow = Pick<ExchangeRow, 'id' | 'owner' | 'sealed'>;
const SEALED = [
  { table: 'credentials', key: 'id', sealContext: credentialSealContext },
  { table: 'credential_instances', key: 'id', sealContext: instanceSealContext },
  { table: 'exchanges', key: 'id', sealContext: exchangeSealContext },
  { table: 'sessions', key: 'id_hash', sealContext: ({ id_hash }: SessionRow) => sessionSealContext(id_hash) },
] as unknown as readonly { readonly table: 'exchanges'; readonly key: 'id'; sealContext(row: SealedRow): string }[];

export interface ResealResult {
  readonly count: number;
  /** Rows that no key opens any more; they stay as they are. */
  readonly damaged: readonly string[];
}

/**
 * After a change of the master key: what is sealed under a former one is sealed under the one in force. What is sealed under a key
 * that was not given stops it; a row that was damaged does not, and is named.
 */
export async function resealAll(db: Database, seal: Seal & { readonly keyId: string }, stores: KeyStores): Promise<ResealResult> {
  let count = 0;
  const damaged: string[] = [];

  function unlessDamaged<T>(table: string, id: string, open: () => T): T | undefined {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof DamagedSeal)) throw error;
      damaged.push(`${table} ${id}`);
      return undefined;
    }
  }

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
      const store = stores[storage as keyof KeyStores];
      const rewrapped = unlessDamaged('keys', id, () => store?.rewrap({ wrappedKey, material: material! }, { owner, keyId: id }));
      if (!rewrapped) return false;
      const query = tx.updateTable('keys').set({ wrapped_key: rewrapped.wrappedKey }).where('id', '=', id);
      return (await query.where('wrapped_key', '=', wrappedKey).executeTakeFirst()).numUpdatedRows > 0n;
    },
  );
  for (const { table, key, sealContext } of SEALED)
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
        const plain = unlessDamaged(table, row[key], () => seal.open(row.sealed!, sealContext(row)));
        if (!plain) return false;
        const sealed = seal.seal(plain, sealContext(row));
        // Not over what a replica wrote meanwhile.
        const query = tx.updateTable(table).set({ sealed }).where(key, '=', row[key]).where('sealed', '=', row.sealed);
        return (await query.executeTakeFirst()).numUpdatedRows > 0n;
      },
    );
  return { count, damaged };
}
