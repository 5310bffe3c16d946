// The programs of a run: each with its log below one temporary folder. Everything ends with the run, also when that is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** PostgreSQL refuses to run as root, so root runs it, and what starts it, as nobody. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0;
const END_WITH_US = ['setpriv', '--pdeathsig=KILL'];
const AS_NOBODY = asNobody ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

/** Ends servers that outlive who started them (Patroni leaves PostgreSQL running), then removes the folder. */
const SWEEP = `read -r _
for file in "$0"/*/data/postmaster.pid; do [ -f "$file" ] && kill -QUIT "$(head -1 "$file")"; done
for i in $(seq 100); do rm -rf "$0" && exit; sleep 0.1; done`;

export const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** Waits for a condition, as long as a slow machine may need. */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean, seconds = 90): Promise<number> {
  const began = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - began > seconds * 1000) throw new Error(`waited ${seconds} s until ${what}`);
    await sleep(50);
  }
  return performance.now() - began;
}

export class Programs {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-failover-'));
  readonly #children = new Set<ChildProcess>();
  readonly #sweeper: ChildProcess;

  constructor(keep: boolean) {
    if (asNobody) chownSync(this.folder, NOBODY, NOBODY);
    const script = keep ? SWEEP.replace('rm -rf "$0" && ', '') : SWEEP;
    this.#sweeper = spawn('/bin/sh', ['-c', script, this.folder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      detached: true,
    });
    this.#sweeper.unref();
  }

  /** A folder for one program, which it may write. */
  newFolder(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { mode: 0o700 });
    if (asNobody) chownSync(folder, NOBODY, NOBODY);
    return folder;
  }

  logFile(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  log(name: string): string {
    return readFileSync(this.logFile(name), 'utf8');
  }

  /** Starts a program of Debian. */
  start(name: string, command: readonly string[]): ChildProcess {
    return this.#spawn(name, [...END_WITH_US, ...AS_NOBODY, '--', ...command], {
      PATH: `${process.env.PATH}:/usr/sbin`,
      TZ: 'UTC',
    });
  }

  /** Starts a process of ours, as the user of this run: nobody may not be able to read the code. */
  startOurs(name: string, command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
    return this.#spawn(name, [...END_WITH_US, '--', ...command], env);
  }

  #spawn(name: string, [program, ...args]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
    const output = openSync(this.logFile(name), 'a');
    const child = spawn(program!, args, { stdio: ['ignore', output, output], cwd: this.folder, env });
    closeSync(output);
    this.#children.add(child);
    return child;
  }

  async stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (isRunning(child)) {
      child.kill(signal);
      await once(child, 'exit');
    }
    this.#children.delete(child);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.stop(child, 'SIGKILL')));
    this.#sweeper.ref();
    this.#sweeper.stdin?.destroy();
    await once(this.#sweeper, 'exit');
  }
}
