// Each process writes every ten seconds that it is there. It is bookkeeping: nothing waits for it, and nothing fails with it.
import { hostname } from 'node:os';
import { type Clock, isoTime, seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { type Job, repeat } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { version } from '../../../version.ts';
import type { Database, ReplicaRow } from '../../ground/database/index.ts';
import { type Beat, deleteLongSilent, deleteReplica, readReplicas, type SeenReplica, writeBeat } from './replicas.store.ts';

const BEAT_MS = 10_000;

export interface ReplicaDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The number of this process among the workers of its machine. */
  readonly worker?: number | undefined;
}

const byPlace = (a: ReplicaRow, b: ReplicaRow): number =>
  a.host.localeCompare(b.host) || (a.worker ?? 0) - (b.worker ?? 0) || a.started_at - b.started_at;

export function createReplicas({ db, clock, log, worker }: ReplicaDeps) {
  const id = newId();
  const begun = performance.now();
  /** With SQLite there is no other process, and whoever asks this one knows that it runs. */
  const isShared = db.dialect === 'postgres';
  let job: Job | undefined;
  let first: Promise<void> | undefined;

  function beatNow(): Beat {
    const { isFeedLive, feedLagSeconds } = db.usage();
    return {
      id,
      host: hostname(),
      worker: worker ?? null,
      version,
      uptime: Math.round((performance.now() - begun) / 1000),
      lag_ms: Math.round(feedLagSeconds * 1000),
      is_live: Number(isFeedLive),
    };
  }
  const beat = (): Promise<void> => db.write((tx) => writeBeat(tx, beatNow()));

  /** As this process knows itself: its row may be old while the database takes no writes. */
  function own(stored: SeenReplica | undefined): SeenReplica {
    const { uptime, ...now } = beatNow();
    const at = seconds(clock);
    return { ...now, started_at: stored?.started_at ?? at - uptime, seen_at: stored?.seen_at ?? at, is_silent: false };
  }

  return {
    start(): void {
      if (!isShared) return;
      job = repeat({
        everyMs: BEAT_MS,
        run: beat,
        log,
        failure: 'that this process is there was not stored; the list of replicas shows it as silent',
        logsOnce: true,
      });
      first = beat().catch(() => {});
    },

    /** One that is stopped leaves the list, one that is killed falls silent. */
    async stop(): Promise<void> {
      await job?.stop();
      await first;
      if (isShared) await db.write((tx) => deleteReplica(tx, id)).catch(() => {});
    },

    async list() {
      const rows = isShared ? await readReplicas(db.read) : [];
      const others = rows.filter((row) => row.id !== id);
      const all = [own(rows.find((row) => row.id === id)), ...others].sort(byPlace);
      return all.map((row) => ({
        id: row.id,
        host: row.host,
        worker: row.worker,
        version: row.version,
        started_at: isoTime(row.started_at * 1000),
        last_seen_at: isoTime(row.seen_at * 1000),
        state: row.is_silent ? ('silent' as const) : ('running' as const),
        lag_ms: row.lag_ms,
        answers_from_memory: row.is_live === 1,
        is_this: row.id === id,
      }));
    },

    /** Those that are not forgotten yet. Not this one, whatever its row says. */
    countSilent: async (): Promise<number> =>
      isShared ? (await readReplicas(db.read)).filter((row) => row.is_silent && row.id !== id).length : 0,

    sweep: async (): Promise<number> => (isShared ? db.write((tx) => deleteLongSilent(tx)) : 0),
  };
}

export type Replicas = ReturnType<typeof createReplicas>;
