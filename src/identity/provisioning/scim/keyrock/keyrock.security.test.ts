import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertNeedsToken, assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';

const PREFIXES = ['/v3/OS-SCIM/v2', '/v3/OS-SCIM/v1', '/v3/OS-SCIM'];
const NOUNS = ['Users', 'Groups', 'Organizations', 'Roles'];

onUsualDatabase('SCIM as Keyrock serves it: who may call', (api) => {
  const targets: Record<string, string> = {};
  const tokens: Record<string, string> = {};

  before(async () => {
    const V2 = PREFIXES[0];
    targets.Users = assertOk(await api.post(`${V2}/Users`, { userName: uniqueName('target') })).id;
    targets.Groups = assertOk(await api.post(`${V2}/Groups`, { displayName: uniqueName('target') })).id;
    targets.Organizations = assertOk(await api.post(`${V2}/Organizations`, { name: uniqueName('target') })).id;
    targets.Roles = assertOk(await api.post(`${V2}/Roles`, { name: uniqueName('target') }), 201).id;
    const organization = targets.Organizations!;
    const member = await api.persona(['member'], { project: organization });
    tokens.member = member.token;
    tokens.owner = (await api.persona(['owner'], { project: organization })).token;
    tokens.unscoped = await api.logIn({ id: member.user.id, password: member.password }, 'unscoped');
    tokens['manager of the domain'] = (await api.persona(['manager'], { domain: 'default' })).token;
    tokens['reader of the system'] = (await api.persona(['reader'], 'system')).token;
    const self = await api.persona(['member'], { project: organization });
    tokens['the user themselves'] = self.token;
    targets.self = self.user.id;
  });

  function* operations(): Generator<[method: string, path: string, body?: unknown]> {
    for (const prefix of PREFIXES) {
      for (const noun of NOUNS) {
        if (noun === 'Organizations' && prefix !== PREFIXES[0]) continue;
        const values = { userName: 'intruder', name: noun === 'Users' ? undefined : 'intruder', displayName: 'intruder' };
        for (const slash of ['', '/']) {
          yield ['GET', `${prefix}/${noun}${slash}`];
          yield ['POST', `${prefix}/${noun}${slash}`, values];
        }
        for (const id of [targets[noun], 'missing']) {
          yield ['GET', `${prefix}/${noun}/${id}`];
          yield ['PUT', `${prefix}/${noun}/${id}`, values];
          yield ['PATCH', `${prefix}/${noun}/${id}`, values];
          yield ['DELETE', `${prefix}/${noun}/${id}`];
        }
      }
    }
  }

  it('answers 401 to everybody who is no administrator, on every operation, whether the target is there or not', async () => {
    let asked = 0;
    for (const [who, token] of Object.entries(tokens)) {
      for (const [method, path, body] of operations()) {
        const answer = await api.request(method, path, { token, body });
        assert.equal(answer.status, 401, `${who}: ${method} ${path} ${answer.text}`);
        assertRefused(answer, 401, /^The request you have made requires authentication\.$/);
        assert.match(answer.headers.get('content-type')!, /^application\/json\b/);
        asked++;
      }
    }
    assert.equal(asked, 6 * 10 * 12);
    for (const noun of NOUNS) assertOk(await api.get(`${PREFIXES[0]}/${noun}/${targets[noun]}`));
    assert.equal(assertOk(await api.get(`${PREFIXES[0]}/Users?name=intruder`)).totalResults, 0);
  });

  it('does not even show users themselves', async () => {
    const path = `${PREFIXES[0]}/Users/${targets.self}`;
    assertRefused(await api.get(path, { token: tokens['the user themselves']! }), 401);
  });

  it('answers 401 without a token and with one that is not good', async () => {
    for (const [method, path, body] of operations()) await assertNeedsToken(api, method, path, body);
  });

  it('lets administrators of a project, a domain and the system in', async () => {
    const organization = targets.Organizations!;
    for (const scope of [{ project: organization }, { domain: 'default' }, 'system'] as const) {
      const { token } = await api.persona(['admin'], scope);
      for (const noun of NOUNS) assertOk(await api.get(`${PREFIXES[0]}/${noun}`, { token }));
      assertOk(await api.get(`${PREFIXES[0]}/Users/${targets.Users}`, { token }));
    }
  });

  it('keeps an administrator of one domain out of the others', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const { token } = await api.persona(['admin'], { domain: domain.id });
    const V2 = PREFIXES[0];
    for (const noun of ['Users', 'Groups', 'Organizations']) {
      const path = `${V2}/${noun}/${targets[noun]}`;
      assertRefused(await api.get(`${path}?domain_id=default`, { token }), 404);
      assertRefused(await api.put(path, { displayName: 'x' }, { token }), 404);
      assertRefused(await api.delete(path, { token }), 404);
      const { Resources } = assertOk(await api.get(`${V2}/${noun}?domain_id=default`, { token }));
      assert.deepEqual(Resources, []);
    }
    const made = assertOk(await api.post(`${V2}/Users`, { userName: uniqueName('own') }, { token }));
    assert.equal(made['urn:scim:schemas:extension:idbackend:2.0'].domain_id, domain.id);
  });

  it('takes the same token as a bearer', async () => {
    const headers = { Authorization: `Bearer ${api.adminToken}` };
    assertOk(await api.get(`${PREFIXES[0]}/Users/${targets.Users}`, { token: null, headers }));
    assertRefused(
      await api.get(`${PREFIXES[0]}/Users`, { token: null, headers: { Authorization: `Bearer ${tokens.member}` } }),
      401,
    );
  });

  describe('errors', () => {
    it("have Keystone's shape and application/json, whatever goes wrong", async () => {
      const users = `${PREFIXES[0]}/Users`;
      const taken = uniqueName('taken');
      assertOk(await api.post(users, { userName: taken }));
      const refusals: [number, Promise<Awaited<ReturnType<typeof api.get>>>][] = [
        [400, api.post(users, {})],
        [400, api.post(users, '{')],
        [400, api.get(`${users}?filter=x`)],
        [401, api.get(users, { token: null })],
        [404, api.get(`${users}/missing`)],
        [404, api.get(`${PREFIXES[0]}/Nothing`)],
        [405, api.delete(users)],
        [409, api.post(users, { userName: taken })],
        [415, api.post(users, 'userName=x', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })],
      ];
      for (const [status, refused] of refusals) {
        const answer = await refused;
        assertRefused(answer, status);
        assert.match(answer.headers.get('content-type')!, /^application\/json\b/);
        assert.ok(!('schemas' in answer.body));
      }
    });

    it('say which methods a path has', async () => {
      const { headers } = await api.delete(`${PREFIXES[0]}/Users`);
      assert.match(headers.get('allow')!, /\bGET\b.*\bPOST\b|\bPOST\b.*\bGET\b/);
    });
  });
});
