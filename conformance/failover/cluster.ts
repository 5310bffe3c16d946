// Two PostgreSQL servers under Patroni, with etcd. Synchronous: a write is acknowledged when both servers have it.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../support/service.ts';
import { isRunning, type Programs, until } from './programs.ts';

/** Seconds after which the key of a primary that fell silent is free. Patroni takes no less. */
export const TTL = 20;

/** Debian's binaries of the newest PostgreSQL that is installed. */
export function postgresBinaries(): string {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
  return `/usr/lib/postgresql/${versions[0]}/bin`;
}

/**
 * The API of etcd that Patroni uses. By the v3 API, Patroni 3.0 of Debian 12 overwrites the key of the primary without comparing it: a
 * primary that hung and wakes after another was elected takes its place back, and what the other acknowledged meanwhile is lost. By the
 * v2 API it compares; Patroni 4 does so by both.
 */
function etcdApi(): 'etcd' | 'etcd3' {
  const version = execFileSync('patroni', ['--version'], { encoding: 'utf8' }).replace(/^patroni /, '');
  return Number.parseInt(version, 10) < 4 ? 'etcd' : 'etcd3';
}

interface Node {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly apiPort: number;
  patroni: ChildProcess;
}

/** Of a server that hangs, the answer is not waited for. */
async function takesWrites({ port }: Node): Promise<boolean> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 500,
    query_timeout: 500,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query('select pg_is_in_recovery() as standby')).rows[0].standby === false;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => {});
  }
}

export class Cluster {
  readonly #programs: Programs;
  readonly #nodes: Node[] = [];
  readonly #etcdApi = etcdApi();
  #etcdPort = 0;

  constructor(programs: Programs) {
    this.#programs = programs;
  }

  async start(): Promise<void> {
    this.#etcdPort = await freePort();
    const [client, peer] = [`http://127.0.0.1:${this.#etcdPort}`, `http://127.0.0.1:${await freePort()}`];
    this.#programs.start('etcd', [
      'etcd',
      `--data-dir=${this.#programs.newFolder('etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      ...(this.#etcdApi === 'etcd' ? ['--enable-v2=true'] : []),
    ]);
    await until('etcd serves', () =>
      fetch(`${client}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    for (const name of ['one', 'two']) {
      await this.#addNode(name);
      if (name === 'one')
        await until('the first server is primary', async () => (await this.#role(this.#nodes[0]!)) === 'primary');
    }
    await this.untilHealthy();
  }

  async #addNode(name: string): Promise<void> {
    const folder = this.#programs.newFolder(name);
    const [port, apiPort] = [await freePort(), await freePort()];
    writeFileSync(join(folder, 'patroni.yml'), this.#configuration(name, folder, port, apiPort));
    this.#nodes.push({ name, folder, port, apiPort, patroni: this.#startPatroni(name, folder) });
  }

  #startPatroni(name: string, folder: string): ChildProcess {
    return this.#programs.start(name, ['patroni', join(folder, 'patroni.yml')]);
  }

  /** JSON is YAML. */
  #configuration(name: string, folder: string, port: number, apiPort: number): string {
    return JSON.stringify({
      scope: 'gatehouse',
      name,
      restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
      [this.#etcdApi]: { host: `127.0.0.1:${this.#etcdPort}` },
      bootstrap: {
        dcs: {
          ttl: TTL,
          loop_wait: 2,
          retry_timeout: 5,
          synchronous_mode: true,
          postgresql: {
            use_pg_rewind: true,
            use_slots: true,
            parameters: { max_connections: 150, shared_buffers: '64MB', wal_log_hints: true, wal_keep_size: '256MB' },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, 'data'),
        bin_dir: postgresBinaries(),
        pgpass: join(folder, 'pgpass'),
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
        parameters: { unix_socket_directories: folder },
      },
    });
  }

  async #role({ apiPort }: Node): Promise<'primary' | 'standby' | 'none'> {
    const asked = (path: string): Promise<boolean> =>
      fetch(`http://127.0.0.1:${apiPort}/${path}`, { signal: AbortSignal.timeout(1000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    return (await asked('primary')) ? 'primary' : (await asked('replica')) ? 'standby' : 'none';
  }

  async #find(role: 'primary' | 'standby'): Promise<Node | undefined> {
    for (const node of this.#nodes) if ((await this.#role(node)) === role) return node;
    return undefined;
  }

  async primary(): Promise<string | undefined> {
    return (await this.#find('primary'))?.name;
  }

  /** A primary, and a standby without which nothing is acknowledged. */
  async untilHealthy(seconds?: number): Promise<number> {
    const isHealthy = async (): Promise<boolean> => {
      const primary = await this.#find('primary');
      if (!primary) return false;
      return fetch(`http://127.0.0.1:${primary.apiPort}/cluster`).then(
        async (answer) =>
          ((await answer.json()) as { members: { role: string; state: string }[] }).members.some(
            ({ role }) => role === 'sync_standby',
          ),
        () => false,
      );
    };
    return until('there are a primary and a synchronous standby', isHealthy, seconds);
  }

  /** Asks the servers themselves, until the returned function is called: it gives the first and the last moment at which neither took writes. */
  watchForPrimary(): () => { readonly first: number; readonly last: number } {
    let first = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    let isOver = false;
    const watch = async (): Promise<void> => {
      for (; !isOver; await sleep(200)) {
        const at = performance.now();
        const taken = await Promise.all(this.#nodes.map(takesWrites));
        if (taken.includes(true)) continue;
        first = Math.min(first, at);
        last = at;
      }
    };
    void watch();
    return () => {
      isOver = true;
      return { first, last };
    };
  }

  /** As an administrator: `patronictl switchover`. */
  async switchOver(): Promise<void> {
    const [leader, candidate] = [await this.#find('primary'), await this.#find('standby')];
    const answer = await fetch(`http://127.0.0.1:${leader!.apiPort}/switchover`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ leader: leader!.name, candidate: candidate!.name }),
    });
    if (!answer.ok) throw new Error(`Patroni refused the switch-over: ${answer.status} ${await answer.text()}`);
  }

  /** Kills the server only; its Patroni goes on. */
  async killPrimary(): Promise<void> {
    const { folder } = (await this.#find('primary'))!;
    process.kill(Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
  }

  /** Kills Patroni and the server together, like a machine that loses its power. */
  async killPrimaryNode(): Promise<string> {
    const node = (await this.#find('primary'))!;
    const postmaster = Number(readFileSync(join(node.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
    node.patroni.kill('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await until('Patroni has ended', () => !isRunning(node.patroni));
    return node.name;
  }

  /** Stops Patroni and the server without ending them, like a machine that hangs. Returns what lets them go on. */
  async freezePrimaryNode(): Promise<() => void> {
    const { folder, patroni } = (await this.#find('primary'))!;
    const postmaster = Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
    const signal = (name: NodeJS.Signals, pids: readonly number[]): void => {
      for (const pid of pids) {
        try {
          process.kill(pid, name);
        } catch {
          // This one has ended.
        }
      }
    };
    // The postmaster first: a child that it starts after the list is read would go on.
    const parents = [patroni.pid!, postmaster];
    signal('SIGSTOP', parents);
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number);
    signal('SIGSTOP', children);
    return () => signal('SIGCONT', [...parents, ...children]);
  }

  /** The machine is on again. */
  revive(name: string): void {
    const node = this.#nodes.find((one) => one.name === name)!;
    node.patroni = this.#startPatroni(node.name, node.folder);
  }

  /** The address that services get: both servers, and the one that takes writes is used. */
  url(user: string, database: string): string {
    const hosts = this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://${user}@${hosts}/${database}?target_session_attrs=read-write`;
  }

  /** Where a proxy asks which server is the primary, and where that server is. */
  get servers(): readonly { readonly port: number; readonly apiPort: number }[] {
    return this.#nodes;
  }

  /** The port of the primary, for administration. */
  async primaryPort(): Promise<number> {
    let primary: Node | undefined;
    // Patroni may be slow to answer on a busy machine.
    await until('there is a primary', async () => {
      primary = await this.#find('primary');
      return primary !== undefined;
    });
    return primary!.port;
  }

  /** A connection of the superuser to the primary. */
  async connect(database = 'postgres'): Promise<pg.Client> {
    const client = new pg.Client(`postgres://postgres@127.0.0.1:${await this.primaryPort()}/${database}`);
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  /** Whether this port leads to a server. */
  async canConnect(port: number, database: string): Promise<boolean> {
    const client = new pg.Client({ host: '127.0.0.1', port, user: database, database, connectionTimeoutMillis: 2000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      client.end().catch(() => {});
    }
  }

  /** A database and a role for it that is no superuser. */
  async createDatabase(name: string): Promise<void> {
    const client = await this.connect();
    await client.query(`create role ${name} login`);
    await client.query(`create database ${name} owner ${name} template template0 encoding 'UTF8' locale 'C'`);
    await client.end();
  }
}
