// What the processes of the service hold: after the start, after load of every kind, and when it was idle for some minutes since.
import { setTimeout as sleep } from 'node:timers/promises';
import { everyKindOf, OPERATIONS, type Operation } from './contenders.ts';
import { type Gatehouse, makeData, startGatehouse } from './gatehouse.ts';
import { onPostgres } from './on-postgres.ts';
import { processTree, residentBytes } from './processes.ts';
import type { Figure } from './report.ts';
import { number, type Scenario } from './scenarios.ts';

const MEGABYTE = 1024 * 1024;
const SETTLE_MS = 4000;
const IDLE_MB = 120;
const AFTER_LOAD_MB = 200;

const megabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);

export const memory: Scenario = async (services) => {
  const figures: Figure[] = [];
  for (const data of [await services.small(), await services.large()]) {
    const running = await services.serveAnew(data);
    await sleep(SETTLE_MS);
    const held = megabytes(residentBytes(running.pid));
    const target = data === (await services.small()) ? { target: `under ${IDLE_MB} MB`, ok: held < IDLE_MB } : {};
    figures.push({
      scenario: 'memory',
      what: `memory: idle, ${number(data.size.users)} users`,
      figure: `${held} MB`,
      ...target,
    });
  }
  return figures;
};

interface Loaded {
  readonly name: string;
  readonly service: Gatehouse;
  stop(): Promise<void>;
}

async function onSqlite(users: number): Promise<Loaded> {
  const service = await startGatehouse(await makeData({ users, revocations: 0 }));
  return { name: 'SQLite', service, stop: () => service.stop() };
}

async function withWorkers(users: number): Promise<Loaded> {
  const server = await onPostgres(users, { GATEHOUSE_WORKERS: '2' });
  const service = await startGatehouse(server.data);
  return {
    name: 'PostgreSQL, 2 workers',
    service,
    stop: async () => {
      await service.stop();
      await server.stop();
    },
  };
}

/** Each process, the largest first. */
const heldBy = ({ pid, launcherPid = pid }: Gatehouse): number[] =>
  processTree(launcherPid)
    .map((one) => megabytes(residentBytes(one)))
    .sort((a, b) => b - a);

/** The service gives memory back in the first idle minute. Both are loaded one after the other, and idle at the same time. */
export const memoryAfterLoad: Scenario = async ({ sizes }, { rounds, seconds, idleSeconds = 600 }) => {
  const all = [await onSqlite(sizes.few), await withWorkers(sizes.few)];
  try {
    const phases: (readonly [string, readonly number[]])[][] = [];
    for (const { service } of all) {
      const { url, pid, launcherPid = pid } = service;
      await sleep(SETTLE_MS);
      const atRest = heldBy(service);
      const measure = await everyKindOf({ url, pid: launcherPid }, sizes.few);
      for (const operation of Object.keys(OPERATIONS) as Operation[]) await measure(operation, Math.ceil((rounds * seconds) / 2));
      phases.push([
        ['idle', atRest],
        ['right after load', heldBy(service)],
      ]);
    }
    await sleep(idleSeconds * 1000);
    return all.flatMap(({ name, service }, at) =>
      [...phases[at]!, [`${idleSeconds} s after load`, heldBy(service)] as const].map(([when, held], phase, { length }) => ({
        scenario: 'memory-after-load',
        what: `memory: ${name}, ${when}`,
        figure: `${held.join(', ')} MB`,
        ...(phase < length - 1 ? {} : { target: `at most ${AFTER_LOAD_MB} MB each`, ok: held[0]! <= AFTER_LOAD_MB }),
      })),
    );
  } finally {
    for (const { stop } of all) await stop();
  }
};
