// A table of events is divided by month while processes of this version and of the one before use it, and its old months are dropped.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { newTimedId } from '../ids.ts';
import { type Database, dropPart, insertRows, keepMonths, readParts } from './index.ts';
import { openPostgres } from './postgres.ts';

const MIGRATIONS = fileURLToPath(new URL('../../identity/migrations', import.meta.url));
const OPTIONS = { poolSize: 4, namedStatements: true };
const TARGET = { table: 'audit_events', column: 'at' };
const time = (text: string): number => Date.parse(`${text}T12:00:00Z`) / 1000;
const NOW = time('2026-11-19');

/** As the version before writes an event, and what it wrote in place of many. */
const INSERT = `insert into audit_events (id, at, action, target_kind, target_id, outcome, detail) values ($1, $2, 'test.happened', 'test', 'x', 'success', '{}')`;

describe('A table by month (PostgreSQL)', () => {
  const dbs: Database<unknown>[] = [];
  const clients: pg.Client[] = [];
  let url: string;
  before(async () => {
    // Two processes.
    url = await (await sharedPostgres()).createDatabase();
    for (let i = 0; i < 2; i++) dbs.push(await openPostgres<unknown>(url, MIGRATIONS, OPTIONS));
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all(dbs.map((db) => db.close()));
  });

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    clients.push(client);
    return client;
  }
  let made = 0;
  /** The same named statement each time, prepared while the table was whole. */
  const insert = (client: pg.Client, at: number) => {
    made++;
    return client.query({ name: 'insert', text: INSERT, values: [newTimedId(at * 1000), at] });
  };
  const query = async (text: string): Promise<unknown[]> => (await clients[0]!.query({ text, rowMode: 'array' })).rows.flat();
  const checks = () => query(`select conname from pg_constraint where conrelid = 'audit_events'::regclass and contype = 'c'`);
  const keep = (now: number, stopping?: AbortSignal, db = dbs[0]!) => keepMonths(db, TARGET, { now, stopping });
  const partsNow = async (): Promise<string[]> => (await readParts(dbs[0]!.read, TARGET.table)).map(({ name }) => name).sort();

  it('stays as it is while it cannot be divided without loss, and keeps nothing of an attempt', async () => {
    const client = await connect();
    await insert(client, NOW);
    await client.query('create view seen_events as select * from audit_events');
    // Left behind by a process that was killed. Nobody would take it back later, and it would refuse everything from then on.
    await client.query('alter table audit_events add constraint audit_events_by_month check (at < 4000000000) not valid');
    assert.deepEqual(await keep(NOW), { state: 'kept', obstacle: 'a view reads it, or it has a rule' });
    assert.deepEqual(await checks(), []);
    await client.query('drop view seen_events');
    // A backup reads it, for long.
    const reader = await connect();
    await reader.query('begin');
    await reader.query('select count(*) from audit_events');
    const stopping = new AbortController();
    const attempt = keep(NOW, stopping.signal);
    const began = performance.now();
    for (let i = 0; i < 20; i++) await insert(client, NOW);
    assert.ok(performance.now() - began < 5_000, 'writers wait for a moment only');
    stopping.abort();
    assert.deepEqual(await attempt, { state: 'busy' });
    await reader.query('rollback');
    assert.deepEqual(await checks(), []);
    assert.deepEqual(await partsNow(), []);
  });

  it('stays as it is when somebody ties something to it after it was looked at', async () => {
    const [client, other] = clients as [pg.Client, pg.Client];
    await other.query('begin');
    await other.query('lock table audit_events in share update exclusive mode');
    const attempt = keep(NOW);
    const waiting = `select 1 from pg_locks where relation = 'audit_events'::regclass and not granted`;
    while ((await client.query(waiting)).rowCount === 0) await sleep(10);
    await other.query('create view seen_events as select * from audit_events');
    await other.query('commit');
    assert.deepEqual(await attempt, { state: 'busy' });
    assert.deepEqual([await checks(), await partsNow()], [[], []]);
    await client.query('drop view seen_events');
  });

  it('is divided while others write and read, by one of the processes that try, and nothing is read or built anew', async () => {
    const [client] = clients as [pg.Client];
    await client.query(`insert into audit_events select lpad(n::text, 32, '0'), ${NOW} - n, null, null, 'test.happened', 'test', 'x', 'success', '{}'
      from generate_series(1, 20000) n`);
    made += 20_000;
    await client.query('create role backups nologin');
    await client.query('grant select on audit_events to backups');
    // Left behind by a process that was killed.
    await client.query('alter table audit_events add constraint audit_events_by_month check (at < 4000000000) not valid');
    const files = `select pg_relation_filenode(indexrelid) from pg_index where indrelid in (to_regclass('audit_events_former'), to_regclass('audit_events'))
      and pg_relation_filenode(indexrelid) is not null order by 1`;
    const before = await query(files);
    let isOver = false;
    const failures: unknown[] = [];
    /** As this version writes. */
    const event = { at: NOW, action: 'test.happened', target_kind: 'test', target_id: 'x', outcome: 'success', detail: '{}' };
    const insertHere = async (): Promise<void> => {
      const row = { id: newTimedId(NOW * 1000), ...event };
      await dbs[0]!.write((tx) => insertRows(tx, { audit_events: [row] } as object));
      made++;
    };
    const use = async (): Promise<void> => {
      const one = await connect();
      while (!isOver) {
        await insertHere().catch((error: unknown) => failures.push(error));
        await insert(one, NOW).catch((error: unknown) => failures.push(error));
        const read = {
          name: 'read',
          text: 'select * from audit_events where at >= $1 order by at desc, id desc limit 3',
          values: [NOW - 9],
        };
        await one.query(read).catch((error: unknown) => failures.push(error));
      }
    };
    const users = Promise.all([use(), use(), use()]);
    await sleep(200);
    const results = await Promise.all(dbs.map((db) => keep(NOW, undefined, db))).finally(async () => {
      await sleep(200);
      isOver = true;
      await users;
    });
    assert.deepEqual(failures, []);
    assert.ok(
      results.some(({ state }) => state === 'complete'),
      JSON.stringify(results),
    );
    assert.deepEqual(await partsNow(), ['audit_events_2027_01', 'audit_events_former', 'audit_events_outside']);
    assert.deepEqual(await query('select count(*)::int from audit_events'), [made]);
    assert.deepEqual(await query(files), before);
    assert.deepEqual(
      await query(`select conname from pg_constraint where conrelid = 'audit_events_former'::regclass and contype = 'c'`),
      [],
    );
    const readable = `select count(*)::int from pg_class where relname like 'audit_events%' and relkind in ('r', 'p') and has_table_privilege('backups', oid, 'select')`;
    assert.deepEqual(await query(readable), [4]);
    const indexes = (table: string) => query(`select count(*)::int from pg_indexes where tablename = '${table}'`);
    // Each part has its primary key, which the whole has not.
    assert.deepEqual(await indexes('audit_events_2027_01'), await indexes('audit_events_former'));
    await assert.rejects(client.query(`insert into audit_events select * from audit_events limit 1`), { code: '23505' });
    assert.deepEqual(await keep(NOW), { state: 'complete' });
  });

  it('takes events of every time, and months that came late', async () => {
    const [client] = clients as [pg.Client];
    // Nobody made months for a while; and a clock that is wrong by years.
    const times = ['2027-02-03', '2027-03-31', '2027-04-01', '2031-01-01', '1999-01-01'].map(time);
    for (const at of times) await insert(client, at);
    assert.deepEqual(await query('select at from audit_events_outside order by at'), times.slice(0, -1).map(String));
    assert.deepEqual(await keep(time('2027-03-31')), { state: 'complete' });
    assert.deepEqual(await partsNow(), [
      ...['2027_01', '2027_03', '2027_04', '2027_05'].map((month) => `audit_events_${month}`),
      'audit_events_former',
      'audit_events_outside',
    ]);
    assert.deepEqual(await query('select at from audit_events_outside order by at'), [times[0], times[3]].map(String));
    assert.deepEqual(
      await query('select at from audit_events_2027_03 union all select at from audit_events_2027_04'),
      [times[1], times[2]].map(String),
    );
    assert.deepEqual(await query('select count(*)::int from audit_events'), [made]);
    // By a clock that was set back, nothing happens.
    assert.deepEqual(await keep(NOW), { state: 'complete' });
  });

  it('loses a month as a whole, when nobody reads it and it is due', async () => {
    const [client, reader] = clients as [pg.Client, pg.Client];
    const drop = (isDue: boolean) => dropPart(dbs[1]!, TARGET, 'audit_events_former', async () => isDue);
    assert.equal(await drop(false), false);
    await reader.query('begin');
    await reader.query('select count(*) from audit_events');
    const attempt = drop(true);
    const began = performance.now();
    while (performance.now() - began < 1_000) await insert(client, time('2027-04-01'));
    assert.equal(await attempt, false);
    await reader.query('rollback');
    assert.equal(await drop(true), true);
    assert.equal(await drop(true), false, 'it is gone');
    assert.ok(!(await partsNow()).includes('audit_events_former'));
    await insert(client, NOW);
    assert.ok((await query('select at from audit_events_outside')).includes(String(NOW)));
  });

  it('that has events of a clock that was wrong keeps all up to them as one', async () => {
    const other = await (await sharedPostgres()).createDatabase();
    const db = await openPostgres<unknown>(other, MIGRATIONS, OPTIONS);
    const client = new pg.Client(other);
    try {
      await client.connect();
      await insert(client, time('2030-05-05'));
      assert.deepEqual(await keepMonths(db, TARGET, { now: NOW }), { state: 'complete' });
      const parts = await readParts(db.read, TARGET.table);
      assert.deepEqual(
        parts.map(({ name }) => name),
        ['audit_events_former', 'audit_events_outside'],
      );
      assert.equal(parts[0]!.to, Date.parse('2030-06-01') / 1000);
    } finally {
      await client.end();
      await db.close();
    }
  });
});
