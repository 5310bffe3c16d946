import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused, isAlive } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../../test/support/api.ts';

const PATH = '/v3/OS-SCIM/v2/Organizations';
const CORE = 'urn:scim:schemas:core:2.0';
const EXTENSION = 'urn:scim:schemas:extension:idbackend:2.0';

async function found(api: TestApi, values: Record<string, unknown> = {}): Promise<any> {
  return assertOk(await api.post(PATH, { name: uniqueName('organization'), ...values }));
}

onUsualDatabase('SCIM as Keyrock serves it: organizations', (api) => {
  describe('POST /v3/OS-SCIM/v2/Organizations', () => {
    it('makes one of what the contract shows, with the id of the client, and answers 200 with the resource', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const sent = {
        name: uniqueName('acme'),
        is_default: false,
        domain_id: domain.id,
        active: true,
        id: uniqueName('acme.id_'),
      };
      const answer = await api.post(PATH, sent);
      const organization = assertOk(answer);
      assert.match(answer.headers.get('content-type')!, /^application\/json\b/);
      assert.deepEqual(organization, {
        schemas: [CORE, EXTENSION],
        id: sent.id,
        name: sent.name,
        active: true,
        is_default: false,
        [EXTENSION]: { domain_id: domain.id },
        meta: {
          resourceType: 'Organization',
          created: organization.meta.created,
          lastModified: organization.meta.lastModified,
          location: `${api.url}${PATH}/${sent.id}`,
          version: organization.meta.version,
        },
      });
      assert.deepEqual(assertOk(await api.get(`${PATH}/${sent.id}`)), organization);
      assert.deepEqual(assertOk(await api.get(`${PATH}/${sent.id}/`)), organization);
    });

    it('makes an id where the client gives none, in the default domain', async () => {
      const organization = await found(api);
      assert.match(organization.id, /^[0-9a-f]{32}$/);
      assert.deepEqual(
        [organization[EXTENSION], organization.active, organization.is_default],
        [{ domain_id: 'default' }, true, false],
      );
    });

    it('maps to the project of the base API', async () => {
      const organization = await found(api, { description: 'What it is', active: false, is_default: true });
      assert.deepEqual([organization.description, organization.active, organization.is_default], ['What it is', false, true]);
      const { project } = assertOk(await api.get(`/v3/projects/${organization.id}`));
      assert.deepEqual(
        [project.name, project.description, project.enabled, project.is_default, project.domain_id, project.is_domain],
        [organization.name, 'What it is', false, true, 'default', false],
      );
    });

    it('takes the domain in the extension under any of its names', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      for (const kind of ['idbackend', 'keystone']) {
        for (const version of ['1.0', '2.0']) {
          const organization = await found(api, { [`urn:scim:schemas:extension:${kind}:${version}`]: { domain_id: domain.id } });
          assert.deepEqual(organization[EXTENSION], { domain_id: domain.id });
        }
      }
    });

    it('refuses what is taken with 409, an unknown domain with 404, and bad input with 400', async () => {
      const { name, id } = await found(api);
      const fresh = uniqueName('fresh');
      const refusals: [Record<string, unknown>, number, RegExp][] = [
        [{ name }, 409, /Duplicate Entry found with name/],
        [{ name: fresh, id }, 409, /Duplicate Entry found with id/],
        [{ name: fresh, id: 'default' }, 409, /Duplicate Entry found with id/],
        [{ name: fresh, domain_id: 'missing' }, 404, /Could not find domain: missing/],
        [{ name: fresh, [EXTENSION]: { domain_id: 'missing' } }, 404, /Could not find domain: missing/],
        [{}, 400, /name/],
        [{ name: '' }, 400, /name/],
        [{ name: '  ' }, 400, /name/],
        [{ name: 7 }, 400, /name/],
        [{ name: 'x'.repeat(256) }, 400, /name/],
        [{ name: fresh, active: 'perhaps' }, 400, /active/],
        [{ name: fresh, is_default: 'perhaps' }, 400, /is_?default/i],
        [{ name: fresh, id: 'a/b' }, 400, /\bid\b/],
        [{ name: fresh, id: '..' }, 400, /\bid\b/],
        [{ name: fresh, id: 7 }, 400, /\bid\b/],
      ];
      for (const [body, status, message] of refusals) assertRefused(await api.post(PATH, body), status, message);
      assert.equal(assertOk(await api.get(`${PATH}?name=${fresh}`)).totalResults, 0);
    });
  });

  describe('GET /v3/OS-SCIM/v2/Organizations', () => {
    it('lists them in the envelope, never domains, with and without a slash', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const made = [await found(api, { domain_id: domain.id, name: 'a' }), await found(api, { domain_id: domain.id, name: 'b' })];
      for (const path of [PATH, `${PATH}/`]) {
        assert.deepEqual(assertOk(await api.get(`${path}?domain_id=${domain.id}`)), {
          schemas: [CORE, EXTENSION],
          totalResults: 2,
          itemsPerPage: 2,
          startIndex: 1,
          Resources: made,
        });
      }
      const page = assertOk(await api.get(`${PATH}?domain_id=${domain.id}&startIndex=2&count=1`));
      assert.deepEqual([page.totalResults, page.itemsPerPage, page.startIndex, page.Resources], [2, 1, 2, [made[1]]]);
      const all = assertOk(await api.get(PATH));
      assert.ok(!all.Resources.some(({ id }: any) => id === 'default' || id === domain.id));
      assertRefused(await api.get(`${PATH}/default`), 404, /Could not find project: default/);
    });

    it('filters by the names it shows', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      await found(api, { domain_id: domain.id, name: 'plain', description: 'one' });
      await found(api, { domain_id: domain.id, name: 'closed', active: false });
      await found(api, { domain_id: domain.id, name: 'own', is_default: true });
      const finds: [Record<string, string>, string[]][] = [
        [{ filter: 'name eq "plain"' }, ['plain']],
        [{ filter: 'is_default eq true' }, ['own']],
        [{ filter: 'is_default eq false and active eq true' }, ['plain']],
        [{ filter: 'description pr' }, ['plain']],
        [{ filter: `${EXTENSION}:domain_id eq "${domain.id}" and not (name sw "o")` }, ['closed', 'plain']],
        [{ name: 'own' }, ['own']],
        [{ enabled: 'false' }, ['closed']],
      ];
      for (const [asked, names] of finds) {
        const list = assertOk(await api.get(`${PATH}?${new URLSearchParams({ domain_id: domain.id, ...asked })}`));
        assert.deepEqual(list.Resources.map((one: any) => one.name).sort(), names, JSON.stringify(asked));
        assert.equal(list.totalResults, names.length);
      }
      assertRefused(await api.get(`${PATH}?filter=${encodeURIComponent('name eq')}`), 400, /filter/);
    });

    it('shows the attributes that are asked for', async () => {
      const { id } = await found(api, { is_default: true });
      const chosen = assertOk(await api.get(`${PATH}/${id}?attributes=is_default`));
      assert.deepEqual(chosen, { schemas: [CORE, EXTENSION], id, is_default: true });
      const rest = assertOk(await api.get(`${PATH}/${id}?excludedAttributes=is_default,meta`));
      assert.deepEqual(Object.keys(rest).sort(), ['active', 'id', 'name', 'schemas', EXTENSION].sort());
    });
  });

  describe('PUT /v3/OS-SCIM/v2/Organizations/{organization_id}', () => {
    it('replaces what it names, and keeps what it does not', async () => {
      const organization = await found(api, { description: 'Kept', is_default: true });
      const name = uniqueName('renamed');
      const changed = assertOk(await api.put(`${PATH}/${organization.id}`, { name }));
      assert.deepEqual({ ...changed, meta: undefined }, { ...organization, name, meta: undefined });
      assert.notEqual(changed.meta.version, organization.meta.version);
      assert.deepEqual(assertOk(await api.get(`${PATH}/${organization.id}`)), changed);
    });

    it('takes the whole shape of the contract, and the resource as it was given', async () => {
      const { id, name } = await found(api);
      const body = { name, is_default: true, domain_id: 'default', active: false, id };
      const changed = assertOk(await api.put(`${PATH}/${id}/`, body));
      assert.deepEqual([changed.is_default, changed.active], [true, false]);
      const again = assertOk(await api.put(`${PATH}/${id}`, changed));
      assert.deepEqual({ ...again, meta: undefined }, { ...changed, meta: undefined });
    });

    it('refuses another id or domain, an empty name, and a name that is taken, and changes nothing', async () => {
      const organization = await found(api);
      const other = await found(api);
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const refusals: [Record<string, unknown>, number, RegExp][] = [
        [{ id: other.id }, 400, /ID/],
        [{ domain_id: domain.id }, 400, /domain/],
        [{ [EXTENSION]: { domain_id: domain.id } }, 400, /domain/],
        [{ name: '' }, 400, /name/],
        [{ name: other.name }, 409, /Duplicate/],
      ];
      for (const [body, status, message] of refusals) {
        assertRefused(await api.put(`${PATH}/${organization.id}`, { description: 'Changed', ...body }), status, message);
        assertRefused(await api.patch(`${PATH}/${organization.id}`, { description: 'Changed', ...body }), status, message);
        const Operations = [{ op: 'replace', value: { description: 'Changed', ...body } }];
        assertRefused(await api.patch(`${PATH}/${organization.id}`, { Operations }), status, message);
      }
      assert.deepEqual(assertOk(await api.get(`${PATH}/${organization.id}`)), organization);
    });
  });

  describe('PATCH /v3/OS-SCIM/v2/Organizations/{organization_id}', () => {
    it('takes operations, by the names it shows, and a plain partial resource', async () => {
      const { id, name } = await found(api);
      const byPath = [
        { op: 'replace', path: 'is_default', value: true },
        { op: 'add', path: 'description', value: 'Added' },
        { op: 'replace', path: `${EXTENSION}:domain_id`, value: 'default' },
      ];
      const first = assertOk(await api.patch(`${PATH}/${id}`, { Operations: byPath }));
      assert.deepEqual([first.name, first.is_default, first.description, first.active], [name, true, 'Added', true]);
      const without = [{ op: 'replace', value: { is_default: false, active: false } }];
      const second = assertOk(await api.patch(`${PATH}/${id}`, { Operations: without }));
      assert.deepEqual([second.is_default, second.description, second.active], [false, 'Added', false]);
      const third = assertOk(await api.patch(`${PATH}/${id}`, { is_default: true }));
      assert.deepEqual([third.is_default, third.description, third.active], [true, 'Added', false]);
      assert.deepEqual(assertOk(await api.get(`${PATH}/${id}`)), third);
    });

    it('refuses operations on the domain that would change it', async () => {
      const { id } = await found(api);
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const refused = [
        { op: 'replace', path: `${EXTENSION}:domain_id`, value: domain.id },
        { op: 'replace', path: EXTENSION, value: { domain_id: domain.id } },
        { op: 'replace', value: { [EXTENSION]: { domain_id: domain.id } } },
        { op: 'remove', path: `${EXTENSION}:domain_id` },
        { op: 'replace', path: `${EXTENSION}:colour`, value: 'red' },
      ];
      for (const operation of refused) assertRefused(await api.patch(`${PATH}/${id}`, { Operations: [operation] }), 400);
      assert.deepEqual(assertOk(await api.get(`${PATH}/${id}`))[EXTENSION], { domain_id: 'default' });
    });
  });

  it('that is closed ends the tokens in it', async () => {
    const { id } = await found(api);
    const { token } = await api.persona(['member'], { project: id });
    assert.equal(await isAlive(api, token), true);
    assert.equal(assertOk(await api.put(`${PATH}/${id}`, { active: false })).active, false);
    assert.equal(await isAlive(api, token), false);
  });

  describe('DELETE /v3/OS-SCIM/v2/Organizations/{organization_id}', () => {
    it('answers 204, and it is gone', async () => {
      const { id } = await found(api);
      assertOk(await api.delete(`${PATH}/${id}`), 204);
      assertRefused(await api.get(`${PATH}/${id}`), 404);
      assertRefused(await api.get(`/v3/projects/${id}`), 404);
    });

    it('lets the id be used again, without any right of the one before', async () => {
      const id = uniqueName('again');
      await found(api, { id });
      const { token, user, password } = await api.persona(['member'], { project: id });
      assertOk(await api.delete(`${PATH}/${id}`), 204);
      assert.equal(await isAlive(api, token), false);
      await found(api, { id });
      assert.equal(await isAlive(api, token), false);
      assertRefused(await api.authenticate({ id: user.id, password }, { project: { id } }), 401);
    });
  });

  it('answers 404 for one that is not there, and for a domain', async () => {
    for (const id of ['missing', 'default']) {
      assertRefused(await api.get(`${PATH}/${id}`), 404, /Could not find project/);
      assertRefused(await api.put(`${PATH}/${id}`, { description: 'x' }), 404, /Could not find project/);
      assertRefused(await api.patch(`${PATH}/${id}`, { description: 'x' }), 404, /Could not find project/);
      assertRefused(await api.delete(`${PATH}/${id}`), 404, /Could not find project/);
    }
  });

  it('are served under v2 only', async () => {
    const { id } = await found(api);
    for (const prefix of ['/v3/OS-SCIM/v1', '/v3/OS-SCIM']) {
      assertRefused(await api.get(`${prefix}/Organizations`), 404, /The resource could not be found/);
      assertRefused(await api.get(`${prefix}/Organizations/`), 404, /The resource could not be found/);
      assertRefused(await api.post(`${prefix}/Organizations`, { name: uniqueName('x') }), 404);
      assertRefused(await api.get(`${prefix}/Organizations/${id}`), 404);
      assertRefused(await api.delete(`${prefix}/Organizations/${id}`), 404);
    }
    assertOk(await api.get(`${PATH}/${id}`));
  });
});
