// A gatehouse process, started as an operator does: by the launcher, with settings in the environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
/** Much longer than needed, because all cores may be busy with other tests. */
const START_MS = 60_000;

export type ProcessSettings = Readonly<Record<string, string>>;

/** Fast hashes and free ports, on one address; otherwise the defaults. */
export const SETTINGS: ProcessSettings = {
  GATEHOUSE_IDENTITY_HOST: '127.0.0.1',
  GATEHOUSE_IDENTITY_PORT: '0',
  GATEHOUSE_WALLET_HOST: '127.0.0.1',
  GATEHOUSE_WALLET_PORT: '0',
  GATEHOUSE_METRICS_PORT: '0',
  GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
  GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
};

export class GatehouseProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';

  constructor(
    args: readonly string[],
    settings: ProcessSettings,
    cwd?: string,
    runtime = process.execPath,
    /** Another installation than the sources. */
    [program, ...before]: readonly [string, ...string[]] = [runtime, LAUNCHER],
  ) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GATEHOUSE_')));
    this.child = spawn(program, [...before, ...args], {
      env: { ...env, ...SETTINGS, ...settings },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.stdout += chunk;
    });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
  }

  /** Waits for this number of addresses it listens on. */
  listening(count = 1): Promise<string> {
    return this.#addressOf('identity service', count);
  }

  walletListening(count = 1): Promise<string> {
    return this.#addressOf('wallet node', count);
  }

  async #addressOf(service: string, count: number): Promise<string> {
    const said = new RegExp(`"address":"(http[^"]+)","msg":"${service} listens"`, 'g');
    const until = Date.now() + START_MS;
    for (;;) {
      const addresses = [...this.stdout.matchAll(said)].map(([, address]) => address!);
      if (addresses.length >= count) return addresses[0]!;
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null || Date.now() > until)
        throw new Error(`did not start (exit ${signalCode ?? exitCode}):\n${this.stdout}\n${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  /** The process that serves: the launcher itself after execve, or its child. */
  get serving(): number {
    const { pid } = this.child;
    const [started] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return started === undefined ? pid! : Number(started);
  }

  /** Kills it without a chance to clean up. */
  async killNow(): Promise<void> {
    process.kill(this.serving, 'SIGKILL');
    await this.ended();
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended();
  }
}

/** As an operator starts it who says nothing about addresses. The ports are free ones. */
export const DEFAULT_ADDRESSES: ProcessSettings = { GATEHOUSE_IDENTITY_HOST: 'localhost', GATEHOUSE_WALLET_HOST: 'localhost' };

/** `runtime`: the Node the launcher runs on. */
export function gatehouse(
  args: readonly string[],
  settings: ProcessSettings = {},
  cwd?: string,
  runtime?: string,
): GatehouseProcess {
  return new GatehouseProcess(args, settings, cwd, runtime);
}

/** Processes and folders of a suite: stopped and removed at its end. */
export function usesProcesses() {
  const running: GatehouseProcess[] = [];
  const folders: string[] = [];
  after(async () => {
    await Promise.all(running.map((service) => service.stop()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });
  return {
    async newFolder(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
      folders.push(folder);
      return folder;
    },
    run(args: readonly string[], settings: ProcessSettings = {}): GatehouseProcess {
      const service = gatehouse(args, settings);
      running.push(service);
      return service;
    },
  };
}
