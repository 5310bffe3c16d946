// What roles and permissions have in common: both are parts of an application, and both can be internal.
import type { Query } from '../../platform/http/index.ts';
import { type Action, type Caller, type Facts, type IdentityTarget, tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import { findConsumer } from '../consumers/index.ts';
import type { ConsumerRow } from '../database.ts';
import { fail } from '../faults.ts';
import { type Deps, type Filters, single, unlessMoved } from '../resource/index.ts';
import { isBuiltIn } from './built-in.ts';
import { appTagOf } from './holdings.ts';
import { type Managers, permitInternal } from './managers.ts';

export type AppRolesDeps = Pick<Deps, 'db' | 'clock' | 'change'> & { readonly managers: Managers };

type Kind = 'role' | 'permission';

interface Part {
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
  managesRoles: await managers.holds(caller, applicationId, 'manage-roles'),
});

/** A list names its application, or is cut to those the caller manages: which it may show, undefined for all. */
export async function listTarget(
  deps: AppRolesDeps,
  caller: Caller,
  query: Query,
): Promise<IdentityTarget<readonly string[] | undefined>> {
  const applicationId = single(query, 'application_id');
  const within = applicationId === undefined ? await deps.managers.managed(caller, 'manage-roles') : [applicationId];
  const facts = applicationId === undefined ? { onlyManaged: true } : await managementFacts(deps, caller, applicationId);
  return { facts, get: () => within };
}

/** The application that a role or permission is made in. */
export async function applicationTarget(deps: AppRolesDeps, caller: Caller, id: string): Promise<IdentityTarget<ConsumerRow>> {
  const [facts, application] = await Promise.all([managementFacts(deps, caller, id), findConsumer(deps.db.read, id)]);
  return { facts, get: () => application ?? fail('application.not_found', { id }) };
}

export function refuseBuiltIn(kind: Kind, { id }: Pick<Part, 'id'>): void {
  if (isBuiltIn(id)) fail('resource.built_in', { kind, id });
}

export function checkFixed(kind: Kind, row: Part, body: { readonly [Field in keyof Part]?: Part[Field] | undefined }): void {
  refuseBuiltIn(kind, row);
  if (body.id !== undefined && body.id !== row.id) fail('resource.id_fixed', { kind });
  if (body.application_id !== undefined && body.application_id !== row.application_id) {
    fail('request.bad_value', { field: 'application_id', why: 'it cannot be changed' });
  }
}

/** What is internal works in every application, so only administrators make, change, link and delete it. */
export function checkInternal(caller: Caller, action: Action, ...flags: readonly (boolean | number | undefined)[]): void {
  if (flags.some(Boolean)) permitInternal(caller, action);
}

/** A thing that is internal is held in every application; any other only in its own. */
export function touchHolders({ invalidate }: Change, row: Pick<Part, 'application_id'>, internal: boolean | number): void {
  invalidate(internal ? tagOf.everything : appTagOf.application(row.application_id));
}

/** The application was there when we looked, and may be gone when we write. */
export const whileThere = (id: string, write: () => Promise<void>): Promise<void> =>
  unlessMoved(() => fail('application.not_found', { id }), write);
