// Requests that share a statement (platform/gather.ts) on a PostgreSQL whose commits take long: one runs out of time meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { itAtLength } from '../../../test/support/extent.ts';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { OutOfTime, withDeadline } from '../deadline.ts';
import { gather } from '../gather.ts';
import { type Database, isOneOf } from './index.ts';
import { openPostgres } from './postgres.ts';

interface Schema {
  codes: { id: string; used: number };
}

/** What is of somebody slow is committed slowly. */
const MIGRATION = `
create table codes (id text primary key, used bigint not null);
create function take_long() returns trigger language plpgsql as 'begin perform pg_sleep(0.4); return null; end';
create constraint trigger commits_slowly after insert or update on codes deferrable initially deferred
  for each row when (new.id like 'slow%') execute function take_long();
`;
const SHORT_MS = 150;
const unused = (id: string) => ({ id, used: 0 });

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-shared-statements-'));
writeFileSync(join(folder, '001-codes.sql'), MIGRATION);
after(() => rmSync(folder, { recursive: true, force: true }));

describe('Of requests that share a statement (PostgreSQL), one that runs out of time while it is committed', () => {
  let db: Database<Schema>;
  before(async () => {
    const url = await (await sharedPostgres()).createDatabase();
    db = await openPostgres<Schema>(url, folder, { poolSize: 4, namedStatements: true });
  });
  after(() => db.close());

  /** Two are asked alone, and the others of both together meanwhile. */
  async function outcomes<R>(ask: (key: string) => Promise<R>, name: string) {
    const alone = [ask(`${name} 1`), ask(`${name} 2`)];
    const short = withDeadline(() => ask(`slow ${name} short`), SHORT_MS);
    const long = withDeadline(() => ask(`slow ${name} long`));
    await assert.rejects(short, OutOfTime);
    await Promise.all(alone);
    return long;
  }

  it('takes no insert from the others', async () => {
    const insert = gather(async (ids: readonly string[]) => {
      await db.writeStatement((tx) => tx.insertInto('codes').values(ids.map(unused)).execute());
      return ids;
    });
    assert.equal(await outcomes(insert, 'insert'), 'slow insert long');
  });

  it('does not make the code of another one a used one', async () => {
    const ids = ['use 1', 'use 2', 'slow use short', 'slow use long'];
    await db.write((tx) => tx.insertInto('codes').values(ids.map(unused)).execute());
    const use = gather(async (some: readonly string[]) => {
      const rows = await db.write((tx) =>
        tx
          .updateTable('codes')
          .set({ used: 1 })
          .where(isOneOf(db.dialect, 'id', some))
          .where('used', '=', 0)
          .returning('id')
          .execute(),
      );
      return some.map((id) => rows.some((row) => row.id === id));
    });
    assert.equal(await outcomes(use, 'use'), true);
  });

  /** Refused at its deadline while the statement runs. Fails if the statement was done nevertheless: its id is taken then. */
  async function givenUp(id: string, seconds: number, deadlineMs: number): Promise<void> {
    const use = () =>
      db.writeUndoably((tx) => sql`insert into codes values (${id}, 0) returning pg_sleep(${seconds})`.execute(tx));
    await assert.rejects(withDeadline(use, deadlineMs), OutOfTime);
    await db.write((tx) => tx.insertInto('codes').values(unused(id)).execute());
  }

  it('leaves nothing behind that its client would do again', () => givenUp('given up', 0.4, SHORT_MS));

  itAtLength('leaves nothing behind, also if most of its time went by before it had its turn', async () => {
    // As many as may write at once.
    const busy = [1, 2].map(() => db.write((tx) => sql`select pg_sleep(2)`.execute(tx)));
    await givenUp('given up late', 3.5, 5_100);
    await Promise.all(busy);
  });
});
