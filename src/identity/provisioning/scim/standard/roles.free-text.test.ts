// Roles that are free text of the client, and entries that are no longer offered.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { assign, makeApplication, makeRole } from '../../../../../test/support/applications.ts';
import { databaseOf } from '../../../../../test/support/restartable-api.ts';
import { assertScimRefused, connect, patchOf, type ScimClient, USER } from '../../../../../test/support/scim.ts';
import { offeredRoles, offeredRolesOf } from '../../../applications/app-roles/index.ts';
import type { Reader } from '../../../ground/database/index.ts';

onEachDatabase('SCIM roles in words that look like entries', (api) => {
  let scim: ScimClient;
  let domain: { id: string };
  before(async () => {
    ({ scim, domain } = await connect(api));
  });

  const WORD = 'aws:prod:admin';
  const values = ({ roles = [] }: any): string[] => roles.map(({ value }: any) => value).sort();
  const active = (value: boolean) => patchOf({ op: 'replace', path: 'active', value });
  const put = (user: any, more: object) => scim.put(`/Users/${user.id}`, { schemas: [USER], userName: user.userName, ...more });
  /** An organization with an offered role, and functions to stop and resume the offer. */
  async function offered() {
    const organization = await api.make('project', { name: uniqueName('organization'), domain_id: domain.id });
    const application = await makeApplication(api);
    const role = await makeRole(api, application);
    await assign(api, { organization, application, role: { id: 'purchaser' } });
    const withdraw = async () =>
      assertOk(
        await api.delete(`/v3/OS-ROLES/organizations/${organization.id}/applications/${application.id}/roles/purchaser`),
        204,
      );
    return { organization, application, role, withdraw, value: `${organization.id}:${application.id}:${role.id}` };
  }

  it('are kept, changed and taken away beside entries, with two colons too', async () => {
    const { value } = await offered();
    const user = await scim.makeUser({ roles: [{ value: WORD }, { value }] });
    assert.deepEqual(values(user), [WORD, value].sort());
    const path = `/Users/${user.id}`;
    assertOk(await scim.patch(path, patchOf({ op: 'replace', path: 'title', value: 'x' })), 204);
    assert.deepEqual(values(await scim.show(path)), [WORD, value].sort());
    assertOk(await scim.patch(path, patchOf({ op: 'add', path: 'roles', value: [{ value: 'gcp:test:admin' }] })), 204);
    assertOk(await scim.patch(path, patchOf({ op: 'remove', path: `roles[value eq "${WORD}"]` })), 204);
    assert.deepEqual(values(await scim.show(path)), ['gcp:test:admin', value].sort());
    assert.deepEqual(values(assertOk(await put(user, { roles: [{ value: WORD }] }))), [WORD]);
  });

  it('that were stored before do not stop an account from being closed, by PATCH or PUT', async () => {
    const { value } = await offered();
    const stored = [WORD, `${value.split(':')[0]}:nothing:offered`];
    for (const word of stored) {
      const user = await scim.makeUser({ roles: [{ value: 'captain' }], entitlements: [{ value: 'everything' }] });
      const db = await databaseOf(api);
      await db.write(async (tx) => {
        const row = await tx.selectFrom('users').where('id', '=', user.id).select('profile').executeTakeFirstOrThrow();
        const profile = row.profile.replace('captain', word).replace('everything', 'organization:of-old');
        await tx.updateTable('users').set({ profile }).where('id', '=', user.id).execute();
      });
      await db.close();
      const path = `/Users/${user.id}`;
      assertOk(await scim.patch(path, active(false)), 204);
      const shown = await scim.show(path);
      assert.deepEqual([shown.active, values(shown), shown.entitlements], [false, [word], [{ value: 'organization:of-old' }]]);
      assertOk(await put(user, { active: true, roles: shown.roles, entitlements: shown.entitlements }));
      assert.deepEqual(values(await scim.show(path)), [word]);
    }
  });

  it('entries that are offered no more are refused when asked for anew, not when repeated or when the account is closed', async () => {
    const { organization, value, withdraw } = await offered();
    const [holder, other] = [await scim.makeUser({ roles: [{ value }] }), await scim.makeUser()];
    const roles = [{ value }];
    const entitlements = [{ value: `organization:${organization.id}` }];
    assertOk(await api.patch(`/v3/projects/${organization.id}`, { project: { enabled: false } }));
    assertOk(await put(holder, { title: 'x', roles, entitlements }));
    assertScimRefused(await put(other, { entitlements }), 400, 'invalidValue', /there is no entitlement/);
    await withdraw();
    assertScimRefused(await put(other, { roles }), 400, 'invalidValue', /there is no role/);
    assertScimRefused(await put(other, { active: true, roles }), 400, 'invalidValue', /there is no role/);
    for (const user of [holder, other]) {
      const closed = assertOk(await put(user, { active: false, roles, entitlements }));
      assert.deepEqual([closed.active, values(closed)], [false, []]);
    }
    const gone = `${'0'.repeat(32)}:${'1'.repeat(32)}:${'2'.repeat(32)}`;
    assert.equal(assertOk(await put(other, { active: false, roles: [{ value: gone }] })).active, false);
  });

  describe('entries of a person who stays, that were given before and are offered no more', () => {
    const held = async (user: { id: string }, application: { id: string }): Promise<string[]> => {
      const { body } = await api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`);
      return body.organizations.flatMap(({ roles }: any) => roles.map(({ id }: any) => id));
    };

    it('are repeated without harm by PUT and PATCH, give nothing, and count again when they are offered again', async () => {
      const { organization, application, role, value, withdraw } = await offered();
      const [other, holder] = [await offered(), await scim.makeUser({ roles: [{ value }] })];
      const both = [{ value }, { value: other.value }];
      await withdraw();
      for (const active of [undefined, true]) {
        const kept = assertOk(await put(holder, { title: `x ${active}`, roles: [{ value }], ...(active && { active }) }));
        assert.deepEqual([kept.active, kept.title, values(kept)], [true, `x ${active}`, []]);
      }
      const path = `/Users/${holder.id}`;
      assertOk(await scim.patch(path, patchOf({ op: 'add', path: 'roles', value: both })), 204);
      assert.deepEqual(values(await scim.show(path)), [other.value], 'what is offered beside it is given');
      assertOk(await put(holder, { roles: both }));
      assert.deepEqual(await held(holder, application), []);
      await assign(api, { organization, application, role: { id: 'purchaser' } });
      assert.deepEqual(values(assertOk(await put(holder, { roles: both }))), both.map((one) => one.value).sort());
      assert.deepEqual(await held(holder, application), [role.id]);
    });

    it('are those that people gave, too, and roles and organizations that were deleted', async () => {
      const { organization, application, role, value } = await offered();
      const entitlements = [{ value: `organization:${organization.id}` }];
      const [byHand, bySCIM] = [await scim.makeUser(), await scim.makeUser({ roles: [{ value }] })];
      await assign(api, { user: byHand, organization, application, role });
      assertOk(await api.delete(`/v3/OS-ROLES/roles/${role.id}`), 204);
      for (const user of [byHand, bySCIM]) assertOk(await put(user, { title: 'x', roles: [{ value }] }));
      assertOk(await api.delete(`/v3/projects/${organization.id}`), 204);
      assertOk(await put(bySCIM, { title: 'y', entitlements }));
    });

    it('are asked for anew by whoever stopped naming them, and by everybody else', async () => {
      const { value, withdraw } = await offered();
      const [holder, other] = [await scim.makeUser({ roles: [{ value }] }), await scim.makeUser()];
      const roles = [{ value }];
      await withdraw();
      assertScimRefused(await put(other, { roles }), 400, 'invalidValue', /there is no role/);
      assertOk(await put(holder, { title: 'does not speak of roles' }));
      assertOk(await put(holder, { roles }));
      assertOk(await put(holder, { roles: [] }));
      assertScimRefused(await put(holder, { roles }), 400, 'invalidValue', /there is no role/);
    });
  });

  it('take as many queries and rows in a domain of hundreds of organizations as in a small one', async () => {
    const { organization, value } = await offered();
    const user = await scim.makeUser({ roles: [{ value }] });
    const db = await databaseOf(api);
    let [queries, rows] = [0, 0];
    const counted: Reader = db.read.withPlugin({
      transformQuery: ({ node }) => {
        queries++;
        return node;
      },
      transformResult: async ({ result }) => {
        rows += result.rows.length;
        return result;
      },
    });
    const costOf = async (work: () => Promise<unknown>) => {
      [queries, rows] = [0, 0];
      await work();
      return { queries, rows };
    };
    const one = () => costOf(() => offeredRolesOf(counted, domain.id, [user.id]));
    const asked = () => costOf(() => offeredRoles(counted, domain.id, [value]));
    const all = () => costOf(() => offeredRoles(counted, domain.id));
    try {
      const small = [await one(), await asked(), (await all()).queries];
      await db.write(async (tx) => {
        const place = await tx.selectFrom('projects').where('id', '=', organization.id).selectAll().executeTakeFirstOrThrow();
        const held = await tx
          .selectFrom('app_organization_roles')
          .where('organization_id', '=', organization.id)
          .selectAll()
          .executeTakeFirstOrThrow();
        for (let i = 0; i < 300; i++) {
          const id = `many-${i}`;
          await tx
            .insertInto('projects')
            .values({ ...place, id, name: id })
            .execute();
          await tx
            .insertInto('app_organization_roles')
            .values({ ...held, id: `held-${i}`, organization_id: id })
            .execute();
        }
      });
      assert.deepEqual([await one(), await asked(), (await all()).queries], small);
      assert.ok((await offeredRoles(db.read, domain.id)).length > 300);
    } finally {
      await db.close();
    }
  });
});
