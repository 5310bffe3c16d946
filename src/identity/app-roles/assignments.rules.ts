// Giving roles of applications to users and organizations.
import { isForeignKeyViolation } from '../../platform/database/index.ts';
import type { Query } from '../../platform/http/index.ts';
import { andThen, type Soon } from '../../platform/soon.ts';
import { findProject } from '../access/index.ts';
import type { Caller } from '../caller.ts';
import { findConsumer } from '../consumers/index.ts';
import type { Reader, Tx } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { type Criterion, criteriaOf, type Filters, only, pageOf, single } from '../lists.ts';
import { has, isAdministrator, isInPerson, knowsOf } from '../policy.ts';
import { findUser } from '../users/index.ts';
import { applicationsWith, assignableByApplication, assignableRoles, authorityOf, mayAssign } from './allowed.ts';
import {
  deleteInside,
  deleteOrganizationAssignment,
  deleteUserAssignment,
  insertOrganizationAssignment,
  insertUserAssignment,
  listOrganizationAssignments,
  listUserAssignments,
  type OrganizationAssignment,
  type UserAssignment,
} from './assignments.store.ts';
import type { InternalPermission } from './built-in.ts';
import { rolesByApplication } from './holdings.store.ts';
import { appTagOf, type Holdings, readHoldings, type UserHoldings } from './holdings.ts';
import { findAppRole } from './roles.store.ts';

const filtersOf = (table: string, names: readonly string[]): Filters =>
  Object.fromEntries(names.map((name) => [name, { column: `${table}.${name}`, kind: 'text' as const }]));
const userFilters = filtersOf('app_user_roles', ['user_id', 'organization_id', 'application_id', 'role_id']);
const organizationFilters = filtersOf('app_organization_roles', ['organization_id', 'application_id', 'role_id']);

/** Any of these makes its holder one who may see who holds what in the application. */
const SEES_ASSIGNMENTS: readonly InternalPermission[] = [
  'manage-application',
  'manage-roles',
  'get-assign-public-roles',
  'get-assign-public-owned-roles',
  'get-assign-internal-roles',
];

export function createAppAssignments({ db, change, holdings }: Pick<Deps, 'db' | 'change'> & { holdings: Holdings }) {
  /** An owner whose token is scoped to an organization acts for it, with the roles the organization holds. */
  async function heldByOrganization(reader: Reader, caller: Caller, applicationId: string): Promise<readonly string[]> {
    const { project } = caller.view;
    if (!project || !has(caller, 'owner')) return [];
    return (await rolesByApplication(reader, { organizationId: project.id })).get(applicationId) ?? [];
  }

  /** Goes on, or 403: before anyone learns what exists, and again inside the change, with what is there then. */
  async function permit(
    caller: Caller,
    action: string,
    { applicationId, roleId }: Pick<OrganizationAssignment, 'applicationId' | 'roleId'>,
    tx?: Tx,
  ): Promise<void> {
    if (isAdministrator(caller)) return;
    const reader = tx ?? db.read;
    const role = (await findAppRole(reader, roleId)) ?? fail('auth.forbidden', { action });
    const own = await (tx ? readHoldings(tx, caller.userId, applicationId) : holdings.of(caller.userId, applicationId));
    if (own && (await mayAssign(reader, own, applicationId, role))) return;
    const ofOrganization = await authorityOf(reader, await heldByOrganization(reader, caller, applicationId));
    if (!(await mayAssign(reader, ofOrganization, applicationId, role))) fail('auth.forbidden', { action });
  }

  /** All parts are there, and the role can be held in that application. */
  async function checkParts({
    userId,
    organizationId,
    applicationId,
    roleId,
  }: OrganizationAssignment & { userId?: string }): Promise<void> {
    const [user, organization, application, role] = await Promise.all([
      userId === undefined ? true : findUser(db.read, userId),
      findProject(db.read, organizationId),
      findConsumer(db.read, applicationId),
      findAppRole(db.read, roleId),
    ]);
    if (!user) fail('user.not_found', { id: userId! });
    if (!organization || organization.is_domain) fail('organization.not_found', { id: organizationId });
    if (!application) fail('application.not_found', { id: applicationId });
    if (!role) fail('role.not_found', { id: roleId });
    if (role.application_id !== applicationId && !role.is_internal)
      fail('role.other_application', { role: roleId, application: applicationId });
  }

  async function defaultOrganization(userId: string): Promise<string> {
    const user = (await findUser(db.read, userId)) ?? fail('user.not_found', { id: userId });
    return user.default_project_id ?? fail('organization.no_default');
  }

  async function changeUser(
    caller: Caller,
    asked: Omit<UserAssignment, 'organizationId'> & { organizationId?: string },
    { action, verb }: { action: string; verb: 'assigned' | 'unassigned' },
    write: (tx: Tx, assignment: UserAssignment) => Promise<void>,
  ): Promise<void> {
    await permit(caller, action, asked);
    const assignment = { ...asked, organizationId: asked.organizationId ?? (await defaultOrganization(asked.userId)) };
    await checkParts(assignment);
    await change(caller, async (inside) => {
      await permit(caller, action, assignment, inside.tx);
      try {
        await write(inside.tx, assignment);
      } catch (error) {
        // A part went between the look and the write.
        if (isForeignKeyViolation(error)) fail('role.not_found', { id: assignment.roleId });
        throw error;
      }
      inside.touch(appTagOf.user(assignment.userId));
      const { userId: user_id, organizationId: organization_id, applicationId: application_id, roleId } = assignment;
      inside.audit(`app_role.${verb}`, { kind: 'app_role', id: roleId }, { user_id, organization_id, application_id });
    });
  }

  /** Roles that only this role of the organization let it hand out, and the role itself. */
  async function dependents(
    reader: Reader,
    { organizationId, applicationId, roleId }: OrganizationAssignment,
  ): Promise<string[]> {
    const held = (await rolesByApplication(reader, { organizationId })).get(applicationId) ?? [];
    const left = held.filter((id) => id !== roleId);
    const [before, after] = await Promise.all([
      assignableRoles(reader, applicationId, held),
      assignableRoles(reader, applicationId, left),
    ]);
    return [...new Set([...before, roleId])].filter((id) => !after.includes(id) && !left.includes(id));
  }

  const detailOf = ({ organizationId, applicationId }: OrganizationAssignment) => ({
    organization_id: organizationId,
    application_id: applicationId,
  });

  const seesAssignments = async (caller: Caller, applicationId: string): Promise<boolean> =>
    isInPerson(caller) && holdings.has(caller.userId, applicationId, ...SEES_ASSIGNMENTS);

  /** An application that acts for a person sees what they hold in it. */
  function ownOf(caller: Caller, action: string): Criterion[] {
    const own = only('app_user_roles.user_id', caller.userId);
    if (isInPerson(caller)) return own;
    const { applicationId } = caller.token;
    return [...own, ...only('app_user_roles.application_id', applicationId ?? fail('auth.forbidden', { action }))];
  }

  /** Who sees whose: administrators all, everyone their own, and whoever manages or assigns in an application those in it. */
  async function visibleTo(
    caller: Caller,
    query: Query,
    { action, table }: { action: string; table: 'app_user_roles' | 'app_organization_roles' },
  ): Promise<Criterion[]> {
    if (isAdministrator(caller)) return [];
    const [userId, applicationId] = [single(query, 'user_id'), single(query, 'application_id')];
    // Assignments of organizations have no user: naming oneself there would filter by nothing.
    if (userId === caller.userId && table === 'app_user_roles') return ownOf(caller, action);
    if (applicationId === undefined || !(await seesAssignments(caller, applicationId))) fail('auth.forbidden', { action });
    return only(`${table}.application_id`, applicationId);
  }

  function permitSelf(caller: Caller, action: string, userId: string | undefined, organizationId: string): void {
    const self = userId !== undefined ? caller.userId === userId : caller.view.project?.id === organizationId;
    if (!isAdministrator(caller) && !self) fail('auth.forbidden', { action });
  }

  async function heldBy(caller: Caller, action: string, organizationId: string, userId?: string): Promise<Map<string, string[]>> {
    permitSelf(caller, action, userId, organizationId);
    if (userId !== undefined && !(await findUser(db.read, userId))) fail('user.not_found', { id: userId });
    if (!(await findProject(db.read, organizationId))) fail('organization.not_found', { id: organizationId });
    const held = await rolesByApplication(db.read, userId === undefined ? { organizationId } : { userId, organizationId });
    return new Map([...held].filter(([applicationId]) => knowsOf(caller, applicationId)));
  }

  async function nothingHeld(userId: string, applicationId: string): Promise<never> {
    const user = await findUser(db.read, userId);
    return user ? fail('application.not_found', { id: applicationId }) : fail('user.not_found', { id: userId });
  }

  return {
    async listOfUsers(caller: Caller, query: Query) {
      const visible = await visibleTo(caller, query, { action: 'list_user_assignments', table: 'app_user_roles' });
      const userId = single(query, 'user_id');
      const inDefault = 'default_organization' in query && userId !== undefined;
      const asked = inDefault ? { ...query, organization_id: await defaultOrganization(userId) } : query;
      const page = await listUserAssignments(db, pageOf(query), { criteria: criteriaOf(asked, userFilters), visible });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },

    async listOfOrganizations(caller: Caller, query: Query) {
      const table = 'app_organization_roles';
      const visible = await visibleTo(caller, query, { action: 'list_organization_assignments', table });
      const page = await listOrganizationAssignments(db, pageOf(query), {
        criteria: criteriaOf(query, organizationFilters),
        visible,
      });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },

    /** Without an organization: in the user's own. */
    assign: (caller: Caller, asked: Omit<UserAssignment, 'organizationId'> & { organizationId?: string }): Promise<void> =>
      changeUser(caller, asked, { action: 'add_role_to_user', verb: 'assigned' }, insertUserAssignment),

    unassign: (caller: Caller, asked: Omit<UserAssignment, 'organizationId'> & { organizationId?: string }): Promise<void> =>
      changeUser(caller, asked, { action: 'remove_role_from_user', verb: 'unassigned' }, deleteUserAssignment),

    async assignToOrganization(caller: Caller, assignment: OrganizationAssignment): Promise<void> {
      const action = 'add_role_to_organization';
      await permit(caller, action, assignment);
      await checkParts(assignment);
      await change(caller, async ({ tx, audit }) => {
        await permit(caller, action, assignment, tx);
        try {
          await insertOrganizationAssignment(tx, assignment);
        } catch (error) {
          if (isForeignKeyViolation(error)) fail('role.not_found', { id: assignment.roleId });
          throw error;
        }
        audit('app_role.organization_assigned', { kind: 'app_role', id: assignment.roleId }, detailOf(assignment));
      });
    },

    async unassignFromOrganization(caller: Caller, assignment: OrganizationAssignment): Promise<void> {
      const action = 'remove_role_from_organization';
      await permit(caller, action, assignment);
      await checkParts(assignment);
      await change(caller, async ({ tx, audit, touch }) => {
        await permit(caller, action, assignment, tx);
        const lost = await dependents(tx, assignment);
        const existed = await deleteOrganizationAssignment(tx, assignment);
        // Taking away what was not there takes nothing else along.
        const users = existed ? await deleteInside(tx, assignment.organizationId, assignment.applicationId, lost) : [];
        for (const userId of users) touch(appTagOf.user(userId));
        audit(
          'app_role.organization_unassigned',
          { kind: 'app_role', id: assignment.roleId },
          { ...detailOf(assignment), users: users.length },
        );
      });
    },

    async allowedRoles(caller: Caller, organizationId: string, userId?: string): Promise<Record<string, string[]>> {
      return assignableByApplication(db.read, await heldBy(caller, 'list_allowed_roles', organizationId, userId));
    },

    async allowedApplications(
      caller: Caller,
      permission: InternalPermission,
      organizationId: string,
      userId?: string,
    ): Promise<string[]> {
      return applicationsWith(db.read, await heldBy(caller, 'list_allowed_applications', organizationId, userId), permission);
    },

    /** What a user may do in an application: themselves, administrators, services, and those who manage it may ask. */
    holdings(caller: Caller, userId: string, applicationId: string): Soon<UserHoldings> {
      const self = caller.userId === userId && knowsOf(caller, applicationId);
      const free = self || isAdministrator(caller) || has(caller, 'service');
      const asked = (): Soon<UserHoldings> =>
        andThen(holdings.of(userId, applicationId), (held) => held ?? nothingHeld(userId, applicationId));
      if (free) return asked();
      return seesAssignments(caller, applicationId).then((manages) => {
        if (!manages) fail('auth.forbidden', { action: 'get_user_permissions' });
        return asked();
      });
    },
  };
}

export type AppAssignments = ReturnType<typeof createAppAssignments>;
