// The tables of what was moved in from other systems. Booleans are 0 or 1.

export interface ImportedThingRow {
  source: string;
  key: string;
  kind: string;
  local_id: string | null;
  digests: string;
}

export type RunState = 'running' | 'finished' | 'stopped';

export interface ImportRunRow {
  id: string;
  source: string;
  kind: string;
  rehearsal: number;
  merges: string;
  domain_id: string | null;
  user_id: string | null;
  state: RunState;
  started_at: number;
  updated_at: number;
  report: string;
}

export interface ImportTables {
  imported_things: ImportedThingRow;
  import_runs: ImportRunRow;
  imported_forms: { domain_id: string; form: string; passwords: number; stored: number };
}
