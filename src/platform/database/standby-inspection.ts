// Looks at the standbys that lists are read from, for `gatehouse doctor`, as a service does before each read. Nothing is written.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClientClass, Hosts, nameOf, splitHosts } from './hosts.ts';
import {
  judge,
  POSITION,
  type Position,
  type PositionRow,
  positionOf,
  type StandbyRow,
  stateAt,
  type Verdict,
} from './server-history.ts';

const CONNECT_MS = 5_000;
const LONGEST_LAG_MS = 2_000;

export interface StandbyInspection {
  readonly name: string;
  readonly state: Verdict | 'away';
  /** How long it took to have what the primary had. */
  readonly lagMs: number;
  readonly connections: number;
  readonly maxConnections: number;
}

const CONNECTIONS = `select (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`;

const settingsFor = (url: string): pg.ClientConfig => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_MS,
  query_timeout: CONNECT_MS,
  application_name: 'gatehouse doctor',
});

async function withClient<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  client.on('error', () => {});
  try {
    await client.connect();
    return await work();
  } finally {
    client.end().catch(() => {});
  }
}

async function inspect(url: string, name: string, position: Position): Promise<StandbyInspection> {
  const client = new pg.Client(settingsFor(url));
  let begun = performance.now();
  const lagMs = (): number => performance.now() - begun;
  try {
    return await withClient(client, async () => {
      const { connections, most: maxConnections } = (await client.query<{ connections: number; most: number }>(CONNECTIONS))
        .rows[0]!;
      const found = { name, connections, maxConnections };
      begun = performance.now();
      for (;;) {
        const { rows } = await client.query<StandbyRow>(stateAt(position));
        const state = judge(position, rows[0]!);
        if (state !== 'behind' || lagMs() > LONGEST_LAG_MS) return { ...found, state, lagMs: lagMs() };
        await sleep(10);
      }
    });
  } catch (error) {
    const isOther = (error as { code?: unknown }).code === '42P01';
    return {
      name,
      state: isOther ? 'other_system' : 'away',
      lagMs: lagMs(),
      connections: 0,
      maxConnections: Number.POSITIVE_INFINITY,
    };
  }
}

/** `undefined` if no service has used standbys since this server is the primary: then nothing can be told. */
export async function inspectStandbys(
  url: string,
  standbyUrl: string,
  { setting, standbySetting }: { readonly setting: string; readonly standbySetting: string },
): Promise<readonly StandbyInspection[] | undefined> {
  const hosts = new Hosts(url, setting);
  const client = new (createClientClass(hosts))(settingsFor(hosts.url));
  const position = await withClient(client, async () => positionOf((await client.query<PositionRow>(POSITION)).rows[0]!));
  if (!position) return undefined;
  const { urls, addresses } = splitHosts(standbyUrl, standbySetting);
  return Promise.all(urls.map((one, at) => inspect(one, nameOf(addresses[at]!), position)));
}
