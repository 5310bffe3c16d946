import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../../test/support/api.ts';

const V2 = '/v3/OS-SCIM/v2';
const GROUPS = `${V2}/Groups`;
const CORE = 'urn:scim:schemas:core:2.0';
const EXTENSION = 'urn:scim:schemas:extension:idbackend:2.0';

const newUser = async (api: TestApi, values: Record<string, unknown> = {}): Promise<any> =>
  assertOk(await api.post(`${V2}/Users`, { userName: uniqueName('member'), ...values }));
const valuesOf = ({ members = [] }: any): string[] => members.map((one: any) => one.value).sort();

onEachDatabase('SCIM as Keyrock serves it: groups', (api) => {
  async function inBase(groupId: string): Promise<string[]> {
    return assertOk(await api.get(`/v3/groups/${groupId}/users`))
      .users.map((user: any) => user.id)
      .sort();
  }

  it('are made with members, beside the users, and answer 200 with the resource', async () => {
    const [one, two] = [await newUser(api), await newUser(api)];
    const displayName = uniqueName('crew');
    const group = assertOk(await api.post(`${GROUPS}/`, { displayName, members: [{ value: one.id }, { value: two.id }] }));
    assert.deepEqual(
      [group.schemas, group.displayName, group[EXTENSION]],
      [[CORE, EXTENSION], displayName, { domain_id: 'default' }],
    );
    assert.equal(group.meta.location, `${api.url}${GROUPS}/${group.id}`);
    assert.deepEqual(valuesOf(group), [one.id, two.id].sort());
    const member = group.members.find((each: any) => each.value === one.id);
    assert.deepEqual(member, { value: one.id, $ref: `${api.url}${V2}/Users/${one.id}`, type: 'User', display: one.userName });
    assert.deepEqual(assertOk(await api.get(`${GROUPS}/${group.id}`)), group);
    assert.equal(assertOk(await api.get(`/v3/groups/${group.id}`)).group.name, displayName);
    assert.deepEqual(await inBase(group.id), [one.id, two.id].sort());
  });

  it('leave out members that are not there, or of another domain', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const [own, other] = [await newUser(api), await newUser(api, { domain_id: domain.id })];
    const members = [{ value: own.id }, { value: other.id }, { value: 'missing' }];
    const group = assertOk(await api.post(GROUPS, { displayName: uniqueName('g'), members }));
    assert.deepEqual(valuesOf(group), [own.id]);
    assert.deepEqual(await inBase(group.id), [own.id]);
  });

  it('are listed in the envelope, by filter and by name, without members when those are not wanted', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const user = await newUser(api, { domain_id: domain.id });
    const made = [];
    for (const displayName of ['a', 'b']) {
      const members = displayName === 'b' ? [{ value: user.id }] : [];
      made.push(assertOk(await api.post(GROUPS, { displayName, members, domain_id: domain.id })));
    }
    const list = async (query: string) => assertOk(await api.get(`${GROUPS}?domain_id=${domain.id}&${query}`));
    assert.deepEqual(await list(''), {
      schemas: [CORE, EXTENSION],
      totalResults: 2,
      itemsPerPage: 2,
      startIndex: 1,
      Resources: made,
    });
    const found = async (query: string) => (await list(query)).Resources.map((group: any) => group.displayName);
    assert.deepEqual(await found('name=a'), ['a']);
    assert.deepEqual(await found(`filter=${encodeURIComponent('displayName eq "b"')}`), ['b']);
    assert.deepEqual(await found(`filter=${encodeURIComponent(`members.value eq "${user.id}"`)}`), ['b']);
    const [, bare] = (await list('excludedAttributes=members')).Resources;
    assert.deepEqual([bare.displayName, bare.members], ['b', undefined]);
    assertRefused(await api.get(`${GROUPS}?filter=broken`), 400, /filter/);
  });

  describe('PUT and PATCH', () => {
    it('keep the members that are not named, and replace those that are', async () => {
      const [one, two] = [await newUser(api), await newUser(api)];
      const { id } = assertOk(await api.post(GROUPS, { displayName: uniqueName('g'), members: [{ value: one.id }] }));
      const displayName = uniqueName('renamed');
      const renamed = assertOk(await api.put(`${GROUPS}/${id}`, { displayName }));
      assert.deepEqual([renamed.displayName, valuesOf(renamed)], [displayName, [one.id]]);
      const replaced = assertOk(await api.put(`${GROUPS}/${id}`, { members: [{ value: two.id }] }));
      assert.deepEqual([replaced.displayName, valuesOf(replaced)], [displayName, [two.id]]);
      assert.deepEqual(await inBase(id), [two.id]);
    });

    it('add and remove members by operations', async () => {
      const [one, two] = [await newUser(api), await newUser(api)];
      const { id } = assertOk(await api.post(GROUPS, { displayName: uniqueName('g'), members: [{ value: one.id }] }));
      const add = [{ op: 'add', path: 'members', value: [{ value: two.id }] }];
      assert.deepEqual(valuesOf(assertOk(await api.patch(`${GROUPS}/${id}`, { Operations: add }))), [one.id, two.id].sort());
      const remove = [{ op: 'remove', path: `members[value eq "${one.id}"]` }];
      assert.deepEqual(valuesOf(assertOk(await api.patch(`${GROUPS}/${id}`, { Operations: remove }))), [two.id]);
      assert.deepEqual(await inBase(id), [two.id]);
    });

    it('empty a group whose members are an empty list or null', async () => {
      const one = await newUser(api);
      for (const members of [[], null]) {
        const { id } = assertOk(await api.post(GROUPS, { displayName: uniqueName('g'), members: [{ value: one.id }] }));
        assert.deepEqual(valuesOf(assertOk(await api.put(`${GROUPS}/${id}`, { members }))), []);
        assert.deepEqual(await inBase(id), []);
      }
    });

    it('refuse another id or domain, an empty name, and one that is taken', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const other = assertOk(await api.post(GROUPS, { displayName: uniqueName('other') }));
      const group = assertOk(await api.post(GROUPS, { displayName: uniqueName('g') }));
      const path = `${GROUPS}/${group.id}`;
      assertRefused(await api.put(path, { id: other.id }), 400, /ID/);
      assertRefused(await api.put(path, { [EXTENSION]: { domain_id: domain.id } }), 400, /domain/);
      assertRefused(await api.put(path, { displayName: '' }), 400, /displayName/);
      assertRefused(await api.patch(path, { displayName: other.displayName }), 409, /Duplicate/);
      assert.deepEqual(assertOk(await api.get(path)), group);
    });
  });

  it('refuse a missing name with 400, a taken one with 409, an unknown domain with 404, and make an id of their own', async () => {
    const { displayName } = assertOk(await api.post(GROUPS, { displayName: uniqueName('g') }));
    assertRefused(await api.post(GROUPS, {}), 400, /displayName/);
    assertRefused(await api.post(GROUPS, { displayName: ' ' }), 400, /displayName/);
    assertRefused(await api.post(GROUPS, { displayName }), 409, /Duplicate/);
    assertRefused(await api.post(GROUPS, { displayName: uniqueName('g'), domain_id: 'missing' }), 404, /domain: missing/);
    assert.match(assertOk(await api.post(GROUPS, { displayName: uniqueName('g'), id: 'mine' })).id, /^[0-9a-f]{32}$/);
  });

  it('are deleted with 204, and the users stay', async () => {
    const user = await newUser(api);
    const { id } = assertOk(await api.post(GROUPS, { displayName: uniqueName('g'), members: [{ value: user.id }] }));
    assertOk(await api.delete(`${GROUPS}/${id}`), 204);
    assertRefused(await api.get(`${GROUPS}/${id}`), 404, /Could not find group/);
    assertRefused(await api.delete(`${GROUPS}/${id}`), 404, /Could not find group/);
    assertOk(await api.get(`${V2}/Users/${user.id}`));
  });

  it('are served under v1 and without a version too, by the URNs of 1.0', async () => {
    for (const prefix of ['/v3/OS-SCIM/v1', '/v3/OS-SCIM']) {
      const group = assertOk(await api.post(`${prefix}/Groups`, { displayName: uniqueName('old') }));
      assert.deepEqual(group.schemas, ['urn:scim:schemas:core:1.0', 'urn:scim:schemas:extension:idbackend:1.0']);
      assert.deepEqual(assertOk(await api.get(`${prefix}/Groups/${group.id}`)), group);
    }
  });
});
