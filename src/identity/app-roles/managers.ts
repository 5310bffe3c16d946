// Who may do what with an application: administrators, and those who hold an internal permission in it.
import type { Caller } from '../caller.ts';
import { fail } from '../faults.ts';
import { isAdministrator, isInPerson } from '../policy.ts';
import type { InternalPermission } from './built-in.ts';
import type { Holdings } from './holdings.ts';

export interface Managers {
  /** Goes on, or 403. `undefined` is an application that does not exist: only an administrator may learn that. */
  permit(
    caller: Caller,
    action: string,
    applicationId: string | undefined,
    ...permissions: readonly InternalPermission[]
  ): Promise<void>;
  administrator(caller: Caller, action: string): void;
  /** The applications in which the caller holds one of these permissions; undefined for an administrator: all of them. */
  managed(caller: Caller, ...permissions: readonly InternalPermission[]): Promise<readonly string[] | undefined>;
}

export function createManagers({
  holdings,
  applicationsOf,
}: {
  holdings: Holdings;
  applicationsOf(userId: string): Promise<readonly string[]>;
}): Managers {
  return {
    async permit(caller, action, applicationId, ...permissions) {
      if (isAdministrator(caller)) return;
      if (
        applicationId === undefined ||
        !isInPerson(caller) ||
        !(await holdings.has(caller.userId, applicationId, ...permissions))
      )
        fail('auth.forbidden', { action });
    },
    administrator(caller, action) {
      if (!isAdministrator(caller)) fail('auth.forbidden', { action });
    },
    async managed(caller, ...permissions) {
      if (isAdministrator(caller)) return undefined;
      if (!isInPerson(caller)) return [];
      const candidates = await applicationsOf(caller.userId);
      const held = await Promise.all(candidates.map((id) => holdings.has(caller.userId, id, ...permissions)));
      return candidates.filter((_, index) => held[index]);
    },
  };
}
