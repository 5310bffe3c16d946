// What an administrator says of addresses while a mail is on its way counts when its link is used.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import { linkIn, newestMail, newMailbox, startMailServer } from '../../../../test/support/mailbox.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const server = await startMailServer();

onUsualDatabase(
  'A link to a new e-mail address',
  (api) => {
    it('ends when the domain does not take such addresses any more', async () => {
      const [former, fresh] = [newMailbox(), newMailbox()];
      const person = await makeUser(api, { email: former });
      const browser = new TestBrowser(api);
      await browser.submit(await browser.signIn('/account/security', person), 'change-email', { email: fresh });
      const page = await browser.go(linkIn(await newestMail(server, fresh)));
      const emailNow = async () => assertOk(await api.get(`/v3/users/${person.id}`)).user.email;
      const allow = async (domains: string | null) =>
        assertOk(
          await api.patch('/v3/OS-SERVICE/domains/default/settings', {
            settings: { 'registration.allowed_email_domains': domains },
          }),
        );
      await allow('elsewhere.example');
      assert.equal((await browser.submit(page, undefined)).status, 400);
      assert.equal(await emailNow(), former);
      await allow(null);
      assert.equal((await browser.submit(page, undefined)).status, 200);
      assert.equal(await emailNow(), fresh);
    });
  },
  { settings: smtpSettings(server) },
);
