import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
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

const makeDomain = (api: TestApi, values: Record<string, unknown> = {}) =>
  api.make('domain', { name: uniqueName('domain'), ...values });
const patch = (api: TestApi, id: string, values: unknown) => api.patch(`/v3/domains/${id}`, { domain: values });

onBothDatabases('Domains', (api) => {
  /** Good tokens of people who may not write domains. */
  let nobodies: string[];

  before(async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    nobodies = [
      (await api.persona(['member'], { project: project.id })).token,
      (await api.persona(['member'], { domain: 'default' })).token,
      (await api.persona(['manager'], { domain: 'default' })).token,
      (await api.persona(['manager'], 'system')).token,
      (await api.persona(['reader'], 'system')).token,
    ];
  });

  describe('creating', () => {
    it('creates a domain with what Keystone would fill in, and shows it', async () => {
      const name = uniqueName('domain');
      const { domain } = assertOk(await api.post('/v3/domains', { domain: { name, region: 'north' } }), 201);
      assert.match(domain.id, /^[0-9a-f]{32}$/);
      assert.deepEqual(domain, {
        id: domain.id,
        name,
        enabled: true,
        description: '',
        tags: [],
        options: {},
        region: 'north',
        links: { self: `${api.url}/v3/domains/${domain.id}` },
      });
      assert.deepEqual(assertOk(await api.get(`/v3/domains/${domain.id}`)).domain, domain);
      assert.equal((await api.head(`/v3/domains/${domain.id}`)).status, 200);
    });

    it('takes everything that can be said of one', async () => {
      const values = { description: 'all of it', enabled: false, tags: ['a', 'b'], options: { immutable: true } };
      const domain = await makeDomain(api, values);
      const links = { self: `${api.url}/v3/domains/${domain.id}` };
      assert.deepEqual(domain, { id: domain.id, name: domain.name, ...values, links });
    });

    it('takes an id that a client asks for explicitly, once', async () => {
      const id = randomUUID().replaceAll('-', '');
      const domain = await makeDomain(api, { explicit_domain_id: id });
      assert.equal(domain.id, id);
      assert.equal('explicit_domain_id' in domain, false);
      const again = { domain: { name: uniqueName('domain'), explicit_domain_id: id } };
      assertRefused(await api.post('/v3/domains', again), 409, new RegExp(id));
      for (const bad of ['default', randomUUID(), id.slice(1), 5])
        assertRefused(
          await api.post('/v3/domains', { domain: { name: 'refused', explicit_domain_id: bad } }),
          400,
          /'domain\.explicit_domain_id'/,
        );
    });

    it('refuses a name that is taken', async () => {
      const { name } = await makeDomain(api);
      assertRefused(await api.post('/v3/domains', { domain: { name } }), 409, /Duplicate Entry/);
      assertRefused(await api.post('/v3/domains', { domain: { name: 'Default' } }), 409, /Duplicate Entry/);
    });

    it('refuses bad values, naming the field, and stores nothing', async () => {
      const name = 'refused';
      const bad: [body: unknown, field: RegExp][] = [
        [{}, /'domain'/],
        [{ domain: null }, /'domain'/],
        [{ domain: {} }, /'domain\.name'/],
        [{ domain: { name: '' } }, /'domain\.name'/],
        [{ domain: { name: '\t' } }, /'domain\.name'/],
        [{ domain: { name: 'n'.repeat(65) } }, /'domain\.name'/],
        [{ domain: { name, enabled: 'true' } }, /'domain\.enabled'/],
        [{ domain: { name, description: 5 } }, /'domain\.description'/],
        [{ domain: { name, tags: ['a,b'] } }, /'domain\.tags\.0'/],
        [{ domain: { name, options: { fly: true } } }, /'domain\.options\.fly'/],
      ];
      for (const [body, field] of bad) assertRefused(await api.post('/v3/domains', body), 400, field);
      assert.deepEqual((await api.get(`/v3/domains?name=${name}`)).body.domains, []);
    });

    it('is for administrators', async () => {
      const body = { domain: { name: 'refused' } };
      await assertNeedsToken(api, 'POST', '/v3/domains', body);
      await assertForbidden(api, nobodies, 'POST', '/v3/domains', { body });
    });
  });

  describe('showing and listing', () => {
    it('shows a domain to administrators, readers of the system, and whoever works in it', async () => {
      const domain = await makeDomain(api);
      const project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
      const allowed = [
        api.adminToken,
        (await api.persona(['reader'], 'system')).token,
        (await api.persona(['owner'], { domain: domain.id })).token,
        (await api.persona(['owner'], { project: project.id })).token,
      ];
      for (const token of allowed)
        assert.deepEqual(assertOk(await api.get(`/v3/domains/${domain.id}`, { token })).domain, domain);
      await assertForbidden(api, nobodies.slice(0, 4), 'GET', `/v3/domains/${domain.id}`);
      await assertNeedsToken(api, 'GET', `/v3/domains/${domain.id}`);
    });

    it('tells only those who may see every domain that one is missing', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      for (const token of [api.adminToken, nobodies[4]!]) {
        assertRefused(await api.get(`/v3/domains/${MISSING}`, { token }), 404, /Could not find domain/);
        assertRefused(await api.get(`/v3/domains/${project.id}`, { token }), 404, /Could not find domain/);
      }
      await assertForbidden(api, nobodies.slice(0, 4), 'GET', `/v3/domains/${MISSING}`);
    });

    it('lists all to administrators, and only itself to a domain-scoped token', async () => {
      const domain = await makeDomain(api);
      const all = assertOk(await api.get('/v3/domains'));
      assert.deepEqual(all.links, { self: `${api.url}/v3/domains`, previous: null, next: null });
      assert.ok(ids(all.domains).includes('default'));
      assert.ok(ids(all.domains).includes(domain.id));
      for (const role of ['reader', 'admin']) {
        const { token } = await api.persona([role], { domain: domain.id });
        assert.deepEqual(assertOk(await api.get('/v3/domains', { token })).domains, [domain]);
      }
      await assertForbidden(api, [nobodies[0]!, nobodies[2]!], 'GET', '/v3/domains');
      await assertNeedsToken(api, 'GET', '/v3/domains');
    });

    it('filters by name and state', async () => {
      const off = await makeDomain(api, { enabled: false });
      const found = async (query: string) => ids(assertOk(await api.get(`/v3/domains?${query}`)).domains);
      assert.deepEqual(await found(`name=${off.name}`), [off.id]);
      assert.deepEqual(await found(`name=${off.name}&enabled=true`), []);
      assert.ok((await found('enabled=False')).includes(off.id));
      assert.ok(!(await found('enabled=False')).includes('default'));
    });
  });

  describe('changing', () => {
    it('changes what is named and keeps the rest', async () => {
      const domain = await makeDomain(api, { description: 'old', region: 'north', size: 1 });
      const name = uniqueName('renamed');
      const expected = { ...domain, name, region: 'south', tags: ['x'] };
      const changed = assertOk(await patch(api, domain.id, { name, region: 'south', tags: ['x'] })).domain;
      assert.deepEqual(changed, { ...expected, extra: { region: 'south', size: 1 } });
      assert.deepEqual((await api.get(`/v3/domains/${domain.id}`)).body.domain, expected);
    });

    it('refuses another id, a taken name and bad values', async () => {
      const domain = await makeDomain(api);
      assertOk(await patch(api, domain.id, { id: domain.id }));
      assertRefused(await patch(api, domain.id, { id: MISSING }), 400, /Cannot change domain ID/);
      assertRefused(await patch(api, domain.id, { name: 'Default' }), 409, /Duplicate Entry/);
      assertRefused(await patch(api, domain.id, { name: '' }), 400, /'domain\.name'/);
      assertRefused(await patch(api, domain.id, { enabled: 0 }), 400, /'domain\.enabled'/);
      assertRefused(await patch(api, domain.id, undefined), 400, /'domain'/);
      assert.deepEqual((await api.get(`/v3/domains/${domain.id}`)).body.domain, domain);
    });

    it('does not disable the default domain, where the administrators live', async () => {
      assertRefused(await patch(api, 'default', { enabled: false }), 403, /default domain/);
      assertOk(await patch(api, 'default', { description: 'The default domain', enabled: true }));
    });

    it('refuses changes of an immutable domain, except one that only removes the option', async () => {
      const domain = await makeDomain(api, { options: { immutable: true } });
      assertRefused(await patch(api, domain.id, { enabled: false }), 403, /Cannot update immutable domain/);
      const both = { enabled: false, options: { immutable: false } };
      assertRefused(await patch(api, domain.id, both), 403, /Cannot update immutable domain/);
      assertOk(await patch(api, domain.id, { options: { immutable: false } }));
      assertOk(await patch(api, domain.id, { enabled: false }));
    });

    it('is for administrators', async () => {
      const body = { domain: { description: 'x' } };
      await assertNeedsToken(api, 'PATCH', '/v3/domains/default', body);
      await assertForbidden(api, nobodies, 'PATCH', '/v3/domains/default', { body });
      await assertForbidden(api, nobodies, 'PATCH', `/v3/domains/${MISSING}`, { body });
      assertRefused(await api.patch(`/v3/domains/${MISSING}`, body), 404, /Could not find domain/);
    });
  });

  describe('disabling', () => {
    it('cuts the tokens of its users, of its projects and of itself, and enabling brings none back', async () => {
      const domain = await makeDomain(api);
      const transaction = await api.make('project', { name: uniqueName('inside'), domain_id: domain.id });
      const outside = await api.make('project', { name: uniqueName('outside') });
      const insider = await api.persona(['member'], { project: outside.id }, { domain_id: domain.id });
      const visitor = await api.persona(['member'], { project: transaction.id });
      const domainVisitor = await api.persona(['member'], { domain: domain.id });
      const bystander = await api.persona(['member'], { project: outside.id });
      const unscoped = await api.logIn({ id: insider.user.id, password: insider.password }, 'unscoped');
      const visitorUnscoped = await api.logIn({ id: visitor.user.id, password: visitor.password }, 'unscoped');
      const doomed = [insider.token, unscoped, visitor.token, domainVisitor.token];
      const logins: [Parameters<TestApi['logIn']>[0], unknown][] = [
        [insider.user, { project: { id: outside.id } }],
        [insider.user, undefined],
        [visitor.user, { project: { id: transaction.id } }],
        [domainVisitor.user, { domain: { id: domain.id } }],
      ];
      for (const token of doomed) assert.equal(await isAlive(api, token), true);

      assert.equal(assertOk(await patch(api, domain.id, { enabled: false })).domain.enabled, false);
      for (const token of doomed) assert.equal(await isAlive(api, token), false);
      for (const [{ id }, scope] of logins)
        assertRefused(await api.authenticate({ id: id!, password: insider.password }, scope), 401, /requires authentication/);
      for (const token of [bystander.token, visitorUnscoped]) assert.equal(await isAlive(api, token), true);

      assertOk(await patch(api, domain.id, { enabled: true }));
      for (const token of doomed) assert.equal(await isAlive(api, token), false);
      for (const [{ id }, scope] of logins)
        assert.equal(await isAlive(api, await api.logIn({ id: id!, password: insider.password }, scope)), true);
    });
  });

  describe('deleting', () => {
    it('needs the domain disabled first', async () => {
      const domain = await makeDomain(api);
      assertRefused(await api.delete(`/v3/domains/${domain.id}`), 403, /please disable it first/);
      assertOk(await patch(api, domain.id, { enabled: false }));
      assertOk(await api.delete(`/v3/domains/${domain.id}`), 204);
      assertRefused(await api.get(`/v3/domains/${domain.id}`), 404, /Could not find domain/);
      assertRefused(await api.delete(`/v3/domains/${domain.id}`), 404, /Could not find domain/);
      await makeDomain(api, { name: domain.name });
    });

    it('takes everything in it along', async () => {
      const domain = await makeDomain(api);
      const inDomain = { domain_id: domain.id };
      const project = await api.make('project', { name: uniqueName('project'), ...inDomain });
      const child = await api.make('project', { name: uniqueName('child'), parent_id: project.id, tags: ['a'] });
      const leaf = await api.make('project', { name: uniqueName('leaf'), parent_id: child.id });
      const user = await api.make('user', { name: uniqueName('user'), password: 'a password', ...inDomain });
      const group = await api.make('group', { name: uniqueName('group'), ...inDomain });
      const role = await api.make('role', { name: uniqueName('role'), ...inDomain });
      const visitor = await api.persona(['member'], { project: leaf.id });
      const outerGroup = await api.make('group', { name: uniqueName('outer') });
      assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
      assertOk(await api.put(`/v3/groups/${outerGroup.id}/users/${user.id}`), 204);
      assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${role.id}`), 204);
      assertOk(await api.put(`/v3/domains/${domain.id}/groups/${group.id}/roles/${await api.roleId('member')}`), 204);

      assertOk(await patch(api, domain.id, { enabled: false }));
      assertOk(await api.delete(`/v3/domains/${domain.id}`), 204);
      const gone = [
        `/v3/projects/${project.id}`,
        `/v3/projects/${child.id}`,
        `/v3/projects/${leaf.id}`,
        `/v3/projects/${domain.id}`,
        `/v3/users/${user.id}`,
        `/v3/groups/${group.id}`,
        `/v3/roles/${role.id}`,
      ];
      for (const path of gone) assertRefused(await api.get(path), 404, /Could not find/);
      assert.equal(await isAlive(api, visitor.token), false);
      assert.deepEqual((await api.get(`/v3/groups/${outerGroup.id}/users`)).body.users, []);
      assert.deepEqual((await api.get(`/v3/users/${visitor.user.id}/projects`)).body.projects, []);
      assertRefused(await api.authenticate({ id: user.id, password: 'a password' }), 401);
    });

    it('leaves no partial state when it runs at the same time as changes', async () => {
      for (let round = 0; round < 4; round++) {
        const domain = await makeDomain(api, { enabled: false });
        const path = `/v3/domains/${domain.id}`;
        const answers = await Promise.all([
          patch(api, domain.id, { tags: ['a'] }),
          patch(api, domain.id, { description: 'x' }),
          api.delete(path),
          patch(api, domain.id, { description: 'y' }),
          api.delete(path),
          patch(api, domain.id, { tags: ['b'] }),
        ]);
        assertEachStatus(answers, [200, 204, 404]);
        assert.equal((await api.get(path)).status, 404);
      }
    });

    it('refuses an immutable domain, one that holds an immutable project, and the default one', async () => {
      const domain = await makeDomain(api, { enabled: false, options: { immutable: true } });
      assertRefused(await api.delete(`/v3/domains/${domain.id}`), 403, /Cannot delete immutable domain/);

      const holder = await makeDomain(api);
      const values = { name: uniqueName('kept'), domain_id: holder.id, options: { immutable: true } };
      const project = await api.make('project', values);
      assertOk(await patch(api, holder.id, { enabled: false }));
      assertRefused(await api.delete(`/v3/domains/${holder.id}`), 403, new RegExp(`immutable project: ${project.id}`));
      assertOk(await api.get(`/v3/projects/${project.id}`));

      assertRefused(await api.delete('/v3/domains/default'), 403, /default domain/);
    });

    it('is for administrators', async () => {
      const domain = await makeDomain(api, { enabled: false });
      await assertNeedsToken(api, 'DELETE', `/v3/domains/${domain.id}`);
      await assertForbidden(api, nobodies, 'DELETE', `/v3/domains/${domain.id}`);
      await assertForbidden(api, nobodies, 'DELETE', `/v3/domains/${MISSING}`);
      assertOk(await api.get(`/v3/domains/${domain.id}`));
    });
  });
});
