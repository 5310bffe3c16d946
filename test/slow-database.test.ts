// A PostgreSQL that is slow, hangs or has a locked table, with many clients at once: whatever a request waits for, it has one deadline. Who
// cannot be served by then is told to come again.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import pg from 'pg';
import { isUnavailable } from '../src/platform/database/index.ts';
import { openPostgres } from '../src/platform/database/postgres.ts';
import { withDeadline } from '../src/platform/deadline.ts';
import { Cable } from './support/cable.ts';
import { inFullRun, itAtLength } from './support/extent.ts';
import { IdentityOnDatabase } from './support/identity-on-database.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { sharedPostgres } from './support/postgres.ts';
import { BULK_REQUEST, GROUP, SCIM_JSON } from './support/scim.ts';
import { soon } from './support/soon.ts';

/** The deadline is 6 s, and longer for a process that is busy itself. Without one the last of these requests took a minute. */
const BOUND_MS = 30_000;
/** Requests of each kind at once. */
const CLIENTS = 24;

type Ask = (i: number) => Promise<Response>;

interface TimedAnswer {
  readonly kind: string;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly ms: number;
}

/** Sends many requests of each kind at once. */
function askAll(kinds: Readonly<Record<string, Ask>>, clients = CLIENTS): Promise<TimedAnswer[]> {
  const began = performance.now();
  return Promise.all(
    Object.entries(kinds).flatMap(([kind, ask]) =>
      Array.from({ length: clients }, async (_, i) => {
        const answer = await ask(i);
        await answer.arrayBuffer();
        return { kind, status: answer.status, retryAfter: answer.headers.get('retry-after'), ms: performance.now() - began };
      }),
    ),
  );
}

function assertInTime(answers: readonly TimedAnswer[]): void {
  for (const { kind, status, retryAfter, ms } of answers) {
    assert.ok(ms < BOUND_MS, `${kind}: ${status} after ${Math.round(ms)} ms`);
    assert.ok(status < 400 || status === 503 || (kind === 'page' && status === 400), `${kind}: ${status}`);
    if (status === 503) assert.ok(retryAfter, `${kind}: no Retry-After`);
  }
}

describe('A slow PostgreSQL with many clients', () => {
  let cable: Cable;
  let api: IdentityOnDatabase;
  let direct: URL;
  let round = 0;

  before(async () => {
    direct = new URL(await migratedPostgres('identity'));
    cable = new Cable(direct.hostname, Number(direct.port));
    const through = new URL(direct);
    through.port = String(await cable.listen());
    api = new IdentityOnDatabase({ databaseUrl: through.href });
    await api.start();
    assert.equal((await api.logIn()).status, 201);
  });
  afterEach(async () => {
    cable.delayMs = 0;
    cable.thaw();
    await api.ready(200);
    assert.equal((await api.logIn()).status, 201, 'all is well again');
  });
  after(async () => {
    await api.stop();
    cable.close();
  });

  const logIn: Ask = () => api.logIn();
  const newProject: Ask = (i) => api.post('/v3/projects', { project: { name: `project ${round} ${i}` } });
  const kinds: Record<string, Ask> = {
    list: (i) => api.get(`/v3/users?name=${i}`),
    change: newProject,
    login: logIn,
    validation: () => api.get('/v3/auth/tokens'),
    password: (i) => api.post('/v3/users', { user: { name: `user ${round} ${i}`, password: 'a password that is long enough' } }),
    page: () => fetch(`${api.url}/openid/authorize?client_id=x&response_type=code&scope=openid`, { redirect: 'manual' }),
  };

  it('answers every request by its deadline, also those that wait in queues which move', async () => {
    cable.delayMs = 500;
    for (round = 1; round <= inFullRun(2, 1); round++) assertInTime(await askAll(kinds));
  });

  itAtLength('serves those that it can serve in time', async () => {
    cable.delayMs = 20;
    round = 3;
    const answers = await askAll({ list: kinds.list!, validation: kinds.validation! });
    assertInTime(answers);
    assert.ok(answers.every(({ status }) => status === 200));
  });

  it('that hangs lets nobody wait longer', async () => {
    cable.freeze();
    round = 4;
    assertInTime(await askAll(kinds));
  });

  it('with a locked table lets nobody wait longer, neither for the lock nor behind those who wait for it', async () => {
    const holder = new pg.Client(direct.href);
    await holder.connect();
    await holder.query('begin; lock table audit_events, users in access exclusive mode');
    round = 5;
    try {
      assertInTime(await askAll({ login: logIn, change: newProject }, 5 * CLIENTS));
    } finally {
      await holder.query('rollback');
      await holder.end();
    }
  });

  itAtLength('that is slow does not refuse what has many steps and legitimately takes longer', async () => {
    const made = await api.post('/v3/OS-SCIM/connections', { connection: { name: 'slow', domain_id: 'default' } });
    const { connection } = (await made.json()) as { connection: { token: string } };
    cable.delayMs = 60;
    const Operations = Array.from({ length: 8 }, (_, i) => ({
      method: 'POST',
      path: '/Groups',
      bulkId: `${i}`,
      data: { schemas: [GROUP], displayName: `slow${i}` },
    }));
    const began = performance.now();
    const answer = await fetch(`${api.url}/scim/v2/Bulk`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${connection.token}`, 'Content-Type': SCIM_JSON },
      body: JSON.stringify({ schemas: [BULK_REQUEST], Operations }),
    });
    const { Operations: done } = (await answer.json()) as { Operations: { status: string }[] };
    assert.deepEqual(new Set(done.map(({ status }) => status)), new Set(['201']));
    assert.ok(performance.now() - began > 6_000, 'it took longer than another request may');
  });
});

describe('A change whose deadline comes while PostgreSQL works on it', () => {
  it('leaves no transaction open, whichever statement it was, and the connection is used again', async () => {
    const direct = new URL(await (await sharedPostgres()).createDatabase());
    const cable = new Cable(direct.hostname, Number(direct.port));
    const through = new URL(direct);
    through.port = String(await cable.listen());
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-deadline-'));
    writeFileSync(join(folder, '001-things.sql'), 'create table things (id int primary key);');
    const db = await openPostgres<{ things: { id: number } }>(through.href, folder, { poolSize: 2, namedStatements: true });
    const control = new pg.Client(direct.href);
    await control.connect();
    try {
      await db.read.selectFrom('things').selectAll().execute();
      cable.delayMs = 100;
      // 200 ms for each of begin, insert, insert, commit: the deadline comes at another one each time.
      for (let deadline = 50; deadline < 1000; deadline += 100) {
        const change = withDeadline(
          () =>
            db.write(async (tx) => {
              await tx.insertInto('things').values({ id: deadline }).execute();
              await tx
                .insertInto('things')
                .values({ id: deadline + 1 })
                .execute();
            }),
          deadline,
        );
        await change.catch((error: unknown) => assert.ok(isUnavailable(error), `${error}`));
      }
      cable.delayMs = 0;
      const open = `select pid from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
      await soon([0, []], async () => [db.usage().inUse, (await control.query(open)).rows]);
      const { rows } = await control.query<{ id: number }>('select id from things');
      const ids = new Set(rows.map(({ id }) => id));
      for (const id of ids) assert.ok(ids.has(id % 10 === 0 ? id + 1 : id - 1), `all of a change or nothing: ${id}`);
      // Reads hold nothing either.
      await db.read.selectFrom('things').selectAll().execute();
      await control.query(`set lock_timeout = '20s'`);
      await control.query('lock table things in access exclusive mode; select 1');
    } finally {
      cable.delayMs = 0;
      await db.close();
      await control.end();
      cable.close();
      rmSync(folder, { recursive: true });
    }
  });
});
