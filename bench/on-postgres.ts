// Data of a service on a PostgreSQL server of its own, which keeps what it has acknowledged, unlike the one of the tests.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts';
import { type DataFolder, startGatehouse } from './gatehouse.ts';
import { freePort, parentOf, temporaryFolder } from './processes.ts';
import { seedPostgres } from './seed-postgres.ts';

/** With statistics as elsewhere: the server of the tests makes none, so that small tables that grow would be read as a whole. */
const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum'];

/** Returns the process that started all others of the server. */
async function makeDurable(url: string): Promise<number> {
  const db = new Client({ connectionString: url });
  await db.connect();
  for (const setting of DURABLE) await db.query(`alter system set ${setting} = on`);
  await db.query('select pg_reload_conf()');
  const { rows } = await db.query<{ pid: number }>(`select pid from pg_stat_activity where backend_type = 'checkpointer'`);
  await db.end();
  return parentOf(rows[0]!.pid);
}

export interface PostgresData {
  readonly data: DataFolder;
  /** Of the server. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** `given`: a server to make durable, in place of a new one. */
export async function startDurablePostgres(given?: PostgresServer): Promise<PostgresServer & { readonly pid: number }> {
  const server = given ?? (await startPostgres());
  return { ...server, pid: await makeDurable(server.url) };
}

/** `settings`: beside those of the databases. */
export async function onPostgres(
  users: number,
  more: Readonly<Record<string, string>> = {},
  given?: PostgresServer,
): Promise<PostgresData> {
  const server = await startDurablePostgres(given);
  const url = await server.createDatabase();
  const settings = {
    GATEHOUSE_IDENTITY_DATABASE_URL: url,
    GATEHOUSE_WALLET_DATABASE_URL: await server.createDatabase(),
    GATEHOUSE_MASTER_KEY: randomBytes(32).toString('base64url'),
    ...more,
  };
  const size = { users, revocations: 0 };
  const data = { folder: temporaryFolder(), size, port: await freePort(), walletPort: await freePort(), settings };
  await (await startGatehouse(data)).stop();
  await seedPostgres(url, users);
  return { data, pid: server.pid, stop: () => server.stop() };
}
