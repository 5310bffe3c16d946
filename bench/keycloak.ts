// Keycloak for comparison, from the folder that it was unpacked in: on PostgreSQL, without TLS, otherwise as it comes. The bench never gets it.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { untilAnswers } from './gatehouse.ts';
import { startDurablePostgres } from './on-postgres.ts';
import type { Endpoints, OpenidService } from './openid-work.ts';
import { cleanEnvironment, freePort, processTree, start, stop } from './processes.ts';
import { CALLBACK, type Person } from './sign-in.ts';

const REALM = 'bench';
const ADMIN = { username: 'admin', password: 'the administrator of the bench' };
const PEOPLE = 8;
const SECRET = 'secret-of-the-bench';
const PASSWORD = 'a password of a person of the bench';
/** Of tokens, codes and sessions: longer than a run. */
const LONG = 36_000;

export interface Keycloak extends OpenidService {
  readonly readyMs: number;
  /** Where its administrators have people, and a token for it. */
  readonly admin: string;
  readonly token: string;
  stop(): Promise<void>;
}

const endpointsOf = (realm: string): Endpoints => ({
  authorization: `${realm}/protocol/openid-connect/auth`,
  token: `${realm}/protocol/openid-connect/token`,
  userinfo: `${realm}/protocol/openid-connect/userinfo`,
  introspection: `${realm}/protocol/openid-connect/token/introspect`,
  par: `${realm}/protocol/openid-connect/ext/par/request`,
});

async function adminToken(url: string): Promise<string> {
  const response = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN }),
  });
  if (!response.ok) throw new Error(`Keycloak: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function ask(url: string, token: string, method: string, path: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/admin/realms${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`Keycloak: ${method} ${path}: ${response.status} ${await response.text()}`);
}

/** Copies of somebody under other names, in its database. */
async function seed(databaseUrl: string, count: number, model: string): Promise<void> {
  const db = new Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query(
    `insert into user_entity select (jsonb_populate_record(model, jsonb_build_object('id', md5('person' || n)::uuid::text,
       'username', 'person-' || n, 'email', 'person-' || n || '@example.org', 'email_constraint', 'person-' || n || '@example.org'))).*
     from generate_series(1, $1::int) as n, user_entity as model where model.username = $2`,
    [count, model],
  );
  await db.query('analyze');
  await db.end();
}

async function prepare(url: string, databaseUrl: string, users: number): Promise<{ token: string; people: Person[] }> {
  await ask(url, await adminToken(url), 'PUT', '/master', { accessTokenLifespan: LONG, ssoSessionMaxLifespan: LONG });
  const token = await adminToken(url);
  const lifespans = { accessTokenLifespan: LONG, accessCodeLifespan: LONG, ssoSessionIdleTimeout: LONG };
  await ask(url, token, 'POST', '', { realm: REALM, enabled: true, sslRequired: 'none', ...lifespans });
  await ask(url, token, 'POST', `/${REALM}/clients`, {
    clientId: REALM,
    secret: SECRET,
    serviceAccountsEnabled: true,
    directAccessGrantsEnabled: true,
    redirectUris: [CALLBACK],
  });
  const people = Array.from({ length: PEOPLE }, (_, n) => ({ name: `somebody-${n}`, password: PASSWORD }));
  for (const { name, password } of people)
    await ask(url, token, 'POST', `/${REALM}/users`, {
      username: name,
      email: `${name}@example.org`,
      firstName: 'Some',
      lastName: 'Body',
      enabled: true,
      credentials: [{ type: 'password', value: password }],
    });
  await seed(databaseUrl, users, people[0]!.name);
  return { token, people };
}

export async function startKeycloak(folder: string, users: number): Promise<Keycloak> {
  const server = await startDurablePostgres();
  const databaseUrl = await server.createDatabase();
  const { host, pathname } = new URL(databaseUrl);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const command = [
    join(folder, 'bin/kc.sh'),
    'start',
    '--db=postgres',
    `--db-url=jdbc:postgresql://${host}${pathname}`,
    '--db-username=postgres',
    '--db-password=none',
    '--http-enabled=true',
    '--http-host=127.0.0.1',
    `--http-port=${port}`,
    '--hostname-strict=false',
  ];
  const { JAVA_HOME } = process.env;
  const env = {
    ...cleanEnvironment(),
    ...(JAVA_HOME === undefined ? {} : { JAVA_HOME }),
    KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    // It asks itself how many there are, and others may be told less.
    JAVA_OPTS_APPEND: `-XX:ActiveProcessorCount=${availableParallelism()}`,
  };
  const began = performance.now();
  const child = start(command, { env });
  // Java is a child of its script, which could not end it any more.
  process.prependListener('exit', () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    for (const pid of processTree(child.pid!).reverse()) process.kill(pid, 'SIGKILL');
  });
  await untilAnswers(`${url}/realms/master`, child, 600_000);
  const readyMs = performance.now() - began;
  const { token, people } = await prepare(url, databaseUrl, users);
  return {
    ...{ url, pid: child.pid!, otherPids: [server.pid], readyMs, token, people },
    admin: `/admin/realms/${REALM}/users`,
    endpoints: endpointsOf(`${url}/realms/${REALM}`),
    application: { id: REALM, secret: SECRET },
    refreshScope: 'openid profile email',
    async stop() {
      await stop(child);
      await server.stop();
    },
  };
}
