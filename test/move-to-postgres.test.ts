// From one machine with SQLite to PostgreSQL: everything is there afterwards, and nothing is overwritten.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { aShareOf, itAtLength } from './support/extent.ts';
import { rowsOf } from './support/older-database.ts';
import { freePort } from './support/ports.ts';
import { sharedPostgres } from './support/postgres.ts';
import { type GatehouseProcess, gatehouse } from './support/process.ts';
import { TestWallet, type WalletUser } from './support/wallet.ts';

const ADMIN = 'the administrator of the tests';

/** What these tests read of answers. */
interface Body {
  readonly project: { readonly id: string };
  readonly consumer: { readonly id: string; readonly secret: string };
}

async function call(url: string, method: string, path: string, token: string, body?: unknown) {
  const answer = await fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token ? { 'X-Auth-Token': token, 'X-Subject-Token': token } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: JSON.parse(text || '{}') as Body };
}

const logIn = async (url: string, name: string, password: string) => {
  const user = { name, domain: { id: 'default' }, password };
  return call(url, 'POST', '/v3/auth/tokens', '', { auth: { identity: { methods: ['password'], password: { user } } } });
};

async function query<T>(url: string, text: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows as T[];
}

/** A database that belongs to a role of its own, for which row-level security counts. */
async function ownDatabase(): Promise<{ url: string; asSuperuser: string }> {
  const asSuperuser = await (await sharedPostgres()).createDatabase();
  const url = new URL(asSuperuser);
  const role = `owner_of${url.pathname.slice(1)}`;
  await query(asSuperuser, `create role ${role} login password 'x'; alter database "${url.pathname.slice(1)}" owner to ${role}`);
  return { url: Object.assign(url, { username: role, password: 'x' }).href, asSuperuser };
}

describe('The move from SQLite to PostgreSQL', () => {
  const wallet = new TestWallet('SQLite');
  let service: GatehouseProcess | undefined;
  let sqlite: Record<string, string>;
  let postgres: Record<string, string>;
  let identity: { url: string; asSuperuser: string };
  let holder: { url: string; asSuperuser: string };
  let token: string;
  let consumer: { id: string; secret: string };
  let keyId: string;
  let person: WalletUser;
  let url: string;
  let folder: string;

  const move = async (settings: Record<string, string>) => {
    const ran = gatehouse(['move-to-postgres'], settings);
    return { code: await ran.ended(), stdout: ran.stdout, stderr: ran.stderr };
  };
  const rowsIn = async (database: string, table: string): Promise<number> =>
    Number((await query<{ count: string }>(database, `select count(*) from ${table}`))[0]!.count);

  before(async () => {
    await wallet.provider.start();
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-move-'));
    [identity, holder] = [await ownDatabase(), await ownDatabase()];
    sqlite = {
      GATEHOUSE_DATA_DIR: folder,
      GATEHOUSE_ADMIN_PASSWORD: ADMIN,
      GATEHOUSE_WALLET_PORT: String(await freePort()),
      GATEHOUSE_WALLET_OIDC_ISSUER: wallet.provider.issuer,
      GATEHOUSE_WALLET_OIDC_CLIENT_ID: wallet.provider.clientId,
      GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: wallet.provider.clientSecret,
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
    };
    service = gatehouse(['start'], sqlite);
    url = await service.listening();
    wallet.url = await service.walletListening();
    postgres = {
      ...sqlite,
      GATEHOUSE_IDENTITY_DATABASE_URL: identity.url,
      GATEHOUSE_WALLET_DATABASE_URL: holder.url,
      GATEHOUSE_MASTER_KEY: readFileSync(join(folder, 'master.key'), 'utf8').trim(),
    };
    token = (await logIn(url, 'admin', ADMIN)).headers.get('x-subject-token')!;
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const scoped = await call(url, 'POST', '/v3/auth/tokens', '', {
      auth: { identity: { methods: ['token'], token: { id: token } }, scope },
    });
    token = scoped.headers.get('x-subject-token')!;
    const parent = (await call(url, 'POST', '/v3/projects', token, { project: { name: 'zoo "é\u{1F418}' } })).body.project;
    await call(url, 'POST', '/v3/projects', token, { project: { name: 'cage', parent_id: parent.id } });
    await call(url, 'POST', '/v3/users', token, { user: { name: 'keeper', password: 'the keeper of the zoo' } });
    consumer = (await call(url, 'POST', '/v3/OS-OAUTH2/consumers', token, { consumer: { name: 'tickets', redirect_uris: [] } }))
      .body.consumer;
    person = await wallet.logIn();
    keyId = (await person.make('keys', { algorithm: 'ES256' })).id;
  });
  after(async () => {
    await service?.stop();
    await wallet.provider.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is refused while the service runs, and changes nothing', async () => {
    const { code, stderr } = await move(postgres);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /in use|running/);
    assert.deepEqual(await query(identity.asSuperuser, `select 1 from pg_tables where schemaname = 'public'`), []);
    // What it wrote last is not in the main file of the database then.
    await service!.killNow();
    service = undefined;
  });

  itAtLength('is refused with another master key, without a database, and from another version', async () => {
    const wrongKey = await move({ ...postgres, GATEHOUSE_MASTER_KEY: newMasterKey() });
    assert.equal(wrongKey.code, 2);
    assert.match(wrongKey.stderr, /encrypted with another master key/);
    const { GATEHOUSE_MASTER_KEY: _, ...noKey } = postgres;
    const nothing = await mkdtemp(join(tmpdir(), 'gatehouse-move-'));
    const cases: [Record<string, string>, RegExp][] = [
      [noKey, /GATEHOUSE_MASTER_KEY must be set to the key of the data folder: .*master\.key/],
      [sqlite, /GATEHOUSE_IDENTITY_DATABASE_URL: set it/],
      [{ ...postgres, GATEHOUSE_DATA_DIR: nothing }, /nothing that could be copied/],
      [{ ...postgres, GATEHOUSE_WALLET_DATABASE_URL: identity.url }, /GATEHOUSE_WALLET_DATABASE_URL must name another database/],
    ];
    for (const [settings, message] of aShareOf(cases, 2)) assert.match((await move(settings)).stderr, message);
    await rm(nothing, { recursive: true });

    const db = new DatabaseSync(join(folder, 'identity.sqlite'));
    const [last] = db.prepare('select * from kysely_migration order by name desc limit 1').all() as {
      name: string;
      timestamp: string;
    }[];
    db.prepare('delete from kysely_migration where name = ?').run(last!.name);
    try {
      assert.match((await move(postgres)).stderr, /identity\.sqlite is of another version/);
    } finally {
      db.prepare('insert into kysely_migration (name, timestamp) values (?, ?)').run(last!.name, last!.timestamp);
      db.close();
    }
    assert.deepEqual(await query(identity.asSuperuser, `select 1 from pg_tables where schemaname = 'public'`), []);
  });

  itAtLength('copies nothing when it fails in the middle', async () => {
    const db = new DatabaseSync(join(folder, 'identity.sqlite'));
    // PostgreSQL cannot store this character. No route accepts it.
    db.exec("update users set extra = '{\"a\": 1}' || char(0) where name = 'keeper'");
    const { code, stderr } = await move(postgres);
    db.exec("update users set extra = '{}' where name = 'keeper'");
    db.close();
    assert.equal(code, 1, stderr);
    assert.equal(await rowsIn(identity.asSuperuser, 'projects'), 0);
  });

  itAtLength('copies neither database when one of them is not empty, and goes on after only one was copied', async () => {
    const [first, second] = [await ownDatabase(), await ownDatabase()];
    const there = {
      ...postgres,
      GATEHOUSE_IDENTITY_DATABASE_URL: first.url,
      GATEHOUSE_WALLET_DATABASE_URL: second.url,
    };
    await query(second.url, 'create table notes (id int)');
    const refused = await move(there);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /GATEHOUSE_WALLET_DATABASE_URL: this database has tables of something else/);
    assert.equal(await rowsIn(first.asSuperuser, 'users'), 0);
    await query(second.url, 'drop table notes');

    const db = new DatabaseSync(join(folder, 'wallet.sqlite'));
    const [key] = db.prepare('select id, owner from keys limit 1').all() as { id: string; owner: string }[];
    db.prepare('update keys set owner = owner || char(0) where id = ?').run(key!.id);
    const half = await move(there);
    db.prepare('update keys set owner = ? where id = ?').run(key!.owner, key!.id);
    db.close();
    assert.equal(half.code, 1, half.stderr);
    assert.match(half.stdout, /^identity: \d+ rows are in PostgreSQL now\n$/);
    assert.match(half.stderr, /identity: copied, .* run this command again, with GATEHOUSE_IDENTITY_DATABASE_URL= \(empty\)/);
    assert.match(half.stderr, /keys: /);
    assert.equal(await rowsIn(second.asSuperuser, 'keys'), 0);
    const again = await move(there);
    assert.match(
      again.stderr,
      /GATEHOUSE_IDENTITY_DATABASE_URL: this database is in use.* again with GATEHOUSE_IDENTITY_DATABASE_URL=/,
    );
    const rest = await move({ ...there, GATEHOUSE_IDENTITY_DATABASE_URL: '' });
    assert.deepEqual([rest.code, rest.stderr], [0, '']);
    assert.match(rest.stdout, /^wallet: \d+ rows are in PostgreSQL now\n$/);
    assert.ok((await rowsIn(second.asSuperuser, 'keys')) > 0);
  });

  it('copies every row, and references hold as before', async () => {
    const { code, stdout, stderr } = await move(postgres);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^identity: \d+ rows are in PostgreSQL now\nwallet: \d+ rows/);
    for (const [name, { asSuperuser }] of [
      ['identity', identity],
      ['wallet', holder],
    ] as const)
      for (const [table, rows] of rowsOf(join(folder, `${name}.sqlite`)))
        if (table !== 'kysely_migration') {
          const sorted = (list: readonly object[]): string[] =>
            list.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
          const copied = await query<Record<string, unknown>>(asSuperuser, `select to_json(t) as row from "${table}" t`);
          assert.deepEqual(sorted(copied.map(({ row }) => row as object)), sorted(rows), table);
        }
    const constraint = `select count(*) from pg_constraint where contype = 'f' and condeferrable`;
    assert.equal(Number((await query<{ count: string }>(identity.asSuperuser, constraint))[0]!.count), 0);
  });

  itAtLength('is refused a second time, because rows are there', async () => {
    const { code, stderr } = await move(postgres);
    assert.equal(code, 2);
    assert.match(stderr, /GATEHOUSE_IDENTITY_DATABASE_URL: this database is in use already/);
  });

  it('leaves a service with the same tokens, passwords, secrets and keys', async () => {
    service = gatehouse(['start'], { ...postgres, GATEHOUSE_IDENTITY_URL: url });
    const there = await service.listening();
    await service.walletListening();
    assert.equal((await call(there, 'GET', '/v3/auth/tokens', token)).status, 200);
    assert.equal((await logIn(there, 'keeper', 'the keeper of the zoo')).status, 201);
    assert.equal(
      (await call(there, 'GET', `/v3/OS-OAUTH2/consumers/${consumer.id}`, token)).body.consumer.secret,
      consumer.secret,
    );
    // With the session from before, at the same address.
    assert.equal((await person.get(`/api/v1/wallet/keys/${keyId}`)).status, 200);
  });
});
