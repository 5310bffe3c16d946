// Who manages an application: those who hold an internal permission in it.

import { type Action, allowed, type Caller, isAdministrator, isInPerson, tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import { fail } from '../faults.ts';
import { findUser } from '../users/index.ts';
import { insertUserAssignment } from './assignments.store.ts';
import type { InternalPermission } from './built-in.ts';
import { appTagOf, type Holdings } from './holdings.ts';
import { hasInternal } from './roles.store.ts';

const PROVIDER = 'provider';

export interface Managers {
  /** Whether the caller holds one of these permissions in it. `undefined` is an application that does not exist. */
  holds(caller: Caller, applicationId: string | undefined, ...permissions: readonly InternalPermission[]): Promise<boolean>;
  /** The applications in which the caller holds one of these permissions; undefined for an administrator: all of them. */
  managed(caller: Caller, ...permissions: readonly InternalPermission[]): Promise<readonly string[] | undefined>;
  /** Whoever registers an application manages it, as its provider in their own organization. Within that change. */
  registered(transaction: Change, caller: Caller, applicationId: string): Promise<void>;
  /** Before an application is deleted with its roles and permissions. Within that change. */
  leaving(transaction: Change, caller: Caller, applicationId: string): Promise<void>;
}

/** What is internal works in every application, so only administrators make, change, link and delete it. */
export function permitInternal(caller: Caller, action: Action): void {
  if (!allowed(caller, 'manage_internal')) fail('auth.forbidden', { action: `${action} (is_internal)` });
}

export function createManagers({
  holdings,
  applicationsOf,
}: {
  holdings: Holdings;
  applicationsOf(userId: string): Promise<readonly string[]>;
}): Managers {
  return {
    async holds(caller, applicationId, ...permissions) {
      // An administrator needs none: their requests do not wait for the answer.
      if (applicationId === undefined || isAdministrator(caller)) return false;
      return holdings.has(caller.userId, applicationId, ...permissions);
    },
    async managed(caller, ...permissions) {
      if (isAdministrator(caller)) return undefined;
      if (!isInPerson(caller)) return [];
      const candidates = await applicationsOf(caller.userId);
      const held = await Promise.all(candidates.map((id) => holdings.has(caller.userId, id, ...permissions)));
      return candidates.filter((_, index) => held[index]);
    },
    async registered({ tx, audit, invalidate }, caller, applicationId) {
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
    async leaving({ tx, invalidate }, caller, applicationId) {
      // Internal roles and permissions go with it, and other applications depend on those.
      if (!(await hasInternal(tx, applicationId))) return;
      permitInternal(caller, 'delete_consumer');
      invalidate(tagOf.everything);
    },
  };
}
