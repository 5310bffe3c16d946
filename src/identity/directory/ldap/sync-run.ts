// What the steps of a synchronization share.
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Database } from '../../ground/database/index.ts';
import type { UserClosing } from './close-users.rules.ts';
import type { Directory } from './directory.ts';
import { dnKey } from './dn.ts';
import type { GroupKeeping } from './keep-groups.rules.ts';
import type { MemberKeeping } from './keep-members.rules.ts';
import type { UserKeeping } from './keep-users.rules.ts';
import type { LeftOut } from './left-out.ts';

export interface SyncDeps extends UserKeeping, UserClosing, GroupKeeping, MemberKeeping {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly leftOut: LeftOut;
}

export interface SyncRun {
  readonly directory: Directory;
  readonly domainId: string;
  readonly begun: number;
  readonly signal: AbortSignal;
}

/** User ids by the id in the directory, and by DN. */
export interface UserIds {
  readonly byLocalId: Map<string, string>;
  readonly byDn: Map<string, string>;
}

export const TWICE = 'another entry has its id';

/** Entries by id. Those whose id occurs twice are in `twice` instead. */
export function byUniqueId<T extends { readonly localId: string; readonly dn: string }>(entries: Iterable<T>) {
  const unique = new Map<string, T>();
  const twice = new Map<string, T[]>();
  for (const entry of entries) {
    const other = unique.get(entry.localId);
    const others = twice.get(entry.localId);
    if (others) others.push(entry);
    else if (other && dnKey(other.dn) !== dnKey(entry.dn)) {
      unique.delete(entry.localId);
      twice.set(entry.localId, [other, entry]);
    } else unique.set(entry.localId, entry);
  }
  return { unique, twice };
}
