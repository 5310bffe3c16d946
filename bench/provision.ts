// `node bin/run.js bench/provision.ts [PEOPLE]`: a directory of people comes by SCIM, from empty, into PostgreSQL that keeps what it has acknowledged.
import { Client } from 'pg';
import { forEachConcurrently } from '../src/platform/for-each-concurrently.ts';
import { administrator, type DataFolder, logIn, loginBody, startGatehouse } from './gatehouse.ts';
import { onPostgres } from './on-postgres.ts';
import { cpuSeconds } from './processes.ts';
import { bulkOf } from './writes.ts';

/** As many as a request may have. */
const IN_A_REQUEST = 1000;
const AT_ONCE = 2;
const TOLD_EACH = 50_000;

const people = Number(process.argv[2] ?? 1_000_000);
const server = await onPostgres(0);
const service = await startGatehouse(server.data);
const token = await logIn(service.url, loginBody(administrator));
const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/scim+json' };

/** In bytes. A new database has some megabytes already: create many people. */
async function sizes({ settings }: DataFolder): Promise<{ readonly all: number; readonly events: number }> {
  const db = new Client({ connectionString: settings!.GATEHOUSE_IDENTITY_DATABASE_URL });
  await db.connect();
  const { rows } = await db.query<{ all: string; events: string }>(`select pg_database_size(current_database()) as all,
    pg_total_relation_size('audit_events') + (select coalesce(sum(pg_total_relation_size(relid)), 0) from pg_partition_tree('audit_events') where isleaf) as events`);
  await db.end();
  return { all: Number(rows[0]!.all), events: Number(rows[0]!.events) };
}
const seconds = (from: number): number => (performance.now() - from) / 1000;

async function create(first: number): Promise<number> {
  const names = Array.from({ length: Math.min(IN_A_REQUEST, people - first) }, (_, n) => `person-${first + n}`);
  const response = await fetch(`${service.url}/scim/v2/Bulk`, { method: 'POST', headers, body: JSON.stringify(bulkOf(names)) });
  const { Operations } = (await response.json()) as { Operations?: { status: string }[] };
  const refused = Operations?.find(({ status }) => status !== '201');
  if (!Operations || refused) throw new Error(`${response.status} ${JSON.stringify(refused)}`);
  return names.length;
}

const began = performance.now();
let created = 0;
const tell = (): void => {
  const cpu = [service.pid, server.pid].map((pid) => Math.round((cpuSeconds(pid) / created) * 1e6));
  console.log(
    `${created} people, ${seconds(began).toFixed(0)} s, ${Math.round(created / seconds(began))}/s; CPU us each: service ${cpu[0]}, PostgreSQL ${cpu[1]}`,
  );
};
await forEachConcurrently(
  AT_ONCE,
  Array.from({ length: Math.ceil(people / IN_A_REQUEST) }, (_, n) => n * IN_A_REQUEST),
  async (first) => {
    const more = await create(first);
    const before = created;
    created += more;
    if (Math.floor(created / TOLD_EACH) > Math.floor(before / TOLD_EACH)) tell();
  },
);
tell();
const { all, events } = await sizes(server.data);
const forEach = (size: number): number => Math.round(size / created);
console.log(
  `bytes of PostgreSQL for each, indexes included: ${forEach(all)}, of which ${forEach(events)} are of its audit event`,
);
await service.stop();
await server.stop();
process.exit(0);
