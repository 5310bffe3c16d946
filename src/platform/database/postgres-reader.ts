// Reads a PostgreSQL database beside the services that use it. Nothing is migrated or created.
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { createClientClass, Hosts } from './hosts.ts';
import { types } from './postgres-types.ts';
import type { DatabaseReader } from './sqlite-reader.ts';

const CONNECT_MS = 5_000;

/**
 * No session settings, such as a read-only session: behind a pooler in transaction mode they would stay on the server's connection, and the
 * next to get it may be a service.
 */
export function readPostgres<S>(url: string, setting: string, queryMs?: number): DatabaseReader<S> {
  const hosts = new Hosts(url, setting);
  const pool = new pg.Pool({
    connectionString: hosts.url,
    connectionTimeoutMillis: CONNECT_MS,
    ...(queryMs === undefined ? {} : { query_timeout: queryMs }),
    application_name: 'gatehouse reader',
    types,
    max: 1,
    Client: createClientClass(hosts),
  });
  // Without a listener a connection that breaks would end the process.
  pool.on('error', () => {});
  const read = new Kysely<S>({ dialect: new PostgresDialect({ pool }) });
  return { read, close: () => read.destroy() };
}
