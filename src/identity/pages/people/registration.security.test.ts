// Attacks on the pages where people register.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor } from '../../../../test/support/federation.ts';
import { InvitationClient, submit } from '../../../../test/support/invitations.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import {
  afterRequests,
  askForPassword,
  askToRegister,
  linkIn,
  mailsTo,
  newestMail,
  newMailbox,
  startMailServer,
  tokenIn,
  until,
} from '../../../../test/support/mailbox.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { approve, confirmedBy, refuse } from '../../../../test/support/registration.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { type BrowserPage, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { passkeyOf } from '../../../../test/support/ways-in.ts';
import { LANGUAGES } from '../../ground/look/index.ts';
import { isAllowed, readAddress } from '../../provisioning/people/index.ts';

const { en } = LANGUAGES;
const PAGE = '/openid/confirm-email';
const PASSWORD = 'a password that was chosen';

const server = await startMailServer();
const LINK_SECONDS = 600;
const ofMail = { ...smtpSettings(server), GATEHOUSE_IDENTITY_LINK_SECONDS: String(LINK_SECONDS) };
const OPEN = { GATEHOUSE_IDENTITY_REGISTRATION: 'open', GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS: 'example.org' };
const settings = { ...ofMail, ...OPEN };
const store = async (api: TestApi, values: Record<string, string | null>): Promise<void> => {
  assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: values }));
};

const complete = (api: TestApi, token: string, more: Record<string, string> = {}): Promise<BrowserPage> =>
  new TestBrowser(api).send(PAGE, { token, name: 'Ann', new_password: PASSWORD, new_password_again: PASSWORD, ...more });

const accountsOf = async (api: TestApi, name: string): Promise<{ id: string }[]> =>
  assertOk(await api.get(`/v3/users?name=${encodeURIComponent(name)}`)).users;

describe('Addresses that people enter', () => {
  it('are stored in one form, and refused if they could be another', () => {
    assert.equal(readAddress(' Ann@EXAMPLE.org '), 'Ann@example.org');
    assert.equal(readAddress('ann@b\u00fccher.example'), 'ann@xn--bcher-kva.example');
    assert.equal(readAddress('ann@example\u3002org'), undefined);
    for (const bad of [
      'ann',
      'a@evil.example@example.org',
      '"a@evil.example"@example.org',
      'a@example.org, b@evil.example',
      'a@example.org\r\nBcc: b@evil.example',
      '<a@example.org>',
      'a@[127.0.0.1]',
      '\uff41nn@example.org',
      '\u0430nn@example.org',
      'a\u200bnn@example.org',
    ])
      assert.equal(readAddress(bad), undefined, JSON.stringify(bad));
  });

  it('are allowed by their whole domain', () => {
    const allowed = ['Example.org', 'b\u00fccher.example'];
    for (const address of ['a@EXAMPLE.ORG', 'a@b\u00fccher.example', 'a@xn--bcher-kva.example'])
      assert.ok(isAllowed(readAddress(address)!, allowed), address);
    for (const address of ['a@sub.example.org', 'a@notexample.org', 'a@example.org.evil.example', 'example.org@evil.example'])
      assert.ok(!isAllowed(readAddress(address)!, allowed), address);
  });
});

underAttack(
  'A link of a registration',
  (api) => {
    const db = usesDatabaseOf(api);
    before(() => store(api, OPEN));
    async function linked() {
      const email = newMailbox();
      assert.equal((await askToRegister(api, email)).status, 200);
      const mail = await newestMail(server, email);
      return { email, link: linkIn(mail), token: tokenIn(mail) };
    }

    it('is not kept from somebody by a provider that gives their address to others', async () => {
      const id = uniqueName('idp');
      const provider = await providerFor(id);
      try {
        await connectProvider(api, provider, { id, settings: { accepts_tokens: true } });
        const people = new ProviderTokens(api, provider, id);
        // Who adds a passkey can disconnect the provider.
        for (const disconnects of [false, true]) {
          const victim = newMailbox();
          const claims = { preferred_username: victim, email: victim, email_verified: true };
          const { user } = assertOk(await people.validate(await people.enter(uniqueName('eve'), claims))).token;
          assert.equal(assertOk(await api.get(`/v3/users/${user.id}`)).user.email, victim);
          if (disconnects)
            await db().write(async (tx) => {
              await tx.insertInto('passkeys').values(passkeyOf(user.id)).execute();
              await tx.deleteFrom('provider_links').where('user_id', '=', user.id).execute();
            });
          await askToRegister(api, victim);
          const mail = await newestMail(server, victim);
          assert.equal(mail.subject, 'Confirm your e-mail address');
          assert.equal((await complete(api, tokenIn(mail))).status, 200);
          const [owner] = await accountsOf(api, victim);
          assert.ok(owner && owner.id !== user.id);
        }
      } finally {
        await provider.stop();
      }
    });

    it('makes one account, also if an invitation to the address is accepted at the same time', async () => {
      const client = new InvitationClient(api, server);
      const race = async (): Promise<void> => {
        const email = newMailbox();
        const invited = await client.opened((await client.invited({ email })).link);
        await askToRegister(api, email);
        const token = tokenIn(await newestMail(server, email, 2));
        const chosen = { name: uniqueName('ann'), new_password: PASSWORD, new_password_again: PASSWORD };
        await Promise.all([complete(api, token), submit(invited.browser, invited.page, 'create', chosen)]);
        const accounts = [...(await accountsOf(api, email)), ...(await accountsOf(api, chosen.name))];
        assert.equal(accounts.length, 1);
      };
      await Promise.all(Array.from({ length: 5 }, race));
    });

    it('works once, also of two requests at the same time, and does nothing for programs that open it', async () => {
      const { email, link, token } = await linked();
      for (const method of ['GET', 'HEAD']) assert.equal((await fetch(link, { method })).status, 200);
      assert.deepEqual(await accountsOf(api, email), []);
      const answers = await Promise.all([complete(api, token), complete(api, token)]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      assert.equal((await complete(api, token)).status, 400);
      assert.equal((await accountsOf(api, email)).length, 1);
    });

    it('is for its address only, and is no link for a password', async () => {
      const [one, other] = [await linked(), await linked()];
      const answer = await complete(api, one.token, { email: other.email, address: other.email, username: other.email });
      assert.equal(answer.status, 200);
      assert.deepEqual(await accountsOf(api, other.email), []);
      const password = { token: other.token, new_password: PASSWORD, new_password_again: PASSWORD };
      assert.equal((await new TestBrowser(api).send('/openid/new-password', password)).status, 400);
      await askForPassword(api, one.email);
      assert.equal((await complete(api, tokenIn(await newestMail(server, one.email, 2)))).status, 400);
    });

    it('creates no account over one that was made meanwhile, or after its time', async () => {
      const { email, token } = await linked();
      const user = await makeUser(api, { name: email.toUpperCase(), email: newMailbox() });
      assert.equal((await complete(api, token)).status, 409);
      await api.logIn({ id: user.id, password: user.password });
      const late = await linked();
      api.clock.advance(LINK_SECONDS + 1);
      assert.equal((await complete(api, late.token)).status, 400);
      assert.deepEqual(await accountsOf(api, late.email), []);
    });

    it('creates no account where registration was closed, or closed to the address or to those who do not say their name, while the password was hashed', async () => {
      for (const change of [
        { GATEHOUSE_IDENTITY_REGISTRATION: 'invitation' },
        { GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS: 'other.example' },
        { GATEHOUSE_IDENTITY_REGISTRATION_GIVEN_NAME: 'required' },
      ]) {
        const { email, token } = await linked();
        const answer = await whenAt(
          'change.before-transaction',
          () => store(api, change),
          () => complete(api, token),
        );
        assert.equal(answer.status, 400);
        assert.deepEqual(await accountsOf(api, email), []);
        await store(api, { GATEHOUSE_IDENTITY_REGISTRATION_GIVEN_NAME: null, ...OPEN });
        assert.equal((await complete(api, token)).status, 200, 'the link was not used up');
      }
    });

    describe('that an administrator confirms', () => {
      const waiting = async () => {
        await confirmedBy(api, 'administrator');
        const { email, token } = await linked();
        const page = await complete(api, token);
        await confirmedBy(api, null);
        assert.ok(page.status === 200 && page.text.includes('waits for approval'), page.text);
        const [user] = await accountsOf(api, email);
        return { id: user!.id, email };
      };

      it('lets nobody in before, and says no more than of an account that is not there', async () => {
        const { id, email } = await waiting();
        const byPassword = async (name: string): Promise<unknown> => {
          const answer = await api.authenticate({ name, domain: { id: 'default' }, password: PASSWORD });
          return [answer.status, answer.body];
        };
        assert.deepEqual(await byPassword(email), await byPassword(newMailbox()));
        const page = await new TestBrowser(api).signIn('/account', { name: email, password: PASSWORD });
        const unknown = await new TestBrowser(api).signIn('/account', { name: newMailbox(), password: PASSWORD });
        assert.deepEqual([page.status, page.text.includes(en.wrongPassword)], [unknown.status, true]);
        await askForPassword(api, email);
        await afterRequests(api, server);
        await askToRegister(api, email);
        const subjects = (await mailsTo(server, email, 2)).map(({ subject }) => subject);
        assert.deepEqual(subjects, ['Confirm your e-mail address', 'You have an account already'], 'no link for a password');
        assert.equal((await approve(api, id)).status, 204);
        const mail = await newestMail(server, email, 3);
        assert.equal(mail.subject, 'Your account is approved');
        await api.logIn({ id, password: PASSWORD });
      });

      it('waits also if that was asked for while the password was hashed', async () => {
        const { email, token } = await linked();
        const ask = () => confirmedBy(api, 'administrator');
        const page = await whenAt('change.before-transaction', ask, () => complete(api, token));
        await confirmedBy(api, null);
        assert.ok(page.text.includes('waits for approval'), page.text);
        const [user] = await accountsOf(api, email);
        assert.equal(assertOk(await api.get(`/v3/users/${user!.id}`)).user.enabled, false);
      });

      it('is decided once, and what is written to the person is text', async () => {
        for (let round = 0; round < 3; round++) {
          const { id, email } = await waiting();
          const reason = 'See <a href="https://evil.example/x">this</a>\r\nBcc: a@evil.example, https://evil.example/login';
          const answers = await Promise.all([approve(api, id), refuse(api, id, reason), approve(api, id)]);
          assert.equal(answers.filter(({ status }) => status === 204).length, 1, answers.map(({ status }) => status).join());
          const isThere = (await api.get(`/v3/users/${id}`)).status === 200;
          const mail = await newestMail(server, email, 2);
          assert.equal(mail.subject, isThere ? 'Your account is approved' : 'Your registration was not approved');
          assert.doesNotMatch(`${mail.text} ${mail.html}`, /<a href="https:\/\/evil|https?:\/\/evil/);
        }
      });

      it('is approved by no manager over whom the person would be', async () => {
        const { id } = await waiting();
        const manager = await api.persona(['manager'], { domain: 'default' });
        assertOk(await api.put(`/v3/domains/default/users/${id}/roles/${await api.roleId('admin')}`), 204);
        for (const answer of [
          await approve(api, id, { token: manager.token }),
          await refuse(api, id, undefined, { token: manager.token }),
        ])
          assert.equal(answer.status, 403);
        assertOk(await api.delete(`/v3/users/${id}`), 204);
      });
    });

    it('creates no second account for an address that has got one meanwhile', async () => {
      const { email, token } = await linked();
      await makeUser(api, { email: email.toUpperCase() });
      assert.equal((await complete(api, token)).status, 409);
      assert.deepEqual(await accountsOf(api, email), []);
    });

    it('gives no rights, and its name is text everywhere', async () => {
      const { email, token } = await linked();
      const name = '<img src=x onerror=alert(1)>\r\nBcc: evil@evil.example';
      assert.equal((await complete(api, token, { name, roles: 'admin', enabled: 'false', domain: 'x' })).status, 200);
      const [user] = await accountsOf(api, email);
      const granted = assertOk(await api.get(`/v3/role_assignments?user.id=${user!.id}`)).role_assignments;
      assert.deepEqual(granted, []);
      const page = await new TestBrowser(api).signIn('/account', { name: email, password: PASSWORD });
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.text, /<img/);
      await askForPassword(api, email);
      const mail = await newestMail(server, email, 2);
      assert.doesNotMatch(String(mail.html), /<img/);
      assert.ok(!server.received.some(({ raw }) => /^(bcc|cc):/im.test(raw)));
    });
  },
  { settings: ofMail },
);

onUsualDatabase(
  'The page to register',
  (api) => {
    it('is closed for a domain that cannot exist', async () => {
      const statuses = { '%00': 400, 'x%00': 400, '%ff': 403, '%ed%a0%80': 403 };
      for (const [domain, status] of Object.entries(statuses))
        assert.equal((await new TestBrowser(api).go(`/openid/register?domain=${domain}`)).status, status, domain);
    });
  },
  { settings },
);

onDatabase('SQLite', 'The page to register', { settings }, (api) => {
  it('answers the same whether there is an account or not, byte for byte but for the address', async () => {
    const person = await makeUser(api);
    const closed = await makeUser(api, { enabled: false });
    const named = `${newMailbox()}`;
    await makeUser(api, { name: named, email: newMailbox() });
    const addresses = [newMailbox(), person.user.email as string, closed.user.email as string, named];
    const answers = await Promise.all(addresses.map((email) => askToRegister(api, email)));
    const comparable = answers.map(({ status, text, headers }, at) => {
      const kept = [...headers].filter(([name]) => !['date', 'x-openstack-request-id', 'content-length'].includes(name));
      return JSON.stringify([status, text.replaceAll(addresses[at]!, '#'), kept]);
    });
    assert.equal(new Set(comparable).size, 1, comparable.join('\n'));
  });

  it('takes no address of another domain, and no form of another site', async () => {
    const before = server.received.length;
    const tricks = [
      'a@evil.example',
      'a@sub.example.org',
      'a@example.org.evil.example',
      'a@evil.example@example.org',
      'a@example.org,b@evil.example',
      'a@example.org%0d%0aBcc:b@evil.example',
    ];
    for (const email of tricks) assert.equal((await askToRegister(api, email)).status, 400, email);
    const foreign = await new TestBrowser(api).send(
      '/openid/register',
      { email: newMailbox() },
      { Origin: 'https://evil.example' },
    );
    assert.equal(foreign.status, 403);
    await afterRequests(api, server);
    const sent = server.received.slice(before).flatMap(({ to }) => to);
    assert.ok(!sent.some((address) => address.includes('evil') || address.includes('sub.')), sent.join());
  });
});

onDatabase('SQLite', 'Requests to register', { settings, rateLimits: true }, (api) => {
  it('fill no mailbox, and are limited by network address', async () => {
    const email = newMailbox();
    for (let i = 0; i < 7; i++) assert.equal((await askToRegister(api, email)).status, 200);
    await afterRequests(api, server);
    assert.equal((await mailsTo(server, email, 5)).length, 5);
    const person = await makeUser(api);
    for (let i = 0; i < 6; i++) assert.equal((await askToRegister(api, person.user.email as string)).status, 200);
    await askForPassword(api, person.name);
    const subjects = (await mailsTo(server, person.user.email as string, 6)).map(({ subject }) => subject);
    assert.ok(subjects.includes('Choose a new password'), 'strangers who register do not keep the owner from a new password');
    const [box] = newMailbox().split('@');
    const aliases = Array.from({ length: 7 }, (_, i) => `${i % 2 ? box : box!.toUpperCase()}+${i}@example.org`);
    for (const alias of aliases) assert.equal((await askToRegister(api, alias)).status, 200);
    await afterRequests(api, server);
    const arrived = () => aliases.flatMap((alias) => server.to(alias)).length;
    await until(() => arrived() >= 5, '5 mails to one mailbox');
    await api.service.mail.sendDue();
    assert.equal(arrived(), 5, 'addresses of one mailbox count together');
    let status = 200;
    for (let i = 0; i < 40 && status === 200; i++) ({ status } = await askToRegister(api, newMailbox()));
    assert.equal(status, 429);
  });
});
