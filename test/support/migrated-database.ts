// A PostgreSQL database with the tables of the identity service. It is a copy: its migrations would take half a second for each suite.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { openPostgres } from '../../src/platform/database/postgres.ts';
import { type PostgresServer, sharedPostgres } from './postgres.ts';

const MIGRATIONS = join(import.meta.dirname, '../../src/identity/migrations');
const UNKNOWN_DATABASE = '3D000';
const LOCK = 5_040_113;

/** Named after the migrations, because the server may outlive this version of them. */
function templateName(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(join(MIGRATIONS, file)));
  return `migrated_${hash.digest('hex').slice(0, 16)}`;
}

/** Test processes that come here together make one. It has its name only when it is whole. */
async function createTemplate(server: PostgresServer, name: string): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const begun = `${name}_begun`;
    await client.query(`drop database if exists ${begun} with (force)`);
    const db = await openPostgres(await server.createDatabase(begun), MIGRATIONS, { poolSize: 4, namedStatements: false });
    await db.close();
    await client.query(`alter database ${begun} rename to ${name}`);
  } finally {
    await client.end();
  }
}

export async function migratedDatabase(): Promise<string> {
  const server = await sharedPostgres();
  const template = templateName();
  const copy = (): Promise<string> => server.createDatabase(undefined, template);
  try {
    return await copy();
  } catch (error) {
    if ((error as { code?: string }).code !== UNKNOWN_DATABASE) throw error;
    await createTemplate(server, template);
    return copy();
  }
}
