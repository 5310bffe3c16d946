// `gatehouse audit`: beside a running service.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { itAtLength } from './support/extent.ts';
import { sharedPostgres } from './support/postgres.ts';
import { type ProcessSettings, usesProcesses } from './support/process.ts';

const PASSWORD = 'the administrator of this test';
const PATIENCE_MS = 60_000;

describe('gatehouse audit', () => {
  const { newFolder, run } = usesProcesses();
  let folder: string;
  let settings: ProcessSettings;
  let url: string;

  const logIn = (password: string) =>
    fetch(`${url}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        auth: { identity: { methods: ['password'], password: { user: { name: 'admin', domain: { id: 'default' }, password } } } },
      }),
    });
  async function audit(...args: string[]): Promise<string> {
    const command = run(['audit', ...args], settings);
    assert.equal(await command.ended(), 0, command.stderr);
    return command.stdout;
  }
  async function refused(why: RegExp, args: readonly string[], more: ProcessSettings = {}): Promise<void> {
    const command = run(['audit', ...args], { ...settings, ...more });
    assert.equal(await command.ended(), 2);
    assert.match(command.stderr, why);
  }

  before(async () => {
    folder = await newFolder();
    settings = { GATEHOUSE_DATA_DIR: folder, GATEHOUSE_ADMIN_PASSWORD: PASSWORD };
    url = await run(['identity'], settings).listening();
    assert.equal((await logIn(PASSWORD)).status, 201);
    assert.equal((await logIn('wrong\u001b[31m')).status, 401);
  });

  it('lists, exports and follows the events of a running service', async () => {
    const listed = await audit('list', '--action', 'user.log*');
    const [good, bad] = listed.trimEnd().split('\n');
    assert.match(good!, /^\d{4}-\d\d-\d\dT[\d:]+Z {2}user\.logged_in {2}user:\w+ {2}by \w+ /);
    assert.match(bad!, /FAILED user\.login_refused/);

    const file = join(folder, 'events.csv');
    await audit('export', file, '--format', 'csv', '--since', '2020-01-01');
    assert.match(readFileSync(file, 'utf8'), /^id,at,action,outcome,[^\n]+\r\n"[^\n]+\r\n/);
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const follower = run(['audit', 'follow', '--action', 'user.logged_in', '--format', 'json'], settings);
    // It prints what happens after its start, which is when it prints the first of these.
    for (const end = Date.now() + PATIENCE_MS; follower.stdout === '' && Date.now() < end; await delay(200))
      await logIn(PASSWORD);
    const before = follower.stdout.split('\n').length;
    await logIn(PASSWORD);
    for (const end = Date.now() + PATIENCE_MS; follower.stdout.split('\n').length <= before && Date.now() < end; )
      await delay(50);
    const followed = follower.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; action: string });
    assert.equal(new Set(followed.map(({ id }) => id)).size, followed.length, 'each once');
    assert.ok(followed.length >= 2 && followed.every(({ action }) => action === 'user.logged_in'));
  });

  itAtLength('lists in another format, and exports to the standard output', async () => {
    const cadf = (await audit('list', '--outcome', 'failure', '--format', 'cadf')).trimEnd().split('\n');
    assert.deepEqual(
      cadf.map((line) => JSON.parse(line).event_type),
      ['identity.authenticate'],
    );
    const lines = (await audit('export', '-', '--action', 'user.*'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(lines.length >= 2 && lines.every(({ action }) => action.startsWith('user.')));
  });

  itAtLength('overwrites no file, creates no tables, and refuses what it does not know', async () => {
    const file = join(folder, 'once.csv');
    await audit('export', file, '--format', 'csv');
    await refused(/exists; name a new file/, ['export', file]);

    const empty = await (await sharedPostgres()).createDatabase();
    await refused(/not of this version/, ['list'], { GATEHOUSE_IDENTITY_DATABASE_URL: empty });
    const client = new pg.Client(empty);
    await client.connect();
    assert.equal((await client.query("select 1 from pg_tables where schemaname = 'public'")).rowCount, 0, 'nothing is created');
    await client.end();

    await refused(/success or failure/, ['list', '--outcome', 'maybe']);
  });
});
