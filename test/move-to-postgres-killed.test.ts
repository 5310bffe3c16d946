// A move to PostgreSQL that is killed: no service starts on what it left, and the next move brings everything.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { LOCK } from '../src/platform/database/migrate.ts';
import { ADMIN_PASSWORD, TestApi } from './support/api.ts';
import { aShareOf } from './support/extent.ts';
import { sharedPostgres } from './support/postgres.ts';
import { type GatehouseProcess, type ProcessSettings, usesProcesses } from './support/process.ts';

const SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };

describe('A move to PostgreSQL that is killed', () => {
  const { run, newFolder } = usesProcesses();
  let sqlite: ProcessSettings;
  let masterKey: string;
  const clients: Client[] = [];
  const release = (): Promise<unknown> => Promise.all(clients.splice(0).map((client) => client.end()));
  afterEach(release);

  async function apiOf(service: GatehouseProcess): Promise<TestApi> {
    const api = Object.assign(new TestApi('PostgreSQL'), { url: await service.listening() });
    api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, SCOPE);
    return api;
  }

  before(async () => {
    const folder = join(await newFolder(), 'data');
    sqlite = { GATEHOUSE_DATA_DIR: folder, GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD };
    const service = run(['start'], sqlite);
    const api = await apiOf(service);
    assert.equal((await api.post('/v3/users', { user: { name: 'keeper', password: 'the keeper of the zoo' } })).status, 201);
    await service.walletListening();
    assert.equal(await service.stop(), 0);
    masterKey = readFileSync(join(folder, 'master.key'), 'utf8').trim();
  });

  /** A connection that stays, to make the move wait at a certain point. */
  async function connect(url: string): Promise<Client> {
    const client = new Client({ connectionString: url });
    clients.push(client);
    client.on('error', () => {});
    await client.connect();
    return client;
  }
  async function until(what: () => Promise<boolean>, moving: GatehouseProcess): Promise<void> {
    for (const end = Date.now() + 60_000; !(await what()); await new Promise((resolve) => setTimeout(resolve, 20))) {
      assert.equal(moving.child.exitCode, null, moving.stderr);
      assert.ok(Date.now() < end, 'the move does not wait where this test wants it to');
    }
  }
  const waits = async (client: Client, event: string): Promise<boolean> => {
    // Within a transaction it would see the same again.
    await client.query('select pg_stat_clear_snapshot()');
    const text = `select 1 from pg_stat_activity where datname = current_database() and wait_event = '${event}'`;
    return (await client.query(text)).rows.length > 0;
  };
  const exists = async (client: Client, table: string): Promise<boolean> =>
    (await client.query('select to_regclass($1) as found', [table])).rows[0].found !== null;

  /** It has all its tables. */
  const isComplete = async (client: Client, service: string): Promise<boolean> =>
    (await exists(client, 'kysely_migration')) &&
    (await client.query('select 1 from kysely_migration')).rows.length ===
      readdirSync(new URL(`../src/${service}/migrations`, import.meta.url)).length;

  /** Where the move waits, and is killed. */
  const POINTS: Record<string, (at: { identity: Client; wallet: Client }, moving: () => GatehouseProcess) => Promise<void>> = {
    'before the first table': async ({ identity }, moving) => {
      await identity.query(`select pg_advisory_lock(${LOCK})`);
      await until(() => waits(identity, 'advisory'), moving());
    },
    'between tables and rows': async ({ identity }, moving) => {
      const started = moving();
      await until(() => exists(identity, 'users'), started);
      await identity.query('begin; lock table users in access share mode');
      await until(() => waits(identity, 'relation'), started);
    },
    'among the rows': async ({ identity }, moving) => {
      const started = moving();
      await until(() => exists(identity, 'users'), started);
      await identity.query(`
        select pg_advisory_lock(42);
        create function stall() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(42); return new; end';
        create trigger stall before insert on users for each row execute function stall()`);
      await until(() => waits(identity, 'advisory'), started);
    },
    'between the two databases': async ({ identity, wallet }, moving) => {
      const started = moving();
      await until(() => isComplete(identity, 'identity'), started);
      await identity.query('begin; lock table users in access share mode');
      await until(() => isComplete(wallet, 'wallet'), started);
      await wallet.query('begin; lock table keys in access share mode');
      await identity.query('rollback');
      await until(() => waits(wallet, 'relation'), started);
      assert.ok((await identity.query('select 1 from users')).rows.length > 0);
    },
  };

  for (const [point, stall] of aShareOf(Object.entries(POINTS), 4, 3))
    it(`${point}, lets no service begin anew, and is repeated`, async () => {
      const postgres = await sharedPostgres();
      const urls = { identity: await postgres.createDatabase(), wallet: await postgres.createDatabase() };
      const settings = {
        ...sqlite,
        GATEHOUSE_MASTER_KEY: masterKey,
        GATEHOUSE_IDENTITY_DATABASE_URL: urls.identity,
        GATEHOUSE_WALLET_DATABASE_URL: urls.wallet,
      };
      const at = { identity: await connect(urls.identity), wallet: await connect(urls.wallet) };
      let moving: GatehouseProcess | undefined;
      const move = (more = {}): GatehouseProcess => run(['move-to-postgres'], { ...settings, ...more });
      await stall(at, () => {
        moving = move();
        return moving;
      });
      await moving!.killNow();
      await at.identity.query('rollback').catch(() => {});
      if (point === 'among the rows') await at.identity.query('drop trigger stall on users; drop function stall').catch(() => {});
      await release();

      const isFirstThere = point === 'between the two databases';
      const named = isFirstThere ? 'WALLET' : 'IDENTITY';
      for (const command of ['start', 'migrate']) {
        const refused = run([command], settings);
        assert.equal(await refused.ended(), 2, refused.stdout + refused.stderr);
        assert.match(
          refused.stderr,
          new RegExp(`GATEHOUSE_${named}_DATABASE_URL: data are being copied.*move-to-postgres again`),
        );
        assert.ok(!/First administrator/.test(refused.stderr));
      }

      const doctor = run(['doctor'], settings);
      await doctor.ended();
      assert.match(doctor.stdout, new RegExp(`migrations.${named.toLowerCase()}.*was interrupted[^]*move-to-postgres`));

      const again = move(isFirstThere ? { GATEHOUSE_IDENTITY_DATABASE_URL: '' } : {});
      assert.equal(await again.ended(), 0, again.stderr);
      const service = run(['start'], settings);
      const api = await apiOf(service);
      await service.walletListening();
      const { users } = (await api.get('/v3/users')).body;
      assert.deepEqual(users.map(({ name }: { name: string }) => name).sort(), ['admin', 'keeper']);
      assert.equal(await service.stop(), 0);
    });
});
