// Lists of assignments, and which of them a caller sees.
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, type IdentityTarget, isAdministrator, isInPerson } from '../../access/rules/index.ts';
import { namesOf } from '../../directory/grants/index.ts';
import { findUser } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  type Criterion,
  criteriaOf,
  type Filters,
  foundPage,
  pageOf,
  readFlag,
  single,
  whereEquals,
} from '../../ground/resource/index.ts';
import { type AssignmentDeps, seesAssignments } from './assignment-authority.ts';
import { appRoleNames, listOrganizationAssignments, listUserAssignments } from './assignments.store.ts';

const filtersOf = (table: string, names: readonly string[]): Filters =>
  Object.fromEntries(names.map((name) => [name, { column: `${table}.${name}`, kind: 'text' as const }]));
const names: Filters = {
  organization_name: { column: 'projects.name', kind: 'text' },
  role_name: { column: 'app_roles.name', kind: 'text' },
};
const userFilters: Filters = {
  ...filtersOf('app_user_roles', ['user_id', 'organization_id', 'application_id', 'role_id']),
  ...names,
  user_name: { column: 'users.name', kind: 'text' },
};
const organizationFilters: Filters = {
  ...filtersOf('app_organization_roles', ['organization_id', 'application_id', 'role_id']),
  ...names,
};

/** No application has this id. Used instead of no filter, which would show all of them. */
const NONE = '';

export type AssignmentTable = 'app_user_roles' | 'app_organization_roles';

/** An application that acts for a person sees their assignments in itself. */
function ownAssignments(caller: Caller): Criterion[] {
  const own = whereEquals('app_user_roles.user_id', caller.userId);
  return isInPerson(caller) ? own : [...own, ...whereEquals('app_user_roles.application_id', caller.token.applicationId ?? NONE)];
}

/** Administrators see all, users their own, and those who manage or assign in an application see the ones in it. */
export async function assignmentListTarget(
  deps: AssignmentDeps,
  caller: Caller,
  query: Query,
  table: AssignmentTable,
): Promise<IdentityTarget<Criterion[]>> {
  // Assignments of organizations have no user, so user_id does not limit them.
  const userId = table === 'app_user_roles' ? single(query, 'user_id') : undefined;
  const applicationId = single(query, 'application_id');
  if (isAdministrator(caller)) return { facts: {}, get: () => [] };
  if (userId === caller.userId) return { facts: { userId }, get: () => ownAssignments(caller) };
  const sees = applicationId !== undefined && (await seesAssignments(deps, caller, applicationId));
  return {
    facts: { applicationId, seesAssignments: sees },
    get: () => whereEquals(`${table}.application_id`, applicationId ?? NONE),
  };
}

interface AssignmentIds {
  readonly user_id?: string;
  readonly organization_id: string;
  readonly application_id: string;
  readonly role_id: string;
}

/** With `include_names`, what the ids of a page stand for; one query per table. */
async function withNames<Row extends AssignmentIds>({ db }: AssignmentDeps, query: Query, rows: readonly Row[]) {
  if (!readFlag(query, 'include_names')) return rows;
  const [users, organizations, roles] = await Promise.all([
    namesOf(
      db.lists,
      'users',
      rows.flatMap((row) => row.user_id ?? []),
    ),
    namesOf(
      db.lists,
      'projects',
      rows.map((row) => row.organization_id),
    ),
    appRoleNames(
      db.lists,
      rows.map((row) => row.role_id),
    ),
  ]);
  const ref = (id: string, name: string | undefined) => ({ id, name: name ?? '' });
  return rows.map((row) => ({
    ...row,
    ...(row.user_id === undefined ? {} : { user: ref(row.user_id, users.get(row.user_id)?.name) }),
    organization: ref(row.organization_id, organizations.get(row.organization_id)?.name),
    role: ref(row.role_id, roles.get(row.role_id)),
  }));
}

async function defaultOrganization(db: Database, userId: string): Promise<string> {
  const user = (await findUser(db.read, userId)) ?? fail('user.not_found', { id: userId });
  return user.default_project_id ?? fail('organization.no_default');
}

export async function pageOfUserAssignments(deps: AssignmentDeps, query: Query, visible: readonly Criterion[]) {
  const { db } = deps;
  const userId = single(query, 'user_id');
  const inDefault = 'default_organization' in query && userId !== undefined;
  const effectiveQuery = inDefault ? { ...query, organization_id: await defaultOrganization(db, userId) } : query;
  const page = foundPage(
    query,
    await listUserAssignments(db, pageOf(query), { criteria: criteriaOf(effectiveQuery, userFilters), visible }),
  );
  return { ...page, items: await withNames(deps, query, page.items) };
}

export async function pageOfOrganizationAssignments(deps: AssignmentDeps, query: Query, visible: readonly Criterion[]) {
  const page = foundPage(
    query,
    await listOrganizationAssignments(deps.db, pageOf(query), {
      criteria: criteriaOf(query, organizationFilters),
      visible,
    }),
  );
  return { ...page, items: await withNames(deps, query, page.items) };
}
