// One typed query layer for SQLite and PostgreSQL.
// When PostgreSQL cannot be reached: reachability.ts, connection-pool.ts, hosts.ts, wait-for-database.ts, time-limits.ts. When the database is
// read-only or full: writability.ts.

export { takeAdvisoryLock, takeAdvisoryLocks } from './advisory-lock.ts';
export type { Cache, CacheCounts, Feed } from './cache.ts';
export { type Caches, createCaches } from './caches.ts';
export type { Database, DatabaseUsage, Dialect, Reader, Tx } from './database.ts';
export {
  DatabaseUnavailable,
  isForeignKeyViolation,
  isUnavailable,
  isUniqueViolation,
  isUnreachable,
  isUnwritable,
} from './errors.ts';
export { type FilterComparison, filterCondition, INEXACT_COMPARISONS, isIn, isOneOf, type SqlCondition } from './filters.ts';
export { insertRows, type RowsByTable } from './insert-rows.ts';
export type {
  HostState,
  InspectedDatabase,
  MigrationState,
  PostgresInspection,
  ServerInspection,
  SqliteInspection,
} from './inspection.ts';
export { FolderInUse, type FolderLock, lockFolder } from './lock.ts';
export { lockRow, lockRows } from './lock-row.ts';
export { type Part, readParts } from './monthly-parts.ts';
export { dropPart, keepMonths, type MonthlyTable, type MonthsResult } from './monthly-table.ts';
export { type DatabaseOptions, openDatabase, readDatabase } from './open.ts';
export { type PageRequest, type RowPage, readPage, type SortOrder } from './page.ts';
export { preparedRow, preparedRows } from './prepared.ts';
export { beginsWith, readSearchPage } from './search.ts';
export { KeyedLocks } from './semaphore.ts';
export type { DatabaseReader } from './sqlite-reader.ts';
export type { StandbyState, StandbyUsage } from './standby.ts';
export type { StandbyInspection } from './standby-inspection.ts';
export { withLongStatements } from './time-limits.ts';
export { DATABASE_UNREACHABLE_EXIT, type DatabaseWait, DatabaseWaitTimeout, databaseWaitOf } from './wait-for-database.ts';

/** For `gatehouse move-to-postgres`. Loaded when it is needed, because it brings the driver of PostgreSQL. */
export const loadCopyToPostgres = () => import('./copy-to-postgres.ts');

/** For `gatehouse doctor`. Loaded when it is needed, because it brings the driver of PostgreSQL. */
export const loadInspection = () => import('./inspection.ts');
export const loadStandbyInspection = () => import('./standby-inspection.ts');
export { withNext } from './with-next.ts';
