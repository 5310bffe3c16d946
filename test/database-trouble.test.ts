// A PostgreSQL that is slow, locked, full or read-only: requests fail within seconds with 503 and Retry-After, reads continue if they
// can, readiness reports it, and the service recovers by itself.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { Cable } from './support/cable.ts';
import { IdentityOnDatabase } from './support/identity-on-database.ts';
import { migratedPostgres } from './support/migrated-database.ts';

/** Much longer than every limit of a request, and much shorter than a request without limits. */
const SECONDS = 20_000;

async function refused(answer: Response, retryAfter: string, what: string): Promise<void> {
  const text = await answer.text();
  assert.equal(answer.status, 503, `${what}: ${text}`);
  assert.equal(answer.headers.get('retry-after'), retryAfter, what);
}

describe('A PostgreSQL in trouble', () => {
  let cable: Cable;
  let api: IdentityOnDatabase;
  let control: pg.Client;
  let database: string;
  let url: string;

  before(async () => {
    const direct = new URL(await migratedPostgres('identity'));
    database = direct.pathname.slice(1);
    url = direct.href;
    control = new pg.Client(url);
    await control.connect();
    cable = new Cable(direct.hostname, Number(direct.port));
    const through = new URL(direct);
    through.port = String(await cable.listen());
    api = new IdentityOnDatabase({ databaseUrl: through.href });
    await api.start();
    assert.equal((await api.logIn()).status, 201);
  });
  after(async () => {
    cable.thaw();
    await api.stop();
    cable.close();
    await control.end();
  });

  const newProject = (name: string) => api.post('/v3/projects', { project: { name } });

  it('that stops answering does not make requests hang, and later requests fail immediately', async () => {
    cable.freeze();
    const began = Date.now();
    await Promise.all([
      api.get('/v3/users').then((answer) => refused(answer, '1', 'a list')),
      newProject('one').then((answer) => refused(answer, '1', 'a change')),
      api.logIn().then((answer) => refused(answer, '1', 'a login')),
    ]);
    assert.ok(Date.now() - began < SECONDS, `${Date.now() - began} ms`);
    // Each would take seconds if it queried the database.
    const known = Date.now();
    for (let i = 0; i < 20; i++) await refused(await api.get(`/v3/users?name=${i}`), '1', 'a list');
    assert.ok(Date.now() - known < SECONDS, `${Date.now() - known} ms`);
    await refused(await api.get('/v3/auth/tokens'), '1', 'a token');
    assert.equal((await api.get('/readyz')).status, 503);
    assert.equal((await api.get('/healthz')).status, 200);
  });

  it('that answers again is used again', async () => {
    cable.thaw();
    await api.ready(200);
    assert.equal((await api.get('/v3/users')).status, 200);
    assert.equal((await newProject('two')).status, 201);
  });

  it('whose backends are killed refuses no more than what they were doing', async () => {
    const kill = `select count(pg_terminate_backend(pid)) from pg_stat_activity
      where datname = current_database() and application_name = 'gatehouse service' and pid <> pg_backend_pid()`;
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const changes = Array.from({ length: 10 }, (_, i) => newProject(`killed-${round}-${i}`));
      await control.query(kill);
      for (const change of changes) {
        const answer = await change;
        if (answer.status === 201) acknowledged.push(((await answer.json()) as { project: { id: string } }).project.id);
        else await refused(answer, '1', 'a change');
      }
      // Everything is well again at once.
      await api.ready(200);
      assert.equal((await newProject(`after-${round}`)).status, 201);
    }
    const { rows } = await control.query('select id from projects where id = any($1)', [acknowledged]);
    assert.equal(rows.length, acknowledged.length);
  });

  it('that takes no new connections serves by those that are open, and recovers when they are gone', async () => {
    // Not from within this database, which must not refuse itself.
    const elsewhere = new pg.Client(Object.assign(new URL(url), { pathname: '/postgres' }).href);
    await elsewhere.connect();
    const allow = (value: boolean) => elsewhere.query(`alter database ${database} allow_connections ${value}`);
    await allow(false);
    try {
      assert.equal((await newProject('no more connections')).status, 201);
      const drop = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
      await control.query(drop);
      await api.ready(503);
      await refused(await newProject('none left'), '1', 'a change');
      await refused(await api.get('/v3/auth/tokens'), '1', 'a token');
    } finally {
      await allow(true);
      await elsewhere.end();
    }
    await api.ready(200);
    assert.equal((await newProject('connections again')).status, 201);
  });

  it('with a locked table still serves reads of other tables', async () => {
    const holder = new pg.Client(url);
    await holder.connect();
    await holder.query('begin; lock table audit_events in exclusive mode');
    const changes = Array.from({ length: 15 }, (_, i) => newProject(`locked-${i}`));
    const waiting = `select 1 from pg_locks where not granted and relation = 'audit_events'::regclass`;
    while ((await control.query(waiting)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    for (let i = 0; i < 5; i++) assert.equal((await api.get(`/v3/users?name=x${i}`)).status, 200);
    assert.equal((await api.logIn()).status, 201);
    for (const change of changes) await refused(await change, '1', 'a change');
    await holder.query('rollback');
    await holder.end();
    assert.equal((await newProject('unlocked')).status, 201);
  });

  it('whose statements take too long answers in seconds', async () => {
    await control.query(
      `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(60); return new; end'`,
    );
    await control.query('create trigger slow before insert on projects for each row execute function slow()');
    await refused(await newProject('slow'), '1', 'a change');
    await control.query('drop trigger slow on projects');
    assert.equal((await newProject('quick')).status, 201);
  });

  it('with a full disk serves reads, and readiness reports it', async () => {
    await control.query(
      `create function full_disk() returns trigger language plpgsql as 'begin raise exception ''No space left on device'' using errcode = ''53100''; end'`,
    );
    await control.query('create trigger full_disk before insert on projects for each row execute function full_disk()');
    await refused(await newProject('full'), '5', 'a change');
    assert.equal((await api.get('/readyz')).status, 503);
    assert.equal((await api.get('/v3/users')).status, 200);
    await control.query('drop trigger full_disk on projects');
    await api.ready(200);
    assert.equal((await newProject('room')).status, 201);
  });

  it('that is read-only serves reads, and readiness reports it', async () => {
    const drop = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await control.query(`alter database ${database} set default_transaction_read_only = on`);
    await control.query(drop);
    await api.ready(503);
    const reads = Date.now() + SECONDS;
    while ((await api.get('/v3/users')).status !== 200) assert.ok(Date.now() < reads, 'reads go on');
    await refused(await newProject('standby'), '5', 'a change');
    assert.equal((await api.get('/v3/users')).status, 200);
    assert.equal((await api.get('/v3/OS-SERVICE/replicas')).status, 200);
    assert.equal((await api.get('/readyz')).status, 503);
    await control.query(`alter database ${database} reset default_transaction_read_only`);
    await control.query(drop);
    await api.ready(200);
    assert.equal((await newProject('primary')).status, 201);
  });

  it('makes the OpenID and OAuth2 endpoints answer 503, too', async () => {
    const form = (values: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(values) });
    const basic = { Authorization: `Basic ${btoa('client:secret')}` };
    const asks: [path: string, init: RequestInit][] = [
      ['/openid/token', { ...form({ grant_type: 'client_credentials' }), headers: basic }],
      ['/openid/token', { ...form({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'y', client_secret: 'z' }) }],
      ['/openid/introspect', { ...form({ token: 'x' }), headers: basic }],
      ['/openid/revoke', { ...form({ token: 'x' }), headers: basic }],
      ['/openid/par', { ...form({ response_type: 'code' }), headers: basic }],
      ['/openid/device/authorize', { ...form({ client_id: 'client' }) }],
      ['/openid/userinfo', { headers: { Authorization: 'Bearer abcdefghijklmnopqrstuvwxyz012345678901234567' } }],
      ['/openid/authorize?client_id=x&response_type=code&scope=openid', {}],
      ['/openid/authorize?client_id=x&response_type=code&scope=openid', { headers: { Accept: 'text/html' } }],
      ['/openid/forgotten-password', { ...form({ name: 'somebody' }) }],
      ['/v3/OS-OAUTH2/access_token', { ...form({ grant_type: 'client_credentials' }), headers: basic }],
    ];
    // The library is loaded before the failure begins.
    assert.equal((await api.get('/.well-known/openid-configuration')).status, 200);
    cable.break();
    for (const [path, init] of asks)
      await refused(await fetch(api.url + path, { redirect: 'manual', ...init }), '1', `${init.method ?? 'GET'} ${path}`);
    // Both ask the database whatever is cached; a browser gets a page.
    const pages: typeof asks = [
      ['/openid/authorize?client_id=x&response_type=code&scope=openid', {}],
      ['/openid/forgotten-password', form({ name: 'somebody' })],
    ];
    for (const [path, init] of pages) {
      const page = await fetch(api.url + path, { redirect: 'manual', headers: { Accept: 'text/html' }, ...init });
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/, path);
      assert.match(await page.text(), /The service cannot answer now/, path);
    }
    cable.mend();
    await api.ready(200);
  });
});
