// Attacks by guessing secrets: without limits, at forgotten endpoints, and so many that nobody else can log in.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ADMIN_PASSWORD,
  type ApiAnswer,
  onDatabase,
  type TestApi,
  underAttack,
  uniqueName,
} from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const LIMITED = { rateLimits: true, trustedProxies: ['127.0.0.1'] };
/** Long enough that a line forms behind it. */
const SLOW = { GATEHOUSE_IDENTITY_ARGON2_MEMORY: '19456', GATEHOUSE_IDENTITY_ARGON2_PASSES: '2' };

/** Wrong passwords for one account before anybody has to wait. */
const FREE = 10;

/** What the log calls a request whose client did not wait for its answer. */
const GONE = 499;

let addresses = 0;
/** An address nobody had before. */
const newAddress = (): string => `198.51.${100 + (++addresses >> 8)}.${addresses & 255}`;
const from = (address: string) => ({ token: null, headers: { 'X-Forwarded-For': address } });

async function gauge(api: TestApi, name: string): Promise<number> {
  const { values } = await api.service.metrics.registry.getSingleMetric(name)!.get();
  return values[0]!.value;
}
const hashes = (api: TestApi) => gauge(api, 'gatehouse_password_hashes_total');
const waiting = (api: TestApi) => gauge(api, 'gatehouse_password_queue');

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5);
}

const identity = (user: Record<string, unknown>) => ({ auth: { identity: { methods: ['password'], password: { user } } } });

const logIn = (api: TestApi, address: string, user: Record<string, unknown>): Promise<ApiAnswer> =>
  api.post('/v3/auth/tokens', identity(user), from(address));

/** A login whose client is ready to go at any moment. */
async function beginLogin(api: TestApi, address: string) {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const body = JSON.stringify(identity({ name: uniqueName('nobody'), domain: { id: 'default' }, password: 'whatever' }));
  socket.on('error', () => undefined);
  socket.write(
    `POST /v3/auth/tokens HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

onDatabase('SQLite', 'The line for hashes', { ...LIMITED, settings: SLOW }, (api) => {
  it('logins whose clients have gone do not keep the next one waiting', async () => {
    const address = newAddress();
    const sockets = await Promise.all(Array.from({ length: 60 }, () => beginLogin(api, address)));
    // How many get into the line depends on how long one takes; on a slow machine it is short.
    await until(async () => (await waiting(api)) >= 1);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await waiting(api)) === 0);
    assert.ok(
      api.logged.some((line) => JSON.parse(line).status === GONE),
      'nobody left the line',
    );
    assert.equal((await logIn(api, address, { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD })).status, 201);
  });

  it('one address that fills the line does not keep others from logging in', async () => {
    const greedy = newAddress();
    const sockets = await Promise.all(Array.from({ length: 60 }, () => beginLogin(api, greedy)));
    await until(async () => (await waiting(api)) >= 1);
    const before = await hashes(api);
    const answer = await logIn(api, newAddress(), { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD });
    assert.equal(answer.status, 201);
    assert.ok((await hashes(api)) - before <= 8, 'it was among the next');
    for (const socket of sockets) socket.destroy();
  });
});

underAttack(
  'Guesses at secrets',
  (api) => {
    api.clock.hold();

    /** Repeats the guess until it is refused by the limit. Returns how many were checked. */
    async function guessed(guess: (index: number) => Promise<number>): Promise<number> {
      for (let index = 0; index < 150; index++) if ((await guess(index)) === 429) return index;
      throw new Error('nobody said stop');
    }

    const wrongChange = (id: string, address: string) =>
      api.post(
        `/v3/users/${id}/password`,
        { user: { original_password: 'wrong', password: 'a new one of mine' } },
        from(address),
      );

    describe('at the password of one account', () => {
      it('are limited at POST /v3/users/{id}/password', async () => {
        const { user } = await makeUser(api);
        const address = newAddress();
        assert.equal(await guessed(async () => (await wrongChange(user.id, address)).status), FREE);
        const before = await hashes(api);
        const refused = await wrongChange(user.id, address);
        assert.equal(refused.status, 429);
        assert.ok(Number(refused.headers.get('retry-after')) > 0);
        assert.equal(await hashes(api), before, 'nothing is hashed for it');
      });

      it('count together wherever they are made', async () => {
        const { user } = await makeUser(api);
        const address = newAddress();
        for (let i = 0; i < FREE; i++) {
          const guess = i % 2 ? wrongChange(user.id, address) : logIn(api, address, { id: user.id, password: 'wrong' });
          assert.equal((await guess).status, 401);
        }
        assert.equal((await logIn(api, address, { id: user.id, password: 'wrong' })).status, 429);
        assert.equal((await wrongChange(user.id, address)).status, 429);
      });

      it('are limited at the new-password step of the sign-in page', async () => {
        const { user } = await makeUser(api);
        const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
        const { action, fields } = (await browser.go((await party.ask()).url)).forms[0]!;
        const answers = { step: 'new-password', name: user.name, domain: '', password: 'wrong' };
        const form = { ...fields, ...answers, new_password: 'a new one of mine', new_password_again: 'a new one of mine' };
        const headers = { 'X-Forwarded-For': newAddress() };
        const said = async () => (/Too many/.test((await browser.send(action, form, headers)).text) ? 429 : 401);
        assert.equal(await guessed(said), FREE);
      });

      for (const [what, step, fields] of [
        ['turning two-factor off', 'two-factor-off', { password: 'wrong' }],
        [
          'changing the password',
          'change-password',
          { current_password: 'wrong', new_password: 'a new one of mine', new_password_again: 'a new one of mine' },
        ],
      ] as const)
        it(`are limited at /account, for ${what}`, async () => {
          const { user, password } = await makeUser(api);
          const browser = new TestBrowser(api);
          const page = await browser.signIn(new URL('/account/security', api.url), { name: user.name, password });
          const token = page.forms.find((form) => form.fields.form_token)!.fields.form_token!;
          const headers = { 'X-Forwarded-For': newAddress() };
          const before = await hashes(api);
          const said = async () => {
            const { text } = await browser.send('/account/security', { step, form_token: token, ...fields }, headers);
            return /Too many/.test(text) ? 429 : 401;
          };
          assert.equal(await guessed(said), FREE);
          assert.equal((await hashes(api)) - before, FREE);
        });
    });

    describe('from one address', () => {
      it('at any number of ids that do not exist are limited, and so are the hashes they cost', async () => {
        const address = newAddress();
        const before = await hashes(api);
        assert.equal(await guessed(async (index) => (await wrongChange(`nobody-${index}`, address)).status), 100);
        assert.equal((await hashes(api)) - before, 100);
        assert.equal((await logIn(api, address, { name: 'admin', domain: { id: 'default' }, password: 'x' })).status, 429);
        assert.equal((await logIn(api, newAddress(), { name: 'admin', domain: { id: 'default' }, password: 'x' })).status, 401);
      });

      it('are counted by /64 where it is IPv6', async () => {
        const to = (index: number) =>
          logIn(api, `2001:db8:7:7:${index.toString(16)}::1`, { id: `nobody-${index}`, password: 'x' });
        assert.equal(await guessed(async (index) => (await to(index)).status), 100);
      });

      it('at secrets of applications are limited', async () => {
        const application = await makeApplication(api);
        const address = newAddress();
        const basic = (secret: string) => `Basic ${Buffer.from(`${application.id}:${secret}`).toString('base64')}`;
        const ask = async (path: string, secret: string) => {
          const { status } = await fetch(api.url + path, {
            method: 'POST',
            headers: { Authorization: basic(secret), 'X-Forwarded-For': address },
            body: new URLSearchParams({ grant_type: 'client_credentials', token: 'something' }),
          });
          return status;
        };
        assert.equal(await guessed((index) => ask('/openid/token', `wrong ${index}`)), 10);
        assert.equal(await ask('/openid/introspect', 'wrong'), 429);
        assert.equal(await ask('/openid/introspect', application.secret), 429, 'a right one has to wait as well');
        api.clock.advance(60);
        assert.equal(await ask('/openid/introspect', application.secret), 200);
        assert.equal(await guessed((index) => ask('/openid/introspect', `wrong ${index}`)), 10);
      });
    });

    it('right ones may be as many at once as they like', async () => {
      const { user, password } = await makeUser(api);
      const address = newAddress();
      const answers = await Promise.all(Array.from({ length: 40 }, () => logIn(api, address, { id: user.id, password })));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    });
  },
  LIMITED,
);
