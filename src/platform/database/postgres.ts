// PostgreSQL: a limited number of connections with time-outs, named prepared statements, and the feed of changes.
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { currentDeadline } from '../deadline.ts';
import type { Feed } from './cache.ts';
import { createCaches } from './caches.ts';
import { deleteChangesBelow, deleteChangesOfOtherServers, insertChange } from './change-table.ts';
import { CONNECT_MS, ConnectionPool, QUERY_MS, STATEMENT_MS } from './connection-pool.ts';
import { type Database, Subscribers, type Tx } from './database.ts';
import { EarlierVersion } from './earlier-version.ts';
import { refuseOtherEngines } from './engine.ts';
import { isLockTimeout, isRetryable } from './errors.ts';
import { type FeedListener, PostgresFeed } from './feed.ts';
import { watchGrowth } from './grown-tables.ts';
import { createClientClass, Hosts, UnsuitableServer } from './hosts.ts';
import { insertWithNext, type RowsByTable, withRows } from './insert-rows.ts';
import { type MigrationSource, migrate } from './migrate.ts';
import { types } from './postgres-types.ts';
import { Reachability } from './reachability.ts';
import { Semaphore } from './semaphore.ts';
import { openLists } from './standbys.ts';
import { hasTimeLimits, JOB_STATEMENT_MS, setTimeLimits } from './time-limits.ts';
import { type DatabaseWait, waitForDatabase } from './wait-for-database.ts';
import { Writability } from './writability.ts';

export interface PostgresOptions {
  readonly poolSize: number;
  /** Off for a pgbouncer in transaction mode that does not support named statements. */
  readonly namedStatements: boolean;
  /** The setting that holds its URL, for messages. */
  readonly setting?: string;
  /** Read-only servers, one or several hosts. */
  readonly standbyUrl?: string | undefined;
  /** How long a start waits for it, and the log it writes to while waiting. */
  readonly wait?: DatabaseWait;
}

const LOCK_MS = 2_000;
/** Background jobs may delete many rows at once. */
const JOB_LIMITS = { statement_timeout: JOB_STATEMENT_MS, lock_timeout: 10_000 };
const ATTEMPTS = 5;
/** The server takes a second to detect a deadlock, so a transaction behind two deadlocks can time out through no fault of its own. */
const LOCK_ATTEMPTS = 2;
/** Share of the connections reserved for reads: a locked table must not block reads. */
const READER_SHARE = 0.3;

/** On a connection of its own, without a statement time-out. */
async function onOwnConnection<S, T>(
  Client: typeof pg.Client,
  settings: pg.ClientConfig,
  work: (db: Kysely<S>) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ ...settings, max: 1, Client });
  pool.on('error', () => {});
  const db = new Kysely<S>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Without a transaction, limits cannot be set for a single statement. Of one that is sent now: what the request waited for before may have taken nearly all of its time. */
const isAnsweredInTime = (): boolean => (currentDeadline()?.remaining ?? 0) > QUERY_MS;

/** Writes a temporary table, which needs disk space like any change. A user who may not create one (42501) counts as able to write. */
async function probeWriting<S>(db: Kysely<S>): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      await sql`create temporary table gatehouse_room (content text) on commit drop`.execute(trx);
      await sql`insert into gatehouse_room select repeat(md5(n::text), 10) from generate_series(1, 500) n`.execute(trx);
    });
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
  }
}

/** In turn with other writers, and once more after errors that another try may not meet. */
const inTurns =
  (writers: Semaphore, writability: Writability) =>
  <T>(once: () => Promise<T>): Promise<T> =>
    writers.run(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await writability.watch(once());
        } catch (error) {
          // Who shares the statement tries alone: only one of them may have met the lock.
          const lockAttempts = currentDeadline()?.isShared ? 1 : LOCK_ATTEMPTS;
          if (attempt >= (isRetryable(error) ? ATTEMPTS : isLockTimeout(error) ? lockAttempts : 1)) throw error;
          // Another wait for a lock would only end at the deadline.
          if (isLockTimeout(error) && (currentDeadline()?.left() ?? LOCK_MS) < LOCK_MS) throw error;
        }
      }
    });

function createPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...settings, idleTimeoutMillis: 60_000 });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  // The same while a connection is in use: the running query fails, and that is enough.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export async function openPostgres<S>(url: string, migrations: MigrationSource, options: PostgresOptions): Promise<Database<S>> {
  const setting = options.setting ?? 'the database';
  const hosts = new Hosts(url, setting);
  const Client = createClientClass(hosts);
  const common = { connectionTimeoutMillis: CONNECT_MS, types, application_name: 'gatehouse service' };
  const settings = { connectionString: hosts.url, ...common };
  await waitForDatabase(hosts, () => new Client(settings), setting, options.wait);
  await refuseOtherEngines(() => new Client(settings), setting);
  await onOwnConnection(Client, settings, (db) => migrate(db, migrations, { dialect: 'postgres', name: setting }));
  const limits = { statement_timeout: STATEMENT_MS, lock_timeout: LOCK_MS };
  const keepsLimits = await hasTimeLimits(new Client({ ...settings, ...limits }), limits);
  const log = options.wait?.log;
  if (!keepsLimits) log?.info({ setting }, 'a pooler ignores statement_timeout and lock_timeout; each transaction sets them');

  const pool = createPool({ ...settings, ...(keepsLimits ? limits : {}), max: options.poolSize, pipeline: true, Client });

  const subscribers = new Subscribers();
  const reachability = new Reachability(() => connections.probe());
  const earlier = new EarlierVersion((isThere) => {
    if (isThere)
      log?.warn({ setting }, 'processes of an earlier version use this database; until they have ended, every request reads it');
    else log?.info({ setting }, 'no process of an earlier version is left');
  });
  let hidesStart = false;
  const listener: FeedListener = {
    onAnswer: () => reachability.markReachable(),
    isSuitable: (state) => hosts.isSuitable(state),
    onLost: (client) => {
      if (client) hosts.forget(client);
      reachability.startProbing();
    },
    onHiddenStart() {
      if (!hidesStart)
        log?.warn({ setting }, 'the database user may not know when its own sessions began, so every request reads the database');
      hidesStart = true;
    },
    async deleteBelow(xid) {
      try {
        await deleteChangesOfOtherServers(db);
        while (await deleteChangesBelow(db, xid));
      } catch (error) {
        // Another process does it, or we do it the next time.
        log?.warn({ setting, err: error }, 'old rows of the table of changes were not deleted');
      }
    },
  };
  const newFeedClient = () => new Client({ ...settings, application_name: 'gatehouse changes' });
  const feed = new PostgresFeed(newFeedClient, subscribers, earlier, listener, hosts.applicationName);
  const connections = new ConnectionPool({
    pool,
    size: options.poolSize,
    hosts,
    reachability,
    pickHost: () => hosts.pick(settings),
    isFeedAnswering: () => feed.isAnswering(),
    usesNamedStatements: options.namedStatements,
    onNameLost: () =>
      log?.warn({ setting }, `a pooler lost named statements: they are off from now on; set ${namesSetting} to off`),
  });
  const namesSetting = setting.replace('DATABASE_URL', 'NAMED_STATEMENTS');
  const db = new Kysely<S>({ dialect: new PostgresDialect({ pool: connections }) });
  const lists = openLists(db, connections, {
    url: options.standbyUrl,
    setting: setting.replace('DATABASE_URL', 'STANDBY_URL'),
    poolSize: options.poolSize,
    log,
    askPrimary: (text, name) => feed.ask(text, name),
  });
  const writability = new Writability(() => probeWriting(db));
  const writers = new Semaphore(options.poolSize - Math.min(options.poolSize - 1, Math.ceil(options.poolSize * READER_SHARE)));
  const inTurn = inTurns(writers, writability);
  await feed.start();
  lists.start();

  async function writeOnce<T>(work: Parameters<Database<S>['write']>[0], on = db): Promise<T> {
    const tags = new Set<string>();
    const value = await on.transaction().execute(async (trx) => {
      const needed = currentDeadline()?.isUnlimited ? JOB_LIMITS : keepsLimits ? undefined : limits;
      if (needed) await setTimeLimits(trx, needed);
      let last: RowsByTable<S> = {};
      const result = await work(
        trx as unknown as Tx<S>,
        (tag) => tags.add(tag),
        (rows) => {
          last = withRows(last, rows);
        },
      );
      if (tags.size > 0) {
        const text = JSON.stringify([...tags]);
        await insertChange(trx, text, last);
        await earlier.tell(trx, text);
      } else await insertWithNext(trx, last);
      return result;
    });
    subscribers.notify([...tags]);
    return value as T;
  }

  const alone = <T>(statement: (tx: Tx<S>) => Promise<T>, on = db): Promise<T> =>
    keepsLimits && !currentDeadline()?.isUnlimited ? statement(on as Kysely<unknown> as Tx<S>) : writeOnce(statement, on);
  const grown = watchGrowth(db, writeOnce);
  const changes: Feed = { live: () => feed.live(), onChange: (handler) => subscribers.add(handler) };
  return {
    dialect: 'postgres',
    read: db,
    lists: lists.read,
    feed: changes,
    ...createCaches(changes),
    write: (work) => inTurn(() => writeOnce(work)),
    writeStatement: (statement) => inTurn(() => alone(statement)),
    writeUndoably: (statement) =>
      inTurn(() => db.connection().execute((held) => (isAnsweredInTime() ? alone : writeOnce)(statement, held))),
    async scrub() {},
    onOwnConnection: (work) => onOwnConnection(Client, settings, work),
    usage: () => ({
      isFeedLive: feed.live(),
      feedLagSeconds: feed.lagSeconds(),
      connections: options.poolSize,
      inUse: connections.inUse,
      waiting: connections.waiting + writers.waiting,
      ...lists.usage(),
    }),
    async ping() {
      await sql`select 1`.execute(db);
      if (feed.isReadOnly) throw new UnsuitableServer(`${setting} names a server that takes no writes`);
      await writability.check();
    },
    async close() {
      reachability.stop();
      grown.stop();
      await lists.stop();
      await feed.stop();
      await db.destroy();
      // It ends a pool only if it has asked something; we may have looked whether the server is there.
      if (!pool.ending) await pool.end();
    },
  };
}
