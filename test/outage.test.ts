// PostgreSQL becomes unreachable and comes back: 503 meanwhile, and no restart is needed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { identitySettings } from '../src/identity/ground/settings/index.ts';
import { createIdentityService, type IdentityService } from '../src/identity/service.ts';
import { systemClock } from '../src/platform/clock.ts';
import { load } from '../src/platform/config/index.ts';
import { createLog } from '../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../src/platform/seal/index.ts';
import { Cable } from './support/cable.ts';
import { migratedPostgres } from './support/migrated-database.ts';

describe('An outage of PostgreSQL', () => {
  let cable: Cable;
  let service: IdentityService;
  let url: string;
  let token: string;

  before(async () => {
    const direct = new URL(await migratedPostgres('identity'));
    cable = new Cable(direct.hostname, Number(direct.port));
    const through = new URL(direct);
    through.port = String(await cable.listen());
    const env = {
      GATEHOUSE_IDENTITY_HOST: '127.0.0.1',
      GATEHOUSE_IDENTITY_PORT: '0',
      GATEHOUSE_IDENTITY_DATABASE_URL: through.href,
      GATEHOUSE_ADMIN_PASSWORD: 'an administrator in an outage',
      GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
      GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
    };
    service = await createIdentityService({
      config: load(identitySettings, env),
      dataDir: '',
      seal: createSeal([newMasterKey()]),
      log: createLog('silent'),
      clock: systemClock,
      rateLimits: false,
      trustedProxies: [],
      outboundAllow: [],
    });
    url = (await service.start()).address;
    token = (await logIn()).headers.get('x-subject-token')!;
  });
  after(async () => {
    cable.mend();
    await service.stop(1000);
    cable.close();
  });

  function logIn(): Promise<Response> {
    const user = { name: 'admin', domain: { id: 'default' }, password: 'an administrator in an outage' };
    const body = { auth: { identity: { methods: ['password'], password: { user } }, scope: { system: { all: true } } } };
    return fetch(`${url}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  }
  const ask = (path: string) => fetch(url + path, { headers: { 'X-Auth-Token': token, 'X-Subject-Token': token } });

  it('answers 503 with Retry-After, and says so on /readyz without waiting for it', async () => {
    assert.equal((await ask('/v3/users')).status, 200);
    cable.break();
    const started = performance.now();
    const ready = await ask('/readyz');
    assert.equal(ready.status, 503);
    // At most two seconds on an idle machine; waiting for the database would take as long as it is unreachable.
    assert.ok(performance.now() - started < 20_000);
    for (const path of ['/v3/users', '/v3/auth/tokens']) {
      const answer = await ask(path);
      assert.equal(answer.status, 503, path);
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    assert.equal((await logIn()).status, 503);
    assert.equal((await ask('/healthz')).status, 200);
  });

  it('recovers by itself', async () => {
    cable.mend();
    const until = Date.now() + 30_000;
    while ((await ask('/readyz')).status !== 200 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await ask('/readyz')).status, 200);
    assert.equal((await ask('/v3/auth/tokens')).status, 200);
    assert.equal((await logIn()).status, 201);
  });
});
