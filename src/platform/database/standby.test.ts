// Lists are read from a standby if it has all that was committed before; otherwise from the primary (ADR 035).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { itAtLength } from '../../../test/support/extent.ts';
import { Pgbouncer } from '../../../test/support/pgbouncer.ts';
import type { StartedPostgres } from '../../../test/support/postgres.ts';
import { ask, startPrimary, startStandby, type TestStandby } from '../../../test/support/standby.ts';
import type { Database } from './index.ts';
import { openPostgres } from './postgres.ts';
import type { StandbyState } from './standby.ts';
import { inspectStandbys } from './standby-inspection.ts';

interface Things {
  things: { id: string; size: number };
}

const WAIT_MS = 20_000;

describe('Lists on a standby (PostgreSQL)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-standbys-'));
  let primary: StartedPostgres;
  let standby: TestStandby;
  let url: string;
  before(async () => {
    writeFileSync(join(folder, '001_things.sql'), 'create table things (id text not null primary key, size integer not null);\n');
    primary = await startPrimary();
    url = await primary.createDatabase();
    standby = await startStandby(primary);
  });
  after(async () => {
    await standby?.stop();
    await primary?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (standbyUrl: string, more = {}): Promise<Database<Things>> =>
    openPostgres<Things>(url, folder, { poolSize: 4, namedStatements: true, standbyUrl, ...more });
  const stateOf = (db: Database<Things>): StandbyState => db.usage().standbys[0]!.state;
  async function soon(isTrue: () => boolean | Promise<boolean>, what = () => 'not yet'): Promise<void> {
    for (const end = Date.now() + WAIT_MS; !(await isTrue()); await sleep(10)) assert.ok(Date.now() < end, what());
  }
  const until = (db: Database<Things>, state: StandbyState): Promise<void> =>
    soon(
      () => stateOf(db) === state,
      () => `it is ${stateOf(db)}, not ${state}`,
    );
  async function withDatabase(work: (db: Database<Things>) => Promise<void>, standbyUrl = standby.urlOf(url)): Promise<void> {
    const db = await open(standbyUrl);
    try {
      await work(db);
    } finally {
      await db.close();
    }
  }
  let serial = 0;
  const add = async (db: Database<Things>): Promise<string> => {
    const id = `thing-${++serial}`;
    await db.write((tx) => tx.insertInto('things').values({ id, size: serial }).execute());
    return id;
  };
  const has = async (db: Database<Things>, id: string): Promise<boolean> =>
    (await db.lists.selectFrom('things').where('id', '=', id).select('id').execute()).length === 1;
  /** Where lists were read since. */
  function counting(db: Database<Things>): () => { standby: number; primary: number } {
    const before = db.usage();
    return () => {
      const now = db.usage();
      return { standby: now.standbys[0]!.reads - before.standbys[0]!.reads, primary: now.primaryReads - before.primaryReads };
    };
  }
  async function takes(work: () => Promise<unknown>): Promise<number> {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  }

  it('sees at once what another process has just committed, and all else is read from the primary', async () => {
    await withDatabase(async (db) =>
      withDatabase(async (other) => {
        await until(db, 'used');
        const counted = counting(db);
        // On a busy machine it lags now and then.
        await soon(async () => {
          for (let i = 0; i < 20; i++) assert.ok(await has(db, await add(other)));
          return counted().standby >= 60;
        });
        const where = sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`;
        await soon(async () => (await where.execute(db.lists)).rows[0]!.standby);
        const { standby: lists } = counted();
        assert.equal((await where.execute(db.read)).rows[0]!.standby, false);
        assert.equal(await db.write(async (tx) => (await where.execute(tx)).rows[0]!.standby), false);
        assert.equal(counted().standby, lists);
      }),
    );
  });

  it('reads the primary while the standby does not apply changes, and the standby again afterwards', async () => {
    await withDatabase(async (db) => {
      await until(db, 'used');
      await ask(standby.url, 'select pg_wal_replay_pause()');
      try {
        const id = await add(db);
        const counted = counting(db);
        // This one waits for a moment, and none of those after it.
        assert.ok((await takes(async () => assert.ok(await has(db, id)))) < 2000);
        assert.deepEqual(counted(), { standby: 0, primary: 1 });
        await until(db, 'behind');
        await Promise.all(Array.from({ length: 20 }, async () => assert.ok(await has(db, id))));
        assert.deepEqual(counted(), { standby: 0, primary: 21 });
        await sleep(300);
        assert.ok(db.usage().standbys[0]!.lagSeconds > 0.25);
      } finally {
        await ask(standby.url, 'select pg_wal_replay_resume()');
      }
      const counted = counting(db);
      await soon(async () => {
        assert.ok(await has(db, await add(db)));
        return counted().standby > 0;
      });
      assert.ok(db.usage().standbys[0]!.lagSeconds < 0.25);
    });
  });

  it('keeps no list waiting for the mark of a new primary', async () => {
    await withDatabase(async (db) => {
      await until(db, 'used');
      const id = await add(db);
      const holder = new Client({ connectionString: url });
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query('delete from gatehouse_history');
        await holder.query('commit; begin; lock table gatehouse_history in share mode');
        await soon(async () => {
          const counted = counting(db);
          assert.ok((await takes(async () => assert.ok(await has(db, id)))) < 1_000);
          return counted().primary === 1;
        });
        assert.ok((await takes(() => has(db, id))) < 1_000);
        assert.ok((await takes(() => has(db, id))) < 1_000);
      } finally {
        await holder.end();
      }
      const counted = counting(db);
      await soon(async () => (await has(db, id)) && counted().standby > 0);
    });
  });

  it('is seen by gatehouse doctor, beside servers that are of no use', async () => {
    await withDatabase((db) => until(db, 'used'));
    const at = (one: string): string => new URL(one).host;
    const { pathname } = new URL(url);
    const hosts = `postgres://postgres@${at(url)},${at(standby.url)},127.0.0.1:1${pathname}`;
    const settings = { setting: 'DATABASE_URL', standbySetting: 'STANDBY_URL' };
    const found = (await inspectStandbys(url, hosts, settings))!;
    assert.deepEqual(
      found.map(({ name, state }) => [name, state]),
      [
        [at(url), 'no_standby'],
        [at(standby.url), 'reached'],
        ['127.0.0.1:1', 'away'],
      ],
    );
    assert.ok(found[1]!.maxConnections > 100 && found[1]!.connections > 0);
    const [elsewhere] = (await inspectStandbys(url, standby.url, settings))!;
    assert.equal(elsewhere!.state, 'other_system');
  });

  /** Lists of many callers, one after the other; the longest time that one of them took, and the times of those that took long. */
  async function load(db: Database<Things>, isOver: () => boolean): Promise<{ longest: number; slow: number; all: number }> {
    const times: number[] = [];
    const caller = async (): Promise<void> => {
      while (!isOver()) times.push(await takes(() => sql`select pg_sleep(0.002)`.execute(db.lists)));
    };
    await Promise.all(Array.from({ length: 8 }, caller));
    return { longest: Math.max(...times), slow: times.filter((time) => time > 400).length, all: times.length };
  }

  itAtLength('waits at most once for a standby that hangs, and refuses nobody', async () => {
    await withDatabase(async (db) => {
      await until(db, 'used');
      let isOver = false;
      const lists = load(db, () => isOver);
      await sleep(500);
      const goOn = standby.freeze();
      await until(db, 'away');
      const counted = counting(db);
      const id = await add(db);
      assert.ok((await takes(() => has(db, id))) < 400);
      await sleep(5_000);
      assert.equal(counted().standby, 0);
      goOn();
      await until(db, 'used');
      isOver = true;
      const { longest, slow, all } = await lists;
      assert.ok(longest < 2_500, `a list took ${longest} ms`);
      // Each of the callers, once when it hung. It is looked at every quarter of a second all the while.
      assert.ok(slow <= 16, `${slow} of ${all} took long`);
    }, standby.urlOf(url));
  });

  itAtLength('goes on without a standby that is killed, also in the middle of a list', async () => {
    const own = await startStandby(primary);
    try {
      await withDatabase(async (db) => {
        await until(db, 'used');
        const counted = counting(db);
        const long = sql<{ standby: boolean }>`select pg_is_in_recovery() as standby from (select pg_sleep(1)) as slept`;
        const lists = Array.from({ length: 3 }, () => long.execute(db.lists));
        await sleep(300);
        await own.kill();
        for (const { rows } of await Promise.all(lists)) assert.equal(rows[0]!.standby, false);
        assert.deepEqual(counted(), { standby: 0, primary: 3 });
        await until(db, 'away');
        assert.ok(await has(db, await add(db)));
      }, own.urlOf(url));
    } finally {
      await own.stop();
    }
  });

  itAtLength('reads again from the primary what was in the way of changes that the standby applies', async () => {
    await ask(standby.url, `alter system set max_standby_streaming_delay = '50ms'`);
    await ask(standby.url, 'select pg_reload_conf()');
    await withDatabase(async (db) => {
      await until(db, 'used');
      for (let i = 0; i < 20; i++) await add(db);
      const counted = counting(db);
      // Whoever changes a table waits for nobody who reads the standby.
      const list = sql<{ count: number }>`select count(*) as count from things, (select pg_sleep(1.5)) as slept`.execute(
        db.lists,
      );
      await sleep(300);
      await ask(url, 'truncate things');
      assert.equal((await list).rows[0]!.count, 0);
      assert.deepEqual(counted(), { standby: 0, primary: 1 });
    });
  });

  itAtLength('stops at a limit of the server, and does not try a list that takes too long twice', async () => {
    await withDatabase(async (db) => {
      await until(db, 'used');
      const counted = counting(db);
      await assert.rejects(sql`select pg_sleep(30)`.execute(db.lists), { code: '57014' });
      assert.deepEqual(counted(), { standby: 0, primary: 0 });
      await until(db, 'used');
      // More callers than connections.
      await Promise.all(Array.from({ length: 40 }, () => sql`select pg_sleep(0.02)`.execute(db.lists)));
      const { rows } = await sql<{
        count: number;
      }>`select count(*) as count from pg_stat_activity where application_name = 'gatehouse lists'`.execute(db.lists);
      assert.ok(rows[0]!.count <= 5, `${rows[0]!.count} connections`);
    });
  });

  itAtLength('takes no server that is something else: the primary, a copy, another system, another database', async () => {
    const other = await startPrimary();
    try {
      const dump = await other.createDatabase();
      const { hostname, port } = new URL(url);
      const cases: [StandbyState, string][] = [
        ['no_standby', url],
        ['other_system', standby.url],
        ['other_system', dump],
        ['away', 'postgres://postgres@127.0.0.1:1/nothing'],
      ];
      for (const [state, standbyUrl] of cases)
        await withDatabase(async (db) => {
          await until(db, state);
          assert.ok(await has(db, await add(db)));
          assert.equal(db.usage().standbys[0]!.reads, 0);
        }, standbyUrl);
      // A dump brings the mark with it. Its own standby is one, and far ahead.
      const [mark] = await ask(url, 'select * from gatehouse_history');
      await ask(dump, 'create table gatehouse_history (id integer primary key, timeline text not null, mark text not null)');
      await ask(dump, `insert into gatehouse_history values (1, '${mark!.timeline}', '${mark!.mark}')`);
      await ask(dump, 'select pg_switch_wal() from generate_series(1, 3)');
      const copy = await startStandby(other);
      await withDatabase(async (db) => {
        await until(db, 'other_system');
        assert.ok(await has(db, await add(db)));
      }, copy.urlOf(dump)).finally(() => copy.stop());
      // A copy in the same system, too.
      const twin = await primary.createDatabase(undefined, new URL(url).pathname.slice(1));
      await withDatabase((db) => until(db, 'other_system'), standby.urlOf(twin));
      // Among several hosts, the one that is of use.
      const hosts = `postgres://postgres@${hostname}:${port},127.0.0.1:${new URL(standby.url).port}${new URL(url).pathname}`;
      await withDatabase(async (db) => {
        await soon(async () => {
          assert.ok(await has(db, await add(db)));
          return db.usage().standbys[1]!.reads > 0;
        });
        assert.deepEqual(
          db.usage().standbys.map(({ state }) => state),
          ['no_standby', 'used'],
        );
      }, `${hosts}?target_session_attrs=any`);
    } finally {
      await other.stop();
    }
  });

  itAtLength('is read through a pooler in transaction mode, which gives its few connections to all', async () => {
    const pooler = await Pgbouncer.start(standby.urlOf(url), { mode: 'transaction', size: 2 });
    try {
      await withDatabase(
        async (db) =>
          withDatabase(async (other) => {
            await until(db, 'used');
            await until(other, 'used');
            const [counted, ofOther] = [counting(db), counting(other)];
            const caller = async (from: Database<Things>, to: Database<Things>): Promise<void> => {
              for (let i = 0; i < 30; i++) assert.ok(await has(to, await add(from)));
            };
            await soon(async () => {
              await Promise.all([caller(db, other), caller(other, db), caller(db, db), caller(other, other)]);
              return counted().standby > 20 && ofOther().standby > 20;
            });
          }, pooler.url),
        pooler.url,
      );
    } finally {
      await pooler.stop();
    }
  });

  itAtLength('follows a promoted server, and leaves standbys of the former primary, however far they are', async () => {
    const [next, former] = [await startStandby(primary), await startStandby(primary)];
    const later = await openPostgres<Things>(url, folder, { poolSize: 4, namedStatements: true });
    try {
      await withDatabase(async (db) => {
        await until(db, 'used');
        await ask(next.url, 'select pg_promote()');
        await until(db, 'no_standby');
        await ask(next.urlOf(url), `insert into things values ('only there', 1)`);
        assert.equal(await has(db, 'only there'), false);
      }, next.urlOf(url));
      // The former primary goes on, and its standby gets far ahead of the new one.
      await later.write((tx) => sql`insert into things select 'former ' || n, n from generate_series(1, 5000) n`.execute(tx));
      const promoted = await openPostgres<Things>(next.urlOf(url), folder, {
        poolSize: 4,
        namedStatements: true,
        standbyUrl: former.urlOf(url),
      });
      try {
        await until(promoted, 'behind');
        await sleep(1_000);
        assert.equal(stateOf(promoted), 'behind');
        assert.ok(await has(promoted, 'only there'));
        assert.equal(await has(promoted, 'former 5000'), false);
      } finally {
        await promoted.close();
      }
    } finally {
      await later.close();
      await next.stop();
      await former.stop();
    }
  });

  itAtLength('never shows less than was there, whatever happens to the standby meanwhile', async () => {
    await withDatabase(async (db) =>
      withDatabase(async (other) => {
        await until(db, 'used');
        let isOver = false;
        let reads = 0;
        const caller = async (): Promise<void> => {
          while (!isOver) {
            const id = await add(other);
            assert.ok(await has(db, id), `${id} is missing`);
            reads++;
          }
        };
        const callers = Promise.all(Array.from({ length: 6 }, caller));
        for (let round = 0; round < 4; round++) {
          await ask(standby.url, 'select pg_wal_replay_pause()');
          await sleep(600);
          await ask(standby.url, 'select pg_wal_replay_resume()');
          await sleep(2_600);
          const goOn = standby.freeze();
          await sleep(900);
          goOn();
          await sleep(2_600);
        }
        isOver = true;
        await callers;
        const { standbys, primaryReads } = db.usage();
        assert.ok(
          reads > 500 && standbys[0]!.reads > 100 && primaryReads > 20,
          JSON.stringify({ reads, standbys, primaryReads }),
        );
      }),
    );
  });
});
