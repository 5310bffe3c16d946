// `npm run test:long [-- PART...]`: the tests of faults at full length, one after the other, in less than an hour. test/long/README.md
// says what the parts are. Variables of the environment replace the lengths below.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The lengths of each part, by its file. In `npm test` each takes seconds. */
const PARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  kills: { KILL_ROUNDS: '200' },
  'slow-clients': { SLOW_IDLE: '2000', SLOW_HOLD_SECONDS: '80' },
  overload: { OVERLOAD_SECONDS: '40' },
  soak: { SOAK_SECONDS: '1200' },
  clock: { CLOCK_HOLD_SECONDS: '75' },
  disk: { DISK_ROUNDS: '10' },
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);
const unknown = chosen.filter((part) => !(part in PARTS));
if (unknown.length > 0) {
  console.error(`no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-results-'));
const results = join(folder, 'results');
const failed: string[] = [];
const began = Date.now();
for (const part of chosen) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'test.ts'), `test/long/${part}.test.ts`], {
    stdio: 'inherit',
    env: { ...PARTS[part], TEST_TIMEOUT_MS: '7200000', ...process.env, LONG_RESULTS: results },
  });
  if (status !== 0) failed.push(part);
}
const load = loadavg().map((one) => one.toFixed(1));
console.log(
  `\n${chosen.length} parts in ${((Date.now() - began) / 60_000).toFixed(1)} minutes; ${availableParallelism()} cores, load ${load.join(' ')}`,
);
if (existsSync(results)) console.log(readFileSync(results, 'utf8').trimEnd());
rmSync(folder, { recursive: true, force: true });
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);
