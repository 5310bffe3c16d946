// Gatehouse under test: a data folder of a given size, and the service in a process of its own.

import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachConcurrently } from '../src/platform/for-each-concurrently.ts';
import { cleanEnvironment, freePort, output, processTree, start, startScript, stop, temporaryFolder } from './processes.ts';
import { MEMBERS } from './seed.ts';

export const PASSWORD = 'the administrator of the bench';
const LAUNCHER = join(import.meta.dirname, '../bin/gatehouse.js');
const READY_MS = 60_000;
/** Asking costs the machine something too: more often than this, it would slow down the start it measures. */
const POLL_MS = 10;

export interface DataSize {
  readonly users: number;
  readonly revocations: number;
}

export interface Gatehouse {
  readonly url: string;
  /** The wallet node, in the same process. */
  readonly walletUrl: string;
  /** The process that serves. */
  readonly pid: number;
  /** The launcher's process, if it is not the one that serves. */
  readonly launcherPid: number | undefined;
  /** From the start of the process to its first answer. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

export interface DataFolder {
  readonly folder: string;
  readonly size: DataSize;
  readonly port: number;
  readonly walletPort: number;
  /** Settings of this service beside the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

export async function untilAnswers(url: string, child: ChildProcess, within = READY_MS): Promise<void> {
  let complaints = '';
  child.stderr!.on('data', (chunk) => {
    complaints += chunk;
  });
  const end = performance.now() + within;
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() > end) throw new Error(`did not start: ${complaints}`);
    await sleep(POLL_MS);
  }
}

export async function startGatehouse({ folder, port, walletPort, settings }: Omit<DataFolder, 'size'>): Promise<Gatehouse> {
  const url = `http://127.0.0.1:${port}`;
  const walletUrl = `http://127.0.0.1:${walletPort}`;
  const env = {
    ...cleanEnvironment(),
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_IDENTITY_PORT: String(port),
    GATEHOUSE_WALLET_PORT: String(walletPort),
    GATEHOUSE_METRICS_PORT: '0',
    GATEHOUSE_RATE_LIMITS: 'off',
    GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
    ...settings,
  };
  const began = performance.now();
  const child = start([process.execPath, LAUNCHER, 'start'], { env });
  await untilAnswers(`${url}/healthz`, child);
  const readyMs = performance.now() - began;
  const pid = processTree(child.pid!).at(-1)!;
  return { url, walletUrl, pid, launcherPid: pid === child.pid ? undefined : child.pid!, readyMs, stop: () => stop(child) };
}

/** Seeds a stopped service. */
export async function seed({ folder }: Pick<DataFolder, 'folder'>, { users, revocations }: DataSize): Promise<void> {
  await output(startScript('seed.ts', [folder, String(users), String(revocations)]));
}

export async function dataIn(folder: string, size: DataSize): Promise<DataFolder> {
  return { folder, size, port: await freePort(), walletPort: await freePort() };
}

/** A new data folder, created by the service itself and then filled. */
export async function makeData(size: DataSize, folder = temporaryFolder()): Promise<DataFolder> {
  const data = await dataIn(folder, size);
  await (await startGatehouse(data)).stop();
  await seed(data, size);
  return data;
}

function query<T>(folder: string, sql: string, ...values: number[]): T[] {
  const db = new DatabaseSync(join(folder, 'identity.sqlite'), { readOnly: true });
  const rows = db.prepare(sql).all(...values) as T[];
  db.close();
  return rows;
}

export const randomUserIds = (folder: string, count: number): string[] =>
  query<{ id: string }>(folder, 'select id from users order by random() limit ?', count).map(({ id }) => id);

export const memberIds = (folder: string): string[] =>
  query<{ user_id: string }>(
    folder,
    `select user_id from grants join users on users.id = user_id where users.name <> 'admin' limit ?`,
    MEMBERS,
  ).map((row) => row.user_id);

const adminProject = { project: { name: 'admin', domain: { id: 'default' } } };

export const loginBody = (user: object, scope: unknown = adminProject) => ({
  auth: { identity: { methods: ['password'], password: { user: { ...user, password: PASSWORD } } }, scope },
});

export const administrator = { name: 'admin', domain: { id: 'default' } };

/** Gets another token for the same user and project, without a password hash. */
export const tokenBody = (token: string) => ({
  auth: { identity: { methods: ['token'], token: { id: token } }, scope: adminProject },
});

export async function logIn(url: string, body: unknown): Promise<string> {
  const response = await fetch(`${url}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const token = response.headers.get('x-subject-token');
  if (response.status !== 201 || !token) throw new Error(`login failed: ${response.status} ${await response.text()}`);
  return token;
}

/** One token for each of many users, through the API. */
export async function memberTokens(url: string, folder: string): Promise<string[]> {
  const tokens: string[] = [];
  // A few at once, because the service refuses a queue of hashes that it cannot work off in a few seconds.
  await forEachConcurrently(4, memberIds(folder), async (id) => {
    tokens.push(await logIn(url, loginBody({ id })));
  });
  return tokens;
}
