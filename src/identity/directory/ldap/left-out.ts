// Entries that cannot become rows are left out. Each is logged once a day.
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { EntryKind } from './public-id.ts';

/** On one day. */
const MOST_LOGGED = 1000;
const DAY_MS = 86_400_000;

export type LeftOut = (kind: EntryKind, domainId: string, localId: string, why: string) => void;

export function createLeftOut({ log, clock }: { readonly log: Log; readonly clock: Clock }): LeftOut {
  const logged = new Set<string>();
  let since = Number.NEGATIVE_INFINITY;
  return (kind, domainId, localId, why) => {
    if (clock.now() - since >= DAY_MS) {
      logged.clear();
      since = clock.now();
    }
    const key = `${kind} ${domainId} ${localId} ${why}`;
    if (logged.has(key) || logged.size > MOST_LOGGED) return;
    logged.add(key);
    if (logged.size <= MOST_LOGGED) log.warn({ domain: domainId, [kind]: localId }, `entry of the directory left out: ${why}`);
    else log.warn('more entries of directories are left out; they are named again in a day');
  };
}
