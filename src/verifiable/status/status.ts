// The status of credentials, from the status lists of their issuers.

import type { Clock } from '../../platform/clock.ts';
import { forEachConcurrently } from '../../platform/for-each-concurrently.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Trust } from '../trust/index.ts';
import { type CredentialStatus, createLists, type IssuerIdentity, type StatusList, type VerifyList } from './lists.ts';
import type { ReadableEntry, StatusEntry, StatusReference } from './references.ts';

const MAX_LISTS = 200;
const AT_ONCE = 8;
/** How long a failed list is not fetched again. Shorter if a fresh list is requested. */
const FAILED_MS = 60_000;
const FAILED_FRESH_MS = 5_000;

/** The worst status first. An unknown entry is worse than a valid one. */
const WORST: readonly CredentialStatus[] = ['revoked', 'suspended', 'unknown', 'valid'];

/** A credential whose status is checked. */
export interface StatusCheck extends IssuerIdentity {
  readonly reference: StatusReference;
}

const entriesOf = ({ also = [], ...first }: StatusReference): StatusEntry[] => [first, ...also];

/** Cache key. A list that is verified for one issuer is not valid for another. */
const nameOf = ({ kind, uri }: ReadableEntry, { issuer, authorityKeyIds, isOfDocument }: IssuerIdentity): string =>
  JSON.stringify([kind, uri, issuer, authorityKeyIds, isOfDocument]);

/** Removes the oldest entry beyond the limit. */
function put<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > MAX_LISTS) map.delete(map.keys().next().value!);
}

/** Concurrent callers share one call. */
function shareInFlight<T>() {
  const running = new Map<string, Promise<T>>();
  return (name: string, work: () => Promise<T>): Promise<T> => {
    const inFlight = running.get(name);
    if (inFlight) return inFlight;
    const started = work().finally(() => running.delete(name));
    running.set(name, started);
    return started;
  };
}

function readAll(reference: StatusReference, listOf: (entry: ReadableEntry) => StatusList | undefined): CredentialStatus {
  const found = entriesOf(reference).map((entry): CredentialStatus => {
    try {
      return entry.kind === 'unreadable' ? 'unknown' : (listOf(entry)?.read(entry) ?? 'unknown');
    } catch {
      return 'unknown';
    }
  });
  return WORST.find((status) => found.includes(status))!;
}

/** Runs a few at a time, until all are done or the deadline is reached. Running work then continues in the background. */
async function runAll(work: readonly (() => Promise<void>)[], deadlineMs: number | undefined): Promise<void> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const all = forEachConcurrently(AT_ONCE, work, async (one) => {
    if (!isLate) await one();
  });
  const deadline = new Promise<void>((resolve) => {
    if (deadlineMs !== undefined) timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([all, deadline]);
  isLate = true;
  clearTimeout(timer);
}

export function createStatus(deps: { outbound: Outbound; trust: Trust; clock: Clock; verifyList: VerifyList }) {
  const { clock } = deps;
  const lists = createLists(deps);
  const cache = new Map<string, StatusList>();
  /** When a list could not be fetched or verified. */
  const failed = new Map<string, number>();
  const fetching = shareInFlight<string>();
  const getting = shareInFlight<StatusList | undefined>();

  async function get(entry: ReadableEntry, by: IssuerIdentity, name: string): Promise<StatusList | undefined> {
    try {
      const text = await fetching(`${entry.kind} ${entry.uri}`, () => lists.fetchText(entry));
      const list = await lists.verify(entry, text, by);
      put(cache, name, list);
      failed.delete(name);
      return list;
    } catch {
      put(failed, name, clock.now());
      return undefined;
    }
  }

  async function listOf(entry: ReadableEntry, by: IssuerIdentity, fresh: boolean): Promise<StatusList | undefined> {
    const name = nameOf(entry, by);
    const cached = cache.get(name);
    if (cached && !fresh && clock.now() < cached.until) return cached;
    const failedAt = failed.get(name);
    if (failedAt !== undefined && clock.now() - failedAt < (fresh ? FAILED_FRESH_MS : FAILED_MS)) return undefined;
    return getting(name, () => get(entry, by, name));
  }

  /** Results are in the same order. Each list is fetched at most once. Lists that miss the deadline give `unknown`. */
  async function ofAll(
    looks: readonly StatusCheck[],
    { fresh = false, deadlineMs }: { fresh?: boolean; deadlineMs?: number } = {},
  ): Promise<CredentialStatus[]> {
    const found = new Map<string, StatusList | undefined>();
    const work = new Map<string, () => Promise<void>>();
    for (const look of looks)
      for (const entry of entriesOf(look.reference)) {
        if (entry.kind === 'unreadable') continue;
        const name = nameOf(entry, look);
        work.set(name, async () => void found.set(name, await listOf(entry, look, fresh)));
      }
    await runAll([...work.values()], deadlineMs);
    return looks.map((look) => readAll(look.reference, (entry) => found.get(nameOf(entry, look))));
  }

  return {
    /**
     * The worst status of its entries; unknown if a list cannot be fetched or is not valid. With an issuer, only lists signed by
     * the issuer or by the host of the list count.
     */
    async of(
      reference: StatusReference,
      { fresh = false, ...by }: IssuerIdentity & { fresh?: boolean } = {},
    ): Promise<CredentialStatus> {
      const [status] = await ofAll([{ reference, ...by }], { fresh });
      return status!;
    },
    ofAll,
  };
}

export type Status = ReturnType<typeof createStatus>;
