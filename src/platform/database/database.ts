// What a service sees of its database: queries to read, one way to write, and news of what others wrote.
import type { Kysely } from 'kysely';
import type { Caches } from './caches.ts';

declare const inTransaction: unique symbol;

/** Queries inside a transaction. Await nothing foreign (a hash, a fetch) while holding one: on SQLite every writer waits. */
export type Tx<S> = Kysely<S> & { readonly [inTransaction]: true };

/** Either; what only reads takes this. */
export type Reader<S> = Kysely<S>;

export type Dialect = 'sqlite' | 'postgres';

export interface Feed {
  /** False while changes of other processes may be missed: then nothing may be answered from memory. The caches see to it. */
  live(): boolean;
  /** `undefined` tags mean that anything may have changed. */
  onChange(handler: (tags: readonly string[] | undefined) => void): void;
}

export interface Database<S> extends Caches {
  readonly dialect: Dialect;
  readonly read: Reader<S>;
  readonly feed: Feed;
  /** Runs the work in one transaction; durable when the promise resolves. `tags` name what caches must drop. */
  write<T>(work: (tx: Tx<S>, invalidate: (tag: string) => void) => Promise<T>): Promise<T>;
  /** What was deleted is gone from the files of an embedded database too, its log included. A server keeps its own. */
  scrub(): Promise<void>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The local half of every feed: handlers, called after commit. */
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
