// Two real services on one PostgreSQL: when one ends a token, the other no longer answers for it from memory.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { ADMIN_PASSWORD, TestApi } from './support/api.ts';
import { assign, assignmentPath, makePerson, makeRole } from './support/applications.ts';
import { aShareOf } from './support/extent.ts';
import { BAD, basic, FORM, GOOD, informationOf, KeyrockClient, listPath, verdictsOn } from './support/keyrock-client.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { type GatehouseProcess, gatehouse } from './support/process.ts';
import { soon } from './support/soon.ts';

/** The test harness with the service in its own process. */
async function at(service: GatehouseProcess): Promise<TestApi> {
  const api = new TestApi('PostgreSQL');
  api.url = await service.listening();
  return api;
}

describe('Access tokens on two replicas', () => {
  let folder: string;
  let services: GatehouseProcess[] = [];
  let a: TestApi;
  let b: TestApi;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    const settings = {
      GATEHOUSE_IDENTITY_DATABASE_URL: await migratedPostgres('identity'),
      GATEHOUSE_MASTER_KEY: newMasterKey(),
      GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
      GATEHOUSE_DATA_DIR: folder,
    };
    services = [gatehouse(['identity'], settings), gatehouse(['identity'], settings)];
    [a, b] = (await Promise.all(services.map(at))) as [TestApi, TestApi];
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    a.adminToken = b.adminToken = await a.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
  });
  after(async () => {
    assert.deepEqual(await Promise.all(services.map((service) => service.stop())), [0, 0]);
    await rm(folder, { recursive: true, force: true });
  });

  /** An application and a person, known to both replicas, and a token that B answers from memory. */
  async function scene() {
    const client = await KeyrockClient.make(a);
    const person = await makePerson(a);
    const tokens = await client.tokens(person);
    const atB = new KeyrockClient(b, client.application);
    // Another application introspects, as a proxy does, because it still exists when the first one is deleted.
    const proxy = new KeyrockClient(b, (await KeyrockClient.make(a)).application);
    const ask = () => verdictsOn(b, proxy, tokens.access_token);
    await soon(GOOD, ask);
    for (const _ of [1, 2, 3]) assert.deepEqual(await ask(), GOOD);
    return { client, atB, person, tokens, ask };
  }

  const endings: Record<string, (made: Awaited<ReturnType<typeof scene>>) => Promise<{ status: number; text: string }>> = {
    'disabled the user': ({ person }) => a.patch(`/v3/users/${person.user.id}`, { user: { enabled: false } }),
    'deleted the user': ({ person }) => a.delete(`/v3/users/${person.user.id}`),
    'set another password': ({ person }) => a.patch(`/v3/users/${person.user.id}`, { user: { password: 'another one' } }),
    'deleted the consumer': ({ client }) => a.delete(`/v3/OS-OAUTH2/consumers/${client.id}`),
    'revoked the token': ({ client, tokens }) =>
      a.post('/openid/revoke', `token=${tokens.access_token}`, {
        token: null,
        headers: { ...FORM, Authorization: basic(client) },
      }),
    'took the token back for the person': async ({ person }) => {
      const [{ id }] = (await a.get(listPath(person.user), { token: person.token })).body.access_tokens;
      return a.delete(`${listPath(person.user)}/${id}`, { token: person.token });
    },
  };

  for (const [what, end] of aShareOf(Object.entries(endings), 3)) {
    it(`refuses on one within a second after the other ${what}`, async () => {
      const made = await scene();
      const answer = await end(made);
      assert.ok(answer.status < 300, answer.text);
      await soon(BAD, made.ask);
      assert.deepEqual(await made.ask(), BAD, 'and stays refused');
    });
  }

  it('refuses on one within a second the tokens of a code that was used twice at the other', async () => {
    const client = await KeyrockClient.make(a);
    const code = await client.code(await makePerson(a));
    const { access_token: token } = (await client.redeem(code)).body;
    const atB = new KeyrockClient(b, client.application);
    await soon(GOOD, () => verdictsOn(b, atB, token));
    assert.deepEqual(await verdictsOn(b, atB, token), GOOD);
    assert.equal((await client.redeem(code)).status, 400);
    await soon(BAD, () => verdictsOn(b, atB, token));
  });

  it('redeems a code once, on either replica', async () => {
    const client = await KeyrockClient.make(a);
    const atB = new KeyrockClient(b, client.application);
    const person = await makePerson(a);
    const code = await client.code(person);
    const both = await Promise.all([client.redeem(code), atB.redeem(code)]);
    assert.ok(both.filter(({ status }) => status === 200).length <= 1, both.map(({ text }) => text).join());
    assert.equal((await atB.redeem(await client.code(person))).status, 200, 'a code of one is good at the other');
  });

  it('shows on one within a second the roles that were assigned and removed at the other', async () => {
    const { client, person, tokens } = await scene();
    const role = await makeRole(a, client);
    const where = { user: person.user, organization: person.organization, application: client, role };
    const told = async () => (await informationOf(b, tokens.access_token)).body.roles;
    assert.deepEqual(await told(), []);
    await assign(a, where);
    await soon([{ id: role.id, name: role.name }], told);
    assert.equal((await a.delete(assignmentPath(where))).status, 204);
    await soon([], told);
  });

  it('takes an application’s old secret on neither, within a second of a new one', async () => {
    const { client, atB, tokens } = await scene();
    assert.equal((await atB.introspect(tokens.access_token)).status, 200);
    assert.equal((await a.post(`/v3/OS-OAUTH2/consumers/${client.id}/secret`, {})).status, 200);
    await soon(401, async () => (await atB.introspect(tokens.access_token)).status);
  });
});
