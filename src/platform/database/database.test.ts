// The same tests on both databases: everything a service relies on.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { Cable } from '../../../test/support/cable.ts';
import { itAtLength } from '../../../test/support/extent.ts';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import {
  type Database,
  FolderInUse,
  filterCondition,
  type INEXACT_COMPARISONS,
  insertRows,
  isForeignKeyViolation,
  isOneOf,
  isUniqueViolation,
  lockFolder,
  preparedRows,
  readPage,
  type Tx,
  withNext,
} from './index.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

interface Schema {
  things: { id: string; name: string; size: number };
  parts: { id: string; thing_id: string };
}

const MIGRATION = `
-- a comment; with a semicolon
create table things (id text primary key, name text not null, size bigint not null);
create unique index things_name on things (name, size);
create table parts (id text primary key, thing_id text not null references things (id));
`;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-database-'));
const migrations = join(folder, 'migrations');
mkdirSync(migrations);
writeFileSync(join(migrations, '001-things.sql'), MIGRATION);
after(() => rmSync(folder, { recursive: true, force: true }));

const POSTGRES = { poolSize: 4, namedStatements: true };

const opened = {
  SQLite: () => openSqlite<Schema>(join(folder, 'test.sqlite'), migrations),
  PostgreSQL: async () => openPostgres<Schema>(await (await sharedPostgres()).createDatabase(), migrations, POSTGRES),
};

for (const [kind, open] of Object.entries(opened)) {
  describe(`Database (${kind})`, () => {
    let db: Database<Schema>;
    before(async () => {
      db = await open();
    });
    after(() => db.close());

    const add = (id: string, name: string, size = 1) =>
      db.write((tx) => tx.insertInto('things').values({ id, name, size }).execute());
    const names = async () =>
      (await db.read.selectFrom('things').select('name').orderBy('name').execute()).map((row) => row.name);

    it('keeps what a transaction wrote, and nothing of one that threw', async () => {
      await add('1', 'kept');
      const failing = db.write(async (tx) => {
        await tx.insertInto('things').values({ id: '2', name: 'lost', size: 1 }).execute();
        throw new Error('no');
      });
      await assert.rejects(failing, /^Error: no$/);
      assert.deepEqual(await names(), ['kept']);
    });

    it('commits the other writers of a batch when one fails', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 50 }, (_, i) => add(`many-${i}`, i % 10 === 0 ? 'taken' : `name-${i}`, i % 10 === 0 ? 0 : i)),
      );
      assert.equal(results.filter((result) => result.status === 'fulfilled').length, 46);
      const [refused] = results.filter((result) => result.status === 'rejected');
      assert.ok(isUniqueViolation((refused as PromiseRejectedResult).reason));
      const count = await db.read
        .selectFrom('things')
        .where('id', 'like', 'many-%')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      assert.strictEqual(count.count, 46);
    });

    it('inserts rows of several tables at once, and last rows with the commit, or nothing of both', async () => {
      const texts = ['"', "'; drop table things; --", '\\ud800 \ud800', '[{"id":null}]', '\n\t', 'Ω😀', '$1 {"a":1}'];
      const things = texts.map((name, n) => ({ id: `rows-${n}`, name, size: n === 0 ? 2 ** 53 - 1 : n }));
      const parts = things.map(({ id }) => ({ id: `part-${id}`, thing_id: id }));
      const last = { things: [{ id: 'rows-last', name: 'last', size: 0 }] };
      const insert = (rows: typeof parts) =>
        db.write(async (tx, invalidate, atEnd) => {
          invalidate('things');
          atEnd({ ...last, parts: [] });
          await insertRows(tx, { things, parts: rows });
        });
      await assert.rejects(insert([...parts, { id: 'x', thing_id: 'nobody' }]), isForeignKeyViolation);
      assert.deepEqual(await db.read.selectFrom('things').where('id', 'like', 'rows-%').selectAll().execute(), []);
      await insert(parts);
      const stored = await db.read.selectFrom('things').where('id', 'like', 'rows-%').orderBy('id').selectAll().execute();
      const wellFormed = things.map((one) => ({ ...one, name: one.name.toWellFormed() }));
      assert.deepEqual(stored, [...wellFormed, ...last.things]);
      assert.equal((await db.read.selectFrom('parts').where('id', 'like', 'part-rows-%').selectAll().execute()).length, 7);
      for (const other of [{ id: 'even' }, { id: 'even', name: 'even', length: 1 }] as unknown as typeof things)
        await assert.rejects(
          db.write((tx) => insertRows(tx, { things: [{ id: 'uneven', name: 'uneven', size: 1 }, other] })),
          /different columns/,
        );
      await assert.rejects(
        db.write(async (_tx, _invalidate, atEnd) => atEnd(last)),
        isUniqueViolation,
      );
    });

    it('tells a taken key from a missing one', async () => {
      await assert.rejects(add('1', 'again'), isUniqueViolation);
      await assert.rejects(
        db.write((tx) => tx.insertInto('parts').values({ id: 'p', thing_id: 'nobody' }).execute()),
        isForeignKeyViolation,
      );
    });

    it('reads its own writes once they are durable, and numbers as numbers', async () => {
      await add('big', 'big', 2 ** 52);
      const row = await db.read.selectFrom('things').where('id', '=', 'big').selectAll().executeTakeFirst();
      assert.deepEqual({ ...row }, { id: 'big', name: 'big', size: 2 ** 52 });
    });

    it('writes and finds many rows by one statement, whatever is in them, and none if one of them may not be', async () => {
      const sizes = [['quote', `'"\\ {$1} é \u2028`] as const, ['empty', ''] as const].map(([id, name], n) => ({
        id,
        name,
        size: n,
      }));
      await db.writeStatement((tx) => insertRows(tx, { things: sizes }));
      const ids = [...sizes.map(({ id }) => id), `'); drop table things; --`];
      const found = await db.read
        .selectFrom('things')
        .where(isOneOf(db.dialect, 'id', ids))
        .selectAll()
        .orderBy('size')
        .execute();
      assert.deepEqual(
        found.map((row) => ({ ...row })),
        sizes,
      );
      const parts = [
        { id: 'good', thing_id: 'quote' },
        { id: 'bad', thing_id: 'nobody' },
      ];
      await assert.rejects(
        db.writeStatement((tx) => insertRows(tx, { parts })),
        isForeignKeyViolation,
      );
      assert.deepEqual(await db.read.selectFrom('parts').where('thing_id', '=', 'quote').selectAll().execute(), []);
      await db.writeStatement((tx) => insertRows(tx, { parts: [] }));
      await db.writeStatement((tx) =>
        tx
          .deleteFrom('things')
          .where(isOneOf(db.dialect, 'id', ids))
          .execute(),
      );
    });

    it('notifies subscribers of the tags, only after the commit', async () => {
      const heard: (readonly string[] | undefined)[] = [];
      // On PostgreSQL the feed may still tell what earlier tests changed.
      db.feed.onChange((tags) => tags?.some((tag) => tag.startsWith('thing:')) && heard.push(tags));
      await db.write(async (tx, invalidate) => {
        invalidate('thing:1');
        invalidate('thing:1');
        await tx.updateTable('things').set({ size: 5 }).where('id', '=', '1').execute();
        assert.deepEqual(heard, []);
      });
      assert.deepEqual(heard[0], ['thing:1']);
      await assert.rejects(
        db.write(async (_tx, invalidate) => {
          invalidate('thing:2');
          throw new Error('no');
        }),
      );
      assert.ok(!heard.flat().includes('thing:2'));
    });

    it('compiles a prepared query once and binds its values in any order', async () => {
      let built = 0;
      const find = preparedRows<Schema, [size: number, id: string], { name: string }>((query, size, id) => {
        built++;
        return query
          .selectFrom('things')
          .where('id', '=', id)
          .where('size', '>=', size)
          .where('name', '<>', 'constant')
          .select('name');
      });
      assert.deepEqual(
        (await find(db.read, 1, '1')).map((row) => row.name),
        ['kept'],
      );
      assert.deepEqual(await find(db.read, 2 ** 52, '1'), []);
      assert.deepEqual(
        (await find(db.read, 2 ** 52, 'big')).map((row) => row.name),
        ['big'],
      );
      assert.equal(built, 1);
    });

    it('compares text the same way on every database', async () => {
      await Promise.all([add('f1', 'Straße_100%'), add('f2', 'strasse'), add('f3', "o'Neill"), add('f4', 'Upper')]);
      const matching = async (comparison: (typeof INEXACT_COMPARISONS)[number], value: string) =>
        (
          await db.read
            .selectFrom('things')
            .where('id', 'like', 'f_')
            .where(filterCondition(db.dialect, 'things.name', comparison, value))
            .select('id')
            .orderBy('id')
            .execute()
        ).map((row) => row.id);
      assert.deepEqual(await matching('contains', 'stra'), ['f2']);
      assert.deepEqual(await matching('icontains', 'STRA'), ['f1', 'f2']);
      assert.deepEqual(await matching('contains', '_100%'), ['f1']);
      assert.deepEqual(await matching('contains', '%'), ['f1']);
      assert.deepEqual(await matching('startswith', 'S'), ['f1']);
      assert.deepEqual(await matching('istartswith', 's'), ['f1', 'f2']);
      assert.deepEqual(await matching('endswith', 'Neill'), ['f3']);
      assert.deepEqual(await matching('iendswith', 'PPER'), ['f4']);
      assert.deepEqual(await matching('endswith', ''), ['f1', 'f2', 'f3', 'f4']);
    });

    it('pages by key, forwards and back, whatever is inserted meanwhile', async () => {
      await Promise.all(Array.from({ length: 7 }, (_, i) => add(`page-${i}`, i < 4 ? 'same' : `z${i}`, 100 + i)));
      const base = db.read.selectFrom('things').selectAll().where('id', 'like', 'page-%');
      const visible = db.read.selectFrom('things').selectAll();
      const page = async (marker?: string) =>
        (await readPage(base, { table: 'things', by: 'name' }, { limit: 3, marker }, visible))!;
      const first = await page();
      assert.deepEqual(
        [first.items.map((row) => row.id), first.previous, first.next],
        [['page-0', 'page-1', 'page-2'], null, 'page-2'],
      );
      const second = await page(first.next!);
      assert.deepEqual(
        [second.items.map((row) => row.id), second.previous, second.next],
        [['page-3', 'page-4', 'page-5'], '', 'page-5'],
      );
      await add('page-9', 'a first one', 1);
      const third = await page(second.next!);
      assert.deepEqual([third.items.map((row) => row.id), third.previous, third.next], [['page-6'], 'page-2', null]);
      const from = (marker: string, seen: typeof visible) =>
        readPage(base, { table: 'things', by: 'name' }, { limit: 3, marker }, seen);
      assert.equal(await from('nobody', visible), undefined);
      assert.equal(await from('page-0', visible.where('id', '!=', 'page-0')), undefined, 'one that may not be seen');
    });

    it('answers a ping', () => db.ping());
  });
}

describe('SQLite', () => {
  it('finishes what was begun when it is closed, and rejects later writes', async () => {
    const path = join(folder, 'closed.sqlite');
    const db = await openSqlite<Schema>(path, migrations);
    const add = (id: string) =>
      db.write(async (tx) => {
        await new Promise((resolve) => setImmediate(resolve));
        await tx.insertInto('things').values({ id, name: id, size: 1 }).execute();
      });
    const begun = [add('one'), add('two')];
    const closed = db.close();
    const late = assert.rejects(add('three'), /the database is closed/);
    await Promise.all([...begun, closed, late]);
    // An unhandled rejection would end the process and fail this file.
    await assert.rejects(add('four'), /the database is closed/);
    const again = await openSqlite<Schema>(path, migrations);
    const kept = await again.read.selectFrom('things').select('id').orderBy('id').execute();
    await again.close();
    assert.deepEqual(
      kept.map(({ id }) => id),
      ['one', 'two'],
    );
  });

  it('finds its data again, and runs no migration twice', async () => {
    const path = join(folder, 'again.sqlite');
    const first = await openSqlite<Schema>(path, migrations);
    await first.write((tx) => tx.insertInto('things').values({ id: '1', name: 'one', size: 1 }).execute());
    await first.close();
    const second = await openSqlite<Schema>(path, migrations);
    assert.equal((await second.read.selectFrom('things').selectAll().execute()).length, 1);
    await second.close();
  });

  it('locks its folder against a second holder until it is released', () => {
    const lock = lockFolder(folder);
    assert.throws(() => lockFolder(folder), FolderInUse);
    lock.release();
    lockFolder(folder).release();
  });
});

describe('PostgreSQL', () => {
  it('migrates once when several processes start together', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const all = await Promise.all(Array.from({ length: 4 }, () => openPostgres<Schema>(url, migrations, POSTGRES)));
    await Promise.all(all.map((db) => db.close()));
  });

  it('sends what nobody waits for together with the next statement, and nothing of a transaction without any', async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase());
    const cable = new Cable(url.hostname, Number(url.port));
    url.port = String(await cable.listen());
    const db = await openPostgres<Schema>(url.href, migrations, { ...POSTGRES, poolSize: 1 });
    const messagesOf = async (work: Parameters<typeof db.write>[0]) => {
      const before = cable.messages;
      await db.write(work).catch(() => {});
      return cable.messages - before;
    };
    try {
      const add = (id: string) => (tx: Tx<Schema>) => tx.insertInto('things').values({ id, name: id, size: 1 }).execute();
      await db.write(add('first, which connects'));
      assert.equal(await messagesOf(add('alone')), 2, 'begin and insert, commit');
      const changing = async (tx: Tx<Schema>, invalidate: (tag: string) => void) => {
        await add('with a change')(tx);
        invalidate('things');
      };
      assert.equal(await messagesOf(changing), 2, 'the row of the change goes with the commit');
      assert.equal(await messagesOf(async () => {}), 0);
      assert.equal(await messagesOf(() => Promise.reject(new Error('no'))), 0);
      const { rows } = await sql<{ state: string }>`select state from pg_stat_activity where pid = pg_backend_pid()`.execute(
        db.read,
      );
      assert.deepEqual(rows, [{ state: 'active' }], 'and no transaction is left open');
      const alone = sql`${withNext}insert into things (id, name, size) values ('without a transaction', 'without', 1)`;
      await db.writeStatement((tx) => alone.execute(tx));
      assert.equal((await db.read.selectFrom('things').select('id').execute()).length, 4);
    } finally {
      await db.close();
      cable.close();
    }
  });

  itAtLength('gives statements that are sent together as long as each of them may take', async () => {
    const db = await openPostgres<Schema>(await (await sharedPostgres()).createDatabase(), migrations, POSTGRES);
    try {
      await db.write(async (tx) => {
        await sql`${withNext}select pg_sleep(2.5)`.execute(tx);
        await sql`select pg_sleep(2.5)`.execute(tx);
      });
    } finally {
      await db.close();
    }
  });

  it('counts a table that grows at once, so that nothing goes on being planned for an empty one', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const db = await openPostgres<Schema>(url, migrations, POSTGRES);
    try {
      await sql`analyze things`.execute(db.read);
      const things = Array.from({ length: 1000 }, (_, n) => ({ id: `${n}`, name: `thing ${n}`, size: n }));
      await db.write((tx) => insertRows(tx, { things }));
      const counted = async () =>
        (await sql<{ reltuples: number }>`select reltuples from pg_class where relname = 'things'`.execute(db.read)).rows[0]!;
      const until = Date.now() + 20_000;
      while ((await counted()).reltuples < 1000 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal((await counted()).reltuples, 1000);
    } finally {
      await db.close();
    }
  });

  it('receives changes of other processes, and drops everything when it may have missed some', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const [one, two] = await Promise.all([
      openPostgres<Schema>(url, migrations, POSTGRES),
      openPostgres<Schema>(url, migrations, POSTGRES),
    ]);
    const heard: (readonly string[] | undefined)[] = [];
    two.feed.onChange((tags) => heard.push(tags));
    const heardBy = async (what: () => boolean) => {
      const until = Date.now() + 20_000;
      while (!what() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.ok(what());
    };
    try {
      await one.write(async (_tx, invalidate) => invalidate('thing:7'));
      await heardBy(() => heard.some((tags) => tags?.[0] === 'thing:7'));
      await one.write(async (_tx, invalidate) => {
        for (let i = 0; i < 4000; i++) invalidate(`a tag that is rather long ${i}`);
      });
      await heardBy(() => heard.includes(undefined));

      heard.length = 0;
      const { rows } = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'gatehouse changes' and datname = current_database()`.execute(one.read);
      assert.equal(rows.length, 2);
      await heardBy(() => !two.feed.live());
      await heardBy(() => two.feed.live());
      assert.ok(heard.includes(undefined), 'forgets everything after an interruption');
      await one.write(async (_tx, invalidate) => invalidate('thing:8'));
      await heardBy(() => heard.some((tags) => tags?.[0] === 'thing:8'));
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
    // Also the connection of the one that was never asked anything, which looked whether the server is there.
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      const others = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      const until = Date.now() + 10_000;
      let left = await client.query(others);
      while (left.rowCount && Date.now() < until) left = await client.query(others);
      assert.equal(left.rowCount, 0);
    } finally {
      await client.end();
    }
  });

  it('tries again after a lock time-out, and succeeds when the row was unlocked meanwhile', async () => {
    const db = await openPostgres<Schema>(await (await sharedPostgres()).createDatabase(), migrations, POSTGRES);
    try {
      await db.write((tx) => tx.insertInto('things').values({ id: 'held', name: 'held', size: 1 }).execute());
      const letGo = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holder = db.write(async (tx) => {
        await tx.updateTable('things').set({ size: 2 }).where('id', '=', 'held').execute();
        locked.resolve();
        await letGo.promise;
      });
      await locked.promise;
      let attempts = 0;
      await db.write(async (tx) => {
        if (++attempts === 2) {
          letGo.resolve();
          await holder;
        }
        await tx.updateTable('things').set({ size: 3 }).where('id', '=', 'held').execute();
      });
      assert.equal(attempts, 2);
    } finally {
      await db.close();
    }
  });

  it('goes on when a newer version has added a column, though statements were prepared before', async () => {
    const db = await openPostgres<Schema>(await (await sharedPostgres()).createDatabase(), migrations, {
      poolSize: 2,
      namedStatements: true,
    });
    const read = () => db.read.selectFrom('things').selectAll().where('id', '=', 'one').execute();
    const write = () =>
      db.write((tx) => tx.updateTable('things').set({ size: 2 }).where('id', '=', 'one').returningAll().execute());
    try {
      await db.write((tx) => tx.insertInto('things').values({ id: 'one', name: 'one', size: 1 }).execute());
      // On each connection.
      for (let i = 0; i < 2; i++) await Promise.all([read(), read(), write(), write()]);
      await sql`alter table things add column later text`.execute(db.read);
      for (let i = 0; i < 3; i++)
        for (const rows of await Promise.all([read(), read(), write(), write()])) assert.equal(rows[0]?.name, 'one');
    } finally {
      await db.close();
    }
  });

  it('only drops its caches when someone else writes strange rows', async () => {
    const db = await openPostgres<Schema>(await (await sharedPostgres()).createDatabase(), migrations, POSTGRES);
    const heard: (readonly string[] | undefined)[] = [];
    db.feed.onChange((tags) => heard.push(tags));
    const strange = ['hello', '', '*', '{', 'null', '7', '"text"', '{"length":1}', '["thing:7",7]', '[["thing:7"]]', '[null]'];
    const insert = (tags: string) =>
      sql`insert into gatehouse_changes (xid, tags) values (pg_current_xact_id()::text::bigint, ${tags})`.execute(db.read);
    const heardBy = async (what: () => boolean) => {
      const until = Date.now() + 20_000;
      while (!what() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.ok(what(), JSON.stringify(heard));
    };
    try {
      for (const [at, tags] of strange.entries()) {
        await insert(tags);
        await heardBy(() => heard.length === at + 1);
      }
      await insert('["the last one"]');
      await heardBy(() => heard.length > strange.length);
      assert.deepEqual(heard, [...strange.map(() => undefined), ['the last one']]);
      assert.ok(db.feed.live());
    } finally {
      await db.close();
    }
  });
});
