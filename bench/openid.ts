// What applications ask the OpenID provider, on PostgreSQL: tokens, user information, requests that are pushed, sign-ins that begin.
import { setTimeout as sleep } from 'node:timers/promises';
import { administrator, logIn, loginBody, startGatehouse } from './gatehouse.ts';
import type { LoadTarget } from './load.ts';
import { onPostgres } from './on-postgres.ts';
import { type Endpoints, OPENID_OPERATIONS, type OpenidOperation, type OpenidService, OpenidWork } from './openid-work.ts';
import { CONNECTIONS, emptyRow, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';
import { CALLBACK } from './sign-in.ts';

const PEOPLE = 8;
const PASSWORD = 'a password of a person of the bench';

const SCOPES = 'openid profile email';
/** At the start it cannot know that no process of an earlier version is there, and tells those of each change. */
const SETTLE_MS = 16_000;

const endpointsOf = (url: string): Endpoints => ({
  // Pages have one address. At another one, browsers are led there.
  authorization: `${url.replace('127.0.0.1', 'localhost')}/openid/authorize`,
  token: `${url}/openid/token`,
  userinfo: `${url}/openid/userinfo`,
  introspection: `${url}/openid/introspect`,
  par: `${url}/openid/par`,
});

/** An application that asks nobody for consent, and people who sign in to it. */
export async function prepareOpenid(url: string): Promise<Omit<OpenidService, keyof LoadTarget>> {
  const token = await logIn(url, loginBody(administrator));
  const make = async (path: string, body: unknown): Promise<any> => {
    const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const values = { name: 'bench of openid', redirect_uris: [CALLBACK], skip_consent: true };
  const { consumer } = await make('/v3/OS-OAUTH2/consumers', { consumer: values });
  const people = Array.from({ length: PEOPLE }, (_, n) => ({ name: `somebody-${n}`, password: PASSWORD }));
  for (const person of people) await make('/v3/users', { user: { ...person, email: `${person.name}@example.org` } });
  await sleep(SETTLE_MS);
  return { endpoints: endpointsOf(url), application: consumer, people, refreshScope: `${SCOPES} offline_access` };
}

export const openid: Scenario = async ({ sizes }, pace) => {
  const scenario = 'openid';
  const server = await onPostgres(sizes.few);
  const service = await startGatehouse(server.data);
  try {
    const { url, pid } = service;
    const prepared = await prepareOpenid(url);
    const work = await OpenidWork.of({ url, pid, otherPids: [server.pid], ...prepared });
    const contenders = (Object.keys(OPENID_OPERATIONS) as OpenidOperation[]).map((operation) => ({
      name: `openid: ${operation}`,
      measure: (seconds: number) => work.measure(operation, seconds, CONNECTIONS),
    }));
    const measurements = await measureBesideEmpty(contenders, pace);
    return [emptyRow(scenario, measurements), ...contenders.map(({ name }) => ratioToEmpty(scenario, measurements, name))];
  } finally {
    await service.stop();
    await server.stop();
  }
};
