// Three identity and two wallet processes behind HAProxy. HAProxy asks /readyz and sends requests only to those that are ready.
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMasterKey } from '../../src/platform/seal/index.ts';
import { cleanEnvironment, freePort } from '../support/service.ts';
import { type Programs, until } from './programs.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
export const ADMIN_PASSWORD = 'the administrator of the failover run';
/** HAProxy asks every half second, and believes the second answer, so it knows well before the port closes. */
const DRAIN_SECONDS = 3;

type Kind = 'identity' | 'wallet';

interface Replica {
  readonly name: string;
  readonly kind: Kind;
  readonly port: number;
  child: ChildProcess;
}

export interface ServicesOptions {
  readonly programs: Programs;
  /** The settings that name the databases, by kind. */
  databaseSettings(kind: Kind): Record<string, string>;
  readonly counts: Readonly<Record<Kind, number>>;
  readonly settings?: Readonly<Record<string, string>>;
  /** Of other services on the same databases. */
  readonly masterKey?: string;
  /** Before the names of the programs, to tell several sets apart. */
  readonly prefix?: string;
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

export class Services {
  readonly #options: ServicesOptions;
  readonly #replicas: Replica[] = [];
  readonly masterKey: string;
  readonly #ports: Record<Kind, number> = { identity: 0, wallet: 0 };
  #turn = 0;
  #statsPort = 0;
  #client = { id: '', secret: '' };

  constructor(options: ServicesOptions) {
    this.#options = options;
    this.masterKey = options.masterKey ?? newMasterKey();
  }

  get identityUrl(): string {
    return `http://127.0.0.1:${this.#ports.identity}`;
  }

  get walletUrl(): string {
    return `http://127.0.0.1:${this.#ports.wallet}`;
  }

  get replicas(): readonly string[] {
    return this.#replicas.map(({ name }) => name);
  }

  /** The address of one process, past HAProxy. */
  addressOf(name: string): string {
    return `http://127.0.0.1:${this.#find(name).port}`;
  }

  /** The same address at one of the processes, each in turn. */
  direct(url: string): string {
    const kind = url.startsWith(this.walletUrl) ? 'wallet' : 'identity';
    const ports = this.#replicas.filter((one) => one.kind === kind).map(({ port }) => port);
    return Object.assign(new URL(url), { port: String(ports[this.#turn++ % ports.length]) }).href;
  }

  logOf(name: string): string {
    return this.#options.programs.log(name);
  }

  #find(name: string): Replica {
    return this.#replicas.find((one) => one.name === name)!;
  }

  /** `registerWallet` makes the application of the wallet at the identity service. */
  async start(registerWallet: (services: Services) => Promise<{ id: string; secret: string }>): Promise<void> {
    const { counts } = this.#options;
    this.#ports.identity = await freePort();
    this.#ports.wallet = await freePort();
    const ports = {
      identity: await Promise.all(Array.from({ length: counts.identity }, freePort)),
      wallet: await Promise.all(Array.from({ length: counts.wallet }, freePort)),
    };
    await this.#startProxy(ports);
    await this.#startReplicas('identity', ports.identity);
    if (counts.wallet === 0) return;
    this.#client = await registerWallet(this);
    await this.#startReplicas('wallet', ports.wallet);
  }

  async #startReplicas(kind: Kind, ports: readonly number[]): Promise<void> {
    for (const [index, port] of ports.entries()) {
      const name = `${this.#options.prefix ?? ''}${kind}-${index + 1}`;
      const replica = { name, kind, port, child: this.#spawn(name, kind, port) };
      this.#replicas.push(replica);
      // The first makes the tables.
      if (index === 0) await this.#untilReady(replica);
    }
    await Promise.all(this.#replicas.map((replica) => this.#untilReady(replica)));
    await until(`HAProxy serves ${kind}`, () => isReady(kind === 'identity' ? this.identityUrl : this.walletUrl));
  }

  async #untilReady({ port, name, child }: Replica): Promise<number> {
    return until(`${name} is ready`, () => {
      if (child.exitCode !== null) throw new Error(`${name} ended:\n${this.logOf(name)}`);
      return isReady(`http://127.0.0.1:${port}`);
    });
  }

  #spawn(name: string, kind: Kind, port: number): ChildProcess {
    const { programs, databaseSettings, settings } = this.#options;
    const own: Record<string, string> =
      kind === 'identity'
        ? { GATEHOUSE_IDENTITY_PORT: String(port) }
        : {
            GATEHOUSE_WALLET_PORT: String(port),
            GATEHOUSE_WALLET_OIDC_ISSUER: this.identityUrl,
            GATEHOUSE_WALLET_OIDC_CLIENT_ID: this.#client.id,
            GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: this.#client.secret,
          };
    return programs.startOurs(name, [process.execPath, LAUNCHER, kind], {
      ...cleanEnvironment(),
      HOME: programs.folder,
      GATEHOUSE_DATA_DIR: join(programs.folder, `${name}-data`),
      GATEHOUSE_IDENTITY_URL: this.identityUrl,
      GATEHOUSE_WALLET_URL: this.walletUrl,
      GATEHOUSE_METRICS_PORT: '0',
      GATEHOUSE_RATE_LIMITS: 'off',
      GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
      GATEHOUSE_DRAIN_SECONDS: String(DRAIN_SECONDS),
      GATEHOUSE_MASTER_KEY: this.masterKey,
      GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
      GATEHOUSE_OUTBOUND_ALLOW: `127.0.0.1:${this.#ports.identity},127.0.0.1:${this.#ports.wallet}`,
      // Logins are load here, not the cost of hashes.
      GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
      GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
      ...own,
      ...databaseSettings(kind),
      ...settings,
    });
  }

  async #startProxy(ports: Readonly<Record<Kind, readonly number[]>>): Promise<void> {
    const { programs, prefix = '' } = this.#options;
    const file = join(programs.folder, `${prefix}haproxy.cfg`);
    this.#statsPort = await freePort();
    writeFileSync(file, haproxyConfiguration(this.#ports, ports, this.#statsPort));
    programs.start(`${prefix}haproxy`, ['haproxy', '-db', '-f', file]);
    await until('HAProxy listens', () =>
      fetch(this.identityUrl).then(
        () => true,
        () => false,
      ),
    );
  }

  /** Stops one process as an upgrade does, and starts it again. Returns the seconds until it was ready. */
  async restart(name: string): Promise<number> {
    const replica = this.#find(name);
    await this.#options.programs.stop(replica.child);
    if (replica.child.exitCode !== 0) throw new Error(`${name} ended with ${replica.child.exitCode}:\n${this.logOf(name)}`);
    replica.child = this.#spawn(name, replica.kind, replica.port);
    const ready = (await this.#untilReady(replica)) / 1000;
    // As operators must: HAProxy has to notice before the next one stops.
    await until(`HAProxy uses ${name}`, () => this.#isUsed(replica));
    return ready;
  }

  async #isUsed({ kind, port }: Replica): Promise<boolean> {
    const table = await (await fetch(`http://127.0.0.1:${this.#statsPort}/;csv`)).text();
    return table.split('\n').some((line) => line.startsWith(`${kind},${kind}-${port},`) && line.includes(',UP,'));
  }

  async untilAllReady(): Promise<number> {
    const waits = await Promise.all(this.#replicas.map((replica) => this.#untilReady(replica)));
    return Math.max(...waits);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#replicas.map(({ child }) => this.#options.programs.stop(child)));
  }
}

/**
 * `http-error`: when no process is ready, HAProxy itself answers, and says when to try again. Without `retry-on`, HAProxy repeats only what
 * never reached a process, so that nothing is written twice.
 */
const haproxyConfiguration = (
  listen: Readonly<Record<Kind, number>>,
  servers: Readonly<Record<Kind, readonly number[]>>,
  statsPort: number,
): string => `
global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 3s
  retries 3
  option redispatch
  option forwardfor
  option httpchk GET /readyz
  http-error status 503 content-type application/json string '{"error":{"code":503,"title":"Service Unavailable","message":"no process is ready"}}' hdr Retry-After 1
  default-server check inter 500ms fall 2 rise 1
listen stats
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /
${(['identity', 'wallet'] as const)
  .map(
    (kind) => `
listen ${kind}
  bind 127.0.0.1:${listen[kind]}
  balance roundrobin
${servers[kind].map((port) => `  server ${kind}-${port} 127.0.0.1:${port}`).join('\n')}
`,
  )
  .join('')}`;
