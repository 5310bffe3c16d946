// Every way in which somebody can lose a role: the change that takes it also revokes what says that they have it.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { createMembershipEnds } from '../src/identity/directory/groups/membership-ends.rules.ts';
import { createUserClosing } from '../src/identity/directory/ldap/close-users.rules.ts';
import { serviceActor } from '../src/identity/ground/audit/index.ts';
import type { Database } from '../src/identity/ground/database/index.ts';
import { readIssuedCredentials } from '../src/identity/operations/personal-data/personal-data.store.ts';
import { credentialTypeTag } from '../src/identity/role-credentials/types/index.ts';
import { DELETION_ALLOWED, leave, passTime } from './support/account-deletion.ts';
import { type DatabaseKind, onEachDatabase, type TestApi, uniqueName } from './support/api.ts';
import { assign, assignmentPath, makeApplication, makeOrganization, makeRole } from './support/applications.ts';
import { aShareOf } from './support/extent.ts';
import { type IssuedOn, issuedCredentialsOn, makeHolder, makeType, recordFor, stateOf } from './support/issued-credentials.ts';
import { usesDatabaseOf } from './support/restartable-api.ts';
import { connect, patchOf } from './support/scim.ts';

type Holder = Awaited<ReturnType<typeof makeHolder>>;
type Answer = Promise<{ status: number; text: string }>;

interface World {
  readonly api: TestApi;
  readonly db: Database;
  readonly on: IssuedOn;
}

interface Way {
  /** Instead of the usual holder, or after they were made. */
  readonly prepare?: (world: World, holder: Holder) => Promise<unknown>;
  readonly type?: Record<string, unknown>;
  readonly lose: (world: World, holder: Holder, prepared: any) => Promise<unknown>;
  readonly reason: string;
  /** They have a role all the same. */
  readonly stillHasRole?: boolean;
}

const ok = async (answer: Answer): Promise<void> => {
  const { status, text } = await answer;
  assert.ok(status >= 200 && status < 300, `${status} ${text}`);
};
const memberPath = async (api: TestApi, { organization, user }: Holder) =>
  `/v3/projects/${organization.id}/users/${user.id}/roles/${await api.roleId('member')}`;

/** The holder is a member of the organization only through a group. */
async function throughGroup({ api }: World, holder: Holder) {
  const group = await api.make('group', { name: uniqueName('group'), domain_id: holder.user.domain_id });
  const member = await api.roleId('member');
  await ok(api.put(`/v3/projects/${holder.organization.id}/groups/${group.id}/roles/${member}`));
  await ok(api.put(`/v3/groups/${group.id}/users/${holder.user.id}`));
  await ok(api.delete(await memberPath(api, holder)));
  return group;
}

/** A holder in a domain of their own. */
async function inDomain({ api, db }: World): Promise<Holder & { domain: any; scim: any }> {
  const { domain, scim } = await connect(api);
  const organization = await api.make('project', { name: uniqueName('organization'), domain_id: domain.id });
  const user = await api.make('user', { name: uniqueName('person'), domain_id: domain.id, password: 'x' });
  await ok(api.put(`/v3/projects/${organization.id}/users/${user.id}/roles/${await api.roleId('member')}`));
  const application = await makeApplication(api);
  const role = await makeRole(api, application);
  await assign(api, { user, organization, application, role });
  const typeId = await makeType(db, application.id);
  return { person: undefined as never, user, organization, application, role, typeId, domain, scim };
}

/** As the API for types does it. */
const changeType = ({ on }: World, typeId: string, values: Record<string, unknown> | undefined) =>
  on.change(serviceActor, async ({ tx, audit, invalidate }) => {
    if (values) await tx.updateTable('credential_types').set(values).where('id', '=', typeId).execute();
    else await tx.deleteFrom('credential_types').where('id', '=', typeId).execute();
    invalidate(credentialTypeTag(typeId));
    audit('credential_type.updated', { kind: 'credential_type', id: typeId });
  });

const WAYS: Readonly<Record<string, Way>> = {
  'the assignment is removed': {
    lose: ({ api }, { user, organization, application, role }) =>
      ok(api.delete(assignmentPath({ user, organization, application, role }))),
    reason: 'role_removed',
  },
  'the organization loses the role': {
    prepare: ({ api }, { organization, application, role }) => ok(api.put(assignmentPath({ organization, application, role }))),
    lose: async ({ api }, { organization, application, role, user }) => {
      await ok(api.delete(assignmentPath({ organization, application, role })));
      // The assignment of the person is another one, which may stay.
      await api.delete(assignmentPath({ user, organization, application, role }));
    },
    reason: 'role_removed',
  },
  'they leave the organization': {
    lose: async ({ api }, holder) => ok(api.delete(await memberPath(api, holder))),
    reason: 'role_removed',
  },
  'they leave the group that is in the organization': {
    prepare: throughGroup,
    lose: ({ api }, { user }, group) => ok(api.delete(`/v3/groups/${group.id}/users/${user.id}`)),
    reason: 'role_removed',
  },
  'the group is deleted': {
    prepare: throughGroup,
    lose: ({ api }, _, group) => ok(api.delete(`/v3/groups/${group.id}`)),
    reason: 'role_removed',
  },
  'the group leaves the organization': {
    prepare: throughGroup,
    lose: async ({ api }, { organization }, group) =>
      ok(api.delete(`/v3/projects/${organization.id}/groups/${group.id}/roles/${await api.roleId('member')}`)),
    reason: 'role_removed',
  },
  'a membership that was given for a time ends': {
    prepare: async (world, holder) => {
      const group = await throughGroup(world, holder);
      const expires_at = Math.floor(world.api.clock.now() / 1000) + 86_400;
      await world.on.change(serviceActor, async ({ tx, audit, invalidate }) => {
        await tx.updateTable('group_members').set({ expires_at, kept: 0 }).where('group_id', '=', group.id).execute();
        invalidate(`user:${holder.user.id}`);
        audit('group.members_added', { kind: 'group', id: group.id });
      });
    },
    lose: async ({ on, db, api }, { user }) => {
      const [row] = await db.read.selectFrom('issued_credentials').where('user_id', '=', user.id).selectAll().execute();
      assert.ok(row!.expires_at <= Math.floor(api.clock.now() / 1000) + 86_400, 'it is not valid for longer');
      const clock = { now: () => api.clock.now() + 2 * 86_400_000 };
      // The clock of the change is late, so that the credential has not expired.
      await createMembershipEnds({ db, clock, change: on.change })();
    },
    reason: 'role_removed',
  },
  'a role that the organization inherited is removed': {
    prepare: async ({ api }, holder) => {
      const path = `/v3/OS-INHERIT/domains/default/users/${holder.user.id}/roles/${await api.roleId('reader')}/inherited_to_projects`;
      await ok(api.put(path));
      await ok(api.delete(await memberPath(api, holder)));
      return path;
    },
    lose: ({ api }, _, path) => ok(api.delete(path)),
    reason: 'role_removed',
  },
  'the base role of the membership is deleted': {
    prepare: async ({ api }, holder) => {
      const role = await api.make('role', { name: uniqueName('guest') });
      await ok(api.put(`/v3/projects/${holder.organization.id}/users/${holder.user.id}/roles/${role.id}`));
      await ok(api.delete(await memberPath(api, holder)));
      return role;
    },
    lose: ({ api }, _, role) => ok(api.delete(`/v3/roles/${role.id}`)),
    reason: 'role_removed',
  },
  'the organization is disabled': {
    lose: ({ api }, { organization }) => ok(api.patch(`/v3/projects/${organization.id}`, { project: { enabled: false } })),
    reason: 'role_removed',
  },
  'the organization is deleted': {
    lose: ({ api }, { organization }) => ok(api.delete(`/v3/projects/${organization.id}`)),
    reason: 'role_removed',
  },
  'another organization becomes their default one': {
    prepare: async ({ api }, holder) => {
      await ok(api.patch(`/v3/users/${holder.user.id}`, { user: { default_project_id: holder.organization.id } }));
      await ok(api.delete(await memberPath(api, holder)));
    },
    lose: ({ api }, { user, person }) =>
      ok(api.patch(`/v3/users/${user.id}`, { user: { default_project_id: person.organization.id } })),
    reason: 'role_removed',
  },
  'they are disabled': {
    lose: ({ api }, { user }) => ok(api.patch(`/v3/users/${user.id}`, { user: { enabled: false } })),
    reason: 'user_unavailable',
  },
  'they are deleted': {
    lose: ({ api }, { user }) => ok(api.delete(`/v3/users/${user.id}`)),
    reason: 'user_unavailable',
  },
  'they delete their account': {
    lose: async ({ api }, { user, person }) => void (await leave(api, { ...user, password: person.password })),
    reason: 'user_unavailable',
  },
  'their directory does not have them any more': {
    lose: async ({ api, db, on }, { user }) => {
      const entry = { user_id: user.id, domain_id: 'default', local_id: user.name, dn: user.name, gone_at: null };
      await db.write((tx) =>
        tx
          .insertInto('directory_users')
          .values({ ...entry, password_changed: null, seen_at: 0, unique_id: null })
          .execute(),
      );
      const nothing = async () => {};
      const listeners = { revokeAccess: nothing, onEmailChanged: nothing, onDisabled: nothing };
      const deps = { db, clock: api.clock, change: on.change, ...listeners };
      const closing = createUserClosing({ ...deps, log: { error: assert.fail } } as never);
      assert.equal(await closing.closeUsers('default', [user.id], api.clock.now()), 1);
    },
    reason: 'user_unavailable',
  },
  'the application is deleted': {
    lose: ({ api }, { application }) => ok(api.delete(`/v3/OS-OAUTH2/consumers/${application.id}`)),
    reason: 'type_ended',
  },
  'the role is deleted': {
    lose: ({ api }, { role }) => ok(api.delete(`/v3/OS-ROLES/roles/${role.id}`)),
    reason: 'role_removed',
  },
  'the role gets another name': {
    lose: ({ api }, { role }) => ok(api.patch(`/v3/OS-ROLES/roles/${role.id}`, { role: { name: uniqueName('other') } })),
    reason: 'role_removed',
    stillHasRole: true,
  },
  'the type is disabled': {
    lose: (world, { typeId }) => changeType(world, typeId, { enabled: 0 }),
    reason: 'type_ended',
  },
  'the type is deleted': { lose: (world, { typeId }) => changeType(world, typeId, undefined), reason: 'type_ended' },
  'the type is narrowed to other roles': {
    lose: (world, { typeId }) => changeType(world, typeId, { roles: '["another"]' }),
    reason: 'role_removed',
  },
  'the type does not have its format any more': {
    type: { formats: '["dc+sd-jwt","jwt_vc_json"]' },
    lose: (world, { typeId }) => changeType(world, typeId, { formats: '["jwt_vc_json"]' }),
    reason: 'type_changed',
    stillHasRole: true,
  },
  'the role is lost in one of two organizations that it names': {
    type: { claims: '["organization"]' },
    prepare: async ({ api }, { person, user, application, role }) => {
      const second = await makeOrganization(api, person);
      await assign(api, { user, organization: second, application, role });
      return second;
    },
    lose: ({ api }, { user, application, role }, second) =>
      ok(api.delete(assignmentPath({ user, organization: second, application, role }))),
    reason: 'role_removed',
    stillHasRole: true,
  },
  'the type is narrowed to the default organization': {
    lose: (world, { typeId }) => changeType(world, typeId, { organizations: '"default"' }),
    reason: 'role_removed',
  },
};

type DomainWay = Pick<Way, 'reason' | 'prepare'> & { lose(world: World, holder: any, prepared: any): Promise<unknown> };

const DOMAIN_WAYS: Readonly<Record<string, DomainWay>> = {
  'their domain is disabled': {
    lose: ({ api }, { domain }) => ok(api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } })),
    reason: 'user_unavailable',
  },
  'SCIM disables them': {
    lose: (_, { scim, user }) => ok(scim.patch(`/Users/${user.id}`, patchOf({ op: 'replace', path: 'active', value: false }))),
    reason: 'user_unavailable',
  },
  'SCIM deletes them': { lose: (_, { scim, user }) => ok(scim.delete(`/Users/${user.id}`)), reason: 'user_unavailable' },
  'SCIM takes them out of the group that is in the organization': {
    prepare: throughGroup,
    lose: (_, { scim, user }, group) =>
      ok(scim.patch(`/Groups/${group.id}`, patchOf({ op: 'remove', path: `members[value eq "${user.id}"]` }))),
    reason: 'role_removed',
  },
  'SCIM deletes the organization': {
    lose: (_, { scim, organization }) => ok(scim.delete(`/Organizations/${organization.id}`)),
    reason: 'role_removed',
  },
};

/** All on SQLite. In `npm test` every third on PostgreSQL: they take the same way to the same statement. */
const shareOn = <T>(kind: DatabaseKind, ways: Readonly<Record<string, T>>): readonly [string, T][] =>
  kind === 'SQLite' ? Object.entries(ways) : aShareOf(Object.entries(ways), 3);

onEachDatabase(
  'A credential is revoked by the change',
  (api) => {
    const db = usesDatabaseOf(api);
    let world: World;
    before(() => {
      world = { api, db: db(), on: issuedCredentialsOn(db(), api.clock) };
    });

    /** A credential that nothing happens to, of the same kind. */
    async function bystander(): Promise<string> {
      const { user, typeId } = await makeHolder(api, db());
      return (await recordFor(world.on, user.id, typeId)).ids[0]!;
    }
    async function check(holder: Holder, lose: () => Promise<unknown>, reason: string, stillHasRole = false): Promise<void> {
      const other = await bystander();
      const { ids } = await recordFor(world.on, holder.user.id, holder.typeId, 2);
      for (const id of ids) assert.equal(await stateOf(db(), id), 'valid');
      await lose();
      for (const id of ids) {
        const row = await db().read.selectFrom('issued_credentials').where('id', '=', id).selectAll().executeTakeFirst();
        assert.deepEqual([row?.state, row?.list_state, row?.reason], ['revoked', 1, reason]);
        const events = await db().read.selectFrom('audit_events').where('target_id', '=', id).selectAll().execute();
        assert.deepEqual(events.map(({ action }) => action).sort(), ['issued_credential.created', 'issued_credential.revoked']);
      }
      assert.equal(await stateOf(db(), other), 'valid', 'nobody else is concerned');
      const again = recordFor(world.on, holder.user.id, holder.typeId);
      if (stillHasRole) await again;
      else await assert.rejects(again, /no role|Could not find credential type/);
    }

    for (const [what, { prepare, lose, reason, type, stillHasRole }] of shareOn(api.kind, WAYS))
      it(`when ${what}`, async () => {
        const holder = await makeHolder(api, db(), type);
        const prepared = await prepare?.(world, holder);
        await check(holder, () => lose(world, holder, prepared), reason, stillHasRole);
      });

    for (const [what, { prepare, lose, reason }] of shareOn(api.kind, DOMAIN_WAYS))
      it(`when ${what}`, async () => {
        const holder = await inDomain(world);
        const prepared = await prepare?.(world, holder);
        await check(holder, () => lose(world, holder, prepared), reason);
      });

    it('when an application is deleted that is a target of its type, and its role was in it', async () => {
      const holder = await makeHolder(api, db());
      const target = await makeApplication(api);
      const role = await makeRole(api, target);
      await assign(api, { user: holder.user, organization: holder.organization, application: target, role });
      await db().write((tx) =>
        tx.insertInto('credential_type_targets').values({ type_id: holder.typeId, application_id: target.id }).execute(),
      );
      const { ids, roles } = await recordFor(world.on, holder.user.id, holder.typeId);
      assert.deepEqual(roles, [
        { target: holder.application.id, application: holder.application.name, names: [holder.role.name] },
        { target: target.id, application: target.name, names: [role.name] },
      ]);
      await ok(api.delete(`/v3/OS-OAUTH2/consumers/${target.id}`));
      assert.equal(await stateOf(db(), ids[0]!), 'revoked');
      const again = await recordFor(world.on, holder.user.id, holder.typeId);
      assert.deepEqual(again.roles, [
        { target: holder.application.id, application: holder.application.name, names: [holder.role.name] },
      ]);
    });

    it('not as long as the role is there by another organization, and then, too', async () => {
      const holder = await makeHolder(api, db());
      const { ids } = await recordFor(world.on, holder.user.id, holder.typeId);
      const second = await makeOrganization(api, holder.person);
      await assign(api, { user: holder.user, organization: second, application: holder.application, role: holder.role });
      await ok(api.delete(`/v3/projects/${holder.organization.id}`));
      assert.equal(await stateOf(db(), ids[0]!), 'valid');
      // The credential did not know of this organization when it was issued.
      await ok(api.patch(`/v3/projects/${second.id}`, { project: { enabled: false } }));
      assert.equal(await stateOf(db(), ids[0]!), 'revoked');
    });

    it('not by what takes nothing away', async () => {
      const holder = await makeHolder(api, db());
      const { ids } = await recordFor(world.on, holder.user.id, holder.typeId);
      await ok(api.patch(`/v3/users/${holder.user.id}`, { user: { password: 'another', email: 'a@example.org' } }));
      await ok(api.patch(`/v3/projects/${holder.organization.id}`, { project: { description: 'x' } }));
      await ok(api.patch(`/v3/OS-OAUTH2/consumers/${holder.application.id}`, { consumer: { description: 'x' } }));
      await assign(api, { ...holder, role: await makeRole(api, holder.application) });
      await ok(api.post('/v3/roles', { role: { name: uniqueName('role') } }));
      const role = await api.make('role', { name: uniqueName('role') });
      await ok(api.delete(`/v3/roles/${role.id}`));
      assert.equal(await stateOf(db(), ids[0]!), 'valid');
    });

    it('is not even looked at when a base role is deleted that nobody has', async () => {
      const { user, typeId, organization } = await makeHolder(api, db());
      const { ids } = await recordFor(world.on, user.id, typeId);
      const [unused, used] = [
        await api.make('role', { name: uniqueName('base') }),
        await api.make('role', { name: uniqueName('base') }),
      ];
      await ok(api.put(`/v3/projects/${organization.id}/users/${user.id}/roles/${used.id}`));
      // Behind the back of those who would revoke it.
      await db().write((tx) => tx.deleteFrom('app_user_roles').where('user_id', '=', user.id).execute());
      await ok(api.delete(`/v3/roles/${unused.id}`));
      assert.equal(await stateOf(db(), ids[0]!), 'valid');
      await ok(api.delete(`/v3/roles/${used.id}`));
      assert.equal(await stateOf(db(), ids[0]!), 'revoked');
    });

    it('stays revoked when the role is given again', async () => {
      const { user, organization, application, role, typeId } = await makeHolder(api, db());
      const { ids } = await recordFor(world.on, user.id, typeId);
      await ok(api.delete(assignmentPath({ user, organization, application, role })));
      await assign(api, { user, organization, application, role });
      assert.equal(await stateOf(db(), ids[0]!), 'revoked');
      assert.equal(await stateOf(db(), (await recordFor(world.on, user.id, typeId)).ids[0]!), 'valid');
    });

    it('when all of many holders lose it at once', async () => {
      const { user, typeId, application, role } = await makeHolder(api, db());
      const other = await makeHolder(api, db());
      await assign(api, { user: other.user, organization: other.organization, application, role });
      const ids: string[] = [];
      for (const { id } of [user, other.user]) ids.push(...(await recordFor(world.on, id, typeId, 600)).ids);
      await ok(api.delete(`/v3/OS-ROLES/roles/${role.id}`));
      const left = await db()
        .read.selectFrom('issued_credentials')
        .where('type_id', '=', typeId)
        .where('state', '<>', 'revoked')
        .select('id')
        .execute();
      assert.deepEqual(left, []);
      const events = await db()
        .read.selectFrom('audit_events')
        .where('action', '=', 'issued_credential.revoked')
        .where('target_id', '=', typeId)
        .selectAll()
        .execute();
      assert.equal(JSON.parse(events[0]!.detail).count, ids.length - 1000, 'the rest is counted');
    });

    it('and is in the file with the data of its holder', async () => {
      const { user, typeId, role } = await makeHolder(api, db());
      await recordFor(world.on, user.id, typeId);
      const [row] = await readIssuedCredentials(db().read, user.id);
      assert.deepEqual([row!.type_id, row!.state, row!.roles.map(({ name }) => name)], [typeId, 'valid', [role.name]]);
    });

    it('when their account is deleted at the end, nothing is left to revoke, and the entry stays', async () => {
      const holder = await makeHolder(api, db());
      const { ids } = await recordFor(world.on, holder.user.id, holder.typeId);
      await leave(api, { ...holder.user, password: holder.person.password });
      await passTime(api, 15 * 86_400);
      assert.ok((await api.service.accountDeletion.deleteDue()) > 0);
      assert.equal(await stateOf(db(), ids[0]!), 'revoked');
    });
  },
  { settings: DELETION_ALLOWED },
);
