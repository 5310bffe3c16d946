// A primary with standbys that stream from it, on this machine.
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { launchBeside, removeWhenWeEnd, running, type StartedPostgres, startOwnPostgres } from './postgres.ts';

const run = promisify(execFile);

export const startPrimary = (): Promise<StartedPostgres> =>
  startOwnPostgres(undefined, ['wal_level=replica', 'max_wal_senders=8', 'wal_keep_size=128MB', 'synchronous_commit=on']);

/** One statement of an administrator, in the database of this URL. */
export async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export interface TestStandby {
  /** The same database as at another URL, here. */
  urlOf(databaseUrl: string): string;
  /** An administrative connection. */
  readonly url: string;
  /** Like a machine that hangs. Returns what lets it go on. */
  freeze(): () => void;
  /** As `kill -9` of the server. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** A copy of all files of the primary while it runs. It streams from it, or from the server at another port. */
export async function startStandby(primary: StartedPostgres, from = Number(new URL(primary.url).port)): Promise<TestStandby> {
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-standby-'));
  const remove = removeWhenWeEnd([data]);
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('a standby of the tests', true)`);
    await run('cp', ['-r', `${primary.data}/.`, data]);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await writeFile(join(data, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
  for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(data, name), { force: true });
  await writeFile(join(data, 'standby.signal'), '');
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = 'host=127.0.0.1 port=${from} user=postgres'\n`);
  const port = randomInt(20_000, 32_768);
  const server = await launchBeside(primary, data, port);
  const urlOf = (databaseUrl: string): string => Object.assign(new URL(databaseUrl), { port: String(port) }).href;

  const processes = (): number[] => {
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim();
    // The first one first: a child that it starts later would go on.
    return [server.pid!, ...children.split(' ').filter(Boolean).map(Number)];
  };
  const signal = (name: NodeJS.Signals, pids: readonly number[]): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // This one has ended.
      }
    }
  };
  async function end(name: NodeJS.Signals): Promise<void> {
    signal(name, processes());
    while (running(server)) await sleep(5);
  }
  return {
    url: urlOf(primary.url),
    urlOf,
    freeze() {
      process.kill(server.pid!, 'SIGSTOP');
      const pids = processes();
      signal('SIGSTOP', pids);
      return () => signal('SIGCONT', pids);
    },
    kill: () => end('SIGKILL'),
    async stop() {
      if (running(server)) await end('SIGKILL');
      await remove();
    },
  };
}
