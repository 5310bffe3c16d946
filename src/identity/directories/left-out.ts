// Entries that cannot become rows are left out. Each is logged once.
import type { Log } from '../../platform/log/index.ts';
import type { EntryKind } from './public-id.ts';

const MOST_LOGGED = 1000;

export type LeftOut = (kind: EntryKind, domainId: string, localId: string, why: string) => void;

export function createLeftOut(log: Log): LeftOut {
  const logged = new Set<string>();
  return (kind, domainId, localId, why) => {
    const key = `${kind} ${domainId} ${localId} ${why}`;
    if (logged.has(key) || logged.size >= MOST_LOGGED) return;
    logged.add(key);
    log.warn({ domain: domainId, [kind]: localId }, `entry of the directory left out: ${why}`);
  };
}
