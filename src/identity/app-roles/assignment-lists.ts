// Lists of assignments, and which of them a caller sees.
import type { Query } from '../../platform/http/index.ts';
import { type Caller, type IdentityTarget, isAdministrator, isInPerson } from '../access/index.ts';
import type { Database } from '../database.ts';
import { fail } from '../faults.ts';
import { type Criterion, criteriaOf, type Filters, pageOf, single, whereEquals } from '../resource/index.ts';
import { findUser } from '../users/index.ts';
import { type AssignmentDeps, seesAssignments } from './assignment-authority.ts';
import { listOrganizationAssignments, listUserAssignments } from './assignments.store.ts';

const filtersOf = (table: string, names: readonly string[]): Filters =>
  Object.fromEntries(names.map((name) => [name, { column: `${table}.${name}`, kind: 'text' as const }]));
const userFilters = filtersOf('app_user_roles', ['user_id', 'organization_id', 'application_id', 'role_id']);
const organizationFilters = filtersOf('app_organization_roles', ['organization_id', 'application_id', 'role_id']);

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

async function defaultOrganization(db: Database, userId: string): Promise<string> {
  const user = (await findUser(db.read, userId)) ?? fail('user.not_found', { id: userId });
  return user.default_project_id ?? fail('organization.no_default');
}

export async function pageOfUserAssignments({ db }: AssignmentDeps, query: Query, visible: readonly Criterion[]) {
  const userId = single(query, 'user_id');
  const inDefault = 'default_organization' in query && userId !== undefined;
  const effectiveQuery = inDefault ? { ...query, organization_id: await defaultOrganization(db, userId) } : query;
  const page = await listUserAssignments(db, pageOf(query), { criteria: criteriaOf(effectiveQuery, userFilters), visible });
  return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
}

export async function pageOfOrganizationAssignments({ db }: AssignmentDeps, query: Query, visible: readonly Criterion[]) {
  const page = await listOrganizationAssignments(db, pageOf(query), {
    criteria: criteriaOf(query, organizationFilters),
    visible,
  });
  return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
}
