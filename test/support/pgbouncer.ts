// Debian's pgbouncer in front of a database.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';

/** Like PostgreSQL, it refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const SETPRIV = '/usr/bin/setpriv';

export interface PgbouncerOptions {
  readonly mode: 'transaction' | 'session';
  /** Connections to the server. Few, so that clients get each other's. */
  readonly size: number;
  /** More lines of its section [pgbouncer]. */
  readonly settings?: readonly string[];
}

export class Pgbouncer {
  /** The address of the database through the pooler. */
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(databaseUrl: string, { mode, size, settings = [] }: PgbouncerOptions): Promise<Pgbouncer> {
    const { hostname, port, username, pathname } = new URL(databaseUrl);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
    const file = join(folder, 'pgbouncer.ini');
    const listenPort = await freePort();
    writeFileSync(join(folder, 'users'), `"${username}" ""\n`);
    writeFileSync(
      file,
      [
        '[databases]',
        `* = host=${hostname} port=${port}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${listenPort}`,
        'unix_socket_dir =',
        'auth_type = trust',
        `auth_file = ${join(folder, 'users')}`,
        `pool_mode = ${mode}`,
        `default_pool_size = ${size}`,
        ...settings,
      ].join('\n'),
    );
    if (NOBODY.uid) for (const path of [folder, file, join(folder, 'users')]) chownSync(path, NOBODY.uid, NOBODY.gid);
    const command = ['/usr/sbin/pgbouncer', '-q', file];
    // The kernel ends it with us.
    const [program, ...args] = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig=KILL', '--', ...command] : command;
    const child = spawn(program!, args, { ...NOBODY, cwd: folder, stdio: 'ignore' });
    child.unref();
    const url = Object.assign(new URL(`postgres://${username}@127.0.0.1:${listenPort}`), { pathname }).href;
    const pooler = new Pgbouncer(url, child, folder);
    while (!(await isListening(listenPort))) {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
      await sleep(20);
    }
    return pooler;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.ref();
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
