// The copy of a SQLite database, with values that are large or strange.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { checkCopy, copyToPostgres, endOfBatch } from './copy-to-postgres.ts';
import { readSqlite } from './sqlite-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-copy-'));
after(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(join(folder, '001-things.sql'), 'create table things (id text primary key, content text, amount bigint);\n');

/** A database of these rows, and an empty one. */
async function makeDatabases(name: string, rows: readonly (readonly [string, string | null, number | bigint | null])[]) {
  const file = join(folder, `${name}.sqlite`);
  const db = new DatabaseSync(file);
  db.exec('create table things (id text primary key, content text, amount integer) strict');
  const insert = db.prepare('insert into things values (?, ?, ?)');
  db.exec('begin');
  for (const row of rows) insert.run(...row);
  db.exec('commit');
  db.close();
  const url = await (await sharedPostgres()).createDatabase();
  return { file, url, setting: 'THE_URL', migrations: folder };
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows;
}

describe('A copy into PostgreSQL', () => {
  it('reads large values in batches that fit into a text as JSON, also the longest', async () => {
    const [large, longest] = ['x'.repeat(5_000_000), 'y'.repeat(17_000_000)];
    const options = await makeDatabases('large', [
      ...Array.from({ length: 7 }, (_, at) => [`t${at}`, large, at] as const),
      ['longest', longest, 7],
      ['last', null, null],
    ]);
    const { read, close } = readSqlite<unknown>(options.file);
    const ends: number[] = [];
    for (let last = -1; ; last = ends.at(-1)!) {
      const end = await endOfBatch(read, 'things', ['id', 'content', 'amount'], last);
      if (end === undefined) break;
      ends.push(end);
    }
    await close();
    assert.deepEqual(ends, [3, 6, 7, 8, 9]);
    assert.equal(await copyToPostgres(options), 9);
    const [sum] = await query(options.url, 'select count(*)::int as count, sum(length(content))::int as length from things');
    assert.deepEqual(sum, { count: 9, length: 7 * large.length + longest.length });
  });

  it('has every row of several batches, and every character', async () => {
    const odd = [
      '',
      ' ',
      '\\',
      '"',
      "'",
      '\\u0000',
      '\u{1F418}',
      '\u2028',
      'é',
      'e\u0301',
      '\uFFFD',
      '{"a":"\\ud800"}',
      '\r\n\t',
      null,
    ];
    const rows = Array.from({ length: 4_500 }, (_, at) => [`t${at}`, odd[at % odd.length]!, at % 3 ? at - 2_000 : null] as const);
    const biggest = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].map((amount) => [`n${amount}`, null, amount] as const);
    const options = await makeDatabases('many', [...rows, ...biggest]);
    assert.equal(await copyToPostgres(options), 4_502);
    const copied = await query(options.url, 'select id, content, amount::text from things');
    const sorted = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one)).sort();
    assert.deepEqual(
      sorted(copied.map(({ id, content, amount }) => [id, content, amount])),
      sorted([...rows, ...biggest].map(([id, content, amount]) => [id, content, amount === null ? null : String(amount)])),
    );
  });

  it('is not begun for numbers that would change, or for a text that PostgreSQL does not have, and says where', async () => {
    for (const row of [
      ['t', null, 2n ** 53n + 1n],
      ['t', 'a\0b', null],
    ] as const) {
      const options = await makeDatabases(`bad${row[1]}`.replace('\0', ''), [['fine', 'x', 1], row]);
      await assert.rejects(copyToPostgres(options), /^Error: things: /);
      assert.deepEqual(await query(options.url, 'select * from things'), []);
      // Nothing is left of it.
      const later = await makeDatabases(`good${row[1]}`.replace('\0', ''), [['fine', 'x', 1]]);
      assert.equal(await copyToPostgres({ ...later, url: options.url }), 1);
    }
  });

  it('takes as long as it needs, whatever time statements have there', async () => {
    const options = await makeDatabases('slow', [['fine', 'x', 1]]);
    await query(options.url, `alter database "${new URL(options.url).pathname.slice(1)}" set statement_timeout = '2s'`);
    const prepare = async (tx: Kysely<unknown>): Promise<void> => {
      await sql`select pg_sleep(2.1)`.execute(tx);
    };
    assert.equal(await copyToPostgres({ ...options, prepare }), 1);
  });

  it('is refused while somebody else uses the tables, and leaves nothing behind when it is killed', async () => {
    const options = await makeDatabases('used', [['fine', 'x', 1]]);
    await checkCopy(options);
    const other = new Client({ connectionString: options.url });
    await other.connect();
    await other.query('begin; lock table things in share mode');
    await assert.rejects(copyToPostgres(options), /THE_URL: something else uses this database/);
    await other.query('rollback');
    // As when the process ends: the server ends the transaction of a connection that is gone.
    const prepare = async (tx: Kysely<unknown>): Promise<void> => {
      await sql`insert into things values ('half', null, null)`.execute(tx);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await other.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    };
    await assert.rejects(copyToPostgres({ ...options, prepare }));
    await other.end();
    assert.equal(await copyToPostgres(options), 1);
  });

  it('is refused for a database that does not have every character', async () => {
    const options = await makeDatabases('latin', [['fine', 'x', 1]]);
    const name = `${new URL(options.url).pathname.slice(1)}_latin`;
    await query(options.url, `create database "${name}" template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'`);
    const url = Object.assign(new URL(options.url), { pathname: `/${name}` }).href;
    await assert.rejects(checkCopy({ ...options, url }), /THE_URL: this database has the encoding LATIN1/);
  });

  it('is refused for databases with something in them', async () => {
    const options = await makeDatabases('refused', [['fine', 'x', 1]]);
    await query(options.url, 'create table notes (id int)');
    for (const attempt of [checkCopy, copyToPostgres])
      await assert.rejects(attempt(options), /THE_URL: this database has tables of something else \(notes\)/);
    assert.deepEqual(await query(options.url, `select tablename from pg_tables where schemaname = 'public'`), [
      { tablename: 'notes' },
    ]);
    await query(options.url, 'drop table notes');
    await checkCopy(options);
    assert.equal(await copyToPostgres(options), 1);
    for (const attempt of [checkCopy, copyToPostgres])
      await assert.rejects(attempt(options), /THE_URL: this database is in use already \(things has rows\).* THE_URL= \(empty\)/);
  });
});
