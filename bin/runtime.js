// Which Node runs Gatehouse: the running one when it is new enough, else the one that came with `npm ci`.
// Plain JavaScript on purpose: this file is read by whatever Node the machine has.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism, constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { onEndOfNpm } from './parent.js';

const NEEDED = 24;
const [major] = process.versions.node.split('.').map(Number);

function runtime() {
  if (major >= NEEDED) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    console.error(`gatehouse: Node ${NEEDED} or newer is needed; ${name} is not installed. Run: npm ci`);
    process.exit(2);
  }
}

/**
 * What the environment does not say otherwise. Password hashing takes 19 MB at a time; left to itself the allocator keeps such
 * pieces, one for each thread, and a process that logs people in holds 150 MB more than it uses. The compile cache saves
 * stripping types again at every start: half a second, and the 20 MB of the stripper.
 */
const environment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  // Hashes take all cores but one; what else needs a thread (a device that keeps keys, names of hosts) must not wait behind them.
  UV_THREADPOOL_SIZE: String(availableParallelism() + 4),
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)),
  ...process.env,
};

/**
 * The collector can be called (src/platform/collector.ts). It works on one thread: what a request leaves behind is collected sooner so
 * than by several that first have to meet. And the room for new objects, 32 MB, stays as it is: left to itself the collector takes it
 * away from a process with nothing to do, down to a megabyte, and gives it back slowly once there is something to do.
 */
const flags = [
  '--disable-warning=ExperimentalWarning',
  '--expose-gc',
  '--no-parallel-scavenge',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
];

/** Read before the file that runs. */
const watch = ['--import', new URL('./end-with-parent.js', import.meta.url).href];

/**
 * Runs a TypeScript file on the chosen runtime and ends as it ends: same exit code, same signals. Where Node can (22.15 and newer), this
 * process becomes the one that runs; else it starts another one, which ends with this one, however that ends.
 */
export function run(file, args) {
  const program = runtime();
  const words = [...flags, ...watch, file, ...args];
  if (process.execve) process.execve(program, [program, ...words], environment);
  const child = spawn(program, words, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: environment });
  // A terminal signals the whole group itself; a supervisor signals only us. What comes twice is taken for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  onEndOfNpm(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
