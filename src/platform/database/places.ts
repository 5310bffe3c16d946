// Connections to PostgreSQL, lent out one by one. Whoever asks waits for a place, for the connection and for each answer no longer than
// the budget of the request allows; a connection whose answer did not come is thrown away, as the next one would wait behind it.
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { type Budget, currentBudget } from './budget.ts';
import { DatabaseUnavailable, isAway, isUnwritable } from './errors.ts';
import type { Hosts } from './hosts.ts';
import type { Reachability } from './reachability.ts';
import { Turns } from './turns.ts';

/** Longest wait for a new connection, and for a place while none is given back. */
export const PLACE_MS = 3_000;
/** For an answer. The server gives up a little sooner, so that the connection can be used again. */
export const STATEMENT_MS = 4_000;
const QUERY_MS = STATEMENT_MS + 500;
/** And where nobody waits. */
export const PATIENT_STATEMENT_MS = 25_000;
const PATIENT_QUERY_MS = 30_000;
const PROBE_MS = 1_000;
const NAMED_STATEMENTS = 1000;

const names = new Map<string, string>();

/** The server parses and plans a named text once a connection. Past the limit (dynamic filters) texts go without a name. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known || names.size >= NAMED_STATEMENTS) return known;
  const name = `g${names.size}`;
  names.set(text, name);
  return name;
}

class Place {
  readonly #client: pg.PoolClient;
  readonly #places: Places;
  /** Set when nothing more can be asked of it. */
  #broken: unknown;
  #isStale = false;

  constructor(client: pg.PoolClient, places: Places) {
    this.#client = client;
    this.#places = places;
  }

  async query(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (this.#broken) throw this.#broken;
    const budget = currentBudget();
    const limit = Math.min(budget?.isPatient ? PATIENT_QUERY_MS : QUERY_MS, budget?.left() ?? QUERY_MS);
    const name = this.#places.named && values.length > 0 ? nameOf(text) : undefined;
    budget?.begin();
    try {
      const config = { ...(name ? { name } : {}), text, values: values as unknown[], query_timeout: limit };
      const result = await this.#client.query(config);
      this.#places.answered();
      return result as PostgresQueryResult<unknown>;
    } catch (error) {
      if (isAway(error)) this.#broken = error;
      // Another server may have become the one that writes.
      if (isUnwritable(error)) this.#isStale = true;
      this.#places.failed(error);
      throw error;
    } finally {
      budget?.end();
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isStale || this.#broken !== undefined);
    this.#places.left(this.#broken === undefined);
  }
}

export interface PlacesOptions {
  readonly pool: pg.Pool;
  readonly size: number;
  readonly hosts: Hosts;
  readonly reachability: Reachability;
  /** Finds the host to use where none is known. */
  pick(): Promise<unknown>;
  /** Whether the database is heard of otherwise. */
  isHeard(): boolean;
  readonly named: boolean;
}

export class Places implements PostgresPool {
  readonly options = {};
  readonly named: boolean;
  readonly #options: PlacesOptions;
  readonly #line: Turns;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#line = new Turns(options.size, PLACE_MS);
    this.named = options.named;
  }

  async connect(): Promise<PostgresPoolClient> {
    const { reachability } = this.#options;
    reachability.refuseWhileAway();
    try {
      await this.#line.wait();
      try {
        // It may have gone meanwhile.
        reachability.refuseWhileAway();
        return await this.#connected();
      } catch (error) {
        this.#line.leave(false);
        throw error;
      }
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  async #connected(): Promise<PostgresPoolClient> {
    const budget = currentBudget();
    budget?.begin();
    try {
      for (;;) {
        // Before connections are told apart by it: without one all of them would be thrown away.
        if (!this.#options.hosts.isPlain) await within(Math.min(budget?.left() ?? PLACE_MS, PLACE_MS), this.#options.pick());
        const client = await this.#take(budget);
        // Without cursors, which nobody uses.
        if (this.#options.hosts.isCurrent(client)) return new Place(client, this) as unknown as PostgresPoolClient;
        client.release(true);
      }
    } finally {
      budget?.end();
    }
  }

  async #take(budget: Budget | undefined): Promise<pg.PoolClient> {
    const limit = budget?.left() ?? PLACE_MS;
    const taken = this.#options.pool.connect();
    return limit >= PLACE_MS ? taken : within(limit, taken, (client) => client.release());
  }

  /** One question past everybody else's limits: whether it is back. */
  async probe(): Promise<void> {
    const client = await within(PROBE_MS, this.#options.pool.connect(), (late) => late.release());
    try {
      await client.query({ text: 'select 1', query_timeout: PROBE_MS } as pg.QueryConfig);
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
  }

  /** A place is given back. */
  left(isWhole: boolean): void {
    this.#line.leave(isWhole);
  }

  answered(): void {
    if (this.#options.reachability.away) this.#options.reachability.worked();
  }

  failed(error: unknown): void {
    if (isAway(error) && !this.#options.isHeard()) this.#options.reachability.doubt();
  }

  async end(): Promise<void> {
    await this.#options.pool.end();
  }
}

/** `tooLate`: what becomes of what comes after all; a connection goes back. */
async function within<T>(limit: number, wanted: Promise<T>, tooLate: (value: T) => void = () => {}): Promise<T> {
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
