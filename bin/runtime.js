// Which Node runs Gatehouse: the running one when it is new enough, else the one that came with `npm ci`.
// Plain JavaScript on purpose: this file is read by whatever Node the machine has.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';

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

/** Runs a TypeScript file on the chosen runtime and ends as it ends: same exit code, same signals. */
export function run(file, args) {
  const child = spawn(runtime(), ['--disable-warning=ExperimentalWarning', file, ...args], { stdio: 'inherit' });
  // A terminal signals the whole group itself; a supervisor signals only us. Passing it on twice is harmless.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
