// kill -9 at random moments of first starts and upgrades: the next start continues. `npm run test:kills` runs 200 rounds.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '../src/platform/database/sqlite.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { inFullRun } from './support/extent.ts';

const ROUNDS = Number(process.env.MIGRATION_KILLS ?? inFullRun(10, 2));
const START = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const SERVICES = ['identity', 'wallet'];
const migrationsOf = (service: string) => fileURLToPath(new URL(`../src/${service}/migrations`, import.meta.url));

const root = mkdtempSync(join(tmpdir(), 'gatehouse-kills-'));
after(() => rmSync(root, { recursive: true, force: true }));

const settings = (folder: string) => ({
  PATH: process.env.PATH,
  // As by the launcher: without it every start compiles all files.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  GATEHOUSE_DATA_DIR: folder,
  GATEHOUSE_IDENTITY_PORT: '0',
  GATEHOUSE_WALLET_PORT: '0',
  GATEHOUSE_METRICS_PORT: '0',
  GATEHOUSE_ADMIN_PASSWORD: 'a password that is long enough',
  GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
  GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
});

/** The process itself without the launcher, because the writing process must be killed. */
function run(folder: string, command: string) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', START, command], { env: settings(folder) });
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said.text += chunk;
    });
  return { child, said, ended: once(child, 'exit') as Promise<[number | null, string | null]> };
}

const MADE = 1_700_000_000;

/** Databases as an earlier version made them, with data in them. */
async function makeOlder(folder: string, count: number): Promise<void> {
  for (const service of SERVICES) {
    const some = join(folder, `${service}-migrations`);
    mkdirSync(some, { recursive: true });
    const files = readdirSync(migrationsOf(service)).sort().slice(0, count);
    for (const file of files) copyFileSync(join(migrationsOf(service), file), join(some, file));
    await (await openSqlite(join(folder, `${service}.sqlite`), some)).close();
    rmSync(some, { recursive: true });
  }
  const handle = new DatabaseSync(join(folder, 'identity.sqlite'));
  handle.exec(`
    insert into projects (id, name, is_domain, enabled, description, epoch, options, extra, created_at)
      values ('old', 'old', 1, 1, '', 0, '{}', '{}', ${MADE});
    insert into users (id, domain_id, name, name_key, enabled, epoch, options, extra, created_at)
      values ('kept', 'old', 'kept', 'kept', 1, 0, '{}', '{}', ${MADE});`);
  handle.close();
}

function look(folder: string): { schema: unknown[]; kept: unknown } {
  const schema = SERVICES.flatMap((service) => {
    const handle = new DatabaseSync(join(folder, `${service}.sqlite`), { readOnly: true });
    const [check] = handle.prepare('pragma integrity_check').all() as { integrity_check: string }[];
    assert.equal(check?.integrity_check, 'ok');
    const rows = handle.prepare("select name from sqlite_master where name not like 'kysely%' order by name").all();
    handle.close();
    return rows.map(({ name }) => `${service} ${name}`);
  });
  const handle = new DatabaseSync(join(folder, 'identity.sqlite'), { readOnly: true });
  const kept = handle.prepare("select updated_at from users where id = 'kept'").get();
  handle.close();
  return { schema, kept };
}

describe('kill -9 at a random moment', () => {
  it(`of ${ROUNDS} first starts and upgrades loses no database`, { timeout: 60_000 + ROUNDS * 30_000 }, async () => {
    const untouched = join(root, 'untouched');
    mkdirSync(untouched);
    const began = performance.now();
    const whole = run(untouched, 'migrate');
    assert.deepEqual(await whole.ended, [0, null], whole.said.text);
    const usual = performance.now() - began;
    const { schema } = look(untouched);

    let killed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const folder = join(root, String(round));
      mkdirSync(folder);
      // Odd rounds are upgrades, each from another state. The key exists, because a database without one is a different case.
      const isUpgrade = round % 2 === 1;
      if (isUpgrade) {
        await makeOlder(folder, 1 + (round % 3));
        writeFileSync(join(folder, 'master.key'), `${newMasterKey()}\n`);
      }
      const moment = usual * (0.3 + Math.random());
      const first = run(folder, round % 4 < 2 ? 'start' : 'migrate');
      await Promise.race([sleep(moment), first.ended]);
      first.child.kill('SIGKILL');
      const [, signal] = await first.ended;
      if (signal === 'SIGKILL') killed++;

      const second = run(folder, 'migrate');
      assert.deepEqual(await second.ended, [0, null], `round ${round}, killed after ${moment} ms:\n${second.said.text}`);
      const after = look(folder);
      assert.deepEqual(after.schema, schema);
      if (isUpgrade) assert.deepEqual({ ...(after.kept as object) }, { updated_at: MADE * 1000 });
      rmSync(folder, { recursive: true });
    }
    assert.ok(killed > 0);
  });
});
