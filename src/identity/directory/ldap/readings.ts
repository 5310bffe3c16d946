// Synchronizes the directories from time to time, each in its own turn: a slow one does not hold up the others.
import { inBackground, notCounted } from '../../../platform/deadline.ts';
import { Fault } from '../../../platform/faults/index.ts';
import { type Job, repeat } from '../../../platform/jobs/index.ts';
import { waitAtMost } from '../../../platform/wait-at-most.ts';
import { fault } from '../../ground/faults.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { away } from './away.ts';
import { type DirectoryClients, mappedOf } from './clients.ts';
import { lastSync, lastSyncs, noteReading, noteSync } from './directories.store.ts';
import type { Directory } from './directory.ts';
import type { KeepDeps } from './keep-users.rules.ts';
import type { Synchronize } from './synchronize.ts';

/** How often it is looked whether it is time. */
const LOOK_MS = 1000;
/** How long a list waits for a synchronization. */
const PATIENCE_MS = 30_000;
/** The longest synchronization. Then the next one begins from the start. */
const LONGEST_MS = 1_800_000;

/** What servers say may be long. */
const LONGEST_FAILURE = 500;

export interface ReadingDeps extends Pick<KeepDeps, 'db' | 'clock' | 'log'> {
  readonly clients: DirectoryClients;
  readonly synchronize: Synchronize;
  /** Read each time: administrators change it while the service runs. */
  readonly rules: Pick<IdentityConfig, 'directorySyncSeconds'>;
}

export function createReadings({ db, clock, log, clients, synchronize, rules }: ReadingDeps) {
  const running = new Map<string, Promise<void>>();
  let job: Job | undefined;
  let first: Promise<void> | undefined;
  const stopping = new AbortController();

  /** Whether the domain has another directory by now, or none. */
  const isFormer = async (domainId: string, directory: Directory): Promise<boolean> =>
    !stopping.signal.aborted && (await clients.of(domainId)) !== directory;

  /** Must not hide why it failed. */
  async function noteFailure(domainId: string, begun: number, error: unknown): Promise<void> {
    const reason = (error instanceof Fault ? error.reason : undefined) ?? (error as Error).message;
    const failure = reason
      .replace(/^directory of \S+: /, '')
      .split('\n')[0]!
      .slice(0, LONGEST_FAILURE);
    const nothing = { users: 0, groups: 0, closed: 0 };
    await noteReading(db, { domain_id: domainId, began_at: begun, ended_at: clock.now(), failure, ...nothing }).catch((err) =>
      log.warn({ domain: domainId, err }, 'the failure of a reading could not be stored'),
    );
  }

  async function read(domainId: string): Promise<void> {
    const directory = await clients.of(domainId);
    if (!directory) return;
    const begun = clock.now();
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(LONGEST_MS)]);
    const outcome = await synchronize(directory, { domainId, ...mappedOf(directory.ldap) }, signal).catch(async (error) => {
      if (await isFormer(domainId, directory)) return undefined;
      const failure = signal.aborted ? away(domainId, new Error('the synchronization took too long, or was stopped')) : error;
      if (!stopping.signal.aborted) await noteFailure(domainId, begun, failure);
      throw failure;
    });
    // What the former one said does not count.
    if (!outcome || (await isFormer(domainId, directory))) return read(domainId);
    await noteSync(db, domainId, begun);
    await noteReading(db, { domain_id: domainId, began_at: begun, ended_at: clock.now(), failure: null, ...outcome });
    log.info({ domain: domainId, ...outcome, ms: clock.now() - begun }, 'directory synchronized');
  }

  /** One at a time for each domain. Others wait for the same one, so it is not limited by the time of the request that began it. */
  function sync(domainId: string): Promise<void> {
    const underWay = running.get(domainId);
    if (underWay) return underWay;
    const begun = inBackground(() => read(domainId)).finally(() => running.delete(domainId));
    running.set(domainId, begun);
    return begun;
  }

  const ageMs = async (domainId: string): Promise<number> =>
    clock.now() - ((await lastSync(db.read, domainId)) ?? Number.NEGATIVE_INFINITY);

  /** Skipped when another process has just done it, and while the last one still runs. */
  async function readOne(domainId: string): Promise<void> {
    if (stopping.signal.aborted || running.has(domainId)) return;
    try {
      if ((await ageMs(domainId)) >= rules.directorySyncSeconds * 500) await sync(domainId);
    } catch (err) {
      if (!stopping.signal.aborted) log.warn({ domain: domainId, err }, 'directory not synchronized; it will be tried again');
    }
  }

  /** Begins, and does not wait: the next round must not wait for the slowest directory. */
  async function round(): Promise<void> {
    for (const domainId of await clients.domains()) void readOne(domainId);
  }

  return {
    /** Synchronizes first when the last time is longer ago than twice the interval. */
    async notTooOld(domainId: string): Promise<void> {
      if ((await ageMs(domainId)) < rules.directorySyncSeconds * 2000) return;
      const reading = sync(domainId);
      await notCounted(() =>
        waitAtMost(
          PATIENCE_MS,
          reading.then(() => undefined),
        ),
      );
      if (running.get(domainId) === reading)
        throw fault('directory.unavailable', undefined, {
          headers: { 'Retry-After': '5' },
          reason: `directory of ${domainId}: first synchronization takes long`,
        });
    },

    /** When each directory was last read (milliseconds). */
    async lastReadings() {
      const domainIds = await clients.domains();
      if (domainIds.length === 0) return [];
      const syncs = await lastSyncs(db.read);
      return domainIds.map((domainId) => ({ domainId, at: syncs.get(domainId) }));
    },

    isReading: (domainId: string): boolean => running.has(domainId),

    /** Begins. How it went is in the state of the directory. */
    readNow(domainId: string): void {
      if (!stopping.signal.aborted)
        sync(domainId).catch((err) => log.warn({ domain: domainId, err }, 'directory not synchronized; it will be tried again'));
    },

    /** After directories were connected: those that were never read are read now. */
    readNew(): void {
      round().catch((err) => log.warn({ err }, 'directories not synchronized; they will be tried again'));
    },

    start(): void {
      let begun = performance.now();
      first = round().catch((err) => log.warn({ err }, 'directories not synchronized; they will be tried again'));
      job = repeat({
        everyMs: LOOK_MS,
        // A shorter interval counts at once, also during a long one that has begun.
        async run() {
          if (performance.now() - begun < rules.directorySyncSeconds * 1000) return;
          begun = performance.now();
          await round();
        },
        log,
        failure: 'directories not synchronized; they will be tried again',
      });
    },

    /** `closing` closes the connections, so that a running synchronization ends. */
    async stop(closing: () => Promise<void>): Promise<void> {
      stopping.abort();
      await closing();
      await Promise.allSettled([job?.stop(), first, ...running.values()]);
    },
  };
}

export type Readings = ReturnType<typeof createReadings>;
