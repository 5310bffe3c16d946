import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, type QueryResultRow } from 'pg';
import { type PostgresServer, sharedPostgres, startPostgres } from './postgres.ts';

const foreign = process.env.DATABASE_URL ? 'DATABASE_URL names a server that is not ours to stop' : false;

async function query<Row extends QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Process id, folders (of its data and of its programs) and port of a server, from the server itself. */
async function traces(url: string): Promise<{ pid: number; folders: readonly string[]; port: number }> {
  const [row] = await query<{ data_directory: string }>(url, 'show data_directory');
  const data = row!.data_directory;
  const pid = Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10);
  const programs = join(await readlink(`/proc/${pid}/exe`), '../../..');
  return { pid, folders: [data, programs], port: Number(new URL(url).port) };
}

function refuses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });
}

/** Also true for a zombie, which has no command line. */
async function ended(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) === '';
}

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = Date.now(); !(await condition()); await sleep(20)) {
    if (Date.now() - start > 15_000) assert.fail(`not within 15 s: ${what}`);
  }
}

async function owner(t: { after(fn: () => void): void }, ...args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const script = fileURLToPath(new URL('./fixtures/postgres-owner.ts', import.meta.url));
  const env = { ...process.env };
  delete env.TEST_POSTGRES_URL;
  const flags = ['--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, script, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  assert.match(String(line), /^postgres:/, 'the child starts a server');
  return { child, url: String(line).trim() };
}

describe('startPostgres', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  test('gives PostgreSQL 15 or newer', async () => {
    const [row] = await query<{ version: string }>(server.url, 'select version()');
    const major = Number(/^PostgreSQL (\d+)/.exec(row!.version)?.[1]);
    assert.ok(major >= 15, row!.version);
  });

  test('createDatabase gives a different, empty database each time, even at once', async () => {
    const urls = await Promise.all([server.createDatabase(), server.createDatabase()]);
    assert.notEqual(urls[0], urls[1]);
    for (const url of urls) {
      const tables = "select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace";
      assert.deepEqual(await query(url, tables), [{ count: 0 }]);
      await query(url, 'create table same_name (id int)');
    }
  });

  test('createDatabase takes a name that needs quotes', async () => {
    const name = `Ünusual "name" 100% @${process.pid}`;
    const url = await server.createDatabase(name);
    assert.deepEqual(await query(url, 'select current_database() as name'), [{ name }]);
    await query(server.url, `drop database "${name.replaceAll('"', '""')}"`);
  });

  test('the database is UTF8 and sorts by code point', async () => {
    const sql = "select current_setting('server_encoding') as encoding, 'a' > 'B' as by_code_point";
    assert.deepEqual(await query(await server.createDatabase(), sql), [{ encoding: 'UTF8', by_code_point: true }]);
  });
});

describe('the end of a started server', { skip: foreign }, () => {
  test('stop ends the process and removes its folders', async () => {
    const server = await startPostgres();
    const { pid, folders, port } = await traces(server.url);
    assert.ok(folders.every((one) => existsSync(one)) && !(await ended(pid)) && !(await refuses(port)));
    await Promise.all([server.stop(), server.stop()]);
    assert.ok(!folders.some((one) => existsSync(one)));
    assert.ok(await ended(pid));
    assert.ok(await refuses(port));
    await server.stop();
  });

  test('a process that never stops its server ends, and so does the server', async (t) => {
    const { child, url } = await owner(t);
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
    const port = Number(new URL(url).port);
    await until('the port refuses connections', () => refuses(port));
  });

  test('a process killed with SIGKILL takes its server along', async (t) => {
    const { child, url } = await owner(t, 'stay');
    const { pid, folders, port } = await traces(url);
    child.kill('SIGKILL');
    await until('the port refuses connections', () => refuses(port));
    await until('the server process is gone', () => ended(pid));
    await until('the folders are removed', () => !folders.some((one) => existsSync(one)));
  });
});

test('sharedPostgres is the server the runner names, and cannot be stopped', async (t) => {
  const before = process.env.TEST_POSTGRES_URL;
  t.after(() => {
    if (before === undefined) delete process.env.TEST_POSTGRES_URL;
    else process.env.TEST_POSTGRES_URL = before;
  });
  const running = await startPostgres();
  t.after(() => running.stop());
  process.env.TEST_POSTGRES_URL = running.url;
  const [one, two] = await Promise.all([sharedPostgres(), sharedPostgres()]);
  assert.equal(one, two);
  assert.equal(one.url, running.url);
  await one.stop();
  assert.equal((await query(await one.createDatabase(), 'select 1')).length, 1);
});
