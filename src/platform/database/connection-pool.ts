// A pool of PostgreSQL connections. A request waits for a free connection, for connecting and for each answer until its deadline. A statement
// that it no longer waits for keeps its connection until it is answered. A connection that does not answer is closed.
import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { currentDeadline, untilDeadline } from '../deadline.ts';
import { inSpan, isTracing } from '../tracing/index.ts';
import {
  DatabaseUnavailable,
  isConnectionRefused,
  isPlanOutdated,
  isStatementNameLost,
  isUnreachable,
  isUnwritable,
} from './errors.ts';
import type { Hosts } from './hosts.ts';
import type { Reachability } from './reachability.ts';
import { Semaphore } from './semaphore.ts';
import { statementSpan } from './statement-span.ts';
import { goesWithNext } from './with-next.ts';

/** Longest wait for a new connection. */
export const CONNECT_MS = 3_000;
/** Longest wait for an answer. The server's own limit is a little shorter, so that the connection stays usable. */
export const STATEMENT_MS = 4_000;
export const QUERY_MS = STATEMENT_MS + 500;
/** The same for background jobs, which have JOB_STATEMENT_MS. */
const JOB_QUERY_MS = 30_000;
const PROBE_MS = 1_000;
const OPEN_RETRY_MS = 25;
const MAX_NAMED_STATEMENTS = 1000;

const statementNames = new Map<string, string>();

/**
 * The server parses and plans a named statement once per connection. Dynamic filters make many statements; past the limit they get no
 * name. The name is made from the text: behind a pooler, connections of several processes share a server's connection, and one name must
 * never mean two statements there.
 */
export function statementName(text: string): string | undefined {
  const existing = statementNames.get(text);
  if (existing || statementNames.size >= MAX_NAMED_STATEMENTS) return existing;
  const name = `g${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
  statementNames.set(text, name);
  return name;
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const nothing = (command = 'SELECT'): PostgresQueryResult<unknown> =>
  ({ command, rowCount: 0, rows: [] }) as PostgresQueryResult<unknown>;

class PooledConnection {
  readonly #client: pg.PoolClient;
  readonly #pool: ConnectionPool;
  /** Not sent yet: they go with the next statement. */
  #waiting: Statement[] = [];
  /** Set when the connection can no longer be used. */
  #broken: unknown;
  #isStale = false;
  #isInTransaction = false;
  /** Settles when every statement is over that nobody waits for. */
  #leftBehind: Promise<unknown> | undefined;

  constructor(client: pg.PoolClient, pool: ConnectionPool) {
    this.#client = client;
    this.#pool = pool;
  }

  query(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    return isTracing()
      ? inSpan(...statementSpan('postgresql', text), () => this.#query(text, values))
      : this.#query(text, values);
  }

  async #query(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (this.#broken) throw this.#broken;
    if (text === 'begin') this.#isInTransaction = true;
    // Outside of a transaction there is no next one.
    if (goesWithNext(text) && this.#isInTransaction) {
      this.#waiting.push({ text, values });
      return nothing();
    }
    const isEnd = text === 'commit' || text === 'rollback';
    if (isEnd && this.#dropUnsent(text)) return nothing(text.toUpperCase());
    const deadline = currentDeadline();
    const longest = deadline?.isUnlimited ? JOB_QUERY_MS : QUERY_MS;
    // The request is refused meanwhile; the connection stays usable.
    if (text === 'rollback' && deadline?.isOver) return this.#leaveBehind(this.#sendAll({ text, values }, longest));
    const left = deadline?.left() ?? longest;
    const isFinal = text === 'commit' || !this.#isInTransaction;
    const running = this.#sendAll({ text, values }, longest);
    if (left >= longest || (deadline?.isShared && isFinal)) return running;
    return untilDeadline(running, () => void this.#leaveBehind(running));
  }

  /** At the end of a transaction. Returns whether the server knows nothing of it. */
  #dropUnsent(end: 'commit' | 'rollback'): boolean {
    const isUnknown = this.#waiting[0]?.text === 'begin' && (end === 'rollback' || this.#waiting.length === 1);
    if (end === 'rollback' || isUnknown) this.#waiting = [];
    if (isUnknown) this.#isInTransaction = false;
    return isUnknown;
  }

  /** In one message, as each costs both sides more than most statements do. The server answers in order, and takes nothing of a transaction that failed. */
  async #sendAll(statement: Statement, limit: number): Promise<PostgresQueryResult<unknown>> {
    const all = [...this.#waiting, statement];
    this.#waiting = [];
    if (all.length === 1) return this.#send(statement, limit);
    const { stream } = (this.#client as unknown as pg.Client).connection;
    stream.cork();
    // The server does one after the other: the time of those before is no silence of the server.
    const sent = all.map((one, at) => this.#send(one, limit * (at + 1)));
    stream.uncork();
    // Only when all are answered is the connection free.
    const answers = await Promise.allSettled(sent);
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
    return (answers.at(-1) as PromiseFulfilledResult<PostgresQueryResult<unknown>>).value;
  }

  async #send({ text, values }: Statement, limit: number): Promise<PostgresQueryResult<unknown>> {
    const name = this.#pool.usesNamedStatements && values.length > 0 ? statementName(text) : undefined;
    // When it fails, a later one may have ended the transaction.
    const isInTransaction = this.#isInTransaction;
    try {
      const config = { text, values: values as unknown[], query_timeout: limit };
      const result = await this.#client
        .query(name ? { name, ...config } : config)
        .catch((error: unknown) => this.#queryWithoutName(error, config, isInTransaction));
      this.#pool.onAnswer();
      if (text === 'commit' || text === 'rollback') this.#isInTransaction = false;
      return result as PostgresQueryResult<unknown>;
    } catch (error) {
      if (isUnreachable(error)) this.#broken = error;
      // Another server may have become the primary.
      if (isUnwritable(error)) this.#isStale = true;
      this.#pool.onError(error);
      throw error;
    }
  }

  /** Nobody waits for this statement any more. */
  #leaveBehind(running: Promise<unknown>): PostgresQueryResult<unknown> {
    const before = this.#leftBehind;
    this.#leftBehind = running.then(
      () => before,
      () => before,
    );
    return nothing();
  }

  /** Once more, if only the name of the statement was the trouble. A transaction has failed by then: its owner repeats it. */
  async #queryWithoutName(error: unknown, config: pg.QueryConfig, isInTransaction: boolean): Promise<pg.QueryResult> {
    if (isStatementNameLost(error)) this.#pool.onNameLost();
    else if (!isPlanOutdated(error)) throw error;
    // Otherwise the statement would fail again each time this connection is used.
    this.#isStale = true;
    if (isInTransaction) throw error;
    return this.#client.query(config);
  }

  release(destroy = false): void {
    const release = (): void => {
      // A transaction that nobody ends would go on with the next user: its begin was answered after the deadline.
      this.#client.release(destroy || this.#isStale || this.#isInTransaction || this.#broken !== undefined);
      this.#pool.onRelease();
    };
    if (this.#leftBehind) void this.#leftBehind.then(release);
    else release();
  }
}

export interface ConnectionPoolOptions {
  readonly pool: pg.Pool;
  readonly size: number;
  readonly hosts: Hosts;
  readonly reachability: Reachability;
  /** Finds a suitable host if none is known. */
  pickHost(): Promise<unknown>;
  /** Whether the feed of changes shows that the database is reachable. */
  isFeedAnswering(): boolean;
  readonly usesNamedStatements: boolean;
  /** Named statements were lost, and are no longer used. */
  onNameLost(): void;
}

export class ConnectionPool implements PostgresPool {
  readonly options = {};
  usesNamedStatements: boolean;
  readonly #options: ConnectionPoolOptions;
  readonly #semaphore: Semaphore;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#semaphore = new Semaphore(options.size);
    this.usesNamedStatements = options.usesNamedStatements;
  }

  get inUse(): number {
    return this.#semaphore.held;
  }

  get waiting(): number {
    return this.#semaphore.waiting;
  }

  async connect(): Promise<PostgresPoolClient> {
    const { reachability } = this.#options;
    reachability.throwIfUnreachable();
    try {
      await this.#semaphore.acquire();
      try {
        // It may have become unreachable in the meantime.
        reachability.throwIfUnreachable();
        return await this.#openConnection();
      } catch (error) {
        this.#semaphore.release();
        throw error;
      }
    } catch (error) {
      this.onError(error);
      throw error;
    }
  }

  async #openConnection(): Promise<PostgresPoolClient> {
    for (;;) {
      // Before isCurrent below: without a known host it would reject every connection.
      if (!this.#options.hosts.isSingle) await untilDeadline(withTimeout(CONNECT_MS, this.#options.pickHost()));
      const taken = this.#takeOpen(performance.now() + CONNECT_MS);
      const client = await untilDeadline(taken, () => taken.then((late) => late.release()).catch(() => {}));
      // The cast: cursors are missing, and nobody uses them.
      if (this.#options.hosts.isCurrent(client)) return new PooledConnection(client, this) as unknown as PostgresPoolClient;
      client.release(true);
    }
  }

  /** If the server refuses another connection, waits for one of those that are open. */
  async #takeOpen(until: number): Promise<pg.PoolClient> {
    const { pool } = this.#options;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isConnectionRefused(error) || pool.totalCount === 0 || performance.now() > until) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, OPEN_RETRY_MS));
    }
  }

  /** Checks whether the database is back, without the limits above. */
  async probe(): Promise<void> {
    const open = this.#takeOpen(performance.now() + PROBE_MS);
    const client = await withTimeout(PROBE_MS, open, (late) => late.release());
    try {
      await client.query({ text: 'select 1', query_timeout: PROBE_MS } as pg.QueryConfig);
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
  }

  /** A connection was returned. */
  onRelease(): void {
    this.#semaphore.release();
  }

  /** A pooler in transaction mode. Statements without a name work everywhere. */
  onNameLost(): void {
    if (!this.usesNamedStatements) return;
    this.usesNamedStatements = false;
    this.#options.onNameLost();
  }

  onAnswer(): void {
    if (this.#options.reachability.isUnreachable) this.#options.reachability.markReachable();
  }

  onError(error: unknown): void {
    if (isUnreachable(error) && !this.#options.isFeedAnswering()) this.#options.reachability.startProbing();
  }

  async end(): Promise<void> {
    await this.#options.pool.end();
  }
}

/** `tooLate` gets a result that arrives after the limit, to return a connection to the pool. */
async function withTimeout<T>(limit: number, pending: Promise<T>, tooLate: (value: T) => void = () => {}): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      pending.then(tooLate, () => {});
      reject(new DatabaseUnavailable('got no connection to the database in time'));
    }, limit);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
