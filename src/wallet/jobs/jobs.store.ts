// Jobs on the rows of all owners: deleting what has expired, and resealing secrets.
import { DamagedSeal, keyIdOf, type Seal } from '../../platform/seal/index.ts';
import { actAs, EVERYONE } from '../access/index.ts';
import { credentialSealContext, instanceSealContext } from '../credentials/index.ts';
import type { Database, ExchangeRow, KeyRow, SessionRow, Tx } from '../database.ts';
import { exchangeSealContext, summarySealContext } from '../exchanges/index.ts';
import type { KeyStores } from '../keys/index.ts';
import { sessionSealContext } from '../session/index.ts';

const BATCH = 100;

/** Deletes the expired rows of all modules in one transaction. Returns how many. */
export async function sweepExpired(db: Database, all: readonly { sweep(tx: Tx): Promise<number> }[]): Promise<number> {
  return db.write(async (tx) => {
    await actAs(db, tx, EVERYONE);
    let count = 0;
    for (const { sweep } of all) count += await sweep(tx);
    return count;
  });
}

/** The columns that resealing needs. The table of exchanges has all of them; for the others the types are cast. */
type SealedRow = Pick<ExchangeRow, 'id' | 'owner' | 'sealed' | 'summary'>;
const SEALED = [
  { table: 'credentials', key: 'id', column: 'sealed', sealContext: credentialSealContext },
  { table: 'credential_instances', key: 'id', column: 'sealed', sealContext: instanceSealContext },
  { table: 'exchanges', key: 'id', column: 'sealed', sealContext: exchangeSealContext },
  { table: 'exchanges', key: 'id', column: 'summary', sealContext: summarySealContext },
  { table: 'sessions', key: 'id_hash', column: 'sealed', sealContext: ({ id_hash }: SessionRow) => sessionSealContext(id_hash) },
] as unknown as readonly {
  readonly table: 'exchanges';
  readonly key: 'id';
  readonly column: 'sealed' | 'summary';
  sealContext(row: SealedRow): string;
}[];

export interface ResealResult {
  readonly count: number;
  /** Rows that no key opens. They stay unchanged. */
  readonly damaged: readonly string[];
}

/**
 * After a change of the master key: reseals everything under the current key. It fails if a row is sealed under a key that was
 * not given. Damaged rows are skipped and reported.
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

  /** Goes through the rows in batches, so that a large wallet is not blocked. */
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
  for (const { table, key, column, sealContext } of SEALED)
    await each<SealedRow>(
      (tx, after) =>
        tx.selectFrom(table).where(column, 'is not', null).where(key, '>', after).orderBy(key).limit(BATCH).selectAll().execute(),
      (row) => row[key],
      async (tx, row) => {
        const before = row[column]!;
        if (keyIdOf(before) === seal.keyId) return false;
        const plain = unlessDamaged(table, row[key], () => seal.open(before, sealContext(row)));
        if (!plain) return false;
        const sealed = seal.seal(plain, sealContext(row));
        // Does not overwrite what a replica wrote meanwhile.
        const query = tx
          .updateTable(table)
          .set({ [column]: sealed })
          .where(key, '=', row[key])
          .where(column, '=', before);
        return (await query.executeTakeFirst()).numUpdatedRows > 0n;
      },
    );
  return { count, damaged };
}
