import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  assertEachStatus,
  assertForbidden,
  assertNeedsToken,
  assertOk,
  assertRefused,
  isAlive,
} from '../../../../test/support/answers.ts';
import { onBothDatabases, type TestApi, uniqueName } from '../../../../test/support/api.ts';

const MISSING = '0'.repeat(32);
const ids = (items: { id: string }[]): string[] => items.map(({ id }) => id);

const makeProject = (api: TestApi, values: Record<string, unknown> = {}) =>
  api.make('project', { name: uniqueName('project'), ...values });
const makeDomain = (api: TestApi) => api.make('domain', { name: uniqueName('domain') });
const patch = (api: TestApi, id: string, values: unknown, token?: string) =>
  api.patch(`/v3/projects/${id}`, { project: values }, token === undefined ? {} : { token });

onBothDatabases('Projects', (api) => {
  /** Good tokens of people who may not write projects of the default domain. */
  let nobodies: string[];

  before(async () => {
    const project = await makeProject(api);
    const domain = await makeDomain(api);
    nobodies = [
      (await api.persona(['member'], { project: project.id })).token,
      (await api.persona(['manager'], { project: project.id })).token,
      (await api.persona(['manager'], { domain: domain.id })).token,
      (await api.persona(['member'], { domain: 'default' })).token,
      (await api.persona(['reader'], 'system')).token,
    ];
  });

  describe('creating', () => {
    it('creates a project with what Keystone would fill in, and shows it', async () => {
      const name = uniqueName('project');
      const { project } = assertOk(await api.post('/v3/projects', { project: { name, cost_center: 42 } }), 201);
      assert.match(project.id, /^[0-9a-f]{32}$/);
      assert.deepEqual(project, {
        id: project.id,
        name,
        domain_id: 'default',
        parent_id: 'default',
        is_domain: false,
        enabled: true,
        description: '',
        tags: [],
        options: {},
        cost_center: 42,
        links: { self: `${api.url}/v3/projects/${project.id}` },
      });
      assert.deepEqual(assertOk(await api.get(`/v3/projects/${project.id}`)).project, project);
      assert.equal((await api.head(`/v3/projects/${project.id}`)).status, 200);
    });

    it('creates a project with everything that can be said of one', async () => {
      const domain = await makeDomain(api);
      const parent = await makeProject(api, { domain_id: domain.id });
      const values = {
        name: uniqueName('full'),
        domain_id: domain.id,
        parent_id: parent.id,
        is_domain: false,
        enabled: false,
        description: 'all of it',
        tags: ['blue', 'red'],
        options: { immutable: true },
        extra_list: [1, { two: 2 }],
      };
      const project = await makeProject(api, values);
      const links = { self: `${api.url}/v3/projects/${project.id}` };
      assert.deepEqual(project, { id: project.id, ...values, links });
    });

    it('takes the domain from the parent, else from the token, else the default one', async () => {
      const domain = await makeDomain(api);
      const parent = await makeProject(api, { domain_id: domain.id });
      assert.equal(parent.parent_id, domain.id);
      const child = await makeProject(api, { parent_id: parent.id });
      assert.deepEqual([child.domain_id, child.parent_id], [domain.id, parent.id]);
      const top = await makeProject(api, { parent_id: domain.id });
      assert.deepEqual([top.domain_id, top.parent_id], [domain.id, domain.id]);
      const { token } = await api.persona(['admin'], { domain: domain.id });
      const own = assertOk(await api.post('/v3/projects', { project: { name: uniqueName('own') } }, { token }), 201).project;
      assert.equal(own.domain_id, domain.id);
      const plain = await makeProject(api, { parent_id: null, domain_id: null });
      assert.deepEqual([plain.domain_id, plain.parent_id], ['default', 'default']);
    });

    it('takes the name without the spaces around it, and null as no description', async () => {
      const name = uniqueName('project');
      const project = await makeProject(api, { name: ` ${name} `, description: null });
      assert.deepEqual([project.name, project.description], [name, '']);
    });

    it('refuses a name that is taken in the domain, and allows it in another and in a parent', async () => {
      const domain = await makeDomain(api);
      const { name } = await makeProject(api);
      assertRefused(await api.post('/v3/projects', { project: { name } }), 409, /Duplicate Entry/);
      await makeProject(api, { name, domain_id: domain.id });
      await makeProject(api, { name: domain.name, domain_id: domain.id });
    });

    const name = 'refused';
    const bad: [what: string, body: unknown, field: RegExp][] = [
      ['no envelope', {}, /'project'/],
      ['an envelope of another kind', { project: 'x' }, /'project'/],
      ['no name', { project: {} }, /'project\.name'/],
      ['an empty name', { project: { name: '' } }, /'project\.name'/],
      ['a name of spaces', { project: { name: ' ' } }, /'project\.name'/],
      ['a name of 65 letters', { project: { name: 'n'.repeat(65) } }, /'project\.name'/],
      ['a name that is no text', { project: { name: {} } }, /'project\.name'/],
      ['a state that is no boolean', { project: { name, enabled: 'true' } }, /'project\.enabled'/],
      ['a description that is no text', { project: { name, description: 1 } }, /'project\.description'/],
      ['a domain that is no text', { project: { name, domain_id: 1 } }, /'project\.domain_id'/],
      ['a domain that is not there', { project: { name, domain_id: MISSING } }, /'domain_id'/],
      ['a parent that is not there', { project: { name, parent_id: MISSING } }, /'parent_id'/],
      ['is_domain that is no boolean', { project: { name, is_domain: 1 } }, /'project\.is_domain'/],
      ['a domain below something', { project: { name, is_domain: true, parent_id: 'default' } }, /'parent_id'/],
      ['a domain in a domain', { project: { name, is_domain: true, domain_id: 'default' } }, /'parent_id'/],
      ['tags that are no list', { project: { name, tags: 'blue' } }, /'project\.tags'/],
      ['a tag with a comma', { project: { name, tags: ['a,b'] } }, /'project\.tags\.0'/],
      ['a tag with a slash', { project: { name, tags: ['ok', 'a/b'] } }, /'project\.tags\.1'/],
      ['an empty tag', { project: { name, tags: [''] } }, /'project\.tags\.0'/],
      ['a repeated tag', { project: { name, tags: ['a', 'a'] } }, /'project\.tags'/],
      ['an unknown option', { project: { name, options: { fly: true } } }, /'project\.options\.fly'/],
      ['an option of a wrong type', { project: { name, options: { immutable: 'x' } } }, /'project\.options\.immutable'/],
    ];
    for (const [what, body, field] of bad) {
      it(`refuses ${what} and stores nothing`, async () => {
        assertRefused(await api.post('/v3/projects', body), 400, field);
        assert.deepEqual((await api.get(`/v3/projects?name=${name}`)).body.projects, []);
      });
    }

    it('refuses a domain that is not the one of the parent', async () => {
      const [domain, parent] = [await makeDomain(api), await makeProject(api)];
      const body = { project: { name, domain_id: domain.id, parent_id: parent.id } };
      assertRefused(await api.post('/v3/projects', body), 400, /'parent_id'.*in the domain/);
      const swapped = { project: { name, domain_id: parent.id } };
      assertRefused(await api.post('/v3/projects', swapped), 400, /'domain_id'/);
    });

    it('refuses a place below something disabled, be it a project or the domain', async () => {
      const parent = await makeProject(api, { enabled: false });
      assertRefused(await api.post('/v3/projects', { project: { name, parent_id: parent.id } }), 400, /disabled/);
      const domain = await makeDomain(api);
      const transaction = await makeProject(api, { domain_id: domain.id });
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertRefused(await api.post('/v3/projects', { project: { name, domain_id: domain.id } }), 400, /disabled/);
      assertRefused(await api.post('/v3/projects', { project: { name, parent_id: transaction.id } }), 400, /disabled/);
    });

    it('allows five levels below a domain, and no sixth', async () => {
      let parent = { id: 'default' };
      for (let level = 1; level <= 5; level++) parent = await makeProject(api, { parent_id: parent.id });
      assertRefused(await api.post('/v3/projects', { project: { name, parent_id: parent.id } }), 403, /hierarchy depth/);
    });

    it('is for administrators, and for managers of the domain', async () => {
      const body = { project: { name, domain_id: 'default' } };
      await assertNeedsToken(api, 'POST', '/v3/projects', body);
      await assertForbidden(api, nobodies, 'POST', '/v3/projects', { body });

      const domain = await makeDomain(api);
      const { token } = await api.persona(['manager'], { domain: domain.id });
      const made = await api.post('/v3/projects', { project: { name: uniqueName('project') } }, { token });
      assert.equal(assertOk(made, 201).project.domain_id, domain.id);
      const foreign = await makeProject(api);
      for (const parent of [foreign.id, MISSING]) {
        const answer = await api.post('/v3/projects', { project: { name, parent_id: parent } }, { token });
        assertRefused(answer, 400, new RegExp(`'parent_id': there is no project ${parent} in the domain ${domain.id}`));
      }
      await assertForbidden(api, [token], 'POST', '/v3/projects', { body: { project: { name, is_domain: true } } });
    });
  });

  describe('showing and listing', () => {
    it('shows a project to administrators, to readers of the system and the domain, and to those in it', async () => {
      const domain = await makeDomain(api);
      const project = await makeProject(api, { domain_id: domain.id });
      const sibling = await makeProject(api, { domain_id: domain.id });
      const path = `/v3/projects/${project.id}`;
      const allowed = [
        api.adminToken,
        (await api.persona(['reader'], 'system')).token,
        (await api.persona(['reader'], { domain: domain.id })).token,
        (await api.persona(['owner'], { project: project.id })).token,
      ];
      for (const token of allowed) assert.deepEqual(assertOk(await api.get(path, { token })).project, project);
      const others = [
        (await api.persona(['reader'], { project: sibling.id })).token,
        (await api.persona(['reader'], { domain: 'default' })).token,
      ];
      await assertForbidden(api, others, 'GET', path);
      await assertNeedsToken(api, 'GET', path);
      await assertNeedsToken(api, 'GET', '/v3/projects');
    });

    it('tells only those who may see every project that one is missing', async () => {
      const path = `/v3/projects/${MISSING}`;
      for (const token of [api.adminToken, nobodies[4]!])
        assertRefused(await api.get(path, { token }), 404, new RegExp(`Could not find project: ${MISSING}`));
      await assertForbidden(api, nobodies.slice(0, 4), 'GET', path);
    });

    it('lists all to administrators, and the own domain only to a domain-scoped token', async () => {
      const domain = await makeDomain(api);
      const project = await makeProject(api, { domain_id: domain.id });
      const all = assertOk(await api.get('/v3/projects'));
      assert.deepEqual(all.links, { self: `${api.url}/v3/projects`, previous: null, next: null });
      assert.deepEqual(
        all.projects.find(({ id }: { id: string }) => id === project.id),
        project,
      );
      for (const role of ['reader', 'admin']) {
        const { token } = await api.persona([role], { domain: domain.id });
        assert.deepEqual(assertOk(await api.get('/v3/projects', { token })).projects, [project]);
      }
      await assertForbidden(api, nobodies.slice(0, 2), 'GET', '/v3/projects');
    });

    it('filters by name, domain, parent and state, and leaves domains out unless they are asked for', async () => {
      const domain = await makeDomain(api);
      const parent = await makeProject(api, { domain_id: domain.id });
      const child = await makeProject(api, { parent_id: parent.id, enabled: false });
      const found = async (query: string) => ids(assertOk(await api.get(`/v3/projects?${query}`)).projects);
      assert.deepEqual((await found(`domain_id=${domain.id}`)).sort(), [parent.id, child.id].sort());
      assert.deepEqual(await found(`parent_id=${parent.id}`), [child.id]);
      assert.deepEqual(await found(`parent_id=${domain.id}`), [parent.id]);
      assert.deepEqual(await found(`domain_id=${domain.id}&enabled=false`), [child.id]);
      assert.deepEqual(await found(`name=${child.name}`), [child.id]);
      assert.deepEqual(await found(`name=${domain.name}`), []);
      assert.deepEqual(await found(`name=${domain.name}&is_domain=true`), [domain.id]);
      assert.deepEqual(await found(`name=${parent.name}&is_domain=1`), []);
    });
  });

  describe('the hierarchy', () => {
    /** grand > parent > project > [child > leaf, other] */
    async function family() {
      const grand = await makeProject(api);
      const parent = await makeProject(api, { parent_id: grand.id });
      const project = await makeProject(api, { parent_id: parent.id });
      const child = await makeProject(api, { parent_id: project.id });
      const other = await makeProject(api, { parent_id: project.id });
      const leaf = await makeProject(api, { parent_id: child.id });
      return { grand, parent, project, child, other, leaf };
    }
    const show = async (id: string, query: string, token = api.adminToken) =>
      assertOk(await api.get(`/v3/projects/${id}?${query}`, { token })).project;

    it('is not shown unless it is asked for', async () => {
      const { project } = await family();
      assert.deepEqual(await show(project.id, ''), project);
      assert.deepEqual(await show(project.id, 'parents_as_list=0&subtree_as_ids=false'), project);
    });

    it('shows what is above as a list, nearest first, without the domain', async () => {
      const { grand, parent, project } = await family();
      const expected = { ...project, parents: [{ project: parent }, { project: grand }] };
      for (const query of ['parents_as_list', 'parents_as_list=True', 'parents_as_list=1'])
        assert.deepEqual(await show(project.id, query), expected);
      assert.deepEqual((await show(grand.id, 'parents_as_list')).parents, []);
    });

    it('shows what is above as ids, up to the domain', async () => {
      const { grand, parent, project } = await family();
      const { parents } = await show(project.id, 'parents_as_ids');
      assert.deepEqual(parents, { [parent.id]: { [grand.id]: { default: null } } });
      assert.equal((await show('default', 'parents_as_ids')).parents, null);
    });

    it('shows what is below as a list', async () => {
      const { project, child, other, leaf } = await family();
      const { subtree } = await show(project.id, 'subtree_as_list');
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      assert.deepEqual(subtree.map((entry: { project: unknown }) => entry.project).sort(byId), [child, other, leaf].sort(byId));
      assert.deepEqual((await show(leaf.id, 'subtree_as_list')).subtree, []);
    });

    it('shows what is below as ids', async () => {
      const { project, child, other, leaf } = await family();
      const { subtree } = await show(project.id, 'subtree_as_ids');
      assert.deepEqual(subtree, { [child.id]: { [leaf.id]: null }, [other.id]: null });
      assert.equal((await show(leaf.id, 'subtree_as_ids')).subtree, null);
    });

    it('shows both directions at once, but neither in both forms', async () => {
      const { parent, project, leaf, child, other, grand } = await family();
      const shown = await show(project.id, 'parents_as_list&subtree_as_ids');
      assert.deepEqual(ids(shown.parents.map((entry: { project: unknown }) => entry.project)), [parent.id, grand.id]);
      assert.deepEqual(Object.keys(shown.subtree).sort(), [child.id, other.id].sort());
      for (const kind of ['parents', 'subtree']) {
        const query = `${kind}_as_list&${kind}_as_ids`;
        assertRefused(await api.get(`/v3/projects/${leaf.id}?${query}`), 400, new RegExp(`${kind}_as_list`));
        assertRefused(await api.get(`/v3/projects/${leaf.id}?${kind}_as_list=maybe`), 400, new RegExp(`${kind}_as_list`));
      }
    });

    it('lists to those in the project only what they have a role in', async () => {
      const { grand, project, child } = await family();
      const { user, password } = await api.persona(['member'], { project: project.id });
      const member = await api.roleId('member');
      for (const id of [grand.id, child.id]) assertOk(await api.put(`/v3/projects/${id}/users/${user.id}/roles/${member}`), 204);
      const token = await api.logIn({ id: user.id, password }, { project: { id: project.id } });
      const shown = await show(project.id, 'parents_as_list&subtree_as_list', token);
      assert.deepEqual(shown.parents, [{ project: grand }]);
      assert.deepEqual(shown.subtree, [{ project: child }]);
    });
  });

  describe('changing', () => {
    it('changes what is named and keeps the rest', async () => {
      const project = await makeProject(api, { description: 'old', tags: ['a'], colour: 'green', size: 1 });
      const name = uniqueName('renamed');
      const answer = await patch(api, project.id, { name: ` ${name} `, colour: 'red', tags: ['c', 'b'] });
      const expected = { ...project, name, colour: 'red', tags: ['b', 'c'] };
      assert.deepEqual(assertOk(answer).project, { ...expected, extra: { colour: 'red', size: 1 } });
      assert.deepEqual((await api.get(`/v3/projects/${project.id}`)).body.project, expected);
      assert.equal(assertOk(await patch(api, project.id, { description: null })).project.description, '');
      assert.deepEqual(assertOk(await patch(api, project.id, { tags: [] })).project.tags, []);
    });

    it('keeps the id, the domain, the parent, and whether it is a domain', async () => {
      const [project, other, domain] = [await makeProject(api), await makeProject(api), await makeDomain(api)];
      const same = { id: project.id, domain_id: 'default', parent_id: 'default', is_domain: false };
      assert.deepEqual(assertOk(await patch(api, project.id, same)).project, { ...project, extra: {} });
      assertRefused(await patch(api, project.id, { id: other.id }), 400, /Cannot change project ID/);
      assertRefused(await patch(api, project.id, { domain_id: domain.id }), 400, /Cannot change domain ID/);
      assertRefused(await patch(api, project.id, { parent_id: other.id }), 403, /parent_id/);
      assertRefused(await patch(api, project.id, { is_domain: true }), 400, /'is_domain'/);
      assert.deepEqual((await api.get(`/v3/projects/${project.id}`)).body.project, project);
    });

    it('refuses a taken name and bad values, and changes nothing', async () => {
      const [project, other] = [await makeProject(api), await makeProject(api)];
      assertRefused(await patch(api, project.id, { name: other.name }), 409, /Duplicate Entry/);
      const bad: [values: unknown, field: RegExp][] = [
        [undefined, /'project'/],
        [{ name: '' }, /'project\.name'/],
        [{ name: null }, /'project\.name'/],
        [{ enabled: 'no' }, /'project\.enabled'/],
        [{ tags: ['a/b'] }, /'project\.tags\.0'/],
        [{ tags: Array.from({ length: 81 }, (_, index) => `tag-${index}`) }, /'project\.tags'/],
        [{ options: { fly: 1 } }, /'project\.options\.fly'/],
      ];
      for (const [values, field] of bad) assertRefused(await patch(api, project.id, values), 400, field);
      assert.deepEqual((await api.get(`/v3/projects/${project.id}`)).body.project, project);
    });

    it('disables a project only after everything below it, and enables it only below what is enabled', async () => {
      const parent = await makeProject(api);
      const child = await makeProject(api, { parent_id: parent.id });
      assertRefused(await patch(api, parent.id, { enabled: false }), 403, /subtree contains enabled projects/);
      assert.equal(assertOk(await patch(api, child.id, { enabled: false })).project.enabled, false);
      assertOk(await patch(api, parent.id, { enabled: false }));
      assertRefused(await patch(api, child.id, { enabled: true }), 403, /disabled parents/);
      assertOk(await patch(api, parent.id, { enabled: true }));
      assertOk(await patch(api, child.id, { enabled: true }));
    });

    it('ends the tokens of a project that is disabled, and enabling brings none back', async () => {
      const [project, other] = [await makeProject(api), await makeProject(api)];
      const { user, password, token } = await api.persona(['member'], { project: project.id });
      const neighbour = await api.persona(['member'], { project: other.id });
      const unscoped = await api.logIn({ id: user.id, password }, 'unscoped');
      assertOk(await patch(api, project.id, { enabled: false }));
      assert.equal(await isAlive(api, token), false);
      const scope = { project: { id: project.id } };
      assertRefused(await api.authenticate({ id: user.id, password }, scope), 401);
      assertOk(await patch(api, project.id, { enabled: true }));
      assert.equal(await isAlive(api, token), false);
      assert.equal(await isAlive(api, await api.logIn({ id: user.id, password }, scope)), true);
      for (const kept of [unscoped, neighbour.token]) assert.equal(await isAlive(api, kept), true);
    });

    it('shows a new name in tokens that are still good', async () => {
      const domain = await makeDomain(api);
      const project = await makeProject(api, { domain_id: domain.id });
      const { token } = await api.persona(['member'], { project: project.id });
      const named = { project: uniqueName('renamed'), domain: uniqueName('renamed') };
      assertOk(await patch(api, project.id, { name: named.project }));
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { name: named.domain } }));
      const shown = assertOk(await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } })).token;
      assert.equal(shown.project.name, named.project);
      assert.equal(shown.project.domain.name, named.domain);
    });

    it('is for administrators, and for managers of the domain', async () => {
      const domain = await makeDomain(api);
      const local = await makeProject(api, { domain_id: domain.id });
      const { token } = await api.persona(['manager'], { domain: domain.id });
      assertOk(await patch(api, local.id, { description: 'x' }, token));
      const project = await makeProject(api);
      const insider = (await api.persona(['member'], { project: project.id })).token;
      const path = `/v3/projects/${project.id}`;
      const body = { project: { description: 'changed' } };
      await assertNeedsToken(api, 'PATCH', path, body);
      await assertForbidden(api, [...nobodies, token, insider], 'PATCH', path, { body });
      await assertForbidden(api, nobodies, 'PATCH', `/v3/projects/${MISSING}`, { body });
      assertRefused(await patch(api, MISSING, { name: 'x' }), 404, /Could not find project/);
    });
  });

  describe('the immutable option', () => {
    it('lets nothing change but itself, and then alone', async () => {
      const project = await makeProject(api, { options: { immutable: true } });
      const path = `/v3/projects/${project.id}`;
      for (const values of [{ name: 'x' }, { enabled: false }, { options: { immutable: true } }, { colour: 'red' }])
        assertRefused(await patch(api, project.id, values), 403, /Cannot update immutable project/);
      const both = { name: 'x', options: { immutable: false } };
      assertRefused(await patch(api, project.id, both), 403, /Cannot update immutable project/);
      assertRefused(await api.delete(path), 403, /Cannot delete immutable project/);
      assertRefused(await api.put(`${path}/tags`, { tags: ['a'] }), 403, /Cannot update immutable project/);
      assertRefused(await api.put(`${path}/tags/a`), 403, /Cannot update immutable project/);
      assertRefused(await api.delete(`${path}/tags`), 403, /Cannot update immutable project/);
      assert.deepEqual((await api.get(path)).body.project, project);
    });

    it('is lifted by false or null', async () => {
      for (const [value, options] of [
        [false, { immutable: false }],
        [null, {}],
      ]) {
        const project = await makeProject(api, { options: { immutable: true } });
        assert.deepEqual(assertOk(await patch(api, project.id, { options: { immutable: value } })).project.options, options);
        assertOk(await patch(api, project.id, { description: 'now' }));
        assertOk(await api.delete(`/v3/projects/${project.id}`), 204);
      }
    });
  });

  describe('deleting', () => {
    it('deletes a project with its grants and tokens, and frees the name', async () => {
      const project = await makeProject(api, { tags: ['a'] });
      const { user, token } = await api.persona(['member'], { project: project.id });
      const path = `/v3/projects/${project.id}`;
      assertOk(await api.delete(path), 204);
      assertRefused(await api.get(path), 404, /Could not find project/);
      assertRefused(await api.delete(path), 404, /Could not find project/);
      assertRefused(await api.get(`${path}/tags`), 404, /Could not find project/);
      assert.equal(await isAlive(api, token), false);
      assert.deepEqual((await api.get(`/v3/users/${user.id}/projects`)).body.projects, []);
      await makeProject(api, { name: project.name });
    });

    it('deletes only a project without children', async () => {
      const parent = await makeProject(api);
      const child = await makeProject(api, { parent_id: parent.id });
      assertRefused(await api.delete(`/v3/projects/${parent.id}`), 403, /not a leaf/);
      assertOk(await api.delete(`/v3/projects/${child.id}`), 204);
      assertOk(await api.delete(`/v3/projects/${parent.id}`), 204);
    });

    it('leaves no partial state when it runs at the same time as changes', async () => {
      for (let round = 0; round < 4; round++) {
        const project = await makeProject(api);
        const path = `/v3/projects/${project.id}`;
        const answers = await Promise.all([
          patch(api, project.id, { tags: ['a'] }),
          api.put(`${path}/tags/b`),
          api.delete(path),
          patch(api, project.id, { tags: ['b'] }),
          api.put(`${path}/tags`, { tags: ['c'] }),
          api.post('/v3/projects', { project: { name: uniqueName('late'), parent_id: project.id } }),
          api.put(`${path}/tags/d`),
        ]);
        // 403: it has a child by then. 400: its parent is gone by then.
        assertEachStatus(answers, [200, 201, 204, 400, 403, 404]);
      }
    });

    it('is for administrators, and for managers of the domain', async () => {
      const domain = await makeDomain(api);
      const local = await makeProject(api, { domain_id: domain.id });
      const { token } = await api.persona(['manager'], { domain: domain.id });
      assertOk(await api.delete(`/v3/projects/${local.id}`, { token }), 204);
      const project = await makeProject(api);
      await assertNeedsToken(api, 'DELETE', `/v3/projects/${project.id}`);
      await assertForbidden(api, [...nobodies, token], 'DELETE', `/v3/projects/${project.id}`);
      await assertForbidden(api, nobodies, 'DELETE', `/v3/projects/${MISSING}`);
      assertOk(await api.get(`/v3/projects/${project.id}`));
    });
  });

  describe('a project that acts as a domain', () => {
    it('is a domain, whichever way it is made and shown', async () => {
      const name = uniqueName('domain');
      const project = await makeProject(api, { name, is_domain: true, description: 'both' });
      const links = { self: `${api.url}/v3/projects/${project.id}` };
      const common = { id: project.id, name, enabled: true, description: 'both', tags: [], options: {} };
      assert.deepEqual(project, { ...common, domain_id: null, parent_id: null, is_domain: true, links });
      const { domain } = assertOk(await api.get(`/v3/domains/${project.id}`));
      assert.deepEqual(domain, { ...common, links: { self: `${api.url}/v3/domains/${project.id}` } });
      assert.deepEqual(assertOk(await api.get(`/v3/projects/${project.id}`)).project, project);
      assertRefused(await api.post('/v3/projects', { project: { name, is_domain: true } }), 409, /Duplicate Entry/);
    });

    it('is changed and deleted as a domain: disabled first', async () => {
      const project = await makeProject(api, { is_domain: true });
      const transaction = await makeProject(api, { domain_id: project.id });
      const changed = await patch(api, project.id, { description: 'x', domain_id: null, is_domain: true });
      assert.equal(assertOk(changed).project.description, 'x');
      assertRefused(await api.delete(`/v3/projects/${project.id}`), 403, /disable it first/);
      assertOk(await patch(api, project.id, { enabled: false }));
      assertOk(await api.delete(`/v3/projects/${project.id}`), 204);
      for (const path of [`/v3/domains/${project.id}`, `/v3/projects/${project.id}`, `/v3/projects/${transaction.id}`])
        assert.equal((await api.get(path)).status, 404);
    });

    it('cannot be changed by its managers through any API', async () => {
      const domain = await makeDomain(api);
      const { token } = await api.persona(['manager'], { domain: domain.id });
      const path = `/v3/projects/${domain.id}`;
      await assertForbidden(api, [token], 'PATCH', path, { body: { project: { description: 'mine' } } });
      await assertForbidden(api, [token], 'DELETE', path);
      await assertForbidden(api, [token], 'PUT', `${path}/tags`, { body: { tags: ['mine'] } });
      await assertForbidden(api, [token], 'PUT', `${path}/tags/mine`);
      await assertForbidden(api, [token], 'DELETE', `${path}/tags`);
      assert.deepEqual((await api.get(`/v3/domains/${domain.id}`)).body.domain, domain);
    });
  });
});
