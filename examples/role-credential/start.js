// A role as a credential, to try out on one machine: starts the identity service, a wallet node and the application of
// examples/web-application, and sets up a person with a role. Everything is in a temporary folder, which is removed at the end.
//
//   node examples/role-credential/start.js
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const GATEHOUSE = at('../../bin/gatehouse.js');
const APPLICATION = at('../web-application/server.js');

const { IDENTITY_PORT = '5000', WALLET_PORT = '8080', PORT = '3000' } = process.env;
const identity = `http://localhost:${IDENTITY_PORT}`;
const wallet = `http://localhost:${WALLET_PORT}`;
const application = `http://127.0.0.1:${PORT}`;
const START_MS = 60_000;

const newPassword = () => randomBytes(9).toString('base64url');
const passwords = { admin: newPassword(), ann: newPassword() };
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-example-'));

/** Settings of another installation in this shell are not for this one. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GATEHOUSE_')));
const children = [];

/** Starts a program of ours. If it ends, the example does. Ctrl-C is for us alone: we end the others. */
function run(program, args, settings) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-4000);
    });
  child.on('exit', (code) => stop(`${program} ended (${code}):\n${said}`));
  children.push(child);
}

let isStopping = false;

/** Ends what runs, and removes the data. With a reason, something went wrong. */
async function stop(reason) {
  if (isStopping) return;
  isStopping = true;
  if (reason) console.error(reason);
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  await Promise.all(
    running.map((child) => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      return ended;
    }),
  );
  rmSync(folder, { recursive: true, force: true });
  process.exit(reason ? 1 : 0);
}

/** Another program at this port would get what is meant for ours. */
const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(Number(port), '127.0.0.1', () => server.close(() => resolve(true)));
  });

async function ready(address) {
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(100)) {
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`${address} does not answer`);
}

let token;

async function call(method, path, body) {
  const response = await fetch(identity + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token ? { 'X-Auth-Token': token } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  token ??= response.headers.get('x-subject-token') ?? undefined;
  return text === '' ? undefined : JSON.parse(text);
}

/** An administrator's work: a person, an application with a role, the person has it, and a type of credential about it. */
async function setUp() {
  const domain = { id: 'default' };
  const user = { name: 'admin', domain, password: passwords.admin };
  await call('POST', '/v3/auth/tokens', {
    auth: { identity: { methods: ['password'], password: { user } }, scope: { project: { name: 'admin', domain } } },
  });
  // A person's roles are roles in an organization; this is her own.
  const { project } = await call('POST', '/v3/projects', { project: { name: 'ann' } });
  const { user: ann } = await call('POST', '/v3/users', {
    user: { name: 'ann', password: passwords.ann, default_project_id: project.id },
  });
  const { roles } = await call('GET', '/v3/roles?name=member');
  await call('PUT', `/v3/projects/${project.id}/users/${ann.id}/roles/${roles[0].id}`);
  const { consumer } = await call('POST', '/v3/OS-OAUTH2/consumers', {
    consumer: {
      name: 'Reports',
      redirect_uris: [`${application}/callback`],
      post_logout_redirect_uris: [`${application}/`],
    },
  });
  const { role } = await call('POST', '/v3/OS-ROLES/roles', { role: { name: 'reader', application_id: consumer.id } });
  await call('POST', '/v3/OS-ROLE-CREDENTIALS/types', {
    credential_type: {
      id: 'report-reader',
      application_id: consumer.id,
      name: 'Reader of reports',
      formats: ['dc+sd-jwt'],
      claims: ['preferred_username'],
    },
  });
  const assignment = `/v3/OS-ROLES/users/${ann.id}/applications/${consumer.id}/roles/${role.id}`;
  await call('PUT', assignment);
  return { consumer, assignment };
}

function explain() {
  console.log(`
identity service  ${identity}
wallet node       ${wallet}
application       ${application}

Ann signs in as   ann      ${passwords.ann}
administrator     admin    ${passwords.admin}

1. ${identity}/account/applications
   Sign in as ann. "Add to my wallet", then "Open my wallet": another tab, which asks for the code that the first one shows.
   Sign in there, look at the offer, and type the code. The wallet has her role now.
2. ${application}
   "Sign in", "Sign in with a wallet", "Open my wallet". Look at it, share it, and go on: without a password.
3. Press Enter here, and Ann's role is taken away. Sign in again at ${application}/login:
   her credential is good for nothing. Enter again gives the role back. Then she needs a new credential: step 1.

Ctrl-C ends everything, and removes its data.
`);
}

/** Each line takes the role away, or gives it back. */
async function toggle(assignment) {
  let has = true;
  for await (const _ of createInterface({ input: process.stdin })) {
    await call(has ? 'DELETE' : 'PUT', assignment);
    has = !has;
    console.log(has ? 'Ann has her role again.' : "Ann's role was taken away, and what was issued for it is revoked.");
  }
}

async function main() {
  for (const port of [IDENTITY_PORT, WALLET_PORT, PORT])
    if (!(await isFree(port))) throw new Error(`port ${port} is in use; choose others by IDENTITY_PORT, WALLET_PORT and PORT`);
  run(GATEHOUSE, ['start'], {
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_ADMIN_PASSWORD: passwords.admin,
    GATEHOUSE_IDENTITY_PORT: IDENTITY_PORT,
    GATEHOUSE_WALLET_PORT: WALLET_PORT,
    GATEHOUSE_METRICS_PORT: '0',
    // People may sign in with what is in their wallet, which is the node beside the service.
    GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first',
    GATEHOUSE_IDENTITY_WALLET_LINK: `${wallet}/open`,
  });
  await Promise.all([ready(`${identity}/readyz`), ready(`${wallet}/readyz`)]);
  const { consumer, assignment } = await setUp();
  // Ann has a session from step 1; the application wants to see her sign in.
  run(APPLICATION, [], { ISSUER: identity, CLIENT_ID: consumer.id, CLIENT_SECRET: consumer.secret, PORT, PROMPT: 'login' });
  await ready(application);
  explain();
  await toggle(assignment);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop());
main().catch((error) => stop(error.message));
