// The wallet node: requests of a user interface and of resolvers, and the cost of keys compared with bare cryptography.
import type { LoadRequest, Sample } from './load.ts';
import { output, startScript, temporaryFolder } from './processes.ts';
import type { Figure } from './report.ts';
import { type Contender, measureInTurns } from './rounds.ts';
import { contender, emptyRow, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';

const PEOPLE = 100;

const workOf =
  (script: string, ...more: readonly string[]) =>
  (what: string): Contender => ({
    name: what,
    measure: async (seconds) =>
      JSON.parse(await output(startScript(script, [String(seconds), what, ...more], { output: 'pipe' }))) as Sample,
  });

export const wallet: Scenario = async (services, pace) => {
  const scenario = 'wallet';
  const data = await services.small();
  await services.end(data);
  const url = `http://127.0.0.1:${data.walletPort}`;
  const people = JSON.parse(
    await output(startScript('wallet-seed.ts', [data.folder, url, String(PEOPLE)], { output: 'pipe' })),
  ) as { cookie: string; name: string }[];
  const { pid, walletUrl } = await services.serve(data);
  const target = { url: walletUrl, pid };
  const keys = people.map(
    ({ cookie }): LoadRequest => ({ method: 'GET', path: '/api/v1/wallet/keys', headers: { Cookie: cookie } }),
  );
  const documents = people.map(({ name }): LoadRequest => ({ method: 'GET', path: `/dids/${name}/did.json` }));
  const contenders = [contender('keys of a session', target, keys), contender('published document', target, documents)];
  const measurements = await measureBesideEmpty(contenders, pace);

  const works = ['bare generation', 'generation', 'bare signature', 'signature'].map(workOf('key-work.ts'));
  const cost = await measureInTurns(works, pace);
  const beside = (name: string): Figure => ({
    scenario,
    what: `ES256 ${name}`,
    figure: `${cost.ratio(name, `bare ${name}`).toFixed(2)} of node:crypto alone`,
    rate: cost.rate(name),
    cpuMicros: cost.cpuMicros(name),
  });
  const showing = await measureInTurns(
    ['bare signature', 'presentation', 'match 100', 'match 10000'].map(workOf('credential-work.ts', temporaryFolder())),
    pace,
  );
  // Time with ten thousand credentials divided by time with a hundred.
  const growth = showing.ratio('match 100', 'match 10000');
  return [
    emptyRow(scenario, measurements),
    ...contenders.map(({ name }) => ratioToEmpty(scenario, measurements, name)),
    beside('generation'),
    beside('signature'),
    {
      scenario,
      what: 'SD-JWT presentation',
      figure: `${showing.ratio('presentation', 'bare signature').toFixed(2)} of a bare ES256 signature`,
      rate: showing.rate('presentation'),
      cpuMicros: showing.cpuMicros('presentation'),
    },
    {
      scenario,
      what: 'DCQL query over 10,000 credentials',
      figure: `${growth.toFixed(2)} of the time over 100`,
      target: 'at most 1.5',
      ok: growth <= 1.5,
      rate: showing.rate('match 10000'),
      cpuMicros: showing.cpuMicros('match 10000'),
    },
  ];
};
