// Moving in: records of another system become things of this service (batch.rules.ts), by kinds (kinds/) that know how. `gatehouse import`
// (src/import) reads the sources. docs/developing/import-source.md says how to add one.
export type { Outcome, Taken } from './entries.ts';
export { mountImports } from './imports.routes.ts';
export { createImports, type Imports, type NewRun } from './imports.rules.ts';
export { MOST_RECORDS } from './imports.schema.ts';
export type { Remark } from './kind.ts';
export { IMPORT_ORDER, type ImportKindName, type RecordOf } from './kinds/index.ts';
