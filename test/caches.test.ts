// Tests every cache by name: while a process does not receive the changes of others, none of them answers.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import pg from 'pg';
import type { Metrics } from '../src/platform/metrics/index.ts';
import { assertOk } from './support/answers.ts';
import { ADMIN_PASSWORD, uniqueName } from './support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from './support/applications.ts';
import { Cable } from './support/cable.ts';
import { basic, FORM, KeyrockClient } from './support/keyrock-client.ts';
import { sharedPostgres } from './support/postgres.ts';
import { RestartableApi } from './support/restartable-api.ts';
import { connect } from './support/scim.ts';
import { soon } from './support/soon.ts';
import { TestWallet } from './support/wallet.ts';

/** A request that is answered from the cache, and a change of the data without a notification. */
interface Line {
  ask(): Promise<unknown>;
  change(to: 'before' | 'after'): Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
}

const EACH_HAS_A_LINE = 'each cache has a line above: how to ask, and what changes the answer behind its back';

/** A service whose feed can be cut, and another connection to its database. */
class Watched {
  readonly name: 'gatehouse' | 'wallet';
  metrics!: Metrics;
  #control!: pg.Client;
  #cable!: Cable;

  constructor(name: 'gatehouse' | 'wallet') {
    this.name = name;
  }

  /** The URL of the database through the cable. `direct` is for changing rows as a superuser. */
  async through(url: string, direct = url): Promise<string> {
    const { hostname, port } = new URL(url);
    this.#cable = new Cable(hostname, Number(port));
    this.#control = new pg.Client(direct);
    await this.#control.connect();
    return Object.assign(new URL(url), { host: `127.0.0.1:${await this.#cable.listen()}` }).href;
  }

  async stop(): Promise<void> {
    this.#cable.close();
    await this.#control.end();
  }

  sql = (text: string, ...values: unknown[]) => this.#control.query(text, values);

  async cacheNames(): Promise<string[]> {
    const text = await this.metrics.registry.metrics();
    return [...text.matchAll(new RegExp(`^${this.name}_cache_entries\\{cache="(\\w+)"\\}`, 'gm'))].map(([, name]) => name!);
  }

  async #until(isLive: 0 | 1): Promise<void> {
    const end = Date.now() + 30_000;
    while (!(await this.metrics.registry.metrics()).includes(`\n${this.name}_feed_live ${isLive}\n`)) {
      assert.ok(Date.now() < end, `the feed did not become ${isLive}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async cutFeed(): Promise<void> {
    this.#cable.breakFeed();
    await this.#until(0);
  }

  /** Afterwards every cache is empty. */
  async mendFeed(): Promise<void> {
    this.#cable.mendFeed();
    await this.#until(1);
  }

  async check(line: Line): Promise<void> {
    const end = Date.now() + 60_000;
    for (;;) {
      await this.cutFeed();
      await line.change('before');
      await this.mendFeed();
      assert.deepEqual(await line.ask(), line.before);
      await line.change('after');
      // The data was changed without a notification: the old answer shows that it comes from memory. On a very busy machine the feed
      // may be late, so that the new answer comes already; then it is tried again.
      const answer = await line.ask();
      if (Object.is(answer, line.before)) break;
      assert.deepEqual(answer, line.after);
      assert.ok(Date.now() < end, 'never answered from memory');
    }
    await this.cutFeed();
    assert.deepEqual(await line.ask(), line.after, 'the truth, at once');
    await this.mendFeed();
  }
}

describe('While the feed is down, of the identity service', () => {
  const watched = new Watched('gatehouse');
  const api = new RestartableApi('PostgreSQL');
  const { sql } = watched;

  before(async () => {
    await api.prepare();
    api.databaseUrl = await watched.through(api.databaseUrl!);
    await api.begin({ GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD });
    watched.metrics = api.service.metrics;
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
  });
  after(async () => {
    await api.remove();
    await watched.stop();
  });

  const statusOf = async (path: string, headers?: Record<string, string>) =>
    (await api.get(path, headers ? { headers } : {})).status;
  /** Any change invalidates cached tokens as a whole. Then their parts are used, which have caches of their own. */
  const changeAnything = () => api.make('user', { name: uniqueName('anybody') });
  const enable = (userId: string) => (to: string) =>
    sql('update users set enabled = $1 where id = $2', to === 'before' ? 1 : 0, userId);

  const rename = (userId: string) => (to: string) =>
    sql('update users set name = $1, name_key = $1 where id = $2', `${userId}-${to}`, userId);

  const lines: Readonly<Record<string, () => Promise<Line>>> = {
    async users() {
      const user = await api.make('user', { name: uniqueName('user') });
      return {
        ask: async () => (await api.get(`/v3/users/${user.id}`)).body.user.name,
        change: rename(user.id),
        before: `${user.id}-before`,
        after: `${user.id}-after`,
      };
    },

    async status_lists() {
      const [list, credential] = ['a', 'b'].map((digit) => digit.repeat(32)) as [string, string];
      await sql('insert into status_lists (id, size, version, is_full, created_at) values ($1, 131072, 1, 0, 0)', list);
      await sql(
        `insert into issued_credentials values ($1, 'x', 'x', 'x', 'x', 'x', null, 'x', 'x', 'valid', null, 0, 0, 9999999999, $2, 7, 0, 1)`,
        credential,
        list,
      );
      return {
        async ask() {
          const text = await (await fetch(`${api.url}/openid/status-lists/${list}`)).text();
          const { status_list } = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString());
          // Two bits for each entry: the seventh is in the second byte.
          return (inflateSync(Buffer.from(status_list.lst, 'base64url'))[1]! >> 6) & 3;
        },
        async change(to) {
          await sql('update status_lists set version = version + 1 where id = $1', list);
          await sql(
            'update issued_credentials set list_state = $1, list_version = (select version from status_lists where id = $2) where id = $3',
            to === 'before' ? 0 : 1,
            list,
            credential,
          );
        },
        before: 0,
        after: 1,
      };
    },

    async auth_contexts() {
      const { user, token } = await makePerson(api);
      const ask = async () => {
        await changeAnything();
        return (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).body.token.user.name;
      };
      return {
        ask,
        change: rename(user.id),
        before: `${user.id}-before`,
        after: `${user.id}-after`,
      };
    },

    async token_verdicts() {
      const { user, token } = await makePerson(api);
      const ask = () => statusOf('/v3/auth/tokens', { 'X-Subject-Token': token });
      return { ask, change: enable(user.id), before: 200, after: 404 };
    },

    async revoked_tokens() {
      const { token } = await makePerson(api);
      const headers = { 'X-Subject-Token': token };
      const [auditId] = (await api.get('/v3/auth/tokens', { headers })).body.token.audit_ids;
      const ask = async () => {
        await changeAnything();
        return statusOf('/v3/auth/tokens', headers);
      };
      const change = (to: string) =>
        to === 'before'
          ? sql('delete from revoked_tokens where audit_id = $1', auditId)
          : sql('insert into revoked_tokens (audit_id, expires_at) values ($1, 4000000000)', auditId);
      return { ask, change, before: 200, after: 404 };
    },

    async role_graph() {
      const role = await api.make('role', { name: uniqueName('role') });
      const project = await api.make('project', { name: uniqueName('project') });
      const password = 'a password of a test';
      /** A new user, whose data is not cached yet. */
      const ask = async () => {
        const user = await api.make('user', { name: uniqueName('user'), password });
        await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${role.id}`);
        const { body } = await api.authenticate({ id: user.id, password }, { project: { id: project.id } });
        return body.token.roles[0].name;
      };
      const change = (to: string) => sql('update roles set name = $1 where id = $2', `${role.id}-${to}`, role.id);
      return { ask, change, before: `${role.id}-before`, after: `${role.id}-after` };
    },

    async holdings() {
      const { application } = await KeyrockClient.make(api);
      const role = await makeRole(api, application);
      const { user, organization } = await makePerson(api);
      await assign(api, { user, organization, application, role });
      const path = `/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`;
      return {
        ask: async () => (await api.get(path)).body.roles[0].name,
        change: (to) => sql('update app_roles set name = $1 where id = $2', to, role.id),
        before: 'before',
        after: 'after',
      };
    },

    async scim_counts() {
      const { domain, scim } = await connect(api);
      const { id } = await scim.makeUser();
      return {
        ask: async () => (await scim.list('/Users', { count: 0 })).totalResults,
        change: (to) => sql('update users set domain_id = $1 where id = $2', to === 'before' ? domain.id : 'default', id),
        before: 1,
        after: 0,
      };
    },

    async scim_connections() {
      const { connection, scim } = await connect(api);
      const { rows } = await sql('select token_hash from scim_connections where id = $1', connection.id);
      const hash = rows[0].token_hash;
      return {
        ask: async () => (await scim.get('/Users?count=1')).status,
        change: (to) =>
          sql('update scim_connections set token_hash = $1 where id = $2', to === 'before' ? hash : 'another', connection.id),
        before: 200,
        after: 401,
      };
    },

    async issuer_keys() {
      const keys = async () => (await api.get('/.well-known/jwt-vc-issuer', { token: null })).body.jwks.keys;
      const [{ kid, x }] = await keys();
      const { rows } = await sql('select public_key from issuer_keys where id = $1', kid);
      const changed = rows[0].public_key.replace(x, 'another');
      return {
        ask: async () => (await keys())[0].x,
        change: (to) =>
          sql('update issuer_keys set public_key = $1 where id = $2', to === 'before' ? rows[0].public_key : changed, kid),
        before: x,
        after: 'another',
      };
    },

    async verifier_keys() {
      const ends = async () =>
        Date.parse((await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer.verifier.chain_expires_at) / 1000;
      const before = await ends();
      return {
        ask: ends,
        change: (to) => sql('update verifier_keys set expires_at = $1', to === 'before' ? before : before + 60),
        before,
        after: before + 60,
      };
    },

    async credential_types() {
      const application = await makeApplication(api);
      const id = uniqueName('type');
      await api.post('/v3/OS-ROLE-CREDENTIALS/types', {
        credential_type: { id, application_id: application.id, name: 'before' },
      });
      return {
        ask: async () => (await api.get(`/openid/credential-types/${id}`, { token: null })).body.name,
        change: (to) => sql('update credential_types set name = $1 where id = $2', to, id),
        before: 'before',
        after: 'after',
      };
    },

    async access_tokens() {
      const person = await makePerson(api);
      const { access_token: token } = await (await KeyrockClient.make(api)).tokens(person);
      return { ask: () => statusOf(`/v3/access-tokens/${token}`), change: enable(person.user.id), before: 200, after: 404 };
    },

    async user_information() {
      const person = await makePerson(api);
      const { access_token: token } = await (await KeyrockClient.make(api)).tokens(person, ['openid', 'profile']);
      const headers = { Authorization: `Bearer ${token}` };
      const ask = async () => (await api.get('/openid/userinfo', { token: null, headers })).body.preferred_username;
      const { id } = person.user;
      return { ask, change: rename(id), before: `${id}-before`, after: `${id}-after` };
    },

    async api_tokens() {
      const client = await KeyrockClient.make(api);
      const resource = `https://${uniqueName('api')}.example.org/`;
      const values = { identifier: resource, name: 'papers', application_id: client.id, applications: null };
      const { id } = assertOk(await api.post('/v3/OS-OAUTH2/apis', { api: values }), 201).api;
      const asked = { grant_type: 'client_credentials', resource };
      const headers = { Authorization: basic(client), ...FORM };
      const body = new URLSearchParams(asked).toString();
      const { access_token: token } = assertOk(await api.request('POST', '/openid/token', { token: null, headers, body }));
      return {
        ask: async () => (await client.introspect(token)).body.active,
        change: (to) => sql('update apis set application_id = $1 where id = $2', to === 'before' ? client.id : null, id),
        before: true,
        after: false,
      };
    },

    async introspection_clients() {
      const client = await KeyrockClient.make(api);
      return {
        ask: async () => (await client.introspect('any')).status,
        change: (to) =>
          sql('update consumers set client_type = $1 where id = $2', to === 'before' ? 'confidential' : 'public', client.id),
        before: 200,
        after: 401,
      };
    },
  };

  for (const [name, prepare] of Object.entries(lines))
    it(`${name} are read from the database`, async () => watched.check(await prepare()));

  it('settings of domains are read again every second', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const policy = async () => {
      const { settings } = assertOk(await api.get(`/v3/OS-SERVICE/domains/${domain.id}/settings`));
      return settings.find(({ key }: { key: string }) => key === 'two_factor.policy').value;
    };
    assert.equal(await policy(), 'optional');
    const values = [domain.id, 'two_factor', 'policy', '"required"', 'administrator'];
    await watched.cutFeed();
    await sql(
      'insert into domain_config_options (domain_id, config_group, config_option, value, stored_by) values ($1, $2, $3, $4, $5)',
      ...values,
    );
    await soon('required', policy);
    await watched.mendFeed();
    assert.equal(await policy(), 'required');
  });

  it('nothing else is in memory', async () => {
    assert.deepEqual((await watched.cacheNames()).sort(), Object.keys(lines).sort(), EACH_HAS_A_LINE);
  });
});

describe('While the feed is down, of the wallet node', () => {
  const watched = new Watched('wallet');
  const wallet = new TestWallet('PostgreSQL');
  const { sql } = watched;

  before(async () => {
    await wallet.start();
    await wallet.service.stop(1000);
    // Row-level security applies to the role of the wallet, not to the one that changes rows here.
    const { pathname } = new URL(wallet.databaseUrl!);
    const direct = Object.assign(new URL((await sharedPostgres()).url), { pathname }).href;
    wallet.databaseUrl = await watched.through(wallet.databaseUrl!, direct);
    await wallet.open();
    watched.metrics = wallet.service.metrics;
  });
  after(async () => {
    await wallet.stop();
    await watched.stop();
  });

  const lines: Readonly<Record<string, () => Promise<Line>>> = {
    async documents() {
      return {
        ask: async () => (await wallet.get('/.well-known/did.json')).headers.get('etag'),
        change: (to) => sql(`update published_documents set etag = $1 where name = '.well-known'`, `"${to}"`),
        before: '"before"',
        after: '"after"',
      };
    },

    async sessions() {
      const person = await wallet.logIn();
      const { rows } = await sql('select id_hash, owner from sessions');
      assert.equal(rows.length, 1);
      const [{ id_hash: idHash, owner }] = rows;
      return {
        ask: async () => (await person.get('/api/v1/auth/userinfo')).status,
        change: (to) => sql('update sessions set owner = $1 where id_hash = $2', to === 'before' ? owner : 'another', idHash),
        before: 200,
        after: 401,
      };
    },

    async lists() {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      return {
        ask: async () => (await person.get('/api/v1/wallet/keys')).body[0].alias,
        change: (to) => sql('update keys set alias = $1 where id = $2', to, id),
        before: 'before',
        after: 'after',
      };
    },
  };

  for (const [name, prepare] of Object.entries(lines))
    it(`${name} are read from the database`, async () => watched.check(await prepare()));

  it('nothing else is in memory', async () => {
    assert.deepEqual((await watched.cacheNames()).sort(), Object.keys(lines).sort(), EACH_HAS_A_LINE);
  });
});
