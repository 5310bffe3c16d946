// What is measured. Every figure is a ratio to something measured in the same minute on the same machine.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { identitySettings } from '../src/identity/settings.ts';
import {
  administrator,
  type DataFolder,
  logIn,
  loginBody,
  memberTokens,
  randomUserIds,
  seed,
  startGatehouse,
} from './gatehouse.ts';
import { type LoadRequest, load, type Sample, UNIQUE } from './load.ts';
import { firstLine, output, residentBytes, startScript, stop } from './processes.ts';
import type { Figure } from './report.ts';
import { type Contender, type Measurements, measureInTurns, median, type Pace } from './rounds.ts';
import type { BenchServices } from './services.ts';

const CONNECTIONS = 32;
const MEGABYTE = 1024 * 1024;
const EMPTY = 'empty route';
const number = (value: number): string => value.toLocaleString('en');

export type Scenario = (world: BenchServices, pace: Pace) => Promise<Figure[]>;

export async function measureBesideEmpty(contenders: readonly Contender[], pace: Pace): Promise<Measurements> {
  const child = startScript('empty-server.ts', [], { output: 'pipe' });
  const target = { url: await firstLine(child), pid: child.pid! };
  const measure = (seconds: number): Promise<Sample> =>
    load(target, [{ method: 'GET', path: '/' }], { seconds, connections: CONNECTIONS });
  try {
    return await measureInTurns([{ name: EMPTY, measure }, ...contenders], pace);
  } finally {
    await stop(child);
  }
}

export const contender = (name: string, target: { url: string; pid: number }, requests: readonly LoadRequest[]): Contender => ({
  name,
  measure: (seconds) => load(target, requests, { seconds, connections: CONNECTIONS }),
});

export function ratioToEmpty(scenario: string, course: Measurements, name: string, least?: number): Figure {
  const ratio = course.ratio(name, EMPTY);
  return {
    scenario,
    what: name,
    figure: `${ratio.toFixed(2)} of the empty route`,
    ...(least === undefined ? {} : { target: `at least ${least}`, ok: ratio >= least }),
    rate: course.rate(name),
    cpuMicros: course.cpuMicros(name),
  };
}

export const emptyRow = (scenario: string, course: Measurements): Figure => ({
  scenario,
  what: `${scenario}: the empty route beside it`,
  figure: '1',
  rate: course.rate(EMPTY),
  cpuMicros: course.cpuMicros(EMPTY),
});

/** The rate does not fall with what grew. Faster is noise, and no fault. */
export function flat(scenario: string, course: Measurements, what: string, grown: string, small: string): Figure {
  const ratio = course.ratio(grown, small);
  return { scenario, what, figure: `${ratio.toFixed(2)} of the rate without`, target: 'at least 0.9', ok: ratio >= 0.9 };
}

export const validation: Scenario = async (world, pace) => {
  const scenario = 'validation';
  const [small, large, revoked] = [await world.small(), await world.large(), await world.revoked()];
  const contenders: Contender[] = [];
  for (const data of [small, large, revoked]) {
    const { url, pid } = await world.serve(data);
    const admin = await logIn(url, loginBody(administrator));
    const requests = (await memberTokens(url, data.folder)).map(
      (token): LoadRequest => ({
        method: 'GET',
        path: '/v3/auth/tokens',
        headers: { 'X-Auth-Token': admin, 'X-Subject-Token': token },
      }),
    );
    contenders.push(contender(nameOf(scenario, data), { url, pid }, requests));
  }
  const course = await measureBesideEmpty(contenders, pace);
  const [few, many, gone] = contenders.map(({ name }) => name) as [string, string, string];
  return [
    emptyRow(scenario, course),
    ...[few, many, gone].map((name) => ratioToEmpty(scenario, course, name, 0.6)),
    flat(scenario, course, 'validation: flat in users', many, few),
    flat(scenario, course, 'validation: flat in revocations', gone, few),
  ];
};

const nameOf = (scenario: string, { size }: DataFolder): string =>
  `${scenario}, ${number(size.users)} users${size.revocations > 0 ? `, ${number(size.revocations)} revocations` : ''}`;

/** A scenario of one request (or many) at both sizes of the user table. */
const atBothSizes =
  (scenario: string, requestsOf: (data: DataFolder, token: string) => readonly LoadRequest[], least?: number): Scenario =>
  async (world, pace) => {
    const contenders: Contender[] = [];
    for (const data of [await world.small(), await world.large()]) {
      const { url, pid } = await world.serve(data);
      const token = await logIn(url, loginBody(administrator));
      contenders.push(contender(nameOf(scenario, data), { url, pid }, requestsOf(data, token)));
    }
    const course = await measureBesideEmpty(contenders, pace);
    return [emptyRow(scenario, course), ...contenders.map(({ name }) => ratioToEmpty(scenario, course, name, least))];
  };

export const userById = atBothSizes(
  'user',
  ({ folder }, token) =>
    randomUserIds(folder, 10_000).map((id) => ({ method: 'GET', path: `/v3/users/${id}`, headers: { 'X-Auth-Token': token } })),
  0.5,
);

export const userList = atBothSizes('list', (_data, token) => [
  { method: 'GET', path: '/v3/users?limit=1000', headers: { 'X-Auth-Token': token } },
]);

export const userCreate = atBothSizes('create', (_data, token) => [
  { method: 'POST', path: '/v3/users', body: { user: { name: `new-${UNIQUE}` } }, headers: { 'X-Auth-Token': token } },
]);

/** A login beside the bare hash: the service keeps one core free of hashes, so the bare hash gets as many as the service. */
export const issue: Scenario = async (world, pace) => {
  const scenario = 'issue';
  const { url, pid } = await world.serve(await world.small());
  const inFlight = Math.max(1, availableParallelism() - 1);
  const request: LoadRequest = { method: 'POST', path: '/v3/auth/tokens', body: loginBody(administrator) };
  const cost = [identitySettings.argon2Memory.fallback, identitySettings.argon2Passes.fallback].map(String);
  const bare = (count: number): Contender => ({
    name: `issue: the bare hash, ${count} at once`,
    measure: async (seconds) =>
      JSON.parse(
        await output(startScript('bare-hash.ts', [String(seconds), String(count), ...cost], { output: 'pipe' })),
      ) as Sample,
  });
  const login = (connections: number, name: string): Contender => ({
    name,
    measure: (seconds) => load({ url, pid }, [request], { seconds, connections }),
  });
  const hash = bare(inFlight);
  const one = login(1, 'issue: one login at a time');
  const many = login(CONNECTIONS, `issue: ${CONNECTIONS} logins at once`);
  const alone = inFlight === 1 ? hash : bare(1);
  const everyCore = bare(inFlight + 1);
  const course = await measureInTurns([...new Set([alone, one, hash, many, everyCore])], pace);

  const beside = (name: string, other: string): Figure => {
    // Time per login over time per hash.
    const ratio = course.ratio(other, name);
    return {
      scenario,
      what: name,
      figure: `${ratio.toFixed(2)} of the bare hash`,
      target: 'at most 1.15',
      ok: ratio <= 1.15,
      rate: course.rate(name),
      cpuMicros: course.cpuMicros(name),
    };
  };
  const plain = ({ name }: Contender, figure: string): Figure => ({
    scenario,
    what: name,
    figure,
    rate: course.rate(name),
    cpuMicros: course.cpuMicros(name),
  });
  return [
    ...[...new Set([alone, hash])].map((one) => plain(one, '1')),
    beside(one.name, alone.name),
    beside(many.name, hash.name),
    plain(everyCore, 'no core left for answers'),
  ];
};

export const memory: Scenario = async (world) => {
  const figures: Figure[] = [];
  for (const data of [await world.small(), await world.large()]) {
    const running = await world.serveAnew(data);
    await sleep(4000);
    const bytes = residentBytes(running.pid);
    const target = data === (await world.small()) ? { target: 'under 130 MB', ok: bytes < 130 * MEGABYTE } : {};
    figures.push({
      scenario: 'memory',
      what: `memory: idle, ${number(data.size.users)} users`,
      figure: `${Math.round(bytes / MEGABYTE)} MB`,
      ...target,
    });
    if (running.launcherPid !== undefined && figures.length === 1) {
      const launcher = residentBytes(running.launcherPid);
      figures.push({ scenario: 'memory', what: 'memory: its launcher', figure: `${Math.round(launcher / MEGABYTE)} MB` });
    }
  }
  return figures;
};

export const ready: Scenario = async (world, { rounds }) => {
  const data = await world.large();
  await world.end(data);
  const revocations = world.sizes.revocations;
  await seed(data, { users: 0, revocations });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const running = await startGatehouse(data);
    times.push(running.readyMs);
    await running.stop();
  }
  const seconds = median(times) / 1000;
  return [
    {
      scenario: 'ready',
      what: `ready: ${number(data.size.users)} users, ${number(revocations)} revocations`,
      figure: `${seconds.toFixed(2)} s`,
      target: 'under 1.2 s',
      ok: seconds < 1.2,
    },
  ];
};
