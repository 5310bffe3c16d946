// A bulk request allows nothing that a single request would not.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { BULK_REQUEST, connect, GROUP, ORGANIZATION, patchOf, ScimClient, USER } from '../../../../../test/support/scim.ts';
import { whenAt } from '../../../../../test/support/test-points.ts';

const KINDS = [
  { path: '/Users', data: { schemas: [USER], userName: 'refused' } },
  { path: '/Groups', data: { schemas: [GROUP], displayName: 'refused' } },
  { path: '/Organizations', data: { schemas: [ORGANIZATION], name: 'refused' } },
];

onUsualDatabase('An operation within a bulk request', (api) => {
  const clients: Record<string, ScimClient> = {};
  const ids: Record<string, Record<string, string>> = {};
  before(async () => {
    const here = await connect(api);
    const elsewhere = await connect(api);
    for (const [where, { scim }] of Object.entries({ here, elsewhere }))
      ids[where] = {
        '/Users': (await scim.makeUser()).id,
        '/Groups': (await scim.makeGroup()).id,
        '/Organizations': (await scim.makeOrganization()).id,
      };
    ids.nowhere = Object.fromEntries(KINDS.map(({ path }) => [path, uniqueName('nothing')]));
    const domain = here.domain.id;
    for (const role of ['reader', 'member', 'manager'])
      clients[role] = new ScimClient(api, (await api.persona([role], { domain }, { domain_id: domain })).token);
    clients.stranger = new ScimClient(api, (await api.persona(['manager'], { domain: elsewhere.domain.id })).token);
    clients.connection = here.scim;
  });

  const alone = async (scim: ScimClient, method: string, path: string, data: unknown) => {
    const { status, body } = await scim.request(method, path, data === undefined ? {} : { body: data });
    return [String(status), status >= 400 ? body.detail : undefined];
  };
  const bulked = async (scim: ScimClient, method: string, path: string, data: unknown) => {
    const Operations = [{ method, path, data, bulkId: 'one' }];
    const [done] = assertOk(await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations })).Operations;
    return [done.status, done.response?.detail];
  };

  for (const name of ['reader', 'member', 'stranger'])
    describe(`of a ${name}`, () => {
      for (const { path, data } of KINDS)
        it(`is refused as it is alone: ${path}`, async () => {
          const scim = clients[name]!;
          const change = patchOf({ op: 'add', path: 'externalId', value: 'refused' });
          if (name !== 'stranger') {
            const answer = await alone(scim, 'POST', path, data);
            assert.equal(answer[0], '403');
            assert.deepEqual(await bulked(scim, 'POST', path, data), answer);
          }
          for (const where of ['here', 'elsewhere', 'nowhere'].filter((one) => name !== 'stranger' || one !== 'elsewhere'))
            for (const [method, sent] of Object.entries({ PUT: data, PATCH: change, DELETE: undefined })) {
              const one = `${path}/${ids[where]![path]}`;
              const answer = await alone(scim, method, one, sent);
              assert.equal(answer[0], name === 'stranger' ? '404' : '403', `${method} ${one}`);
              assert.deepEqual(await bulked(scim, method, one, sent), answer, `${method} ${one}`);
            }
        });
    });

  it('is refused for each person, of many as of one, and of those who may as of those who may not', async () => {
    const people = Array.from({ length: 120 }, (_, number) => ({
      method: 'POST',
      path: '/Users',
      bulkId: String(number),
      data: { schemas: [USER], userName: uniqueName('bulk') },
    }));
    const total = async (): Promise<number> => assertOk(await clients.connection!.get('/Users?count=0')).totalResults;
    const before = await total();
    for (const name of ['reader', 'member']) {
      const { Operations } = assertOk(await clients[name]!.post('/Bulk', { schemas: [BULK_REQUEST], Operations: people }));
      assert.deepEqual(new Set(Operations.map(({ status }: any) => status)), new Set(['403']));
    }
    assert.equal(await total(), before);
    // A stranger manages another domain: the people are there, and nobody here learns of it.
    const answer = assertOk(await clients.stranger!.post('/Bulk', { schemas: [BULK_REQUEST], Operations: people }));
    assert.deepEqual(new Set(answer.Operations.map(({ status }: any) => status)), new Set(['201']));
    assert.equal(await total(), before);
    const here = assertOk(await clients.connection!.post('/Bulk', { schemas: [BULK_REQUEST], Operations: people }));
    assert.deepEqual(new Set(here.Operations.map(({ status }: any) => status)), new Set(['201']));
  });

  it('is refused from the person on whose turn comes after the connection is deleted', async () => {
    const { connection, scim } = await connect(api);
    const Operations = Array.from({ length: 1000 }, (_, number) => ({
      method: 'POST',
      path: '/Users',
      bulkId: String(number),
      data: { schemas: [USER], userName: uniqueName('bulk') },
    }));
    const deleted = () => api.delete(`/v3/OS-SCIM/connections/${connection.id}`);
    const send = () => scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations });
    const statuses: string[] = assertOk(await whenAt('change.before-transaction', deleted, send)).Operations.map(
      ({ status }: any) => status,
    );
    const first = statuses.indexOf('401');
    assert.ok(first > 0 && first <= 100, `${first} were created after it was deleted`);
    assert.deepEqual(new Set(statuses.slice(0, first)), new Set(['201']));
    assert.deepEqual(new Set(statuses.slice(first)), new Set(['401']));
  });

  it('is refused once the connection is deleted, though the request began before', async () => {
    const { domain, connection, scim } = await connect(api);
    const Operations = Array.from({ length: 300 }, (_, number) => ({
      method: 'POST',
      path: '/Users',
      bulkId: String(number),
      data: { schemas: [USER], userName: uniqueName('bulk'), password: 'a password of a test' },
    }));
    const running = scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations });
    while (assertOk(await api.get(`/v3/users?domain_id=${domain.id}&limit=1`)).users.length === 0);
    assertOk(await api.delete(`/v3/OS-SCIM/connections/${connection.id}`), 204);
    const last = assertOk(await running).Operations.at(-1);
    assert.equal(last.status, '401');
  });

  it('of those who may does not find what is elsewhere', async () => {
    for (const name of ['manager', 'connection'])
      for (const { path } of KINDS)
        for (const where of ['elsewhere', 'nowhere']) {
          const one = `${path}/${ids[where]![path]}`;
          const answer = await alone(clients[name]!, 'DELETE', one, undefined);
          assert.equal(answer[0], '404', `${name}: ${one}`);
          assert.deepEqual(await bulked(clients[name]!, 'DELETE', one, undefined), answer);
        }
    assertOk(await clients.connection!.get(`/Users/${ids.here!['/Users']}`));
  });
});
