// gatehouse doctor on PostgreSQL. Each test breaks one thing, and exactly that is reported.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { checkAuditMonths, serverFindings, standbyFinding } from '../src/doctor/databases.ts';
import { examine, type Finding, type Machine } from '../src/doctor/index.ts';
import type { ServerInspection, StandbyInspection } from '../src/platform/database/index.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { freePort } from './support/ports.ts';
import { type PostgresServer, sharedPostgres } from './support/postgres.ts';
import { gatehouse } from './support/process.ts';

const GOOD: ServerInspection = {
  version: 180_004,
  versionText: '18.4',
  encoding: 'UTF8',
  isStandby: false,
  isReadOnly: false,
  isExempt: false,
  usesTls: true,
  isLocal: false,
  connections: 5,
  maxConnections: 97,
  fsync: true,
  clockDifferenceMs: 0,
  clockPrecisionMs: 1,
  standbys: [{ name: 'two', state: 'streaming', sync: 'sync', lagSeconds: 0 }],
  slots: [{ name: 'two', active: true, keptBytes: 0 }],
  synchronousStandbys: 'two',
};

describe('gatehouse doctor on PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-doctor-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const machine: Machine = { now: () => Date.now(), freeBytes: async () => 1e12, isClockSynchronized: async () => true };
  let server: PostgresServer;
  let settings: Record<string, string>;
  let baseline: Map<string, string>;
  const query = async (url: string, text: string): Promise<{ readonly name?: string }[]> => {
    const client = new Client(url);
    await client.connect();
    const { rows } = await client.query(text).finally(() => client.end());
    return rows;
  };
  const statusesOf = (findings: readonly Finding[]) => new Map(findings.map(({ check, status }) => [check, status]));

  async function changed(env: Record<string, string>, other: Partial<Machine> = {}): Promise<Record<string, string>> {
    const findings = statusesOf(await examine({ env: { ...settings, ...env }, machine: { ...machine, ...other } }));
    return Object.fromEntries([...findings].filter(([check, status]) => baseline.get(check) !== status));
  }

  before(async () => {
    server = await sharedPostgres();
    settings = {
      GATEHOUSE_DATA_DIR: folder,
      GATEHOUSE_MASTER_KEY: newMasterKey(),
      GATEHOUSE_IDENTITY_DATABASE_URL: await server.createDatabase(),
      GATEHOUSE_WALLET_DATABASE_URL: await server.createDatabase(),
    };
    const made = gatehouse(['migrate'], settings);
    assert.equal(await made.ended(), 0, made.stderr);
    baseline = statusesOf(await examine({ env: settings, machine }));
  });

  it('says of each server that lists are read from what keeps it from being used', () => {
    const good: StandbyInspection = { name: 'two:5432', state: 'reached', lagMs: 3, connections: 5, maxConnections: 97 };
    const cases: [Partial<StandbyInspection>, Finding['status'], RegExp][] = [
      [{}, 'ok', /read from two:5432/],
      [{ state: 'no_standby' }, 'ok', /takes writes/],
      [{ state: 'away' }, 'warn', /does not answer/],
      [{ state: 'behind', lagMs: 2000 }, 'warn', /2000 ms behind/],
      [{ lagMs: 150 }, 'warn', /150 ms behind/],
      [{ state: 'other_system' }, 'fail', /no copy/],
      [{ maxConnections: 21 }, 'warn', /22 of 21 connections/],
    ];
    for (const [change, status, text] of cases) {
      const found = standbyFinding({ ...good, ...change }, 22);
      assert.deepEqual([found.check, found.status], ['standbys.identity', status]);
      assert.match(found.text, text);
    }
  });

  it('finds the databases current, the feed working, and says that fsync is off and the user of the wallet too mighty', () => {
    const found = [...baseline].filter(([check]) =>
      /^(database|migrations|feed|connections|replication|durability|clock|master-key)/.test(check),
    );
    const troubles = found.filter(([, status]) => status !== 'ok').sort();
    // The server of the tests is run so to be fast.
    const expected = [
      ['database.wallet', 'warn'],
      ['durability.identity', 'fail'],
      ['durability.wallet', 'fail'],
    ];
    assert.deepEqual(troubles, process.env.DATABASE_URL ? troubles : expected);
    assert.ok(found.length >= 12, String(found.length));
  });

  it('reports a clock that differs from that of the database', async () => {
    assert.deepEqual(await changed({}, { now: () => Date.now() + 10_000 }), { clock: 'warn' });
    assert.deepEqual(await changed({}, { now: () => Date.now() + 100_000 }), { clock: 'fail' });
  });

  it('reports a database that does not answer, and one that is read-only', async () => {
    const away = await changed({ GATEHOUSE_IDENTITY_DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none` });
    assert.equal(away['database.identity'], 'fail');
    const url = settings.GATEHOUSE_IDENTITY_DATABASE_URL!;
    const name = new URL(url).pathname.slice(1);
    await query(server.url, `alter database ${name} set default_transaction_read_only = on`);
    assert.deepEqual(await changed({}), { 'database.identity': 'fail' });
    await query(server.url, `alter database ${name} reset default_transaction_read_only`);
    assert.deepEqual(await changed({}), {});
  });

  it('reports an encoding other than UTF8', async () => {
    await query(server.url, "create database ascii_only encoding 'SQL_ASCII' template template0");
    const url = new URL(server.url);
    url.pathname = '/ascii_only';
    const findings = statusesOf(await examine({ env: { ...settings, GATEHOUSE_IDENTITY_DATABASE_URL: url.href }, machine }));
    assert.equal(findings.get('database.identity'), 'fail');
    await query(server.url, 'drop database ascii_only');
  });

  it('reports updates that are missing, and those of a newer version', async () => {
    const url = settings.GATEHOUSE_WALLET_DATABASE_URL!;
    await query(url, "insert into kysely_migration values ('999-later', '2030')");
    assert.deepEqual(await changed({}), { 'migrations.wallet': 'fail' });
    await query(url, "delete from kysely_migration where name like '999%'");
    const [newest] = await query(
      url,
      'delete from kysely_migration where name = (select max(name) from kysely_migration) returning name',
    );
    const seen = await changed({});
    await query(url, `insert into kysely_migration values ('${newest!.name}', '2026')`);
    assert.deepEqual(seen, { 'migrations.wallet': 'warn' });
  });

  it('reports audit events that are not kept by month, and months that are missing', async () => {
    const url = settings.GATEHOUSE_WALLET_DATABASE_URL!;
    await query(url, 'create view seen_events as select * from audit_events');
    assert.deepEqual(await changed({}), { 'audit.wallet': 'warn' });
    await query(url, 'drop view seen_events');
    assert.deepEqual(await changed({}), {});
    const part = {
      name: 'audit_events_2026_12',
      isOutside: false,
      from: Date.UTC(2026, 11) / 1000,
      to: Date.UTC(2027, 0) / 1000,
    };
    const statusAt = (day: string) =>
      checkAuditMonths('wallet', { auditParts: [part], auditObstacle: undefined }, Date.parse(day)).status;
    assert.deepEqual([statusAt('2026-12-01'), statusAt('2026-12-20')], ['ok', 'warn']);
  });

  it('reports processes of an earlier version, which know nothing of our changes', async () => {
    const earlier = new Client({
      connectionString: settings.GATEHOUSE_IDENTITY_DATABASE_URL!,
      application_name: 'gatehouse feed',
    });
    await earlier.connect();
    assert.deepEqual(await changed({}), { 'feed.identity': 'warn' });
    await earlier.end();
    assert.deepEqual(await changed({}), {});
  });

  it('reports replicas of different versions, and those that are silent', async () => {
    const url = settings.GATEHOUSE_IDENTITY_DATABASE_URL!;
    const add = (id: string, version: string, ago: number) =>
      query(
        url,
        `insert into replicas values ('${id}', 'host-${id}', null, '${version}', 0, extract(epoch from now())::bigint - ${ago}, 10, 1)`,
      );
    await add('one', '1.0.0', 0);
    assert.deepEqual(await changed({}), {});
    await add('two', '1.0.1', 100);
    assert.deepEqual(await changed({}), { replicas: 'warn' });
    const [silent] = (await examine({ env: settings, machine })).filter(({ check }) => check === 'replicas');
    assert.match(silent!.text, /host-two/);
    await query(url, "update replicas set seen_at = extract(epoch from now())::bigint where id = 'two'");
    const [mixed] = (await examine({ env: settings, machine })).filter(({ check }) => check === 'replicas');
    assert.match(mixed!.text, /1\.0\.0, 1\.0\.1/);
    await query(url, 'delete from replicas');
  });

  it('reports a host that does not answer, if there are several', async () => {
    const url = new URL(settings.GATEHOUSE_IDENTITY_DATABASE_URL!);
    const several = url.href.replace(url.host, `${url.host},127.0.0.1:${await freePort()}`);
    assert.deepEqual(await changed({ GATEHOUSE_IDENTITY_DATABASE_URL: `${several}?target_session_attrs=read-write` }), {
      'hosts.identity': 'warn',
    });
  });

  it('reports a wallet node on SQLite beside it, of which nothing makes backups', async () => {
    const { backup } = await changed({ GATEHOUSE_WALLET_DATABASE_URL: '', GATEHOUSE_WALLET_URL: 'https://wallet.example.org' });
    assert.equal(backup, 'warn');
  });

  it('reports that there is no master key', async () => {
    const { 'master-key': found } = await changed({ GATEHOUSE_MASTER_KEY: '' });
    assert.equal(found, 'fail');
  });

  it('reports what the server says of itself', () => {
    const statuses = (other: Partial<ServerInspection>) =>
      serverFindings('wallet', { ...GOOD, ...other }, { pool: 10, workers: 2 }).filter(({ status }) => status !== 'ok');
    assert.deepEqual(statuses({}), []);
    const cases: [Partial<ServerInspection>, string, string][] = [
      [{ version: 140_011 }, 'database.wallet', 'fail'],
      [{ encoding: 'LATIN1' }, 'database.wallet', 'fail'],
      [{ isStandby: true }, 'database.wallet', 'fail'],
      [{ isReadOnly: true }, 'database.wallet', 'fail'],
      [{ isExempt: true }, 'database.wallet', 'warn'],
      [{ usesTls: false }, 'database.wallet', 'warn'],
      [{ fsync: false }, 'durability.wallet', 'fail'],
      [{ maxConnections: 20 }, 'connections.wallet', 'fail'],
      [{ standbys: [] }, 'replication.wallet', 'fail'],
      [{ standbys: [{ name: 'two', state: 'streaming', sync: 'sync', lagSeconds: 300 }] }, 'replication.wallet', 'warn'],
      [{ standbys: [{ name: 'two', state: 'catchup', sync: 'sync', lagSeconds: 0 }] }, 'replication.wallet', 'warn'],
      [{ slots: [{ name: 'three', active: false, keptBytes: 5e9 }] }, 'replication.wallet', 'warn'],
    ];
    for (const [other, check, status] of cases)
      assert.deepEqual(
        statuses(other).map((one) => [one.check, one.status]),
        [[check, status]],
        JSON.stringify(other),
      );
  });
});
