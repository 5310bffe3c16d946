// How many people a second move in from a Keystone on SQLite, on a quiet machine: node bin/run.js bench/import.ts [people] [postgres]
// The command works on the database of a stopped service, so the same code runs without HTTP. A second run finds all of them known.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeystoneSource } from '../test/support/keystone-source.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { GatehouseProcess } from '../test/support/process.ts';

const BCRYPT = '$2b$12$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';
const people = Number(process.argv[2] ?? 50_000);
const onPostgres = process.argv[3] === 'postgres';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const keystone = new KeystoneSource();
const server = onPostgres ? await startPostgres() : undefined;
const url = server && (await server.createDatabase());

async function run(): Promise<number> {
  const began = performance.now();
  const one = new GatehouseProcess(['import', 'keystone', keystone.location, '--apply', '--merge', 'domain,role'], {
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_ADMIN_PASSWORD: 'the first administrator',
    ...(url ? { GATEHOUSE_IDENTITY_DATABASE_URL: url, GATEHOUSE_MASTER_KEY: Buffer.alloc(32).toString('base64url') } : {}),
  });
  await new Promise((resolve) => one.child.once('exit', resolve));
  if (one.child.exitCode !== 0) throw new Error(one.stderr + one.stdout);
  return (performance.now() - began) / 1000;
}

try {
  await keystone.start('SQLite');
  await keystone.domain('default', { name: 'Default' });
  // The first one makes the tables.
  await run();
  const empty = await run();
  await keystone.run('begin');
  for (let at = 0; at < people; at++)
    await keystone.user(`${String(at).padStart(8, '0')}-of-a-bench`, `person.${at}`, 'default', [BCRYPT], {
      extra: `{"email":"person.${at}@harbour.example","description":"somebody"}`,
    });
  await keystone.run('commit');
  const first = await run();
  const second = await run();
  const rate = (seconds: number): number => Math.round(people / (seconds - empty));
  console.log(
    `${people} people on ${onPostgres ? 'PostgreSQL' : 'SQLite'}: ${rate(first)}/s, known again ${rate(second)}/s (start ${empty.toFixed(1)} s)`,
  );
} finally {
  await keystone.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
