// The databases: reachable, current, replicated; the feed of changes; the clock, which replicas must agree on.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS as IDENTITY_MIGRATIONS } from '../identity/service.ts';
import {
  type InspectedDatabase,
  loadInspection,
  loadStandbyInspection,
  type MigrationState,
  type PostgresInspection,
  type ServerInspection,
  type StandbyInspection,
} from '../platform/database/index.ts';
import { workersOf } from '../setting-rules.ts';
import { MIGRATIONS as WALLET_MIGRATIONS } from '../wallet/service.ts';
import { type Deployment, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

export type ServiceName = 'identity' | 'wallet';

export interface DatabaseReport {
  readonly name: ServiceName;
  readonly findings: readonly Finding[];
  /** Undefined if it cannot be read, or is of another version: its tables are not known then. */
  readonly database: InspectedDatabase<unknown> | undefined;
  readonly server: ServerInspection | undefined;
}

const FOLDERS = { identity: IDENTITY_MIGRATIONS, wallet: WALLET_MIGRATIONS };
const MIN_VERSION = 150_000;
const LAG_SECONDS = 60;
const SLOT_BYTES = 1024 ** 3;
/** Months are made longer ahead. */
const MONTH_MS = 28 * 86_400_000;

function checkMigrations(name: ServiceName, { pending, unknown, last, isCopyUnfinished }: MigrationState): Finding {
  const check = `migrations.${name}`;
  if (isCopyUnfinished)
    return fail(
      check,
      'data are being copied into this database, or that was interrupted; no service starts on it',
      'run again: gatehouse move-to-postgres',
    );
  if (unknown.length > 0)
    return fail(
      check,
      `a newer version has updated the database (to ${last})`,
      'start that version or a later one, or restore a backup of this one',
    );
  if (pending.length > 0)
    return warn(
      check,
      `${pending.length} updates are missing: ${pending.join(', ')}`,
      'make a backup, then start the service or run: gatehouse migrate',
    );
  return ok(check, `up to date (${last})`);
}

async function reportSqlite(name: ServiceName, folder: string): Promise<DatabaseReport> {
  const check = `database.${name}`;
  const path = join(folder, `${name}.sqlite`);
  const missing = { name, database: undefined, server: undefined };
  if (!existsSync(path)) {
    const mend = 'start the service, which creates it; if there was one, restore a backup';
    return { ...missing, findings: [warn(check, `there is no ${path}`, mend)] };
  }
  const { inspectSqlite } = await loadInspection();
  try {
    const found = await inspectSqlite(path, FOLDERS[name]);
    const first =
      found.damage === undefined
        ? ok(
            check,
            `SQLite${found.isChecked ? ', intact' : `; not checked for damage, because it has ${Math.round(found.bytes / 1024 ** 2)} MiB`}`,
          )
        : fail(
            check,
            `${path} is damaged: ${found.damage}`,
            'stop the service, keep the file, and restore a backup into an empty folder',
          );
    const isKnown = found.damage === undefined && found.migrations.pending.length + found.migrations.unknown.length === 0;
    if (!isKnown) await found.close();
    return { ...missing, findings: [first, checkMigrations(name, found.migrations)], database: isKnown ? found : undefined };
  } catch (error) {
    const mend = 'stop the service, keep the file, and restore a backup into an empty folder';
    return { ...missing, findings: [fail(check, `${path} cannot be read (${reasonOf(error)})`, mend)] };
  }
}

function checkServer(name: ServiceName, server: ServerInspection): Finding {
  const check = `database.${name}`;
  const setting = `GATEHOUSE_${name.toUpperCase()}_DATABASE_URL`;
  const version = `PostgreSQL ${server.versionText}`;
  if (server.version < MIN_VERSION) return fail(check, `${version} is too old`, 'update the server to PostgreSQL 15 or newer');
  if (server.encoding !== 'UTF8')
    return fail(
      check,
      `its encoding is ${server.encoding}`,
      'create the database with the encoding UTF8, and move the data there',
    );
  if (server.isStandby || server.isReadOnly)
    return fail(
      check,
      `${version}, which accepts no writes`,
      `name the primary in ${setting}, or several hosts with target_session_attrs=read-write`,
    );
  if (!server.usesTls && !server.isLocal)
    return warn(
      check,
      `${version}; the connection is not encrypted`,
      `add ?sslmode=verify-full to ${setting}, or make sure that nobody else is on that network`,
    );
  if (name === 'wallet' && server.isExempt)
    return warn(
      check,
      'its user is not bound by row-level security',
      `give ${setting} a role of its own that is no superuser and has no BYPASSRLS`,
    );
  return ok(check, version);
}

function checkDurability(name: ServiceName, { fsync }: ServerInspection): Finding {
  const check = `durability.${name}`;
  return fsync
    ? ok(check, 'fsync is on')
    : fail(check, 'fsync is off: a crash of the machine loses data', 'set fsync = on in postgresql.conf');
}

function checkConnections(name: ServiceName, pool: number, workers: number, server: ServerInspection): Finding {
  const check = `connections.${name}`;
  const needed = (pool + 1) * workers;
  const text = `the service may use ${needed} of ${server.maxConnections} connections; ${server.connections} are in use`;
  if (needed > server.maxConnections)
    return fail(
      check,
      text,
      `raise max_connections of the server, or lower GATEHOUSE_${name.toUpperCase()}_POOL_SIZE or GATEHOUSE_WORKERS`,
    );
  return ok(check, text);
}

function checkReplication(name: ServiceName, { standbys, slots, synchronousStandbys }: ServerInspection): Finding {
  const check = `replication.${name}`;
  const idle = slots.find(({ active, keptBytes }) => !active && keptBytes > SLOT_BYTES);
  const late = standbys.find(({ state, lagSeconds }) => (state !== null && state !== 'streaming') || lagSeconds > LAG_SECONDS);
  if (synchronousStandbys !== '' && !standbys.some(({ sync }) => sync === null || sync === 'sync' || sync === 'quorum'))
    return fail(
      check,
      'no synchronous standby is connected, so commits wait',
      'start the standby, or change synchronous_standby_names',
    );
  if (late)
    return warn(
      check,
      `standby ${late.name} is ${late.state ?? 'connected'}, ${Math.round(late.lagSeconds)} s behind`,
      'look at its log and its network',
    );
  if (idle)
    return warn(
      check,
      `nobody reads the replication slot ${idle.name}, and the disk fills`,
      `start its standby, or: select pg_drop_replication_slot('${idle.name}')`,
    );
  return ok(
    check,
    standbys.length === 0
      ? 'no standby is connected'
      : standbys.map((one) => `${one.name}: ${one.sync ?? 'connected'}`).join(', '),
  );
}

/** Also for tests. `now`: milliseconds. */
export function checkAuditMonths(
  name: ServiceName,
  { auditParts: parts, auditObstacle: obstacle }: Pick<PostgresInspection<unknown>, 'auditParts' | 'auditObstacle'>,
  now: number,
): Finding {
  const check = `audit.${name}`;
  if (obstacle !== undefined)
    return warn(check, `audit events are not kept by month: ${obstacle}`, 'see "By month" in docs/guide/audit.md');
  if (parts.length === 0) return ok(check, 'one table has all audit events; a service that runs divides it by month');
  const until = Math.max(...parts.filter(({ isOutside }) => !isOutside).map(({ to }) => to));
  const month = new Date(until * 1000).toISOString().slice(0, 7);
  return until * 1000 < now + MONTH_MS
    ? warn(check, `audit events have no month from ${month} on`, 'look for "divided by month" in the log of the service')
    : ok(check, `audit events are kept by month, in ${parts.length} parts, up to ${month}`);
}

/** What the server says of itself. Also for tests: most of these states cannot be had from one test server. */
export const serverFindings = (
  name: ServiceName,
  server: ServerInspection,
  { pool, workers }: { readonly pool: number; readonly workers: number },
): Finding[] => [
  checkServer(name, server),
  checkDurability(name, server),
  checkConnections(name, pool, workers, server),
  checkReplication(name, server),
];

/** As a service does (standby.ts). */
const STANDBY_LAG_MS = 100;

/** Of one of the servers that lists are read from. */
export function standbyFinding({ name, state, lagMs, connections, maxConnections }: StandbyInspection, needed: number): Finding {
  const [check, setting] = ['standbys.identity', 'GATEHOUSE_IDENTITY_STANDBY_URL'];
  if (state === 'away')
    return warn(check, `${name} does not answer, so no lists are read there`, `start it, or remove it from ${setting}`);
  if (state === 'other_system')
    return fail(check, `${name} is no copy of the primary's database`, `correct the host or the database in ${setting}`);
  if (state === 'no_standby') return ok(check, `${name} takes writes: no lists are read there as long as it is no standby`);
  if (state === 'behind' || lagMs > STANDBY_LAG_MS)
    return warn(
      check,
      `${name} is ${Math.round(lagMs)} ms behind or more, or follows another primary, so no lists are read there`,
      'look at its log and its network',
    );
  if (needed > maxConnections)
    return warn(
      check,
      `the service may use ${needed} of ${maxConnections} connections of ${name}; ${connections} are in use`,
      'raise max_connections of this server, or lower GATEHOUSE_IDENTITY_POOL_SIZE or GATEHOUSE_WORKERS',
    );
  return ok(check, `lists are read from ${name}`);
}

async function reportStandbys({ identity, shared }: Deployment, url: string, setting: string): Promise<Finding[]> {
  if (!identity?.standbyUrl) return [];
  const { inspectStandbys } = await loadStandbyInspection();
  const settings = { setting, standbySetting: 'GATEHOUSE_IDENTITY_STANDBY_URL' };
  const found = await inspectStandbys(url, identity.standbyUrl, settings).catch((error: unknown) => reasonOf(error));
  if (typeof found === 'string')
    return [
      warn(
        'standbys.identity',
        `the primary does not say where it is (${found}), so lists are read there`,
        'let the user of the database call pg_control_system(), and start the service once',
      ),
    ];
  const needed = (identity.poolSize + 1) * workersOf(shared);
  return (
    found?.map((one) => standbyFinding(one, needed)) ?? [
      warn('standbys.identity', 'no process has used standbys of this primary yet', 'start the service with this setting'),
    ]
  );
}

async function reportPostgres(name: ServiceName, url: string, deployment: Deployment): Promise<DatabaseReport> {
  const { shared, machine } = deployment;
  const check = `database.${name}`;
  const setting = `GATEHOUSE_${name.toUpperCase()}_DATABASE_URL`;
  const { inspectPostgres } = await loadInspection();
  try {
    const found = await inspectPostgres(url, FOLDERS[name], { setting, now: () => machine.now() });
    const { server, hosts } = found;
    const away = hosts.filter(({ state }) => state === undefined).map((host) => host.name);
    const findings = [
      ...serverFindings(name, server, { pool: deployment[name]!.poolSize, workers: workersOf(shared) }),
      checkMigrations(name, found.migrations),
      found.feedProblem === undefined
        ? ok(`feed.${name}`, 'processes learn of each other’s changes')
        : warn(`feed.${name}`, 'nothing is answered from memory', found.feedProblem),
      checkAuditMonths(name, found, machine.now()),
      ...(name === 'identity' ? await reportStandbys(deployment, url, setting) : []),
      ...(hosts.length === 1
        ? []
        : [
            away.length === 0
              ? ok(`hosts.${name}`, `${hosts.length} hosts answer`)
              : warn(`hosts.${name}`, `${away.join(', ')} does not answer`, `start it, or remove it from ${setting}`),
          ]),
    ];
    const isKnown = found.migrations.pending.length + found.migrations.unknown.length === 0;
    if (!isKnown) await found.close();
    return { name, findings, database: isKnown ? found : undefined, server };
  } catch (error) {
    const mend = `check the address, user and password in ${setting}, and that the server runs and lets this machine in`;
    return { name, findings: [fail(check, `no connection (${reasonOf(error)})`, mend)], database: undefined, server: undefined };
  }
}

export function reportDatabase(name: ServiceName, deployment: Deployment): Promise<DatabaseReport> {
  const url = deployment[name]?.databaseUrl;
  return url === undefined ? reportSqlite(name, deployment.folder) : reportPostgres(name, url, deployment);
}

const WARN_MS = 2_000;
const FAIL_MS = 30_000;

/** Tokens and codes end by the clock. It must agree with the database's, with those of time servers, and with what is stored. */
export async function checkClock({ machine }: Deployment, reports: readonly DatabaseReport[]): Promise<Finding[]> {
  const check = 'clock';
  const { newestTime } = await loadInspection();
  for (const { name, server, database } of reports) {
    if (server) {
      const off = Math.max(Math.abs(server.clockDifferenceMs) - server.clockPrecisionMs, 0);
      const text = `this clock and that of the ${name} database differ by ${(off / 1000).toFixed(1)} s`;
      if (off > FAIL_MS) return [fail(check, text, 'set both by NTP: tokens and codes are refused or live too long')];
      if (off > WARN_MS) return [warn(check, text, 'let NTP set both')];
    }
    const newest = database && name === 'identity' ? await newestTime(database.read, 'audit_events', 'at') : undefined;
    const ahead = newest === undefined ? 0 : newest * 1000 - machine.now();
    if (ahead > FAIL_MS)
      return [
        fail(
          check,
          `the newest event is ${Math.round(ahead / 1000)} s in the future: the clock was set back`,
          'set the clock by NTP; tokens of that time are valid for longer',
        ),
      ];
  }
  const isSynchronized = await machine.isClockSynchronized();
  if (isSynchronized === false) return [warn(check, 'no time server sets the clock', 'turn NTP on: timedatectl set-ntp true')];
  return [
    ok(
      check,
      isSynchronized ? 'set by a time server' : 'right as far as this can see; whether a time server sets it is not known',
    ),
  ];
}
