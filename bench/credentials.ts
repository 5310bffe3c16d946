// Credentials in wallets: a published status list with a million entries, and what it costs to take a role away from one of a million holders.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { administrator, type DataFolder, logIn, loginBody, makeData, startGatehouse } from './gatehouse.ts';
import type { LoadRequest, Sample } from './load.ts';
import { cpuSeconds } from './processes.ts';
import type { Contender } from './rounds.ts';
import { contender, emptyRow, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';

const USERS = 10_000;
/** Each has one credential, and loses it once. */
const LOSERS = 1000;
const IN_ROUND = 20;
const LIST_SIZE = 1_048_576;
/** One of so many credentials. */
const REVOKED = 1000;
const LIST = 'b'.repeat(32);
/** As large, and with as many revoked entries. Nothing else is in it. */
const FULLER_LIST = 'c'.repeat(32);
const FULLER = 10_000;

/** An application with a role of everybody, and so many credentials of it in one list. Those beyond the first thousand are of the other users. */
export function seedCredentials({ folder }: DataFolder, credentials: number): { organization: string; users: string[] } {
  const db = new DatabaseSync(join(folder, 'identity.sqlite'));
  db.exec('pragma synchronous = off; pragma foreign_keys = off; begin immediate');
  const { id: organization } = db.prepare(`select id from projects where name = 'admin'`).get() as { id: string };
  const now = Math.floor(Date.now() / 1000);
  db.exec(`
    insert into consumers (id, name, client_type, grant_type, redirect_uris, scopes, extra, secret, created_at)
      select 'bench', 'bench', client_type, grant_type, redirect_uris, scopes, extra, secret, created_at from consumers where id = 'idm_admin_app';
    insert into app_roles values ('editor', 'bench', 'editor', 0, 0);
    insert into credential_types (id, application_id, type_name, name, description, formats, data_model, validity_seconds, roles, organizations,
        claims, enabled, created_at, updated_at)
      values ('bench', 'bench', 'Bench', 'bench', '', '["dc+sd-jwt"]', '2.0', 86400, '"all"', '"all"', '[]', 1, 0, 0);
    update users set default_project_id = '${organization}' where name like 'person-%';
    insert into app_user_roles (id, user_id, organization_id, application_id, role_id)
      select id || ':${organization}:bench:editor', id, '${organization}', 'bench', 'editor' from users where name like 'person-%';
    insert into status_lists values ('${LIST}', ${LIST_SIZE}, 1, 0, 0), ('${FULLER_LIST}', ${LIST_SIZE}, 1, 1, 0)`);
  const users = (db.prepare(`select id from users where name like 'person-%' order by id`).all() as { id: string }[]).map(
    ({ id }) => id,
  );
  const [credential, role, tag] = [
    db.prepare(
      `insert into issued_credentials (id, batch_id, issuance_id, user_id, type_id, application_id, format, key_thumbprint, state, reason,
          changed_at, issued_at, expires_at, list_id, list_index, list_state, list_version)
        values (?, ?, ?, ?, 'bench', 'bench', 'dc+sd-jwt', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    db.prepare(`insert into issued_credential_roles values (?, 'bench', 'editor', 'bench', 'editor')`),
    db.prepare('insert into issued_credential_tags values (?, ?)'),
  ];
  const others = users.slice(LOSERS);
  // A way through the whole list without meeting an entry twice, from anywhere: the step has no factor in common with its size.
  const start = randomInt(LIST_SIZE);
  for (let n = 0; n < credentials; n++) {
    const user = n < LOSERS ? users[n]! : others[n % others.length]!;
    const isRevoked = n >= LOSERS && n % REVOKED === 0;
    const index = (start + n * 611_953) % LIST_SIZE;
    const [id, state] = [n.toString(16).padStart(32, '0'), isRevoked ? 'revoked' : 'valid'];
    const listed = isRevoked ? 1 : 0;
    credential.run(id, id, id, user, id, state, null, now, now, now + 86_400, LIST, index, listed, listed);
    role.run(id);
    for (const one of ['app:bench', `project:${organization}`]) tag.run(one, id);
  }
  for (let n = 0; n < FULLER; n++) {
    const id = `f${n.toString(16).padStart(31, '0')}`;
    const index = (start + n * 611_953) % LIST_SIZE;
    credential.run(id, id, id, 'nobody', id, 'revoked', null, now, now, now + 86_400, FULLER_LIST, index, 1, 1);
  }
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
  return { organization, users: users.slice(0, LOSERS) };
}

/** Removes the role of one user after the other, each with a credential that is revoked with it. */
function removals(
  name: string,
  service: { url: string; pid: number },
  { organization, users }: { organization: string; users: string[] },
  token: string,
): Contender {
  const headers = { 'X-Auth-Token': token };
  const isRevoked = async (user: string): Promise<boolean> => {
    const answer = await fetch(`${service.url}/v3/OS-ROLE-CREDENTIALS/credentials?user_id=${user}&state=revoked`, { headers });
    return ((await answer.json()) as { credentials: unknown[] }).credentials.length === 1;
  };
  let next = 0;
  return {
    name,
    async measure(): Promise<Sample> {
      const some = users.slice(next, next + IN_ROUND);
      next += IN_ROUND;
      const [began, cpu] = [performance.now(), cpuSeconds(service.pid)];
      let failed = 0;
      for (const user of some) {
        const path = `/v3/OS-ROLES/users/${user}/organizations/${organization}/applications/bench/roles/editor`;
        const { status } = await fetch(service.url + path, { method: 'DELETE', headers });
        if (status !== 204) failed++;
      }
      const elapsed = (performance.now() - began) / 1000;
      // To remove what nobody has succeeds, too, and costs less.
      for (const user of some) if (!(await isRevoked(user))) failed++;
      return { rate: some.length / elapsed, cpuMicros: ((cpuSeconds(service.pid) - cpu) / some.length) * 1e6, failed };
    },
  };
}

export const credentials: Scenario = async (_services, pace) => {
  const scenario = 'credentials';
  const running = [];
  const contenders: Contender[] = [];
  const [few, many] = ['a role taken away, 1,000 credentials', 'a role taken away, 1,000,000 credentials'];
  const lists = {
    [LIST]: 'status list, 1,048,576 entries, 1,000 revoked',
    [FULLER_LIST]: 'status list, 1,048,576 entries, 10,000 revoked',
  };
  for (const [name, count] of [
    [few, LOSERS],
    [many, 1_000_000],
  ] as const) {
    const data = await makeData({ users: USERS, revocations: 0 });
    const seeded = seedCredentials(data, count);
    const service = await startGatehouse(data);
    running.push(service);
    const token = await logIn(service.url, loginBody(administrator));
    for (const [id, what] of count > LOSERS ? Object.entries(lists) : []) {
      const request: LoadRequest = { method: 'GET', path: `/openid/status-lists/${id}` };
      await (await fetch(service.url + request.path)).arrayBuffer();
      contenders.push(contender(what, service, [request]));
    }
    contenders.push(removals(name, service, seeded, token));
  }
  const measurements = await measureBesideEmpty(contenders, pace);
  for (const service of running) await service.stop();
  const cost = measurements.ratio(few, many);
  return [
    emptyRow(scenario, measurements),
    ratioToEmpty(scenario, measurements, lists[LIST]!, 0.7),
    ratioToEmpty(scenario, measurements, lists[FULLER_LIST]!),
    ...[few, many].map((what) => ({
      scenario,
      what,
      figure: `${(1000 / measurements.rate(what)).toFixed(2)} ms each`,
      rate: measurements.rate(what),
      cpuMicros: measurements.cpuMicros(what),
    })),
    {
      scenario,
      what: 'a role taken away: cost with a million credentials',
      figure: `${cost.toFixed(2)} of that with a thousand`,
      target: 'at most 1.2',
      ok: cost <= 1.2,
    },
  ];
};
