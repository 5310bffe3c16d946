// Every released schema is brought up by this version, with its data, and serves. UPGRADE_ALL=1: the flows are tried from each of them and
// on both databases; otherwise from some, on SQLite. The data is checked from each with TEST_EXTENT=all, otherwise from some, too.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { SEALED_COLUMNS as IDENTITY_SEALED } from '../src/identity/operations/jobs/index.ts';
import { MIGRATIONS as IDENTITY } from '../src/identity/service.ts';
import { openDatabase } from '../src/platform/database/index.ts';
import { createSeal } from '../src/platform/seal/index.ts';
import { checkSealed } from '../src/platform/sealed/index.ts';
import { SEALED_COLUMNS as WALLET_SEALED } from '../src/wallet/jobs/index.ts';
import { MIGRATIONS as WALLET } from '../src/wallet/service.ts';
import { assertOk } from './support/answers.ts';
import { ADMIN_PASSWORD, uniqueName } from './support/api.ts';
import { makeApplication } from './support/applications.ts';
import { aShareOf, itAtLength } from './support/extent.ts';
import { makeOlder, migrationsOf, rowsOf } from './support/older-database.ts';
import { sharedPostgres } from './support/postgres.ts';
import { RestartableApi } from './support/restartable-api.ts';
import { soon } from './support/soon.ts';
import { TestWallet } from './support/wallet.ts';

const ALL = process.env.UPGRADE_ALL !== undefined;
const KINDS = ALL ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const);
const SETTINGS = { GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD };
const OPTIONS = { poolSize: 2, namedStatements: true, databaseUrl: undefined };
const SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };
const PASSWORD = 'somebody chose this one';

const allText = (folder: string): string =>
  migrationsOf(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');

describe('A migration', () => {
  /** What the previous version writes must still be possible beside the new one. */
  for (const folder of [IDENTITY, WALLET])
    for (const file of migrationsOf(folder))
      it(`only adds: ${basename(dirname(folder))} ${file}`, () => {
        const text = readFileSync(join(folder, file), 'utf8').replace(/--.*$/gm, '');
        const statements = text.split(/;\s*$/m).flatMap((one) => one.trim().replace(/\s+/g, ' ') || []);
        const own = statements.flatMap((one) => /^create table (?:if not exists )?(\w+)/.exec(one)?.[1] ?? []);
        const dropped = statements.flatMap((one) => /^drop index (?:if exists )?(\w+)/.exec(one)?.[1] ?? []);
        // One that holds for some rows, instead of one that held for all.
        const isNarrower = (statement: string): boolean => {
          const [, index] = /^create unique index \w+ (on \w+ \([^)]*\)) where /.exec(statement) ?? [];
          return index !== undefined && dropped.some((name) => allText(folder).includes(`create unique index ${name} ${index};`));
        };
        for (const statement of statements) {
          const [, column = ''] = /^alter table \w+ add column (?:if not exists )?\w+ (.*)$/.exec(statement) ?? [];
          const [, table = ''] = /^create unique index (?:if not exists )?\w+ on (\w+)/.exec(statement) ?? [];
          const isAddition =
            // Without an index, everything can still be written.
            /^(create (table|index)|drop index|insert into|update) /.test(statement) ||
            (column !== '' && (!/not null/.test(column) || /default/.test(column))) ||
            own.includes(table) ||
            isNarrower(statement);
          assert.ok(isAddition, statement);
        }
      });
});

describe('The identity service', () => {
  const files = migrationsOf(IDENTITY);
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const current = new RestartableApi('SQLite');
  let rows: ReturnType<typeof rowsOf>;
  let made: { userId: string; projectId: string; consumer: { id: string; secret: string } };

  before(async () => {
    await current.begin(SETTINGS);
    const token = await current.logIn({ name: 'admin', password: ADMIN_PASSWORD }, SCOPE);
    current.adminToken = token;
    const user = await current.make('user', { name: 'ann', password: PASSWORD, email: 'ann@example.org' });
    const project = await current.make('project', { name: 'one' });
    const group = await current.make('group', { name: 'people' });
    assertOk(await current.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
    const { roles } = assertOk(await current.get('/v3/roles?name=member'));
    assertOk(await current.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${roles[0].id}`), 204);
    const consumer = await makeApplication(current);
    made = { userId: user.id, projectId: project.id, consumer };
    await current.end();
    rows = rowsOf(join(current.folder, 'identity.sqlite'));
  });
  after(() => current.remove());

  it('keeps the data of every schema', async () => {
    const counts = Array.from({ length: files.length - 1 }, (_, index) => index + 1);
    // A migration is never edited, so the older ones were tried when they were new. The newest schema is among them.
    for (const count of aShareOf(counts, 4, counts.length - 1)) {
      const path = join(root, `${count}.sqlite`);
      await makeOlder(path, IDENTITY, count, rows);
      const before = rowsOf(path);
      const db = await openDatabase(path, IDENTITY, OPTIONS);
      const seal = createSeal(current.masterKeys);
      const { damaged, underOtherKeys } = await checkSealed(db.read, IDENTITY_SEALED, seal);
      await db.close();
      assert.deepEqual([damaged, underOtherKeys], [[], 0], files[count - 1]);
      const upgraded = rowsOf(path);
      for (const [table, all] of before) {
        if (table === 'kysely_migration') continue;
        assert.equal(upgraded.get(table)?.length, all.length, `${table} after ${files[count - 1]}`);
        const columns = Object.keys(all[0] ?? {});
        // What was there is unchanged, but for columns that a migration fills.
        const kept = upgraded.get(table)!.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
        if (table === 'users' || table === 'projects' || table === 'passwords')
          assert.deepEqual(
            kept,
            all.map((row) => ({ ...row })),
            `${table} after ${files[count - 1]}`,
          );
      }
    }
  });

  const tried = ALL ? files.map((_, index) => index + 1) : [1, 6, 15, files.length - 1];
  for (const kind of KINDS)
    for (const count of tried)
      it(`serves from the schema of ${files[count - 1]!.replace('.sql', '')} on (${kind})`, async () => {
        const api = new RestartableApi(kind);
        api.folder = mkdtempSync(join(root, 'data-'));
        api.masterKeys = current.masterKeys;
        api.databaseUrl = kind === 'PostgreSQL' ? await (await sharedPostgres()).createDatabase() : undefined;
        await makeOlder(api.databaseUrl ?? join(api.folder, 'identity.sqlite'), IDENTITY, count, rows);
        await api.begin(SETTINGS);
        try {
          api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, SCOPE);
          const ann = await api.logIn({ name: 'ann', password: PASSWORD }, { project: { id: made.projectId } });
          const { token } = assertOk(await api.get('/v3/auth/tokens', { token: ann, headers: { 'X-Subject-Token': ann } }));
          assert.deepEqual(token.roles.map(({ name }: { name: string }) => name).sort(), ['member', 'reader']);
          assert.equal(assertOk(await api.get(`/v3/users/${made.userId}`)).user.name, 'ann');
          assertOk(await api.patch(`/v3/users/${made.userId}`, { user: { description: 'changed' } }));
          await api.make('user', { name: uniqueName('new'), password: PASSWORD });
          assertOk(await api.get('/v3/OS-AUDIT/events'));
          // Applications came with the second schema.
          if (count >= 2)
            assert.equal(
              assertOk(await api.get(`/v3/OS-OAUTH2/consumers/${made.consumer.id}`)).consumer.secret,
              made.consumer.secret,
            );
          await makeApplication(api);
        } finally {
          await api.end();
        }
      });
});

describe('A replica beside a newer version', () => {
  it('goes on while tables get columns (PostgreSQL)', async () => {
    const api = new RestartableApi('PostgreSQL');
    await api.begin(SETTINGS);
    try {
      api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, SCOPE);
      /** At once, so that several connections have prepared the statements. */
      const use = () =>
        Promise.all(
          Array.from({ length: 8 }, async () => {
            const user = await api.make('user', { name: uniqueName('beside'), password: PASSWORD });
            assertOk(await api.patch(`/v3/users/${user.id}`, { user: { description: 'changed' } }));
            await api.logIn({ name: user.name, password: PASSWORD });
            const project = await api.make('project', { name: uniqueName('beside') });
            assertOk(await api.get(`/v3/projects/${project.id}`));
            await makeApplication(api);
            assertOk(await api.delete(`/v3/users/${user.id}`), 204);
          }),
        );
      await use();
      const client = new Client(api.databaseUrl);
      await client.connect();
      const { rows } = await client.query<{ name: string }>(
        "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition",
      );
      for (const { name } of rows) await client.query(`alter table "${name}" add column of_a_newer_version text`);
      await client.end();
      await use();
    } finally {
      await api.remove();
    }
  });
});

describe('A replica beside one of the version that hears of changes by NOTIFY', () => {
  it('tells it of changes, and answers nothing from memory as long as it is there (PostgreSQL)', async () => {
    const api = new RestartableApi('PostgreSQL');
    await api.begin(SETTINGS);
    // What the earlier version did in each process, with the names that it gave its connections.
    const older = new Client({ connectionString: api.databaseUrl!, application_name: 'gatehouse feed' });
    try {
      api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, SCOPE);
      const user = await api.make('user', { name: uniqueName('beside'), password: PASSWORD });
      const token = await api.logIn({ name: user.name, password: PASSWORD });
      const status = async () => (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status;
      const isLive = async () => (await api.service.metrics.registry.metrics()).includes('\ngatehouse_feed_live 1\n');
      await soon(true, isLive);
      assert.equal(await status(), 200);

      await older.connect();
      const told: (string | undefined)[] = [];
      older.on('notification', ({ payload }) => told.push(payload));
      await older.query('listen gatehouse_changes');
      await soon(false, isLive);
      await older.query('update users set enabled = 0 where id = $1', [user.id]);
      assert.equal(await status(), 404, 'at once, and whatever the older one told');
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: true } }));
      await soon(true, async () => told.some((payload) => payload?.includes(`"user:${user.id}"`)));
    } finally {
      await older.end();
      await api.remove();
    }
  });

  itAtLength('answers from memory again some time after the last of them has ended (PostgreSQL)', async () => {
    const api = new RestartableApi('PostgreSQL');
    await api.begin(SETTINGS);
    const older = new Client({ connectionString: api.databaseUrl!, application_name: 'gatehouse' });
    try {
      const isLive = async () => (await api.service.metrics.registry.metrics()).includes('\ngatehouse_feed_live 1\n');
      await soon(true, isLive);
      await older.connect();
      await soon(false, isLive);
      await older.end();
      await soon(true, isLive);
    } finally {
      await api.remove();
    }
  });
});

describe('The wallet node', () => {
  const files = migrationsOf(WALLET);
  const wallet = new TestWallet('SQLite', { settings: { GATEHOUSE_WALLET_URL: 'http://127.0.0.1:9999' } });
  let rows: ReturnType<typeof rowsOf>;
  let keyId: string;
  before(async () => {
    await wallet.start();
    const person = await wallet.logIn('ann');
    keyId = (await person.make('keys', { algorithm: 'ES256' })).id;
    await person.make('dids', { method: 'web' });
    await wallet.service.stop(1000);
    rows = rowsOf(join(wallet.folder, 'wallet.sqlite'));
  });
  after(async () => {
    await wallet.provider.stop();
    rmSync(wallet.folder, { recursive: true, force: true });
  });

  for (const [index, file] of aShareOf([...files.entries()], 3, files.length - 1))
    it(`serves from the schema of ${file.replace('.sql', '')} on`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'));
      const path = join(folder, 'wallet.sqlite');
      await makeOlder(path, WALLET, index + 1, rows);
      mkdirSync(wallet.folder, { recursive: true });
      for (const end of ['-wal', '-shm']) rmSync(join(wallet.folder, `wallet.sqlite${end}`), { force: true });
      copyFileSync(path, join(wallet.folder, 'wallet.sqlite'));
      await wallet.open();
      const person = await wallet.logIn('ann');
      assert.equal((await person.get(`/api/v1/wallet/keys/${keyId}`)).status, 200);
      const { length } = (await person.get('/api/v1/wallet/dids')).body;
      assert.ok(length > 0);
      await person.make('keys', { algorithm: 'ES256' });
      await wallet.service.stop(1000);
      const db = await openDatabase(join(wallet.folder, 'wallet.sqlite'), WALLET, OPTIONS);
      const { damaged, count } = await checkSealed(db.read, WALLET_SEALED, createSeal([wallet.masterKey]));
      await db.close();
      assert.deepEqual(damaged, []);
      assert.ok(count > 2);
      rmSync(folder, { recursive: true, force: true });
    });
});
