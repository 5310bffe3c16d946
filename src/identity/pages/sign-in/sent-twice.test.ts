// What a person does again: they press a button twice, or once more after a failure, or begin sign-ins and leave them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { onDatabase, onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { enable, Phone } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

/** The browser drops the first answer, with its cookies. So these are two browsers, neither of which gets the cookies of the other answer. */
async function postTwice(api: TestApi, browser: TestBrowser, page: BrowserPage, answers: Record<string, string>) {
  const form = page.forms.find(({ fields }) => fields.step === 'password')!;
  const post = async (as: TestBrowser) => {
    const answer = await as.request(new URL(form.action, page.url), {
      method: 'POST',
      body: new URLSearchParams({ ...form.fields, ...answers }),
      headers: { Origin: api.url, 'Sec-Fetch-Site': 'same-origin' },
    });
    return { as, answer, at: performance.now() };
  };
  const both = await Promise.all([post(browser.copy()), post(browser.copy())]);
  return both.sort((a, b) => a.at - b.at);
}

onUsualDatabase('A form of the sign-in that is sent twice', (api) => {
  it('signs the person in, whichever answer the browser keeps', async () => {
    const person = await makeUser(api);
    const party = await RelyingParty.make(api);
    const browser = new TestBrowser(api);
    const page = await browser.go((await party.ask()).url);
    assert.equal(stepOf(page), 'password');
    const [, last] = await postTwice(api, browser, page, { name: person.name, password: person.password });
    assert.equal(last!.answer.status, 303, last!.answer.text);
    const consent = await last!.as.go(last!.answer.headers.get('location')!);
    redirectTargetOf(await last!.as.submit(consent, 'allow'));
  });

  it('leaves no more cookies than a request may have, however many sign-ins were begun', async () => {
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    const page = await browser.go((await (await RelyingParty.make(api)).ask()).url);
    for (let i = 0; i < 40; i++) browser.putCookie(`gatehouse_browser_${i}`, 'x'.repeat(87), '/');
    await browser.submit(page, 'password', { name: person.name, password: person.password });
    for (const [i, isThere] of [
      [0, false],
      [14, false],
      [15, true],
      [39, true],
    ] as const)
      assert.equal(browser.cookie(`gatehouse_browser_${i}`) !== undefined, isThere, String(i));
  });
});

onDatabase('SQLite', 'A step of the sign-in that could not be stored', {}, (api) => {
  const db = usesDatabaseOf(api);

  it('can be done again', async () => {
    const person = await makeUser(api);
    const phone = new Phone(api, (await enable(api, person)).body.two_factor_auth.two_factor_key);
    const browser = new TestBrowser(api);
    const start = await browser.go((await (await RelyingParty.make(api)).ask()).url);
    const page = await browser.submit(start, 'password', { name: person.name, password: person.password });
    assert.equal(stepOf(page), 'code');
    const fails = sql`create trigger full_disk before update on openid_records begin select raise(abort, 'full'); end`;
    await db().write((tx) => fails.execute(tx));
    const failed = await browser.submit(page, 'code', { code: phone.fresh() });
    await db().write((tx) => sql`drop trigger full_disk`.execute(tx));
    assert.equal(failed.status, 500, failed.text);
    redirectTargetOf(await browser.submit(await browser.submit(page, 'code', { code: phone.fresh() }), 'allow'));
  });
});
