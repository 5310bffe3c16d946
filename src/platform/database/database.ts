// The database as a service sees it: queries to read, one function to write, and a feed of changes by other processes.
import type { Kysely } from 'kysely';
import type { Feed } from './cache.ts';
import type { Caches } from './caches.ts';
import type { RowsByTable } from './insert-rows.ts';
import type { StandbyUsage } from './standby.ts';

declare const inTransaction: unique symbol;

/** Queries inside a transaction. Do not await anything else (a hash, a fetch) inside it: on SQLite every other writer waits. */
export type Tx<S> = Kysely<S> & { readonly [inTransaction]: true };

/** Queries inside or outside a transaction. Functions that only read take this. */
export type Reader<S> = Kysely<S>;

export type Dialect = 'sqlite' | 'postgres';

/** How busy the database is, for the metrics. */
export interface DatabaseUsage {
  readonly isFeedLive: boolean;
  /** Age of the last proof that no change of another process is missing; 0 if there are no other processes. */
  readonly feedLagSeconds: number;
  /** Connections that may be open. */
  readonly connections: number;
  readonly inUse: number;
  /** Callers that wait for a connection, or for their turn to write. */
  readonly waiting: number;
  /** The standbys that lists may be read from. */
  readonly standbys: readonly StandbyUsage[];
  /** Reads for lists that the primary answered, if there are standbys. */
  readonly primaryReads: number;
}

export interface Database<S> extends Caches {
  readonly dialect: Dialect;
  readonly read: Reader<S>;
  /**
   * For lists, searches, exports and counts, never for a decision: from a standby if there is one. It has all that was committed before the read
   * began, whoever committed it (ADR 035).
   */
  readonly lists: Reader<S>;
  readonly feed: Feed;
  /**
   * Runs the work in one transaction; durable when the promise resolves. `tags` name what caches must drop. `last` takes rows that are inserted when the work is done,
   * before the commit: on PostgreSQL in one statement with what other processes are told.
   */
  write<T>(work: (tx: Tx<S>, invalidate: (tag: string) => void, last: (rows: RowsByTable<S>) => void) => Promise<T>): Promise<T>;
  /**
   * The same for a single statement that is a change of its own, and on which no cache depends. On PostgreSQL it needs no transaction around it, which
   * would be two more round trips.
   */
  writeStatement<T>(statement: (tx: Tx<S>) => Promise<T>): Promise<T>;
  /**
   * The same for what a request that is given up must not leave behind, because its client sends it again. In a transaction, which can be undone, unless the
   * server ends the statement before the request is given up: that is known only when it has its turn and its connection.
   */
  writeUndoably<T>(statement: (tx: Tx<S>) => Promise<T>): Promise<T>;
  /** Removes deleted data from the files of an embedded database, including its log. Does nothing on PostgreSQL. */
  scrub(): Promise<void>;
  /** Work that changes tables or takes long: on a connection of its own, without time limits. PostgreSQL only. */
  onOwnConnection<T>(work: (db: Reader<S>) => Promise<T>): Promise<T>;
  usage(): DatabaseUsage;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The handlers of a feed in this process. They are called after commit. */
export class Subscribers {
  readonly #handlers: ((tags: readonly string[] | undefined) => void)[] = [];

  add(handler: (tags: readonly string[] | undefined) => void): void {
    this.#handlers.push(handler);
  }

  notify(tags: readonly string[] | undefined): void {
    if (tags?.length === 0) return;
    for (const handler of this.#handlers) handler(tags);
  }
}
