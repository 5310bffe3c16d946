// Looks at a database without changing anything, for `gatehouse doctor`: nothing is migrated, created or written, and no file appears.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { earlierSessions } from './earlier-version.ts';
import { createClientClass, Hosts, SERVER_STATE, type ServerState } from './hosts.ts';
import { type MigrationSource, migrationState } from './migrate.ts';
import { obstacleOf, type Part, readParts } from './monthly-parts.ts';
import { readPostgres } from './postgres-reader.ts';
import { SqliteConnection, sqliteDialect } from './sqlite-driver.ts';
import type { DatabaseReader } from './sqlite-reader.ts';

const AUDIT_EVENTS = 'audit_events';
const CONNECT_MS = 5_000;
/** Reading a larger file to its end would take minutes, beside the service. */
const MAX_CHECKED_BYTES = 512 * 1024 * 1024;

export interface MigrationState {
  /** Those that the next start would apply. */
  readonly pending: readonly string[];
  /** Those of a newer version. */
  readonly unknown: readonly string[];
  readonly last: string | undefined;
  /** Rows are missing that were to be copied into it. No service starts on it. */
  readonly isCopyUnfinished: boolean;
}

/** A database that is open for reading only. */
export interface InspectedDatabase<S> {
  readonly read: Kysely<S>;
  readonly migrations: MigrationState;
  close(): Promise<void>;
}

/**
 * While a service uses the file, its log is beside it and is read, too. Without a log the file is complete, and SQLite is told that nobody
 * writes: otherwise it would create the log.
 */
function openReadOnly(path: string): DatabaseSync {
  if (existsSync(`${path}-wal`)) {
    const handle = new DatabaseSync(path, { readOnly: true });
    handle.exec('pragma busy_timeout = 5000');
    return handle;
  }
  const url = pathToFileURL(path);
  url.search = '?immutable=1';
  return new DatabaseSync(url, { readOnly: true });
}

const LOOK_MS = 5_000;

/** For one look, beside a service or without one: no file appears, and a server that does not answer is given up soon. */
export function lookInto<S>(path: string, databaseUrl: string | undefined, setting: string): DatabaseReader<S> {
  if (databaseUrl !== undefined) return readPostgres<S>(databaseUrl, setting, LOOK_MS);
  const handle = openReadOnly(path);
  const read = new Kysely<S>({ dialect: sqliteDialect(new SqliteConnection(handle)) });
  return {
    read,
    async close() {
      await read.destroy();
      handle.close();
    },
  };
}

export interface SqliteInspection<S> extends InspectedDatabase<S> {
  /** Undefined if the file is too large to be read to its end. */
  readonly damage: string | undefined;
  readonly isChecked: boolean;
  readonly bytes: number;
}

export async function inspectSqlite<S>(path: string, migrations: MigrationSource): Promise<SqliteInspection<S>> {
  const handle = openReadOnly(path);
  try {
    const read = new Kysely<S>({ dialect: sqliteDialect(new SqliteConnection(handle)) });
    const bytes = statSync(path).size;
    const isChecked = bytes <= MAX_CHECKED_BYTES;
    const [result] = isChecked ? (handle.prepare('pragma quick_check(1)').all() as { quick_check: string }[]) : [];
    return {
      read,
      bytes,
      isChecked,
      damage: result && result.quick_check !== 'ok' ? result.quick_check : undefined,
      migrations: await migrationState(read, migrations, 'sqlite'),
      async close() {
        await read.destroy();
        handle.close();
      },
    };
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** Whether a process has the files of this folder. A lock cannot be asked for without taking it, but a read fails while it is held. */
export function isFolderLocked(folder: string): boolean {
  const path = `${folder}/gatehouse.lock`;
  if (!existsSync(path)) return false;
  const handle = new DatabaseSync(path, { readOnly: true });
  try {
    handle.prepare('select count(*) from sqlite_master').get();
    return false;
  } catch (error) {
    if (/locked|busy/i.test((error as Error).message)) return true;
    throw error;
  } finally {
    handle.close();
  }
}

export interface HostState {
  readonly name: string;
  /** Undefined if it does not answer. */
  readonly state: ServerState | undefined;
}

export interface Standby {
  readonly name: string;
  readonly state: string | null;
  readonly sync: string | null;
  readonly lagSeconds: number;
}

export interface ReplicationSlot {
  readonly name: string;
  readonly active: boolean;
  /** Bytes that the server keeps for it. */
  readonly keptBytes: number;
}

export interface ServerInspection {
  readonly version: number;
  readonly versionText: string;
  readonly encoding: string;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  /** The user bypasses row-level security. */
  readonly isExempt: boolean;
  readonly usesTls: boolean;
  readonly isLocal: boolean;
  readonly connections: number;
  readonly maxConnections: number;
  readonly fsync: boolean;
  /** The server's clock minus ours, and how precisely this is known. */
  readonly clockDifferenceMs: number;
  readonly clockPrecisionMs: number;
  readonly standbys: readonly Standby[];
  readonly slots: readonly ReplicationSlot[];
  readonly synchronousStandbys: string;
}

export interface PostgresInspection<S> extends InspectedDatabase<S> {
  readonly hosts: readonly HostState[];
  readonly server: ServerInspection;
  /** Why every request reads the database; undefined if memory answers. */
  readonly feedProblem: string | undefined;
  /** The parts of the table of audit events, by time, and why it is not divided. */
  readonly auditParts: readonly Part[];
  readonly auditObstacle: string | undefined;
}

const SERVER = `select current_setting('server_version_num')::int as version, current_setting('server_version') as version_text,
  current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
  current_setting('transaction_read_only') = 'on' as read_only,
  coalesce((select rolsuper or rolbypassrls from pg_roles where rolname = current_user), false) as exempt,
  coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as tls,
  coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as local,
  (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max_connections,
  current_setting('fsync') = 'on' as fsync, current_setting('synchronous_standby_names') as synchronous`;
/** Somebody who may not see the details gets null in them. */
const STANDBYS = `select application_name as name, state, sync_state as sync,
  coalesce(extract(epoch from replay_lag), 0)::float8 as lag from pg_stat_replication order by 1`;
const SLOTS = `select slot_name as name, active, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as kept
  from pg_replication_slots order by 1`;

interface ServerRow {
  version: number;
  version_text: string;
  encoding: string;
  standby: boolean;
  read_only: boolean;
  exempt: boolean;
  tls: boolean;
  local: boolean;
  connections: number;
  max_connections: number;
  fsync: boolean;
  synchronous: string;
}

async function inspectServer(client: pg.Client, now: () => number): Promise<ServerInspection> {
  const row = (await client.query<ServerRow>(SERVER)).rows[0]!;
  const before = now();
  const { rows } = await client.query<{ at: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as at');
  const after = now();
  const standbys = row.standby
    ? []
    : (await client.query<{ name: string; state: string; sync: string; lag: number }>(STANDBYS)).rows;
  const slots = row.standby ? [] : (await client.query<{ name: string; active: boolean; kept: number }>(SLOTS)).rows;
  return {
    version: row.version,
    versionText: row.version_text.split(' ')[0]!,
    encoding: row.encoding,
    isStandby: row.standby,
    isReadOnly: row.read_only,
    isExempt: row.exempt,
    usesTls: row.tls,
    isLocal: row.local,
    connections: row.connections,
    maxConnections: row.max_connections,
    fsync: row.fsync,
    clockDifferenceMs: rows[0]!.at - (before + after) / 2,
    clockPrecisionMs: (after - before) / 2,
    standbys: standbys.map(({ name, state, sync, lag }) => ({ name, state, sync, lagSeconds: lag })),
    slots: slots.map(({ name, active, kept }) => ({ name, active, keptBytes: kept })),
    synchronousStandbys: row.synchronous,
  };
}

/** What keeps processes from proving that they know every change. */
async function feedProblem(client: pg.Client, hosts: Hosts): Promise<string | undefined> {
  const { rows } = await client.query<{ earlier: number; since: unknown }>(
    `select ${earlierSessions(hosts.applicationName)}::int as earlier,
      (select backend_start from pg_stat_get_activity(pg_backend_pid())) as since, pg_current_snapshot()`,
  );
  const { earlier, since } = rows[0]!;
  if (since === null) return 'this server does not say when a session began, so that a crash of it would go unnoticed';
  return earlier > 0 ? 'processes of an earlier version use this database; end the last of them' : undefined;
}

async function hostStates(hosts: Hosts, settings: pg.ClientConfig): Promise<HostState[]> {
  return Promise.all(
    hosts.addresses.map(async (address) => {
      const client = new pg.Client(settings);
      client.on('error', () => {});
      Object.assign(client, address);
      const name = `${address.host}:${address.port}`;
      try {
        await client.connect();
        return { name, state: (await client.query<ServerState>(SERVER_STATE)).rows[0]! };
      } catch {
        return { name, state: undefined };
      } finally {
        client.end().catch(() => {});
      }
    }),
  );
}

const settingsFor = (hosts: Hosts): pg.ClientConfig => ({
  connectionString: hosts.url,
  connectionTimeoutMillis: CONNECT_MS,
  query_timeout: CONNECT_MS,
  application_name: 'gatehouse doctor',
});

function createClient(hosts: Hosts): pg.Client {
  const client = new (createClientClass(hosts))(settingsFor(hosts));
  client.on('error', () => {});
  return client;
}

export interface PostgresInspectionOptions {
  readonly setting: string;
  /** Our clock, in milliseconds. */
  now(): number;
}

/** Throws if no suitable server answers. */
export async function inspectPostgres<S>(
  url: string,
  migrations: MigrationSource,
  { setting, now }: PostgresInspectionOptions,
): Promise<PostgresInspection<S>> {
  const hosts = new Hosts(url, setting);
  const client = createClient(hosts);
  const { read, close: closeReader } = readPostgres<S>(url, setting, CONNECT_MS);
  const close = async (): Promise<void> => {
    await Promise.all([closeReader(), client.end().catch(() => {})]);
  };
  try {
    await client.connect();
    return {
      read,
      hosts: await hostStates(hosts, settingsFor(hosts)),
      server: await inspectServer(client, now),
      feedProblem: await feedProblem(client, hosts),
      auditParts: await readParts(read, AUDIT_EVENTS),
      auditObstacle: await obstacleOf(read, AUDIT_EVENTS),
      migrations: await migrationState(read, migrations, 'postgres'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** When the newest row of a table of events was written (seconds). Undefined if there is none. */
export async function newestTime<S>(db: Kysely<S>, table: string, column: string): Promise<number | undefined> {
  const { rows } = await sql<{
    at: number | string | null;
  }>`select max(${sql.ref(column)}) as at from ${sql.table(table)}`.execute(db);
  const at = rows[0]?.at ?? null;
  return at === null ? undefined : Number(at);
}

/** The files of an embedded database that are in a folder. */
export const databaseFilesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /\.sqlite(-wal|-shm)?$/.test(name));
