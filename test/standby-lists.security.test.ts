// Two processes with a standby for their lists: nobody is shown what was changed or taken away through the other one, and no caller decides or learns
// which server is read (ADR 035). What a standby can do wrong: src/platform/database/standby.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tables } from '../src/identity/ground/database/index.ts';
import { identityCadf } from '../src/identity/operations/audit-export/index.ts';
import { MIGRATIONS } from '../src/identity/service.ts';
import { type AuditDestination, type CadfMessage, createAuditExports } from '../src/platform/audit-export/index.ts';
import { openPostgres } from '../src/platform/database/postgres.ts';
import { createLog } from '../src/platform/log/index.ts';
import { TestApi, uniqueName } from './support/api.ts';
import type { StartedPostgres } from './support/postgres.ts';
import { ask, startPrimary, startStandby, type TestStandby } from './support/standby.ts';

const WAIT_MS = 20_000;

describe('Lists on a standby, of two processes (PostgreSQL)', () => {
  let primary: StartedPostgres;
  let url: string;
  let standby: TestStandby;
  let api: TestApi;
  let other: TestApi;

  async function valuesOf(metric: string, { service }: TestApi): Promise<Record<string, number>> {
    const found = await service.metrics.registry.getSingleMetric(metric)!.get();
    return Object.fromEntries(found.values.map(({ labels, value }) => [String(labels.server), value]));
  }
  /** Lists that were read from the standby, and from the primary. */
  async function reads(one: TestApi): Promise<{ standby: number; primary: number }> {
    const { primary: onPrimary = 0, ...others } = await valuesOf('gatehouse_list_reads_total', one);
    return { standby: Object.values(others)[0]!, primary: onPrimary };
  }
  async function untilUsed(isUsed: 0 | 1): Promise<void> {
    for (const one of [api, other])
      for (
        const end = Date.now() + WAIT_MS;
        Object.values(await valuesOf('gatehouse_standby_used', one))[0] !== isUsed;
        await sleep(20)
      )
        assert.ok(Date.now() < end, `used: not ${isUsed}`);
  }

  before(async () => {
    primary = await startPrimary();
    url = await primary.createDatabase();
    standby = await startStandby(primary);
    const settings = { GATEHOUSE_IDENTITY_DATABASE_URL: url, GATEHOUSE_IDENTITY_STANDBY_URL: standby.urlOf(url) };
    // Of this test, which has a server of its own. No file is used.
    api = new TestApi('SQLite', { settings });
    await api.start();
    other = await api.replica();
    await untilUsed(1);
  });
  after(async () => {
    await other?.stop();
    await api?.stop();
    await standby?.stop();
    await primary?.stop();
  });

  const namesIn = async (one: TestApi, path: string, token?: string): Promise<string[]> => {
    const { status, body, text } = await one.get(path, token === undefined ? {} : { token });
    assert.equal(status, 200, text);
    return body.users.map(({ name }: { name: string }) => name);
  };

  it('shows each change at once to whoever made it through the other process, in lists, searches, SCIM and the audit log', async () => {
    const before = await reads(api);
    for (let round = 0; round < 10; round++) {
      const name = uniqueName('standby');
      const { id } = await other.make('user', { name });
      assert.deepEqual(await namesIn(api, `/v3/users?name=${name}`), [name]);
      assert.deepEqual(await namesIn(api, `/v3/users?search=${name}`), [name]);
      const found = await api.get(`/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`);
      assert.equal(found.body.totalResults, 1);
      const events = await api.get(`/v3/OS-AUDIT/events?target_id=${id}`);
      assert.equal(events.body.events?.[0]?.action, 'user.created', events.text);
      await other.delete(`/v3/users/${id}`);
      assert.deepEqual(await namesIn(api, `/v3/users?name=${name}`), []);
    }
    const now = await reads(api);
    assert.ok(now.standby - before.standby >= 20, JSON.stringify({ before, now }));
  });

  it('exports audit events from the primary: what was exported may be deleted', async () => {
    const settings = { poolSize: 2, namedStatements: true, standbyUrl: standby.urlOf(url) };
    const db = await openPostgres<Tables>(url, MIGRATIONS, settings);
    const got: CadfMessage[] = [];
    const destination: AuditDestination = { name: 'file', send: async (messages) => void got.push(...messages) };
    try {
      for (const end = Date.now() + WAIT_MS; db.usage().standbys[0]!.state !== 'used'; await sleep(20))
        assert.ok(Date.now() < end);
      const clock = { now: () => Date.now() + 600_000 };
      const exports = createAuditExports({
        db,
        clock,
        log: createLog('silent'),
        destinations: [destination],
        days: undefined,
        toCadf: identityCadf,
      });
      await exports.exportDue();
      await exports.stop();
      assert.ok(got.length > 0);
      assert.equal(db.usage().standbys[0]!.reads, 0);
    } finally {
      await db.close();
    }
  });

  it('shows nothing to whom a right was taken, also while the standby does not hear of it', async () => {
    const domain = await api.make('domain', { name: uniqueName('standby') });
    const { user, token } = await api.persona(['reader'], { domain: domain.id }, { domain_id: domain.id });
    const name = uniqueName('hidden');
    await api.make('user', { name, domain_id: domain.id });
    const list = `/v3/users?domain_id=${domain.id}`;
    assert.ok((await namesIn(other, list, token)).includes(name));
    await ask(standby.url, 'select pg_wal_replay_pause()');
    try {
      // What the list shows, and who may ask for it.
      const moved = (await api.get(`/v3/users?name=${name}`)).body.users[0].id;
      assert.equal((await api.delete(`/v3/users/${moved}`)).status, 204);
      assert.equal((await namesIn(other, list, token)).includes(name), false);
      await api.delete(`/v3/domains/${domain.id}/users/${user.id}/roles/${await api.roleId('reader')}`);
      await sleep(1_000);
      assert.ok([401, 403].includes((await other.get(list, { token })).status));
    } finally {
      await ask(standby.url, 'select pg_wal_replay_resume()');
    }
    await untilUsed(1);
  });

  it('lets no caller choose a server or learn of one', async () => {
    const { host } = new URL(standby.url);
    const tries: Record<string, string>[] = [
      {},
      { 'X-Standby': 'off', 'X-Read-From': 'primary', Prefer: 'read=primary', 'Cache-Control': 'no-cache' },
      { Cookie: 'position=FFFFFFFF/FFFFFFFF; standby=0', 'X-Position': `0/0'; select pg_sleep(10); --` },
    ];
    const shown: string[] = [];
    for (const headers of tries) {
      const before = await reads(api);
      const answer = await api.get('/v3/users?limit=1', { headers });
      const now = await reads(api);
      assert.deepEqual([answer.status, now.standby - before.standby, now.primary - before.primary], [200, 1, 0]);
      shown.push(JSON.stringify([...answer.headers]) + answer.text);
    }
    for (const query of ['server=primary', 'target_session_attrs=primary', `standby=${host}`])
      shown.push((await api.get(`/v3/users?limit=1&${query}`)).text);
    await ask(standby.url, 'select pg_wal_replay_pause()');
    try {
      await api.make('user', { name: uniqueName('standby') });
      const before = await reads(api);
      // Those who come together wait once, and none fails.
      const begun = performance.now();
      const answers = await Promise.all(Array.from({ length: 30 }, () => api.get('/v3/users?limit=1')));
      assert.ok(performance.now() - begun < 5_000);
      for (const { status, headers, text } of answers) {
        assert.equal(status, 200);
        shown.push(JSON.stringify([...headers]) + text);
      }
      assert.equal((await reads(api)).standby, before.standby);
    } finally {
      await ask(standby.url, 'select pg_wal_replay_resume()');
    }
    for (const text of shown) assert.doesNotMatch(text, new RegExp(`standby_|${host}|pg_|[0-9A-F]+/[0-9A-F]{6,}`));
    assert.doesNotMatch(JSON.stringify((await api.get('/v3')).body), new RegExp(host));
  });
});
