// Hot queries are compiled once: building and compiling a query costs several times what SQLite needs to answer it.
import type { CompiledQuery, Kysely } from 'kysely';
import type { Reader } from './database.ts';

class Parameter {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

/** Answers a compiled query at once. */
type Direct = (sql: string, parameters: readonly unknown[]) => unknown[];
const directs = new WeakMap<object, Direct>();

/**
 * Prepared queries of this database go straight to it. The query builder's own way (pools, locks, plugins, a dozen
 * promises) costs as much as SQLite does.
 */
export function answerDirectly<S>(db: Reader<S>, direct: Direct): void {
  directs.set(db, direct);
}

type Placeholders<P extends readonly unknown[]> = { [I in keyof P]: P[I] };

/** `prepared((db, id: string) => db.selectFrom('users').selectAll().where('id', '=', id))`: called with a database and the values. */
export function prepared<S, P extends readonly unknown[], R>(
  build: (db: Kysely<S>, ...parameters: P) => { compile(): CompiledQuery<R> },
): (db: Reader<S>, ...values: P) => Promise<R[]> {
  const compiled = new Map<unknown, CompiledQuery<R>>();
  return async (db, ...values) => {
    const dialect = db.getExecutor().adapter.constructor;
    let query = compiled.get(dialect);
    if (!query) {
      const stand = values.map((_, index) => new Parameter(index)) as unknown as Placeholders<P>;
      query = build(db, ...(stand as unknown as P)).compile();
      compiled.set(dialect, query);
    }
    const parameters = query.parameters.map((value) => (value instanceof Parameter ? values[value.index] : value));
    const direct = directs.get(db);
    return direct ? (direct(query.sql, parameters) as R[]) : (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}
