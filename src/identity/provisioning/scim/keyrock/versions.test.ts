import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';

onUsualDatabase('SCIM as Keyrock serves it: v1 and the path without a version', (api) => {
  for (const prefix of ['/v3/OS-SCIM/v1', '/v3/OS-SCIM']) {
    const USERS = `${prefix}/Users`;
    const CORE = 'urn:scim:schemas:core:1.0';
    const EXTENSION = 'urn:scim:schemas:extension:idbackend:1.0';

    describe(`${prefix}/Users`, () => {
      it('makes, shows, changes, lists and deletes users by the URNs of 1.0', async () => {
        const userName = uniqueName('old');
        const password = 'a password of version one';
        const user = assertOk(await api.post(`${USERS}/`, { userName, displayName: 'Old', password }));
        assert.deepEqual(user.schemas, [CORE, EXTENSION]);
        assert.equal(user[EXTENSION].domain_id, 'default');
        assert.equal(user.meta.location, `${api.url}${USERS}/${user.id}`);
        assert.equal(user.password, undefined);
        assert.equal((await api.authenticate({ name: userName, password })).status, 201);
        assert.deepEqual(assertOk(await api.get(`${USERS}/${user.id}`)), user);

        const put = assertOk(await api.put(`${USERS}/${user.id}`, { emails: [{ value: 'old@example.com' }] }));
        assert.deepEqual([put.schemas, put.displayName, put.emails], [[CORE, EXTENSION], 'Old', [{ value: 'old@example.com' }]]);
        const patched = assertOk(await api.patch(`${USERS}/${user.id}`, { displayName: 'Older' }));
        assert.deepEqual([patched.displayName, patched.emails], ['Older', put.emails]);
        const Operations = [{ op: 'remove', path: 'displayName' }];
        assert.equal(assertOk(await api.patch(`${USERS}/${user.id}`, { Operations })).displayName, undefined);

        for (const slash of ['', '/']) {
          const { Resources, ...envelope } = assertOk(await api.get(`${USERS}${slash}?name=${userName}`));
          assert.deepEqual(envelope, { schemas: [CORE, EXTENSION], totalResults: 1, itemsPerPage: 1, startIndex: 1 });
          assert.deepEqual(Resources, [assertOk(await api.get(`${USERS}/${user.id}`))]);
        }
        assertOk(await api.delete(`${USERS}/${user.id}`), 204);
        assertRefused(await api.get(`${USERS}/${user.id}`), 404, /Could not find user/);
      });

      it('shows the users of v2, which differ in the URNs and where they are', async () => {
        const made = assertOk(await api.post('/v3/OS-SCIM/v2/Users', { userName: uniqueName('both'), displayName: 'Both' }));
        const text = JSON.stringify(made)
          .replaceAll(/(core|idbackend):2\.0/g, '$1:1.0')
          .replace('/v3/OS-SCIM/v2/', `${prefix}/`);
        assert.deepEqual(assertOk(await api.get(`${USERS}/${made.id}`)), JSON.parse(text));
      });

      it('takes the domain under the names of every version, and filters by the name it shows', async () => {
        const domain = await api.make('domain', { name: uniqueName('domain') });
        const names: string[] = [];
        for (const kind of ['idbackend:1.0', 'idbackend:2.0', 'keystone:1.0', 'keystone:2.0']) {
          const body = { userName: uniqueName('of'), [`urn:scim:schemas:extension:${kind}`]: { domain_id: domain.id } };
          const user = assertOk(await api.post(USERS, body));
          assert.equal(user[EXTENSION].domain_id, domain.id);
          names.push(user.userName);
        }
        const filter = encodeURIComponent(`${EXTENSION}:domain_id eq "${domain.id}"`);
        const { Resources } = assertOk(await api.get(`${USERS}?filter=${filter}`));
        assert.deepEqual(Resources.map((user: any) => user.userName).sort(), names.sort());
      });

      it('gives a new user a default organization as well', async () => {
        const user = assertOk(await api.post(USERS, { userName: uniqueName('owner') }));
        const path = `/v3/OS-SCIM/v2/Organizations/${user[EXTENSION].default_project_id}`;
        const { name, is_default } = assertOk(await api.get(path));
        assert.deepEqual([name, is_default], [user.userName, true]);
      });

      it('refuses as v2 does', async () => {
        const { userName, id } = assertOk(await api.post(USERS, { userName: uniqueName('first') }));
        assertRefused(await api.post(USERS, { userName }), 409, /Duplicate/);
        assertRefused(await api.post(USERS, {}), 400, /userName/);
        assertRefused(await api.post(USERS, { userName: uniqueName('x'), domain_id: 'missing' }), 404, /domain/);
        assertRefused(await api.put(`${USERS}/${id}`, { id: 'another' }), 400, /ID/);
        assertRefused(await api.get(`${USERS}?filter=broken`), 400, /filter/);
      });
    });
  }
});
