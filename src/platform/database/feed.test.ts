// The feed of changes on PostgreSQL: rows of transactions that commit in any order, and their deletion. What a reading proves is tried in
// test/feed-model.test.ts, lost connections in database.test.ts, poolers in test/pooler.test.ts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { Cable } from '../../../test/support/cable.ts';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { deleteChangesBelow, deleteChangesOfOtherServers } from './change-table.ts';
import { EarlierVersion } from './earlier-version.ts';
import type { Database } from './index.ts';
import { openPostgres } from './postgres.ts';

const OPTIONS = { poolSize: 4, namedStatements: true };
const INSERT = `insert into gatehouse_changes (xid, tags) values (pg_current_xact_id()::text::bigint, $1)`;

async function waitFor(isTrue: () => boolean, what = () => 'not true'): Promise<void> {
  const end = Date.now() + 30_000;
  while (!isTrue()) {
    assert.ok(Date.now() < end, what());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('The feed of changes (PostgreSQL)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-feed-'));
  const clients: pg.Client[] = [];
  let url: string;
  let cable: Cable;
  let db: Database<Record<string, never>>;
  let heard: (string | undefined)[];
  before(async () => {
    url = await (await sharedPostgres()).createDatabase();
    const { hostname, port } = new URL(url);
    cable = new Cable(hostname, Number(port));
    const through = Object.assign(new URL(url), { host: `127.0.0.1:${await cable.listen()}` }).href;
    db = await openPostgres(through, folder, OPTIONS);
    heard = [];
    db.feed.onChange((tags) => heard.push(...(tags ?? [undefined])));
  });
  after(async () => {
    await db.close();
    cable.close();
    await Promise.all(clients.map((client) => client.end()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    clients.push(client);
    return client;
  }
  const until = (isTrue: () => boolean): Promise<void> => waitFor(isTrue, () => JSON.stringify(heard));
  const rows = async () =>
    (
      await sql<{
        xid: number;
        tags: string;
        below: number | null;
      }>`select xid, tags, deleted_below as below from gatehouse_changes order by xid`.execute(db.read)
    ).rows;

  it('brings each change once, in whatever order transactions commit, and waits for none that runs on', async () => {
    heard = [];
    const [slow, other] = [await connect(), await connect()];
    await slow.query('begin');
    await slow.query(INSERT, ['["slow"]']);
    for (const name of ['one', 'two']) {
      await other.query(INSERT, [`["${name}"]`]);
      await until(() => heard.includes(name));
    }
    assert.deepEqual(heard, ['one', 'two']);
    await slow.query('commit');
    await until(() => heard.length > 2);
    await other.query(INSERT, ['["three"]']);
    await until(() => heard.includes('three'));
    assert.deepEqual(heard, ['one', 'two', 'slow', 'three']);
  });

  it('brings nothing of a transaction that is taken back', async () => {
    heard = [];
    const client = await connect();
    await client.query('begin');
    await client.query(INSERT, ['["never"]']);
    await client.query('rollback');
    await client.query(INSERT, ['["later"]']);
    await until(() => heard.includes('later'));
    assert.deepEqual(heard, ['later']);
  });

  it('is not live while the server does not answer, and has missed nothing afterwards', async () => {
    heard = [];
    await until(() => db.feed.live());
    heard = [];
    cable.freeze();
    await until(() => !db.feed.live());
    await (await connect()).query(INSERT, ['["meanwhile"]']);
    assert.equal(heard.length, 0);
    cable.thaw();
    await until(() => db.feed.live());
    // The question was on its way, and is answered now; or it was given up, and asked anew on another connection.
    assert.ok(heard.includes('meanwhile') || heard.includes(undefined));
  });

  it('deletes what all have had time to read, and says below which transaction', async () => {
    const client = await connect();
    for (let i = 0; i < 120; i++) await client.query(INSERT, ['[]']);
    const running = await connect();
    await running.query('begin');
    await running.query(INSERT, ['["kept"]']);
    await client.query(INSERT, ['["kept, too"]']);
    const all = await rows();
    // Not beyond a transaction that is running, whatever is asked for.
    // Transactions of other databases of this server count, too: what they keep is deleted when they have ended.
    const isDeleted = async () => (await rows()).some(({ below }) => below === all.at(-2)!.xid + 1);
    for (const end = Date.now() + 120_000; !(await isDeleted()) && Date.now() < end; )
      await deleteChangesBelow(db.read, Number.MAX_SAFE_INTEGER);
    const left = await rows();
    assert.deepEqual(
      left.map(({ tags, below }) => [tags, below]),
      [
        ['["kept, too"]', null],
        ['[]', all.at(-2)!.xid + 1],
      ],
    );
    await running.query('commit');
    await deleteChangesBelow(db.read, Number.MAX_SAFE_INTEGER);
    assert.equal((await rows()).length, 3, 'a few are not worth a transaction');
  });

  it('deletes rows that a backup of another server brought', async () => {
    const client = await connect();
    await client.query('insert into gatehouse_changes (xid, tags) select pg_current_xact_id()::text::bigint + 1000000, $1', [
      '[]',
    ]);
    const before = (await rows()).length;
    await deleteChangesOfOtherServers(db.read);
    assert.equal((await rows()).length, before - 1);
  });
});

describe('Processes of the version before', () => {
  it('are told of changes until they have not been seen for long, and whenever nobody could look', () => {
    let now = 0;
    const states: boolean[] = [];
    const earlier = new EarlierVersion(
      (isThere) => states.push(isThere),
      () => now,
    );
    assert.deepEqual([earlier.mustLook(), earlier.mustTell()], [true, true], 'one may be about to come back');
    earlier.look(0);
    assert.deepEqual([earlier.mustLook(), earlier.mustTell()], [false, true]);
    now = 15_000;
    earlier.look(0);
    assert.equal(earlier.mustTell(), false);
    now += 2_000;
    assert.equal(earlier.mustTell(), true, 'the last look is too old');
    earlier.look(null);
    assert.equal(earlier.mustTell(), true, 'an answer without a look shows nothing');
    assert.equal(earlier.look(1), true);
    now += 14_999;
    assert.equal(earlier.look(0), true);
    now += 1;
    assert.equal(earlier.look(0), false);
    assert.equal(earlier.mustTell(), false);
    assert.deepEqual(states, [true, false]);
  });

  for (const [what, name] of Object.entries({
    'their own name': 'gatehouse feed',
    'a name and the address that a pooler puts behind it': 'gatehouse - 10.0.0.5:1234',
    'the name in the URL, which ours do not take': 'operations',
  }))
    it(`are known by ${what}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-feed-'));
      const url = await (await sharedPostgres()).createDatabase();
      const db = await openPostgres<Record<string, never>>(`${url}?application_name=operations`, folder, OPTIONS);
      const older = new pg.Client({ connectionString: url, application_name: name });
      try {
        assert.equal(db.feed.live(), true);
        let forgotten = 0;
        db.feed.onChange((tags) => {
          if (!tags) forgotten++;
        });
        await older.connect();
        await older.query('listen gatehouse_changes');
        const told = new Promise<string | undefined>((resolve) => older.on('notification', ({ payload }) => resolve(payload)));
        await waitFor(() => !db.feed.live());
        await db.write(async (_tx, invalidate) => invalidate('a tag'));
        assert.equal(await told, '["a tag"]');
        // Also what does not ask whether the feed is live.
        await waitFor(() => forgotten > 1);
      } finally {
        await older.end();
        await db.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
