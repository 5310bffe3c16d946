import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, type TestApi, uniqueName } from '../../../../test/support/api.ts';

const MISSING = '0'.repeat(32);
const makeProject = (api: TestApi, values: Record<string, unknown> = {}) =>
  api.make('project', { name: uniqueName('project'), ...values });

onBothDatabases('Tags of projects', (api) => {
  const tagsOf = async (id: string): Promise<string[]> => assertOk(await api.get(`/v3/projects/${id}/tags`)).tags;

  it('are listed, in order', async () => {
    const { id } = await makeProject(api, { tags: ['red', 'Blue', 'green'] });
    assert.deepEqual(assertOk(await api.get(`/v3/projects/${id}/tags`)), {
      tags: ['Blue', 'green', 'red'],
      links: { self: `${api.url}/v3/projects/${id}/tags` },
    });
    assert.deepEqual(await tagsOf((await makeProject(api)).id), []);
  });

  it('are replaced by PUT and removed by DELETE', async () => {
    const { id } = await makeProject(api, { tags: ['old'] });
    const path = `/v3/projects/${id}/tags`;
    const replaced = assertOk(await api.put(path, { tags: ['a', 'b'] }));
    assert.deepEqual(replaced, { tags: ['a', 'b'], links: { self: `${api.url}${path}` } });
    assert.deepEqual(await tagsOf(id), ['a', 'b']);
    assert.deepEqual(assertOk(await api.get(`/v3/projects/${id}`)).project.tags, ['a', 'b']);
    assertOk(await api.put(path, { tags: [] }));
    assert.deepEqual(await tagsOf(id), []);
    assertOk(await api.put(path, { tags: ['c'] }));
    assertOk(await api.delete(path), 204);
    assert.deepEqual(await tagsOf(id), []);
    assertOk(await api.delete(path), 204);
  });

  it('are added, checked and removed one by one', async () => {
    const { id } = await makeProject(api);
    const path = `/v3/projects/${id}/tags/blue`;
    assertRefused(await api.get(path), 404, /Could not find project tag: blue/);
    const added = await api.put(path);
    assert.equal(added.status, 201);
    assert.equal(added.text, '');
    assert.equal(added.headers.get('location'), `${api.url}${path}`);
    assertOk(await api.get(path), 204);
    assert.equal((await api.head(path)).status, 204);
    assertRefused(await api.put(path), 400, /the project has this tag/);
    assert.deepEqual(await tagsOf(id), ['blue']);
    assertOk(await api.delete(path), 204);
    assertRefused(await api.delete(path), 404, /Could not find project tag/);
    assert.equal((await api.head(path)).status, 404);
  });

  it('may hold spaces and any letters, and tell capitals apart', async () => {
    const { id } = await makeProject(api);
    for (const tag of ['two words', 'größe', '日本', 'A', 'a', '100%']) {
      const path = `/v3/projects/${id}/tags/${encodeURIComponent(tag)}`;
      assert.equal((await api.put(path)).status, 201);
      assertOk(await api.get(path), 204);
    }
    assert.equal((await tagsOf(id)).length, 6);
  });

  it('have no spaces around them', async () => {
    const { id } = await makeProject(api);
    const path = `/v3/projects/${id}/tags`;
    assert.deepEqual(assertOk(await api.put(path, { tags: [' a', 'b c '] })).tags, ['a', 'b c']);
    const added = await api.put(`${path}/%20d%20`);
    assert.equal(added.status, 201);
    assert.equal(added.headers.get('location'), `${api.url}${path}/d`);
    assert.deepEqual(await tagsOf(id), ['a', 'b c', 'd']);
    assertRefused(await api.put(`${path}/%20a`), 400, /'tag'/);
    for (const tags of [[' '], ['e', ' e'], ['\t']]) assertRefused(await api.put(path, { tags }), 400, /'tags'/);
    assertRefused(await api.put(`${path}/%20`), 400, /'tag'/);
    assert.deepEqual(await tagsOf(id), ['a', 'b c', 'd']);
  });

  it('are refused when they are empty, too long, repeated, or hold a comma or a slash', async () => {
    const { id } = await makeProject(api, { tags: ['kept'] });
    const path = `/v3/projects/${id}/tags`;
    const bad: [body: unknown, field: RegExp][] = [
      [{}, /'tags'/],
      [{ tags: 'a' }, /'tags'/],
      [{ tags: [1] }, /'tags\.0'/],
      [{ tags: [''] }, /'tags\.0'/],
      [{ tags: ['a', 'b,c'] }, /'tags\.1'/],
      [{ tags: ['a/b'] }, /'tags\.0'/],
      [{ tags: ['t'.repeat(256)] }, /'tags\.0'/],
      [{ tags: ['a', 'a'] }, /'tags'/],
      [{ tags: Array.from({ length: 81 }, (_, index) => `t${index}`) }, /'tags'/],
    ];
    for (const [body, field] of bad) assertRefused(await api.put(path, body), 400, field);
    for (const tag of ['a%2Fb', 'a,b', 't'.repeat(256)]) assertRefused(await api.put(`${path}/${tag}`), 400, /'tag'/);
    assert.deepEqual(await tagsOf(id), ['kept']);
  });

  it('are at most eighty', async () => {
    const tags = Array.from({ length: 80 }, (_, index) => `tag-${index}`);
    const { id } = await makeProject(api, { tags });
    assertRefused(await api.put(`/v3/projects/${id}/tags/one-more`), 400, /at most 80/);
    assert.equal((await tagsOf(id)).length, 80);
  });

  it('survive many changes at once', async () => {
    const { id } = await makeProject(api);
    const path = `/v3/projects/${id}/tags`;
    const replace = () => api.put(path, { tags: ['a', 'b'] });
    const add = () => api.put(`${path}/a`);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 ? replace() : add())));
    for (const [index, { status, text }] of answers.entries())
      assert.ok(index % 2 ? status === 200 : status === 201 || status === 400, text);
    assert.deepEqual(await tagsOf(id), ['a', 'b']);
    const added = await Promise.all(Array.from({ length: 4 }, () => api.put(`${path}/c`)));
    assert.deepEqual(added.map(({ status }) => status).sort(), [201, 400, 400, 400]);
  });

  describe('access', () => {
    let domain: { id: string };
    let project: { id: string };
    let nobodies: string[];
    let manager: string;
    let readers: string[];

    before(async () => {
      domain = await api.make('domain', { name: uniqueName('domain') });
      project = await makeProject(api, { domain_id: domain.id, tags: ['a'] });
      const elsewhere = await makeProject(api);
      manager = (await api.persona(['manager'], { domain: domain.id })).token;
      readers = [
        (await api.persona(['reader'], 'system')).token,
        (await api.persona(['reader'], { domain: domain.id })).token,
        (await api.persona(['owner'], { project: project.id })).token,
      ];
      nobodies = [
        (await api.persona(['member'], { project: elsewhere.id })).token,
        (await api.persona(['manager'], { domain: 'default' })).token,
        (await api.persona(['reader'], { domain: 'default' })).token,
      ];
    });

    it('to read them is for those who may see the project', async () => {
      for (const path of [`/v3/projects/${project.id}/tags`, `/v3/projects/${project.id}/tags/a`]) {
        for (const token of readers) assert.ok((await api.get(path, { token })).status < 300);
        await assertForbidden(api, nobodies, 'GET', path);
        await assertNeedsToken(api, 'GET', path);
      }
    });

    it('to write them is for administrators and managers of the domain', async () => {
      const all = `/v3/projects/${project.id}/tags`;
      const writes: [method: string, path: string, body?: unknown][] = [
        ['PUT', all, { tags: ['a', 'b'] }],
        ['PUT', `${all}/c`],
        ['DELETE', `${all}/c`],
        ['DELETE', all],
      ];
      for (const [method, path, body] of writes) {
        await assertNeedsToken(api, method, path, body);
        await assertForbidden(api, [...readers, ...nobodies], method, path, { body });
        assert.ok((await api.request(method, path, { body, token: manager })).status < 300);
      }
    });

    it('tells only those who may see every project that one is missing', async () => {
      const requests: [method: string, path: string, body?: unknown][] = [
        ['GET', ''],
        ['PUT', '', { tags: [] }],
        ['DELETE', ''],
        ['GET', '/a'],
        ['PUT', '/a'],
        ['DELETE', '/a'],
      ];
      for (const [method, tail, body] of requests) {
        const path = `/v3/projects/${MISSING}/tags${tail}`;
        assertRefused(await api.request(method, path, { body }), 404, /Could not find project:/);
        await assertForbidden(api, [manager, ...nobodies], method, path, { body });
      }
    });
  });

  describe('filters', () => {
    let domain: { id: string };
    before(async () => {
      domain = await api.make('domain', { name: uniqueName('domain') });
      const projects: [name: string, tags: string[]][] = [
        ['both', ['red', 'blue']],
        ['blue', ['blue']],
        ['red', ['red', 'round']],
        ['plain', []],
      ];
      for (const [name, tags] of projects) await makeProject(api, { name, tags, domain_id: domain.id });
    });
    const found = async (query: string): Promise<string[]> => {
      const { projects } = assertOk(await api.get(`/v3/projects?domain_id=${domain.id}&${query}`));
      return projects.map(({ name }: { name: string }) => name);
    };

    const cases: [what: string, query: string, names: string[]][] = [
      ['tags: all of them', 'tags=red', ['both', 'red']],
      ['tags: all of several', 'tags=red,blue', ['both']],
      ['tags: a repeated one counts once', 'tags=red,red', ['both', 'red']],
      ['tags: one that nobody has', 'tags=red,green', []],
      ['tags: capitals matter', 'tags=Red', []],
      ['tags-any: any of them', 'tags-any=blue,round', ['blue', 'both', 'red']],
      ['not-tags: not all of them', 'not-tags=red,blue', ['blue', 'plain', 'red']],
      ['not-tags: a repeated one counts once', 'not-tags=red,red', ['blue', 'plain']],
      ['not-tags-any: none of them', 'not-tags-any=round,blue', ['plain']],
      ['together with each other', 'tags=red&not-tags-any=round', ['both']],
      ['together with each other again', 'tags-any=red,blue&not-tags=red,blue', ['blue', 'red']],
      ['together with other filters', 'tags=red&name__startswith=b', ['both']],
    ];
    for (const [what, query, names] of cases) {
      it(what, async () => assert.deepEqual(await found(query), names));
    }

    it('are refused when they are given twice', async () => {
      for (const name of ['tags', 'tags-any', 'not-tags', 'not-tags-any'])
        assertRefused(await api.get(`/v3/projects?${name}=a&${name}=b`), 400, new RegExp(`'${name}'`));
    });

    it('go through pages', async () => {
      const first = assertOk(await api.get(`/v3/projects?domain_id=${domain.id}&tags-any=red,blue&limit=2`));
      const second = assertOk(await api.get(first.links.next.slice(api.url.length)));
      assert.deepEqual(
        [...first.projects, ...second.projects].map(({ name }) => name),
        ['blue', 'both', 'red'],
      );
    });
  });
});
