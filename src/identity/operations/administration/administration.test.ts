import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { plansOf } from '../../../../test/support/plans.ts';
import { programTokenOf } from '../../../../test/support/programs.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { connect } from '../../../../test/support/scim.ts';
import { noteBackup, noteBackupFailure } from '../../../platform/last-backup.ts';
import { unprotectedAdministrators } from '../../access/context/index.ts';

interface Attention {
  readonly kind: string;
  readonly severity: string;
  readonly target: { readonly type: string; readonly id: string } | null;
  readonly count?: number;
}

const SECRET = 'a secret of the web hook';
const NO_BACKUP = {
  last: null,
  failed: null,
  missing_setting: 'GATEHOUSE_BACKUP_FOLDER',
  is_running: false,
  asked: null,
  kept: [],
};
const ADMINISTRATORS = [
  'GET /v3/OS-SERVICE/settings',
  'GET /v3/OS-SERVICE/keys',
  'GET /v3/OS-SERVICE/certificates',
  'POST /v3/OS-SERVICE/keys/token/rotate',
  'POST /v3/OS-SERVICE/keys/nothing/rotate',
  'GET /v3/OS-SERVICE/backups',
  'POST /v3/OS-SERVICE/backups',
  'GET /v3/OS-SERVICE/deliveries',
  'POST /v3/OS-SERVICE/deliveries/nothing/retry',
  'DELETE /v3/OS-SERVICE/deliveries/nothing',
];

onBothDatabases(
  '/v3/OS-SERVICE',
  (api) => {
    const db = usesDatabaseOf(api);

    const overview = async (token = api.adminToken) => assertOk(await api.get('/v3/OS-SERVICE/overview', { token })).overview;
    const attention = async (kind: string): Promise<Attention[]> =>
      (await overview()).attention.filter((one: Attention) => one.kind === kind);

    it('counts what there is, up to a bound, and knows its health', async () => {
      const first = await overview();
      await api.make('user', { name: uniqueName('user') });
      const { counts, health, version } = await overview();
      assert.equal(counts.users.count, first.counts.users.count + 1);
      assert.deepEqual(Object.keys(counts).sort(), ['applications', 'domains', 'groups', 'projects', 'users']);
      assert.ok(Object.values<{ is_exact: boolean }>(counts).every(({ is_exact }) => is_exact));
      assert.equal(health.status, 'ok');
      assert.match(version, /^\d+\./);
    });

    it('names administrators without a second factor: also by a group, not those who are disabled', async () => {
      const make = (enabled = true) => api.make('user', { name: uniqueName('boss'), enabled });
      const [one, two, off, other] = [await make(), await make(), await make(false), await make()];
      const group = await api.make('group', { name: uniqueName('group') });
      const admin = await api.roleId('admin');
      await api.put(`/v3/groups/${group.id}/users/${two.id}`);
      for (const path of [
        `users/${one.id}/roles/${admin}`,
        `users/${off.id}/roles/${admin}`,
        `groups/${group.id}/roles/${admin}`,
      ])
        assert.equal((await api.put(`/v3/domains/default/${path}`)).status, 204);
      const named = (await attention('administrator_without_factor')).map(({ target }) => target!.id);
      assert.ok(named.includes(one.id) && named.includes(two.id));
      assert.ok(!named.includes(off.id) && !named.includes(other.id));
      const { token: reader } = await api.persona(['reader'], 'system');
      const read: Attention[] = (await overview(reader)).attention;
      assert.ok(!read.some(({ kind }) => kind === 'administrator_without_factor'), 'a reader of the system is not told');
      await db().write((tx) =>
        tx
          .insertInto('two_factor')
          .values({ user_id: one.id, key: 'x', security_question: '', security_answer: '', last_step: 0, created_at: 0 })
          .execute(),
      );
      assert.ok(!(await attention('administrator_without_factor')).some(({ target }) => target!.id === one.id));
    });

    it('finds administrators by their role, not among the grants of everybody', async () => {
      const plans = await plansOf(db(), ({ read }) => unprotectedAdministrators(read, 5));
      // PostgreSQL reads a small table as a whole, whatever is asked.
      if (db().dialect !== 'sqlite') return;
      assert.doesNotMatch(plans.join('\n'), /SCAN grants|grants_by_user \(user_id>/);
      assert.match(plans[0]!, /grants_by_role/);
    });

    it('knows backups of SQLite, and the password file', async () => {
      const backups = async () => assertOk(await api.get('/v3/OS-SERVICE/backups')).backups;
      if (api.kind === 'PostgreSQL') {
        assert.deepEqual(
          [await backups(), await attention('no_backup')],
          [{ is_known: false, ...NO_BACKUP, missing_setting: null }, []],
        );
        return;
      }
      assert.deepEqual(await backups(), { is_known: true, ...NO_BACKUP });
      assert.equal((await attention('no_backup')).length, 1);
      noteBackup(api.folder, { madeAt: new Date().toISOString(), files: ['identity.sqlite'] });
      assert.equal((await attention('no_backup')).length, 0);
      assert.deepEqual((await backups()).last.files, ['identity.sqlite']);
      noteBackup(api.folder, { madeAt: '2020-01-01T00:00:00Z', files: [] });
      assert.ok((await attention('no_backup'))[0]!.count! > 365);
      assert.deepEqual(await attention('backup_failed'), []);
      noteBackupFailure(api.folder, { at: '2026-11-17T00:00:00Z', reason: 'ENOSPC' });
      assert.equal((await attention('backup_failed'))[0]!.severity, 'critical');
      assert.deepEqual((await backups()).failed, { at: '2026-11-17T00:00:00Z', reason: 'ENOSPC' });
      const verifiedAt = new Date().toISOString();
      noteBackup(api.folder, { madeAt: verifiedAt, files: [], verifiedAt });
      assert.deepEqual(await backups(), {
        is_known: true,
        ...NO_BACKUP,
        last: { made_at: verifiedAt, files: [], verified_at: verifiedAt },
      });
      assert.deepEqual(await attention('backup_failed'), []);
      const file = join(api.folder, 'admin-password');
      assert.ok(!existsSync(file));
      writeFileSync(file, 'x');
      assert.equal((await attention('password_file')).length, 1);
      rmSync(file);
    });

    it('names provisioning connections that are not used', async () => {
      const { connection } = await connect(api);
      const quiet = async () => (await attention('scim_connection_quiet')).filter(({ target }) => target!.id === connection.id);
      assert.deepEqual(await quiet(), []);
      await db().write((tx) =>
        tx.updateTable('scim_connections').set({ created_at: 1000 }).where('id', '=', connection.id).execute(),
      );
      assert.equal((await quiet()).length, 1);
    });

    it('shows a manager of a domain the domain, and nothing of the service', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const { token } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
      const { counts, attention: all } = await overview(token);
      assert.deepEqual(
        Object.entries<{ count: number }>(counts)
          .map(([name, { count }]) => `${name} ${count}`)
          .sort(),
        ['domains 1', 'groups 0', 'projects 0', 'users 1'],
      );
      assert.deepEqual(all, []);
    });

    it('is for administrators alone, whatever is asked for', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const callers = [
        await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id }),
        await api.persona(['member'], { domain: domain.id }),
        await api.persona(['reader'], 'system'),
      ];
      for (const route of ADMINISTRATORS) {
        const [method, path] = route.split(' ') as [string, string];
        for (const { token } of callers) assert.equal((await api.request(method, path, { token })).status, 403, route);
        assert.equal((await api.request(method, path, { token: null })).status, 401, route);
      }
      assert.equal((await api.get('/v3/OS-SERVICE/overview', { token: callers[1]!.token })).status, 403);
    });

    it('lists settings with where they come from, and no secret', async () => {
      const { text, body } = await api.get('/v3/OS-SERVICE/settings');
      const of = (key: string) => body.settings.find((one: { key: string }) => one.key === `GATEHOUSE_IDENTITY_${key}`);
      assert.deepEqual([of('PORT').value, of('PORT').source], ['0', 'environment']);
      assert.deepEqual([of('TOKEN_SECONDS').source, of('BRAND_LOGO').value], ['default', null]);
      assert.deepEqual([of('WEBHOOK_SECRET').value, of('WEBHOOK_SECRET').source], ['********', 'environment']);
      assert.match(of('WEBHOOK_URL').value, /^http:\/\/\*{8}@127\.0\.0\.1/);
      assert.ok(of('PORT').about.length > 10);
      for (const secret of [
        SECRET,
        'the administrator of the tests',
        'hidden',
        'first@',
        ...(api.databaseUrl ? [api.databaseUrl] : []),
      ])
        assert.ok(!text.includes(secret), secret);
    });

    it('rotates keys once, with the name of the administrator, and keeps tokens valid', async () => {
      const sets = async () => assertOk(await api.get('/v3/OS-SERVICE/keys'));
      await fetch(`${api.url}/openid/jwks`);
      const states = ({ key_sets }: { key_sets: { kind: string; keys: { state: string }[] }[] }, kind: string) =>
        key_sets.find((one) => one.kind === kind)!.keys.map(({ state }) => state);
      assert.deepEqual(states(await sets(), 'token'), ['current']);
      for (const kind of ['token', 'openid']) {
        const answers = await Promise.all([1, 2, 3].map(() => api.post(`/v3/OS-SERVICE/keys/${kind}/rotate`, {})));
        assert.ok(
          answers.some(({ status }) => status === 200),
          kind,
        );
        assert.ok(answers.every(({ status }) => status === 200 || status === 409));
        assert.equal((await api.post(`/v3/OS-SERVICE/keys/${kind}/rotate`, {})).status, 409);
      }
      const after = await sets();
      assert.deepEqual(states(after, 'token'), ['current', 'announced']);
      assert.equal(states(after, 'openid').filter((state) => state === 'announced').length, 4);
      assert.ok(!/sealed|"d"|"k"/.test(JSON.stringify(after)));
      const { events } = assertOk(await api.get('/v3/OS-AUDIT/events?action=token_key.created&limit=1'));
      assert.notEqual(events[0].actor_id, null);
      api.clock.advance(120);
      assert.deepEqual(states(await sets(), 'token'), ['previous', 'current']);
      assertOk(await api.get('/v3/OS-SERVICE/keys'));
      assert.equal((await api.post('/v3/OS-SERVICE/keys/nothing/rotate', {})).status, 404);
    });

    it('replaces the master key only for an administrator who logged in recently, in person', async () => {
      const rotate = (token: string) => api.post('/v3/OS-SERVICE/keys/master/rotate', {}, { token });
      const project = await api.make('project', { name: uniqueName('project') });
      const { user, token } = await api.persona(['admin'], { project: project.id });
      assert.equal((await rotate(token)).status, 409, 'it is given by a setting here');
      const delegated = await programTokenOf(api, { user, token }, { unrestricted: true });
      assertOk(await api.get('/v3/OS-SERVICE/keys', { token: delegated }));
      assert.equal((await rotate(delegated)).status, 403);
      api.clock.advance(901);
      const stale = await rotate(token);
      assert.deepEqual([stale.status, stale.body.error.max_age], [401, 900]);
      assertOk(await api.get('/v3/OS-SERVICE/keys', { token }));
    });
  },
  {
    settings: {
      GATEHOUSE_IDENTITY_WEBHOOK_URL: 'http://user:first@hidden@127.0.0.1:1/hook',
      GATEHOUSE_IDENTITY_WEBHOOK_SECRET: SECRET,
    },
  },
);

// The address is needed before the service starts.
const hook: { server?: Server; status: number; bodies: string[] } = { status: 500, bodies: [] };
hook.server = createServer((request, response) => {
  request.on('data', (text) => hook.bodies.push(String(text)));
  request.on('end', () => response.writeHead(hook.status).end());
});
await new Promise<void>((resolve) => hook.server!.listen(0, '127.0.0.1', () => resolve()));
hook.server.unref();

onBothDatabases(
  '/v3/OS-SERVICE/deliveries',
  (api) => {
    const db = usesDatabaseOf(api);
    after(() => {
      hook.status = 500;
    });
    const list = async (query = '') => assertOk(await api.get(`/v3/OS-SERVICE/deliveries${query}`)).deliveries;
    const until = async (what: () => Promise<boolean>): Promise<void> => {
      for (let i = 0; i < 600 && !(await what()); i++) await new Promise((resolve) => setTimeout(resolve, 50));
      assert.ok(await what());
    };

    it('shows what was refused, without content, and sends it again', async () => {
      const user = await api.make('user', { name: uniqueName('user'), password: 'a password of a test' });
      const { body } = await api.post(`/v3/users/${user.id}/OS-TWO-FACTOR/two_factor_auth`, {
        two_factor_auth: { security_question: 'q', security_answer: 'a' },
      });
      assert.ok(body);
      await until(async () => (await list()).some((one: { last_error: string }) => one.last_error === '500'));
      const [one] = await list('?kind=web_hook');
      assert.deepEqual([one.kind, one.state, one.subject], ['web_hook', 'retrying', 'two_factor.enabled']);
      assert.ok(!JSON.stringify(one).includes(user.id), 'nothing of the content');
      await db().write((tx) => tx.updateTable('outbox').set({ attempts: 14, next_at: 0 }).where('id', '=', one.id).execute());
      await until(async () => (await list('?state=failed')).length === 1);
      assert.deepEqual(await list('?state=waiting'), []);
      assert.deepEqual(await list('?kind=mail'), []);
      const { attention } = assertOk(await api.get('/v3/OS-SERVICE/overview')).overview;
      const failed = attention.find(({ kind }: { kind: string }) => kind === 'delivery_failed');
      assert.deepEqual([failed.target.id, failed.count], ['web_hook', 1]);
      hook.status = 204;
      assert.equal((await api.post(`/v3/OS-SERVICE/deliveries/${one.id}/retry`, {})).status, 204);
      await until(async () => (await list()).length === 0);
      assert.ok(hook.bodies.at(-1)!.includes(user.id));
      assert.equal((await api.post(`/v3/OS-SERVICE/deliveries/${one.id}/retry`, {})).status, 404);
      const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${one.id}`));
      assert.deepEqual(
        events.map(({ action }: { action: string }) => action),
        ['delivery.retried'],
      );
    });

    it('shows to whom a mail goes, and finds it by that', async () => {
      const row = (id: string, recipient: string | null) => ({
        ...{ id, template: 'test', sealed: 'x', recipient, attempts: 0, next_at: 9e9, created_at: 1, expires_at: 9e9 },
      });
      const rows = [row('ann', 'Ann_B@example.org'), row('bob', 'annxb@example.org'), row('old', null)];
      await db().write((tx) => tx.insertInto('mails').values(rows).execute());
      const found = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id).sort();
      assert.deepEqual(await found('?kind=mail'), ['ann', 'bob', 'old']);
      assert.deepEqual(await found('?recipient=ann_b%40EXAMPLE'), ['ann'], 'as text, not as a pattern');
      assert.deepEqual(await found('?recipient=example.org&state=waiting'), ['ann', 'bob']);
      assert.deepEqual(await found('?recipient=%25&kind=web_hook'), []);
      assert.equal((await list('?recipient=ann_b'))[0].recipient, 'Ann_B@example.org');
      for (const { id } of rows) assert.equal((await api.delete(`/v3/OS-SERVICE/deliveries/${id}`)).status, 204);
      const { events } = assertOk(await api.get('/v3/OS-AUDIT/events?target_id=ann'));
      assert.ok(!JSON.stringify(events).includes('example.org'), 'no address in the audit log');
    });

    it('deletes, pages and filters; what waits for its first attempt is not sent twice', async () => {
      const row = (id: string, created_at: number) => ({
        ...{ id, event: 'test', body: '{"secret":"x"}', attempts: 0, next_at: 9e9, created_at },
      });
      await db().write((tx) =>
        tx
          .insertInto('outbox')
          .values([row('a', 1), row('b', 2), row('c', 2)])
          .execute(),
      );
      const first = assertOk(await api.get('/v3/OS-SERVICE/deliveries?limit=2'));
      assert.deepEqual(
        first.deliveries.map(({ id }: { id: string }) => id),
        ['c', 'b'],
      );
      const next = first.links.next.slice(new URL(first.links.next).origin.length);
      assert.deepEqual(
        assertOk(await api.get(next)).deliveries.map(({ id }: { id: string }) => id),
        ['a'],
      );
      assert.equal((await api.post('/v3/OS-SERVICE/deliveries/a/retry', {})).status, 409);
      for (const query of ['?kind=x', '?state=x', '?marker=x'])
        assert.equal((await api.get(`/v3/OS-SERVICE/deliveries${query}`)).status, 400);
      for (const id of ['a', 'b', 'c']) assert.equal((await api.delete(`/v3/OS-SERVICE/deliveries/${id}`)).status, 204);
      assert.equal((await api.delete('/v3/OS-SERVICE/deliveries/a')).status, 404);
    });
  },
  {
    settings: {
      GATEHOUSE_IDENTITY_WEBHOOK_URL: `http://127.0.0.1:${(hook.server.address() as AddressInfo).port}/hook`,
      GATEHOUSE_IDENTITY_WEBHOOK_SECRET: SECRET,
    },
  },
);
