// What the metrics count, and that those of the document are those that are served.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase, uniqueName } from '../../test/support/api.ts';
import { makeApplication } from '../../test/support/applications.ts';
import { makeUser } from '../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../test/support/restartable-api.ts';
import { requestTimes } from '../platform/metrics/index.ts';
import { identityMetrics } from './metrics.ts';

const LOCKOUT = { GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '2', GATEHOUSE_IDENTITY_LOCKOUT_DURATION: '600' };
const WEB_HOOK = {
  GATEHOUSE_IDENTITY_WEBHOOK_URL: 'https://192.0.2.1/hook',
  GATEHOUSE_IDENTITY_WEBHOOK_SECRET: 'a secret of the tests of metrics',
};

onEachDatabase(
  'The metrics of the identity service',
  (api) => {
    const db = usesDatabaseOf(api);
    async function values(): Promise<Map<string, number>> {
      const text = await api.service.metrics.registry.metrics();
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
    }
    /** By how much each grew. Those that did not are left out. */
    async function growthOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
      const before = await values();
      await work();
      const after = [...(await values())].map(([name, value]): [string, number] => [name, value - (before.get(name) ?? 0)]);
      return Object.fromEntries(after.filter(([, growth]) => growth !== 0));
    }

    it('are those of the document, and have no other labels', async () => {
      const served = (await api.service.metrics.registry.getMetricsAsJSON()).filter(
        ({ name }) => !/^(process|nodejs)_/.test(name),
      );
      const documented = [...Object.values(identityMetrics), requestTimes];
      assert.deepEqual(served.map(({ name }) => name).sort(), documented.map(({ name }) => name).sort());
      for (const { name, type, labels = {} } of documented as { name: string; type: string; labels?: object }[]) {
        assert.match(name, type === 'counter' ? /^[a-z_]+_total$/ : /^[a-z_]+(?<!_total)$/);
        const found = served.find((one) => one.name === name)!;
        assert.equal(String(found.type), type, name);
        const labelNames = new Set(found.values.flatMap((value) => Object.keys(value.labels)).filter((label) => label !== 'le'));
        for (const label of labelNames) assert.ok(Object.keys(labels).includes(label), `${name}{${label}}`);
      }
    });

    it('count a login, its token, and what becomes of it', async () => {
      const { user, password } = await makeUser(api);
      let token = '';
      const login = await growthOf(async () => {
        token = await api.logIn({ id: user.id, password });
      });
      assert.equal(login['gatehouse_logins_total{method="password"}'], 1);
      assert.equal(login['gatehouse_tokens_issued_total{method="password"}'], 1);
      assert.equal(login.gatehouse_password_queue_wait_seconds_count, 1);
      assert.ok(login.gatehouse_password_hashes_total! >= 1);
      const ask = () => api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } });
      await ask();
      const asked = await growthOf(ask);
      assert.equal(asked['gatehouse_tokens_verified_total{outcome="valid"}'], 1, 'the caller asks about the same token');
      assert.equal(asked['gatehouse_cache_hits_total{cache="token_verdicts"}'], 1);
      assert.equal(asked['gatehouse_cache_misses_total{cache="token_verdicts"}'], undefined);
      const revoked = await growthOf(() => api.delete('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } }));
      assert.equal(revoked['gatehouse_tokens_revoked_total{kind="token"}'], 1);
      assert.equal(revoked.gatehouse_revoked_tokens, 1);
      const refused = await growthOf(ask);
      assert.equal(refused['gatehouse_tokens_verified_total{outcome="invalid"}'], 1);
      const again = { auth: { identity: { methods: ['token'], token: { id: 'unknown' } } } };
      const wrong = await growthOf(() => api.post('/v3/auth/tokens', again, { token: null }));
      assert.equal(wrong['gatehouse_logins_refused_total{reason="wrong_token"}'], 1);
    });

    it('count refused logins by reason, lock-outs, and what waits for the web hook', async () => {
      const { user, password } = await makeUser(api);
      const attempt = (secret: string) => growthOf(() => api.authenticate({ id: user.id, password: secret }));
      assert.equal((await attempt('wrong'))['gatehouse_logins_refused_total{reason="wrong_password"}'], 1);
      const locking = await attempt('wrong');
      assert.equal(locking.gatehouse_lockouts_total, 1);
      assert.equal(locking['gatehouse_outbox_waiting{queue="web_hook"}'], 1);
      const locked = await attempt(password);
      assert.equal(locked['gatehouse_logins_refused_total{reason="locked_out"}'], 1);
      assert.equal(locked.gatehouse_lockouts_total, undefined);
      api.clock.advance(100);
      assert.ok((await values()).get('gatehouse_outbox_age_seconds{queue="web_hook"}')! >= 100);
    });

    it('count what waits of requests that people sign in somewhere else, and who was not looked for', async () => {
      const { id } = await makeApplication(api);
      const task = (name: string, kind: 'find' | 'ping', failed_at: number | null) => {
        const at = Math.floor(api.clock.now() / 1000);
        return {
          id: uniqueName(name),
          consumer_id: id,
          kind,
          sealed: 'x',
          attempts: 9,
          created_at: at,
          next_at: at + 9999,
          failed_at,
        };
      };
      const rows = [task('waits', 'ping', null), task('failed', 'find', 1), task('untold', 'ping', 1)];
      const grown = await growthOf(() => db().write((tx) => tx.insertInto('sign_in_tasks').values(rows).execute()));
      const [waiting, failed] = ['waiting', 'failed'].map((what) => grown[`gatehouse_outbox_${what}{queue="sign_in_request"}`]);
      assert.deepEqual([waiting, failed], [1, 1]);
      api.clock.advance(100);
      assert.ok((await values()).get('gatehouse_outbox_age_seconds{queue="sign_in_request"}')! >= 100);
    });

    it('have the ages of keys, the state of the database, and no name', async () => {
      const name = uniqueName('nobody-of-the-metrics');
      await api.authenticate({ name, password: name });
      const all = await values();
      assert.ok(all.get('gatehouse_key_age_seconds{key="token"}')! >= 0);
      assert.equal(all.get('gatehouse_feed_live'), 1);
      assert.ok(all.get('gatehouse_feed_lag_seconds')! < 0.75);
      assert.equal(all.get('gatehouse_database_pool_waiting'), 0);
      assert.ok(all.get('gatehouse_database_pool_in_use')! <= all.get('gatehouse_database_pool_size')!);
      assert.ok(all.get('gatehouse_sweep_lag_seconds')! < 60);
      assert.doesNotMatch([...all.keys()].join('\n'), /nobody-of-the-metrics|[0-9a-f]{32}/);
    });
  },
  { settings: { ...LOCKOUT, ...WEB_HOOK } },
);
