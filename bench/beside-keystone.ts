// The same five requests to Gatehouse and to Keystone, in turns. The figure is how many times faster Gatehouse is; there is no target.
import { availableParallelism } from 'node:os';
import { administrator, logIn, loginBody, memberTokens, randomUserIds, tokenBody } from './gatehouse.ts';
import { keystoneUserIds, missing, startKeystone } from './keystone.ts';
import { type LoadRequest, type LoadTarget, load, UNIQUE } from './load.ts';
import type { Figure } from './report.ts';
import { type Contender, measureInTurns, type Pace } from './rounds.ts';
import type { Scenario } from './scenarios.ts';

const scenario = 'keystone';
const SUBJECTS = 100;
/** Keystone's processes serve one request each. More connections would only queue, and its SQLite would refuse writers. */
const CONNECTIONS = availableParallelism();
/** Keystone answers some of these only a few times a second, so rounds must not be too short. */
const LEAST_SECONDS = 5;
const MOST_ROUNDS = 3;

interface KeystoneInputs {
  readonly token: string;
  readonly subjects: readonly string[];
  readonly userIds: readonly string[];
}

function requestsFor({ token, subjects, userIds }: KeystoneInputs): Readonly<Record<string, readonly LoadRequest[]>> {
  const headers = { 'X-Auth-Token': token };
  return {
    validation: subjects.map((subject) => ({
      method: 'GET',
      path: '/v3/auth/tokens',
      headers: { ...headers, 'X-Subject-Token': subject },
    })),
    issue: [{ method: 'POST', path: '/v3/auth/tokens', body: loginBody(administrator) }],
    'user by id': userIds.map((id) => ({ method: 'GET', path: `/v3/users/${id}`, headers })),
    'list of 1,000 users': [{ method: 'GET', path: '/v3/users', headers }],
    'user create': [{ method: 'POST', path: '/v3/users', body: { user: { name: `beside-${UNIQUE}` } }, headers }],
  };
}

const contender = (name: string, target: LoadTarget, requests: readonly LoadRequest[]): Contender => ({
  name,
  measure: (seconds) => load(target, requests, { seconds, connections: CONNECTIONS }),
});

export const besideKeystone: Scenario = async (services, pace) => {
  const lacking = missing();
  if (lacking)
    return [{ scenario, what: 'keystone', figure: `not installed (${lacking} is missing; Debian: apt install keystone)` }];
  const data = await services.small();
  const ours = await services.serve(data);
  const theirs = await startKeystone(data.size.users);
  try {
    const [ourToken, theirToken] = [
      await logIn(ours.url, loginBody(administrator)),
      await logIn(theirs.url, loginBody(administrator)),
    ];
    const theirSubjects: string[] = [];
    while (theirSubjects.length < SUBJECTS) theirSubjects.push(await logIn(theirs.url, tokenBody(theirToken)));
    const ourRequests = requestsFor({
      token: ourToken,
      subjects: await memberTokens(ours.url, data.folder),
      userIds: randomUserIds(data.folder, 1000),
    });
    const theirRequests = requestsFor({ token: theirToken, subjects: theirSubjects, userIds: keystoneUserIds(theirs.database) });
    const slowly: Pace = { rounds: Math.min(pace.rounds, MOST_ROUNDS), seconds: Math.max(pace.seconds, LEAST_SECONDS) };

    const figures: Figure[] = [];
    for (const [name, requests] of Object.entries(ourRequests)) {
      const us = `keystone: ${name}, Gatehouse`;
      const them = `keystone: ${name}, Keystone`;
      const measurements = await measureInTurns(
        [contender(us, ours, requests), contender(them, theirs, theirRequests[name]!)],
        slowly,
      );
      const row = (what: string, figure: string): Figure => ({
        scenario,
        what,
        figure,
        rate: measurements.rate(what),
        cpuMicros: measurements.cpuMicros(what),
      });
      figures.push(row(us, `${Math.round(measurements.ratio(us, them))} times Keystone`), row(them, '1'));
    }
    return figures;
  } finally {
    await theirs.stop();
  }
};
