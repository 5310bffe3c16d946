// A database URL with several hosts, and a PostgreSQL that is not ready when the service starts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { ConfigError } from '../src/platform/config/index.ts';
import { createClientClass, Hosts } from '../src/platform/database/hosts.ts';
import { openPostgres } from '../src/platform/database/postgres.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { Cable } from './support/cable.ts';
import { inFullRun } from './support/extent.ts';
import { IdentityOnDatabase } from './support/identity-on-database.ts';
import { type PostgresServer, sharedPostgres, startPostgres } from './support/postgres.ts';
import { gatehouse } from './support/process.ts';

/** A port on which nothing listens: that of a closed cable. */
async function deadPort(): Promise<number> {
  const cable = new Cable('127.0.0.1', 1);
  const port = await cable.listen();
  cable.close();
  return port;
}

describe('An address with several hosts', () => {
  const servers: PostgresServer[] = [];
  const cables: Cable[] = [];
  const urls: string[] = [];
  before(async () => {
    for (let i = 0; i < 2; i++) {
      const server = await startPostgres();
      servers.push(server);
      urls.push(await server.createDatabase(`hosts_${process.pid}_${i}`));
      const { hostname, port } = new URL(urls[i]!);
      cables.push(new Cable(hostname, Number(port)));
    }
  });
  after(async () => {
    for (const cable of cables) cable.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('is read as PostgreSQL reads it', () => {
    const names = (url: string) => new Hosts(url, 'SETTING').names;
    assert.equal(names('postgres://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write'), 'h1:5432, h2:5433');
    assert.equal(names('postgresql://u@one,two/db'), 'one:5432, two:5432');
    assert.equal(names('postgres://u:p@[::1]:5432/db'), '::1:5432');
    assert.ok(!new Hosts('postgres://u:p@h1/db?target_session_attrs=any&sslmode=disable', 'S').url.includes('target'));
    assert.throws(
      () => new Hosts('postgres://u@h1/db?target_session_attrs=standby', 'GATEHOUSE_IDENTITY_DATABASE_URL'),
      (error: Error) =>
        error instanceof ConfigError && /^GATEHOUSE_IDENTITY_DATABASE_URL: target_session_attrs/.test(error.message),
    );
  });

  it('or one does not end the process when a connection breaks before anybody uses it', () => {
    const [one] = urls as [string, string];
    for (const url of [one, one.replace(/@([^/]*)/, '@$1,$1')]) {
      const client = new (createClientClass(new Hosts(url, 'SETTING')))(one);
      assert.doesNotThrow(() => client.emit('error', new Error('terminating connection due to administrator command')), url);
    }
  });

  it('keeps its connections when only the feed of changes is cut', async () => {
    const one = new URL(urls[0]!);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-hosts-'));
    const several = `postgres://${one.username}@127.0.0.1:${await deadPort()},${one.host}${one.pathname}`;
    const db = await openPostgres<Record<string, never>>(several, folder, { poolSize: 4, namedStatements: true });
    const pids = async () => {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_stat_activity where application_name = 'gatehouse service' and datname = current_database() order by pid`.execute(
        db.read,
      );
      return rows.map(({ pid }) => pid);
    };
    try {
      await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.2)`.execute(db.read)));
      const before = await pids();
      assert.equal(before.length, 4);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'gatehouse changes' and datname = current_database()`.execute(db.read);
      const until = Date.now() + 20_000;
      for (const isLive of [false, true])
        while (db.feed.live() !== isLive && Date.now() < until) {
          await pids();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      assert.ok(db.feed.live());
      assert.deepEqual(await pids(), before);
    } finally {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is served by the first that takes writes, and by the other when that changes', async () => {
    const [first, second] = urls as [string, string];
    // The same database name on both, as on a standby.
    const name = new URL(first).pathname.slice(1);
    await servers[1]!.createDatabase(name);
    const ports = await Promise.all(cables.map((cable) => cable.listen()));
    const { username } = new URL(first);
    const several = `postgres://${username}@127.0.0.1:${await deadPort()},127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/${name}?target_session_attrs=read-write`;
    const change = async (url: string, value: 'on' | 'off') => {
      const client = new pg.Client(Object.assign(new URL(url), { pathname: '/postgres' }).href);
      await client.connect();
      await client.query(`alter system set default_transaction_read_only = ${value}`);
      await client.query('select pg_reload_conf()');
      await client.end();
    };
    const seed = new IdentityOnDatabase({ databaseUrl: Object.assign(new URL(second), { pathname: `/${name}` }).href });
    await seed.start();
    await seed.stop();
    await change(second, 'on');

    const api = new IdentityOnDatabase({ databaseUrl: several });
    await api.start();
    try {
      assert.equal((await api.logIn()).status, 201);
      assert.equal((await api.post('/v3/projects', { project: { name: 'on the first' } })).status, 201);
      // They switch roles: the first is read-only now.
      await change(first, 'on');
      await change(second, 'off');
      const until = Date.now() + 30_000;
      for (;;) {
        const answer = await api.logIn();
        // Now tokens and accounts come from the second server. Only the password is the same.
        if (answer.status === 201) {
          const { projects } = (await (await api.get('/v3/projects?name=on+the+first')).json()) as { projects?: unknown[] };
          if (projects?.length === 0) break;
        }
        assert.ok(Date.now() < until, 'the second host is used');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await api.ready(200);
    } finally {
      await api.stop();
    }
  });
});

describe('A PostgreSQL that is not there at the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-wait-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = (url: string) => ({
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_IDENTITY_DATABASE_URL: url,
    GATEHOUSE_MASTER_KEY: newMasterKey(),
    GATEHOUSE_ADMIN_PASSWORD: 'the administrator of the tests',
  });

  it('is waited for, which is said with the name of the setting', async () => {
    const direct = new URL(await (await sharedPostgres()).createDatabase());
    const cable = new Cable(direct.hostname, Number(direct.port));
    const port = await deadPort();
    const through = Object.assign(new URL(direct), { port: String(port) });
    const service = gatehouse(['identity'], settings(through.href));
    const said = /"setting":"GATEHOUSE_IDENTITY_DATABASE_URL".*"waiting for PostgreSQL"/;
    while (!said.test(service.stdout)) {
      assert.equal(service.child.exitCode, null, service.stderr);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await cable.listen(port);
    await service.listening();
    assert.equal(await service.stop(), 0);
    cable.close();
  });

  it('and does not come in time ends the start with one plain line, with several workers, too', async () => {
    const url = `postgres://somebody:secret@127.0.0.1:${await deadPort()}/nothing`;
    for (const workers of inFullRun(['1', '2'], ['2'])) {
      const failed = gatehouse(['identity'], {
        ...settings(url),
        GATEHOUSE_DATABASE_WAIT_SECONDS: '1',
        GATEHOUSE_WORKERS: workers,
      });
      assert.equal(await failed.ended(), 69, failed.stderr);
      assert.match(
        failed.stderr,
        /^gatehouse: GATEHOUSE_IDENTITY_DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ does not serve \(ECONN/m,
      );
      assert.ok(!failed.stderr.includes('secret'));
    }
  });

  it('and refuses us is not waited for', async () => {
    const url = new URL((await sharedPostgres()).url);
    const failed = gatehouse(['identity'], settings(Object.assign(url, { pathname: '/no_such_database' }).href));
    assert.equal(await failed.ended(), 2, failed.stderr);
    assert.match(failed.stderr, /^gatehouse: GATEHOUSE_IDENTITY_DATABASE_URL: PostgreSQL at .* refuses us \(3D000/m);
  });
});
