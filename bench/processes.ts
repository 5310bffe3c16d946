// Processes of the bench: each thing that is measured, and each load generator, has one of its own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];
const here = (file: string): string => join(import.meta.dirname, file);

const started = new Set<ChildProcess>();
const folders: string[] = [];

/** Whatever happens, nothing of the bench stays behind. */
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

/** Settings of the shell must not leak into what is measured. */
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

/** Runs to its end; the output, or an error with what it complained about. */
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

/** The process and those it started: a launcher, a master with workers. */
export function family(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  return [pid, ...children.flatMap(family)];
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of processor time the process and its children have used, all threads. */
export function cpuSeconds(pid: number): number {
  let ticks = 0;
  for (const one of family(pid)) {
    // The name, in brackets, may hold blanks: count from behind it.
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]!.split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
}

export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

/** The first line a command prints, if there is such a command. Its exit code says nothing: `wrk -v` ends with 1. */
export function versionOf(command: string, ...args: string[]): string | undefined {
  const { stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return stdout?.split('\n', 1)[0]?.trim() || undefined;
}
