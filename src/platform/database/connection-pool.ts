// Connections to PostgreSQL, lent out one by one. Whoever asks waits for a place, for the connection and for each answer no longer than
// the budget of the request allows; a connection whose answer did not come is thrown away, as the next one would wait behind it.
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { type Budget, currentBudget } from './budget.ts';
import { DatabaseUnavailable, isUnreachable, isUnwritable } from './errors.ts';
import type { Hosts } from './hosts.ts';
import type { Reachability } from './reachability.ts';
import { Semaphore } from './semaphore.ts';

/** Longest wait for a new connection, and for a place while none is given back. */
export const CONNECT_MS = 3_000;
/** For an answer. The server gives up a little sooner, so that the connection can be used again. */
export const STATEMENT_MS = 4_000;
const QUERY_MS = STATEMENT_MS + 500;
/** And where nobody waits. */
export const PATIENT_STATEMENT_MS = 25_000;
const PATIENT_QUERY_MS = 30_000;
const PROBE_MS = 1_000;
const NAMED_STATEMENTS = 1000;

const statementNames = new Map<string, string>();

/** The server parses and plans a named text once a connection. Past the limit (dynamic filters) texts go without a name. */
function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known || statementNames.size >= NAMED_STATEMENTS) return known;
  const name = `g${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

class PooledConnection {
  readonly #client: pg.PoolClient;
  readonly #places: ConnectionPool;
  /** Set when nothing more can be asked of it. */
  #broken: unknown;
  #isStale = false;

  constructor(client: pg.PoolClient, places: ConnectionPool) {
    this.#client = client;
    this.#places = places;
  }

  async query(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (this.#broken) throw this.#broken;
    const budget = currentBudget();
    const limit = Math.min(budget?.isPatient ? PATIENT_QUERY_MS : QUERY_MS, budget?.left() ?? QUERY_MS);
    const name = this.#places.usesNamedStatements && values.length > 0 ? statementName(text) : undefined;
    budget?.begin();
    try {
      const config = { ...(name ? { name } : {}), text, values: values as unknown[], query_timeout: limit };
      const result = await this.#client.query(config);
      this.#places.onAnswer();
      return result as PostgresQueryResult<unknown>;
    } catch (error) {
      if (isUnreachable(error)) this.#broken = error;
      // Another server may have become the one that writes.
      if (isUnwritable(error)) this.#isStale = true;
      this.#places.onError(error);
      throw error;
    } finally {
      budget?.end();
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isStale || this.#broken !== undefined);
    this.#places.onRelease(this.#broken === undefined);
  }
}

export interface ConnectionPoolOptions {
  readonly pool: pg.Pool;
  readonly size: number;
  readonly hosts: Hosts;
  readonly reachability: Reachability;
  /** Finds the host to use where none is known. */
  pickHost(): Promise<unknown>;
  /** Whether the database is heard of otherwise. */
  isFeedLive(): boolean;
  readonly usesNamedStatements: boolean;
}

export class ConnectionPool implements PostgresPool {
  readonly options = {};
  readonly usesNamedStatements: boolean;
  readonly #options: ConnectionPoolOptions;
  readonly #line: Semaphore;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#line = new Semaphore(options.size, CONNECT_MS);
    this.usesNamedStatements = options.usesNamedStatements;
  }

  async connect(): Promise<PostgresPoolClient> {
    const { reachability } = this.#options;
    reachability.throwIfUnreachable();
    try {
      await this.#line.acquire();
      try {
        // It may have gone meanwhile.
        reachability.throwIfUnreachable();
        return await this.#connected();
      } catch (error) {
        this.#line.release(false);
        throw error;
      }
    } catch (error) {
      this.onError(error);
      throw error;
    }
  }

  async #connected(): Promise<PostgresPoolClient> {
    const budget = currentBudget();
    budget?.begin();
    try {
      for (;;) {
        // Before connections are told apart by it: without one all of them would be thrown away.
        if (!this.#options.hosts.isSingle)
          await withTimeout(Math.min(budget?.left() ?? CONNECT_MS, CONNECT_MS), this.#options.pickHost());
        const client = await this.#take(budget);
        // Without cursors, which nobody uses.
        if (this.#options.hosts.isCurrent(client)) return new PooledConnection(client, this) as unknown as PostgresPoolClient;
        client.release(true);
      }
    } finally {
      budget?.end();
    }
  }

  async #take(budget: Budget | undefined): Promise<pg.PoolClient> {
    const limit = budget?.left() ?? CONNECT_MS;
    const taken = this.#options.pool.connect();
    return limit >= CONNECT_MS ? taken : withTimeout(limit, taken, (client) => client.release());
  }

  /** One question past everybody else's limits: whether it is back. */
  async probe(): Promise<void> {
    const client = await withTimeout(PROBE_MS, this.#options.pool.connect(), (late) => late.release());
    try {
      await client.query({ text: 'select 1', query_timeout: PROBE_MS } as pg.QueryConfig);
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
  }

  /** A place is given back. */
  onRelease(isWhole: boolean): void {
    this.#line.release(isWhole);
  }

  onAnswer(): void {
    if (this.#options.reachability.isUnreachable) this.#options.reachability.markReachable();
  }

  onError(error: unknown): void {
    if (isUnreachable(error) && !this.#options.isFeedLive()) this.#options.reachability.startProbing();
  }

  async end(): Promise<void> {
    await this.#options.pool.end();
  }
}

/** `tooLate`: what becomes of what comes after all; a connection goes back. */
async function withTimeout<T>(limit: number, wanted: Promise<T>, tooLate: (value: T) => void = () => {}): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      wanted.then(tooLate, () => {});
      reject(new DatabaseUnavailable('no connection to the database in time'));
    }, limit);
  });
  try {
    return await Promise.race([wanted, late]);
  } finally {
    clearTimeout(timer);
  }
}
