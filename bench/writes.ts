// Changes on PostgreSQL, which keeps what it has acknowledged: people one by one, and a hundred in each bulk request of SCIM.
import { Client } from 'pg';
import { administrator, logIn, loginBody, startGatehouse } from './gatehouse.ts';
import { type LoadRequest, load, UNIQUE } from './load.ts';
import { onPostgres } from './on-postgres.ts';
import { type Contender, measureInTurns } from './rounds.ts';
import type { Scenario } from './scenarios.ts';

const PEOPLE = 100;
/** Of the requests of one round, and people in each. */
const WRITES = [
  { name: 'create on PostgreSQL, one at a time', connections: 1, people: 1 },
  { name: 'create on PostgreSQL, 16 at once', connections: 16, people: 1 },
  { name: `bulk of ${PEOPLE} on PostgreSQL, one at a time`, connections: 1, people: PEOPLE, least: 1000 },
  { name: `bulk of ${PEOPLE} on PostgreSQL, 2 at once`, connections: 2, people: PEOPLE, least: 1000 },
] as const;

const CREATE = { method: 'POST', path: '/v3/users', body: { user: { name: `new-${UNIQUE}` } } } as const;

/** A request that creates these people. */
export const bulkOf = (names: readonly string[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations: names.map((userName, n) => ({
    method: 'POST',
    path: '/Users',
    bulkId: String(n),
    data: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName,
      externalId: userName,
      displayName: `Person ${n}`,
      name: { givenName: 'Person', familyName: `Number ${n}` },
      emails: [{ value: `${userName}@example.org`, type: 'work', primary: true }],
    },
  })),
});

const BULK = {
  method: 'POST',
  path: '/scim/v2/Bulk',
  body: bulkOf(Array.from({ length: PEOPLE }, (_, n) => `new-${UNIQUE}-${n}`)),
} as const;

async function countNew(url: string): Promise<number> {
  const db = new Client({ connectionString: url });
  await db.connect();
  const { rows } = await db.query<{ count: string }>(`select count(*) as count from users where name like 'new-%'`);
  await db.end();
  return Number(rows[0]!.count);
}

export const writes: Scenario = async (services, pace) => {
  const server = await onPostgres(services.sizes.few);
  const service = await startGatehouse(server.data);
  const headers = { 'X-Auth-Token': await logIn(service.url, loginBody(administrator)) };
  let created = 0;
  const contenders = WRITES.map(({ name, connections, people }): Contender => {
    const request: LoadRequest = { ...(people === 1 ? CREATE : BULK), headers };
    return {
      name,
      async measure(seconds) {
        const target = { url: service.url, pid: service.pid, otherPids: [server.pid] };
        const { rate, cpuMicros, failed } = await load(target, [request], { seconds, connections });
        created += rate * seconds * people;
        return { rate: rate * people, cpuMicros: cpuMicros / people, failed };
      },
    };
  });
  const measurements = await measureInTurns(contenders, pace);
  // Operations of a bulk request can fail in an answer that does not.
  const stored = await countNew(server.data.settings!.GATEHOUSE_IDENTITY_DATABASE_URL!);
  await service.stop();
  await server.stop();
  if (stored < created) throw new Error(`${Math.round(created)} people were acknowledged, ${stored} are there`);
  return WRITES.map(({ name, ...one }) => {
    const rate = measurements.rate(name);
    const target = 'least' in one ? { target: `at least ${one.least}`, ok: rate >= one.least } : {};
    return {
      scenario: 'writes',
      what: name,
      figure: `${Math.round(rate)} people/s`,
      ...target,
      rate,
      cpuMicros: measurements.cpuMicros(name),
    };
  });
};
