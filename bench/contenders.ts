// What is compared at each size: an empty route, Gatehouse on both databases, Keystone and Keycloak. All are asked the same, with inputs that come from
// their own API.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { administrator, logIn, loginBody, makeData, startGatehouse, tokenBody } from './gatehouse.ts';
import { startKeycloak } from './keycloak.ts';
import { missing, startKeystone } from './keystone.ts';
import { type LoadRequest, type LoadTarget, load, type Sample, UNIQUE } from './load.ts';
import { onPostgres } from './on-postgres.ts';
import { prepareOpenid } from './openid.ts';
import { OPENID_OPERATIONS, type OpenidOperation, OpenidWork } from './openid-work.ts';
import { firstLine, memoryOf, startScript, stop } from './processes.ts';

export const EMPTY = 'empty route';
/** With a process for each core. */
const WORKERS = 'Gatehouse, PostgreSQL, workers';
export const NAMES = [EMPTY, 'Gatehouse, SQLite', 'Gatehouse, PostgreSQL', WORKERS, 'Keystone', 'Keycloak'] as const;
export type Name = (typeof NAMES)[number];

export interface Running {
  readonly name: Name;
  readonly readyMs: number;
  /** Some seconds after the start, before the first request, with its database server. In bytes. */
  readonly memory: number;
  /** The same now. */
  memoryNow(): number;
  /** Undefined if it does not do that. */
  measure(operation: Operation, seconds: number): Promise<Sample> | undefined;
  stop(): Promise<void>;
}

type Requests = Readonly<Partial<Record<Operation, readonly LoadRequest[]>>>;

const SETTLE_MS = 4000;
const SUBJECTS = 100;

export const OPERATIONS = {
  validation: 'Validate a token',
  user: 'Show a user',
  issue: 'Log in by password',
  list: 'List 1,000 users',
  search: 'Search for a name',
  create: 'Create a user',
  ...OPENID_OPERATIONS,
} as const;
export type Operation = keyof typeof OPERATIONS;

/** Keystone's processes serve one request each, and its SQLite refuses more writers. Everyone gets as many. */
export const CONNECTIONS = availableParallelism();
/** For what Keystone does not do. */
const OPENID_CONNECTIONS = 16;

/** How to measure it: by these requests, and what an OpenID provider is asked. */
const measureBy =
  (target: LoadTarget, requests: Requests, openid?: OpenidWork): Running['measure'] =>
  (operation, seconds) => {
    const listed = requests[operation];
    const connections = operation in OPENID_OPERATIONS ? OPENID_CONNECTIONS : CONNECTIONS;
    if (listed) return load(target, listed, { seconds, connections });
    return operation in OPENID_OPERATIONS ? openid?.measure(operation as OpenidOperation, seconds, connections) : undefined;
  };

const memoryOfAll = ({ pid, otherPids = [] }: LoadTarget): number =>
  [pid, ...otherPids].reduce((sum, one) => sum + memoryOf(one), 0);

/** The same requests for everyone. Keystone has no search. */
async function requestsFor(url: string, users: number, name: Name): Promise<Requests> {
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
  const request: LoadRequest = { method: 'GET', path: '/' };
  const requests = Object.fromEntries(Object.keys(OPERATIONS).map((operation) => [operation, [request]]));
  const target = { url, pid: child.pid! };
  return running(
    EMPTY,
    target,
    readyMs,
    async () => measureBy(target, requests),
    () => stop(child),
  );
}

/** `prepare`: after its memory at rest was looked at. */
async function running(
  name: Name,
  target: LoadTarget,
  readyMs: number,
  prepare: () => Promise<Running['measure']>,
  end: () => Promise<void>,
): Promise<Running> {
  await sleep(SETTLE_MS);
  const memory = memoryOfAll(target);
  return { name, readyMs, memory, memoryNow: () => memoryOfAll(target), measure: await prepare(), stop: end };
}

/** Everything that Gatehouse is asked here. */
export async function everyKindOf(target: LoadTarget, users: number): Promise<Running['measure']> {
  const requests = await requestsFor(target.url, users, 'Gatehouse, PostgreSQL');
  return measureBy(target, requests, await OpenidWork.of({ ...target, ...(await prepareOpenid(target.url)) }));
}

async function startOnSqlite(users: number): Promise<Running> {
  const name = 'Gatehouse, SQLite';
  const { url, pid, readyMs, stop: end } = await startGatehouse(await makeData({ users, revocations: 0 }));
  const target = { url, pid };
  return running(name, target, readyMs, async () => measureBy(target, await requestsFor(url, users, name)), end);
}

async function startOnPostgres(name: Name, users: number, settings: Readonly<Record<string, string>> = {}): Promise<Running> {
  const server = await onPostgres(users, settings);
  const { url, pid, launcherPid = pid, readyMs, stop: end } = await startGatehouse(server.data);
  const target = { url, pid: launcherPid, otherPids: [server.pid] };
  return running(
    name,
    target,
    readyMs,
    () => everyKindOf(target, users),
    async () => {
      await end();
      await server.stop();
    },
  );
}

async function startTheirs(users: number): Promise<Running> {
  const name = 'Keystone';
  const { readyMs, stop: end, ...target } = await startKeystone(users);
  return running(name, target, readyMs, async () => measureBy(target, await requestsFor(target.url, users, name)), end);
}

async function startKeycloaks(folder: string, users: number): Promise<Running> {
  const keycloak = await startKeycloak(folder, users);
  const { url, admin, token, people, application, endpoints } = keycloak;
  const prepare = async (): Promise<Running['measure']> => {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}${admin}?max=1000`, { headers });
    const ids = ((await answer.json()) as { id: string }[]).map(({ id }) => id);
    const found = Array.from({ length: SUBJECTS }, (_, n) => `person-${1 + ((n * 7919) % users)}`);
    const password = {
      ...{ grant_type: 'password', client_id: application.id, client_secret: application.secret },
      ...{ username: people[0]!.name, password: people[0]!.password },
    };
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const requests: Requests = {
      user: ids.map((id) => ({ method: 'GET', path: `${admin}/${id}`, headers })),
      issue: [
        { method: 'POST', path: new URL(endpoints.token).pathname, headers: form, text: `${new URLSearchParams(password)}` },
      ],
      list: [{ method: 'GET', path: `${admin}?max=1000`, headers }],
      search: found.map((text) => ({ method: 'GET', path: `${admin}?max=50&search=${text}`, headers })),
      create: [{ method: 'POST', path: admin, body: { username: `new-${UNIQUE}`, enabled: true }, headers }],
    };
    return measureBy(keycloak, requests, await OpenidWork.of(keycloak));
  };
  return running('Keycloak', keycloak, keycloak.readyMs, prepare, () => keycloak.stop());
}

/** One after the other, so that no start disturbs another. */
export async function startAll(users: number, without: readonly Name[], keycloak: string | undefined): Promise<Running[]> {
  const starts: Readonly<Record<Name, () => Promise<Running>>> = {
    [EMPTY]: startEmpty,
    'Gatehouse, SQLite': () => startOnSqlite(users),
    'Gatehouse, PostgreSQL': () => startOnPostgres('Gatehouse, PostgreSQL', users),
    [WORKERS]: () => startOnPostgres(WORKERS, users, { GATEHOUSE_WORKERS: 'auto' }),
    Keystone: () => startTheirs(users),
    Keycloak: () => startKeycloaks(keycloak!, users),
  };
  const absent: readonly Name[] = [
    ...(missing() ? ['Keystone' as const] : []),
    ...(keycloak === undefined ? ['Keycloak' as const] : []),
  ];
  const all: Running[] = [];
  for (const name of NAMES.filter((one) => !without.includes(one) && !absent.includes(one))) {
    console.error(`  ${name}: ${users.toLocaleString('en')} users ...`);
    all.push(await starts[name]());
  }
  return all;
}
