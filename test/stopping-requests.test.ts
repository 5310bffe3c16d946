// What becomes of requests that were sent before SIGTERM, or while the process was too busy to read them: each is answered.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { inFullRun } from './support/extent.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { type GatehouseProcess, type ProcessSettings, usesProcesses } from './support/process.ts';
import { RawConnection } from './support/raw.ts';

const GET = 'GET /v3 HTTP/1.1\r\nHost: x\r\n\r\n';
/** Fewer than a backlog holds. */
const CONNECTIONS = 100;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

describe('Requests that were sent before SIGTERM', () => {
  const { newFolder, run } = usesProcesses();
  const start = async (more: ProcessSettings = {}): Promise<GatehouseProcess> =>
    run(['identity'], { GATEHOUSE_DATA_DIR: await newFolder(), ...more });

  /** As on a machine without a free core: nothing is accepted or read meanwhile. */
  async function whileStopped(service: GatehouseProcess, act: () => Promise<void>): Promise<void> {
    const pids = familyOf(service.child.pid!);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      await act();
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
  }

  const openMany = (url: string): Promise<RawConnection[]> =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(url)));

  async function assertAnswered(connections: readonly RawConnection[]): Promise<void> {
    const outcomes = await Promise.all(
      connections.map((connection) =>
        connection.answer().then(
          ({ status, headers }) => `${status} ${headers.get('connection')}`,
          (error: Error) => error.message,
        ),
      ),
    );
    const seen = Object.fromEntries(
      Map.groupBy(outcomes, (outcome) => outcome)
        .entries()
        .map(([outcome, all]) => [outcome, all.length]),
    );
    assert.deepEqual(
      Object.keys(seen).filter((outcome) => !/^200 /.test(outcome)),
      [],
      JSON.stringify(seen),
    );
    for (const connection of connections) {
      await connection.closed();
      assert.equal(connection.error, undefined);
    }
  }

  const ways = [
    [1, 'it'],
    [2, 'their parent'],
    [2, 'all processes'],
  ] as const;
  // One process is in the last test, too.
  for (const [workers, signalled] of inFullRun<readonly (readonly [number, string])[]>(ways, [ways[2]])) {
    const what =
      workers === 1
        ? 'one process'
        : `workers, which get the signal from ${signalled === 'all processes' ? 'outside' : signalled}`;
    it(`are answered although none was accepted or read yet: ${what}`, async () => {
      const service = await start(
        workers === 1
          ? {}
          : {
              GATEHOUSE_IDENTITY_DATABASE_URL: await migratedPostgres('identity'),
              GATEHOUSE_MASTER_KEY: newMasterKey(),
              GATEHOUSE_WORKERS: String(workers),
            },
      );
      const url = await service.listening(workers);
      const open = await openMany(url);
      for (const connection of open) assert.equal((await connection.send(GET).answer()).status, 200);
      const fresh: RawConnection[] = [];
      await whileStopped(service, async () => {
        for (const connection of open) connection.send(GET);
        fresh.push(...(await openMany(url)));
        for (const connection of fresh) connection.send(GET);
        await delay(100);
        for (const pid of signalled === 'all processes' ? familyOf(service.child.pid!) : [service.child.pid!])
          process.kill(pid, 'SIGTERM');
      });
      await assertAnswered([...open, ...fresh]);
      assert.equal(await service.ended(), 0);
    });
  }

  it('are answered on connections that were idle when the process stopped, however busy it was meanwhile', async () => {
    const service = await start();
    const url = await service.listening();
    const open = await openMany(url);
    for (const connection of open) assert.equal((await connection.send(GET).answer()).status, 200);
    service.child.kill('SIGTERM');
    while (!service.stdout.includes('"msg":"stopping"')) await delay(5);
    await whileStopped(service, async () => {
      for (const connection of open) connection.send(GET);
      // Longer than idle connections stay open.
      await delay(1500);
    });
    await assertAnswered(open);
    assert.equal(await service.ended(), 0);
  });
});
