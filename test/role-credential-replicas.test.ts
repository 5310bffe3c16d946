// Two real services on one PostgreSQL: when one takes a role away, the lists that the other publishes say within a second that its credential is revoked.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../src/identity/ground/database/index.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { ADMIN_PASSWORD, TestApi } from './support/api.ts';
import { assignmentPath } from './support/applications.ts';
import { ISSUER, type IssuedOn, issuedCredentialsOn, makeHolder, recordFor, verifierOf } from './support/issued-credentials.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { type GatehouseProcess, gatehouse } from './support/process.ts';
import { databaseOf } from './support/restartable-api.ts';
import { soon } from './support/soon.ts';

describe('Published lists on two replicas', () => {
  let folder: string;
  let services: GatehouseProcess[] = [];
  let a: TestApi;
  let b: TestApi;
  let db: Database;
  let on: IssuedOn;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    const databaseUrl = await migratedPostgres('identity');
    const settings = {
      GATEHOUSE_IDENTITY_DATABASE_URL: databaseUrl,
      GATEHOUSE_IDENTITY_URL: ISSUER,
      GATEHOUSE_MASTER_KEY: newMasterKey(),
      GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
      GATEHOUSE_DATA_DIR: folder,
    };
    services = [gatehouse(['identity'], settings), gatehouse(['identity'], settings)];
    const at = async (service: GatehouseProcess): Promise<TestApi> => {
      const api = new TestApi('PostgreSQL');
      api.url = await service.listening();
      return api;
    };
    [a, b] = (await Promise.all(services.map(at))) as [TestApi, TestApi];
    a.databaseUrl = databaseUrl;
    a.folder = folder;
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    a.adminToken = b.adminToken = await a.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
    db = await databaseOf(a);
    on = issuedCredentialsOn(db, a.clock);
  });
  after(async () => {
    await db.close();
    assert.deepEqual(await Promise.all(services.map((service) => service.stop())), [0, 0]);
    await rm(folder, { recursive: true, force: true });
  });

  it('say so in both forms, and keep saying it', async () => {
    const times: number[] = [];
    for (const way of ['assignment', 'user', 'application'] as const) {
      const holder = await makeHolder(a, db);
      const [credential] = (await recordFor(on, holder.user.id, holder.typeId)).credentials;
      const verifier = await verifierOf(() => b.url, a.clock, db);
      const told = async () => [await verifier.byToken(credential!), await verifier.byBitstring(credential!)];
      assert.deepEqual(await told(), ['valid', 'valid']);
      assert.deepEqual(await told(), ['valid', 'valid'], 'from memory');
      const paths = {
        assignment: assignmentPath(holder),
        user: `/v3/users/${holder.user.id}`,
        application: `/v3/OS-OAUTH2/consumers/${holder.application.id}`,
      };
      assert.equal((await a.delete(paths[way])).status, 204, way);
      times.push(await soon(['revoked', 'revoked'], told));
      assert.deepEqual(await told(), ['revoked', 'revoked']);
    }
    console.log(`published after ${times.map((ms) => `${Math.round(ms)} ms`).join(', ')}`);
  });
});
