// Where people move in to: a service that runs, or its database before the first start.
import type { ImportKindName, NewRun, Taken } from '../identity/provisioning/import/index.ts';

export type RunEnd = 'finished' | 'stopped';

export interface Target {
  /** Begins an import. Returns its id. */
  begin(run: NewRun): Promise<string>;
  take(runId: string, kind: ImportKindName, records: readonly unknown[]): Promise<readonly Taken[]>;
  report(runId: string, report: Readonly<Record<string, unknown>>, end?: RunEnd): Promise<void>;
  close(): Promise<void>;
}
