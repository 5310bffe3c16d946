// PostgreSQL behind pgbouncer. In transaction mode a client has a connection of the server only for a transaction: named statements are lost, and
// so are time limits of the session. That a server has crashed is hidden, too.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { type Database, loadInspection } from '../src/platform/database/index.ts';
import { openPostgres, type PostgresOptions } from '../src/platform/database/postgres.ts';
import { createLog } from '../src/platform/log/index.ts';
import { itAtLength } from './support/extent.ts';
import { IdentityOnDatabase } from './support/identity-on-database.ts';
import { Pgbouncer } from './support/pgbouncer.ts';
import { sharedPostgres, startPostgres } from './support/postgres.ts';

const PATIENCE_MS = 30_000;

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('PostgreSQL behind pgbouncer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pooler-'));
  const databases: Database<Record<string, never>>[] = [];
  let direct: string;
  let control: pg.Client;
  let transactions: Pgbouncer;
  let sessions: Pgbouncer;
  before(async () => {
    direct = await (await sharedPostgres()).createDatabase();
    control = new pg.Client(direct);
    await control.connect();
    transactions = await Pgbouncer.start(direct, { mode: 'transaction', size: 2 });
    const settings = ['ignore_startup_parameters = statement_timeout,lock_timeout'];
    sessions = await Pgbouncer.start(direct, { mode: 'session', size: 20, settings });
  });
  after(async () => {
    await control.end();
    await transactions.stop();
    await sessions.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // Each reads the changes of others through the few connections of the pooler.
  afterEach(async () => {
    await Promise.all(databases.splice(0).map((db) => db.close()));
  });

  async function open(url: string, options: Partial<PostgresOptions> = {}) {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const db = await openPostgres<Record<string, never>>(url, folder, {
      poolSize: 4,
      namedStatements: true,
      setting: 'GATEHOUSE_IDENTITY_DATABASE_URL',
      wait: { seconds: 30, log },
      ...options,
    });
    databases.push(db);
    return { db, said: () => lines.join('') };
  }
  const change = (tag: string) => (tx: unknown, invalidate: (tag: string) => void) => {
    assert.ok(tx);
    invalidate(tag);
    return Promise.resolve();
  };

  it('in transaction mode is not left read-only by commands that look at it', async () => {
    const { inspectPostgres } = await loadInspection();
    const look = () => inspectPostgres(transactions.url, folder, { setting: 'x', now: Date.now });
    for (const inspected of await Promise.all([look(), look()])) await inspected.close();
    const client = new pg.Client(transactions.url);
    await client.connect();
    // On every connection of the pooler.
    for (let i = 0; i < 4; i++) {
      const { rows } = await client.query('show default_transaction_read_only');
      assert.deepEqual(rows, [{ default_transaction_read_only: 'off' }]);
    }
    await client.end();
  });

  it('in transaction mode brings the changes of others, whichever connection of the server answers', async () => {
    const [{ db }, { db: other }] = await Promise.all([open(transactions.url), open(transactions.url)]);
    await until('both are live', () => db.feed.live() && other.feed.live());
    let heard: string[] = [];
    db.feed.onChange((tags) => heard.push(...(tags ?? ['anything'])));
    let isNamed = false;
    // The first answer of each connection of the server makes it forget everything; once all are known, it hears what has changed.
    for (let i = 0; i < 50 && !isNamed; i++) {
      heard = [];
      // Takes the connection that answered before.
      const busy = sql`select pg_sleep(0.05)`.execute(other.read);
      await other.write(change(`user:${i}`));
      await until('the change of the other arrives', () => heard.includes(`user:${i}`) || heard.includes('anything'));
      await busy;
      isNamed = i > 5 && heard.includes(`user:${i}`);
    }
    assert.ok(isNamed);
    await until('both are live', () => db.feed.live() && other.feed.live());
  });

  it('in transaction mode forgets everything when the server has crashed', async () => {
    const own = await startPostgres();
    const pooler = await Pgbouncer.start(await own.createDatabase(), {
      mode: 'transaction',
      size: 2,
      settings: ['server_login_retry = 1'],
    });
    const { db } = await open(pooler.url);
    const watch = new pg.Client(own.url);
    watch.on('error', () => {});
    await watch.connect();
    try {
      await until('it is live', () => db.feed.live());
      let forgot = 0;
      db.feed.onChange((tags) => {
        if (!tags) forgot++;
      });
      // The servers of the tests write to the disk late.
      await watch.query('checkpoint');
      // The server ends all its processes when one of them is killed, and begins again.
      const { rows } = await watch.query<{ pid: number }>(
        `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      process.kill(rows[0]!.pid, 'SIGKILL');
      await until('it has forgotten everything', () => forgot > 0 && db.feed.live());
    } finally {
      watch.end().catch(() => {});
      await pooler.stop();
      await own.stop();
    }
  });

  itAtLength('in session mode hears of changes, also with limits that the pooler drops', async () => {
    const { db } = await open(sessions.url);
    assert.ok(db.feed.live());
  });

  itAtLength('never runs another statement under the same name, and goes on without names', async () => {
    const [{ db: one, said }, { db: two }] = await Promise.all([open(transactions.url), open(transactions.url)]);
    // Many statements in different orders, over two connections that all share.
    const asks = Array.from({ length: 40 }, (_, i) => i);
    for (let round = 0; round < 3; round++)
      await Promise.all(
        [one, two].flatMap((db, which) =>
          (which === 0 ? asks : asks.toReversed()).map(async (i) => {
            const { rows } = await sql<{ got: number }>`select ${sql.raw(String(i))} + ${1000}::int as got`.execute(db.read);
            assert.equal(rows[0]!.got, i + 1000);
            await db.write(async (tx) => {
              const written = await sql<{ got: number }>`select ${sql.raw(String(i))} - ${1000}::int as got`.execute(tx);
              assert.equal(written.rows[0]!.got, i - 1000);
            });
          }),
        ),
      );
    assert.match(said(), /named statements.*GATEHOUSE_IDENTITY_NAMED_STATEMENTS/);
  });

  it('limits how long a change waits for a lock, although the pooler passes no limits on', async () => {
    const { db } = await open(transactions.url);
    await control.query('create table locked (id integer)');
    await control.query('begin; lock table locked');
    try {
      await assert.rejects(
        db.write(async (tx) => sql`insert into locked values (${1})`.execute(tx)),
        { code: '55P03' },
      );
    } finally {
      await control.query('rollback');
    }
  });

  it('serves the identity service', async () => {
    const api = new IdentityOnDatabase({ databaseUrl: transactions.url });
    await api.start();
    try {
      assert.equal((await api.logIn()).status, 201);
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, i) => api.post('/v3/projects', { project: { name: `pooled ${i}` } })),
      );
      assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
      assert.equal((await api.get('/v3/auth/tokens')).status, 200);
    } finally {
      await api.stop();
    }
  });
});
