// Metrics of the database of a service: its connections, its feed of changes and its caches.
import type { Database } from '../database/index.ts';
import type { MetricDefinition, MetricDefinitions } from './definition.ts';
import type { Metrics } from './metrics.ts';

const CACHE = { cache: 'the name of the cache' };

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
