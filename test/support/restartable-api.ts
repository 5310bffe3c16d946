// A service that can be stopped and restarted on the same data, and access to the database of a test service.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../src/identity/ground/database/index.ts';
import { identitySettings } from '../../src/identity/ground/settings/index.ts';
import { createIdentityService, openDatabase } from '../../src/identity/service.ts';
import { load } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../../src/platform/seal/index.ts';
import { type DatabaseKind, TestApi } from './api.ts';
import { migratedDatabase } from './migrated-database.ts';

const SETTINGS = {
  GATEHOUSE_IDENTITY_HOST: '127.0.0.1',
  GATEHOUSE_IDENTITY_PORT: '0',
  GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
  GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
};

/** Opens the database of a test service, for tests that check stored data. The caller closes it. */
export async function databaseOf(api: TestApi): Promise<Database> {
  const env = api.databaseUrl ? { GATEHOUSE_IDENTITY_DATABASE_URL: api.databaseUrl } : {};
  const db = await openDatabase(load(identitySettings, env), api.folder);
  return {
    ...db,
    async close() {
      // Reads of the service in this process end with the turn of the event loop. SQLite would wait for them, and block the loop.
      await setImmediate();
      await db.close();
    },
  };
}

/** The database of a suite's service, to look into. */
export function usesDatabaseOf(api: TestApi): () => Database {
  let db: Database | undefined;
  before(async () => {
    db = await databaseOf(api);
  });
  after(() => db?.close());
  // A read of ours lasts until the loop turns; on SQLite the service would wait for it when it stops.
  afterEach(() => setImmediate());
  return () => db!;
}

export class RestartableApi extends TestApi {
  /** The first key seals. A start with other keys can only open what those sealed. */
  masterKeys = [newMasterKey()];
  /** Addresses that the service may connect to although they are internal. */
  outboundAllow: string[] = [];
  /** Files with which it serves https. */
  tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  #running = false;

  /** Creates an empty data folder or database. */
  async prepare(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    this.databaseUrl = await migratedDatabase(this.kind, 'identity', this.folder);
  }

  /** Starts on the existing data; the first start creates it. Returns the administrator's password if it created one. */
  async begin(settings: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
    if (this.folder === '') await this.prepare();
    const database = this.databaseUrl ? { GATEHOUSE_IDENTITY_DATABASE_URL: this.databaseUrl } : {};
    this.service = await createIdentityService({
      config: load(identitySettings, { ...SETTINGS, ...database, ...settings }),
      dataDir: this.folder,
      seal: createSeal(this.masterKeys),
      log: createLog('debug', { write: (line) => void this.logged.push(line) }),
      clock: this.clock,
      rateLimits: false,
      trustedProxies: [],
      outboundAllow: this.outboundAllow,
      checkReplies: true,
      tls: this.tls,
    });
    this.#running = true;
    const { address, adminPassword } = await this.service.start();
    this.url = address;
    return adminPassword;
  }

  async end(): Promise<void> {
    if (this.#running) await this.service.stop(1000);
    this.#running = false;
  }

  async remove(): Promise<void> {
    await this.end();
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }
}

/** For tests on both databases that start the service themselves. */
export const KINDS: readonly DatabaseKind[] = ['SQLite', 'PostgreSQL'];
