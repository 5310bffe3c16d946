import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';

const ROLES = '/v3/OS-SCIM/v1/Roles';
const SCHEMAS = ['urn:scim:schemas:extension:idbackend:1.0'];

onUsualDatabase('SCIM as Keyrock serves it: roles, as orchestrators use them', (api) => {
  describe('POST /v3/OS-SCIM/v1/Roles', () => {
    it('makes a role of a domain and answers 201', async () => {
      const domain = await api.make('domain', { name: uniqueName('service') });
      const role = assertOk(await api.post(ROLES, { schemas: SCHEMAS, name: 'SubServiceAdmin', domain_id: domain.id }), 201);
      assert.deepEqual(role, { schemas: SCHEMAS, id: role.id, name: 'SubServiceAdmin', domain_id: domain.id });
      assert.deepEqual(assertOk(await api.get(`${ROLES}/${role.id}`)), role);
      assert.deepEqual(assertOk(await api.get(`${ROLES}/${role.id}/`)), role);
      // The base API knows it by both names, as its grants always did.
      assert.equal(assertOk(await api.get(`/v3/roles/${role.id}`)).role.name, `${domain.id}#SubServiceAdmin`);
    });

    it('makes a role of no domain, too', async () => {
      const name = uniqueName('plain');
      const role = assertOk(await api.post(`${ROLES}/`, { name }), 201);
      assert.deepEqual(role, { schemas: SCHEMAS, id: role.id, name });
    });

    it('makes a role that can be granted', async () => {
      const { id } = assertOk(await api.post(ROLES, { name: uniqueName('granted'), domain_id: 'default' }), 201);
      const project = await api.make('project', { name: uniqueName('p') });
      const user = await api.make('user', { name: uniqueName('u') });
      assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${id}`), 204);
    });

    it('lets the same name be in two domains, and refuses it twice in one with 409', async () => {
      const name = uniqueName('twice');
      const domain = await api.make('domain', { name: uniqueName('service') });
      for (const domain_id of ['default', domain.id]) {
        assertOk(await api.post(ROLES, { name, domain_id }), 201);
        assertRefused(await api.post(ROLES, { name, domain_id }), 409, /Duplicate/);
      }
    });

    it('refuses a missing or empty name with 400, and an unknown domain with 404', async () => {
      for (const name of [undefined, '', '  ', 7, 'x'.repeat(256)]) assertRefused(await api.post(ROLES, { name }), 400, /name/);
      assertRefused(await api.post(ROLES, { name: uniqueName('x'), domain_id: 7 }), 400, /domain_id/);
      assertRefused(
        await api.post(ROLES, { name: uniqueName('x'), domain_id: 'missing' }),
        404,
        /Could not find domain: missing/,
      );
    });
  });

  describe('GET /v3/OS-SCIM/v1/Roles', () => {
    it('lists the roles of a domain in the envelope', async () => {
      const domain = await api.make('domain', { name: uniqueName('service') });
      const made = [];
      for (const name of ['a', 'b']) made.push(assertOk(await api.post(ROLES, { name, domain_id: domain.id }), 201));
      assertOk(await api.post(ROLES, { name: uniqueName('elsewhere'), domain_id: 'default' }), 201);
      for (const slash of ['', '/']) {
        assert.deepEqual(assertOk(await api.get(`${ROLES}${slash}?domain_id=${domain.id}`)), {
          schemas: SCHEMAS,
          totalResults: 2,
          itemsPerPage: 2,
          startIndex: 1,
          Resources: made,
        });
      }
    });

    it('lists every role without a domain, those of the base API among them', async () => {
      const { Resources, totalResults } = assertOk(await api.get(ROLES));
      const names = Resources.map((role: any) => role.name);
      for (const name of ['admin', 'member', 'owner', 'basic', 'trial', 'community']) assert.ok(names.includes(name), name);
      assert.equal(totalResults, Resources.length);
    });

    it('takes a domain as it is written, not as a pattern', async () => {
      for (const domain of ['%25', '_______', 'missing', 'defaul'])
        assert.deepEqual(assertOk(await api.get(`${ROLES}?domain_id=${domain}`)).Resources, [], domain);
    });
  });

  describe('PATCH and PUT /v3/OS-SCIM/v1/Roles/{role_id}', () => {
    it('rename a role within its domain', async () => {
      const domain = await api.make('domain', { name: uniqueName('service') });
      const role = assertOk(await api.post(ROLES, { name: 'before', domain_id: domain.id }), 201);
      for (const method of ['PATCH', 'PUT']) {
        const name = uniqueName(method);
        assert.deepEqual(assertOk(await api.request(method, `${ROLES}/${role.id}`, { body: { name } })), { ...role, name });
        assert.deepEqual(assertOk(await api.get(`${ROLES}/${role.id}`)), { ...role, name });
      }
    });

    it('refuse another domain or id with 400, a taken name with 409, and an empty one with 400', async () => {
      const domain = await api.make('domain', { name: uniqueName('service') });
      const taken = assertOk(await api.post(ROLES, { name: 'taken', domain_id: domain.id }), 201);
      const role = assertOk(await api.post(ROLES, { name: 'free', domain_id: domain.id }), 201);
      const path = `${ROLES}/${role.id}`;
      assertRefused(await api.patch(path, { domain_id: 'default' }), 400, /domain/);
      assertRefused(await api.patch(path, { name: 'x', id: taken.id }), 400, /ID/);
      assertRefused(await api.patch(path, { name: 'taken' }), 409, /Duplicate/);
      assertRefused(await api.patch(path, { name: '' }), 400, /name/);
      assert.deepEqual(assertOk(await api.get(path)), role);
      assert.deepEqual(assertOk(await api.patch(path, { ...role, name: 'changed' })), { ...role, name: 'changed' });
    });
  });

  it('are deleted with 204, and then 404 for everything', async () => {
    const { id } = assertOk(await api.post(ROLES, { name: uniqueName('gone') }), 201);
    assertOk(await api.delete(`${ROLES}/${id}`), 204);
    assertRefused(await api.get(`${ROLES}/${id}`), 404, /Could not find role/);
    assertRefused(await api.patch(`${ROLES}/${id}`, { name: 'x' }), 404, /Could not find role/);
    assertRefused(await api.delete(`${ROLES}/${id}`), 404, /Could not find role/);
  });

  it('have the URN of their version under every path', async () => {
    for (const [prefix, version] of [
      ['/v3/OS-SCIM/v2', '2.0'],
      ['/v3/OS-SCIM', '1.0'],
    ]) {
      const role = assertOk(await api.post(`${prefix}/Roles`, { name: uniqueName('any') }), 201);
      assert.deepEqual(role.schemas, [`urn:scim:schemas:extension:idbackend:${version}`]);
    }
  });
});
