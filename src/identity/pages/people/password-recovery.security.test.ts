// Attacks on the pages for a forgotten password.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onDatabase, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import {
  afterRequests,
  askForPassword,
  linkIn,
  mailsTo,
  newestMail,
  newMailbox,
  startMailServer,
  tokenIn,
} from '../../../../test/support/mailbox.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const { en } = LANGUAGES;
const PAGE = '/openid/new-password';
const FORGOTTEN = '/openid/forgotten-password';
const FRESH = 'a fresh one of a person';

const server = await startMailServer();
const LINK_SECONDS = 600;
const settings = { ...smtpSettings(server), GATEHOUSE_IDENTITY_LINK_SECONDS: String(LINK_SECONDS) };

async function linked(api: TestApi, values: Record<string, unknown> = {}) {
  const email = newMailbox();
  const person = await makeUser(api, { email, ...values });
  await askForPassword(api, person.name);
  const mail = await newestMail(server, email);
  return { ...person, email, link: linkIn(mail), token: tokenIn(mail) };
}

const choose = (api: TestApi, token: string, password = FRESH): Promise<BrowserPage> =>
  new TestBrowser(api).send(PAGE, { token, new_password: password, new_password_again: password });

const canLogIn = async (api: TestApi, name: string, password: string): Promise<boolean> =>
  (await api.authenticate({ name, password })).status === 201;

underAttack(
  'A link for a new password',
  (api) => {
    it('works once, also of two requests at the same time', async () => {
      const { token, name } = await linked(api);
      const passwords = ['the one of two requests', 'the other of two requests'];
      const answers = await Promise.all(passwords.map((password) => choose(api, token, password)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      const winner = passwords[answers.findIndex(({ status }) => status === 200)]!;
      assert.ok(await canLogIn(api, name, winner));
      assert.equal((await choose(api, token)).status, 400);
      assert.ok(await canLogIn(api, name, winner));
    });

    it('does nothing for programs that open it', async () => {
      const { link, token, name, password } = await linked(api);
      for (const method of ['GET', 'HEAD', 'GET']) {
        const answer = await fetch(link, { method });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assert.equal(answer.headers.get('referrer-policy'), 'same-origin');
        assert.equal(answer.headers.getSetCookie().length, 0);
      }
      assert.ok(await canLogIn(api, name, password));
      assert.equal((await choose(api, token)).status, 200);
    });

    it('is ended by the next one, by a changed password or address, by a disabled account, and by time', async () => {
      const ends: [string, (person: Awaited<ReturnType<typeof linked>>) => Promise<unknown>][] = [
        [
          'the next one',
          async ({ name, email }) => {
            await askForPassword(api, name);
            await mailsTo(server, email, 2);
          },
        ],
        ['a new password', async ({ id }) => assertOk(await api.patch(`/v3/users/${id}`, { user: { password: 'given' } }))],
        ['another address', async ({ id }) => assertOk(await api.patch(`/v3/users/${id}`, { user: { email: newMailbox() } }))],
        ['disabled', async ({ id }) => assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled: false } }))],
        [
          'locked',
          async ({ id }) => assertOk(await api.patch(`/v3/users/${id}`, { user: { options: { lock_password: true } } })),
        ],
        ['deleted', async ({ id }) => assertOk(await api.delete(`/v3/users/${id}`), 204)],
        ['time', async () => api.clock.advance(LINK_SECONDS + 1)],
      ];
      for (const [what, end] of ends) {
        const person = await linked(api);
        await end(person);
        assert.equal((await new TestBrowser(api).go(person.link)).status, 400, what);
        const answer = await choose(api, person.token);
        assert.equal(answer.status, 400, what);
        assert.ok(answer.text.includes(en.linkEndedTitle), what);
        assert.ok(!(await canLogIn(api, person.name, FRESH)), what);
      }
    });

    it('is for its account only, and for nothing else', async () => {
      const [one, other] = [await linked(api), await linked(api)];
      const form = { token: one.token, name: other.name, user_id: other.id, new_password: FRESH, new_password_again: FRESH };
      assert.equal((await new TestBrowser(api).send(PAGE, form)).status, 200);
      assert.ok(await canLogIn(api, one.name, FRESH));
      assert.ok(await canLogIn(api, other.name, other.password));
      for (const token of ['', 'x', `${other.token}x`, other.token.slice(1), `${other.token}\n`])
        if (token.trim() !== other.token) assert.equal((await choose(api, token)).status, 400, token);
    });

    it('replaces no second factor', async () => {
      const person = await makeTwoFactorPerson(api);
      const email = newMailbox();
      assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { email } }));
      await askForPassword(api, email);
      assert.equal((await choose(api, tokenIn(await newestMail(server, email)))).status, 200);
      const page = await new TestBrowser(api).signIn('/account', { name: person.user.name, password: FRESH });
      assert.equal(stepOf(page), 'code');
      assert.equal((await api.authenticate({ id: person.user.id, password: FRESH })).status, 401);
    });

    it('is in no log and in no row', async () => {
      const { token } = await linked(api);
      await new TestBrowser(api).go(`${PAGE}?token=${token}`);
      await choose(api, token);
      assert.ok(!api.logged.some((line) => line.includes(token)));
      const db = await databaseOf(api);
      try {
        const rows = await db.read.selectFrom('audit_events').select('detail').execute();
        assert.ok(!rows.some(({ detail }) => detail.includes(token)));
      } finally {
        await db.close();
      }
    });

    it('has the address of the service, whatever host the request names', async () => {
      const email = newMailbox();
      const person = await makeUser(api, { email });
      const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
      const answer = await new TestBrowser(api).request(FORGOTTEN, {
        method: 'POST',
        body: new URLSearchParams({ name: person.name }),
        headers,
      });
      assert.equal(answer.status, 200);
      assert.equal(linkIn(await newestMail(server, email)).origin, new URL(api.url).origin);
    });
  },
  { settings },
);

onDatabase('SQLite', 'The page for a forgotten password', { settings }, (api) => {
  it('answers the same for everybody, byte for byte', async () => {
    const [person, closed] = [await makeUser(api), await makeUser(api, { enabled: false })];
    const names = [person.name, person.user.email as string, closed.name, uniqueName('nobody'), 'nobody@example.org', ''];
    const answers = await Promise.all(names.map((name) => askForPassword(api, name)));
    const comparable = answers.map(({ status, text, headers }) => {
      const kept = [...headers].filter(([name]) => !['date', 'x-openstack-request-id'].includes(name));
      return JSON.stringify([status, text, kept]);
    });
    assert.equal(new Set(comparable).size, 1, comparable.join('\n'));
  });

  it('sends mails to the stored address, not to one that only looks like it', async () => {
    const email = newMailbox();
    await makeUser(api, { email });
    const tricks = [
      email.replace('b', '\uff42'),
      `${email}@evil.example`,
      `evil@evil.example,${email}`,
      `${email}\r\nBcc: evil@evil.example`,
    ];
    for (const typed of tricks) assert.equal((await askForPassword(api, typed)).status, 200);
    await afterRequests(api, server);
    for (const { to } of server.to(email)) assert.deepEqual(to, [email]);
    assert.equal(server.received.filter(({ to }) => to.some((address) => address.includes('evil'))).length, 0);
    assert.ok(!server.received.some(({ raw }) => /^bcc:/im.test(raw)));
  });

  it('sends mails first about accounts whose users have proved the address, if there are many', async () => {
    const { email, token, name } = await linked(api);
    assert.equal((await choose(api, token)).status, 200);
    await Promise.all(Array.from({ length: 20 }, () => makeUser(api, { email })));
    await askForPassword(api, email);
    const mails = (await mailsTo(server, email, 7)).filter(({ subject }) => subject === 'Choose a new password');
    assert.equal(mails.length, 6);
    assert.equal(mails.filter(({ text }) => new RegExp(`${name}\\b`).test(text ?? '')).length, 2);
  });

  it('refuses forms of other sites, and leads to no other site', async () => {
    const browser = new TestBrowser(api);
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }])
      assert.equal((await browser.send(FORGOTTEN, { name: 'x' }, headers)).status, 403);
    const elsewhere = ['//evil.example', 'https://evil.example/long-enough', '../../evil.example', 'javascript:alert(1)//x'];
    for (const interaction of elsewhere) {
      const page = await browser.go(`${FORGOTTEN}?${new URLSearchParams({ interaction })}`);
      assert.doesNotMatch(page.text, /evil|javascript/);
      const sent = await browser.send(FORGOTTEN, { name: 'x', interaction });
      assert.doesNotMatch(sent.text, /evil|javascript/);
    }
  });

  it('escapes what was typed, and the names of people', async () => {
    const name = `<img src=x onerror=alert(1)> ${uniqueName('x')}`;
    const page = await new TestBrowser(api).go(`${FORGOTTEN}?${new URLSearchParams({ name, domain: '"><script>' })}`);
    assert.doesNotMatch(page.text, /<img|<script/);
    const email = newMailbox();
    const user = await makeUser(api, { name, email });
    await askForPassword(api, user.name);
    const mail = await newestMail(server, email);
    assert.doesNotMatch(String(mail.html), /<img/);
    assert.doesNotMatch((await new TestBrowser(api).go(linkIn(mail))).text, /<img/);
  });
});

onDatabase('SQLite', 'Requests for mails', { settings, rateLimits: true }, (api) => {
  it('fill no mailbox, and the answers stay the same', async () => {
    const email = newMailbox();
    const person = await makeUser(api, { email });
    const answers: string[] = [];
    for (let i = 0; i < 8; i++) answers.push((await askForPassword(api, i % 2 === 0 ? person.name : email)).text);
    assert.equal(new Set(answers).size, 1);
    await afterRequests(api, server);
    assert.equal((await mailsTo(server, email, 5)).length, 5);
  });

  it('are limited by network address, whoever they are about', async () => {
    let page: BrowserPage | undefined;
    for (let i = 0; i < 40 && page?.status !== 429; i++) page = await askForPassword(api, uniqueName('nobody'));
    assert.equal(page?.status, 429);
    assert.match(page!.text, /Too many attempts/);
    assert.equal((await askForPassword(api, (await makeUser(api)).name)).status, 429);
  });
});
