// A sign-in that somebody else began: its cookies were planted in the browser of the person, by a neighbouring host or over plain http. Who
// planted them knows them, and asks for the session first.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onUsualDatabase, TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { enable, Phone } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

type Person = Awaited<ReturnType<typeof makeUser>>;

/** Sends a form, and does not follow the redirect. */
function post(api: TestApi, browser: TestBrowser, page: BrowserPage, step: string, answers: Record<string, string>) {
  const form = page.forms.find(({ fields }) => fields.step === step);
  assert.ok(form, page.text);
  return browser.request(new URL(form.action, page.url), {
    method: 'POST',
    body: new URLSearchParams({ ...form.fields, ...answers }),
    headers: { Origin: api.url, 'Sec-Fetch-Site': 'same-origin' },
  });
}

onUsualDatabase('A sign-in that was planted in the browser of somebody else', (api) => {
  /** The attacker begins, and the person is at its page. */
  async function plant(more: Record<string, string> = {}) {
    const [party, attacker, victim] = [await RelyingParty.make(api), new TestBrowser(api), new TestBrowser(api)];
    const { url } = await party.ask(more);
    const begun = await attacker.go(url);
    const { pathname } = new URL(begun.url);
    const uid = pathname.split('/').at(-1)!;
    for (const [kind, path] of [
      ['interaction', pathname],
      ['resume', `/openid/authorize/${uid}`],
    ] as const)
      for (const end of ['', '.sig']) {
        const name = `gatehouse_${kind}${end}`;
        victim.putCookie(name, attacker.cookie(name)!.value, path);
      }
    const page = await victim.go(begun.url);
    assert.equal(stepOf(page), 'password');
    return { attacker, victim, page, resume: `/openid/authorize/${uid}` };
  }

  async function assertNobody(browser: TestBrowser, page: BrowserPage): Promise<void> {
    assert.equal(page.redirectTarget, undefined, 'no code for the application');
    assert.notEqual(stepOf(page), 'allow');
    assert.equal(stepOf(await browser.go('/account')), 'password', 'not signed in');
  }

  const enter = (person: Person) => ({ name: person.name, password: person.password });

  it('gives whoever began it no session, although they ask first', async () => {
    const person = await makeUser(api);
    const { attacker, victim, page, resume } = await plant();
    const done = await post(api, victim, page, 'password', enter(person));
    assert.equal(done.status, 303, done.text);
    await assertNobody(attacker, await attacker.go(resume));
    await assertNobody(attacker, await attacker.go(page.url));
    // It is the person's own sign-in all the same.
    redirectTargetOf(await victim.submit(await victim.go(done.headers.get('location')!), 'allow'));
    await assertNobody(attacker, await attacker.go(resume));
  });

  it('does not let them take part after the first step', async () => {
    const person = await makeUser(api);
    const phone = new Phone(api, (await enable(api, person)).body.two_factor_auth.two_factor_key);
    const { attacker, victim, page, resume } = await plant();
    const second = await victim.submit(page, 'password', enter(person));
    assert.equal(stepOf(second), 'code');
    assert.equal((await attacker.go(page.url)).status, 400);
    const form = second.forms.find(({ fields }) => fields.step === 'code')!;
    const sent = await attacker.send(new URL(form.action, second.url), { ...form.fields, code: phone.fresh() });
    assert.equal(sent.status, 400);
    await assertNobody(attacker, await attacker.go(resume));
    redirectTargetOf(await victim.answerForms(second, { ...enter(person), code: () => phone.fresh() }));
  });

  it('leaves nothing of the person to a request that was there before, and is finished later', async () => {
    const [person, own] = [await makeUser(api), await makeUser(api)];
    await enable(api, person);
    const { attacker, victim, page } = await plant();
    const theirs = await attacker.go(page.url);
    const form = theirs.forms.find(({ fields }) => fields.step === 'password')!;
    const body = Buffer.from(new URLSearchParams({ ...form.fields, ...enter(own) }).toString());
    const victimDone = Promise.withResolvers<void>();
    const slowly = ReadableStream.from(
      (async function* () {
        yield body.subarray(0, 5);
        await victimDone.promise;
        yield body.subarray(5);
      })(),
    );
    const finished = attacker.request(new URL(form.action, page.url), {
      method: 'POST',
      body: slowly,
      duplex: 'half',
      headers: {
        Origin: api.url,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
    });
    await attacker.copy().go(page.url);
    assert.equal(stepOf(await victim.submit(page, 'password', enter(person))), 'code');
    victimDone.resolve();
    assert.equal((await finished).status, 303, 'it was there before');
    assert.equal(stepOf(await attacker.go(page.url)), 'password');
  });

  it('is not collected with a secret that was made up, or with that of another sign-in', async () => {
    const [person, own] = [await makeUser(api), await makeUser(api)];
    const { attacker, victim, page, resume } = await plant();
    const mine = await plant();
    await post(api, mine.victim, mine.page, 'password', enter(own));
    const { value: secret } = mine.victim.cookie(/^gatehouse_browser_/)!;
    await post(api, victim, page, 'password', enter(person));
    const { name } = victim.cookie(/^gatehouse_browser_/)!;
    for (const value of ['', 'x', secret]) {
      attacker.putCookie(name, value, '/');
      await assertNobody(attacker, await attacker.go(resume));
    }
  });
});

describe('The secret of a browser that signs in over https', () => {
  it('is in a cookie that no other host and no plain http can set', async () => {
    const url = 'https://sign-in.example.org';
    const api = new TestApi('SQLite', { settings: { GATEHOUSE_IDENTITY_URL: url }, trustedProxies: ['127.0.0.1'] });
    await api.start();
    try {
      const { name, password } = await makeUser(api, { name: uniqueName('person') });
      const browser = new TestBrowser(api, { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'sign-in.example.org' });
      const start = await browser.request(
        `/openid/authorize?${new URLSearchParams({ client_id: 'gatehouse_account', response_type: 'none', scope: 'openid', redirect_uri: `${url}/account` })}`,
      );
      const at = new URL(start.headers.get('location') ?? '', api.url).pathname;
      const page = await browser.request(at);
      const form = page.forms.find(({ fields }) => fields.step === 'password');
      assert.ok(form, `${page.status} ${page.text}`);
      await browser.request(at, {
        method: 'POST',
        body: new URLSearchParams({ ...form.fields, name, password }),
        headers: { 'Sec-Fetch-Site': 'same-origin' },
      });
      const set = browser.setCookies.find((line) => line.startsWith('__Host-gatehouse_browser_'));
      assert.ok(set, browser.setCookies.join('\n'));
      assert.match(set, /; Path=\/; .*HttpOnly; SameSite=Lax; Secure/);
      assert.doesNotMatch(set, /Domain/);
    } finally {
      await api.stop();
    }
  });
});
