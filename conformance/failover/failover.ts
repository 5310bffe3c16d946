// Restarts of our processes one after the other, and changes of the primary server, all under load.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, TTL } from './cluster.ts';
import type { Load, RecordedAnswer } from './load.ts';
import { until } from './programs.ts';
import { broken, gapOf, isGood, type Report, type Step, seconds, summary } from './report.ts';
import type { Services } from './services.ts';

export const CLIENTS = { validate: 4, list: 1, project: 3, revoke: 1, session: 2, key: 1 };
const WRITES = ['project', 'revoke', 'key', 'login'];
const VALIDATIONS = ['validate', 'session'];
/** After this time every process knows that messages may be missing (heartbeat of 250 ms, stale after 750 ms). With room for a busy machine. */
const KNOWN_MS = 3000;
const AT_ONCE_MS = 1500;

/** Every process is stopped and started again, while clients go on: none of them notices. */
export async function rolling(services: Services, load: Load, report: Report): Promise<void> {
  const from = load.answers.length;
  load.isHalfDirect = false;
  load.start(CLIENTS);
  await sleep(1000);
  const ready: number[] = [];
  for (const name of services.replicas) ready.push(await services.restart(name));
  await sleep(1000);
  await load.stop();
  const answers = load.answers.slice(from);
  const failed = answers.filter((answer) => !isGood(answer));
  report({
    name: 'rolling restart of all five processes',
    seen: `${summary(answers)}; ready again after ${Math.min(...ready).toFixed(1)} to ${Math.max(...ready).toFixed(1)} s each`,
    faults: failed.slice(0, 5).map(({ kind, status, text }) => `${kind}: ${status} ${text}`),
  });
}

export interface Setup {
  readonly cluster: Cluster;
  readonly services: Services;
  readonly load: Load;
}

/**
 * What operating.md promises of validations while no primary is there: 503 at once, never an answer from memory once the outage is known,
 * and never "this token is not valid".
 */
function wrongValidations(answers: readonly RecordedAnswer[], event: number, { first, last: lastWithout }: Gap): string[] {
  const direct = answers.filter(({ kind, isDirect }) => isDirect && VALIDATIONS.includes(kind));
  const inGap = direct.filter(({ at, ms }) => at > Math.max(event, first) + KNOWN_MS && at + ms < lastWithout);
  const late = inGap.filter(({ status, ms }) => status === 503 && ms > AT_ONCE_MS).length;
  const served = inGap.filter(isGood).map(({ kind, at, ms }) => `${kind} ${seconds(at - event)} (took ${seconds(ms)})`);
  return [
    ...(served.length > 0
      ? [`answered from memory while no server took writes, until ${seconds(lastWithout - event)}: ${served.join(', ')}`]
      : []),
    ...(late > inGap.length / 20 ? [`${late} of ${inGap.length} validations in the gap were not refused at once`] : []),
  ];
}

/** When no server took writes. A switch-over may begin long after it was asked for. */
interface Gap {
  readonly first: number;
  readonly last: number;
}

interface EventOptions {
  readonly clients?: Readonly<Record<string, number>>;
  /** There is no primary for a while. */
  readonly isGap?: boolean;
}

/** Something happens under load: what clients saw, and whether it healed. */
export async function event(
  name: string,
  { cluster, services, load }: Setup,
  happen: () => Promise<void>,
  { clients = CLIENTS, isGap = false }: EventOptions = {},
): Promise<Step> {
  const from = load.answers.length;
  load.isHalfDirect = true;
  load.start(clients);
  await sleep(3000);
  const acknowledged = (): number => load.projects.length + load.keys.length + load.revoked.length;
  const before = acknowledged();
  const at = performance.now();
  const primaryWatch = isGap ? cluster.watchForPrimary() : undefined;
  await happen();
  /** Every kind of request succeeded in the last two seconds, and none was refused. */
  const works = (): boolean => {
    const recent = load.answers.filter((answer) => answer.at > performance.now() - 2000);
    const isEachThere = Object.keys(clients).every((kind) => recent.some((one) => one.kind === kind));
    return performance.now() - at > 5000 && isEachThere && recent.every(isGood);
  };
  const faults: string[] = [];
  await until('all requests work again', works, 4 * TTL).catch((error: Error) => faults.push(error.message));
  await load.stop();
  const withoutPrimary = primaryWatch?.();
  const gapEnd = withoutPrimary?.last;
  await services.untilAllReady();
  const answers = load.answers.slice(from);
  const gap = gapEnd !== undefined && gapEnd > at ? `; no server took writes until ${seconds(gapEnd - at)} after it` : '';
  return {
    name,
    seen: `${summary(answers)}; writes refused for ${gapOf(answers, WRITES, at)}, validations for ${gapOf(answers, VALIDATIONS, at)}; ${acknowledged() - before} writes acknowledged since${gap}`,
    faults: [...faults, ...broken(answers), ...(withoutPrimary ? wrongValidations(answers, at, withoutPrimary) : [])],
  };
}

export async function failover(setup: Setup, report: Report): Promise<void> {
  const { cluster } = setup;
  report(await event('switch-over by an administrator', setup, () => cluster.switchOver(), { isGap: true }));
  await cluster.untilHealthy();
  report(
    await event('the primary server killed (kill -9), its Patroni goes on', setup, () => cluster.killPrimary(), { isGap: true }),
  );
  let lost = '';
  await cluster.untilHealthy();
  report(
    await event(
      'the machine of the primary lost (server and Patroni killed)',
      setup,
      async () => {
        lost = await cluster.killPrimaryNode();
      },
      { isGap: true },
    ),
  );
  cluster.revive(lost);
  const back = await cluster.untilHealthy();
  report({ name: 'the lost machine is on again', seen: `a synchronous standby again after ${seconds(back)}`, faults: [] });
  let thaw = (): void => {};
  report(
    await event(
      'the machine of the primary hangs (SIGSTOP)',
      setup,
      async () => {
        thaw = await cluster.freezePrimaryNode();
      },
      { isGap: true },
    ),
  );
  report(
    await event('the machine that hung goes on, as a former primary', setup, async () => {
      thaw();
    }),
  );
  const again = await cluster.untilHealthy();
  report({ name: 'the standby after that', seen: `synchronous again after ${seconds(again)}`, faults: [] });
}

/** At the end of everything. */
export async function nothingLost({ cluster, load }: Setup, report: Report): Promise<void> {
  await cluster.untilHealthy();
  const [identity, wallet] = [await cluster.connect('identity'), await cluster.connect('wallet')];
  const missing = await load.lost(identity, wallet);
  await Promise.all([identity.end(), wallet.end()]);
  report({
    name: 'acknowledged writes, looked for at the end',
    seen: `${load.projects.length} projects, ${load.keys.length} keys and ${load.revoked.length} revoked tokens: ${missing.length} lost`,
    faults: missing.slice(0, 10),
  });
}
