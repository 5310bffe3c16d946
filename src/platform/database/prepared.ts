// Frequent queries are compiled once: building and compiling a query takes several times as long as SQLite needs to answer it.
import type { CompiledQuery, Kysely } from 'kysely';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Reader } from './database.ts';

class Placeholder {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** A database that answers synchronously. */
export interface SynchronousDatabase {
  rows(sql: string, parameters: readonly unknown[]): unknown[];
  row(sql: string, parameters: readonly unknown[]): unknown;
}

const synchronousDatabases = new WeakMap<object, SynchronousDatabase>();

/**
 * Prepared queries of this database bypass the query builder. Its own way (pools, locks, plugins, a dozen promises) costs as much as
 * the query itself.
 */
export function answerSynchronously<S>(db: Reader<S>, database: SynchronousDatabase): void {
  synchronousDatabases.set(db, database);
}

type BuildQuery<S, P extends readonly unknown[], R> = (db: Kysely<S>, ...parameters: P) => { compile(): CompiledQuery<R> };

/** Returns the query, compiled on first use, and its parameters with the values filled in. */
function compiler<S, P extends readonly unknown[], R>(build: BuildQuery<S, P, R>) {
  const compiled = new Map<unknown, CompiledQuery<R>>();
  return (db: Reader<S>, values: P): { query: CompiledQuery<R>; parameters: readonly unknown[] } => {
    const dialect = db.getExecutor().adapter.constructor;
    let query = compiled.get(dialect);
    if (!query) {
      const placeholders = values.map((_, index) => new Placeholder(index)) as readonly unknown[] as P;
      query = build(db, ...placeholders).compile();
      compiled.set(dialect, query);
    }
    return { query, parameters: query.parameters.map((value) => (value instanceof Placeholder ? values[value.index] : value)) };
  };
}

/**
 * `preparedRows((db, id: string) => db.selectFrom('users').selectAll().where('id', '=', id))`. The result is called with a database and
 * the values.
 */
export function preparedRows<S, P extends readonly unknown[], R>(
  build: BuildQuery<S, P, R>,
): (db: Reader<S>, ...values: P) => MaybePromise<R[]> {
  const compile = compiler(build);
  return (db, ...values) => {
    const { query, parameters } = compile(db, values);
    const database = synchronousDatabases.get(db);
    return database
      ? (database.rows(query.sql, parameters) as R[])
      : db.executeQuery<R>({ ...query, parameters }).then(({ rows }) => rows);
  };
}

/** The same for a query that finds one row or none. */
export function preparedRow<S, P extends readonly unknown[], R>(
  build: BuildQuery<S, P, R>,
): (db: Reader<S>, ...values: P) => MaybePromise<R | undefined> {
  const compile = compiler(build);
  return (db, ...values) => {
    const { query, parameters } = compile(db, values);
    const database = synchronousDatabases.get(db);
    return database
      ? (database.row(query.sql, parameters) as R | undefined)
      : db.executeQuery<R>({ ...query, parameters }).then(({ rows }) => rows[0]);
  };
}
