// Identity service and wallet node as processes with TLS, for the whole way of a role as a credential. The address of the identity service
// leads to one of its replicas.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { newMasterKey } from '../../src/platform/seal/index.ts';
import { ADMIN_PASSWORD, type DatabaseKind, TestApi } from './api.ts';
import { Cable } from './cable.ts';
import { certify } from './certificates.ts';
import { migratedPostgres } from './migrated-database.ts';
import { freePort } from './ports.ts';
import { type GatehouseProcess, gatehouse } from './process.ts';

/** TLS of the servers in a test: everything that the test starts trusts it, and the test itself. */
export class TestTls {
  readonly #before = getCACertificates('default');
  readonly settings: Readonly<Record<'GATEHOUSE_TLS_CERT_FILE' | 'GATEHOUSE_TLS_KEY_FILE', string>>;
  /** For the environment of processes. */
  readonly trusted: { readonly NODE_EXTRA_CA_CERTS: string };

  constructor(folder: string) {
    const root = certify({ name: 'CN=Authority of servers in tests', ca: true });
    const { certificate, key } = certify({ name: 'CN=localhost', by: root, dns: ['localhost'] });
    const write = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    this.settings = {
      GATEHOUSE_TLS_CERT_FILE: write('server.pem', certificate.toString()),
      GATEHOUSE_TLS_KEY_FILE: write('server.key', key.export({ type: 'pkcs8', format: 'pem' }) as string),
    };
    const pem = root.certificate.toString();
    this.trusted = { NODE_EXTRA_CA_CERTS: write('root.pem', pem) };
    setDefaultCACertificates([...this.#before, pem]);
  }

  /** The test itself trusts what it did before. */
  end(): void {
    setDefaultCACertificates(this.#before);
  }
}

const walletSignIn = (walletUrl: string): Record<string, string> => ({
  GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first',
  GATEHOUSE_IDENTITY_WALLET_LINK: `${walletUrl}/open`,
});

export class CircleServices {
  readonly kind: DatabaseKind;
  readonly #isEmpty: boolean;
  #folder = '';
  tls!: TestTls;
  readonly #processes: GatehouseProcess[] = [];
  readonly #ports: number[] = [];
  #address: Cable | undefined;
  /** By the public address, which leads to the first replica until `askOnly`. */
  api!: TestApi;
  /** Each replica by its own address. On SQLite there is one. */
  replicas: readonly TestApi[] = [];
  walletUrl = '';

  /** `isEmpty`: nothing is set up that administrators can set up while it runs. */
  constructor(kind: DatabaseKind, { isEmpty = false } = {}) {
    this.kind = kind;
    this.#isEmpty = isEmpty;
  }

  async start(): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'gatehouse-circle-'));
    this.tls = new TestTls(this.#folder);
    const count = this.kind === 'PostgreSQL' ? 2 : 1;
    for (let index = 0; index < count; index++) this.#ports.push(await freePort());
    this.#address = new Cable('127.0.0.1', this.#ports[0]!);
    const url = `https://localhost:${await this.#address.listen()}`;
    const walletPort = await freePort();
    this.walletUrl = `https://localhost:${walletPort}`;
    const databases: Record<string, string> =
      this.kind === 'PostgreSQL'
        ? {
            GATEHOUSE_IDENTITY_DATABASE_URL: await migratedPostgres('identity'),
            GATEHOUSE_WALLET_DATABASE_URL: await migratedPostgres('wallet'),
          }
        : {};
    const settings = {
      ...databases,
      ...this.tls.settings,
      ...this.tls.trusted,
      GATEHOUSE_DATA_DIR: join(this.#folder, 'data'),
      GATEHOUSE_MASTER_KEY: newMasterKey(),
      GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
      GATEHOUSE_IDENTITY_URL: url,
      ...(this.#isEmpty ? {} : walletSignIn(this.walletUrl)),
      GATEHOUSE_WALLET_URL: this.walletUrl,
      GATEHOUSE_WALLET_PORT: String(walletPort),
      GATEHOUSE_WALLET_TRUST_ANCHORS: this.#anchors,
      GATEHOUSE_OUTBOUND_ALLOW: 'localhost,127.0.0.1',
      GATEHOUSE_RATE_LIMITS: 'off',
    };
    writeFileSync(this.#anchors, '');
    for (const [index, port] of this.#ports.entries()) {
      const service = gatehouse([index === 0 ? 'start' : 'identity'], { ...settings, GATEHOUSE_IDENTITY_PORT: String(port) });
      this.#processes.push(service);
      await service.listening();
      if (index === 0) await service.walletListening();
    }
    const at = (address: string): TestApi => Object.assign(new TestApi(this.kind), { url: address });
    this.api = at(url);
    this.replicas = this.#ports.map((port) => at(`https://localhost:${port}`));
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const token = await this.api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
    for (const api of [this.api, ...this.replicas]) api.adminToken = token;
  }

  get #anchors(): string {
    return join(this.#folder, 'anchors.pem');
  }

  /** Whom the wallet node believes. It reads this when it needs it first. */
  trust(...roots: readonly string[]): void {
    writeFileSync(this.#anchors, roots.join('\n'));
  }

  /** From now on the public address leads to this replica only. */
  askOnly(index: number): void {
    this.#address!.turn(this.#ports[index]!);
  }

  async stop(): Promise<void> {
    const ended = await Promise.all(this.#processes.map((service) => service.stop()));
    this.#address?.close();
    this.tls?.end();
    rmSync(this.#folder, { recursive: true, force: true });
    assert.deepEqual(
      ended,
      ended.map(() => 0),
    );
  }
}
