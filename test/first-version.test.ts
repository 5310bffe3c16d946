// A database of the very first version, which had a different migration 001, works like any other after an upgrade.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { identitySettings } from '../src/identity/ground/settings/index.ts';
import { createIdentityService } from '../src/identity/service.ts';
import { systemClock } from '../src/platform/clock.ts';
import { load } from '../src/platform/config/index.ts';
import { openDatabase } from '../src/platform/database/index.ts';
import { createLog } from '../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../src/platform/seal/index.ts';
import { inFullRun } from './support/extent.ts';
import { sharedPostgres } from './support/postgres.ts';

const FIRST = fileURLToPath(new URL('./support/fixtures/001-core-of-the-first-version.sql', import.meta.url));
const PASSWORD = 'the administrator of the tests';

describe('A database of the first version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-first-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const migrations = join(folder, 'migrations');
  mkdirSync(migrations);
  writeFileSync(join(migrations, '001-core.sql'), readFileSync(FIRST));

  for (const kind of inFullRun(['SQLite', 'PostgreSQL'], ['SQLite']))
    it(`takes users with passwords after an upgrade (${kind})`, async () => {
      const databaseUrl = kind === 'SQLite' ? undefined : await (await sharedPostgres()).createDatabase();
      const options = { databaseUrl, poolSize: 2, namedStatements: true };
      await (await openDatabase(join(folder, 'identity.sqlite'), migrations, options)).close();

      const env = {
        GATEHOUSE_IDENTITY_HOST: '127.0.0.1',
        GATEHOUSE_IDENTITY_PORT: '0',
        GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
        GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
        GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
        ...(databaseUrl ? { GATEHOUSE_IDENTITY_DATABASE_URL: databaseUrl } : {}),
      };
      const service = await createIdentityService({
        config: load(identitySettings, env),
        dataDir: folder,
        seal: createSeal([newMasterKey()]),
        log: createLog('silent'),
        clock: systemClock,
        rateLimits: false,
        trustedProxies: [],
        outboundAllow: [],
      });
      try {
        const { address } = await service.start();
        const post = (path: string, body: unknown, token = '') =>
          fetch(address + path, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', 'X-Auth-Token': token },
            body: JSON.stringify(body),
          });
        const logIn = (name: string, password: string, scope?: unknown) => {
          const user = { name, domain: { id: 'default' }, password };
          return post('/v3/auth/tokens', { auth: { identity: { methods: ['password'], password: { user } }, scope } });
        };
        const admin = await logIn('admin', PASSWORD, { system: { all: true } });
        assert.equal(admin.status, 201, await admin.text());
        const password = 'a password somebody was given';
        const made = await post('/v3/users', { user: { name: 'somebody', password } }, admin.headers.get('x-subject-token')!);
        assert.equal(made.status, 201, await made.text());
        assert.equal((await logIn('somebody', password)).status, 201);
      } finally {
        await service.stop(1000);
      }
    });
});
