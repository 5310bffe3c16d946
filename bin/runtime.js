// Chooses the Node that runs Gatehouse: the current one if it is new enough, else the one installed by `npm ci`.
// Plain JavaScript, because this file must run on any Node version.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism, constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { onEndOfNpm } from './parent.js';
import { replaceProcess } from './replace-process.js';

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
 * Defaults that the environment may override. Password hashing takes 19 MB at a time. By default the allocator keeps such blocks for each
 * thread, so that a process with many logins would hold 150 MB more than it uses. The compile cache saves stripping types and compiling
 * again at every start: more than a second, and 0.4 s in a release.
 */
const environment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  // Password hashes use all cores but one. Other work that needs a thread (key devices, DNS lookups) must not wait for them.
  UV_THREADPOOL_SIZE: String(availableParallelism() + 4),
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)),
  ...process.env,
};

/**
 * --expose-gc is for src/platform/give-back-memory.ts. The collector runs on one thread: for the short-lived objects of requests that
 * is faster than synchronizing several threads. The space for new objects is fixed at 32 MB: by default V8 shrinks it to 1 MB while the
 * process is idle, and grows it only slowly under load.
 */
const flags = [
  '--disable-warning=ExperimentalWarning',
  '--expose-gc',
  '--no-parallel-scavenge',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
];

/** Loaded before the main file. */
const watch = ['--import', new URL('./end-with-parent.js', import.meta.url).href];

/**
 * Runs a TypeScript file on the chosen runtime, with the same exit code and signals: in the place of this process. Where that cannot be
 * done, it starts a child process, which ends when this one ends.
 */
export function run(file, args) {
  const program = runtime();
  const words = [...flags, ...watch, file, ...args];
  replaceProcess(program, [program, ...words], environment);
  const child = spawn(program, words, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: environment });
  // A terminal signals the whole process group, a supervisor only this process. The child treats two signals as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  onEndOfNpm(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
