// Tables about the operation of the service. Booleans are 0 or 1.

/** A process. Times are those of the database, in seconds. */
export interface ReplicaRow {
  id: string;
  host: string;
  /** Its number among the workers of its machine; null: it is the only process there. */
  worker: number | null;
  version: string;
  started_at: number;
  seen_at: number;
  /** The age of the last proof that no change of another process is missing. */
  lag_ms: number;
  /** 1: changes of others arrive, so it answers from memory. */
  is_live: number;
}

export interface OperationTables {
  replicas: ReplicaRow;
}
