// Users get a mail when their password is changed.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { MailServer, smtpSettings } from '../../../../test/support/mail-server.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import type { Database } from '../database/index.ts';

const PASSWORD = 'the password of ann';
const server = new MailServer();
await server.open();
// So that the process can end.
server.unref();

onEachDatabase(
  'A changed password',
  (api: TestApi) => {
    let db: Database;
    before(async () => {
      db = await databaseOf(api);
    });
    after(() => db.close());

    const newAddress = (): string => `${uniqueName('ann')}@example.org`;
    const make = (values: Record<string, unknown> = {}) =>
      api.make('user', { name: uniqueName('ann'), password: PASSWORD, ...values });
    const changeOwn = (user: { id: string }, original = PASSWORD) =>
      api.post(
        `/v3/users/${user.id}/password`,
        { user: { original_password: original, password: 'another one' } },
        { token: null },
      );
    /** Waits until the queue is empty. */
    async function mailsTo(address: string) {
      const waiting = async () => (await db.read.selectFrom('mails').select('id').execute()).length;
      for (const end = Date.now() + 30_000; (await waiting()) > 0; await delay(50)) assert.ok(Date.now() < end);
      return server.to(address).map(({ mail }) => mail);
    }

    it('is reported to the user, also if an administrator changed it', async () => {
      const email = newAddress();
      const user = await make({ email });
      assertOk(await changeOwn(user), 204);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { password: 'given' } }));
      const mails = await mailsTo(email);
      assert.equal(mails.length, 2);
      for (const { subject, text } of mails) {
        assert.equal(subject, 'Your password was changed');
        assert.ok(text?.startsWith(`Hello ${user.name},`));
        assert.ok(text?.includes(`${api.url}/account`));
        for (const secret of [PASSWORD, 'another one', 'given']) assert.ok(!text?.includes(secret), 'no password in a mail');
      }
    });

    it('is reported in the language and with the name of the profile', async () => {
      const email = newAddress();
      const user = await make();
      const person = {
        userName: user.name,
        displayName: 'Ana García',
        preferredLanguage: 'es-MX',
        emails: [{ value: email, primary: true }],
      };
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
      const domain = { domain_id: 'default', name: uniqueName('connection') };
      const { connection } = assertOk(await api.post('/v3/OS-SCIM/connections', { connection: domain }), 201);
      const put = await api.request('PUT', `/scim/v2/Users/${user.id}`, {
        token: null,
        body: { schemas, ...person },
        headers: { Authorization: `Bearer ${connection.token}`, 'Content-Type': 'application/scim+json' },
      });
      assert.equal(put.status, 200, put.text);
      assertOk(await changeOwn(user), 204);
      const [mail] = await mailsTo(email);
      assert.equal(mail?.subject, 'Se ha cambiado su contraseña');
      assert.ok(mail?.text?.startsWith('Hola, Ana García:'));
    });

    it('is reported to the former address if both change at the same time', async () => {
      const [former, next] = [newAddress(), newAddress()];
      const user = await make({ email: former });
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { email: next, password: 'given' } }));
      assert.deepEqual([(await mailsTo(former)).length, (await mailsTo(next)).length], [1, 0]);
    });

    it('is not prevented by a missing or invalid address', async () => {
      const before = server.received.length;
      for (const email of [undefined, 'nobody', 'ann@', 'ann@@example.org']) {
        const user = await make(email === undefined ? {} : { email });
        assertOk(await changeOwn(user), 204);
        await api.logIn({ id: user.id, password: 'another one' });
      }
      await mailsTo('nobody@example.org');
      assert.equal(server.received.length, before);
    });

    it('is not reported if the change failed', async () => {
      const email = newAddress();
      const user = await make({ email });
      assertRefused(await changeOwn(user, 'wrong'), 401);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { description: 'taller' } }));
      const taken = await make();
      assertRefused(await api.patch(`/v3/users/${user.id}`, { user: { name: taken.name, password: 'given' } }), 409);
      assert.deepEqual(await mailsTo(email), []);
    });
  },
  { settings: smtpSettings(server) },
);
