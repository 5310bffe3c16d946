// PostgreSQL: a pool with stated sizes and time-outs, statements prepared by name, and the feed of changes.
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type Database, Subscribers, type Tx } from './database.ts';
import { isRetryable } from './errors.ts';
import { CHANNEL, PostgresFeed } from './feed.ts';
import { type MigrationSource, migrate } from './migrate.ts';

export interface PostgresOptions {
  readonly poolSize: number;
  /** Off for a pgbouncer in transaction mode that cannot keep named statements. */
  readonly namedStatements: boolean;
  /** The setting that holds its address, for messages. */
  readonly setting?: string;
}

const CONNECT_MS = 5_000;
const QUERY_MS = 30_000;
const NAMED_STATEMENTS = 1000;
const ATTEMPTS = 5;
/** PostgreSQL refuses a NOTIFY payload of 8000 bytes; a longer list means "anything". */
const PAYLOAD_BYTES = 7900;

// count(*) and bigint arrive as text; everything we count or keep fits a double.
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

const names = new Map<string, string>();

/** The server parses and plans a named text once a connection. Past the limit (dynamic filters) texts go without a name. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known || names.size >= NAMED_STATEMENTS) return known;
  const name = `g${names.size}`;
  names.set(text, name);
  return name;
}

class NamingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads of `query` cannot be repeated in a subclass
  override query(config: any, values?: any, callback?: any): any {
    const name = typeof config === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(config) : undefined;
    if (name) return super.query({ name, text: config, values }, callback);
    return super.query(config, values, callback);
  }
}

export async function openPostgres<S>(url: string, migrations: MigrationSource, options: PostgresOptions): Promise<Database<S>> {
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    // The server gives up first, so that a slow query leaves a connection that can be used again.
    statement_timeout: QUERY_MS - 5_000,
    types: types as pg.CustomTypesConfig,
    application_name: 'gatehouse',
  };
  const pool = new pg.Pool({
    ...settings,
    max: options.poolSize,
    idleTimeoutMillis: 60_000,
    ...(options.namedStatements ? { Client: NamingClient } : {}),
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  // The same while it is lent out: whoever has it learns of it from the query.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<S>({ dialect: new PostgresDialect({ pool }) });
  await migrate(db, migrations, { dialect: 'postgres', name: options.setting ?? 'the database' });

  const subscribers = new Subscribers();
  const feed = new PostgresFeed(settings, subscribers);
  await feed.start();

  async function once<T>(work: Parameters<Database<S>['write']>[0]): Promise<T> {
    const tags = new Set<string>();
    const value = await db.transaction().execute(async (trx) => {
      const result = await work(trx as unknown as Tx<S>, (tag) => tags.add(tag));
      if (tags.size > 0) {
        const payload = JSON.stringify([...tags]);
        await sql`select pg_notify(${CHANNEL}, ${Buffer.byteLength(payload) < PAYLOAD_BYTES ? payload : '*'})`.execute(trx);
      }
      return result;
    });
    subscribers.tell([...tags]);
    return value as T;
  }

  return {
    dialect: 'postgres',
    read: db,
    feed: { live: () => feed.live(), onChange: (handler) => subscribers.add(handler) },
    async write(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(work);
        } catch (error) {
          if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
        }
      }
    },
    async ping() {
      await sql`select 1`.execute(db);
    },
    async close() {
      await feed.stop();
      await db.destroy();
    },
  };
}
