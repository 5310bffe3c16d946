// Copies all users and groups of a directory into rows. LDAP is never asked within a transaction.
import type { Directory } from './directory.ts';
import { createGroupSync } from './sync-groups.ts';
import type { SyncDeps, UserIds } from './sync-run.ts';
import { createUserSync } from './sync-users.ts';

export interface SyncOutcome {
  readonly users: number;
  readonly groups: number;
  readonly closed: number;
}

export function createSynchronize(deps: SyncDeps) {
  const { clock, log } = deps;
  const { readUsers, closeMissing } = createUserSync(deps);
  const syncGroups = createGroupSync(deps);

  return async (
    directory: Directory,
    { domainId, users: mapped, groups: mappedOfGroups }: SyncedDomain,
    signal: AbortSignal,
  ): Promise<SyncOutcome> => {
    const run = { directory, domainId, begun: clock.now(), signal };
    const ids: UserIds = { byLocalId: new Map(), byDn: new Map() };
    const domain = { domainId, mapped };
    const { seen, complete } = await readUsers(run, domain, ids);
    if (!complete)
      log.warn(
        { domain: domainId, entries: seen.size },
        'the directory did not list all users; those who are missing are asked for one by one, and new ones appear with their first login; check page_size and the limits of the server',
      );
    // An empty list may be a wrong setting: nobody is closed, and no group emptied.
    if (seen.size === 0) return { users: 0, closed: 0, groups: 0 };
    const closed = await closeMissing(run, domain, seen, ids);
    return { users: seen.size, closed, groups: await syncGroups(run, { domainId, mapped: mappedOfGroups }, ids) };
  };
}

export interface SyncedDomain {
  readonly domainId: string;
  /** Names of the additional attributes. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export type Synchronize = ReturnType<typeof createSynchronize>;
