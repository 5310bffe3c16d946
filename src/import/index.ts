// Moving in: sources are read here, and their records are given to a service. What becomes of them is in src/identity/provisioning/import.
export type { Report } from './report.ts';
export { runImport } from './run.ts';
export { runningService } from './running-service.ts';
export { ImportError, type OpenSource, type SourceKind } from './source.ts';
export { SOURCE_NAMES, SOURCES } from './sources/index.ts';
export type { Target } from './target.ts';
