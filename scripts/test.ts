// `npm test`: every test, against SQLite and one real PostgreSQL that all test processes share.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { startPostgres } from '../test/support/postgres.ts';

const chosen = process.argv.slice(2);
const files = (chosen.length > 0 ? chosen : ['{src,test,scripts,conformance}/**/*.test.ts'])
  .flatMap((pattern) => globSync(pattern))
  .sort();
if (files.length === 0) {
  console.error('no test files');
  process.exit(1);
}

const postgres = await startPostgres();
// Settings of the shell that starts the tests must not leak into the services the tests start.
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GATEHOUSE_')));
const { status } = spawnSync(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=2', '--test-timeout=300000', ...files],
  { stdio: 'inherit', env: { ...env, TEST_POSTGRES_URL: postgres.url } },
);
await postgres.stop();
process.exit(status ?? 1);
