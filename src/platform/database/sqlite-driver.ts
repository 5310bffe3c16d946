// Kysely on node:sqlite. The driver is synchronous. Preparing statements is the expensive part, so they are cached.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery as Compiled,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { inSpan, isTracing } from '../tracing/index.ts';
import type { SynchronousDatabase } from './prepared.ts';
import { statementSpan } from './statement-span.ts';

/** Dynamic filters make many statements. At this number the cache is emptied. */
const MAX_CACHED_STATEMENTS = 1000;

interface PreparedStatement {
  readonly statement: StatementSync;
  /** Columns of its rows; empty if it returns none. */
  readonly columns: readonly string[];
}

/** The driver's own row objects are slow to create and to read. So it returns arrays, and the objects are made here. */
function toRow(columns: readonly string[], values: unknown): unknown {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = (values as unknown[])[i];
  return row;
}

export class SqliteConnection implements DatabaseConnection, SynchronousDatabase {
  readonly #handle: DatabaseSync;
  readonly #before: (() => void) | undefined;
  readonly #statements = new Map<string, PreparedStatement>();

  /** `before` runs before every query. */
  constructor(handle: DatabaseSync, before?: () => void) {
    this.#handle = handle;
    this.#before = before;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#traced(query.sql, () => this.#execute<R>(query));
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    const prepared = this.#prepare(sql);
    if (prepared.columns.length > 0) return { rows: this.#all(prepared, parameters) as R[] };
    const { changes } = prepared.statement.run(...(parameters as SQLInputValue[]));
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  rows(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.#traced(sql, () => this.#all(this.#prepare(sql), parameters));
  }

  row(sql: string, parameters: readonly unknown[]): unknown {
    return this.#traced(sql, () => this.#row(sql, parameters));
  }

  #traced<T>(sql: string, work: () => T): T {
    return isTracing() ? inSpan(...statementSpan('sqlite', sql), work) : work();
  }

  #row(sql: string, parameters: readonly unknown[]): unknown {
    const { statement, columns } = this.#prepare(sql);
    const values = statement.get(...(parameters as SQLInputValue[]));
    return values && toRow(columns, values);
  }

  #all({ statement, columns }: PreparedStatement, parameters: readonly unknown[]): unknown[] {
    return statement.all(...(parameters as SQLInputValue[])).map((values) => toRow(columns, values));
  }

  // biome-ignore lint/correctness/useYield: node:sqlite answers whole results; nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported on SQLite');
  }

  #prepare(sql: string): PreparedStatement {
    this.#before?.();
    let prepared = this.#statements.get(sql);
    if (!prepared) {
      const statement = this.#handle.prepare(sql);
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map(({ name }) => name) };
      if (this.#statements.size >= MAX_CACHED_STATEMENTS) this.#statements.clear();
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(Compiled.raw('begin immediate'));
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(Compiled.raw('commit'));
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(Compiled.raw('rollback'));
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

export function sqliteDialect(connection: SqliteConnection): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
