// One typed query layer on SQLite and PostgreSQL.
export { patiently, withBudget } from './budget.ts';
export type { Cache } from './cache.ts';
export { type Caches, createCaches } from './caches.ts';
export type { Database, Dialect, Feed, Reader, Tx } from './database.ts';
export { isForeignKeyViolation, isUnavailable, isUniqueViolation, isUnwritable } from './errors.ts';
export { among, type Comparison, type Condition, condition, INEXACT } from './filters.ts';
export { FolderInUse, type FolderLock, lockFolder } from './lock.ts';
export { lockRow } from './lock-row.ts';
export { oneAtATime } from './one-at-a-time.ts';
export { type DatabaseOptions, openDatabase } from './open.ts';
export { type Page, type PageRequest, readPage } from './page.ts';
export { prepared, preparedRow } from './prepared.ts';
export { type DatabaseReader, readSqlite } from './sqlite-reader.ts';
export { Lines } from './turns.ts';
export { DATABASE_AWAY, DatabaseAway, type Waiting, waitingOf } from './wait-for.ts';
