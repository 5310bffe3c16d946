// Who manages an application: users with an internal permission in it.

import { tagOf } from '../../access/context/index.ts';
import { type Action, type Caller, isAdministrator, isAllowed, isDelegated, isInPerson } from '../../access/rules/index.ts';
import { findUser } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { insertUserAssignment } from './assignments.store.ts';
import type { InternalPermission } from './built-in.ts';
import { hasInternal } from './roles.store.ts';
import { appTagOf, type UserPermissionsReader } from './user-permissions.ts';

const PROVIDER = 'provider';

export interface Managers {
  /** Whether the caller has one of these permissions. `undefined` means that the application does not exist. */
  hasPermission(
    caller: Caller,
    applicationId: string | undefined,
    ...permissions: readonly InternalPermission[]
  ): Promise<boolean>;
  /** The applications in which the caller has one of these permissions; undefined for an administrator: all of them. */
  managedApplications(caller: Caller, ...permissions: readonly InternalPermission[]): Promise<readonly string[] | undefined>;
  /** The applications in which a user has one of these permissions. */
  managedBy(userId: string, ...permissions: readonly InternalPermission[]): Promise<readonly string[]>;
  /** Makes the registering user the provider of the application, in their default organization. Runs in the same transaction. */
  onRegistered(transaction: Change, caller: Caller, applicationId: string): Promise<void>;
  /** Runs before an application is deleted with its roles and permissions, in the same transaction. */
  onDelete(transaction: Change, caller: Caller, applicationId: string): Promise<void>;
}

/** Internal roles and permissions work in every application, so only administrators may create, change, link and delete them. */
export function permitInternal(caller: Caller, action: Action): void {
  if (!isAllowed(caller, 'manage_internal')) fail('auth.forbidden', { action: `${action} (is_internal)` });
}

export function createManagers({ userPermissions }: { userPermissions: UserPermissionsReader }): Managers {
  async function managedBy(userId: string, ...permissions: readonly InternalPermission[]): Promise<readonly string[]> {
    const candidates = await userPermissions.applicationsOf(userId);
    const manages = await Promise.all(candidates.map((id) => userPermissions.has(userId, id, ...permissions)));
    return candidates.filter((_, index) => manages[index]);
  }

  return {
    managedBy,
    async hasPermission(caller, applicationId, ...permissions) {
      // An administrator needs no permission, so nothing is read.
      if (applicationId === undefined || isAdministrator(caller)) return false;
      return userPermissions.has(caller.userId, applicationId, ...permissions);
    },
    async managedApplications(caller, ...permissions) {
      if (isAdministrator(caller)) return undefined;
      if (!isInPerson(caller) || isDelegated(caller)) return [];
      return managedBy(caller.userId, ...permissions);
    },
    async onRegistered({ tx, audit, invalidate }, caller, applicationId) {
      if (isAdministrator(caller)) return;
      const { userId } = caller;
      const organizationId = (await findUser(tx, userId))?.default_project_id ?? fail('organization.no_default');
      await insertUserAssignment(tx, { userId, organizationId, applicationId, roleId: PROVIDER });
      invalidate(appTagOf.user(userId));
      audit(
        'app_role.assigned',
        { kind: 'app_role', id: PROVIDER },
        { user_id: userId, organization_id: organizationId, application_id: applicationId },
      );
    },
    async onDelete({ tx, invalidate }, caller, applicationId) {
      // Other applications depend on internal roles and permissions that are deleted with it.
      if (!(await hasInternal(tx, applicationId))) return;
      permitInternal(caller, 'delete_consumer');
      invalidate(tagOf.everything);
    },
  };
}
