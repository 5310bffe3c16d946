// Hot queries are compiled once: building and compiling a query costs several times what SQLite needs to answer it.
import type { CompiledQuery, Kysely } from 'kysely';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Reader } from './database.ts';

class Placeholder {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** A database that answers at once. */
export interface SynchronousDatabase {
  rows(sql: string, parameters: readonly unknown[]): unknown[];
  row(sql: string, parameters: readonly unknown[]): unknown;
}

const synchronousDatabases = new WeakMap<object, SynchronousDatabase>();

/**
 * Prepared queries of this database go straight to it. The query builder's own way (pools, locks, plugins, a dozen
 * promises) costs as much as SQLite does.
 */
export function answerSynchronously<S>(db: Reader<S>, direct: SynchronousDatabase): void {
  synchronousDatabases.set(db, direct);
}

type BuildQuery<S, P extends readonly unknown[], R> = (db: Kysely<S>, ...parameters: P) => { compile(): CompiledQuery<R> };

/** The query, compiled when it is first asked for, and the values in the places of its parameters. */
function compiler<S, P extends readonly unknown[], R>(build: BuildQuery<S, P, R>) {
  const compiled = new Map<unknown, CompiledQuery<R>>();
  return (db: Reader<S>, values: P): { query: CompiledQuery<R>; parameters: readonly unknown[] } => {
    const dialect = db.getExecutor().adapter.constructor;
    let query = compiled.get(dialect);
    if (!query) {
      const stand = values.map((_, index) => new Placeholder(index)) as readonly unknown[] as P;
      query = build(db, ...stand).compile();
      compiled.set(dialect, query);
    }
    return { query, parameters: query.parameters.map((value) => (value instanceof Placeholder ? values[value.index] : value)) };
  };
}

/** `prepared((db, id: string) => db.selectFrom('users').selectAll().where('id', '=', id))`: called with a database and the values. */
export function preparedRows<S, P extends readonly unknown[], R>(
  build: BuildQuery<S, P, R>,
): (db: Reader<S>, ...values: P) => MaybePromise<R[]> {
  const compile = compiler(build);
  return (db, ...values) => {
    const { query, parameters } = compile(db, values);
    const direct = synchronousDatabases.get(db);
    return direct
      ? (direct.rows(query.sql, parameters) as R[])
      : db.executeQuery<R>({ ...query, parameters }).then(({ rows }) => rows);
  };
}

/** The same for a query that finds one row, or none. */
export function preparedRow<S, P extends readonly unknown[], R>(
  build: BuildQuery<S, P, R>,
): (db: Reader<S>, ...values: P) => MaybePromise<R | undefined> {
  const compile = compiler(build);
  return (db, ...values) => {
    const { query, parameters } = compile(db, values);
    const direct = synchronousDatabases.get(db);
    return direct
      ? (direct.row(query.sql, parameters) as R | undefined)
      : db.executeQuery<R>({ ...query, parameters }).then(({ rows }) => rows[0]);
  };
}
