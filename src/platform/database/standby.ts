// One standby: its connections, and whether it is of use. Before each read it says, in the same transaction, that it has everything up to a position
// of the primary. One that does not, or does not answer, is left alone for a while.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { currentDeadline, untilDeadline } from '../deadline.ts';
import { statementName } from './connection-pool.ts';
import { isPlanOutdated, isStatementNameLost, isUnreachable } from './errors.ts';
import { CalmClient } from './hosts.ts';
import { types } from './postgres-types.ts';
import { Semaphore } from './semaphore.ts';
import { judge, type Position, type StandbyRow, stateAt, type Verdict } from './server-history.ts';

/** Longest wait for a connection, and for what it says of itself. */
const ANSWER_MS = 500;
/** A read waits so long for changes that are on their way. One that needs longer lags too far behind. */
export const MAX_LAG_MS = 100;
const AGAIN_MS = 2;
/** So long one is left alone that was of no use. */
const PAUSE_MS = 2_000;
/** How often one is looked at. */
export const LOOK_MS = 250;
const UNDEFINED_TABLE = '42P01';

/** `unknown` until it was looked at for the first time; `away` does not answer. */
export type StandbyState = 'used' | Exclude<Verdict, 'reached'> | 'away' | 'unknown';

export interface StandbyUsage {
  /** Its host and port. */
  readonly name: string;
  readonly state: StandbyState;
  /** How long it took at the last look until it had what the primary had; longer if it has not been seen with it since. */
  readonly lagSeconds: number;
  /** Statements that it answered. */
  readonly reads: number;
}

export interface StandbyOptions {
  readonly name: string;
  readonly url: string;
  readonly poolSize: number;
  /** The server's limit for a statement of a request, and of a job. */
  readonly statementMs: { readonly request: number; readonly job: number };
  usesNamedStatements(): boolean;
  onNameLost(): void;
  onChange(state: StandbyState, before: StandbyState, reason: string | undefined): void;
}

/** It is of no use for this read, and for a while. */
class Unfit extends Error {
  readonly state: StandbyState;
  constructor(state: StandbyState) {
    super(state);
    this.state = state;
  }
}

const stateOf = (error: unknown): StandbyState => {
  if (error instanceof Unfit) return error.state;
  // It is a database in which this service never was.
  return (error as { code?: unknown }).code === UNDEFINED_TABLE ? 'other_system' : 'away';
};

export class Standby {
  readonly name: string;
  readonly #options: StandbyOptions;
  readonly #pool: pg.Pool;
  /** Apart from the others: it must find out that these hang. */
  readonly #looks: pg.Pool;
  readonly #slots: Semaphore;
  readonly #active = new Set<pg.PoolClient>();
  readonly #createdAt = performance.now();
  #state: StandbyState = 'unknown';
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #reachedAt: number | undefined;
  #tookMs = 0;
  #reads = 0;

  constructor(options: StandbyOptions) {
    this.name = options.name;
    this.#options = options;
    const settings = {
      connectionString: options.url,
      connectionTimeoutMillis: ANSWER_MS,
      idleTimeoutMillis: 60_000,
      application_name: 'gatehouse lists',
      types,
      Client: CalmClient,
    };
    this.#pool = new pg.Pool({ ...settings, max: options.poolSize });
    this.#looks = new pg.Pool({ ...settings, max: 1 });
    // Without a listener, an idle connection that breaks would end the process.
    for (const pool of [this.#pool, this.#looks]) pool.on('error', () => {});
    this.#slots = new Semaphore(options.poolSize);
  }

  get isUsed(): boolean {
    return this.#state === 'used';
  }

  /** How many reads are on their way to it. */
  get load(): number {
    return this.#slots.held + this.#slots.waiting;
  }

  get usage(): StandbyUsage {
    const age = performance.now() - (this.#reachedAt ?? this.#createdAt);
    // It is looked at now and then; in between it is as it was.
    const lagMs = this.isUsed ? this.#tookMs : Math.max(age, this.#tookMs);
    return { name: this.name, state: this.#state, lagSeconds: lagMs / 1000, reads: this.#reads };
  }

  /** The rows as of the position or later; `undefined` if it is of no use for that. */
  async read(text: string, values: readonly unknown[], position: Position): Promise<PostgresQueryResult<unknown> | undefined> {
    await this.#slots.acquire();
    // Meanwhile it may have turned out to be of no use.
    if (!this.isUsed) return void this.#slots.release();
    const running = this.#run(
      this.#pool,
      position,
      (client) => this.#query(client, text, values),
      () => this.#slots.release(),
    );
    try {
      const result = await untilDeadline(running);
      this.#reads++;
      return result;
    } catch (error) {
      if (isStatementNameLost(error)) this.#options.onNameLost();
      if (error instanceof Unfit || isUnreachable(error) || stateOf(error) === 'other_system') this.#leave(error);
      else throw error;
      return undefined;
    }
  }

  /** Asks it how it is, as a read does. */
  async look(position: Position): Promise<void> {
    const begun = performance.now();
    try {
      await this.#run(this.#looks, position, async () => {});
      this.#tookMs = performance.now() - begun;
      this.#reachedAt = begun;
      if (performance.now() >= this.#pausedUntil) this.#become('used');
    } catch (error) {
      this.#leave(error);
    }
  }

  async end(): Promise<void> {
    for (const client of this.#active) void client.end().catch(() => {});
    await Promise.all([this.#pool.end(), this.#looks.end()]);
  }

  async #query(client: pg.PoolClient, text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const name = this.#options.usesNamedStatements() && values.length > 0 ? statementName(text) : undefined;
    const config = { text, values: values as unknown[], query_timeout: this.#statementMs + ANSWER_MS };
    return (await client.query(name ? { name, ...config } : config)) as PostgresQueryResult<unknown>;
  }

  get #statementMs(): number {
    const { request, job } = this.#options.statementMs;
    return currentDeadline()?.isUnlimited ? job : request;
  }

  /** `onFree`: the connection is free again. Nobody waits for the end of the transaction. */
  async #run<T>(
    pool: pg.Pool,
    position: Position,
    work: (client: pg.PoolClient) => Promise<T>,
    onFree = (): void => {},
  ): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      onFree();
      throw error;
    });
    this.#active.add(client);
    let isBroken = true;
    try {
      await this.#begin(client, position);
      const result = await work(client);
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = isUnreachable(error) || isStatementNameLost(error) || isPlanOutdated(error);
      throw error;
    } finally {
      this.#active.delete(client);
      void this.#giveBack(client, isBroken).then(onFree);
    }
  }

  async #giveBack(client: pg.PoolClient, isBroken: boolean): Promise<void> {
    try {
      if (isBroken) return client.release(true);
      await client.query({ text: 'commit', query_timeout: ANSWER_MS } as pg.QueryConfig);
      client.release();
    } catch {
      client.release(true);
    }
  }

  /**
   * One transaction, so that a pooler does not send the statement to another server. Each statement in it sees what is applied when it begins,
   * whatever the operator's default is.
   */
  async #begin(client: pg.PoolClient, position: Position): Promise<void> {
    const ask = stateAt(position);
    const begin = `begin isolation level read committed read only; set local statement_timeout = ${this.#statementMs}; ${ask}`;
    const until = performance.now() + MAX_LAG_MS;
    for (let text = begin; ; text = ask) {
      const answer = (await client.query({ text, query_timeout: ANSWER_MS } as pg.QueryConfig)) as unknown;
      const { rows } = [answer].flat().at(-1) as pg.QueryResult<StandbyRow>;
      const verdict = judge(position, rows[0]!);
      if (verdict === 'reached') return;
      if (verdict !== 'behind' || performance.now() > until) throw new Unfit(verdict);
      await sleep(AGAIN_MS);
    }
  }

  /** For a while. Nobody waits for what is on its way, if it does not answer. */
  #leave(error: unknown): void {
    const state = stateOf(error);
    this.#pausedUntil = performance.now() + PAUSE_MS;
    if (state === 'away') for (const client of this.#active) void client.end().catch(() => {});
    this.#become(state, error instanceof Unfit ? undefined : (error as Error).message);
  }

  #become(state: StandbyState, reason?: string): void {
    if (state === this.#state) return;
    const before = this.#state;
    this.#state = state;
    this.#options.onChange(state, before, reason);
  }
}
