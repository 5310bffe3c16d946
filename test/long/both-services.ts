// Both services in one process, on one of the databases, at fixed ports: killed, started again, and looked at from outside.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newMasterKey } from '../../src/platform/seal/index.ts';
import type { DatabaseKind } from '../support/api.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { type GatehouseProcess, gatehouse, type ProcessSettings } from '../support/process.ts';
import { NoAnswer } from './fact.ts';

export const PASSWORD = 'the administrator of the tests';
export const SERVICES = ['identity', 'wallet'] as const;
export type ServiceName = (typeof SERVICES)[number];
/** Much longer than a start takes, because all cores may be busy. */
const READY_MS = 120_000;

/** Below the ports that Linux gives to outgoing connections, so that it is still free after a restart. */
async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(
        () => false,
        () => false,
      ),
    ]).catch(() => false);
    server.close();
    if (isFree) return port;
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Bodies are untyped; assertions check their content.
  readonly body: any;
  readonly text: string;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export class BothServices {
  readonly kind: DatabaseKind;
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-long-'));
  dataDir = join(this.folder, 'data');
  readonly #settings: ProcessSettings;
  readonly #databases = new Map<ServiceName, string>();
  readonly #masterKey = newMasterKey();
  #ports: Readonly<Record<ServiceName | 'metrics', number>> | undefined;
  running: GatehouseProcess | undefined;
  token = '';
  readonly administrator = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
  /** The Node that runs it, if it is not that of the tests. */
  runtime: string | undefined;
  readonly urls: Record<ServiceName | 'metrics', string> = { identity: '', wallet: '', metrics: '' };

  constructor(kind: DatabaseKind, settings: ProcessSettings = {}) {
    this.kind = kind;
    this.#settings = settings;
  }

  /** Databases and ports; then the first start. */
  async open(): Promise<void> {
    const [identity, wallet, metrics] = [await lastingPort(), await lastingPort(), await lastingPort()];
    this.#ports = { identity, wallet, metrics };
    for (const [name, port] of Object.entries(this.#ports)) this.urls[name as ServiceName] = `http://127.0.0.1:${port}`;
    if (this.kind === 'PostgreSQL')
      for (const service of SERVICES) this.#databases.set(service, await (await sharedPostgres()).createDatabase());
    await this.start();
    this.token = await this.logIn(this.administrator, true);
  }

  /** Begins a start, and does not wait for it. */
  launch(): GatehouseProcess {
    const { identity, wallet, metrics } = this.#ports!;
    const databases = Object.fromEntries(
      [...this.#databases].map(([service, url]) => [`GATEHOUSE_${service.toUpperCase()}_DATABASE_URL`, url]),
    );
    this.running = gatehouse(
      ['start'],
      {
        GATEHOUSE_DATA_DIR: this.dataDir,
        GATEHOUSE_MASTER_KEY: this.#masterKey,
        GATEHOUSE_IDENTITY_PORT: String(identity),
        GATEHOUSE_WALLET_PORT: String(wallet),
        GATEHOUSE_METRICS_PORT: String(metrics),
        GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
        GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
        ...databases,
        ...this.#settings,
      },
      undefined,
      this.runtime,
    );
    return this.running;
  }

  /** Starts, and waits until both services say that they are ready. Returns how long that took. */
  async start(): Promise<number> {
    const began = performance.now();
    const process = this.launch();
    await Promise.all([process.listening(), process.walletListening()]);
    await Promise.all(SERVICES.map((service) => this.ready(service)));
    return performance.now() - began;
  }

  async ready(service: ServiceName, status = 200): Promise<void> {
    for (const end = Date.now() + READY_MS; ; await sleep(20)) {
      const answer = await this.ask(service, 'GET', '/readyz', { token: null }).catch(() => undefined);
      if (answer?.status === status) return;
      if (Date.now() > end) throw new Error(`${service} is not ${status}: ${answer?.text}\n${this.running?.stdout.slice(-2000)}`);
    }
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    if (running?.child.exitCode === null && running.child.signalCode === null) await running.killNow();
  }

  async close(): Promise<void> {
    await this.running?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Throws NoAnswer if the connection ends first. */
  async ask(service: ServiceName, method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const { body, token = this.token, headers } = options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.urls[service] + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === null || service === 'wallet' ? {} : { 'X-Auth-Token': token }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      throw new NoAnswer(`${method} ${path}`, { cause: error });
    }
    const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** As `ask`, of the identity service; fails unless the status is the expected one. */
  async must(status: number, method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const answer = await this.ask('identity', method, path, options);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer;
  }

  authenticate(user: object, isAdmin = false): Promise<Answer> {
    const scope = isAdmin ? { scope: { project: { name: 'admin', domain: { id: 'default' } } } } : {};
    const auth = { identity: { methods: ['password'], password: { user } }, ...scope };
    return this.ask('identity', 'POST', '/v3/auth/tokens', { body: { auth }, token: null });
  }

  async logIn(user: object, isAdmin = false): Promise<string> {
    const answer = await this.authenticate(user, isAdmin);
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.get('x-subject-token')!;
  }

  /** Rows of a database, read beside the running service. */
  async query(service: ServiceName, sql: string): Promise<Record<string, unknown>[]> {
    const url = this.#databases.get(service);
    if (url === undefined) {
      const handle = new DatabaseSync(join(this.dataDir, `${service}.sqlite`), { readOnly: true });
      try {
        return handle.prepare(sql).all();
      } finally {
        handle.close();
      }
    }
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Resident memory in bytes and open descriptors of the process that serves. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.urls.metrics}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
    return Number(line?.slice(line.lastIndexOf(' ') + 1));
  }
}
