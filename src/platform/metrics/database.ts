// Metrics of the database of a service: its connections, its feed of changes and its caches.
import type { Database, StandbyUsage } from '../database/index.ts';
import type { MetricDefinition, MetricDefinitions } from './definition.ts';
import type { Metrics } from './metrics.ts';

const CACHE = { cache: 'the name of the cache' };
const SERVER = { server: 'host and port of a standby' };

/** `prefix`: how the names of a service begin. */
export const databaseMetrics = (prefix: string) =>
  ({
    feedLive: {
      name: `${prefix}_feed_live`,
      type: 'gauge',
      help: '1 while changes of other processes arrive, 0 while everything is read from the database',
      aggregation: 'min',
    },
    feedLag: {
      name: `${prefix}_feed_lag_seconds`,
      type: 'gauge',
      help: 'Age of the last proof that no change of another process is missing. Above 0.75 nothing is answered from memory. 0 on SQLite',
      aggregation: 'max',
    },
    poolSize: {
      name: `${prefix}_database_pool_size`,
      type: 'gauge',
      help: 'Connections to the database that may be open. On SQLite 1: the one that writes',
    },
    poolInUse: { name: `${prefix}_database_pool_in_use`, type: 'gauge', help: 'Connections that are in use' },
    poolWaiting: {
      name: `${prefix}_database_pool_waiting`,
      type: 'gauge',
      help: 'Requests and jobs that wait for a connection, or for their turn to write',
    },
    cacheEntries: { name: `${prefix}_cache_entries`, type: 'gauge', help: 'Entries in memory', labels: CACHE },
    cacheHits: { name: `${prefix}_cache_hits_total`, type: 'counter', help: 'Answers from memory', labels: CACHE },
    cacheMisses: {
      name: `${prefix}_cache_misses_total`,
      type: 'counter',
      help: 'Questions that memory had no answer to, so that the database was asked',
      labels: CACHE,
    },
  }) as const satisfies MetricDefinitions;

type DatabaseMetrics = Readonly<Record<keyof ReturnType<typeof databaseMetrics>, MetricDefinition>>;

export function registerDatabase(
  metrics: Metrics,
  definitions: DatabaseMetrics,
  db: Pick<Database<unknown>, 'usage' | 'cacheSizes' | 'cacheHits' | 'cacheMisses'>,
): void {
  metrics.gauge(definitions.feedLive, () => Number(db.usage().isFeedLive));
  metrics.gauge(definitions.feedLag, () => db.usage().feedLagSeconds);
  metrics.gauge(definitions.poolSize, () => db.usage().connections);
  metrics.gauge(definitions.poolInUse, () => db.usage().inUse);
  metrics.gauge(definitions.poolWaiting, () => db.usage().waiting);
  metrics.labelled(definitions.cacheEntries, db.cacheSizes);
  metrics.totals(definitions.cacheHits, db.cacheHits);
  metrics.totals(definitions.cacheMisses, db.cacheMisses);
}

/** Of a service that may read lists from standbys. */
export const standbyMetrics = (prefix: string) =>
  ({
    listReads: {
      name: `${prefix}_list_reads_total`,
      type: 'counter',
      help: 'Reads for lists, searches and exports, if there are standbys for them',
      labels: { server: 'host and port of a standby; `primary`: none was of use' },
    },
    standbyUsed: {
      name: `${prefix}_standby_used`,
      type: 'gauge',
      help: '1 while lists are read from this standby, 0 while it is away, lags, or is no standby of the primary',
      labels: SERVER,
      aggregation: 'min',
    },
    standbyLag: {
      name: `${prefix}_standby_lag_seconds`,
      type: 'gauge',
      help: 'How long a standby took to have what the primary had. Above 0.1 it is not used',
      labels: SERVER,
      aggregation: 'max',
    },
  }) as const satisfies MetricDefinitions;

export function registerStandbys(
  metrics: Metrics,
  definitions: Readonly<Record<keyof ReturnType<typeof standbyMetrics>, MetricDefinition>>,
  db: Pick<Database<unknown>, 'usage'>,
): void {
  const ofStandbys = (value: (one: StandbyUsage) => number): Record<string, number> =>
    Object.fromEntries(db.usage().standbys.map((one) => [one.name, value(one)]));
  metrics.totals(definitions.listReads, () => {
    const reads = ofStandbys((one) => one.reads);
    return Object.keys(reads).length === 0 ? {} : { ...reads, primary: db.usage().primaryReads };
  });
  metrics.labelled(definitions.standbyUsed, () => ofStandbys(({ state }) => Number(state === 'used')));
  metrics.labelled(definitions.standbyLag, () => ofStandbys(({ lagSeconds }) => lagSeconds));
}
