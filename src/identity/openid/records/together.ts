// What every request for tokens does with records, for concurrent requests in one statement: they share round trips, commits, and the lock of their
// application's row.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { gather } from '../../../platform/gather.ts';
import type { Database, OpenidRecordRow } from '../../ground/database/index.ts';
import { type IssuedRows, issueRows } from './issue.store.ts';
import { consumeRecords, findRecordsWithGrant, findRecordWithGrant, insertNewRecords } from './records.store.ts';

/** The first request for each code or refresh token. If it is sent twice at the same moment, the other one gets nothing. */
function firstOfEach(issued: readonly IssuedRows[]): Set<IssuedRows> {
  const taken = new Set<string>();
  return new Set(
    issued.filter(({ uses }) => {
      if (uses === undefined) return true;
      const isFirst = !taken.has(uses);
      taken.add(uses);
      return isFirst;
    }),
  );
}

export function createTogether(db: Database, clock: Clock) {
  return {
    /** False when another request used it first, also one of the same statement. Resolves when it is durable. */
    issue: gather(async (issued: readonly IssuedRows[]) => {
      const first = firstOfEach(issued);
      const used = new Set(await db.writeUndoably((tx) => issueRows(db, tx, [...first], seconds(clock))));
      return issued.map((one) => first.has(one) && (one.uses === undefined || used.has(one.uses)));
    }),
    /** Resolves when it is durable. The person or the application of one of them may have been deleted in the meantime: others go on. */
    insert: gather(async (rows: readonly OpenidRecordRow[]) => {
      await db.writeStatement((tx) => insertNewRecords(tx, rows));
      return rows;
    }),
    /**
     * By its hash. False when another request consumed it first, also one of the same statement. In a transaction: on PostgreSQL it is undone for a
     * request that runs out of time before the commit, which the client sends again.
     */
    consume: gather(async (hashes: readonly string[]) => {
      const consumed = new Set(await db.write((tx) => consumeRecords(db, tx, hashes, seconds(clock))));
      return hashes.map((hash) => consumed.delete(hash));
    }),
    /** By the hash of the record. SQLite answers at once. */
    findWithGrant:
      db.dialect === 'sqlite'
        ? (hash: string) => findRecordWithGrant(db.read, hash)
        : gather(async (hashes: readonly string[]) => {
            const found = new Map((await findRecordsWithGrant(db.read, hashes)).map((row) => [row.id, row]));
            return hashes.map((hash) => found.get(hash));
          }),
  };
}

export type Together = ReturnType<typeof createTogether>;
