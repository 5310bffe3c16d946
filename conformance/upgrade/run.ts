// Old and new replicas side by side: for each migration, the code from before it serves on PostgreSQL, this version starts on the same
// database and migrates it, and both go on serving. Needs the history of the repository (git).
// Usage: node bin/run.js conformance/upgrade/run.ts [how many of the newest migrations; all by default]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepMonths, openDatabase } from '../../src/platform/database/index.ts';
import { newMasterKey } from '../../src/platform/seal/index.ts';
import { startPostgres } from '../../test/support/postgres.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MIGRATIONS = 'src/identity/migrations';
const MIGRATIONS_FOLDER = join(ROOT, MIGRATIONS);
const PASSWORD = 'the administrator of the comparison';
const START_MS = 120_000;

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e9 }).trim();

interface Pair {
  readonly migration: string;
  /** The last commit without it. */
  readonly before: string;
}

/** The newest first. A migration that was moved or taken back counts where it came last. */
function pairs(): Pair[] {
  return readdirSync(join(ROOT, MIGRATIONS))
    .filter((name) => name.endsWith('.sql'))
    .flatMap((name) => {
      const [added] = git('log', '--diff-filter=A', '--format=%H %ct', '--', `${MIGRATIONS}/${name}`).split('\n');
      const [commit = '', at = '0'] = (added ?? '').split(' ');
      const hasParent = commit !== '' && git('rev-list', '--count', commit) !== '1';
      return hasParent && name !== '001-core.sql' ? [{ migration: name, before: `${commit}^`, at: Number(at) }] : [];
    })
    .sort((a, b) => b.at - a.at);
}

/** The code of a commit, with the libraries of this one. */
function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-before-'));
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

interface Replica {
  readonly url: string;
  stop(): Promise<void>;
}

async function start(code: string, settings: Record<string, string>): Promise<Replica> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GATEHOUSE_')));
  const child = spawn(process.execPath, [join(code, 'bin/gatehouse.js'), 'identity'], {
    cwd: code,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
  const until = Date.now() + START_MS;
  for (;;) {
    const [, url] = /"address":"(http[^"]+)","msg":"identity service listens"/.exec(said) ?? [];
    if (url)
      return {
        url,
        stop: () =>
          new Promise((done) => {
            child.once('exit', () => done());
            child.kill('SIGTERM');
          }),
      };
    if (child.exitCode !== null || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`did not start: ${said.split('\n').filter(Boolean).at(-1)?.slice(0, 200)}`);
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Main flows at one replica, with the token of another. Throws at the first that fails. */
async function useReplica({ url }: Replica, foreign: string | undefined, name: string): Promise<string> {
  async function call(method: string, path: string, status: number, token: string, body?: unknown): Promise<Response> {
    const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': token, 'X-Subject-Token': foreign ?? token };
    const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (response.status !== status)
      throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 120)}`);
    return response;
  }
  const identity = (user: string, password: string) => ({
    methods: ['password'],
    password: { user: { name: user, domain: { id: 'default' }, password } },
  });
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  const token = (
    await call('POST', '/v3/auth/tokens', 201, '', { auth: { identity: identity('admin', PASSWORD), scope } })
  ).headers.get('x-subject-token')!;
  await call('GET', '/v3/auth/tokens', 200, token);
  const made = (await (await call('POST', '/v3/users', 201, token, { user: { name, password: PASSWORD } })).json()) as {
    user: { id: string };
  };
  await call('PATCH', `/v3/users/${made.user.id}`, 200, token, { user: { description: 'changed' } });
  await call('POST', '/v3/auth/tokens', 201, '', { auth: { identity: identity(name, PASSWORD) } });
  await call('GET', '/v3/users', 200, token);
  const project = (await (await call('POST', '/v3/projects', 201, token, { project: { name } })).json()) as {
    project: { id: string };
  };
  const { roles } = (await (await call('GET', '/v3/roles?name=member', 200, token)).json()) as { roles: { id: string }[] };
  await call('PUT', `/v3/projects/${project.project.id}/users/${made.user.id}/roles/${roles[0]!.id}`, 204, token);
  await call('DELETE', `/v3/users/${made.user.id}`, 204, token);
  return token;
}

/**
 * A token that one revokes is refused by the other soon after. Throws otherwise. It can fail where the other answers from memory, as earlier
 * versions do. This one reads the database while one that writes no rows of its changes is connected: it has no message to miss then.
 */
async function revokeAcross(one: Replica, other: Replica): Promise<void> {
  const body = {
    auth: {
      identity: { methods: ['password'], password: { user: { name: 'admin', domain: { id: 'default' }, password: PASSWORD } } },
    },
  };
  const logIn = async (): Promise<string> => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${one.url}/v3/auth/tokens`, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.headers.get('x-subject-token')!;
  };
  for (let round = 0; round < 20; round++) {
    const headers = { 'X-Auth-Token': await logIn(), 'X-Subject-Token': await logIn() };
    const ask = async ({ url }: Replica, method = 'GET') => (await fetch(`${url}/v3/auth/tokens`, { method, headers })).status;
    for (let i = 0; i < 3; i++) if ((await ask(other)) !== 200) throw new Error('a good token is refused');
    if ((await ask(one, 'DELETE')) !== 204) throw new Error('a token cannot be revoked');
    const revoked = performance.now();
    let status = await ask(other);
    // A second is promised; the rest is for a busy machine.
    while (status === 200 && performance.now() - revoked < 3000) status = await ask(other);
    if (status === 200) throw new Error('a token that the other revoked is accepted');
  }
}

async function divideAuditEvents(url: string): Promise<void> {
  const db = await openDatabase('', MIGRATIONS_FOLDER, { poolSize: 2, namedStatements: true, databaseUrl: url });
  const { state } = await keepMonths(db, { table: 'audit_events', column: 'at' }, { now: Math.floor(Date.now() / 1000) });
  await db.close();
  if (state !== 'complete') throw new Error(`the audit events were not divided by month: ${state}`);
}

/** Returns why it failed; undefined if everything worked. */
async function sideBySide(code: string, more: Record<string, string>): Promise<string | undefined> {
  const settings = {
    GATEHOUSE_IDENTITY_DATABASE_URL: await server.createDatabase(),
    GATEHOUSE_MASTER_KEY: newMasterKey(),
    GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
    GATEHOUSE_IDENTITY_PORT: '0',
    GATEHOUSE_METRICS_PORT: '0',
    GATEHOUSE_DATA_DIR: mkdtempSync(join(tmpdir(), 'gatehouse-before-data-')),
  };
  const running: Replica[] = [];
  try {
    const older = await start(code, { ...settings, ...more });
    running.push(older);
    const oldToken = await useReplica(older, undefined, 'one');
    const newer = await start(ROOT, { ...settings, GATEHOUSE_DATA_DIR: `${settings.GATEHOUSE_DATA_DIR}/new` });
    running.push(newer);
    const newToken = await useReplica(newer, oldToken, 'two');
    await useReplica(older, newToken, 'three');
    await useReplica(newer, oldToken, 'four');
    await revokeAcross(older, newer);
    await revokeAcross(newer, older);
    // As a service does some minutes after its start.
    await divideAuditEvents(settings.GATEHOUSE_IDENTITY_DATABASE_URL);
    await useReplica(older, newToken, 'five');
    await useReplica(newer, oldToken, 'six');
    return undefined;
  } catch (error) {
    return (error as Error).message.replaceAll('|', '/').replaceAll('\n', ' ').slice(0, 120);
  } finally {
    await Promise.all(running.map((replica) => replica.stop()));
    rmSync(settings.GATEHOUSE_DATA_DIR, { recursive: true, force: true });
  }
}

const server = await startPostgres();
const limit = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
let failed = 0;
console.log('| Migration | Code from before it | Beside this version | Without named statements |\n|---|---|---|---|');
for (const { migration, before } of pairs().slice(0, limit)) {
  const code = checkOut(before);
  const failure = await sideBySide(code, {});
  // Versions before this one do not prepare statements anew when a table gets a column.
  const unnamed = failure && (await sideBySide(code, { GATEHOUSE_IDENTITY_NAMED_STATEMENTS: 'off' }));
  if (unnamed) failed++;
  rmSync(code, { recursive: true, force: true });
  const cells = [
    migration.replace('.sql', ''),
    git('rev-parse', '--short', before),
    failure ?? 'works',
    failure ? (unnamed ?? 'works') : '',
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
await server.stop();
process.exit(failed === 0 ? 0 : 1);
