// The clock of the machine is set forward and back under a running service: it stays ready, people get in, what was revoked stays revoked,
// and nobody waits for as long as the clock was wrong. CLOCK_HOLD_SECONDS sets how long the clock stays ten days ahead: longer than a
// minute, and the sweepers run meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeAt, fromBase32, stepAt } from '../../src/identity/directory/two-factor/totp.ts';
import { PlainProvider } from '../support/plain-provider.ts';
import { BothServices, SERVICES } from './both-services.ts';
import { FakeClock } from './fake-clock.ts';
import { amount, report } from './report.ts';
import type { Holder } from './wallet-facts.ts';
import { holdersOf } from './world.ts';

const HOLD_SECONDS = amount('CLOCK_HOLD_SECONDS', 0);
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
const USER_PASSWORD = 'a password of somebody';
/** Longer than the longest pause after wrong passwords. */
const PAUSE_MS = 60_000;

describe('A clock that is set', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-clock-'));
  const clock = new FakeClock(folder);
  const provider = new PlainProvider();
  let services: BothServices;
  let holder: Holder;
  let [somebody, guessed, careful] = ['', '', ''];
  let factorKey: Buffer;

  const makeUser = async (name: string): Promise<string> =>
    (await services.must(201, 'POST', '/v3/users', { body: { user: { name, password: USER_PASSWORD } } })).body.user.id;

  before(async () => {
    await provider.start();
    services = new BothServices('SQLite', {
      ...clock.settings,
      GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer,
      GATEHOUSE_WALLET_OIDC_CLIENT_ID: provider.clientId,
      GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: provider.clientSecret,
    });
    await services.open();
    [somebody, guessed, careful] = [await makeUser('somebody'), await makeUser('guessed'), await makeUser('careful')];
    const body = { two_factor_auth: { security_question: 'Where?', security_answer: 'There, for the tests.' } };
    const path = `/v3/users/${careful}/OS-TWO-FACTOR/two_factor_auth`;
    const enabled = (await services.must(201, 'POST', path, { body })).body.two_factor_auth;
    factorKey = fromBase32(enabled.two_factor_key)!;
    [holder] = (await holdersOf(services, provider, ['ada'])) as [Holder];
  });
  after(async () => {
    await services.close();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const logIn = (id = somebody) => services.logIn({ id, password: USER_PASSWORD });
  /** The administrator's own token may have ended, too. */
  const isValid = async (token: string): Promise<boolean> => {
    const asked = await services.ask('identity', 'GET', '/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } });
    assert.ok([200, 401].includes(asked.status), asked.text);
    return asked.status === 200;
  };
  const code = (): string => codeAt(factorKey, stepAt(clock.now()));
  const logInWith = async (verification_code: string): Promise<number> =>
    (await services.authenticate({ id: careful, password: USER_PASSWORD, verification_code })).status;
  const hasSession = async (): Promise<boolean> => (await holder.ask('GET', '/api/v1/wallet/keys')).status === 200;
  /** It serves, and people get in, at whatever time it believes in. */
  async function serves(): Promise<void> {
    for (const service of SERVICES) assert.equal((await services.ask(service, 'GET', '/readyz')).status, 200);
    services.token = await services.logIn(services.administrator, true);
    await services.must(201, 'POST', '/v3/projects', { body: { project: { name: `at ${clock.now()}` } } });
    assert.equal(await isValid(await logIn()), true);
  }

  it('forward by some hours and back ends what is over, and nothing else', async () => {
    const [token, revoked] = [await logIn(), await logIn()];
    await services.must(204, 'DELETE', '/v3/auth/tokens', { headers: { 'X-Subject-Token': revoked } });
    assert.deepEqual([await isValid(token), await isValid(revoked), await hasSession()], [true, false, true]);

    clock.set(5 * MINUTE);
    assert.deepEqual([await isValid(token), await hasSession()], [true, true]);
    clock.set(3 * HOUR);
    assert.deepEqual([await isValid(token), await isValid(revoked), await hasSession()], [false, false, false]);
    await serves();
    assert.equal(await logInWith(code()), 201);
    const ahead = await logIn();

    clock.set(0);
    await serves();
    assert.deepEqual([await isValid(token), await isValid(revoked)], [true, false]);
    assert.equal(await isValid(ahead), false, 'it would be valid for four hours');
    // A code of a later time was used already. That must not count, and none works twice.
    const now = code();
    assert.deepEqual([await logInWith(now), await logInWith(now)], [201, 401]);
  });

  it('back by some minutes ends no token and no session', async () => {
    [holder] = (await holdersOf(services, provider, ['bob'])) as [Holder];
    const token = await logIn();
    clock.set(-5 * MINUTE);
    await serves();
    assert.deepEqual([await isValid(token), await hasSession()], [true, true]);
    clock.set(0);
    assert.deepEqual([await isValid(token), await hasSession()], [true, true]);
  });

  it('back by hours makes nobody wait for hours', async () => {
    const wrong = async () => (await services.authenticate({ id: guessed, password: 'a wrong password' })).status;
    while ((await wrong()) !== 429);
    clock.set(-2 * HOUR);
    await serves();
    const right = async () => (await services.authenticate({ id: guessed, password: USER_PASSWORD })).status;
    for (const end = Date.now() + PAUSE_MS; (await right()) !== 201; await sleep(500))
      assert.ok(Date.now() < end, 'still waiting');
    clock.set(0);
    await serves();
  });

  it('ten days ahead and back again forgets no revocation, and deletes nothing before its time', {
    timeout: 1_200_000,
  }, async () => {
    const revoked = await logIn();
    await services.must(204, 'DELETE', '/v3/auth/tokens', { headers: { 'X-Subject-Token': revoked } });
    const rows = async () => (await services.query('identity', 'select audit_id from revoked_tokens')).length;
    const before = await rows();
    clock.set(10 * DAY);
    await serves();
    await sleep(HOLD_SECONDS * 1000);
    assert.equal(await rows(), before);
    if (HOLD_SECONDS > MINUTE) assert.match(services.running!.stdout, /the clock was set forward/);
    clock.set(0);
    await serves();
    assert.equal(await isValid(revoked), false);
    report(
      'clock',
      `set by minutes, hours and ten days (for ${HOLD_SECONDS} s) forward and back: ready throughout, ${before} revocations kept`,
    );
  });

  it('is wrong when it starts, and right later: the service goes on', async () => {
    await services.kill();
    clock.set(-10 * DAY);
    await services.start();
    await serves();
    clock.set(0);
    await serves();
  });
});
