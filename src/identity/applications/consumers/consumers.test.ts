import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';

const PATH = '/v3/OS-OAUTH2/consumers';

onEachDatabase('Consumers', (api) => {
  describe('POST /v3/OS-OAUTH2/consumers', () => {
    it('registers with what the contract shows, and answers 200 with the secret', async () => {
      const sent = {
        name: 'Test consumer',
        description: 'My new consumer',
        client_type: 'confidential',
        redirect_uris: ['https://example.com/callback'],
        grant_type: 'authorization_code',
        scopes: ['all_info'],
      };
      const answer = await api.post(PATH, { consumer: sent });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      const { consumer } = answer.body;
      assert.match(consumer.id, /^[0-9a-f]{32}$/);
      assert.match(consumer.secret, /^[\w-]{43}$/);
      assert.deepEqual(consumer, {
        ...sent,
        id: consumer.id,
        secret: consumer.secret,
        response_type: 'code',
        extra: {},
        links: { self: `${api.url}${PATH}/${consumer.id}` },
      });
    });

    it('fills in defaults, also for what Keyrock clients send as null', async () => {
      const consumer = await makeApplication(api, { description: null, client_type: null, grant_type: null });
      assert.equal(consumer.client_type, 'confidential');
      assert.equal(consumer.grant_type, 'authorization_code');
      assert.equal(consumer.description, null);
      assert.deepEqual([consumer.redirect_uris, consumer.scopes, consumer.extra], [[], [], {}]);
    });

    it('answers token for the implicit grant', async () => {
      assert.equal((await makeApplication(api, { grant_type: 'implicit' })).response_type, 'token');
    });

    it('keeps other fields in extra, and shows them at top level too', async () => {
      const consumer = await makeApplication(api, {
        url: 'https://example.com',
        img_small: 'ApplicationAvatar/small/a.png',
        ac_domain: null,
      });
      assert.deepEqual(consumer.extra, {
        url: 'https://example.com',
        img_small: 'ApplicationAvatar/small/a.png',
        ac_domain: null,
      });
      assert.equal(consumer.url, 'https://example.com');
      assert.ok(!('img_medium' in consumer));
      assert.deepEqual((await api.get(`${PATH}/${consumer.id}`)).body.consumer, consumer);
    });

    it('lets names repeat', async () => {
      const name = uniqueName('twice');
      await makeApplication(api, { name });
      await makeApplication(api, { name });
    });

    it('takes private schemes and several addresses', async () => {
      const uris = ['com.example.app:/callback', 'myapp://callback', 'http://localhost:8080/cb?x=1', 'https://example.com'];
      assert.deepEqual((await makeApplication(api, { redirect_uris: uris })).redirect_uris, uris);
    });

    it('refuses bad input with 400 that names the field, and stores nothing', async () => {
      const before = (await api.get(PATH)).body.consumers.length;
      const refusals: [unknown, RegExp][] = [
        [{}, /'consumer'/],
        [{ consumer: 'x' }, /'consumer'/],
        [{ consumer: {} }, /'consumer\.name'/],
        [{ consumer: { name: '' } }, /'consumer\.name'/],
        [{ consumer: { name: 7 } }, /'consumer\.name'/],
        [{ consumer: { name: 'x'.repeat(256) } }, /'consumer\.name'/],
        [{ consumer: { name: 'a', description: 7 } }, /'consumer\.description'/],
        [{ consumer: { name: 'a', client_type: 'secret' } }, /'consumer\.client_type'/],
        [{ consumer: { name: 'a', grant_type: 'magic' } }, /'consumer\.grant_type'/],
        [{ consumer: { name: 'a', redirect_uris: 'https://example.com' } }, /'consumer\.redirect_uris'/],
        [{ consumer: { name: 'a', redirect_uris: [7] } }, /'consumer\.redirect_uris\.0'/],
        [{ consumer: { name: 'a', scopes: 'all_info' } }, /'consumer\.scopes'/],
        [{ consumer: { name: 'a', scopes: [{}] } }, /'consumer\.scopes\.0'/],
      ];
      for (const [body, message] of refusals) {
        const answer = await api.post(PATH, body);
        assert.equal(answer.status, 400, JSON.stringify(body));
        assert.match(answer.body.error.message, message);
      }
      const uris = [
        'javascript:alert(1)',
        'data:text/html,x',
        '/callback',
        'example.com',
        'https://example.com/#frag',
        'https://',
        'https:///x',
        'https://a b/',
        'https://u:p@example.com/',
        'file:///etc/passwd',
        ' https://example.com',
        'https://example.com\\@evil.example',
        `https://example.com/${'x'.repeat(3000)}`,
      ];
      for (const uri of uris) {
        const answer = await api.post(PATH, { consumer: { name: 'a', redirect_uris: ['https://example.com', uri] } });
        assert.equal(answer.status, 400, uri);
        assert.match(answer.body.error.message, /'redirect_uris\.1'/);
      }
      assert.equal((await api.get(PATH)).body.consumers.length, before);
    });
  });

  describe('GET', () => {
    it('lists without secrets, with links, filtered by name', async () => {
      const consumer = await makeApplication(api);
      const { secret: _, ...shown } = consumer;
      const answer = await api.get(`${PATH}?name=${consumer.name}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {
        links: { self: `${api.url}${PATH}?name=${consumer.name}`, previous: null, next: null },
        consumers: [shown],
      });
    });

    it('lists those that a user manages, to that user and to administrators', async () => {
      const [ann, bob] = [await makePerson(api), await makePerson(api)];
      const own = await makeApplication(api, {}, ann.token);
      await makeApplication(api, {}, bob.token);
      const path = `/v3/users/${ann.user.id}/OS-OAUTH2/consumers`;
      for (const token of [ann.token, api.adminToken]) {
        const { status, body } = await api.get(path, { token });
        assert.equal(status, 200);
        assert.deepEqual(
          body.consumers.map(({ id }: { id: string }) => id),
          [own.id],
        );
        assert.equal('secret' in body.consumers[0], false);
        assert.equal(body.links.self, `${api.url}${path}`);
      }
      assert.equal((await api.get(path, { token: bob.token })).status, 403);
      assert.equal((await api.get(path, { token: null })).status, 401);
    });

    it('shows one with its secret', async () => {
      const consumer = await makeApplication(api);
      const answer = await api.get(`${PATH}/${consumer.id}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, { consumer });
    });

    it('answers 404 for one that is not there', async () => {
      const answer = await api.get(`${PATH}/nobody`);
      assert.equal(answer.status, 404);
      assert.equal(answer.body.error.message, 'Could not find consumer: nobody.');
    });

    it('pages by limit and marker', async () => {
      const prefix = uniqueName('page');
      for (let i = 0; i < 5; i++) await makeApplication(api, { name: `${prefix}-${i}` });
      const seen: string[] = [];
      let next: string | null = `${PATH}?limit=2&name__startswith=${prefix}`;
      while (next) {
        const { body } = await api.get(next.replace(api.url, ''));
        seen.push(...body.consumers.map((consumer: { name: string }) => consumer.name));
        next = body.links.next;
      }
      assert.deepEqual(
        seen,
        [0, 1, 2, 3, 4].map((i) => `${prefix}-${i}`),
      );
    });
  });

  describe('PATCH', () => {
    it('changes what it names and answers the whole consumer without its secret', async () => {
      const consumer = await makeApplication(api, {
        url: 'https://one.example',
        description: 'old',
        redirect_uris: ['https://one.example/cb'],
      });
      const answer = await api.patch(`${PATH}/${consumer.id}`, { consumer: { description: 'new', img_small: 'x.png' } });
      assert.equal(answer.status, 200);
      const { secret, ...rest } = consumer;
      const changed = {
        ...rest,
        description: 'new',
        img_small: 'x.png',
        extra: { url: 'https://one.example', img_small: 'x.png' },
      };
      assert.deepEqual(answer.body, { consumer: changed, links: consumer.links });
      assert.deepEqual((await api.get(`${PATH}/${consumer.id}`)).body.consumer, { ...changed, secret });
    });

    it('empties lists when the client says so', async () => {
      const consumer = await makeApplication(api, { redirect_uris: ['https://one.example/cb'], scopes: ['all_info'] });
      const answer = await api.patch(`${PATH}/${consumer.id}`, { consumer: { redirect_uris: [], scopes: [] } });
      assert.deepEqual([answer.body.consumer.redirect_uris, answer.body.consumer.scopes], [[], []]);
    });

    it('takes its own id, and refuses another, a secret, and bad values', async () => {
      const consumer = await makeApplication(api);
      assert.equal((await api.patch(`${PATH}/${consumer.id}`, { consumer: { id: consumer.id, name: 'same' } })).status, 200);
      for (const values of [
        { id: 'other' },
        { secret: 'mine' },
        { name: '' },
        { redirect_uris: ['javascript:x'] },
        { client_type: 'x' },
      ]) {
        assert.equal((await api.patch(`${PATH}/${consumer.id}`, { consumer: values })).status, 400, JSON.stringify(values));
      }
      assert.equal((await api.get(`${PATH}/${consumer.id}`)).body.consumer.secret, consumer.secret);
    });

    it('answers 404 for one that is not there', async () => {
      assert.equal((await api.patch(`${PATH}/nobody`, { consumer: { name: 'x' } })).status, 404);
    });
  });

  describe('DELETE', () => {
    it('takes roles, permissions and assignments along', async () => {
      const consumer = await makeApplication(api);
      const { user } = await makePerson(api);
      const role = (await api.post('/v3/OS-ROLES/roles', { role: { name: 'r', application_id: consumer.id } })).body.role;
      const permission = (await api.post('/v3/OS-ROLES/permissions', { permission: { name: 'p', application_id: consumer.id } }))
        .body.permission;
      await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`);
      assert.equal((await api.put(`/v3/OS-ROLES/users/${user.id}/applications/${consumer.id}/roles/${role.id}`)).status, 200);
      assert.equal((await api.put(`/v3/OS-ROLES/users/${user.id}/applications/${consumer.id}/roles/provider`)).status, 200);

      const answer = await api.delete(`${PATH}/${consumer.id}`);
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assert.equal((await api.get(`${PATH}/${consumer.id}`)).status, 404);
      assert.equal((await api.get(`/v3/OS-ROLES/roles/${role.id}`)).status, 404);
      assert.equal((await api.get(`/v3/OS-ROLES/permissions/${permission.id}`)).status, 404);
      assert.deepEqual((await api.get(`/v3/OS-ROLES/users/role_assignments?user_id=${user.id}`)).body.role_assignments, []);
      assert.equal((await api.delete(`${PATH}/${consumer.id}`)).status, 404);
    });
  });

  describe('The built-in application', () => {
    it('is there, with its internal permissions and roles', async () => {
      const { consumer } = (await api.get(`${PATH}/idm_admin_app`)).body;
      assert.equal(consumer.name, 'idm_admin_app');
      const { roles } = (await api.get('/v3/OS-ROLES/roles?application_id=idm_admin_app')).body;
      assert.deepEqual(
        roles.map((role: any) => [role.id, role.name, role.is_internal]),
        [
          ['provider', 'provider', true],
          ['purchaser', 'purchaser', true],
        ],
      );
      const namesOf = async (role: string) =>
        (await api.get(`/v3/OS-ROLES/roles/${role}/permissions`)).body.permissions.map((one: any) => one.id).sort();
      const all = [
        'get-assign-internal-roles',
        'get-assign-public-owned-roles',
        'get-assign-public-roles',
        'manage-application',
        'manage-authorizations',
        'manage-roles',
      ];
      assert.deepEqual(await namesOf('provider'), all);
      assert.deepEqual(await namesOf('purchaser'), ['get-assign-public-roles']);
    });

    it('cannot be changed or deleted, nor its roles, permissions and links', async () => {
      const refused = [
        api.delete(`${PATH}/idm_admin_app`),
        api.patch(`${PATH}/idm_admin_app`, { consumer: { name: 'x' } }),
        api.post(`${PATH}/idm_admin_app/secret`, {}),
        api.delete('/v3/OS-ROLES/roles/provider'),
        api.patch('/v3/OS-ROLES/roles/provider', { role: { name: 'x' } }),
        api.delete('/v3/OS-ROLES/permissions/manage-roles'),
        api.patch('/v3/OS-ROLES/permissions/manage-roles', { permission: { name: 'x' } }),
        api.put('/v3/OS-ROLES/roles/purchaser/permissions/manage-roles'),
        api.delete('/v3/OS-ROLES/roles/provider/permissions/manage-roles'),
      ];
      for (const answer of await Promise.all(refused)) assert.equal(answer.status, 403, answer.text);
    });
  });

  it('serves the alias that Keyrock clients call', async () => {
    const consumer = await makeApplication(api);
    assert.deepEqual((await api.get(`/v3/OS-ROLES/consumers/${consumer.id}`)).body.consumer, consumer);
    assert.equal((await api.get('/v3/OS-ROLES/consumers')).status, 200);
    assert.equal((await api.delete(`/v3/OS-ROLES/consumers/${consumer.id}`)).status, 204);
  });

  it('gives a new secret on request, and only then', async () => {
    const consumer = await makeApplication(api);
    const answer = await api.post(`${PATH}/${consumer.id}/secret`, {});
    assert.equal(answer.status, 200);
    assert.notEqual(answer.body.consumer.secret, consumer.secret);
    assert.equal((await api.get(`${PATH}/${consumer.id}`)).body.consumer.secret, answer.body.consumer.secret);
  });

  describe('Who may', () => {
    it('register: any authenticated user, who becomes its provider in their own organization', async () => {
      const { user, token, organization } = await makePerson(api);
      const consumer = await makeApplication(api, {}, token);
      const { role_assignments } = (await api.get(`/v3/OS-ROLES/users/role_assignments?user_id=${user.id}`)).body;
      assert.deepEqual(role_assignments, [
        { user_id: user.id, organization_id: organization.id, application_id: consumer.id, role_id: 'provider' },
      ]);
    });

    it('register: nobody without an organization of their own, and nothing is stored', async () => {
      const project = await api.make('project', { name: uniqueName('p') });
      const { token } = await api.persona(['member'], { project: project.id });
      const name = uniqueName('orphan');
      const answer = await api.post(PATH, { consumer: { name } }, { token });
      assert.equal(answer.status, 404);
      assert.equal(answer.body.error.message, 'This user has no default organization');
      assert.deepEqual((await api.get(`${PATH}?name=${name}`)).body.consumers, []);
    });

    it('read, change, delete: its provider, but nobody else, who does not even learn that it exists', async () => {
      const [owner, stranger] = await Promise.all([makePerson(api), makePerson(api)]);
      const consumer = await makeApplication(api, {}, owner.token);
      for (const id of [consumer.id, 'nobody']) {
        const answers = await Promise.all([
          api.get(`${PATH}/${id}`, { token: stranger.token }),
          api.patch(`${PATH}/${id}`, { consumer: { name: 'x' } }, { token: stranger.token }),
          api.delete(`${PATH}/${id}`, { token: stranger.token }),
          api.post(`${PATH}/${id}/secret`, {}, { token: stranger.token }),
        ]);
        for (const answer of answers) assert.equal(answer.status, 403, id);
      }
      assert.equal((await api.get(`${PATH}/${consumer.id}`, { token: owner.token })).body.consumer.secret, consumer.secret);
      assert.equal(
        (await api.patch(`${PATH}/${consumer.id}`, { consumer: { name: 'mine' } }, { token: owner.token })).status,
        200,
      );
      assert.equal((await api.delete(`${PATH}/${consumer.id}`, { token: owner.token })).status, 204);
    });

    it('list: administrators all, others those they manage', async () => {
      const [owner, stranger] = await Promise.all([makePerson(api), makePerson(api)]);
      const consumer = await makeApplication(api, {}, owner.token);
      const idsFor = async (token: string) => (await api.get(PATH, { token })).body.consumers.map((one: any) => one.id);
      assert.deepEqual(await idsFor(owner.token), [consumer.id]);
      assert.deepEqual(await idsFor(stranger.token), []);
      assert.ok((await idsFor(api.adminToken)).includes(consumer.id));
    });

    it('nothing without a token', async () => {
      const answers = await Promise.all([
        api.get(PATH, { token: null }),
        api.post(PATH, { consumer: { name: 'x' } }, { token: null }),
        api.get(`${PATH}/x`, { token: null }),
        api.patch(`${PATH}/x`, { consumer: {} }, { token: null }),
        api.delete(`${PATH}/x`, { token: null }),
      ]);
      for (const answer of answers) assert.equal(answer.status, 401);
    });
  });
});
