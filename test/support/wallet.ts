// A complete wallet node for tests, with real HTTP, on each database, with a real OpenID provider and a clock that tests can set.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { load } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../../src/platform/seal/index.ts';
import { walletSettings } from '../../src/wallet/ground/settings.ts';
import { createWalletService, openWalletDatabase, type WalletService } from '../../src/wallet/service.ts';
import { type ApiAnswer, type DatabaseKind, TestClock } from './api.ts';
import { hangUp, send } from './http.ts';
import { databasesInTurn, migratedDatabase, USUAL_DATABASES } from './migrated-database.ts';
import { PlainProvider, SharedProvider } from './plain-provider.ts';

export interface WalletOptions {
  /** Settings by their GATEHOUSE_ keys. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The provider, or settings of the plain provider. */
  readonly provider?: object;
  readonly rateLimits?: boolean;
  /** Read at each start, so that a test can turn it on later. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
}

export interface WalletRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A user with a session: sends requests with the cookie, like a page of the service. */
export class WalletUser {
  readonly wallet: TestWallet;
  readonly name: string;
  cookie: string;

  constructor(wallet: TestWallet, name: string, cookie: string) {
    this.wallet = wallet;
    this.name = name;
    this.cookie = cookie;
  }

  request(method: string, path: string, { body, headers }: WalletRequest = {}): Promise<ApiAnswer> {
    return this.wallet.request(method, path, {
      body,
      headers: { Cookie: this.cookie, Origin: this.wallet.publicUrl, ...headers },
    });
  }
  get = (path: string, options?: WalletRequest) => this.request('GET', path, options);
  post = (path: string, body?: unknown, options?: WalletRequest) => this.request('POST', path, { ...options, body });
  delete = (path: string, options?: WalletRequest) => this.request('DELETE', path, options);

  /** Creates a resource and returns it; throws if that fails. */
  async make(what: 'keys' | 'dids', body: object = {}): Promise<any> {
    const answer = await this.post(`/api/v1/wallet/${what}`, body);
    if (answer.status !== 201) throw new Error(`cannot make ${what}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
}

export class TestWallet {
  readonly kind: DatabaseKind;
  readonly clock = new TestClock();
  readonly provider: PlainProvider;
  /** The whole log, for tests that check what must not be logged. */
  readonly logged: string[] = [];
  readonly masterKey = newMasterKey();
  url = '';
  folder = '';
  databaseUrl: string | undefined;
  service!: WalletService;
  readonly #options: WalletOptions;
  #people = 0;

  constructor(kind: DatabaseKind, options: WalletOptions = {}, provider = options.provider) {
    this.kind = kind;
    this.#options = options;
    this.provider = provider instanceof PlainProvider ? provider : new PlainProvider(provider);
  }

  get config() {
    return load(walletSettings, {
      GATEHOUSE_WALLET_HOST: '127.0.0.1',
      GATEHOUSE_WALLET_PORT: '0',
      GATEHOUSE_WALLET_ROLES_CLAIM: 'groups',
      ...(this.databaseUrl ? { GATEHOUSE_WALLET_DATABASE_URL: this.databaseUrl } : {}),
      ...this.#options.settings,
    });
  }

  /** The public URL. */
  get publicUrl(): string {
    return this.config.url ?? this.url;
  }

  async start(): Promise<void> {
    await this.provider.start();
    this.folder = await mkdtemp(join(tmpdir(), 'gatehouse-wallet-'));
    this.databaseUrl = await migratedDatabase(this.kind, 'wallet', this.folder);
    await this.open();
  }

  /** Registered at the provider. */
  get #signingAlgorithm() {
    const { oidcSigningAlgorithm } = this.config;
    return oidcSigningAlgorithm === 'any' ? undefined : oidcSigningAlgorithm;
  }

  /** Starts the service on the existing data. */
  async open(masterKeys: readonly string[] = [this.masterKey]): Promise<void> {
    this.service = await createWalletService({
      config: this.config,
      dataDir: this.folder,
      seal: createSeal(masterKeys),
      log: createLog('debug', { write: (line) => void this.logged.push(line) }),
      clock: this.clock,
      rateLimits: this.#options.rateLimits ?? false,
      trustedProxies: [],
      outboundAllow: ['127.0.0.1', 'localhost'],
      provider: {
        issuer: this.provider.issuer,
        scopes: this.provider.scopes,
        signingAlgorithm: this.#signingAlgorithm,
        client: () => this.provider.client(),
      },
      tls: this.#options.tls,
      checkReplies: true,
    });
    this.url = await this.service.start();
  }

  async stop(): Promise<void> {
    // If a test reads the database in this process, its read ends with this turn of the event loop. Closing would wait for it.
    await new Promise((resolve) => setImmediate(resolve));
    hangUp(this.url);
    await this.service.stop(1000);
    await this.provider.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Opens the database of the service. The caller closes it. */
  database() {
    return openWalletDatabase(this.config, this.folder);
  }

  /** A request without a session. */
  async request(method: string, path: string, { body, headers }: WalletRequest = {}): Promise<ApiAnswer> {
    const response = await send(this.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }
  get = (path: string, options?: WalletRequest) => this.request('GET', path, options);

  /** The callback URL and the login cookie, as a browser has them after the provider's redirect. */
  async returned(name: string, query = ''): Promise<{ callback: string; flow: string }> {
    const begun = await this.get(`/api/v1/auth/login?login_hint=${encodeURIComponent(name)}${query}`);
    if (begun.status !== 302) throw new Error(`cannot log in: ${begun.status} ${begun.text}`);
    const flow = begun.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    const jar = new Map<string, string>();
    for (let url = begun.headers.get('location')!; ; ) {
      const response = await send(url, {
        headers: { Cookie: [...jar].map(([key, value]) => `${key}=${value}`).join('; ') },
      });
      for (const line of response.headers.getSetCookie()) {
        const [key = '', ...value] = line.split(';', 1)[0]!.split('=');
        jar.set(key, value.join('='));
      }
      const location = response.headers.get('location');
      if (!location) throw new Error(`the provider stopped: ${response.status} ${await response.text()}`);
      url = new URL(location, url).href;
      if (url.startsWith(`${this.publicUrl}/`)) return { callback: url.slice(this.publicUrl.length), flow };
    }
  }

  /** Logs in through the provider as the user with this name. */
  async logIn(name = `person-${++this.#people}`): Promise<WalletUser> {
    const { callback, flow } = await this.returned(name);
    const done = await this.get(callback, { headers: { Cookie: flow } });
    if (done.status !== 303) throw new Error(`cannot log in: ${done.status} ${done.text}`);
    const cookie = done.headers.getSetCookie().find((line) => line.includes('gatehouse_wallet='))!;
    return new WalletUser(this, name, cookie.split(';', 1)[0]!);
  }
}

const shared = new SharedProvider();

export function onWallet(kind: DatabaseKind, name: string, options: WalletOptions, define: (wallet: TestWallet) => void): void {
  describe(`${name} (${kind})`, () => {
    const wallet = new TestWallet(kind, options, options.provider ?? shared.join());
    before(() => wallet.start());
    after(() => wallet.stop());
    define(wallet);
  });
}

/** On SQLite or on a real PostgreSQL in turn with other suites, and by `npm run test:all` on both. */
export function onEachWallet(name: string, define: (wallet: TestWallet) => void, options: WalletOptions = {}): void {
  for (const kind of databasesInTurn(name)) onWallet(kind, name, options, define);
}

/** On SQLite, and by `npm run test:all` on PostgreSQL, too: for what no database decides, such as messages and pages. */
export function onUsualWallet(name: string, define: (wallet: TestWallet) => void, options: WalletOptions = {}): void {
  for (const kind of USUAL_DATABASES) onWallet(kind, name, options, define);
}
