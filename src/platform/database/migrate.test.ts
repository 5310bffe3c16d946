// A migration that is interrupted at any statement is continued by the next start. Nothing is lost or left half done.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inFullRun } from '../../../test/support/extent.ts';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { ConfigError } from '../config/index.ts';
import { toSqlite } from './migrate-sqlite.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

interface Schema {
  things: { id: string; size: number; weight: number };
}

const OPTIONS = { poolSize: 2, namedStatements: true };
const CHILD = fileURLToPath(new URL('../../../test/support/interrupted-migration.ts', import.meta.url));
const SERVICES = ['identity', 'wallet'].map((name) => ({
  name,
  folder: fileURLToPath(new URL(`../../${name}/migrations`, import.meta.url)),
}));

/** From one statement at which it is killed to the next. */
const BETWEEN = inFullRun(1, 5);

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-migrate-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
const newFile = (): string => join(folder, `${++made}.sqlite`);

function migrationsOf(files: Readonly<Record<string, string>>): string {
  const to = join(folder, `migrations-${++made}`);
  mkdirSync(to);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(to, `${name}.sql`), text);
  return to;
}

const FIRST = {
  '001-things': 'create table things (id text primary key, size bigint not null);\ncreate index a on things (size);',
};
const SECOND = {
  '002-weights': `alter table things add column weight bigint not null default 0;
    update things set weight = size * 10;
    create table parts (id text primary key, thing_id text not null references things (id));
    create unique index parts_by_thing on parts (thing_id);`,
};
const THIRD = { '003-names': "alter table things add column name text not null default 'x';\ncreate index b on things (name);" };
const first = migrationsOf(FIRST);
const all = migrationsOf({ ...FIRST, ...SECOND, ...THIRD });

const schemaOf = (path: string): unknown[] => {
  const handle = new DatabaseSync(path, { readOnly: true });
  const rows = handle.prepare("select name, sql from sqlite_master where name not like 'sqlite_%' order by name").all();
  handle.close();
  return rows.map((row) => ({ ...row }));
};

/** True when it was killed before it was ready. */
async function interruptedAt(where: string, migrations: string, statement: number): Promise<boolean> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, where, migrations, String(statement)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.ok(signal === 'SIGKILL' || code === 0, said);
  return signal === 'SIGKILL';
}

/** Statements of a folder, as earlier versions ran them one by one. */
const statementsIn = (migrations: string): { file: string; statements: string[] }[] =>
  readdirSync(migrations)
    .sort()
    .map((file) => {
      const text = readFileSync(join(migrations, file), 'utf8').replace(/--.*$/gm, '');
      const statements = text.split(/;\s*$/m).map((one) => one.trim());
      return { file, statements: statements.filter(Boolean) };
    });

describe('A migration that is killed', () => {
  it('at any statement of the first start is continued (SQLite)', async () => {
    const untouched = newFile();
    await (await openSqlite<Schema>(untouched, all)).close();
    let rounds = 0;
    for (let statement = 1; ; statement += BETWEEN) {
      const path = newFile();
      if (!(await interruptedAt(path, all, statement))) break;
      rounds++;
      const db = await openSqlite<Schema>(path, all);
      await db.write((tx) => tx.insertInto('things').values({ id: '1', size: 1, weight: 1 }).execute());
      await db.close();
      assert.deepEqual(schemaOf(path), schemaOf(untouched), `killed before statement ${statement}`);
    }
    assert.ok(rounds > 15 / BETWEEN, `${rounds} statements`);
  });

  it('at any statement of an upgrade keeps the data, and is continued (SQLite)', async () => {
    let rounds = 0;
    for (let statement = 1; ; statement += BETWEEN) {
      const path = newFile();
      const old = await openSqlite<{ things: { id: string; size: number } }>(path, first);
      await old.write((tx) => tx.insertInto('things').values({ id: 'kept', size: 7 }).execute());
      await old.close();
      if (!(await interruptedAt(path, all, statement))) break;
      rounds++;
      const db = await openSqlite<Schema>(path, all);
      const rows = await db.read.selectFrom('things').select(['id', 'size', 'weight']).execute();
      await db.close();
      assert.deepEqual(rows, [{ id: 'kept', size: 7, weight: 70 }], `killed before statement ${statement}`);
    }
    assert.ok(rounds > 10 / BETWEEN, `${rounds} statements`);
  });

  it('at statements of a first start is continued (PostgreSQL)', async () => {
    const server = await sharedPostgres();
    let rounds = 0;
    for (let statement = 2; ; statement += 3) {
      const url = await server.createDatabase();
      if (!(await interruptedAt(url, all, statement))) break;
      rounds++;
      const db = await openPostgres<Schema>(url, all, OPTIONS);
      await db.write((tx) => tx.insertInto('things').values({ id: '1', size: 1, weight: 1 }).execute());
      await db.close();
    }
    assert.ok(rounds > 4, `${rounds} rounds`);
  });
});

for (const { name, folder: migrations } of SERVICES)
  describe(`A database of the ${name} service that an earlier version left half migrated`, () => {
    it('at any statement is repaired', async () => {
      const untouched = newFile();
      await (await openSqlite(untouched, migrations)).close();
      const expected = schemaOf(untouched);
      const files = statementsIn(migrations);
      // A migration is never edited, so the older ones were tried when they were new.
      for (const [done, { file, statements }] of [...files.entries()].slice(inFullRun(0, -2))) {
        const before = migrationsOf({});
        for (const { file: earlier } of files.slice(0, done)) copyFileSync(join(migrations, earlier), join(before, earlier));
        const beforeIt = newFile();
        await (await openSqlite(beforeIt, before)).close();
        for (let count = 1; count <= statements.length; count++) {
          const path = newFile();
          copyFileSync(beforeIt, path);
          const handle = new DatabaseSync(path);
          handle.exec('pragma synchronous = off');
          for (const statement of statements.slice(0, count)) {
            // An earlier version would not have created what a current database already has.
            if (!/if not exists/i.test(statement)) handle.exec(toSqlite(statement));
          }
          handle.close();
          await (await openSqlite(path, migrations)).close();
          const names = (rows: unknown[]) => rows.map((row) => (row as { name: string }).name);
          assert.deepEqual(names(schemaOf(path)), names(expected), `${file}, ${count} statements`);
        }
      }
    });
  });

describe('A migration', () => {
  it('does not change a different table with the same name, and says what to do', async () => {
    const path = newFile();
    const handle = new DatabaseSync(path);
    handle.exec('create table things (id text primary key, somebody_elses text)');
    handle.close();
    await assert.rejects(openSqlite(path, all), (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /001-things cannot be applied: table things is there already .* restore a backup, or move/);
      return true;
    });
    assert.ok(!JSON.stringify(schemaOf(path)).includes('parts'), 'nothing of it was applied');
  });

  it('is not run on a database of a newer version, with a clear error', async () => {
    const path = newFile();
    await (await openSqlite(path, all)).close();
    const url = await (await sharedPostgres()).createDatabase();
    await (await openPostgres(url, all, OPTIONS)).close();
    const setting = 'GATEHOUSE_WALLET_DATABASE_URL';
    for (const older of [openSqlite(path, first), openPostgres(url, first, { ...OPTIONS, setting })])
      await assert.rejects(older, (error: Error) => {
        assert.ok(error instanceof ConfigError, error.stack);
        assert.match(error.message, /\.sqlite|GATEHOUSE_WALLET_DATABASE_URL/);
        assert.match(error.message, /written by a newer version of Gatehouse \(it has 003-names, this one ends at 001-things\)/);
        return true;
      });
  });

  it('waits for one of an earlier version that runs in another process (PostgreSQL)', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const older = new pg.Client(url);
    await older.connect();
    await older.query('select pg_advisory_lock(3853314791062309107)');
    let opened = false;
    const opening = openPostgres<Schema>(url, all, OPTIONS).then((db) => {
      opened = true;
      return db;
    });
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    while ((await older.query(waiting)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(opened, false);
    await older.end();
    await (await opening).close();
  });
});
