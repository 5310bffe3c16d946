import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, type TestApi } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { enable, logInWith, makeTwoFactorPerson, NO_BODY, QUESTION } from '../../../../test/support/second-factor.ts';
import type { Clock } from '../../../platform/clock.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createOutbound, type Outbound } from '../../../platform/outbound/index.ts';
import { createChanges, serviceActor } from '../audit/index.ts';
import type { Database, OutboxRow } from '../database/index.ts';
import { createNotifications } from './index.ts';

const SECRET = 'the secret of the web hook';

interface WebHookMessage {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { id: string; event: string; user_id: string; at: string };
}

/** A web hook: keeps what it got, and answers as it is told. */
class Hook {
  readonly received: WebHookMessage[] = [];
  answer: () => number | Promise<number> = () => 204;
  readonly #server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    this.received.push({ method: request.method!, headers: request.headers, text, body: JSON.parse(text) });
    response.writeHead(await this.answer(), { Location: '/elsewhere' }).end();
  });

  async open(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    this.#server.unref();
  }
  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }
  about(user: { id: string }): WebHookMessage[] {
    return this.received.filter(({ body }) => body.user_id === user.id);
  }
  eventsOf(user: { id: string }): string[] {
    return this.about(user).map(({ body }) => body.event);
  }
}

/** Time passes only when the test says so. */
class StoppedClock implements Clock {
  #time = Date.now();
  now(): number {
    return this.#time;
  }
  advance(seconds: number): void {
    this.#time += seconds * 1000;
  }
}

/** Signed by whoever knows the secret, as the receiver of a web hook would check it. */
function assertSigned({ headers, text }: WebHookMessage, secret = SECRET): number {
  const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-gatehouse-signature'])) ?? [];
  assert.equal(mac, createHmac('sha256', secret).update(`${at}.${text}`).digest('hex'));
  return Number(at);
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; !(await holds()); await sleep(20)) assert.ok(Date.now() < end, `waited for ${what}`);
}

const outboxOf = (db: Database): Promise<OutboxRow[]> => db.read.selectFrom('outbox').selectAll().execute();

const hook = new Hook();
await hook.open();

function define(api: TestApi): void {
  let db: Database;
  before(async () => {
    db = await databaseOf(api);
  });
  after(() => db.close());
  const own = (user: { id: string }, what: string) => `/v3/users/${user.id}/OS-TWO-FACTOR/${what}`;
  const sent = () => until('an empty outbox', async () => (await outboxOf(db)).length === 0);
  const devices = (user: { id: string }, device?: any) =>
    api.request(
      'POST',
      `/v3/OS-TWO-FACTOR/devices?user_id=${user.id}${device ? `&device_id=${device.device_id}&device_token=${device.device_token}` : ''}`,
    );
  const makeDevice = async (user: { id: string }) => assertOk(await devices(user)).two_factor_auth;

  it('tell of all that concerns the safety of an account, each once, signed and without a secret', async () => {
    const before = Math.floor(api.clock.now() / 1000);
    const [person, guessed, forgetful, robbed, robbedAtLogin, answered] = [
      await makeTwoFactorPerson(api),
      await makeTwoFactorPerson(api),
      await makePerson(api),
      await makeTwoFactorPerson(api),
      await makeTwoFactorPerson(api),
      await makeTwoFactorPerson(api),
    ];
    const secrets = [person.key, person.password, QUESTION.security_answer.trim(), QUESTION.security_question];
    const { two_factor_key: key } = assertOk(await enable(api, person.user, NO_BODY), 201).two_factor_auth;
    const codes: string[] = assertOk(await api.request('POST', own(person.user, 'recovery_codes')), 201).two_factor_auth
      .recovery_codes;
    assertOk(await logInWith(api, person, { recovery_code: codes[0] }), 201);
    assertOk(await api.delete(own(person.user, 'two_factor_auth')), 204);

    for (let i = 0; i < 8; i++) await logInWith(api, guessed, { verification_code: guessed.phone.wrong() });
    for (let i = 0; i < 8; i++) await api.head(`${own(answered.user, 'sec_question')}?security_answer=wrong`);
    for (let i = 0; i < 5; i++) assertRefused(await logInWith(api, { ...forgetful, password: 'wrong' }), 401);

    const device = await makeDevice(robbed.user);
    assertOk(await devices(robbed.user, device));
    assertRefused(await devices(robbed.user, device), 403);
    const other = await makeDevice(robbedAtLogin.user);
    assertOk(await devices(robbedAtLogin.user, other));
    const { device_id, device_token } = other;
    assertRefused(await logInWith(api, robbedAtLogin, { device_data: { device_id, device_token } }), 401);
    await sent();

    const expected: [{ user: { id: string } }, string[]][] = [
      [
        person,
        [
          'two_factor.enabled',
          'two_factor.key_replaced',
          'two_factor.recovery_codes_made',
          'two_factor.recovery_code_used',
          'two_factor.disabled',
        ],
      ],
      [guessed, ['two_factor.enabled', 'two_factor.locked_out']],
      [answered, ['two_factor.enabled', 'two_factor.locked_out']],
      [forgetful, ['user.locked_out']],
      [robbed, ['two_factor.enabled', 'device.stolen']],
      [robbedAtLogin, ['two_factor.enabled', 'device.stolen']],
    ];
    for (const [{ user }, events] of expected) {
      // In one second they may come in any order.
      assert.deepEqual(hook.eventsOf(user).sort(), events.sort());
      for (const received of hook.about(user)) {
        const at = assertSigned(received);
        assert.throws(() => assertSigned({ ...received, text: received.text.replace('two', 'too').replace('o', 'u') }));
        assert.throws(() => assertSigned(received, 'another secret'));
        assert.ok(at >= before && at <= api.clock.now() / 1000);
        assert.equal(received.method, 'POST');
        assert.equal(received.headers['content-type'], 'application/json');
        assert.equal(received.headers['x-gatehouse-event'], received.body.event);
        assert.deepEqual(Object.keys(received.body).sort(), ['at', 'event', 'id', 'user_id']);
        assert.match(received.body.id, /^[0-9a-f]{32}$/);
        assert.match(received.body.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        const whole = received.text + JSON.stringify(received.headers);
        for (const secret of [...secrets, ...codes, key, device.device_token, device_token, SECRET])
          assert.ok(!whole.includes(secret));
      }
    }
    const ids = expected.flatMap(([{ user }]) => hook.about(user).map(({ body }) => body.id));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('tell a lock-out of codes again when there is another one, but not with every guess', async () => {
    const person = await makeTwoFactorPerson(api);
    for (let round = 1; round <= 2; round++) {
      await Promise.all(Array.from({ length: 12 }, () => logInWith(api, person, { verification_code: person.phone.wrong() })));
      const events = await db.read.selectFrom('audit_events').where('target_id', '=', person.user.id).selectAll().execute();
      const guesses = events.filter(({ action }) => action.startsWith('two_factor.code_'));
      assert.equal(guesses.length, 12 * round, 'every guess is in the audit log');
      api.clock.advance(301);
    }
    for (let i = 0; i < 4; i++) await logInWith(api, person, { verification_code: person.phone.wrong() });
    const last = await logInWith(api, person, { verification_code: person.phone.fresh() });
    assert.equal(last.status, 201, 'the last guess before a lock-out was right');
    await sent();
    assert.deepEqual(hook.eventsOf(person.user).sort(), ['two_factor.enabled', 'two_factor.locked_out', 'two_factor.locked_out']);
  });

  it('tell of no lock-out when the last answer before it was right', async () => {
    const { user } = await makeTwoFactorPerson(api);
    const answer = async (text: string): Promise<number> =>
      (await api.head(`${own(user, 'sec_question')}?security_answer=${encodeURIComponent(text)}`)).status;
    for (let i = 0; i < 4; i++) assert.equal(await answer('wrong'), 401);
    assert.equal(await answer(QUESTION.security_answer), 204);
    await sent();
    assert.deepEqual(hook.eventsOf(user), ['two_factor.enabled']);
  });

  it('do not tell of what was refused', async () => {
    const [person, plain, stranger] = [await makeTwoFactorPerson(api), await makePerson(api), await makePerson(api)];
    const waiting = new Set((await outboxOf(db)).map(({ id }) => id));
    assertRefused(await enable(api, plain.user, NO_BODY), 400);
    assertRefused(await enable(api, plain.user, { two_factor_auth: { security_question: 'q' } }), 400);
    assertRefused(await enable(api, { id: 'nobody' }), 404);
    assertRefused(await api.delete(own(plain.user, 'two_factor_auth')), 404);
    assertRefused(await api.request('POST', own(plain.user, 'recovery_codes')), 404);
    await assertForbidden(api, [stranger.token], 'DELETE', own(person.user, 'two_factor_auth'));
    await assertForbidden(api, [stranger.token], 'POST', own(person.user, 'two_factor_auth'), { body: {} });
    await assertForbidden(api, [stranger.token], 'POST', own(person.user, 'recovery_codes'));
    assertRefused(await logInWith(api, person, { recovery_code: 'AAAA-AAAA-AAAA-AAAA' }), 401);
    assertRefused(await logInWith(api, person, { verification_code: person.phone.wrong() }), 401);
    assertRefused(await logInWith(api, person, { device_data: { device_id: 'x', device_token: 'y' } }), 401);
    assertOk(await logInWith(api, person, { verification_code: person.phone.fresh() }), 201);
    assert.ok((await outboxOf(db)).every(({ id }) => waiting.has(id)));
    await sent();
    assert.deepEqual(hook.eventsOf(person.user), ['two_factor.enabled']);
    assert.deepEqual([...hook.eventsOf(plain.user), ...hook.eventsOf(stranger.user)], []);
  });

  it('are not in the way of what they tell of, when the web hook fails', async () => {
    hook.answer = () => 500;
    const person = await makeTwoFactorPerson(api);
    await until('a first attempt', () => hook.about(person.user).length === 1);
    assertOk(await logInWith(api, person, { verification_code: person.phone.fresh() }), 201);
    hook.answer = () => 204;
    api.clock.advance(6);
    await sent();
    const [first, second, ...more] = hook.about(person.user);
    assert.deepEqual(more, []);
    assert.equal(second!.text, first!.text, 'the id tells the receiver that it is the same');
    assert.ok(assertSigned(second!) > assertSigned(first!), 'but it is signed anew');
    assert.ok(api.logged.some((line) => line.includes('web hook did not take a notification')));
    assert.ok(!api.logged.join('').includes(SECRET));
  });
}

onBothDatabases('Notifications', define, {
  settings: {
    GATEHOUSE_IDENTITY_WEBHOOK_URL: hook.url,
    GATEHOUSE_IDENTITY_WEBHOOK_SECRET: SECRET,
    GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '3',
  },
});

onBothDatabases('The outbox', (api) => {
  let db: Database;
  const own = new Hook();
  const clock = new StoppedClock();
  const lines: string[] = [];
  before(async () => {
    db = await databaseOf(api);
    await own.open();
  });
  after(async () => {
    await own.close();
    await db.close();
  });

  const notifications = (
    outbound: Outbound = createOutbound(['127.0.0.1']),
    { url = own.url, on = db }: { url?: string; on?: Database } = {},
  ) =>
    createNotifications({
      db: on,
      clock,
      log: createLog('debug', { write: (line) => void lines.push(line) }),
      outbound,
      webhook: () => ({ url, secret: SECRET }),
    });
  /** One notification, as a change would leave it. */
  const leave = ({ notify }: Pick<ReturnType<typeof notifications>, 'notify'>, userId: string): Promise<void> =>
    createChanges(db, clock)(serviceActor, async (transaction) => {
      transaction.audit('user.updated', { kind: 'user', id: userId });
      await notify(transaction, 'test.happened', userId);
    });

  it('stays empty when no web hook is configured', async () => {
    const person = await makeTwoFactorPerson(api);
    assertOk(await api.request('POST', `/v3/users/${person.user.id}/OS-TWO-FACTOR/recovery_codes`), 201);
    for (let i = 0; i < 7; i++) await logInWith(api, person, { verification_code: person.phone.wrong() });
    assertOk(await api.delete(`/v3/users/${person.user.id}/OS-TWO-FACTOR/two_factor_auth`), 204);
    assert.deepEqual(await outboxOf(db), []);
  });

  it('holds nothing of a change that was rolled back', async () => {
    const { notify } = notifications();
    const change = createChanges(db, clock)(serviceActor, async (transaction) => {
      transaction.audit('user.updated', { kind: 'user', id: 'rolled back' });
      await notify(transaction, 'test.happened', 'rolled back');
      assert.equal((await transaction.tx.selectFrom('outbox').selectAll().execute()).length, 1);
      throw new Error('no');
    });
    await assert.rejects(change, /^Error: no$/);
    assert.deepEqual(await outboxOf(db), []);
  });

  describe('when the web hook does not take it', () => {
    const statuses = [500, 404, 302, 429, 300];
    it('tries again after waits that grow, and delivers once in the end', async () => {
      const sender = notifications();
      const user = { id: 'someone' };
      await leave(sender, user.id);
      let wait = 5;
      for (const [index, status] of statuses.entries()) {
        own.answer = () => status;
        await sender.sendDue();
        await sender.sendDue();
        assert.equal(own.about(user).length, index + 1, `attempt ${index + 1}`);
        clock.advance(wait - 1);
        await sender.sendDue();
        assert.equal(own.about(user).length, index + 1, `not before ${wait} seconds`);
        clock.advance(1);
        wait *= 2;
      }
      own.answer = () => 200;
      await sender.sendDue();
      assert.equal(own.about(user).length, statuses.length + 1);
      assert.deepEqual(await outboxOf(db), []);
      clock.advance(86_400);
      await sender.sendDue();
      assert.equal(own.about(user).length, statuses.length + 1);
      assert.equal(new Set(own.about(user).map(({ text }) => text)).size, 1);
      for (const received of own.about(user)) assertSigned(received);
    });

    it('tries again when nobody listens, and delivers when somebody does', async () => {
      const down = new Hook();
      await down.open();
      const { port, url } = down;
      await down.close();
      const sender = notifications(undefined, { url });
      await leave(sender, 'patient');
      for (let i = 0; i < 3; i++) {
        await sender.sendDue();
        clock.advance(3600);
      }
      assert.equal((await outboxOf(db))[0]?.attempts, 3);
      assert.ok(lines.some((line) => line.includes('ECONNREFUSED')));
      const up = new Hook();
      await up.open(port);
      await sender.sendDue();
      await sender.sendDue();
      assert.deepEqual(up.eventsOf({ id: 'patient' }), ['test.happened']);
      assert.deepEqual(await outboxOf(db), []);
      await up.close();
    });

    it('waits an hour at most, and gives up in the end', async () => {
      const sender = notifications();
      own.answer = () => 503;
      await leave(sender, 'hopeless');
      for (let i = 0; i < 20; i++) {
        await sender.sendDue();
        clock.advance(3600);
      }
      assert.equal(own.about({ id: 'hopeless' }).length, 15);
      const [row] = await outboxOf(db);
      assert.ok(row!.failed_at !== null && row!.last_error === '503', 'an administrator can send it again');
      clock.advance(8 * 86_400);
      assert.equal(await sender.sweep(), 1);
      assert.deepEqual(await outboxOf(db), []);
      own.answer = () => 204;
    });

    it('does not keep one notification waiting for another', async () => {
      const sender = notifications();
      own.answer = () => 500;
      await leave(sender, 'first');
      await sender.sendDue();
      own.answer = () => 204;
      await leave(sender, 'second');
      await sender.sendDue();
      assert.equal(own.about({ id: 'second' }).length, 1);
      assert.equal((await outboxOf(db)).length, 1);
      clock.advance(6);
      await sender.sendDue();
      assert.deepEqual(await outboxOf(db), []);
    });
  });

  it('is sent by one process of several, each notification once', async () => {
    // SQLite has one process, and one that waits for itself would wait in vain.
    const second = api.kind === 'SQLite' ? undefined : await databaseOf(api);
    try {
      const [a, b, c] = [notifications(), notifications(), notifications(undefined, { on: second ?? db })];
      own.answer = () => sleep(5, 204);
      const users = Array.from({ length: 12 }, (_, index) => ({ id: `shared ${index}` }));
      for (const { id } of users) await leave(a, id);
      await Promise.all([a.sendDue(), b.sendDue(), c.sendDue(), a.sendDue()]);
      for (const user of users) assert.equal(own.about(user).length, 1, user.id);
      assert.deepEqual(await outboxOf(db), []);
    } finally {
      await second?.close();
    }
  });

  it('is not sent by another process while the web hook takes its time', async () => {
    const calls: string[] = [];
    const hangs: Outbound = async ({ timeoutMs = 10_000 }) => {
      calls.push('called');
      clock.advance(timeoutMs / 1000);
      await other.sendDue();
      throw new Error('timed out');
    };
    const [sender, other] = [notifications(hangs), notifications()];
    await leave(sender, 'slow');
    await sender.sendDue();
    assert.equal(calls.length, 1);
    assert.equal(own.about({ id: 'slow' }).length, 0);
    clock.advance(60);
    await other.sendDue();
    assert.equal(own.about({ id: 'slow' }).length, 1);
  });

  it('does not hold up the end of the service, and loses nothing by it', async () => {
    const sender = notifications();
    own.answer = () => sleep(200, 204);
    const about = () => own.about({ id: 'stopped' }).length;
    for (let i = 0; i < 10; i++) await leave(sender, 'stopped');
    sender.start();
    await until('the first one', () => about() > 0);
    await sender.stop();
    assert.ok(about() <= 3, `${about()} were sent`);
    const left = 10 - about();
    assert.equal((await outboxOf(db)).length, left);
    own.answer = () => 204;
    await notifications().sendDue();
    assert.equal(about(), 10);
  });

  it('is sent whole though it is long', async () => {
    const sender = notifications();
    own.answer = () => 204;
    for (let i = 0; i < 45; i++) await leave(sender, 'many');
    for (let i = 0; i < 3; i++) await sender.sendDue();
    assert.equal(own.about({ id: 'many' }).length, 45);
    assert.deepEqual(await outboxOf(db), []);
  });

  it('is sent to nobody who is not allowed', async () => {
    const sender = notifications(createOutbound([]));
    await leave(sender, 'guarded');
    await sender.sendDue();
    assert.equal(own.about({ id: 'guarded' }).length, 0);
    const [row] = await outboxOf(db);
    assert.equal(row?.attempts, 1);
    await notifications().sendDue();
  });

  it('logs what failed, and never the secret', () => {
    assert.ok(lines.length > 0);
    assert.ok(!lines.join('').includes(SECRET));
  });
});
