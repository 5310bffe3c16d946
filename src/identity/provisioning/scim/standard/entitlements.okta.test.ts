// Memberships of organizations as entitlements, as Okta's governance lists and assigns them.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../../test/support/applications.ts';
import { assertScimRefused, connect, patchOf, ScimClient, USER } from '../../../../../test/support/scim.ts';

const ENTITLEMENT = 'urn:okta:scim:schemas:core:1.0:Entitlement';

onEachDatabase('SCIM entitlements', (api) => {
  let scim: ScimClient;
  let other: ScimClient;
  let domain: { id: string };
  let elsewhere: { id: string };
  before(async () => {
    ({ scim, domain } = await connect(api));
    ({ scim: other, domain: elsewhere } = await connect(api));
  });

  const found = (values: object = {}) =>
    api.make('project', { name: uniqueName('organization'), domain_id: domain.id, ...values });
  const entryOf = ({ id }: { id: string }) => `organization:${id}`;
  const entitlementsOf = (...organizations: { id: string }[]) => organizations.map((one) => ({ value: entryOf(one) }));
  const values = ({ entitlements = [] }: any): string[] => entitlements.map(({ value }: any) => value).sort();
  const pathOf = (organization: { id: string }, user: { id: string }) => `/v3/projects/${organization.id}/users/${user.id}/roles`;
  const rolesIn = async (organization: { id: string }, user: { id: string }): Promise<string[]> =>
    assertOk(await api.get(pathOf(organization, user)))
      .roles.map(({ name }: any) => name)
      .sort();
  const grant = async (organization: { id: string }, user: { id: string }, role: string) =>
    assertOk(await api.put(`${pathOf(organization, user)}/${await api.roleId(role)}`), 204);
  const put = (user: any, more: object) => scim.put(`/Users/${user.id}`, { schemas: [USER], userName: user.userName, ...more });
  /** A role that the organization may assign to its members. */
  async function offeredRole(organization: { id: string }) {
    const application = await makeApplication(api);
    const role = await makeRole(api, application);
    await assign(api, { organization, application, role: { id: 'purchaser' } });
    return { application, role, value: `${organization.id}:${application.id}:${role.id}` };
  }

  it('are found as Okta looks for them: resource type, schema, list, filter, pages, one', async () => {
    const [one, two] = [await found(), await found()];
    const hidden = [await found({ enabled: false }), await found({ is_default: true })];
    const type = (await scim.list('/ResourceTypes')).Resources.find(({ id }: any) => id === 'Entitlement');
    assert.deepEqual([type.name, type.endpoint, type.schema], ['Entitlement', '/Entitlements', ENTITLEMENT]);
    assert.equal(assertOk(await scim.get(`/Schemas/${ENTITLEMENT}`)).id, ENTITLEMENT);
    const { Resources: all, totalResults } = await scim.list('/Entitlements');
    assert.equal(all.length, totalResults);
    const shown = all.find(({ id }: any) => id === entryOf(one));
    assert.deepEqual(shown, {
      schemas: [ENTITLEMENT],
      id: entryOf(one),
      displayName: one.name,
      type: 'organization',
      description: `Member of the organization ${one.name}`,
      meta: {
        resourceType: 'Entitlement',
        location: `${api.url}/scim/v2/Entitlements/${encodeURIComponent(entryOf(one))}`,
      },
    });
    assert.deepEqual(assertOk(await scim.get(`/Entitlements/${encodeURIComponent(entryOf(one))}`)), shown);
    const named = await scim.list('/Entitlements', { filter: `displayName eq "${two.name}"` });
    assert.deepEqual(
      named.Resources.map(({ id }: any) => id),
      [entryOf(two)],
    );
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= totalResults; startIndex++)
      for (const { id } of (await scim.list('/Entitlements', { startIndex, count: 1 })).Resources) seen.push(id);
    assert.deepEqual(
      seen,
      all.map(({ id }: any) => id),
    );
    for (const organization of [...hidden, domain]) {
      assert.ok(!seen.includes(entryOf(organization)), 'disabled, somebody’s own, and the domain itself are not on the list');
      assertScimRefused(await scim.get(`/Entitlements/${encodeURIComponent(entryOf(organization))}`), 404);
    }
  });

  it('are given and taken with the user: by POST, PATCH and PUT, and count at once', async () => {
    const [one, two] = [await found(), await found()];
    const user = await scim.makeUser({ entitlements: [...entitlementsOf(one), { value: 'everything' }] });
    assert.deepEqual(values(user), ['everything', entryOf(one)].sort());
    assert.deepEqual(
      user.entitlements.find(({ value }: any) => value === entryOf(one)),
      { value: entryOf(one), display: one.name, type: 'organization' },
    );
    assert.deepEqual(await rolesIn(one, user), ['member']);
    const path = `/Users/${user.id}`;
    assertOk(await scim.patch(path, patchOf({ op: 'add', path: 'entitlements', value: entitlementsOf(two) })), 204);
    assert.deepEqual(await rolesIn(two, user), ['member']);
    assertOk(await scim.patch(path, patchOf({ op: 'remove', path: `entitlements[value eq "${entryOf(one)}"]` })), 204);
    assert.deepEqual([await rolesIn(one, user), await rolesIn(two, user)], [[], ['member']]);
    assert.deepEqual(values(await scim.show(path)), ['everything', entryOf(two)].sort());
    assert.deepEqual(
      values(assertOk(await put(user, { title: 'x' }))),
      [entryOf(two)],
      'a PUT that does not speak of them takes none',
    );
    assert.deepEqual(values(assertOk(await put(user, { entitlements: entitlementsOf(one) }))), [entryOf(one)]);
    assert.deepEqual([await rolesIn(one, user), await rolesIn(two, user)], [['member'], []]);
    const holders = await scim.list('/Users', { filter: `entitlements.value eq "${entryOf(one)}"` });
    assert.deepEqual(
      holders.Resources.map(({ id }: any) => id),
      [user.id],
    );
    const byName = await scim.list('/Users', { filter: `userName eq "${user.userName}"` });
    assert.deepEqual(values(byName.Resources[0]), [entryOf(one)]);
    const { meta } = assertOk(await put(user, { entitlements: entitlementsOf(one) }));
    assert.equal(
      assertOk(await put(user, { entitlements: entitlementsOf(one) })).meta.version,
      meta.version,
      'repeated, nothing changes',
    );
    assert.deepEqual(values(assertOk(await put(user, { entitlements: [] }))), []);
    assert.deepEqual(await rolesIn(one, user), []);
  });

  it('stay with those who keep a role inside the organization, and go with it', async () => {
    const organization = await found();
    const { application, role, value } = await offeredRole(organization);
    const user = await scim.makeUser({ roles: [{ value }] });
    assert.deepEqual(values(user), [entryOf(organization)]);
    const kept = assertOk(await put(user, { roles: [{ value }], entitlements: [] }));
    assert.deepEqual([values(kept), kept.roles.map((one: any) => one.value)], [[entryOf(organization)], [value]]);
    const { body } = await api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`);
    assert.deepEqual(
      body.organizations[0].roles.map(({ id }: any) => id),
      [role.id],
    );
    assert.equal(assertOk(await put(user, { roles: [{ value }], entitlements: [] })).meta.version, kept.meta.version);
    assert.deepEqual(values(assertOk(await put(user, { roles: [], entitlements: [] }))), []);
    assert.deepEqual(await rolesIn(organization, user), []);
  });

  describe('are not handed out', () => {
    it('for an organization of another domain, one that is hidden, the domain, or none: all the same to the client', async () => {
      const foreign = await api.make('project', { name: uniqueName('foreign'), domain_id: elsewhere.id });
      const refused = [
        foreign,
        await found({ enabled: false }),
        await found({ is_default: true }),
        domain,
        elsewhere,
        { id: 'default' },
        { id: 'nobody' },
      ];
      const user = await scim.makeUser();
      for (const organization of refused) {
        const why = new RegExp(`there is no entitlement ${entryOf(organization)} to give`);
        const entitlements = entitlementsOf(organization);
        const userName = uniqueName('refused');
        assertScimRefused(await scim.post('/Users', { schemas: [USER], userName, entitlements }), 400, 'invalidValue', why);
        assert.equal((await scim.list('/Users', { filter: `userName eq "${userName}"` })).totalResults, 0, 'nothing by half');
        assertScimRefused(await put(user, { entitlements }), 400, 'invalidValue', why);
        const adding = patchOf({ op: 'add', path: 'entitlements', value: entitlements });
        assertScimRefused(await scim.patch(`/Users/${user.id}`, adding), 400, 'invalidValue', why);
      }
      assert.deepEqual(await rolesIn(foreign, user), []);
      const known = (await other.list('/Entitlements', { count: 1000 })).Resources.map(({ id }: any) => id);
      assert.deepEqual(known, [entryOf(foreign)]);
    });

    it('by those who provision nobody, who do not learn of them either', async () => {
      const organization = await found();
      const member = new ScimClient(api, (await makePerson(api)).token);
      for (const path of ['/Entitlements', `/Entitlements/${encodeURIComponent(entryOf(organization))}`, '/Entitlements/nobody'])
        assertScimRefused(await member.get(path), 403);
    });

    it('with more than `member`: a manager who left an organization does not come back as one', async () => {
      const organization = await found();
      const { application, role } = await offeredRole(organization);
      const user = await scim.makeUser({ entitlements: entitlementsOf(organization) });
      const internal = { id: 'provider' };
      for (const held of [role, internal]) await assign(api, { user, organization, application, role: held });
      const heldNow = async () => {
        const { body } = await api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`);
        return body.organizations.flatMap(({ roles }: any) => roles.map(({ id }: any) => id)).sort();
      };
      assert.deepEqual(await heldNow(), [internal.id, role.id].sort());
      assertOk(await api.delete(`${pathOf(organization, user)}/${await api.roleId('member')}`), 204);
      assert.deepEqual(await heldNow(), []);
      assertOk(await put(user, { entitlements: entitlementsOf(organization) }));
      assert.deepEqual(await rolesIn(organization, user), ['member']);
      assert.deepEqual(await heldNow(), [role.id], 'what the connection could give itself, and not management');
    });
  });

  describe('are not more than they say', () => {
    it('so that taking one leaves every role that people gave by hand', async () => {
      const organization = await found();
      const user = await scim.makeUser({ entitlements: entitlementsOf(organization) });
      await grant(organization, user, 'owner');
      assertOk(await put(user, { entitlements: [] }));
      assert.deepEqual(await rolesIn(organization, user), ['owner']);
      assert.deepEqual(values(await scim.show(`/Users/${user.id}`)), [], 'an owner is not shown as what cannot be taken');
      assertOk(await scim.patch(`/Users/${user.id}`, patchOf({ op: 'remove', path: 'entitlements' })), 204);
      assert.deepEqual(await rolesIn(organization, user), ['owner']);
    });

    it('so that memberships in other domains, disabled and own organizations are neither shown nor taken', async () => {
      const foreign = await api.make('project', { name: uniqueName('foreign'), domain_id: elsewhere.id });
      const [closed, own] = [await found({ enabled: false }), await found({ is_default: true })];
      const user = await scim.makeUser();
      for (const organization of [foreign, closed, own]) await grant(organization, user, 'member');
      assert.deepEqual(values(await scim.show(`/Users/${user.id}`)), []);
      assertOk(await put(user, { entitlements: [] }));
      for (const organization of [foreign, closed, own]) assert.deepEqual(await rolesIn(organization, user), ['member']);
    });
  });
});
