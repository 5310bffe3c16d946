// Provisioning: the first look-up of a client, a page of users, and adding a member to a group.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  administrator,
  type DataFolder,
  type Gatehouse,
  logIn,
  loginBody,
  makeData,
  randomUserIds,
  startGatehouse,
} from './gatehouse.ts';
import type { LoadRequest } from './load.ts';
import type { Contender, Measurements } from './rounds.ts';
import { contender, emptyRow, flat, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';
import { COUNT, NEW_ID } from './seed.ts';

const MEMBERS = 100_000;
const EMPTY_GROUPS = 1000;
const LOOKUPS = 10_000;
const number = (value: number): string => value.toLocaleString('en');

/** Creates a connection of the default domain through the API. */
async function connect({ url }: Gatehouse): Promise<Record<string, string>> {
  const token = await logIn(url, loginBody(administrator));
  const response = await fetch(`${url}/v3/OS-SCIM/connections`, {
    method: 'POST',
    headers: { 'X-Auth-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ connection: { domain_id: 'default' } }),
  });
  const { connection } = (await response.json()) as { connection: { token: string } };
  return { Authorization: `Bearer ${connection.token}` };
}

/** One group with very many members, and many without any. */
function seedGroups({ folder }: DataFolder, members: number): { full: string; empty: string[] } {
  const db = new DatabaseSync(join(folder, 'identity.sqlite'));
  db.exec('pragma synchronous = off; pragma foreign_keys = off; begin immediate');
  db.prepare(`${COUNT}
    insert into groups (id, domain_id, name, description, extra, created_at)
    select ${NEW_ID}, 'default', 'group-' || n, '', '{}', 0 from counter`).run({ count: EMPTY_GROUPS + 1 });
  const [full, ...empty] = (db.prepare('select id from groups order by id').all() as { id: string }[]).map(({ id }) => id);
  db.prepare('insert into group_members (group_id, user_id) select ?, id from users limit ?').run(full!, members);
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
  return { full: full!, empty };
}

const addMember = (group: string, user: string, headers: Record<string, string>): LoadRequest => ({
  method: 'PATCH',
  path: `/scim/v2/Groups/${group}`,
  headers,
  body: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'add', path: 'members', value: [{ value: user }] }],
  },
});

function atMost(measurements: Measurements, what: string, grown: string, small: string, most: number): ReturnType<typeof flat> {
  const ratio = measurements.ratio(small, grown);
  return { scenario: 'scim', what, figure: `${ratio.toFixed(2)} of the time`, target: `at most ${most}`, ok: ratio <= most };
}

export const scim: Scenario = async (services, pace) => {
  const scenario = 'scim';
  const contenders: Contender[] = [];
  for (const data of [await services.small(), await services.large()]) {
    const service = await services.serve(data);
    const headers = await connect(service);
    const size = `${number(data.size.users)} users`;
    const asked = Array.from({ length: LOOKUPS }, (_, n): LoadRequest => {
      const filter = encodeURIComponent(`userName eq "person-${1 + ((n * 7919) % data.size.users)}"`);
      return { method: 'GET', path: `/scim/v2/Users?filter=${filter}`, headers };
    });
    contenders.push(contender(`filter by userName, ${size}`, service, asked));
    contenders.push(contender(`page of 100, ${size}`, service, [{ method: 'GET', path: '/scim/v2/Users?count=100', headers }]));
  }
  const members = Math.min(MEMBERS, services.sizes.many);
  const data = await makeData({ users: members + LOOKUPS, revocations: 0 });
  const { full, empty } = seedGroups(data, members);
  const service = await startGatehouse(data);
  const headers = await connect(service);
  const users = randomUserIds(data.folder, LOOKUPS);
  const toFull = `member for a group of ${number(members)}`;
  contenders.push(
    contender(
      toFull,
      service,
      users.map((id) => addMember(full, id, headers)),
    ),
    contender(
      'member for an empty group',
      service,
      users.map((id, n) => addMember(empty[n % EMPTY_GROUPS]!, id, headers)),
    ),
  );
  const measurements = await measureBesideEmpty(contenders, pace);
  await service.stop();
  const [fewFilter, fewPage, manyFilter, manyPage] = contenders.map(({ name }) => name) as [string, string, string, string];
  return [
    emptyRow(scenario, measurements),
    ratioToEmpty(scenario, measurements, fewFilter),
    ratioToEmpty(scenario, measurements, manyFilter),
    ratioToEmpty(scenario, measurements, fewPage),
    ratioToEmpty(scenario, measurements, manyPage),
    flat(scenario, measurements, 'page of 100: flat in users', manyPage, fewPage),
    ratioToEmpty(scenario, measurements, 'member for an empty group'),
    ratioToEmpty(scenario, measurements, toFull),
    atMost(measurements, 'member: full group beside an empty one', toFull, 'member for an empty group', 1.2),
  ];
};
