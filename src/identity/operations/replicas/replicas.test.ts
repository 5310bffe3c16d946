import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { assertForbidden, assertOk } from '../../../../test/support/answers.ts';
import { onDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { soon } from '../../../../test/support/soon.ts';
import { createLog } from '../../../platform/log/index.ts';
import { version } from '../../../version.ts';
import { createReplicas, type ReplicaDeps } from './replicas.ts';

type Replica = Awaited<ReturnType<ReturnType<typeof createReplicas>['list']>>[number];

const PATH = '/v3/OS-SERVICE/replicas';
const listOf = async (api: TestApi): Promise<Replica[]> => assertOk(await api.get(PATH)).replicas;

onDatabase('PostgreSQL', 'Replicas on one database', {}, (a) => {
  const db = usesDatabaseOf(a);
  let b: TestApi;
  before(async () => {
    b = await a.replica();
  });
  after(() => b.stop());

  /** The first row of a process is written after its start. */
  async function seen(count: number): Promise<Replica[]> {
    await soon(count, async () => (await listOf(a)).length);
    return listOf(a);
  }
  const write = (id: string, values: object): Promise<unknown> =>
    db().write((tx) => tx.updateTable('replicas').set(values).where('id', '=', id).execute());

  it('see each other, each with its version and how far it is behind', async () => {
    const list = await seen(2);
    assert.deepEqual(list.map(({ is_this }) => is_this).sort(), [false, true]);
    for (const one of list) {
      assert.deepEqual([one.version, one.state, one.worker], [version, 'running', null]);
      // How large it is depends on how busy the machine is.
      assert.ok(Number.isInteger(one.lag_ms) && one.lag_ms >= 0, String(one.lag_ms));
      assert.ok(Math.abs(Date.parse(one.last_seen_at) - Date.now()) < 60_000);
      assert.ok(Date.parse(one.started_at) <= Date.parse(one.last_seen_at));
    }
    const own = (all: readonly Replica[]) => all.find(({ is_this }) => is_this)!.id;
    assert.notEqual(own(list), own(await listOf(b)));
  });

  it('are silent when nothing was heard of them, leave when they are stopped, and are forgotten after an hour', async () => {
    const c = await a.replica();
    const before = await seen(3);
    await c.stop();
    assert.equal((await listOf(a)).length, 2);
    const killed = { id: 'killed', host: 'away', worker: 2, version: '0.0.1', lag_ms: 9000, is_live: 0 };
    const now = Math.floor(Date.now() / 1000);
    await db().write((tx) =>
      tx
        .insertInto('replicas')
        .values({ ...killed, started_at: now - 500, seen_at: now - 60 })
        .execute(),
    );
    const { state, worker } = (await listOf(b)).find(({ id }) => id === 'killed')!;
    assert.deepEqual([state, worker], ['silent', 2]);
    const attention = async () => {
      const { overview } = assertOk(await a.get('/v3/OS-SERVICE/overview'));
      return overview.attention.find(({ kind }: { kind: string }) => kind === 'replica_silent');
    };
    assert.deepEqual([(await attention()).severity, (await attention()).count], ['warning', 1]);
    await write('killed', { seen_at: now });
    assert.equal((await listOf(b)).find(({ id }) => id === 'killed')!.state, 'running');
    await write('killed', { seen_at: now - 3700 });
    const sweep = createReplicas({ db: db(), clock: a.clock, log: createLog('silent') }).sweep;
    assert.equal(await sweep(), 1);
    assert.equal(await sweep(), 0);
    assert.equal(await attention(), undefined);
    assert.ok(before.length > (await listOf(a)).length);
  });

  it('send nobody a notification', async () => {
    let changes = 0;
    db().feed.onChange(() => changes++);
    const { sweep, start, stop } = createReplicas({ db: db(), clock: a.clock, log: createLog('silent') });
    start();
    await seen(3);
    await sweep();
    await stop();
    assertOk(await a.get('/v3/users'));
    assert.equal(changes, 0);
  });

  it('start and serve although nothing can be written about them', async () => {
    await db().write(async (tx) => {
      await tx.schema.alterTable('replicas').renameTo('replicas_away').execute();
    });
    const c = await a.replica();
    assertOk(await c.get('/v3/users'));
    await c.stop();
    await db().write(async (tx) => {
      await tx.schema.alterTable('replicas_away').renameTo('replicas').execute();
    });
  });

  it('are shown to administrators and to readers of the system, to nobody else', async () => {
    const domain = await a.make('domain', { name: uniqueName('domain') });
    const outsiders = [
      await a.persona(['manager'], { domain: domain.id }, { domain_id: domain.id }),
      await a.persona(['reader'], { domain: domain.id }),
      await a.persona(['member'], { domain: domain.id }),
    ];
    await assertGuarded(
      a,
      outsiders.map(({ token }) => token),
      [{ method: 'GET', path: PATH }],
    );
    const { token } = await a.persona(['reader'], 'system');
    assert.ok(assertOk(await a.get(PATH, { token })).replicas.length >= 2);
    await assertForbidden(a, [token], 'GET', '/v3/OS-SERVICE/keys', {});
  });
});

onDatabase('SQLite', 'A service on SQLite', {}, (api) => {
  const db = usesDatabaseOf(api);

  it('is one process, which writes nothing about itself', async () => {
    const [one, ...others] = await listOf(api);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [one!.is_this, one!.state, one!.lag_ms, one!.answers_from_memory, one!.version],
      [true, 'running', 0, true, version],
    );
    assert.deepEqual(await db().read.selectFrom('replicas').selectAll().execute(), []);
  });
});

describe('A process', () => {
  it('says whether it answers from memory, and how far it is behind', async () => {
    const db = (isFeedLive: boolean, feedLagSeconds: number) =>
      ({ dialect: 'sqlite', usage: () => ({ isFeedLive, feedLagSeconds }) }) as unknown as ReplicaDeps['db'];
    for (const [isLive, lag] of [
      [true, 0.25],
      [false, 3],
    ] as const) {
      const deps = { db: db(isLive, lag), clock: { now: () => Date.now() }, log: createLog('silent') };
      const [own] = await createReplicas(deps).list();
      assert.deepEqual([own!.answers_from_memory, own!.lag_ms, own!.is_this], [isLive, lag * 1000, true]);
    }
  });

  it('writes every ten seconds that it is there, and logs a database that takes nothing once', async (t) => {
    mock.timers.enable({ apis: ['setInterval'] });
    t.after(() => mock.timers.reset());
    const lines: string[] = [];
    let [writes, isAway] = [0, false];
    const replicas = createReplicas({
      db: {
        dialect: 'postgres',
        usage: () => ({ isFeedLive: true, feedLagSeconds: 0.1 }),
        async write() {
          writes++;
          if (isAway) throw new Error('the database is away');
        },
      } as unknown as ReplicaDeps['db'],
      clock: { now: () => Date.now() },
      log: createLog('info', { write: (line: string) => void lines.push(line) }),
    });
    const pass = async (): Promise<void> => {
      mock.timers.tick(10_000);
      await setImmediate();
    };
    replicas.start();
    assert.equal(writes, 1);
    for (let i = 0; i < 3; i++) await pass();
    assert.deepEqual([writes, lines.length], [4, 0]);
    isAway = true;
    for (let i = 0; i < 3; i++) await pass();
    assert.deepEqual([writes, lines.length], [7, 1]);
    await replicas.stop();
    assert.equal(writes, 8, 'it leaves the list');
  });
});
