// What is compared at each size: an empty route, Gatehouse on both databases, and Keystone. All get the same requests, with inputs that
// come from their own API.
import { setTimeout as sleep } from 'node:timers/promises';
import { administrator, logIn, loginBody, makeData, startGatehouse, tokenBody } from './gatehouse.ts';
import { missing, startKeystone } from './keystone.ts';
import { type LoadRequest, type LoadTarget, UNIQUE } from './load.ts';
import { onPostgres } from './on-postgres.ts';
import { firstLine, memoryOf, startScript, stop } from './processes.ts';

export const EMPTY = 'empty route';
export const NAMES = [EMPTY, 'Gatehouse, SQLite', 'Gatehouse, PostgreSQL', 'Keystone'] as const;
export type Name = (typeof NAMES)[number];

export interface Running extends LoadTarget {
  readonly name: Name;
  readonly readyMs: number;
  /** Some seconds after the start, before the first request, with its database server. In bytes. */
  readonly memory: number;
  readonly requests: Readonly<Record<string, readonly LoadRequest[]>>;
  stop(): Promise<void>;
}

const SETTLE_MS = 4000;
const SUBJECTS = 100;

export const OPERATIONS = {
  validation: 'Validate a token',
  user: 'Show a user',
  issue: 'Log in by password',
  list: 'List 1,000 users',
  search: 'Search for a name',
  create: 'Create a user',
} as const;
export type Operation = keyof typeof OPERATIONS;

/** The same requests for everyone. Keystone has no search. */
async function requestsFor(url: string, users: number, name: Name): Promise<Running['requests']> {
  const token = await logIn(url, loginBody(administrator));
  const headers = { 'X-Auth-Token': token };
  const subjects: string[] = [];
  while (subjects.length < SUBJECTS) subjects.push(await logIn(url, tokenBody(token)));
  const answer = await fetch(`${url}/v3/users?limit=1000`, { headers });
  const { users: listed } = (await answer.json()) as { users: { id: string }[] };
  const found = Array.from({ length: SUBJECTS }, (_, n) => `person-${1 + ((n * 7919) % users)}`);
  return {
    validation: subjects.map((subject) => ({
      method: 'GET',
      path: '/v3/auth/tokens',
      headers: { ...headers, 'X-Subject-Token': subject },
    })),
    user: listed.map(({ id }) => ({ method: 'GET', path: `/v3/users/${id}`, headers })),
    issue: [{ method: 'POST', path: '/v3/auth/tokens', body: loginBody(administrator) }],
    list: [{ method: 'GET', path: '/v3/users?limit=1000', headers }],
    ...(name === 'Keystone'
      ? {}
      : { search: found.map((text) => ({ method: 'GET', path: `/v3/users?limit=50&search=${text}`, headers }) as const) }),
    create: [{ method: 'POST', path: '/v3/users', body: { user: { name: `new-${UNIQUE}` } }, headers }],
  };
}

async function startEmpty(): Promise<Running> {
  const began = performance.now();
  const child = startScript('empty-server.ts', [], { output: 'pipe' });
  const url = await firstLine(child);
  const readyMs = performance.now() - began;
  await sleep(SETTLE_MS);
  const request: LoadRequest = { method: 'GET', path: '/' };
  const requests = Object.fromEntries(Object.keys(OPERATIONS).map((operation) => [operation, [request]]));
  return { name: EMPTY, url, pid: child.pid!, readyMs, memory: memoryOf(child.pid!), requests, stop: () => stop(child) };
}

async function startOnSqlite(users: number): Promise<Running> {
  const name = 'Gatehouse, SQLite';
  const { url, pid, readyMs, stop: end } = await startGatehouse(await makeData({ users, revocations: 0 }));
  await sleep(SETTLE_MS);
  const memory = memoryOf(pid);
  return { name, url, pid, readyMs, memory, requests: await requestsFor(url, users, name), stop: end };
}

async function startOnPostgres(users: number): Promise<Running> {
  const name = 'Gatehouse, PostgreSQL';
  const server = await onPostgres(users);
  const { url, pid, readyMs, stop: end } = await startGatehouse(server.data);
  await sleep(SETTLE_MS);
  return {
    ...{ name, url, pid, readyMs, otherPids: [server.pid] },
    memory: memoryOf(pid) + memoryOf(server.pid),
    requests: await requestsFor(url, users, name),
    async stop() {
      await end();
      await server.stop();
    },
  };
}

async function startTheirs(users: number): Promise<Running> {
  const name = 'Keystone';
  const { url, pid, readyMs, stop: end } = await startKeystone(users);
  await sleep(SETTLE_MS);
  const memory = memoryOf(pid);
  return { name, url, pid, readyMs, memory, requests: await requestsFor(url, users, name), stop: end };
}

/** One after the other, so that no start disturbs another. */
export async function startAll(users: number, without: readonly Name[]): Promise<Running[]> {
  const starts: Readonly<Record<Name, () => Promise<Running>>> = {
    [EMPTY]: startEmpty,
    'Gatehouse, SQLite': () => startOnSqlite(users),
    'Gatehouse, PostgreSQL': () => startOnPostgres(users),
    Keystone: () => startTheirs(users),
  };
  const running: Running[] = [];
  for (const name of NAMES.filter((one) => !without.includes(one) && !(one === 'Keystone' && missing()))) {
    console.error(`  ${name}: ${users.toLocaleString('en')} users ...`);
    running.push(await starts[name]());
  }
  return running;
}
