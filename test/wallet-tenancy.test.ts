// Tests every route of the wallet node: users cannot see what belongs to others, and routes that are not public need a session. New
// routes are included automatically, or fail until their parameters are added here.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { createApp, type Route } from '../src/platform/http/index.ts';
import { newUlid } from '../src/platform/ids.ts';
import type { Caller } from '../src/wallet/access/caller.ts';
import { actAs, EVERYONE, readAs } from '../src/wallet/access/owners.store.ts';
import type { WalletApp } from '../src/wallet/access/rules.ts';
import { mountWallet, type WalletRouteDeps } from '../src/wallet/routes.ts';
import { onEachWallet, type TestWallet, type WalletUser } from './support/wallet.ts';
import { assertProblem } from './support/wallet-answers.ts';
import { ownerOfPerson, storeCredential } from './support/wallet-credentials.ts';

function walletRoutes(): readonly Route<Caller>[] {
  const app: WalletApp = createApp();
  mountWallet(app, {} as WalletRouteDeps);
  return app.routes;
}

const ROUTES = walletRoutes();
const nameOf = ({ method, path }: Route<Caller>): string => `${method} ${path}`;

/** Public routes. All others need a session. */
const PUBLIC = [
  'GET /',
  'GET /.well-known/did.json',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/wallet-client',
  'GET /.well-known/wallet-client/jwks.json',
  'GET /dids/:name/did.json',
  'GET /api/v1/auth/login',
  'GET /api/v1/auth/callback',
  'GET /api/v1/auth/logout',
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/backchannel-logout',
];

const isPublic = (route: Route<Caller>): boolean => PUBLIC.includes(nameOf(route));
/** The callback for browsers: it shows nothing, and checks the state. */
const isReturn = (route: Route<Caller>): boolean => nameOf(route) === 'GET /api/v1/wallet/oid4vci/callback';
/** For administrators only: it shows what belongs to nobody's wallet. */
const isOfTheNode = (route: Route<Caller>): boolean => route.spec.rule === 'administrator';
const hasParameter = ({ path }: Route<Caller>): boolean => path.includes(':');

/** Ids of a user's things, by path parameter. */
interface Belongings {
  readonly [collection: string]: readonly string[];
}

/** An exchange that is waiting for its issuer. */
async function beginExchange(person: WalletUser): Promise<string> {
  const { wallet } = person;
  const [owner, id, now] = [ownerOfPerson(person), `ex_${newUlid(wallet.clock.now())}`, wallet.clock.now()];
  const db = await wallet.database();
  try {
    await db.write(async (tx) => {
      await actAs(db, tx, owner);
      await tx
        .insertInto('exchanges')
        .values({
          ...{ id, owner, protocol: 'oid4vci', state: 'deferred', peer: 'https://issuer.example', outcome: null, result: null },
          ...{ request_hash: null, steps: '[]', sealed: null, poll_at: null, claimed_until: 0, claimed_by: '' },
          ...{ created_at: now, updated_at: now, expires_at: now + 86_400_000 },
        })
        .execute();
    });
  } finally {
    await db.close();
  }
  return id;
}

async function belongingsOf(person: WalletUser): Promise<Belongings> {
  const [key, rotated, revoked] = [await person.make('keys'), await person.make('keys'), await person.make('keys')];
  await person.post(`/api/v1/wallet/keys/${rotated.id}/rotate`, {});
  await person.post(`/api/v1/wallet/keys/${revoked.id}/revoke`, {});
  const draft = await person.make('dids', { keyIds: [key.id] });
  const published = await person.make('dids');
  await person.post(`/api/v1/wallet/dids/${published.id}/publish`);
  const jwk = await person.make('dids', { method: 'jwk' });
  return {
    '/api/v1/wallet/keys/:id': [key.id, rotated.id, revoked.id],
    '/api/v1/wallet/dids/:id': [draft.id, published.id, jwk.id, ...[draft.did, published.did, jwk.did].map(encodeURIComponent)],
    '/api/v1/wallet/exchanges/:id': [await beginExchange(person)],
    '/api/v1/wallet/credentials/:id': [await storeCredential(person, { key_id: key.id, did_id: draft.id, binding: 'did' })],
  };
}

const NOBODYS: Belongings = {
  '/api/v1/wallet/exchanges/:id': ['ex_01KA2Z9Q1V8YB3T5M7N9P1R3S5'],
  '/api/v1/wallet/keys/:id': ['key_01KA2Z9Q1V8YB3T5M7N9P1R3S5'],
  '/api/v1/wallet/dids/:id': ['did_01KA2Z9Q1V8YB3T5M7N9P1R3S5', 'did%3Aweb%3Anobody.example'],
  '/api/v1/wallet/credentials/:id': ['cred_01KA2Z9Q1V8YB3T5M7N9P1R3S5'],
};

/** The URLs of a route for a user's things. */
function pathsOf(route: Route<Caller>, belongings: Belongings): string[] {
  const [, start] = /^(.*?:\w+)(?:\/|$)/.exec(route.path) ?? [];
  const ids = belongings[start ?? ''];
  assert.ok(ids, `${nameOf(route)}: tell belongingsOf what a person has at ${start}`);
  const paths = ids.map((id) => route.path.replace(/:\w+/, id));
  for (const path of paths) assert.ok(!path.includes(':'), `${nameOf(route)}: its second parameter is to be filled here as well`);
  return paths;
}

/** All rows, except those that record who called and when, or tell other processes so. */
async function everything(wallet: TestWallet): Promise<Record<string, unknown[]>> {
  // Reads of the service end with this turn of the event loop. Closing would wait for them.
  await new Promise((resolve) => setImmediate(resolve));
  const db = await wallet.database();
  try {
    return await readAs(db, EVERYONE, async (reader) => {
      const tables =
        db.dialect === 'sqlite'
          ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
          : sql<{
              name: string;
            }>`select table_name as name from information_schema.tables where table_schema = current_schema() and table_name not like 'audit_events_%'`;
      const found: Record<string, unknown[]> = {};
      for (const { name } of (await tables.execute(reader)).rows) {
        if (name === 'sessions' || name.startsWith('gatehouse_')) continue;
        const { rows } = await sql`select * from ${sql.table(name)}`.execute(reader);
        found[name] = rows.map((row) => JSON.stringify(row)).sort();
      }
      return found;
    });
  } finally {
    await db.close();
  }
}

const isChange = ({ method }: Route<Caller>): boolean => method !== 'GET' && method !== 'HEAD';
const bodyFor = (route: Route<Caller>) => (isChange(route) && route.method !== 'DELETE' ? { body: {} } : {});

onEachWallet('Tenancy', (wallet) => {
  it('covers existing routes', () => {
    assert.ok(ROUTES.length >= 15);
    assert.ok(ROUTES.filter((route) => hasParameter(route) && !isPublic(route)).length >= 8);
    for (const name of PUBLIC)
      assert.ok(
        ROUTES.some((route) => nameOf(route) === name),
        `${name} is no route any more`,
      );
    for (const route of ROUTES) {
      assert.ok(route.spec.rule, `${nameOf(route)}: who may ask it?`);
      assert.equal(route.spec.rule === 'anyone', isPublic(route), `${nameOf(route)}: is it for everybody?`);
    }
  });

  it('requires a session on every route that is not public, whether the thing exists or not', async () => {
    const belongings = await belongingsOf(await wallet.logIn());
    const before = await everything(wallet);
    for (const route of ROUTES.filter((one) => !isPublic(one))) {
      const paths = hasParameter(route) ? [...pathsOf(route, belongings), ...pathsOf(route, NOBODYS)] : [route.path];
      for (const path of paths)
        for (const cookie of ['', 'gatehouse_wallet=made-up', '__Host-gatehouse_wallet=x', 'gatehouse_wallet='])
          for (const body of [{}, bodyFor(route)]) {
            const answer = await wallet.request(route.method, path, { ...body, headers: { Cookie: cookie, Origin: wallet.url } });
            assertProblem(answer, 401, 'not-authenticated');
            assert.ok(answer.headers.get('www-authenticate'), nameOf(route));
          }
    }
    assert.deepEqual(await everything(wallet), before);
  });

  it('shows nobody what belongs to another, changes nothing of it, and does not even say that it exists', async () => {
    const [owner, stranger, admin] = [await wallet.logIn(), await wallet.logIn(), await wallet.logIn('admin')];
    const belongings = await belongingsOf(owner);
    // A user with things of the same kinds.
    await belongingsOf(stranger);
    const before = await everything(wallet);
    assert.ok(before.keys!.length > 6 && before.audit_events!.length > 6 && before.credentials!.length > 1);
    for (const route of ROUTES.filter((one) => hasParameter(one) && !isPublic(one))) {
      const wordsOf = async (person: WalletUser, path: string) => {
        const answer = await person.request(route.method, path, bodyFor(route));
        assertProblem(answer, 404, 'not-found');
        const { instance: _, ...words } = answer.body;
        return words;
      };
      for (const person of [stranger, admin]) {
        const unknown = await wordsOf(person, pathsOf(route, NOBODYS)[0]!);
        for (const path of pathsOf(route, belongings)) {
          assert.deepEqual(await wordsOf(person, path), unknown, `${nameOf(route)} as ${person.name}`);
          if (route.spec.query && isChange(route)) await wordsOf(person, `${path}?force=true`);
        }
      }
    }
    assert.deepEqual(await everything(wallet), before);
  });

  it('lists only what is the caller’s own', async () => {
    const [owner, stranger, admin] = [await wallet.logIn(), await wallet.logIn(), await wallet.logIn('admin-of-nothing')];
    const belongings = await belongingsOf(owner);
    for (const route of ROUTES.filter((one) => one.method === 'GET' && !hasParameter(one) && !isPublic(one) && !isReturn(one))) {
      if (isOfTheNode(route)) {
        for (const person of [owner, stranger]) assertProblem(await person.get(route.path), 403, 'forbidden');
        const { status, text } = await admin.get(route.path);
        assert.equal(status, 200, text);
        for (const id of Object.values(belongings).flat()) assert.ok(!text.includes(id), `${route.path} shows ${id}`);
        continue;
      }
      const own = await owner.get(route.path);
      assert.equal(own.status, 200, own.text);
      const ids = belongings[`${route.path}/:id`]?.filter((id) => !id.startsWith('did%3A'));
      for (const id of ids ?? []) assert.ok(own.text.includes(id), `${route.path} has ${id}`);
      for (const person of [stranger, admin]) {
        const { text } = await person.get(route.path);
        for (const id of Object.values(belongings).flat()) assert.ok(!text.includes(id), `${route.path} shows ${id}`);
        if (ids) assert.equal(text, '[]', `${route.path} as ${person.name}`);
      }
    }
  });

  it('refuses changes that a page of another site sends with the cookie, on every route', async () => {
    const owner = await wallet.logIn();
    const belongings = await belongingsOf(owner);
    const before = await everything(wallet);
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'null' },
      {},
    ];
    // The provider calls it, with a signed token and without a cookie.
    const changes = ROUTES.filter((one) => isChange(one) && nameOf(one) !== 'POST /api/v1/auth/backchannel-logout');
    assert.ok(changes.length >= 13);
    for (const route of changes)
      for (const path of hasParameter(route) ? pathsOf(route, belongings) : [route.path])
        for (const headers of foreign)
          for (const body of [{}, bodyFor(route)]) {
            const answer = await wallet.request(route.method, path, { ...body, headers: { ...headers, Cookie: owner.cookie } });
            assertProblem(answer, 403, 'csrf');
          }
    assert.deepEqual(await everything(wallet), before);
  });

  it('does change things for their owner by the same requests', async () => {
    // Without this check, wrong URLs would go unnoticed.
    for (const route of ROUTES.filter((one) => hasParameter(one) && !isPublic(one))) {
      const owner = await wallet.logIn();
      const belongings = await belongingsOf(owner);
      for (const path of pathsOf(route, belongings)) {
        const { status, text } = await owner.request(route.method, path, bodyFor(route));
        assert.ok(status !== 404 || route.method === 'DELETE', `${route.method} ${path}: ${text}`);
        assert.ok([200, 204, 404, 409, 422].includes(status), `${route.method} ${path}: ${text}`);
      }
    }
  });
});
