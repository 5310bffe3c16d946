// What roles and permissions share: both belong to an application, and both can be internal.
import type { Query } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Action, Caller, Facts, IdentityTarget } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { AppPermissionRow, AppRoleRow, ConsumerRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, type Filters, failOnBrokenReference, single } from '../../ground/resource/index.ts';
import { findConsumer } from '../consumers/index.ts';
import { isBuiltIn } from './built-in.ts';
import { type Managers, permitInternal } from './managers.ts';
import { findAppRole, findPermission } from './roles.store.ts';
import { appTagOf } from './user-permissions.ts';

export type AppRolesDeps = Pick<Deps, 'db' | 'clock' | 'change'> & { readonly managers: Managers };

type ApplicationPartKind = 'role' | 'permission';

interface ApplicationPart {
  readonly id: string;
  readonly application_id: string;
}

export const filtersOf = (table: 'app_roles' | 'app_permissions', ...more: readonly string[]): Filters => ({
  ...Object.fromEntries(
    ['name', 'application_id', ...more].map((name) => [name, { column: `${table}.${name}`, kind: 'text' as const }]),
  ),
  is_internal: { column: `${table}.is_internal`, kind: 'flag' },
});

export const managementFacts = async (
  { managers }: AppRolesDeps,
  caller: Caller,
  applicationId: string | undefined,
): Promise<Facts> => ({
  applicationId,
  managesRoles: await managers.hasPermission(caller, applicationId, 'manage-roles'),
});

/** The applications a list may show: the one it names, or those the caller manages; undefined for all. */
export async function listTarget(
  deps: AppRolesDeps,
  caller: Caller,
  query: Query,
): Promise<IdentityTarget<readonly string[] | undefined>> {
  const applicationId = single(query, 'application_id');
  const within = applicationId === undefined ? await deps.managers.managedApplications(caller, 'manage-roles') : [applicationId];
  const facts = applicationId === undefined ? { onlyManaged: true } : await managementFacts(deps, caller, applicationId);
  return { facts, get: () => within };
}

/** The application of a new role or permission. */
export async function applicationTarget(deps: AppRolesDeps, caller: Caller, id: string): Promise<IdentityTarget<ConsumerRow>> {
  const [facts, application] = await Promise.all([managementFacts(deps, caller, id), findConsumer(deps.db.read, id)]);
  return { facts, get: () => application ?? fail('application.not_found', { id }) };
}

export function refuseBuiltIn(kind: ApplicationPartKind, { id }: Pick<ApplicationPart, 'id'>): void {
  if (isBuiltIn(id)) fail('resource.built_in', { kind, id });
}

export function checkFixed(
  kind: ApplicationPartKind,
  row: ApplicationPart,
  body: { readonly [Field in keyof ApplicationPart]?: ApplicationPart[Field] | undefined },
): void {
  refuseBuiltIn(kind, row);
  if (body.id !== undefined && body.id !== row.id) fail('resource.id_fixed', { kind });
  if (body.application_id !== undefined && body.application_id !== row.application_id) {
    fail('request.bad_value', { field: 'application_id', why: 'it cannot be changed' });
  }
}

/** Internal roles and permissions work in every application, so only administrators may create, change, link and delete them. */
export function checkInternal(caller: Caller, action: Action, ...flags: readonly (boolean | number | undefined)[]): void {
  if (flags.some(Boolean)) permitInternal(caller, action);
}

/** Drops cached permissions. Internal roles are assigned in every application, others only in their own. */
export function invalidateAssignees(
  { invalidate }: Change,
  row: Pick<ApplicationPart, 'application_id'>,
  internal: boolean | number,
): void {
  invalidate(internal ? tagOf.everything : appTagOf.application(row.application_id));
}

/** The application may be deleted between the check and the write. */
export const failIfApplicationMissing = (id: string, write: () => Promise<void>): Promise<void> =>
  failOnBrokenReference(() => fail('application.not_found', { id }), write);

type Part = AppRoleRow | AppPermissionRow;

const isOf = (applicationId: string, part: Part): boolean => part.application_id === applicationId || part.is_internal === 1;

/** A role or a permission that has effect in the application. One of another application is not found. */
export async function findInApplication(db: Reader, kind: ApplicationPartKind, applicationId: string, id: string): Promise<Part> {
  const part = await (kind === 'role' ? findAppRole(db, id) : findPermission(db, id));
  return part && isOf(applicationId, part) ? part : fail(`${kind}.not_found`, { id });
}
