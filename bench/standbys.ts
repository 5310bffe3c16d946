// Lists read from a standby: two services on one PostgreSQL, one of which has a standby for its lists. All servers share this machine, so the rate says
// little; the processor time of the primary for each list is what a standby is for.
import { startPrimary, startStandby } from '../test/support/standby.ts';
import { administrator, type Gatehouse, logIn, loginBody, startGatehouse } from './gatehouse.ts';
import { type LoadRequest, load } from './load.ts';
import { onPostgres } from './on-postgres.ts';
import { freePort, temporaryFolder } from './processes.ts';
import type { Figure } from './report.ts';
import { type Contender, measureInTurns } from './rounds.ts';
import type { Scenario } from './scenarios.ts';

const scenario = 'standbys';
const USERS = 10_000;
const CONNECTIONS = 8;
const KINDS = {
  'list of 1,000 users': () => '/v3/users?limit=1000',
  'search of 50 users': (n: number) => `/v3/users?limit=50&search=person-${1 + ((n * 7919) % USERS)}`,
};

async function lists(service: Gatehouse, who: string, primary: number): Promise<Contender[]> {
  const headers = { 'X-Auth-Token': await logIn(service.url, loginBody(administrator)) };
  return Object.entries(KINDS).map(([kind, pathOf]) => {
    const requests = Array.from({ length: 200 }, (_, n): LoadRequest => ({ method: 'GET', path: pathOf(n), headers }));
    return {
      name: `${kind}, ${who}`,
      // The processor time is the primary's.
      measure: (seconds) => load({ url: service.url, pid: primary }, requests, { seconds, connections: CONNECTIONS }),
    };
  });
}

export const standbys: Scenario = async (_services, pace) => {
  const primary = await startPrimary();
  const { data, pid, stop } = await onPostgres(USERS, {}, primary);
  const standby = await startStandby(primary);
  const settings = {
    ...data.settings,
    GATEHOUSE_IDENTITY_STANDBY_URL: standby.urlOf(data.settings!.GATEHOUSE_IDENTITY_DATABASE_URL!),
  };
  const beside = { ...data, folder: temporaryFolder(), port: await freePort(), walletPort: await freePort(), settings };
  const [without, withStandby] = [await startGatehouse(data), await startGatehouse(beside)];
  try {
    const contenders = [...(await lists(without, 'without', pid)), ...(await lists(withStandby, 'with a standby', pid))];
    const measured = await measureInTurns(contenders, pace);
    return Object.keys(KINDS).flatMap((kind): Figure[] => {
      const [before, after] = [`${kind}, without`, `${kind}, with a standby`];
      const saved = measured.cpuMicros(before) / measured.cpuMicros(after);
      return [before, after].map((name) => ({
        scenario,
        what: `${name} (processor time of the primary)`,
        figure:
          name === before
            ? '1'
            : `${saved.toFixed(1)} times less work for the primary, ${measured.ratio(after, before).toFixed(2)} of the rate`,
        ...(name === after ? { target: 'at least 3 times less', ok: saved >= 3 } : {}),
        rate: measured.rate(name),
        cpuMicros: measured.cpuMicros(name),
      }));
    });
  } finally {
    await without.stop();
    await withStandby.stop();
    await standby.stop();
    await stop();
  }
};
