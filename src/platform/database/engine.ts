// Servers that speak PostgreSQL's protocol and are not PostgreSQL are refused at the start, if what we rely on does not hold there: advisory locks
// that lock, and snapshots that name what runs (ADR 032). Where they do not, two writers would both be right, and changes would never be heard of.
import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { ConfigError } from '../config/index.ts';
import { isUnreachable } from './errors.ts';

/** What they call themselves in `version()`. On several machines, each has numbers of transactions of its own. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/cockroach/i, 'CockroachDB'],
  [/yugabyte|-YB-/i, 'YugabyteDB'],
  [/greenplum/i, 'Greenplum'],
  [/redshift/i, 'Amazon Redshift'],
];
const QUERY_MS = 5_000;
const UNDEFINED_FUNCTION = '42883';

type Ask = (text: string, values?: readonly unknown[]) => Promise<Readonly<Record<string, unknown>>>;

/** Two connections at the same time. Returns what does not hold. */
async function findFault(one: Ask, other: Ask): Promise<string | undefined> {
  const { version, standby } = await one('select version() as version, pg_is_in_recovery() as standby');
  const [, name] = OTHERS.find(([pattern]) => pattern.test(String(version))) ?? [];
  if (name !== undefined) return `it is ${name}, which was never tried`;
  await one('begin');
  try {
    const key = randomInt(2 ** 47);
    await one('select pg_advisory_xact_lock($1)', [key]);
    const { got } = await other('select pg_try_advisory_xact_lock($1) as got', [key]);
    if (got !== false) return 'its advisory locks lock nothing';
    // A standby has no transactions of its own.
    if (standby === true) return undefined;
    const { xid } = await one('select pg_current_xact_id()::text as xid');
    const sees = async () =>
      (await other('select pg_visible_in_snapshot($1::text::xid8, pg_current_snapshot()) as sees', [xid])).sees;
    if ((await sees()) !== false) return 'its snapshots do not say which transactions are running';
    await one('rollback');
    return (await sees()) === true ? undefined : 'its snapshots do not say which transactions have ended';
  } finally {
    await one('rollback');
  }
}

/** Throws on a server that is not suitable. One that cannot give us two connections is not asked. */
export async function refuseOtherEngines(newClient: () => pg.Client, setting: string): Promise<void> {
  const clients = [newClient(), newClient()] as const;
  for (const client of clients) client.on('error', () => {});
  const asking =
    (client: pg.Client): Ask =>
    async (text, values = []) =>
      (await client.query({ text, values: [...values], query_timeout: QUERY_MS } as pg.QueryConfig)).rows[0] ?? {};
  let fault: string | undefined;
  try {
    for (const client of clients) await client.connect();
    fault = await findFault(asking(clients[0]), asking(clients[1]));
  } catch (error) {
    if (isUnreachable(error)) return;
    if ((error as { code?: string }).code !== UNDEFINED_FUNCTION) throw error;
    fault = `it lacks a function (${(error as Error).message})`;
  } finally {
    for (const client of clients) client.end().catch(() => {});
  }
  if (fault !== undefined)
    throw new ConfigError(
      `${setting}: this server is not suitable: ${fault}. Gatehouse needs PostgreSQL 15 or newer, on one primary; docs/guide/scaling.md says why`,
    );
}
