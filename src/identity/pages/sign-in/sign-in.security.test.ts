// Attacks on the sign-in pages: forged forms, guessing, skipping the second factor, copied cookies, hostile names, and secrets in
// the log.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { enable, makeTwoFactorPerson, Phone } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const WRONG = /User name or password is not right/;
const WRONG_CODE = /This code is not right, or it was used already/;
const EXPIRED = /This page has expired/;
const times = async <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let index = 0; index < count; index++) results.push(await work(index));
  return results;
};

/** At the page that asks for the password. */
async function atSignIn(api: TestApi, more: Record<string, string> = {}, values: Record<string, unknown> = {}) {
  const [party, browser] = [await RelyingParty.make(api, values), new TestBrowser(api)];
  const page = await browser.go((await party.ask(more)).url);
  assert.equal(stepOf(page), 'password');
  return { party, browser, page };
}

async function makeCareful(api: TestApi) {
  const { user, password, phone } = await makeTwoFactorPerson(api);
  return { user, phone, name: user.name as string, password, code: () => phone.fresh() };
}

const formOf = (page: BrowserPage, step: string) => page.forms.find(({ fields }) => fields.step === step)!;

onUsualDatabase('Signing in under attack', (api) => {
  describe('a form', () => {
    it('of another site is refused, by what browsers say of where it comes from', async () => {
      const { browser, page } = await atSignIn(api);
      const person = await makeUser(api);
      const { action, fields } = formOf(page, 'password');
      const filled = { ...fields, name: person.name, password: person.password };
      for (const headers of [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { Origin: api.url.replace('http:', 'https:') },
        { Origin: `${api.url}.evil.example` },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
      ]) {
        const answer = await browser.send(action, filled, headers as Record<string, string>);
        assert.equal(answer.status, 403, JSON.stringify(headers));
      }
      assert.equal(stepOf(await browser.send(action, filled)), 'allow', 'our own is good');
    });

    it('without our token, or with that of another sign-in, is refused', async () => {
      const { browser, page } = await atSignIn(api);
      const other = await atSignIn(api);
      const person = await makeUser(api);
      const { action, fields } = formOf(page, 'password');
      const { form_token: good, ...blank } = fields as { form_token: string };
      const others = { ...blank, name: person.name, password: person.password };
      const foreign = formOf(other.page, 'password').fields.form_token!;
      for (const token of [undefined, '', 'guessed', foreign, good.slice(0, -1), `${good}x`]) {
        const answer = await browser.send(action, { ...others, ...(token === undefined ? {} : { form_token: token }) });
        assert.equal(answer.status, 403, token);
      }
      for (const step of ['cancel', 'allow', 'new-password', 'code', 'recovery'])
        assert.equal((await browser.send(action, { step })).status, 403, step);
    });

    it('that is no form, or too large, is refused', async () => {
      const { browser, page } = await atSignIn(api);
      const { action, fields } = formOf(page, 'password');
      const json = await browser.go(action, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } });
      assert.equal(json.status, 415);
      assert.equal((await browser.send(action, { ...fields, name: 'x'.repeat(20_000) })).status, 413);
    });

    it('is good once: what is finished cannot be done again', async () => {
      const { browser, page } = await atSignIn(api);
      const person = await makeUser(api);
      const consent = await browser.submit(page, 'password', { name: person.name, password: person.password });
      redirectTargetOf(await browser.submit(consent, 'allow'));
      for (const [one, step] of [
        [page, 'password'],
        [consent, 'allow'],
      ] as const) {
        const again = await browser.submit(one, step, { name: person.name, password: person.password });
        assert.equal(again.status, 400);
        assert.match(again.text, EXPIRED);
      }
    });
  });

  describe('a sign-in', () => {
    it('of another browser cannot be used, also with its URL and its form', async () => {
      const { page } = await atSignIn(api);
      const person = await makeUser(api);
      const stranger = new TestBrowser(api);
      const seen = await stranger.go(page.url);
      assert.deepEqual([seen.status, EXPIRED.test(seen.text)], [400, true]);
      const sent = await stranger.submit(page, 'password', { name: person.name, password: person.password });
      assert.deepEqual([sent.status, EXPIRED.test(sent.text)], [400, true]);
    });

    it('does not go by a cookie that was made up, or is of another sign-in', async () => {
      const { page } = await atSignIn(api);
      const uid = page.url.split('/').at(-1)!;
      const other = await atSignIn(api);
      const mine = other.browser.cookie('gatehouse_interaction.sig')!;
      for (const signature of ['x', mine.value]) {
        const stranger = new TestBrowser(api);
        stranger.putCookie('gatehouse_interaction', uid, '/');
        stranger.putCookie('gatehouse_interaction.sig', signature, '/');
        assert.equal((await stranger.go(page.url)).status, 400);
      }
    });

    it('creates a new session: a planted session cookie is useless', async () => {
      const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
      await browser.go('/openid/device');
      const planted = browser.cookie('gatehouse_session')!;
      const signature = browser.cookie('gatehouse_session.sig')!;
      redirectTargetOf(await browser.signIn((await party.ask()).url, person));
      assert.notEqual(browser.cookie('gatehouse_session')!.value, planted.value);
      const attacker = new TestBrowser(api);
      attacker.putCookie('gatehouse_session', planted.value, '/');
      attacker.putCookie('gatehouse_session.sig', signature.value, '/');
      assert.equal(stepOf(await attacker.go((await party.ask()).url)), 'password');
    });

    it('tells where the person goes, because whoever registers an application chooses its name', async () => {
      const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
      const page = await browser.submit(await browser.go((await party.ask()).url), 'password', person);
      assert.equal(stepOf(page), 'allow');
      assert.match(
        page.text,
        /You then go to app\.example\.org\. Nobody checked the name of the application: whoever registered it chose it\./,
      );
    });

    it('says the same whether the name is wrong, the password is, or the person is disabled', async () => {
      const person = await makeUser(api);
      const closed = await makeUser(api, { enabled: false });
      const tries = [
        { name: person.name, password: 'wrong' },
        { name: uniqueName('nobody'), password: 'wrong' },
        { name: closed.name, password: closed.password },
        { name: person.name, password: person.password, domain: 'nowhere' },
        { name: '', password: '' },
      ];
      const pages: string[] = [];
      for (const { domain = '', ...credentials } of tries) {
        const { browser, page, party } = await atSignIn(api);
        const answer = await browser.submit(page, 'password', { ...credentials, domain });
        assert.equal(answer.status, 401);
        assert.match(answer.text, WRONG);
        const { pathname } = new URL(page.url);
        const uid = pathname.split('/').at(-1)!;
        const own = [answer.forms[0]!.fields.form_token!, pathname, uid, party.application.name, credentials.name, domain];
        const text = own.filter(Boolean).reduce((all, word) => all.replaceAll(word, '#'), answer.text);
        // Links lead on in the domain that was typed, whether it exists or not.
        pages.push(text.replaceAll(/ value="#?"| autofocus|<details( open)?>|&amp;domain=#|(?<=\?)domain=#&amp;/g, ''));
      }
      assert.deepEqual(new Set(pages).size, 1);
    });
  });

  describe('the second factor', () => {
    it('cannot be skipped by another step, nor by going back to where it leads', async () => {
      const careful = await makeCareful(api);
      const { browser, page, party } = await atSignIn(api);
      const half = await browser.submit(page, 'password', { name: careful.name, password: careful.password });
      assert.equal(stepOf(half), 'code');
      const { action, fields } = formOf(half, 'code');
      const uid = page.url.split('/').at(-1);
      for (const step of ['allow', 'consent', 'done', ''])
        assert.equal(stepOf(await browser.send(action, { form_token: fields.form_token!, step })), 'code', step);
      for (const way of [page.url, `/openid/authorize/${uid}`, (await party.ask()).url]) {
        const there = await browser.go(way);
        assert.equal(there.redirectTarget, undefined);
        assert.match(stepOf(there) ?? '', /^(password|code)$/);
      }
      assert.equal(
        redirectTargetOf(await browser.go((await party.ask({ prompt: 'none' })).url)).searchParams.get('error'),
        'login_required',
      );
    });

    it('is not reached without the password', async () => {
      const careful = await makeCareful(api);
      const { browser, page } = await atSignIn(api);
      const { action, fields } = formOf(page, 'password');
      const { form_token } = fields as { form_token: string };
      const answer = await browser.send(action, { form_token, step: 'code', code: careful.phone.code(), name: careful.name });
      assert.deepEqual([answer.status, stepOf(answer)], [401, 'password']);
      const wrong = await browser.submit(page, 'password', { name: careful.name, password: 'wrong', code: careful.phone.code() });
      assert.match(wrong.text, WRONG);
    });

    it('of one person is refused for another', async () => {
      const [victim, thief] = [await makeCareful(api), await makeCareful(api)];
      const { browser, page } = await atSignIn(api);
      const half = await browser.submit(page, 'password', { name: victim.name, password: victim.password });
      const answer = await browser.submit(half, 'code', { code: thief.code(), name: thief.name, user_id: thief.user.id });
      assert.deepEqual([answer.status, stepOf(answer)], [401, 'code']);
      assert.match(answer.text, WRONG_CODE);
    });

    it('is for the person whose password was entered last', async () => {
      const [victim, thief] = [await makeCareful(api), await makeCareful(api)];
      const { browser, page } = await atSignIn(api);
      await browser.submit(page, 'password', { name: victim.name, password: 'wrong' });
      await browser.submit(page, 'password', { name: thief.name, password: thief.password });
      const wrong = await browser.submit(page, 'password', { name: victim.name, password: 'wrong' });
      assert.match(wrong.text, WRONG);
      const half = await browser.go(page.url);
      const consent = await browser.submit(half, 'code', { code: thief.code() });
      assert.ok(consent.text.includes(thief.name) && !consent.text.includes(victim.name));
    });

    it('takes a code once', async () => {
      const careful = await makeCareful(api);
      const code = careful.code();
      const first = await atSignIn(api);
      assert.equal(
        stepOf(await first.browser.answerForms(first.page, { ...careful, code: () => code, consent: false })),
        undefined,
      );
      const second = await atSignIn(api);
      const answer = await second.browser.answerForms(second.page, { ...careful, code: () => code });
      assert.deepEqual([answer.status, stepOf(answer)], [401, 'code']);
      assert.match(answer.text, WRONG_CODE);
    });

    it('has to come within five minutes', async () => {
      const careful = await makeCareful(api);
      const { browser, page } = await atSignIn(api);
      const half = await browser.submit(page, 'password', { name: careful.name, password: careful.password });
      api.clock.advance(301);
      const late = await browser.submit(half, 'code', { code: careful.code() });
      assert.equal(stepOf(late), 'password');
      assert.match(late.text, /That took too long/);
    });

    it('ends with the password that was before it', async () => {
      const careful = await makeCareful(api);
      const { browser, page } = await atSignIn(api);
      const half = await browser.submit(page, 'password', { name: careful.name, password: careful.password });
      assertOk(await api.patch(`/v3/users/${careful.user.id}`, { user: { password: 'another password of a person' } }));
      const answer = await browser.submit(half, 'code', { code: careful.code() });
      assert.notEqual(stepOf(answer), 'allow');
      assert.equal(answer.redirectTarget, undefined);
    });

    it('ends with the domain of the person, also when that is enabled again', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const { id, name, password } = await makeUser(api, { domain_id: domain.id });
      const phone = new Phone(api, assertOk(await enable(api, { id }), 201).two_factor_auth.two_factor_key);
      const { browser, page } = await atSignIn(api);
      const half = await browser.submit(page, 'password', { name, password, domain: domain.name });
      assert.equal(stepOf(half), 'code');
      for (const enabled of [false, true]) assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled } }));
      const answer = await browser.submit(half, 'code', { code: phone.fresh() });
      assert.equal(answer.redirectTarget, undefined);
      assert.equal(stepOf(answer), 'password');
    });

    it('is locked after wrong codes, also for the right one', async () => {
      const careful = await makeCareful(api);
      const { browser, page } = await atSignIn(api);
      const half = await browser.submit(page, 'password', { name: careful.name, password: careful.password });
      await times(12, () => browser.submit(half, 'code', { code: careful.phone.wrong() }));
      assert.equal(stepOf(await browser.submit(half, 'code', { code: careful.code() })), 'code');
    });

    it('can be a recovery code, once', async () => {
      const careful = await makeCareful(api);
      const made = await api.request('POST', `/v3/users/${careful.user.id}/OS-TWO-FACTOR/recovery_codes`);
      const [code] = assertOk(made, 201).two_factor_auth.recovery_codes;
      const use = async (recovery_code: string) => {
        const { browser, page } = await atSignIn(api);
        const half = await browser.submit(page, 'password', { name: careful.name, password: careful.password });
        return browser.submit(await browser.submit(half, 'ask-recovery'), 'recovery', { recovery_code });
      };
      assert.equal(stepOf(await use('wrong-code')), 'recovery');
      assert.equal(stepOf(await use(code)), 'allow');
      const again = await use(code);
      assert.deepEqual([again.status, stepOf(again)], [401, 'recovery']);
      assert.match(again.text, WRONG_CODE);
    });
  });

  describe('a remembered device', () => {
    const DEVICE = /^gatehouse_device_/;
    const devicesOf = async (id: string): Promise<number> =>
      assertOk(await api.get(`/v3/users/${id}/OS-TWO-FACTOR/devices`)).devices.length;

    /** Signs in again in this browser; returns the page after the password. */
    async function passwordIn(
      browser: TestBrowser,
      { name, password }: { name: string; password: string },
    ): Promise<BrowserPage> {
      browser.forget(/^gatehouse_(session|interaction|resume)/);
      const party = await RelyingParty.make(api);
      return browser.submit(await browser.go((await party.ask()).url), 'password', { name, password });
    }

    async function remembered() {
      const [careful, browser] = [await makeCareful(api), new TestBrowser(api)];
      const party = await RelyingParty.make(api);
      redirectTargetOf(await browser.signIn((await party.ask()).url, { ...careful, remember: true }));
      const cookie = browser.cookie(DEVICE)!;
      assert.ok(cookie);
      return { careful, browser, cookie };
    }

    it('stands in for the code, with a new token each time', async () => {
      const { careful, browser, cookie } = await remembered();
      assert.equal(stepOf(await passwordIn(browser, careful)), 'allow');
      const next = browser.cookie(DEVICE)!;
      assert.equal(next.name, cookie.name);
      assert.notEqual(next.value, cookie.value);
      assert.equal(stepOf(await passwordIn(browser, careful)), 'allow');
      assert.equal(await devicesOf(careful.user.id), 1);
    });

    it('does not stand in for the password, nor for the code of anybody else', async () => {
      const { careful, browser, cookie } = await remembered();
      assert.match((await passwordIn(browser, { ...careful, password: 'wrong' })).text, WRONG);
      const other = await makeCareful(api);
      assert.equal(stepOf(await passwordIn(browser, other)), 'code');
      const name = `gatehouse_device_${createHash('sha256').update(other.user.id).digest('hex').slice(0, 12)}`;
      const thief = new TestBrowser(api);
      thief.putCookie(name, cookie.value);
      assert.equal(stepOf(await passwordIn(thief, other)), 'code');
    });

    it('keeps its new token when its sign-in is not completed, because the account changed meanwhile', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const person = await makeUser(api, { domain_id: domain.id });
      const phone = new Phone(api, assertOk(await enable(api, person), 201).two_factor_auth.two_factor_key);
      const [browser, party] = [new TestBrowser(api), await RelyingParty.make(api)];
      const answers = { ...person, code: () => phone.fresh(), remember: true };
      redirectTargetOf(await browser.signIn((await party.ask()).url, answers));
      const closeAndOpen = async (): Promise<void> => {
        for (const enabled of [false, true]) assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled } }));
      };
      browser.forget(/^gatehouse_(session|interaction|resume)/);
      const start = await browser.go((await party.ask()).url);
      const { name, password } = person;
      const page = await whenAt('change.before-transaction', closeAndOpen, () =>
        browser.submit(start, 'password', { name, password }),
      );
      assert.notEqual(stepOf(page), 'allow');
      assert.equal(stepOf(await passwordIn(browser, person)), 'allow', 'it is not taken for stolen');
    });

    it('that was copied is detected, and all devices are forgotten', async () => {
      const { careful, browser, cookie } = await remembered();
      assert.equal(stepOf(await passwordIn(browser, careful)), 'allow');
      const thief = new TestBrowser(api);
      thief.putCookie(cookie.name, cookie.value);
      assert.equal(stepOf(await passwordIn(thief, careful)), 'code');
      assert.equal(await devicesOf(careful.user.id), 0);
      assert.equal(stepOf(await passwordIn(browser, careful)), 'code');
    });

    it('is forgotten with the password', async () => {
      const { careful, browser } = await remembered();
      const password = 'another password of a person';
      assertOk(await api.patch(`/v3/users/${careful.user.id}`, { user: { password } }));
      assert.equal(stepOf(await passwordIn(browser, { ...careful, password })), 'code');
    });

    it('with a cookie of anything else is asked for the code, and nothing breaks', async () => {
      const { careful, cookie } = await remembered();
      for (const value of ['', '.', 'x.y', `${cookie.value}.more`, '%00.%00', 'x'.repeat(3000)]) {
        const browser = new TestBrowser(api);
        browser.putCookie(cookie.name, value);
        assert.match(stepOf(await passwordIn(browser, careful))!, /^(code|allow)$/, value);
      }
    });
  });

  describe('what pages and logs hold', () => {
    it('is text, whatever people and applications are called', async () => {
      const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;
      const name = `${uniqueName('<b>x</b>')}"'><i>&amp;`;
      const person = await makeUser(api, { name });
      const values = { name: hostile };
      const { browser, page, party } = await atSignIn(api, { login_hint: hostile, scope: 'openid email' }, values);
      assert.equal(page.forms[0]!.fields.name, hostile);
      const wrong = await browser.submit(page, 'password', { name: hostile, password: 'wrong', domain: hostile });
      assert.equal(wrong.forms[0]!.fields.domain, hostile);
      const consent = await browser.submit(page, 'password', { name, password: person.password });
      assert.equal(stepOf(consent), 'allow');
      const { url } = await party.ask({ redirect_uri: `https://evil.example/${hostile}` });
      const error = await browser.go(url);
      for (const one of [
        page,
        wrong,
        consent,
        error,
        await browser.go(`/openid/device?user_code=${encodeURIComponent(hostile)}`),
      ])
        assert.doesNotMatch(one.text, /<script>alert|<img|<b>x|<i>/);
    });

    it('comes with headers that forbid to frame, keep, sniff and run it, and has nothing to run', async () => {
      const careful = await makeCareful(api);
      const { browser, page, party } = await atSignIn(api);
      await browser.submit(page, 'password', { name: careful.name, password: 'wrong' });
      const half = await browser.submit(page, 'password', { name: careful.name, password: careful.password });
      await browser.submit(half, 'ask-recovery');
      await browser.submit(half, 'code', { code: careful.phone.wrong() });
      redirectTargetOf(await browser.answerForms(half, careful));
      await browser.go('/openid/interaction/nothing');
      await browser.go((await party.ask({ redirect_uri: 'https://evil.example/' })).url);
      const device = await browser.go('/openid/device');
      await browser.submit(device, undefined, { user_code: 'BCDF-GHJK' });
      await browser.submit(await browser.go('/openid/logout'), undefined, { logout: 'yes' });
      const pages = browser.seen.filter(({ headers }) => headers.get('content-type')?.startsWith('text/html'));
      const titles = new Set(pages.map(({ text }) => /<title>([^·]*)/.exec(text)?.[1]));
      assert.ok(titles.size >= 8, [...titles].join());
      for (const { url, text, headers } of pages) {
        const policy = headers.get('content-security-policy') ?? '';
        assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/, url);
        assert.doesNotMatch(policy, /unsafe|\*|script-src \S/);
        assert.equal(headers.get('x-frame-options'), 'DENY');
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.equal(headers.get('cache-control'), 'no-store', url);
        // With "no-referrer" browsers send our own forms with `Origin: null`, and we would refuse them.
        assert.equal(headers.get('referrer-policy'), 'same-origin');
        assert.doesNotMatch(text, /<script|<style|\sstyle=|\son[a-z]+=|javascript:|<iframe|src=/i, url);
      }
    });

    it('runs one script only, by its hash, where an answer is posted to the application', async () => {
      const person = await makeUser(api);
      const { browser, page } = await atSignIn(api, { response_mode: 'form_post' });
      const posted = await browser.answerForms(page, person);
      const brought = await new TestBrowser(api).go('/openid/device?user_code=BCDF-GHJK');
      for (const { text, headers } of [posted, brought]) {
        const scripts = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => script!);
        assert.equal(scripts.length, 1);
        const hash = createHash('sha256').update(scripts[0]!).digest('base64');
        const policy = headers.get('content-security-policy')!;
        assert.ok(
          policy.split(';').some((one) => one.trim() === `script-src 'sha256-${hash}'`),
          policy,
        );
        assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
        assert.equal(headers.get('x-frame-options'), 'DENY');
        assert.equal(headers.get('cache-control'), 'no-store');
      }
    });

    it('has no password, code, token, cookie or secret in the log', async () => {
      const careful = await makeCareful(api);
      const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
      const secrets: string[] = [careful.password, party.application.secret, 'a wrong guess of a password'];
      const { url, checks } = await party.ask({ scope: 'openid offline_access' });
      const page = await browser.go(url);
      await browser.submit(page, 'password', { name: careful.name, password: 'a wrong guess of a password' });
      const code = careful.code();
      const done = await browser.answerForms(page, { ...careful, code: () => code, remember: true });
      const tokens = await party.redeem(done, checks);
      await party.isActive(tokens.access_token);
      secrets.push(redirectTargetOf(done).searchParams.get('code')!, checks.pkceCodeVerifier!, page.forms[0]!.fields.form_token!);
      secrets.push(tokens.access_token, tokens.refresh_token!, tokens.id_token!);
      secrets.push(browser.cookie('gatehouse_session')!.value, browser.cookie(/^gatehouse_device_/)!.value.split('.')[1]!);
      const log = api.logged.join('\n');
      for (const secret of secrets) assert.ok(!log.includes(secret), `${secret} is in the log`);
      // Six digits also come by chance, as a part of other numbers.
      assert.doesNotMatch(log, new RegExp(`(?<![\\w.-])${code}(?![\\w.-])`));
    });

    it('is in cookies that scripts and other sites do not get', async () => {
      const careful = await makeCareful(api);
      const { browser, page } = await atSignIn(api);
      redirectTargetOf(await browser.answerForms(page, { ...careful, remember: true }));
      const names = new Set(browser.setCookies.map((line) => line.split('=')[0]!.replace(/device_\w+/, 'device')));
      for (const name of ['session', 'session.sig', 'interaction', 'resume', 'device'])
        assert.ok(names.has(`gatehouse_${name}`), name);
      for (const line of browser.setCookies) {
        assert.match(line, /; httponly/i, line);
        assert.match(line, /; samesite=lax/i, line);
        assert.match(line, /; path=\//i, line);
        assert.doesNotMatch(line, /; domain=/i, line);
        assert.doesNotMatch(line, /; secure/i, 'this one is plain http');
      }
    });
  });
});

onDatabase('SQLite', 'Signing in, with limits', { rateLimits: true }, (api) => {
  const TOO_MANY = /Too many attempts\. Wait \d+ (?:seconds?|minutes?),/;

  it('slows guessing down, the same for names that are and that are not', async () => {
    const person = await makeUser(api);
    for (const name of [person.name, uniqueName('nobody')]) {
      const { browser, page } = await atSignIn(api);
      const answers = await times(11, () => browser.submit(page, 'password', { name, password: 'wrong' }));
      assert.ok(answers.slice(0, 10).every(({ text }) => WRONG.test(text)));
      assert.match(answers[10]!.text, TOO_MANY);
      assert.equal(answers[10]!.status, 429);
      assert.match(answers[10]!.headers.get('retry-after') ?? '', /^\d+$/);
    }
    const { browser, page } = await atSignIn(api);
    assert.match((await browser.submit(page, 'password', { ...named(person) })).text, TOO_MANY);
    api.clock.advance(61);
    assert.equal(stepOf(await browser.submit(page, 'password', { ...named(person) })), 'allow');
  });

  it('slows it down where a password is changed as well', async () => {
    const person = await makeUser(api);
    for (const name of [person.name, uniqueName('nobody')]) {
      const { browser, page } = await atSignIn(api);
      const { action, fields } = formOf(page, 'password');
      const fresh = { new_password: 'something new entirely', new_password_again: 'something new entirely' };
      const guess = (password: string) =>
        browser.send(action, { form_token: fields.form_token!, step: 'new-password', name, domain: '', password, ...fresh });
      const answers = await times(11, (index) => guess(`guess ${index}`));
      assert.ok(answers.slice(0, 10).every(({ text }) => WRONG.test(text)));
      assert.match(answers[10]!.text, TOO_MANY);
    }
  });

  it('slows guessing at recovery codes down', async () => {
    const careful = await makeCareful(api);
    const { browser, page } = await atSignIn(api);
    const half = await browser.submit(page, 'password', named(careful));
    const recovery = await browser.submit(half, 'ask-recovery');
    const answers = await times(12, () => browser.submit(recovery, 'recovery', { recovery_code: 'wrong-wrong' }));
    assert.match(answers.at(-1)!.text, TOO_MANY);
    assert.equal(stepOf(answers.at(-1)!), 'recovery');
  });

  const named = ({ name, password }: { name: string; password: string }) => ({ name, password });
});

onDatabase(
  'SQLite',
  'Signing in, with lock-out',
  { settings: { GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '3', GATEHOUSE_IDENTITY_LOCKOUT_DURATION: '600' } },
  (api) => {
    it('lets nobody in after three wrong passwords, in the words of a wrong one, until it is over', async () => {
      const person = await makeUser(api);
      const { browser, page } = await atSignIn(api);
      const credentials = { name: person.name, password: person.password };
      await times(3, () => browser.submit(page, 'password', { ...credentials, password: 'wrong' }));
      const locked = await browser.submit(page, 'password', credentials);
      assert.deepEqual([locked.status, WRONG.test(locked.text)], [401, true]);
      api.clock.advance(601);
      assert.equal(stepOf(await browser.submit(page, 'password', credentials)), 'allow');
    });
  },
);

onDatabase(
  'SQLite',
  'Signing in with a password that is to be changed',
  { settings: { GATEHOUSE_IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE: 'true', GATEHOUSE_IDENTITY_PASSWORD_REGEX: '^.{12,}$' } },
  (api) => {
    const fresh = 'an entirely new password';
    const change = (password: string, one = fresh, two = one) => ({ password, new_password: one, new_password_again: two });

    it('leads to a new one, and then goes on', async () => {
      const person = await makeUser(api);
      const { browser, page } = await atSignIn(api);
      const asked = await browser.submit(page, 'password', { name: person.name, password: person.password });
      assert.equal(stepOf(asked), 'new-password');
      assert.match(asked.text, /Your password has expired/);
      for (const [answers, why] of [
        [change('wrong'), WRONG],
        [change(person.password, fresh, 'something else'), /are not the same/],
        [change(person.password, 'short'), /./],
        [change(person.password, person.password), /./],
      ] as const) {
        const again = await browser.submit(asked, 'new-password', answers);
        assert.equal(stepOf(again), 'new-password');
        assert.match(again.text, why);
        assert.doesNotMatch(again.text, new RegExp(`value="(${person.password}|${fresh})"`));
      }
      const done = await browser.submit(asked, 'new-password', change(person.password));
      assert.equal(stepOf(done), 'allow');
      redirectTargetOf(await browser.submit(done, 'allow'));
    });

    it('lets nobody else change it, and does not tell whether there is somebody', async () => {
      const { browser, page } = await atSignIn(api);
      const { action, fields } = formOf(page, 'password');
      const person = await makeUser(api);
      for (const name of [person.name, uniqueName('nobody')]) {
        const form = { form_token: fields.form_token!, step: 'new-password', name, domain: '' };
        const answer = await browser.send(action, { ...form, ...change('wrong') });
        assert.deepEqual([answer.status, WRONG.test(answer.text)], [401, true]);
      }
    });
  },
);

onDatabase('SQLite', 'Signing in by https', { settings: { GATEHOUSE_IDENTITY_URL: 'https://id.example.org' } }, (api) => {
  it('has cookies for https only, and forms of the public address', async () => {
    const person = await makeUser(api);
    const made = await api.post('/v3/OS-OAUTH2/consumers', {
      consumer: { name: uniqueName('app'), redirect_uris: ['https://app.example.org/callback'] },
    });
    const browser = new TestBrowser(api);
    // Like a proxy: the public address outside, ours inside.
    const follow = async (page: BrowserPage): Promise<BrowserPage> => {
      const { pathname, search, origin } = new URL(page.headers.get('location')!, 'https://id.example.org');
      assert.equal(origin, 'https://id.example.org');
      return browser.request(`${pathname}${search}`);
    };
    const query = new URLSearchParams({
      client_id: assertOk(made).consumer.id,
      response_type: 'code',
      scope: 'openid',
      redirect_uri: 'https://app.example.org/callback',
    });
    const page = await follow(await browser.request(`/openid/authorize?${query}`));
    assert.equal(stepOf(page), 'password');
    const { action, fields } = formOf(page, 'password');
    const send = (Origin: string) =>
      browser.request(action, {
        method: 'POST',
        body: new URLSearchParams({ ...fields, name: person.name, password: person.password }),
        headers: { Origin },
      });
    assert.equal((await send(api.url)).status, 403);
    const consent = await follow(await follow(await send('https://id.example.org')));
    assert.equal(stepOf(consent), 'allow');
    // Browsers take a cookie of this name from this very host only, and with these attributes only.
    assert.ok(browser.cookie('__Host-gatehouse_session') && !browser.cookie('gatehouse_session'));
    for (const line of browser.setCookies) {
      assert.match(line, /; secure/i, line);
      if (!line.startsWith('__Host-')) continue;
      assert.match(line, /; path=\/(;|$)/i, line);
      assert.doesNotMatch(line, /; domain=/i, line);
    }
    const token = await browser.request('/console/session', { method: 'POST', headers: { Origin: 'https://id.example.org' } });
    assert.equal(token.status, 201, token.text);
    assert.match(token.headers.getSetCookie().join(), /^__Host-gatehouse_session=[^;]+; path=\/; .*secure/i);
  });
});
