// A backup asked for by those who may not, too often, at once, or of somewhere else.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, uniqueName } from '../../../../test/support/api.ts';
import { FakeBackups } from '../../../../test/support/fake-backups.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';
import { programTokenOf } from '../../../../test/support/programs.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

const PATH = '/v3/OS-SERVICE/backups';
const backups = new FakeBackups();

// Only with SQLite does the service make any.
onDatabase('SQLite', 'Attacks on backups', { backups, rateLimits: true }, (api) => {
  const db = usesDatabaseOf(api);
  const ask = () => api.post(PATH, undefined);
  let projectId: string;
  before(async () => {
    projectId = assertOk(await api.get('/v3/projects?name=admin')).projects[0].id;
  });

  it('fail for all but administrators in person who signed in recently', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const outsiders = [
      await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id }),
      await api.persona(['member'], { domain: domain.id }),
      await api.persona(['reader'], 'system'),
    ].map(({ token }) => token);
    await assertGuarded(api, outsiders, [
      { method: 'GET', path: PATH },
      { method: 'POST', path: PATH },
    ]);
    const { user, token } = await api.persona(['admin'], { project: projectId });
    const program = await programTokenOf(api, { user, token }, { unrestricted: true });
    await assertForbidden(api, [program], 'POST', PATH);
    api.clock.advance(901);
    assertRefused(await api.post(PATH, undefined, { token }), 401);
    assert.equal(backups.begun, 0);
    const events = await db().read.selectFrom('audit_events').where('action', '=', 'backup.asked_for').selectAll().execute();
    assert.deepEqual(events, []);
    api.adminToken = await api.logIn(
      { name: 'admin', password: 'the administrator of the tests' },
      { project: { name: 'admin', domain: { id: 'default' } } },
    );
  });

  it('begin one at a time, whether several ask at once, somebody asks again, or one of the schedule is being made', async () => {
    const statuses = (await Promise.all([1, 2, 3].map(() => ask()))).map(({ status }) => status).sort();
    assert.deepEqual([statuses[0], ...new Set(statuses.slice(1))], [202, 409]);
    assertRefused(await ask(), 409, /is being made/);
    assert.equal(backups.begun, 1);
    backups.end();
    backups.beginScheduled();
    assertRefused(await ask(), 409, /is being made/);
    assert.equal(assertOk(await api.get(PATH)).backups.is_running, true);
    backups.end();
    assert.equal(backups.begun, 1);
  });

  it('take no path, and answer none', async () => {
    api.clock.advance(3600);
    api.adminToken = await api.logIn(
      { name: 'admin', password: 'the administrator of the tests' },
      { project: { name: 'admin', domain: { id: 'default' } } },
    );
    const { begun } = backups;
    for (const path of [`${PATH}/..%2Fx`, `${PATH}/gatehouse-20260101T000000Z.tar`])
      for (const method of ['GET', 'POST', 'DELETE']) assert.equal((await api.request(method, path)).status, 404);
    const sent = { backup: { file: '/tmp/x.tar', folder: '/tmp', keep: 1 } };
    assertOk(await api.post(`${PATH}?folder=/tmp&file=../x`, sent), 202);
    assert.equal(backups.begun, begun + 1, 'begin() takes no path');
    backups.end();
    const { text, body } = await api.get(PATH);
    assert.ok(!text.includes(api.folder));
    assert.ok(body.backups.kept.every(({ file }: { file: string }) => !file.includes('/')));
  });

  it('are limited, and each is in the audit log', async () => {
    const statuses: number[] = [];
    let answer = await ask();
    for (; answer.status === 202 && statuses.length < 9; answer = await ask()) {
      statuses.push(answer.status);
      backups.end();
    }
    assertRefused(answer, 429);
    assert.ok(statuses.length <= 5);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    const events = await db().read.selectFrom('audit_events').where('action', '=', 'backup.asked_for').selectAll().execute();
    assert.ok(events.length >= backups.begun);
    assert.ok(events.every(({ actor_id }) => actor_id !== null));
  });
});

const unscheduled = new FakeBackups({ isScheduled: false });
onDatabase('SQLite', 'Backups without a folder', { backups: unscheduled }, (api) => {
  it('are made when somebody asks, and say by which setting they would be made on a schedule', async () => {
    const { missing_setting: missing, is_running: isRunning } = assertOk(await api.post(PATH, undefined), 202).backups;
    assert.deepEqual([missing, isRunning, unscheduled.begun], ['GATEHOUSE_BACKUP_FOLDER', true, 1]);
    unscheduled.end();
  });
});

onDatabase('PostgreSQL', 'Backups of PostgreSQL', { backups: new FakeBackups() }, (api) => {
  it('are not made here', async () => {
    assertRefused(await api.post(PATH, undefined), 409, /PostgreSQL/);
    const { is_known, missing_setting, kept } = assertOk(await api.get(PATH)).backups;
    assert.deepEqual([is_known, missing_setting], [false, null]);
    assert.ok(Array.isArray(kept));
  });
});
