// Reads for lists, searches and exports go to a standby, if there is one that has everything which was committed before the read began. All others,
// and those for which no standby is of use, go to the primary (ADR 035).
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from 'kysely';
import { inBackground, OutOfTime } from '../deadline.ts';
import type { Log } from '../log/index.ts';
import { inSpan, isTracing } from '../tracing/index.ts';
import { type ConnectionPool, STATEMENT_MS, statementName } from './connection-pool.ts';
import type { DatabaseUsage } from './database.ts';
import { isStatementNameLost, isStatementTimeout } from './errors.ts';
import { nameOf, splitHosts } from './hosts.ts';
import { POSITION, type Position, type PositionRow, positionOf, writeMark } from './server-history.ts';
import { LOOK_MS, Standby, type StandbyOptions, type StandbyState, type StandbyUsage } from './standby.ts';
import { statementSpan } from './statement-span.ts';
import { JOB_STATEMENT_MS } from './time-limits.ts';

const REASONS: Readonly<Record<Exclude<StandbyState, 'used' | 'unknown'>, string>> = {
  behind: 'it lags too far behind, or follows another server than the primary that is used',
  no_standby: 'it is no standby',
  other_system: 'it is of another system, or of another database',
  away: 'it does not answer',
};

interface StandbysOptions extends Omit<StandbyOptions, 'name' | 'url' | 'onChange'> {
  readonly url: string;
  readonly setting: string;
  readonly log: Log | undefined;
  /** Asks the primary. `name`: of the statement, so that it is planned once. */
  askPrimary(text: string, name: string | undefined): Promise<unknown>;
  /** Gives the primary a mark. */
  writeMark(): Promise<void>;
}

class Standbys {
  readonly #options: StandbysOptions;
  readonly #standbys: readonly Standby[];
  /** The question to the primary that is on its way, and the one after it. */
  #asking: Promise<unknown> = Promise.resolve();
  #next: Promise<Position | undefined> | undefined;
  #turn = 0;
  readonly #stopping = new AbortController();
  #isPrimarySilent = false;
  #marking: Promise<void> | undefined;
  /** Statements that the primary answered, although there are standbys. */
  primaryReads = 0;

  constructor(options: StandbysOptions) {
    this.#options = options;
    const { log, setting } = options;
    const { urls, addresses } = splitHosts(options.url, setting);
    this.#standbys = urls.map((url, at) => {
      const name = nameOf(addresses[at]!);
      const onChange = (state: StandbyState, before: StandbyState, reason: string | undefined): void => {
        if (this.#stopping.signal.aborted) return;
        if (state === 'used') log?.info({ setting, standby: name }, 'lists are read from a standby');
        else if (state !== 'unknown')
          log?.[before === 'used' || state !== 'no_standby' ? 'warn' : 'info'](
            { setting, standby: name, reason },
            `no lists are read from a standby: ${REASONS[state]}`,
          );
      };
      return new Standby({ ...options, url, name, onChange });
    });
  }

  get usage(): readonly StandbyUsage[] {
    return this.#standbys.map(({ usage }) => usage);
  }

  start(): void {
    // Each by itself: one that hangs keeps nobody from looking at the others.
    for (const standby of this.#standbys) void this.#keepLooking(standby);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#standbys.map((one) => one.end()));
  }

  /** `undefined`: the primary has to be read. */
  async read(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown> | undefined> {
    try {
      if (!this.#choose()) return undefined;
      const position = await this.#position();
      const standby = this.#choose();
      return position && (await standby?.read(text, values, position));
    } catch (error) {
      // A statement that took too long would do so there, too. Whatever else went wrong (a conflict with what is being applied), it is read again.
      if (error instanceof OutOfTime || isStatementTimeout(error)) throw error;
      return undefined;
    }
  }

  /** The one with the least to do. */
  #choose(): Standby | undefined {
    const usable = this.#standbys.filter(({ isUsed }) => isUsed);
    const from = ++this.#turn % Math.max(usable.length, 1);
    return [...usable.slice(from), ...usable.slice(0, from)].sort((a, b) => a.load - b.load)[0];
  }

  /**
   * Where the primary is, asked after this call: everything that anybody was told of before lies before it. One question at a time; those who come
   * while it is on its way share the next one.
   */
  #position(): Promise<Position | undefined> {
    this.#next ??= this.#asking
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        const asking = this.#ask();
        this.#asking = asking;
        return asking;
      });
    return this.#next;
  }

  async #ask(): Promise<Position | undefined> {
    const { askPrimary, usesNamedStatements, onNameLost } = this.#options;
    try {
      const position = positionOf(
        (await askPrimary(POSITION, usesNamedStatements() ? statementName(POSITION) : undefined)) as PositionRow,
      );
      if (!position) this.#giveMark();
      return position;
    } catch (error) {
      if (isStatementNameLost(error)) onNameLost();
      throw error;
    }
  }

  /** Nobody waits for it: it needs a connection of the primary, and perhaps a lock. */
  #giveMark(): void {
    this.#marking ??= inBackground(this.#options.writeMark)
      .catch((error: unknown) => this.#onSilence(error))
      .finally(() => {
        this.#marking = undefined;
      });
  }

  async #keepLooking(standby: Standby): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const position = await this.#position().catch((error: unknown) => this.#onSilence(error));
      if (position) {
        this.#isPrimarySilent = false;
        await standby.look(position);
      }
      await sleep(LOOK_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  /** Without the position of the primary nothing is read from a standby. */
  #onSilence(error: unknown): undefined {
    const { log, setting } = this.#options;
    if (!this.#isPrimarySilent)
      log?.warn({ setting, err: error }, 'the primary does not say where it is, so lists are read there');
    this.#isPrimarySilent = true;
  }
}

/** Each statement by itself: there are no transactions here. */
class ListConnections implements PostgresPool {
  readonly options = {};
  readonly #standbys: Standbys;
  readonly #primary: PostgresPool;

  constructor(standbys: Standbys, primary: PostgresPool) {
    this.#standbys = standbys;
    this.#primary = primary;
  }

  async connect(): Promise<PostgresPoolClient> {
    const query = (text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> => this.#query(text, values);
    // The cast: cursors are missing, and nobody uses them.
    return { query, release() {} } as unknown as PostgresPoolClient;
  }

  async #query(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const read = (): Promise<PostgresQueryResult<unknown> | undefined> => this.#standbys.read(text, values);
    const found = await (isTracing() ? inSpan(...statementSpan('postgresql', text), read) : read());
    if (found) return found;
    this.#standbys.primaryReads++;
    const connection = await this.#primary.connect();
    try {
      return (await connection.query(text, values)) as PostgresQueryResult<unknown>;
    } finally {
      connection.release();
    }
  }

  /** The connections are of others. */
  async end(): Promise<void> {}
}

/** Where lists are read. */
export interface Lists<S> {
  readonly read: Kysely<S>;
  usage(): Pick<DatabaseUsage, 'standbys' | 'primaryReads'>;
  start(): void;
  stop(): Promise<void>;
}

/** Without a URL: on the primary. */
export function openLists<S>(
  db: Kysely<S>,
  primary: ConnectionPool,
  {
    url,
    ...options
  }: Pick<StandbysOptions, 'setting' | 'poolSize' | 'log' | 'askPrimary'> & { readonly url: string | undefined },
): Lists<S> {
  if (url === undefined)
    return { read: db, usage: () => ({ standbys: [], primaryReads: 0 }), start() {}, stop: () => Promise.resolve() };
  const standbys = new Standbys({
    ...options,
    url,
    statementMs: { request: STATEMENT_MS, job: JOB_STATEMENT_MS },
    usesNamedStatements: () => primary.usesNamedStatements,
    onNameLost: () => primary.onNameLost(),
    writeMark: () => writeMark(db),
  });
  return {
    read: new Kysely<S>({ dialect: new PostgresDialect({ pool: new ListConnections(standbys, primary) }) }),
    usage: () => ({ standbys: standbys.usage, primaryReads: standbys.primaryReads }),
    start: () => standbys.start(),
    stop: () => standbys.stop(),
  };
}
