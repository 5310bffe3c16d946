// A complete identity service for tests, with real HTTP, on each database, with a clock that tests can set.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import type { DataBackups } from '../../src/identity/ground/module-options.ts';
import { identitySettings } from '../../src/identity/ground/settings/index.ts';
import { createIdentityService, type IdentityService } from '../../src/identity/service.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { effectiveSettings, load } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../../src/platform/seal/index.ts';
import { hangUp, send } from './http.ts';
import {
  BOTH_DATABASES,
  DATABASES_OF_ATTACKS,
  type DatabaseKind,
  databasesInTurn,
  migratedDatabase,
  USUAL_DATABASES,
} from './migrated-database.ts';
import { sharedPostgres } from './postgres.ts';

export const ADMIN_PASSWORD = 'the administrator of the tests';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Bodies are untyped; assertions check their content.
  readonly body: any;
}

export interface RequestOptions {
  /** A token; null sends none. By default the administrator's. */
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class TestClock implements Clock {
  #offset = 0;
  #heldAt: number | undefined;
  now(): number {
    return (this.#heldAt ?? Date.now()) + this.#offset;
  }
  /** Stops the clock, so that limits that refill with time do not depend on the speed of the machine. Returns how to let it go on. */
  hold(): () => void {
    this.#heldAt = Date.now();
    return () => {
      this.#heldAt = undefined;
    };
  }
  advance(seconds: number): void {
    this.#offset += seconds * 1000;
  }
}

export type { DatabaseKind };

export interface ApiOptions {
  /** Settings by their GATEHOUSE_ keys. Undefined: not set, where other tests have one. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  readonly rateLimits?: boolean;
  /** Proxies whose X-Forwarded-For is trusted, so that a test can send requests from several addresses. */
  readonly trustedProxies?: readonly string[];
  /** By default there is no folder for them. */
  readonly backups?: DataBackups;
}

const FAST_HASHES = { GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64', GATEHOUSE_IDENTITY_ARGON2_PASSES: '1' };
/** Most tests use short passwords. `DEFAULT_PASSWORDS` is for tests of the password rules. */
const ANY_PASSWORD = { GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: '1', GATEHOUSE_IDENTITY_PASSWORD_COMMON: 'allow' };
export const DEFAULT_PASSWORDS = {
  GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: '8',
  GATEHOUSE_IDENTITY_PASSWORD_COMMON: 'refuse',
};

/** For tests that store these rules: nobody has fixed them. */
export const STORABLE_PASSWORDS = {
  GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: undefined,
  GATEHOUSE_IDENTITY_PASSWORD_COMMON: undefined,
};

export class TestApi {
  readonly kind: DatabaseKind;
  readonly clock = new TestClock();
  /** The whole log, for tests that check what must not be logged. */
  readonly logged: string[] = [];
  url = '';
  adminToken = '';
  service!: IdentityService;
  folder = '';
  databaseUrl: string | undefined;
  readonly #options: ApiOptions;
  #masterKey = newMasterKey();
  /** Of the database: it is removed when this one stops. Hundreds of them would fill the memory. */
  #isOwner = false;

  constructor(kind: DatabaseKind, options: ApiOptions = {}) {
    this.kind = kind;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    this.databaseUrl = await migratedDatabase(this.kind, 'identity', this.folder);
    this.#isOwner = true;
    await this.#begin();
  }

  /** Another one on the same PostgreSQL database, with the same master key. The caller stops it. */
  async replica(): Promise<TestApi> {
    const other = new TestApi(this.kind, this.#options);
    other.#masterKey = this.#masterKey;
    other.folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    other.databaseUrl = this.databaseUrl;
    await other.#begin();
    return other;
  }

  async #begin(): Promise<void> {
    const all: Readonly<Record<string, string | undefined>> = {
      ...FAST_HASHES,
      ...ANY_PASSWORD,
      GATEHOUSE_IDENTITY_HOST: '127.0.0.1',
      GATEHOUSE_IDENTITY_PORT: '0',
      GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
      ...(this.databaseUrl ? { GATEHOUSE_IDENTITY_DATABASE_URL: this.databaseUrl } : {}),
      ...this.#options.settings,
    };
    const env = Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined));
    const config = load(identitySettings, env);
    this.service = await createIdentityService({
      config,
      settings: effectiveSettings(env, identitySettings),
      dataDir: this.folder,
      seal: createSeal([this.#masterKey]),
      log: createLog('debug', { write: (line) => void this.logged.push(line) }),
      clock: this.clock,
      rateLimits: this.#options.rateLimits ?? false,
      trustedProxies: this.#options.trustedProxies ?? [],
      backups: this.#options.backups,
      outboundAllow: ['127.0.0.1'],
      checkReplies: true,
    });
    this.url = (await this.service.start()).address;
    this.adminToken = await this.logIn(
      { name: 'admin', password: ADMIN_PASSWORD },
      config.enforceScope ? { system: { all: true } } : { project: { name: 'admin', domain: { id: 'default' } } },
    );
  }

  /** What is stored sealed at this place, for tests of what is stored. */
  open = (sealed: string, place: string): string => createSeal([this.#masterKey]).open(sealed, place).toString();

  async stop(): Promise<void> {
    // If a test reads the database in this process (databaseOf), its read ends with this turn of the event loop. Closing would wait for
    // it.
    await new Promise((resolve) => setImmediate(resolve));
    hangUp(this.url);
    await this.service.stop(1000);
    await rm(this.folder, { recursive: true, force: true });
    if (this.#isOwner && this.databaseUrl) await (await sharedPostgres()).dropDatabase(this.databaseUrl);
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<ApiAnswer> {
    const token = options.token === undefined ? this.adminToken : options.token;
    const response = await send(this.url + path, {
      method,
      headers: {
        ...(token === null ? {} : { 'X-Auth-Token': token }),
        ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined
        ? {}
        : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
  }

  get = (path: string, options?: RequestOptions) => this.request('GET', path, options);
  head = (path: string, options?: RequestOptions) => this.request('HEAD', path, options);
  post = (path: string, body: unknown, options?: RequestOptions) => this.request('POST', path, { ...options, body });
  put = (path: string, body?: unknown, options?: RequestOptions) => this.request('PUT', path, { ...options, body });
  patch = (path: string, body: unknown, options?: RequestOptions) => this.request('PATCH', path, { ...options, body });
  delete = (path: string, options?: RequestOptions) => this.request('DELETE', path, options);

  /** POST /v3/auth/tokens with a password. Returns the answer, also if the login fails. */
  authenticate(
    user: { id?: string; name?: string; password: string; domain?: { id?: string; name?: string } },
    scope?: unknown,
  ): Promise<ApiAnswer> {
    const named = user.name !== undefined && user.domain === undefined ? { ...user, domain: { id: 'default' } } : user;
    return this.post(
      '/v3/auth/tokens',
      { auth: { identity: { methods: ['password'], password: { user: named } }, scope } },
      { token: null },
    );
  }

  /** Returns the token; throws if the login fails. */
  async logIn(user: Parameters<TestApi['authenticate']>[0], scope?: unknown): Promise<string> {
    const answer = await this.authenticate(user, scope);
    if (answer.status !== 201) throw new Error(`login failed: ${answer.status} ${answer.text}`);
    return answer.headers.get('x-subject-token')!;
  }

  /** Creates a resource and returns it without its envelope; throws if that fails. */
  async make(
    kind: 'user' | 'group' | 'project' | 'domain' | 'role' | 'region' | 'service' | 'endpoint',
    values: Record<string, unknown>,
  ): Promise<any> {
    const answer = await this.post(`/v3/${kind}s`, { [kind]: values });
    if (answer.status !== 201) throw new Error(`cannot make ${kind}: ${answer.status} ${answer.text}`);
    return answer.body[kind];
  }

  async roleId(name: string): Promise<string> {
    const { body } = await this.get(`/v3/roles?name=${name}`);
    return body.roles[0].id;
  }

  /** Creates a user with roles (by name) on a scope, and logs in to that scope. */
  async persona(
    roles: readonly string[],
    scope: { project: string } | { domain: string } | 'system',
    values: Record<string, unknown> = {},
  ) {
    const password = 'a password of a test';
    const user = await this.make('user', { name: uniqueName('persona'), password, ...values });
    for (const role of roles) {
      const where = scope === 'system' ? 'system' : 'project' in scope ? `projects/${scope.project}` : `domains/${scope.domain}`;
      const answer = await this.put(`/v3/${where}/users/${user.id}/roles/${await this.roleId(role)}`);
      if (answer.status !== 204) throw new Error(`cannot grant: ${answer.status} ${answer.text}`);
    }
    const asked =
      scope === 'system'
        ? { system: { all: true } }
        : 'project' in scope
          ? { project: { id: scope.project } }
          : { domain: { id: scope.domain } };
    const token = await this.logIn({ id: user.id, password }, asked);
    return { user, password, token };
  }
}

let names = 0;
export const uniqueName = (prefix: string): string => `${prefix}-${process.pid}-${++names}`;

export function onDatabase(kind: DatabaseKind, name: string, options: ApiOptions, define: (api: TestApi) => void): void {
  describe(`${name} (${kind})`, () => {
    const api = new TestApi(kind, options);
    before(() => api.start());
    after(() => api.stop());
    define(api);
  });
}

/** A service for one test. One that does not start leaves nothing behind, either. */
export async function withApi(options: ApiOptions, work: (api: TestApi) => Promise<unknown>): Promise<void> {
  const api = new TestApi('SQLite', options);
  try {
    await api.start();
    await work(api);
  } finally {
    if (api.url) await api.stop();
    await rm(api.folder, { recursive: true, force: true });
  }
}

/** On SQLite or on a real PostgreSQL in turn with other suites, and by `npm run test:all` on both. */
export function onEachDatabase(name: string, define: (api: TestApi) => void, options: ApiOptions = {}): void {
  for (const kind of databasesInTurn(name)) onDatabase(kind, name, options, define);
}

/** On both in every run: for statements that no other suite sends. */
export function onBothDatabases(name: string, define: (api: TestApi) => void, options: ApiOptions = {}): void {
  for (const kind of BOTH_DATABASES) onDatabase(kind, name, options, define);
}

/** On PostgreSQL, and by `npm run test:all` on SQLite, too: for attacks, whose second checks count where requests really overlap. */
export function underAttack(name: string, define: (api: TestApi) => void, options: ApiOptions = {}): void {
  for (const kind of DATABASES_OF_ATTACKS) onDatabase(kind, name, options, define);
}

/** On SQLite, and by `npm run test:all` on PostgreSQL, too: for what no database decides, such as messages, rights and pages. */
export function onUsualDatabase(name: string, define: (api: TestApi) => void, options: ApiOptions = {}): void {
  for (const kind of USUAL_DATABASES) onDatabase(kind, name, options, define);
}
