// People get a mail when their second factor or their recovery codes change.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { MailServer, smtpSettings } from '../../../../test/support/mail-server.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { enable, NO_BODY, Phone, QUESTION } from '../../../../test/support/second-factor.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import type { Database } from '../../ground/database/index.ts';

const ON = 'Two-factor authentication was turned on';
const OFF = 'Two-factor authentication was turned off';
const REPLACED = 'The key of your two-factor authentication was replaced';
const CODES = 'New recovery codes were made for your account';
const server = new MailServer();
await server.open();
// So that the process can end.
server.unref();

onUsualDatabase(
  'A changed second factor',
  (api) => {
    let db: Database;
    before(async () => {
      db = await databaseOf(api);
    });
    after(() => db.close());

    const own = ({ id }: { id: string }, what: string) => `/v3/users/${id}/OS-TWO-FACTOR/${what}`;
    /** Waits until the queue is empty. */
    async function mailsTo({ user }: { user: { name: string } }) {
      const waiting = async () => (await db.read.selectFrom('mails').select('id').execute()).length;
      for (const end = Date.now() + 30_000; (await waiting()) > 0; await delay(50)) assert.ok(Date.now() < end);
      return server.to(`${user.name}@example.org`).map(({ mail }) => mail);
    }
    const subjectsTo = async (person: { user: { name: string } }) => (await mailsTo(person)).map(({ subject }) => subject).sort();

    it('is reported for each change by an administrator, without a secret', async () => {
      const person = await makeUser(api);
      const { two_factor_key: first } = assertOk(await enable(api, person), 201).two_factor_auth;
      const { two_factor_key: second } = assertOk(await enable(api, person, NO_BODY), 201).two_factor_auth;
      const { recovery_codes: codes } = assertOk(await api.request('POST', own(person, 'recovery_codes')), 201).two_factor_auth;
      assertOk(await api.delete(own(person, 'two_factor_auth')), 204);
      assert.deepEqual(await subjectsTo(person), [ON, OFF, REPLACED, CODES].sort());
      for (const { text, html } of await mailsTo(person))
        for (const content of [text ?? '', html || '']) {
          assert.ok(content.includes(`Hello ${person.name},`) && content.includes(`${api.url}/account`));
          assert.match(content, /If it was not you and not your administrator/);
          for (const secret of [first, second, ...codes, QUESTION.security_question, QUESTION.security_answer.trim()])
            assert.ok(!content.includes(secret), 'no secret in a mail');
        }
    });

    it('is reported to whoever changes it, by the API and at the account page', async () => {
      const person = await makeUser(api);
      const token = await api.logIn({ id: person.id, password: person.password });
      assertOk(await api.post(own(person, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token }), 201);
      assert.deepEqual(await subjectsTo(person), [ON]);

      const visitor = await makeUser(api);
      const browser = new TestBrowser(api);
      const proposal = await browser.submit(await browser.signIn('/account/security', visitor), 'two-factor-on');
      const key = /secret=([A-Z2-7]{32})/.exec(proposal.text)?.[1];
      assert.ok(key, proposal.text);
      const phone = new Phone(api, key);
      const answers = { question: 'Street', answer: 'Main' };
      await browser.submit(proposal, 'two-factor-confirm', { ...answers, code: phone.wrong() });
      assert.deepEqual(await subjectsTo(visitor), [], 'a wrong code changes nothing');
      await browser.submit(proposal, 'two-factor-confirm', { ...answers, code: phone.fresh() });
      assert.deepEqual(await subjectsTo(visitor), [ON], 'the codes that come with it need no mail of their own');
      await browser.submit(await browser.go('/account/security'), 'recovery-codes');
      await browser.submit(await browser.go('/account/security'), 'two-factor-off', { password: 'wrong' });
      assert.deepEqual(await subjectsTo(visitor), [ON, CODES].sort(), 'a wrong password changes nothing');
      await browser.submit(await browser.go('/account/security'), 'two-factor-off', { password: visitor.password });
      assert.deepEqual(await subjectsTo(visitor), [ON, OFF, CODES].sort());
    });

    it('is not reported if the change failed, nor when the user is provisioned or deleted', async () => {
      const person = await makeUser(api);
      assertRefused(await enable(api, person, NO_BODY), 400);
      assertRefused(await api.delete(own(person, 'two_factor_auth')), 404);
      assertRefused(await api.request('POST', own(person, 'recovery_codes')), 404);
      const { token } = await api.persona(['member'], { project: (await api.make('project', { name: uniqueName('own') })).id });
      assertRefused(await api.post(own(person, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token }), 403);
      assert.deepEqual(await subjectsTo(person), []);

      assertOk(await enable(api, person), 201);
      const domain = { domain_id: 'default', name: uniqueName('connection') };
      const { connection } = assertOk(await api.post('/v3/OS-SCIM/connections', { connection: domain }), 201);
      const put = await api.request('PUT', `/scim/v2/Users/${person.id}`, {
        token: null,
        body: {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: person.name,
          displayName: 'Ana García',
          preferredLanguage: 'es-MX',
          emails: [{ value: `${person.name}@example.org`, primary: true }],
        },
        headers: { Authorization: `Bearer ${connection.token}`, 'Content-Type': 'application/scim+json' },
      });
      assert.equal(put.status, 200, put.text);
      assert.deepEqual(await subjectsTo(person), [ON]);
      assertOk(await api.request('POST', own(person, 'recovery_codes')), 201);
      const spanish = 'Se han creado códigos de recuperación nuevos para su cuenta';
      assert.deepEqual(await subjectsTo(person), [spanish, ON].sort());
      assertOk(await api.delete(`/v3/users/${person.id}`), 204);
      assert.deepEqual(await subjectsTo(person), [spanish, ON].sort());
    });

    it('is not prevented by a missing address', async () => {
      const user = await api.make('user', { name: uniqueName('ann'), password: 'the password of ann' });
      const received = server.received.length;
      assertOk(await enable(api, user), 201);
      assertOk(await api.request('POST', own(user, 'recovery_codes')), 201);
      assertOk(await api.delete(own(user, 'two_factor_auth')), 204);
      await mailsTo({ user });
      assert.equal(server.received.length, received);
    });
  },
  { settings: smtpSettings(server) },
);
