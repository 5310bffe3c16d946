// Databases with the tables of a service. They are copies of one that was migrated once: migrations would take half a second for each suite.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { openPostgres } from '../../src/platform/database/postgres.ts';
import { openSqlite } from '../../src/platform/database/sqlite.ts';
import { inFullRun } from './extent.ts';
import { type PostgresServer, sharedPostgres } from './postgres.ts';

export type DatabaseKind = 'SQLite' | 'PostgreSQL';
export const BOTH_DATABASES: readonly DatabaseKind[] = ['SQLite', 'PostgreSQL'];
/** For tests of messages, rights and pages, which no database decides; those of stores and of races run on both. */
export const USUAL_DATABASES: readonly DatabaseKind[] = inFullRun(BOTH_DATABASES, ['SQLite']);
/**
 * For attacks: on PostgreSQL more can happen between two statements. Without `npm test`, which starts a PostgreSQL for all, also on SQLite
 * (`npm run test:one`, mutants).
 */
export const DATABASES_OF_ATTACKS: readonly DatabaseKind[] = process.env.TEST_POSTGRES_URL
  ? inFullRun(BOTH_DATABASES, ['PostgreSQL'])
  : BOTH_DATABASES;
/**
 * For stores and all else that runs on both. In a run of everything by `npm test`, suites take turns by their names: each is on one, every
 * fourth on PostgreSQL, where a suite takes three times the processor time and which has all attacks besides. Files that are named run on
 * both, as in `npm run test:all`.
 */
export const databasesInTurn = (name: string): readonly DatabaseKind[] =>
  process.env.TEST_IN_TURN ? inFullRun(BOTH_DATABASES, [isTurnOfPostgres(name) ? 'PostgreSQL' : 'SQLite']) : BOTH_DATABASES;
const isTurnOfPostgres = (name: string): boolean => createHash('sha256').update(name).digest()[0]! % 4 === 0;
export type ServiceName = 'identity' | 'wallet';

/** Owners of the databases who are not superusers, so that row-level security applies. */
const OWNERS: Readonly<Partial<Record<ServiceName, string>>> = { wallet: 'wallet_of_tests' };
const UNKNOWN_DATABASE = '3D000';
const LOCK = 5_040_113;

const migrationsOf = (service: ServiceName): string => join(import.meta.dirname, '../../src', service, 'migrations');

/** Named after the migrations, because the server may outlive this version of them. */
function templateName(service: ServiceName): string {
  const folder = migrationsOf(service);
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)));
  return `migrated_${service}_${hash.digest('hex').slice(0, 16)}`;
}

/** The URL with which the owner of the database connects. */
function asOwner(url: string, service: ServiceName): string {
  const owner = OWNERS[service];
  return owner ? Object.assign(new URL(url), { username: owner, password: owner }).href : url;
}

async function giveToOwner(client: Client, server: PostgresServer, service: ServiceName, url: string): Promise<void> {
  const owner = OWNERS[service];
  if (!owner) return;
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [owner]);
  if (!rowCount) await client.query(`create role ${owner} login password '${owner}'`);
  const name = new URL(url).pathname.slice(1);
  await client.query(`alter database ${name} owner to ${owner}`);
  const inside = new Client({ connectionString: Object.assign(new URL(server.url), { pathname: `/${name}` }).href });
  await inside.connect();
  await inside.query(`alter schema public owner to ${owner}`).finally(() => inside.end());
}

/** Test processes that come here together make one. It has its name only when it is whole. */
async function createTemplate(server: PostgresServer, service: ServiceName, name: string): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const begun = `${name}_begun`;
    await client.query(`drop database if exists ${begun} with (force)`);
    const url = await server.createDatabase(begun);
    await giveToOwner(client, server, service, url);
    const db = await openPostgres(asOwner(url, service), migrationsOf(service), { poolSize: 4, namedStatements: false });
    await db.close();
    await client.query(`alter database ${begun} rename to ${name}`);
  } finally {
    await client.end();
  }
}

/** A PostgreSQL database with the tables of the service. Returns its URL. */
export async function migratedPostgres(service: ServiceName): Promise<string> {
  const server = await sharedPostgres();
  const template = templateName(service);
  const copy = async (): Promise<string> => asOwner(await server.createDatabase(undefined, template), service);
  try {
    return await copy();
  } catch (error) {
    if ((error as { code?: string }).code !== UNKNOWN_DATABASE) throw error;
    await createTemplate(server, service, template);
    return copy();
  }
}

/** Puts a file with the tables of the service into a data folder, if `npm test` gave a place for the copied one. Else the service migrates an empty one. */
export async function migratedSqlite(service: ServiceName, folder: string): Promise<void> {
  const templates = process.env.TEST_SQLITE_TEMPLATES;
  if (!templates) return;
  const template = join(templates, `${service}.sqlite`);
  if (!existsSync(template)) {
    const begun = `${template}.${process.pid}`;
    const db = await openSqlite(begun, migrationsOf(service));
    await db.close();
    await rename(begun, template);
  }
  await copyFile(template, join(folder, `${service}.sqlite`));
}

/** A database of this kind for a service with this data folder. Returns the URL of PostgreSQL, undefined for SQLite. */
export async function migratedDatabase(kind: DatabaseKind, service: ServiceName, folder: string): Promise<string | undefined> {
  if (kind === 'PostgreSQL') return migratedPostgres(service);
  await migratedSqlite(service, folder);
  return undefined;
}
