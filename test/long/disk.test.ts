// A real disk that is full, and one that becomes read-only, under both services: changes are refused with 503 and Retry-After, reads go on,
// readiness says so, nothing that was acknowledged is lost, and the service accepts changes again by itself when there is space. DISK_ROUNDS
// sets how often the disk is filled. test/full-disk.test.ts does it where nobody can mount a disk.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PlainProvider } from '../support/plain-provider.ts';
import { BothServices, SERVICES } from './both-services.ts';
import { amount, report } from './report.ts';
import { SmallDisk, whyNoDisk } from './small-disk.ts';
import type { Holder } from './wallet-facts.ts';
import { holdersOf } from './world.ts';

const ROUNDS = amount('DISK_ROUNDS', 1);
const MEGABYTES = 48;
const PATIENCE_MS = 120_000;
const KEYS = '/api/v1/wallet/keys';

describe('A disk in trouble', { skip: whyNoDisk() ?? false }, () => {
  const provider = new PlainProvider();
  let services: BothServices;
  let disk: SmallDisk;
  let holder: Holder;
  /** Names of projects, and aliases of keys, whose creation was acknowledged. */
  const [projects, keys]: [string[], string[]] = [[], []];
  let number = 0;

  before(async () => {
    await provider.start();
    services = new BothServices('SQLite', {
      GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer,
      GATEHOUSE_WALLET_OIDC_CLIENT_ID: provider.clientId,
      GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: provider.clientSecret,
    });
    disk = new SmallDisk(services.folder, MEGABYTES);
    services.dataDir = disk.folder;
    await services.open();
    [holder] = (await holdersOf(services, provider, ['ada'])) as [Holder];
  });
  after(async () => {
    await services.kill();
    await provider.stop();
    disk.remove();
    await services.close();
  });

  /** A change of each service. Returns the answers, of which a 503 says when to come back. */
  async function change(): Promise<number[]> {
    const name = `thing-${++number}`;
    const [made, key] = await Promise.all([
      services.ask('identity', 'POST', '/v3/projects', { body: { project: { name, description: 'x'.repeat(50_000) } } }),
      holder.ask('POST', KEYS, { algorithm: 'EdDSA', alias: name }),
    ]);
    if (made.status === 201) projects.push(name);
    if (key.status === 201) keys.push(name);
    for (const answer of [made, key])
      if (answer.status === 503) assert.ok(answer.headers.get('retry-after'), answer.text);
      else assert.equal(answer.status, 201, answer.text);
    return [made.status, key.status];
  }

  /** Changes until both services refuse them. */
  async function changeUntilRefused(): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const statuses = await change();
      if (statuses.every((status) => status === 503)) return;
      assert.ok(Date.now() < end, `answers are still ${statuses}`);
    }
  }

  async function readsGoOn(): Promise<void> {
    await services.must(200, 'GET', '/v3/auth/tokens', { headers: { 'X-Subject-Token': services.token } });
    await services.must(200, 'GET', '/v3/projects?limit=5');
    await holder.must(200, 'GET', `${KEYS}?limit=5`);
    for (const service of SERVICES) {
      await services.ready(service, 503);
      assert.equal((await services.ask(service, 'GET', '/healthz')).status, 200);
    }
  }

  async function nothingIsLost(): Promise<void> {
    const found = new Set((await services.query('identity', 'select name from projects')).map(({ name }) => name));
    assert.deepEqual(
      projects.filter((name) => !found.has(name)),
      [],
    );
    const aliases = new Set((await holder.list(`${KEYS}?limit=100`)).map(({ alias }) => alias));
    assert.deepEqual(
      keys.filter((alias) => !aliases.has(alias)),
      [],
    );
    for (const service of SERVICES)
      assert.deepEqual((await services.query(service, 'pragma integrity_check')).map(Object.values), [['ok']]);
  }

  it('that is full refuses changes only, until there is space', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      assert.deepEqual(await change(), [201, 201]);
      disk.fill();
      await changeUntilRefused();
      await readsGoOn();
      disk.empty();
      const began = performance.now();
      await Promise.all(SERVICES.map((service) => services.ready(service)));
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      assert.deepEqual(await change(), [201, 201]);
      await nothingIsLost();
      if (round === ROUNDS - 1)
        report(
          'disk',
          `full ${ROUNDS} times, ready again ${seconds} s after there was space, ${projects.length + keys.length} acknowledged changes kept`,
        );
    }
  });

  it('that is full when the service is killed lets it start, and serve reads', async () => {
    disk.fill();
    await changeUntilRefused();
    await services.kill();
    services.launch();
    await Promise.all([services.running!.listening(), services.running!.walletListening()]);
    await services.must(200, 'GET', '/v3/projects?limit=5');
    await holder.must(200, 'GET', `${KEYS}?limit=5`);
    disk.empty();
    await Promise.all(SERVICES.map((service) => services.ready(service)));
    assert.deepEqual(await change(), [201, 201]);
    await nothingIsLost();
  });

  it('that becomes read-only refuses changes only, and has everything after it was repaired', async () => {
    assert.deepEqual(await change(), [201, 201]);
    disk.fail();
    await changeUntilRefused();
    await readsGoOn();
    await services.kill();
    disk.repair();
    await services.start();
    assert.deepEqual(await change(), [201, 201]);
    await nothingIsLost();
    report(
      'disk',
      `read-only by an error of the file system, repaired: ${projects.length + keys.length} acknowledged changes kept`,
    );
  });
});
