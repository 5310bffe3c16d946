// A service that is stopped and started again on the same data, and the database under any service of the tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../src/identity/database.ts';
import { createIdentityService, openDatabase } from '../../src/identity/service.ts';
import { identitySettings } from '../../src/identity/settings.ts';
import { load } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../../src/platform/seal/index.ts';
import { type DatabaseKind, TestApi } from './api.ts';
import { sharedPostgres } from './postgres.ts';

const SETTINGS = {
  GATEHOUSE_IDENTITY_PORT: '0',
  GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
  GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
};

/** The tables a service of the tests writes, for tests that must see what no answer shows. Close it. */
export async function databaseOf(api: TestApi): Promise<Database> {
  const env = api.databaseUrl ? { GATEHOUSE_IDENTITY_DATABASE_URL: api.databaseUrl } : {};
  const db = await openDatabase(load(identitySettings, env), api.folder);
  return {
    ...db,
    async close() {
      // Reads of the service in this same process end with the turn of the loop; SQLite would wait for them, and they for us.
      await setImmediate();
      await db.close();
    },
  };
}

export class RestartableApi extends TestApi {
  /** The first seals; a start with others finds only what they open. */
  masterKeys = [newMasterKey()];
  #running = false;

  /** An empty place for the data. */
  async prepare(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    this.databaseUrl = this.kind === 'PostgreSQL' ? await (await sharedPostgres()).createDatabase() : undefined;
  }

  /** Starts on the data of the start before; the first start makes it. The administrator's password when it made one. */
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
      outboundAllow: [],
      checkReplies: true,
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

/** The same test on both databases, each with a service that the test starts. */
export const KINDS: readonly DatabaseKind[] = ['SQLite', 'PostgreSQL'];
