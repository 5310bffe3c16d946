// Processes of the bench: every measured program and every load generator runs in its own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];
const here = (file: string): string => join(import.meta.dirname, file);

const started = new Set<ChildProcess>();
const folders: string[] = [];

/** Leaves no processes or folders behind, however the bench ends. */
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  folders.push(folder);
  return folder;
}

/** Settings of the shell must not affect the measurement. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(GATEHOUSE_|NODE_|OS_)/.test(key)));
}

export function start(
  command: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; output?: 'pipe' | 'ignore' } = {},
): ChildProcess {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    env: options.env ?? cleanEnvironment(),
    stdio: ['ignore', options.output ?? 'ignore', 'pipe'],
    ...(options.cwd ? { cwd: options.cwd } : {}),
  });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

export const startScript = (
  file: string,
  args: readonly string[] = [],
  options: Parameters<typeof start>[1] = {},
): ChildProcess => start([...NODE, here(file), ...args], options);

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Waits for the end and returns the output. Throws with the error output if it failed. */
export async function output(child: ChildProcess): Promise<string> {
  let [text, complaints] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code}: ${complaints || text}`);
  return text;
}

export async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout!, 'data');
  return String(chunk).trim();
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** The process and all its descendants. */
export function processTree(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  return [pid, ...children.flatMap(processTree)];
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The fields of /proc/PID/stat from the state on. The name before it, in brackets, may contain spaces. */
const statOf = (pid: number | 'self'): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');

/** CPU seconds that the process and its descendants have used, all threads. */
export function cpuSeconds(pid: number): number {
  const ticks = processTree(pid).map((one) => {
    const [user, system] = statOf(one).slice(11, 13).map(Number);
    return user! + system!;
  });
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
}

/** Measures how much of the machine other processes used. Above a few percent the figures are not reliable. */
export function watchOthers(): () => number {
  const busy = (): number => {
    const [user, nice, system, , , , , steal] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]!
      .split(/ +/)
      .slice(1)
      .map(Number);
    return user! + nice! + system! + steal!;
  };
  /** Of this process, and of all its children that have ended. */
  const own = (): number =>
    statOf('self')
      .slice(11, 15)
      .map(Number)
      .reduce((sum, each) => sum + each, 0);
  const [busyBefore, ownBefore, began] = [busy(), own(), performance.now()];
  return () => {
    const machine = ((performance.now() - began) / 1000) * TICKS_PER_SECOND * cpus().length;
    return Math.max(0, busy() - busyBefore - (own() - ownBefore)) / machine;
  };
}

export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

/** The memory of a process and its descendants. What they share counts once: half of it for each of two. */
export function memoryOf(pid: number): number {
  const shares = processTree(pid).map((one) => {
    const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  });
  return shares.reduce((sum, each) => sum + each, 0);
}

/** The process that started this one. */
export const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** The first line a command prints, if the command exists. Its exit code is ignored: `wrk -v` exits with 1. */
export function versionOf(command: string, ...args: string[]): string | undefined {
  const { stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return stdout?.split('\n', 1)[0]?.trim() || undefined;
}
