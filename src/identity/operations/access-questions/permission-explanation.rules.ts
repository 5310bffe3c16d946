// Why a user has a role or a permission in an application, or why not: shown from the same inspection that answers proxies
// (applications/app-roles/user-permissions.ts).
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, type IdentityTarget, isAdministrator, isAllowed } from '../../access/rules/index.ts';
import {
  findInApplication,
  type HeldAppRole,
  inspectUserPermissions,
  permissionsOfRoles,
} from '../../applications/app-roles/index.ts';
import type { AppPermissionRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { single } from '../../ground/resource/index.ts';
import { type ExplanationDeps, visibleNeeds } from './explanation.rules.ts';
import type { Missing, NamedReference, Path, Step } from './explanation.schema.ts';
import { type PermissionQuestion, rolesWithPermission } from './permission-explanation.store.ts';

const MAX_ROLES = 20;

export interface PermissionExplanationDeps extends ExplanationDeps {
  /** Whether the caller manages or assigns in the application. */
  sees(caller: Caller, applicationId: string): Promise<boolean>;
}

type PermissionInspection = NonNullable<Awaited<ReturnType<typeof inspectUserPermissions>>>;
type LinkedPermission = AppPermissionRow & { readonly role_id: string };

export interface PermissionsQuestion {
  readonly inspected: PermissionInspection;
  readonly organizationId: string | undefined;
  readonly roleId: string | undefined;
  readonly permission: PermissionQuestion | undefined;
}

function permissionOf(query: Query): PermissionQuestion | undefined {
  const [id, action, resource] = [single(query, 'permission_id'), single(query, 'action'), single(query, 'resource')];
  if ((action === undefined) !== (resource === undefined))
    fail('request.bad_value', {
      field: action === undefined ? 'action' : 'resource',
      why: 'action and resource belong together',
    });
  if (id !== undefined && action !== undefined)
    fail('request.bad_value', { field: 'permission_id', why: 'a permission is named by its id, or by action and resource' });
  if (id !== undefined) return { id };
  return action === undefined ? undefined : { action, resource: resource! };
}

export async function permissionsQuestionTarget(
  deps: PermissionExplanationDeps,
  caller: Caller,
  userId: string,
  applicationId: string,
  query: Query,
): Promise<IdentityTarget<PermissionsQuestion>> {
  const permission = permissionOf(query);
  const sees = !isAdministrator(caller) && (await deps.sees(caller, applicationId));
  const facts = { applicationId, seesAssignments: sees };
  // Nothing is read for callers the rule refuses.
  const isAsked = isAllowed(caller, 'explain_permissions', facts);
  const inspected = isAsked ? await inspectUserPermissions(deps, deps.db.read, userId, applicationId) : undefined;
  const get = (): PermissionsQuestion => ({
    inspected: inspected ?? fail('user.not_found', { id: userId }),
    organizationId: single(query, 'organization_id'),
    roleId: single(query, 'role_id'),
    permission,
  });
  return { facts, get };
}

const isAsked = (question: PermissionQuestion, { id, action, resource }: AppPermissionRow): boolean =>
  'id' in question ? id === question.id : action === question.action && resource === question.resource;

const roleOf = ({ role_id: id, role_name: name }: HeldAppRole): NamedReference => ({ id, name });
const organizationOf = ({ organization_id: id, organization_name: name }: HeldAppRole): NamedReference => ({ id, name });

function pathsOf(held: HeldAppRole, permissions: readonly LinkedPermission[] | undefined): Path[] {
  const [role, organization] = [roleOf(held), organizationOf(held)];
  const steps: Step[] = [
    { kind: 'organization', organization, default: held.inDefaultOrganization },
    { kind: 'assignment', role, organization },
  ];
  if (!permissions) return [{ role, steps }];
  return permissions
    .filter((permission) => permission.role_id === held.role_id)
    .map(({ id, name, action, resource }) => ({
      role,
      steps: [...steps, { kind: 'permission', role, permission: { id, name, action, resource } }],
    }));
}

const uniqueRoles = (held: readonly HeldAppRole[]): NamedReference[] => [
  ...new Map(held.map((one) => [one.role_id, roleOf(one)])).values(),
];

/** Those who manage only the application do not learn why an account cannot be used. */
function accountMissing({ user, isUsable }: PermissionInspection, caller: Caller): Missing[] {
  if (isUsable) return [];
  if (!isAllowed(caller, 'identity:get_user', { userId: user.id, domainId: user.domain_id }))
    return [{ kind: 'user_not_usable' }];
  return [
    ...(user.enabled ? [] : [{ kind: 'user_disabled' }]),
    ...(user.domain_enabled ? [] : [{ kind: 'domain_of_user_disabled' }]),
  ];
}

/** Those who manage only the application know the names of people who hold a role in it. Of others they learn nothing by an id. */
function visibleUser({ user, held }: PermissionInspection, caller: Caller) {
  const { id, name, domain_id: domainId, domain_name: domainName } = user;
  if (held.length === 0 && !isAllowed(caller, 'identity:get_user', { userId: id, domainId })) return { id };
  return { id, name, domain: { id: domainId, name: domainName } };
}

export async function explainPermissions(deps: PermissionExplanationDeps, caller: Caller, question: PermissionsQuestion) {
  const { inspected, organizationId, roleId, permission } = question;
  const { user, application, isUsable } = inspected;
  const find = (kind: 'role' | 'permission', id: string) => findInApplication(deps.db.read, kind, application.id, id);
  const role = roleId === undefined ? undefined : await find('role', roleId);
  if (permission && 'id' in permission) await find('permission', permission.id);
  const held = inspected.held.filter((one) => organizationId === undefined || one.organization_id === organizationId);
  const counted = held.filter(({ obstacle }) => obstacle === undefined);
  const isRoleAsked = (one: HeldAppRole): boolean => roleId === undefined || one.role_id === roleId;
  const linked =
    permission && held.length > 0
      ? (await permissionsOfRoles(deps.db.read, [...new Set(held.map((one) => one.role_id))])).filter((one) =>
          isAsked(permission, one),
        )
      : [];
  const gives = (one: HeldAppRole): boolean =>
    isRoleAsked(one) && (!permission || linked.some((link) => link.role_id === one.role_id));
  const paths = counted.filter(gives).flatMap((one) => pathsOf(one, permission && linked));

  const missing = accountMissing(inspected, caller);
  if (paths.length === 0) {
    // A role that was given and does not count is told as that: to give it again would not help.
    const obstructed = held.filter((one) => one.obstacle !== undefined && gives(one));
    if (counted.length === 0 && obstructed.length === 0) missing.push({ kind: 'no_role' });
    for (const one of obstructed) missing.push({ kind: one.obstacle!, role: roleOf(one), organization: organizationOf(one) });
    if (counted.length > 0 && permission) missing.push({ kind: 'permission_not_in_roles', roles: uniqueRoles(counted) });
    if (role && obstructed.length === 0 && !counted.some(isRoleAsked))
      missing.push({ kind: 'role_not_held', role: { id: role.id, name: role.name } });
    if (permission)
      missing.push({
        kind: 'roles_with_permission',
        roles: await rolesWithPermission(deps.db.read, application.id, permission, MAX_ROLES),
      });
  }
  return {
    allowed: isUsable && paths.length > 0,
    user: visibleUser(inspected, caller),
    scope: { application: { id: application.id, name: application.name } },
    roles: uniqueRoles(counted),
    paths,
    more_paths: false,
    missing,
    ...(await visibleNeeds(deps, caller, user.id)),
  };
}
