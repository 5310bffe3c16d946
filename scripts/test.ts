// `npm test [-- FILE...]`: runs the tests, on SQLite and on one real PostgreSQL that all test processes share. `npm run test:all` sets
// TEST_EXTENT=all: at full breadth (test/support/extent.ts).
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { inFullRun } from '../test/support/extent.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { leftovers } from './leftovers.ts';
import { missing } from './needs.ts';
import { testProcesses, usualFiles } from './test-processes.ts';

function stop(lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

const chosen = process.argv.slice(2);
const named = (patterns: readonly string[]): readonly string[] => patterns.flatMap((pattern) => globSync(pattern)).sort();
const all = named(['{src,test,scripts,conformance}/**/*.test.ts']);
const files = chosen.length > 0 ? named(chosen) : inFullRun(all, usualFiles(all));
if (files.length === 0) stop(['no test files']);
const absent = missing(files);
if (absent.length > 0) stop(absent);

/**
 * Where the tests write: in memory if there is room, because every change of a service waits for the disk (some milliseconds on a shared
 * machine). TMPDIR decides if it is set.
 */
function temporaryFolder(): string {
  if (process.env.TMPDIR) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_NEEDED ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED = 6 * 1024 ** 3;

const parent = temporaryFolder();
const postgres = await startPostgres(parent);
// All temporary files go into one folder, so that leftovers of the tests can be found. For root, PostgreSQL runs as the user nobody, who
// must be able to enter it.
const folder = mkdtempSync(join(parent, 'gatehouse-tests-'));
chmodSync(folder, 0o711);
// Settings of the shell that starts the tests must not leak into the services the tests start.
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GATEHOUSE_')));
/** Who names files wants each on both databases (test/support/migrated-database.ts). */
const turns = chosen.length > 0 ? {} : { TEST_IN_TURN: '1' };
const failuresPath = join(folder, 'failures');
// Beside the folder, because it is no leftover.
const templates = mkdtempSync(join(parent, 'gatehouse-templates-'));
/** Test processes at the same time. They wait (for commits, browsers, services that start, time to pass) as long as they compute, also on two cores. */
const PROCESSES = 5;

/** The exit status of the tests in these files, and the files that failed. */
function run(chosenFiles: readonly string[]): { readonly status: number; readonly failed: readonly string[] } {
  const { status } = spawnSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      // For the test processes: they share the cores, and do not live long.
      '--single-threaded-gc',
      '--min-semi-space-size=64',
      '--max-semi-space-size=64',
      '--test',
      `--test-concurrency=${PROCESSES}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(import.meta.dirname, 'failed-files.ts')}`,
      `--test-reporter-destination=${failuresPath}`,
      `--test-timeout=${process.env.TEST_TIMEOUT_MS ?? 900_000}`,
      ...chosenFiles,
    ],
    {
      stdio: 'inherit',
      env: { ...env, ...turns, TEST_POSTGRES_URL: postgres.url, TEST_SQLITE_TEMPLATES: templates, TMPDIR: folder },
    },
  );
  const failed = new Set(readFileSync(failuresPath, 'utf8').split('\n').filter(Boolean));
  rmSync(failuresPath);
  return { status: status ?? 1, failed: [...failed].map((file) => relative(process.cwd(), file)) };
}

/** Tests in a browser and tests of how long answers take depend on how busy the machine is. Two files may try again, alone. Not attacks: one that works once is one too many. */
const MAY_TRY_AGAIN = /^test\/(?:browser\/(?!.*\.security\.)|enumeration)/;
const MOST_FILES_TRIED_AGAIN = 2;

// Who names files debugs them: each has its own process then, as in an editor.
const processes = chosen.length > 0 ? { paths: files, remove: () => {} } : testProcesses(files);
let { status, failed } = run(processes.paths);
processes.remove();
if (failed.length > 0 && failed.length <= MOST_FILES_TRIED_AGAIN && failed.every((file) => MAY_TRY_AGAIN.test(file))) {
  console.error(`failed, tried again alone: ${failed.join(', ')}`);
  ({ status, failed } = run(failed));
  if (status === 0) console.error('passed at the second try only: find out why before you rely on it');
}
const left = await leftovers(folder);
await postgres.stop();
for (const one of [folder, templates]) rmSync(one, { recursive: true, force: true });
if (left.length > 0) stop(['the tests left behind:', ...left.map((one) => `  ${one}`)]);
process.exit(status);
