// Databases of sources: SQLite, PostgreSQL, and MySQL or MariaDB. They are only read, in one transaction: what changes meanwhile is taken by the next run.
export { flag, jsonOf, secondsOf, textOf } from './columns.ts';
export { openSql } from './open.ts';
export { pages } from './pages.store.ts';
export type { Row, SqlDialect, SqlSource } from './sql.ts';
