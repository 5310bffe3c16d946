// The measured scenarios. Every figure is a ratio to something measured at the same time on the same machine.
import { availableParallelism } from 'node:os';
import { identitySettings } from '../src/identity/ground/settings/index.ts';
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
import { firstLine, output, startScript, stop } from './processes.ts';
import type { Figure } from './report.ts';
import { type Contender, type Measurements, measureInTurns, median, type Pace } from './rounds.ts';
import type { BenchServices } from './services.ts';

export const CONNECTIONS = 32;
const EMPTY = 'empty route';
export const number = (value: number): string => value.toLocaleString('en');

export type Scenario = (services: BenchServices, pace: Pace) => Promise<Figure[]>;

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

export function ratioToEmpty(scenario: string, measurements: Measurements, name: string, least?: number): Figure {
  const ratio = measurements.ratio(name, EMPTY);
  return {
    scenario,
    what: name,
    figure: `${ratio.toFixed(2)} of the empty route`,
    ...(least === undefined ? {} : { target: `at least ${least}`, ok: ratio >= least }),
    rate: measurements.rate(name),
    cpuMicros: measurements.cpuMicros(name),
  };
}

export const emptyRow = (scenario: string, measurements: Measurements): Figure => ({
  scenario,
  what: `${scenario}: the empty route beside it`,
  figure: '1',
  rate: measurements.rate(EMPTY),
  cpuMicros: measurements.cpuMicros(EMPTY),
});

/** Checks that the rate does not fall as the data grows. A higher rate is noise. */
export function flat(scenario: string, measurements: Measurements, what: string, grown: string, small: string): Figure {
  const ratio = measurements.ratio(grown, small);
  return { scenario, what, figure: `${ratio.toFixed(2)} of the rate without`, target: 'at least 0.9', ok: ratio >= 0.9 };
}

export const validation: Scenario = async (services, pace) => {
  const scenario = 'validation';
  const [small, large, revoked] = [await services.small(), await services.large(), await services.revoked()];
  const contenders: Contender[] = [];
  for (const data of [small, large, revoked]) {
    const { url, pid } = await services.serve(data);
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
  const measurements = await measureBesideEmpty(contenders, pace);
  const [few, many, gone] = contenders.map(({ name }) => name) as [string, string, string];
  return [
    emptyRow(scenario, measurements),
    ...[few, many, gone].map((name) => ratioToEmpty(scenario, measurements, name, 0.6)),
    flat(scenario, measurements, 'validation: flat in users', many, few),
    flat(scenario, measurements, 'validation: flat in revocations', gone, few),
  ];
};

const nameOf = (scenario: string, { size }: DataFolder): string =>
  `${scenario}, ${number(size.users)} users${size.revocations > 0 ? `, ${number(size.revocations)} revocations` : ''}`;

/** Measures requests with a small and a large user table. */
const atBothSizes =
  (scenario: string, requestsOf: (data: DataFolder, token: string) => readonly LoadRequest[], least?: number): Scenario =>
  async (services, pace) => {
    const contenders: Contender[] = [];
    for (const data of [await services.small(), await services.large()]) {
      const { url, pid } = await services.serve(data);
      const token = await logIn(url, loginBody(administrator));
      contenders.push(contender(nameOf(scenario, data), { url, pid }, requestsOf(data, token)));
    }
    const measurements = await measureBesideEmpty(contenders, pace);
    return [emptyRow(scenario, measurements), ...contenders.map(({ name }) => ratioToEmpty(scenario, measurements, name, least))];
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

/** Compares a login with the bare hash. The service keeps one core free of hashes, so the bare hash gets the same number of cores. */
export const issue: Scenario = async (services, pace) => {
  const scenario = 'issue';
  const { url, pid } = await services.serve(await services.small());
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
  const measurements = await measureInTurns([...new Set([alone, one, hash, many, everyCore])], pace);

  const beside = (name: string, other: string): Figure => {
    // Time per login over time per hash.
    const ratio = measurements.ratio(other, name);
    return {
      scenario,
      what: name,
      figure: `${ratio.toFixed(2)} of the bare hash`,
      target: 'at most 1.15',
      ok: ratio <= 1.15,
      rate: measurements.rate(name),
      cpuMicros: measurements.cpuMicros(name),
    };
  };
  const plain = ({ name }: Contender, figure: string): Figure => ({
    scenario,
    what: name,
    figure,
    rate: measurements.rate(name),
    cpuMicros: measurements.cpuMicros(name),
  });
  return [
    ...[...new Set([alone, hash])].map((one) => plain(one, '1')),
    beside(one.name, alone.name),
    beside(many.name, hash.name),
    plain(everyCore, 'no core left for answers'),
  ];
};

export const ready: Scenario = async (services, { rounds }) => {
  const data = await services.large();
  await services.end(data);
  const revocations = services.sizes.revocations;
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
