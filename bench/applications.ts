// Applications: the permission check a proxy makes on every request, with few and with very many assignments; a list of roles; an
// assignment.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { administrator, type DataFolder, logIn, loginBody, makeData, randomUserIds, startGatehouse } from './gatehouse.ts';
import type { LoadRequest } from './load.ts';
import { contender, emptyRow, flat, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';
import { COUNT, NEW_ID } from './seed.ts';

const ROLES = 1000;
const ROLES_OF_A_USER = 10;

/** One application with a thousand roles, one permission for each role, and `users` users with ten roles each. */
function seedApplication({ folder }: DataFolder, users: number): { application: string; roles: string[] } {
  const db = new DatabaseSync(join(folder, 'identity.sqlite'));
  db.exec('pragma synchronous = off; pragma foreign_keys = off; begin immediate');
  db.exec(`
    insert into consumers select 'bench', 'bench', null, client_type, grant_type, redirect_uris, scopes, extra, secret, created_at
      from consumers where id = 'idm_admin_app';
    update users set default_project_id = (select id from projects where name = 'admin') where default_project_id is null`);
  db.prepare(`${COUNT} insert into app_roles select ${NEW_ID}, 'bench', 'role-' || n, 0, 0 from counter`).run({ count: ROLES });
  db.exec(`
    insert into app_permissions select ${NEW_ID}, 'bench', name, 0, 'GET', '/' || name, null, 0 from app_roles where application_id = 'bench';
    insert into app_role_permissions select app_roles.id, app_permissions.id from app_roles
      join app_permissions using (application_id, name) where application_id = 'bench'`);
  // Each user gets different roles, so that every answer is different.
  db.prepare(`
    with person as (select id, default_project_id as home, row_number() over (order by id) as n from users limit :users),
      role as (select id, row_number() over (order by id) as n from app_roles where application_id = 'bench')
    insert into app_user_roles
    select person.id || ':' || home || ':bench:' || role.id, person.id, home, 'bench', role.id
    from person join role on (role.n - 1 - person.n * :each + ${ROLES} * :users) % ${ROLES} < :each`).run({
    users,
    each: ROLES_OF_A_USER,
  });
  const roles = (db.prepare(`select id from app_roles where application_id = 'bench'`).all() as { id: string }[]).map(
    ({ id }) => id,
  );
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
  return { application: 'bench', roles };
}

/** A proxy sees the same people again and again, so every request is sent once before the measurement. */
async function warmUp(url: string, requests: readonly LoadRequest[]): Promise<void> {
  for (let at = 0; at < requests.length; at += 50) {
    const batch = requests.slice(at, at + 50);
    await Promise.all(batch.map(async ({ path, headers = {} }) => (await fetch(url + path, { headers })).arrayBuffer()));
  }
}

export const applications: Scenario = async (_world, pace) => {
  const scenario = 'applications';
  const contenders = [];
  const running = [];
  const names: string[] = [];
  for (const users of [100, 10_000]) {
    const data = await makeData({ users: 10_000, revocations: 0 });
    const { roles } = seedApplication(data, users);
    const service = await startGatehouse(data);
    running.push(service);
    const headers = { 'X-Auth-Token': await logIn(service.url, loginBody(administrator)) };
    const people = randomUserIds(data.folder, 10_000);
    const asked = people.slice(0, 9000);
    const question = asked.map(
      (id): LoadRequest => ({ method: 'GET', path: `/v3/OS-ROLES/users/${id}/applications/bench/permissions`, headers }),
    );
    await warmUp(service.url, question);
    names.push(`question, ${(users * ROLES_OF_A_USER).toLocaleString('en')} assignments`);
    contenders.push(contender(names.at(-1)!, service, question));
    if (users === 100) continue;
    contenders.push(
      contender('list of 1,000 roles', service, [
        { method: 'GET', path: '/v3/OS-ROLES/roles?application_id=bench&limit=1000', headers },
      ]),
    );
    const assign = people.slice(9000).map(
      (id, n): LoadRequest => ({
        method: 'PUT',
        path: `/v3/OS-ROLES/users/${id}/applications/bench/roles/${roles[n % ROLES]}`,
        headers,
      }),
    );
    contenders.push(contender('assignment', service, assign));
  }
  const measurements = await measureBesideEmpty(contenders, pace);
  for (const service of running) await service.stop();
  const [few, many] = names as [string, string];
  return [
    emptyRow(scenario, measurements),
    ...[few, many].map((name) => ratioToEmpty(scenario, measurements, name, 0.5)),
    flat(scenario, measurements, 'question: flat in assignments', many, few),
    ...['list of 1,000 roles', 'assignment'].map((name) => ratioToEmpty(scenario, measurements, name)),
  ];
};
