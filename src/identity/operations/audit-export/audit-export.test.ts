// Audit events are exported in order, at least once, by one process at a time; and are not deleted before.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onBothDatabases, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { divideAuditEvents } from '../../../../test/support/by-month.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import {
  type AuditDestination,
  type CadfMessage,
  createAuditExports,
  createDestinations,
  SETTLE_SECONDS,
} from '../../../platform/audit-export/index.ts';
import { readParts } from '../../../platform/database/index.ts';
import { newTimedId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createOutbound } from '../../../platform/outbound/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { signature } from '../../ground/notifications/index.ts';
import { identityCadf } from './index.ts';

const DAY = 86_400;
const FOLDER = mkdtempSync(join(tmpdir(), 'gatehouse-audit-'));
const FILE = join(FOLDER, 'events.ndjson');

onBothDatabases('The export of audit events', (api) => {
  let db: Database;
  before(async () => {
    db = await databaseOf(api);
    await divideAuditEvents(db, api);
  });
  after(() => db.close());

  const settle = () => api.clock.advance(Math.max(...Object.values(SETTLE_SECONDS)) + 1);
  const idsOf = (messages: readonly CadfMessage[]) => messages.map((message) => message.message_id.replaceAll('-', ''));
  /** As one process exports. */
  const exporter = (destinations: readonly AuditDestination[], days?: number) =>
    createAuditExports({ db, clock: api.clock, log: createLog('silent'), destinations, days, toCadf: identityCadf });
  async function reset(): Promise<void> {
    await db.write((tx) => tx.deleteFrom('audit_exports').execute());
  }
  async function storedIds(): Promise<string[]> {
    return (await db.read.selectFrom('audit_events').orderBy('at').orderBy('id').select('id').execute()).map(({ id }) => id);
  }
  const makeGroups = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await api.make('group', { name: uniqueName('group') });
  };

  it('sends all in their order, again after a failure, and by another process after the first has ended', async () => {
    await reset();
    const got: string[] = [];
    let fails = false;
    const destination: AuditDestination = {
      name: 'file',
      async send(messages) {
        got.push(...idsOf(messages));
        // It arrived, but we do not know.
        if (fails) throw new Error('the answer was lost');
      },
    };
    const [first, second] = [exporter([destination]), exporter([destination])];
    await makeGroups(3);
    await first.exportDue();
    const early = await storedIds();
    assert.ok(got.length < early.length, 'the newest may not be settled');
    settle();
    fails = true;
    await assert.rejects(first.exportDue(), /lost/);
    assert.deepEqual(first.failed(), { file: 1 });
    fails = false;
    // Held by the first until it stops or is gone for a minute.
    await second.exportDue();
    assert.deepEqual(second.exported(), { file: 0 });
    await first.stop();
    await second.exportDue();
    await makeGroups(2);
    settle();
    assert.ok((await second.lags()).file! >= 1, 'settled, and not sent');
    await second.exportDue();
    const all = await storedIds();
    assert.deepEqual([...new Set(got)], all, 'each, in order of their first arrival');
    assert.ok(got.length > all.length, 'some twice');
    assert.deepEqual(await second.lags(), { file: 0 });
    // A process that is killed does not release its claim. It ends after a minute.
    await makeGroups(1);
    api.clock.advance(120);
    await first.exportDue();
    assert.deepEqual([...new Set(got)], await storedIds());
  });

  it('goes back when the clock was set back, so that no event is lost', async () => {
    await reset();
    const got: string[] = [];
    const destination: AuditDestination = { name: 'file', send: async (messages) => void got.push(...idsOf(messages)) };
    settle();
    await exporter([destination]).exportDue();
    const before = got.length;
    api.clock.advance(7200);
    await storeEvents(db, api, 0, 1);
    settle();
    // It is killed: it does not release its claim.
    await exporter([destination]).exportDue();
    assert.equal(got.length, before + 1);
    api.clock.advance(-7200 - 3600);
    await storeEvents(db, api, 0, 1);
    settle();
    await exporter([destination]).exportDue();
    api.clock.advance(7200 + 3600);
    assert.deepEqual(new Set(got), new Set(await storedIds()));
  });

  it('writes to a file, also after half a line, and posts to a web hook with a signature', async () => {
    await reset();
    const bodies: string[] = [];
    const secret = 'a secret of the tests';
    const hook = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const header = String(request.headers['x-gatehouse-signature']);
        assert.equal(header, signature(secret, Number(/t=(\d+)/.exec(header)![1]), body));
        bodies.push(body);
        response.writeHead(bodies.length === 1 ? 500 : 204).end();
      });
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const { port } = hook.address() as { port: number };
    const file = join(api.folder, 'audit.ndjson');
    writeFileSync(file, '{"half a l');
    const config = {
      auditDays: undefined,
      auditFile: file,
      auditSyslog: undefined,
      auditSyslogCaFile: undefined,
      auditWebhookUrl: `http://127.0.0.1:${port}/audit`,
      auditWebhookSecret: secret,
    };
    const outbound = createOutbound(['127.0.0.1']);
    const exports = exporter(createDestinations(config, { service: 'identity', outbound, clock: api.clock }));
    try {
      await api.authenticate({ name: uniqueName('nobody'), password: 'wrong' });
      settle();
      await assert.rejects(exports.exportDue(), /answered 500/);
      api.clock.advance(2);
      await exports.exportDue();
      const stored = await storedIds();
      const [half, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
      assert.equal(half, '{"half a l');
      const messages = lines.map((line) => JSON.parse(line) as CadfMessage);
      assert.deepEqual(idsOf(messages), stored);
      const posted = bodies.slice(1).flatMap((body) => (JSON.parse(body) as { events: CadfMessage[] }).events);
      assert.deepEqual(idsOf(posted), stored);
      assert.deepEqual(messages.at(-1)!.payload.action, 'authenticate');
    } finally {
      hook.close();
    }
  });

  it('deletes old events, but none that a destination does not have', async () => {
    await reset();
    const old = await storeEvents(db, api, 40, 1500);
    const [recent] = await storeEvents(db, api, 20, 1);
    let isAway = true;
    const destination: AuditDestination = {
      name: 'web_hook',
      async send() {
        if (isAway) throw new Error('away');
      },
    };
    const exports = exporter([destination], 30);
    assert.equal(await exports.sweep(), 0, 'nothing was exported');
    await assert.rejects(exports.exportDue(), /away/);
    assert.equal(await exports.sweep(), 0);
    isAway = false;
    api.clock.advance(5);
    await exports.exportDue();
    assert.equal(await exports.sweep(), old.length, 'in batches');
    const left = new Set(await storedIds());
    assert.ok(old.every((id) => !left.has(id)) && left.has(recent!));
    assert.equal(await exporter([], undefined).sweep(), 0, 'kept for ever by default');
    assert.equal(await exporter([], 30).sweep(), 0);
  });

  it('deletes those that are kept for long by the month, none before it was exported (PostgreSQL)', async () => {
    if (db.dialect !== 'postgres') return;
    await reset();
    const parts = async () => (await readParts(db.read, 'audit_events')).map(({ name }) => name);
    const got: string[] = [];
    const destination: AuditDestination = { name: 'file', send: async (messages) => void got.push(...idsOf(messages)) };
    // What was there before the months were is no month: each of these goes on its day.
    await storeEvents(db, api, 100, 2);
    assert.equal(await exporter([], 90).sweep(), 2);
    const exports = exporter([destination], 90);
    const before = await storedIds();
    // Longer than months were made ahead, and events are kept.
    api.clock.advance(250 * DAY);
    const outside = await storeEvents(db, api, 100, 3);
    const recent = await storeEvents(db, api, 0, 2);
    await exports.keepByMonth();
    assert.equal(await exports.sweep(), 0);
    assert.ok((await parts()).includes('audit_events_former'));
    settle();
    await exports.exportDue();
    assert.deepEqual(new Set(got), new Set([...before, ...outside, ...recent]));
    assert.equal(await exports.sweep(), outside.length, 'those that no month was there for');
    assert.deepEqual(await storedIds(), recent);
    assert.equal((await parts()).length, 4, 'three months, and the part outside of them');
  });
});

/** Stores events of some days ago. Returns their ids. */
async function storeEvents(db: Database, api: TestApi, daysAgo: number, count: number): Promise<string[]> {
  const at = api.clock.now() - daysAgo * DAY * 1000;
  const rows = Array.from({ length: count }, () => ({
    id: newTimedId(at),
    at: Math.floor(at / 1000),
    request_id: null,
    actor_id: null,
    action: 'test.happened',
    target_kind: 'test',
    target_id: 'x',
    outcome: 'success',
    detail: '{}',
    domain_id: null,
    application_id: null,
    user_id: null,
  }));
  await db.write(async (tx) => {
    for (let from = 0; from < rows.length; from += 500)
      await tx
        .insertInto('audit_events')
        .values(rows.slice(from, from + 500))
        .execute();
  });
  return rows.map(({ id }) => id);
}

onBothDatabases(
  'A service with an export',
  (api) => {
    after(() => rmSync(FILE, { force: true }));
    it('does it by itself', async () => {
      const { id } = await api.make('user', { name: uniqueName('person'), password: 'p' });
      api.clock.advance(SETTLE_SECONDS.postgres);
      const events = () =>
        readFileSync(FILE, { encoding: 'utf8', flag: 'a+' })
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as CadfMessage);
      const find = () => events().find(({ payload }) => (payload.target as { id: string }).id === id);
      for (const end = Date.now() + 60_000; !find() && Date.now() < end; ) await delay(50);
      const { event_type, payload, priority, publisher_id } = find()!;
      assert.deepEqual([event_type, priority], ['identity.user.created', 'INFO']);
      assert.match(publisher_id, /^identity\./);
      assert.equal(payload.typeURI, 'http://schemas.dmtf.org/cloud/audit/1.0/event');
      assert.deepEqual([payload.eventType, payload.action, payload.outcome], ['activity', 'created.user', 'success']);
      assert.deepEqual(payload.target, { typeURI: 'data/security/account/user', id });
      assert.equal((payload.initiator as { typeURI: string }).typeURI, 'service/security/account/user');
      assert.deepEqual(payload.observer, { typeURI: 'service/security', id: 'gatehouse-identity' });
      assert.match(String(payload.eventTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+0000$/);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_AUDIT_FILE: FILE, GATEHOUSE_IDENTITY_AUDIT_DAYS: '365' } },
);

after(() => rmSync(FOLDER, { recursive: true, force: true }));
