// Giving roles of applications to users and organizations.
import { isForeignKeyViolation } from '../../platform/database/index.ts';
import type { Query } from '../../platform/http/index.ts';
import { andThen, type Soon } from '../../platform/soon.ts';
import {
  type Action,
  allowed,
  type Caller,
  type Facts,
  findProject,
  has,
  type IdentityTarget,
  isAdministrator,
  isInPerson,
  knowsOf,
  permit,
} from '../access/index.ts';
import { findConsumer } from '../consumers/index.ts';
import type { Reader, Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { type Criterion, criteriaOf, type Deps, type Filters, only, pageOf, single } from '../resource/index.ts';
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

/** No application has this id. Without any, a list would show all of them. */
const NONE = '';

type Listed = 'app_user_roles' | 'app_organization_roles';

/** Without an organization: in the user's own. */
interface Asked extends Omit<OrganizationAssignment, 'organizationId'> {
  readonly userId?: string;
  readonly organizationId?: string;
}

interface Holder {
  readonly userId?: string;
  readonly organizationId: string;
}

/** An application that acts for a person sees what they hold in it. */
function ownOf(caller: Caller): Criterion[] {
  const own = only('app_user_roles.user_id', caller.userId);
  return isInPerson(caller) ? own : [...own, ...only('app_user_roles.application_id', caller.token.applicationId ?? NONE)];
}

export function createAppAssignments({ db, change, holdings }: Pick<Deps, 'db' | 'change'> & { holdings: Holdings }) {
  /** An owner whose token is scoped to an organization acts for it, with the roles the organization holds. */
  async function heldByOrganization(reader: Reader, caller: Caller, applicationId: string): Promise<readonly string[]> {
    const { project } = caller.view;
    if (!project || !has(caller, 'owner')) return [];
    return (await rolesByApplication(reader, { organizationId: project.id })).get(applicationId) ?? [];
  }

  /** What decides whether the caller may hand the role out: before anyone learns what exists, and again inside the change. */
  async function factsOf(
    caller: Caller,
    { applicationId, roleId }: Pick<Asked, 'applicationId' | 'roleId'>,
    tx?: Tx,
  ): Promise<Facts> {
    if (isAdministrator(caller)) return {};
    const reader = tx ?? db.read;
    const role = await findAppRole(reader, roleId);
    if (!role) return {};
    const own = await (tx ? readHoldings(tx, caller.userId, applicationId) : holdings.of(caller.userId, applicationId));
    if (own && (await mayAssign(reader, own, applicationId, role))) return { mayAssign: true };
    const ofOrganization = await authorityOf(reader, await heldByOrganization(reader, caller, applicationId));
    return { mayAssign: await mayAssign(reader, ofOrganization, applicationId, role) };
  }

  /** An assignment whose parts are all there, and whose role can be held in that application; whether or not it was made. */
  async function target<T extends Asked>(caller: Caller, asked: T): Promise<IdentityTarget<T & OrganizationAssignment>> {
    const { userId, applicationId, roleId } = asked;
    const user = userId === undefined ? undefined : await findUser(db.read, userId);
    const organizationId = asked.organizationId ?? user?.default_project_id ?? undefined;
    const [facts, organization, application, role] = await Promise.all([
      factsOf(caller, asked),
      organizationId === undefined ? undefined : findProject(db.read, organizationId),
      findConsumer(db.read, applicationId),
      findAppRole(db.read, roleId),
    ]);
    const get = () => {
      if (userId !== undefined && !user) fail('user.not_found', { id: userId });
      if (organizationId === undefined) fail('organization.no_default');
      if (!organization || organization.is_domain) fail('organization.not_found', { id: organizationId });
      if (!application) fail('application.not_found', { id: applicationId });
      if (!role) fail('role.not_found', { id: roleId });
      if (role.application_id !== applicationId && !role.is_internal)
        fail('role.other_application', { role: roleId, application: applicationId });
      return { ...asked, organizationId };
    };
    return { facts, get };
  }

  async function defaultOrganization(userId: string): Promise<string> {
    const user = (await findUser(db.read, userId)) ?? fail('user.not_found', { id: userId });
    return user.default_project_id ?? fail('organization.no_default');
  }

  async function changeUser(
    caller: Caller,
    assignment: UserAssignment,
    { action, verb }: { action: Action; verb: 'assigned' | 'unassigned' },
    write: (tx: Tx, assignment: UserAssignment) => Promise<void>,
  ): Promise<void> {
    await change(caller, async (inside) => {
      permit(caller, action, await factsOf(caller, assignment, inside.tx));
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

  /** Whether the caller manages or assigns in the application. */
  const seesAssignments = async (caller: Caller, applicationId: string): Promise<boolean> =>
    holdings.has(caller.userId, applicationId, ...SEES_ASSIGNMENTS);

  /** Who sees whose: administrators all, everyone their own, and whoever manages or assigns in an application those in it. */
  async function listTarget(caller: Caller, query: Query, table: Listed): Promise<IdentityTarget<Criterion[]>> {
    // Assignments of organizations have no user: naming oneself there would filter by nothing.
    const userId = table === 'app_user_roles' ? single(query, 'user_id') : undefined;
    const applicationId = single(query, 'application_id');
    if (isAdministrator(caller)) return { facts: {}, get: () => [] };
    if (userId === caller.userId) return { facts: { userId }, get: () => ownOf(caller) };
    const sees = applicationId !== undefined && (await seesAssignments(caller, applicationId));
    return {
      facts: { applicationId, seesAssignments: sees },
      get: () => only(`${table}.application_id`, applicationId ?? NONE),
    };
  }

  /** A user inside an organization, or the organization itself. */
  async function holderTarget(holder: Holder): Promise<IdentityTarget<Holder>> {
    const { userId, organizationId } = holder;
    const [user, organization] = await Promise.all([
      userId === undefined ? true : findUser(db.read, userId),
      findProject(db.read, organizationId),
    ]);
    const get = () => {
      if (!user) fail('user.not_found', { id: userId! });
      if (!organization) fail('organization.not_found', { id: organizationId });
      return holder;
    };
    return { facts: { userId, projectId: organizationId }, get };
  }

  /** Their roles by application, as far as the caller knows of it. */
  async function heldBy(caller: Caller, holder: Holder): Promise<Map<string, string[]>> {
    const held = await rolesByApplication(db.read, holder);
    return new Map([...held].filter(([applicationId]) => knowsOf(caller, applicationId)));
  }

  /** What a user may do in an application. Whether the caller manages it is read only where that decides. */
  function holdingsTarget(caller: Caller, userId: string, applicationId: string): Soon<IdentityTarget<UserHoldings>> {
    const known: Facts = { userId, applicationId };
    if (allowed(caller, 'get_user_permissions', known)) return withHoldings(known, userId, applicationId);
    return seesAssignments(caller, applicationId).then((sees) =>
      // Nothing is read, and kept in memory, for those the rule refuses.
      sees
        ? withHoldings({ ...known, seesAssignments: true }, userId, applicationId)
        : { facts: known, get: () => fail('user.not_found', { id: userId }) },
    );
  }

  const withHoldings = (facts: Facts, userId: string, applicationId: string): Soon<IdentityTarget<UserHoldings>> =>
    andThen(holdings.of(userId, applicationId), (held) =>
      held ? { facts, get: () => held } : nothingHeld(facts, userId, applicationId),
    );

  async function nothingHeld(facts: Facts, userId: string, applicationId: string): Promise<IdentityTarget<never>> {
    const user = await findUser(db.read, userId);
    return {
      facts,
      get: () => (user ? fail('application.not_found', { id: applicationId }) : fail('user.not_found', { id: userId })),
    };
  }

  return {
    target,
    listTarget,
    holderTarget,
    holdingsTarget,

    async listOfUsers(query: Query, visible: readonly Criterion[]) {
      const userId = single(query, 'user_id');
      const inDefault = 'default_organization' in query && userId !== undefined;
      const asked = inDefault ? { ...query, organization_id: await defaultOrganization(userId) } : query;
      const page = await listUserAssignments(db, pageOf(query), { criteria: criteriaOf(asked, userFilters), visible });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },

    async listOfOrganizations(query: Query, visible: readonly Criterion[]) {
      const page = await listOrganizationAssignments(db, pageOf(query), {
        criteria: criteriaOf(query, organizationFilters),
        visible,
      });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },

    assign: (caller: Caller, assignment: UserAssignment): Promise<void> =>
      changeUser(caller, assignment, { action: 'add_role_to_user', verb: 'assigned' }, insertUserAssignment),

    unassign: (caller: Caller, assignment: UserAssignment): Promise<void> =>
      changeUser(caller, assignment, { action: 'remove_role_from_user', verb: 'unassigned' }, deleteUserAssignment),

    async assignToOrganization(caller: Caller, assignment: OrganizationAssignment): Promise<void> {
      await change(caller, async ({ tx, audit }) => {
        permit(caller, 'add_role_to_organization', await factsOf(caller, assignment, tx));
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
      await change(caller, async ({ tx, audit, touch }) => {
        permit(caller, 'remove_role_from_organization', await factsOf(caller, assignment, tx));
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

    allowedRoles: async (caller: Caller, holder: Holder): Promise<Record<string, string[]>> =>
      assignableByApplication(db.read, await heldBy(caller, holder)),

    allowedApplications: async (caller: Caller, holder: Holder, permission: InternalPermission): Promise<string[]> =>
      applicationsWith(db.read, await heldBy(caller, holder), permission),
  };
}

export type AppAssignments = ReturnType<typeof createAppAssignments>;
