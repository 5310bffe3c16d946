// A fresh identity service for a run: its own process, an empty data folder, a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newMasterKey } from '../../src/platform/seal/index.ts';
import type { RunnerOptions } from './options.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
const READY_WITHIN_MS = 60_000;

export const ADMIN_PASSWORD = 'the administrator of the conformance run';
/** The region of the catalog of a fresh service. */
export const REGION = 'RegionOne';

export interface RunningService {
  /** Without a path or a trailing slash. */
  readonly url: string;
  /** Of the wallet node, if it was asked for. */
  readonly walletUrl?: string | undefined;
  readonly adminPassword: string;
  /** For the files of a run. Removed by stop(), unless it is kept. */
  readonly folder: string;
  /** With the same settings and data: what it remembers in memory is gone. Not of what only has an address. */
  restart?(): Promise<void>;
  /** `keep`: keeps the files for inspection. */
  stop(keep?: boolean): Promise<void>;
}

export interface RunnerServiceOptions extends Omit<RunnerOptions, 'operands' | 'beside' | 'only' | 'rbac'> {
  /** More settings by their GATEHOUSE_ keys. */
  readonly settings?: Readonly<Record<string, string>>;
  /** With a wallet node beside it, at this port. */
  readonly walletPort?: number;
  /** A certificate for `localhost` with its key (PEM): then it is served at https://localhost. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** The environment without variables that would affect the service or a client, such as that of a runner that checks no certificates. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(GATEHOUSE|OS|TEMPEST|STESTR)_|^NODE_TLS_REJECT_UNAUTHORIZED$|^(https?|all|no)_proxy$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !foreign.test(key)));
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

export async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (Date.now() < end && child.exitCode === null) {
    const ready = await fetch(url).catch(() => undefined);
    if (ready?.ok) return;
    await sleep(100);
  }
  throw new Error('the service did not start');
}

/** Written into the folder of the run. */
function tlsSettings(folder: string, tls: RunnerServiceOptions['tls']): Record<string, string> {
  if (!tls) return {};
  const files = { cert: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') };
  writeFileSync(files.cert, tls.cert);
  writeFileSync(files.key, tls.key, { mode: 0o600 });
  return { GATEHOUSE_TLS_CERT_FILE: files.cert, GATEHOUSE_TLS_KEY_FILE: files.key };
}

const walletSettings = (walletUrl: string | undefined): Record<string, string> =>
  walletUrl === undefined ? {} : { GATEHOUSE_WALLET_URL: walletUrl, GATEHOUSE_WALLET_PORT: new URL(walletUrl).port };

export async function startService(options: RunnerServiceOptions): Promise<RunningService> {
  const { databaseUrl, keep, settings = {}, tls, walletPort } = options;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-'));
  const host = tls ? 'https://localhost' : 'http://127.0.0.1';
  const url = `${host}:${await freePort()}`;
  const walletUrl = walletPort === undefined ? undefined : `${host}:${walletPort}`;
  const adminPassword = ADMIN_PASSWORD;
  const logFile = join(folder, 'service.log');
  const output = openSync(logFile, 'w');
  const environment = {
    ...cleanEnvironment(),
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_IDENTITY_PORT: new URL(url).port,
    GATEHOUSE_IDENTITY_URL: url,
    GATEHOUSE_METRICS_PORT: '0',
    GATEHOUSE_RATE_LIMITS: 'off',
    // External suites use short passwords.
    GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: '1',
    GATEHOUSE_IDENTITY_PASSWORD_COMMON: 'allow',
    GATEHOUSE_ADMIN_PASSWORD: adminPassword,
    ...(databaseUrl ? { GATEHOUSE_IDENTITY_DATABASE_URL: databaseUrl, GATEHOUSE_MASTER_KEY: newMasterKey() } : {}),
    ...tlsSettings(folder, tls),
    ...walletSettings(walletUrl),
    ...settings,
  };
  const run = (): ChildProcess =>
    spawn(process.execPath, [LAUNCHER, walletUrl ? 'start' : 'identity'], {
      stdio: ['ignore', output, output],
      env: environment,
    });
  let child = run();
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const untilReady = async (): Promise<void> => {
    await untilAnswers(`${url}/readyz`, child);
    if (walletUrl) await untilAnswers(`${walletUrl}/livez`, child);
  };
  const restart = async (): Promise<void> => {
    await end();
    child = run();
    await untilReady();
  };
  const stop = async (keepAnyway = false): Promise<void> => {
    await end();
    if (keep || keepAnyway) console.log(`kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  };
  // An interrupted run must not leave the service behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().finally(() => process.exit(1)));
  try {
    await untilReady();
  } catch (error) {
    console.error(readFileSync(logFile, 'utf8'));
    await stop();
    throw error;
  }
  return { url, walletUrl, adminPassword, folder, restart, stop };
}
