// The profile and the picture: what people may change of themselves, and what others see.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { png } from '../../../../test/support/pictures.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const PROFILE = '/account/profile';
const { en, es } = LANGUAGES;

/** Sends the form for the picture, as browsers do. */
function upload(browser: TestBrowser, page: BrowserPage, file: Buffer, more: { name?: string; token?: string } = {}) {
  const form = new FormData();
  const { fields } = page.forms.find((one) => one.fields.step === 'picture')!;
  form.set('form_token', more.token ?? fields.form_token!);
  form.set('step', 'picture');
  form.set('picture', new Blob([new Uint8Array(file)], { type: 'text/html' }), more.name ?? 'evil.html');
  return browser.go(PROFILE, { method: 'POST', body: form });
}

const pathIn = (page: BrowserPage): string | undefined => /<img class="picture" src="([^"]+)"/.exec(page.text)?.[1];

onUsualDatabase('The profile on the account page', (api) => {
  it('is stored as SCIM has it, shown escaped, and in the language that was chosen', async () => {
    const person = await makeUser(api, { email: 'ann@example.org' });
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PROFILE, person);
    const evil = '"><script>alert(1)</script>';
    const values = {
      givenName: ' Ana ',
      familyName: 'Pérez',
      displayName: evil,
      preferredLanguage: 'es',
      timezone: 'Europe/Madrid',
    };
    const done = await browser.submit(page, 'profile', values);
    assert.ok(done.text.includes(es.profileIsChanged));
    assert.ok(!done.text.includes('<script'));
    const { body } = await api.get(`/scim/v2/Users/${person.id}`);
    assert.deepEqual(body.name, { givenName: 'Ana', familyName: 'Pérez', formatted: 'Ana Pérez' });
    assert.deepEqual([body.displayName, body.preferredLanguage, body.timezone], [evil, 'es', 'Europe/Madrid']);
    assert.equal(body.emails[0].value, 'ann@example.org');
    assert.equal(browser.cookie('gatehouse_language')?.value, 'es');
    const empty = { givenName: '', familyName: '', displayName: '', preferredLanguage: '', timezone: '' };
    await browser.submit(done, 'profile', empty);
    const after = (await api.get(`/scim/v2/Users/${person.id}`)).body;
    assert.deepEqual([after.name, after.displayName, after.preferredLanguage], [undefined, undefined, undefined]);
  });

  it('names what is refused, and keeps what was typed', async () => {
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PROFILE, person);
    for (const [field, value] of [
      ['displayName', 'x'.repeat(101)],
      ['givenName', 'a\u202eb'],
      ['familyName', 'a\rb'],
      ['preferredLanguage', 'es;Path=/'],
      ['preferredLanguage', `es${'-aaaaaaaa'.repeat(100)}`],
      ['timezone', 'Nowhere/At All'],
    ] as const) {
      const sent = await browser.submit(page, 'profile', { familyName: 'Typed', [field]: value });
      assert.equal(sent.status, 400, field);
      assert.ok(sent.text.includes(en.wrongProfile[field]));
      assert.match(sent.text, new RegExp(`name="${field}"[^>]*aria-invalid="true"`));
    }
    assert.equal((await api.get(`/scim/v2/Users/${person.id}`)).body.name, undefined);
  });

  it('leaves names to a provisioning client that manages them', async () => {
    const person = await makeUser(api);
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
    const value = { schemas, userName: person.name, externalId: uniqueName('external'), displayName: 'Of the directory' };
    assert.equal((await api.put(`/scim/v2/Users/${person.id}`, value)).status, 200);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PROFILE, person);
    assert.ok(page.text.includes(en.namesAreManaged) && !page.text.includes('name="displayName"'));
    await browser.submit(page, 'profile', { displayName: 'Mine', timezone: 'Europe/Madrid' });
    const { body } = await api.get(`/scim/v2/Users/${person.id}`);
    assert.deepEqual([body.displayName, body.timezone], ['Of the directory', 'Europe/Madrid']);
  });
});

onUsualDatabase('A picture on the account page', (api) => {
  it('is an image for everybody who knows its address, whatever its name and type were, and ends', async () => {
    const [person, party] = [await makeUser(api), await RelyingParty.make(api)];
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PROFILE, person);
    const done = await upload(browser, page, Buffer.concat([png(), Buffer.from('<script>alert(1)</script>')]));
    assert.ok(done.text.includes(en.pictureIsChanged), done.text);
    const first = pathIn(done)!;
    const answer = await fetch(new URL(first, api.url));
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), png());
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.match(answer.headers.get('content-security-policy')!, /default-src 'none'; sandbox/);
    const tokens = await party.tokensFor(person, { scope: 'openid profile' }, browser);
    assert.equal((await party.userInfo(tokens)).picture, `${api.url}${first}`);

    const again = await upload(browser, done, png());
    assert.notEqual(pathIn(again), first);
    assert.equal((await party.userInfo(tokens)).picture, `${api.url}${pathIn(again)}`, 'at once, although it was asked before');
    assert.equal((await fetch(new URL(first, api.url))).status, 404);
    const second = pathIn(again)!;
    assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } })).status, 200);
    assert.equal((await fetch(new URL(second, api.url))).status, 404, 'of a disabled account');
    assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { enabled: true } })).status, 200);
    const back = new TestBrowser(api);
    const shown = await back.signIn(PROFILE, person);
    const later = await party.tokensFor(person, { scope: 'openid profile' }, back);
    assert.equal((await party.userInfo(later)).picture, `${api.url}${second}`);
    const removed = await back.submit(shown, 'picture-remove');
    assert.equal(pathIn(removed), undefined);
    assert.equal((await party.userInfo(later)).picture, undefined);
    assert.equal((await fetch(new URL(second, api.url))).status, 404);
  });

  it('is refused when it is none, too large, or sent by another site or session', async () => {
    const person = await makeUser(api);
    const [browser, other] = [new TestBrowser(api), new TestBrowser(api)];
    const page = await browser.signIn(PROFILE, person);
    const elsewhere = await other.signIn(PROFILE, person);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    for (const [file, text] of [
      [svg, en.pictureProblems['not an image']],
      [Buffer.alloc(0), en.noPictureChosen],
      [Buffer.concat([png(), Buffer.alloc(2 * 1024 * 1024)]), en.pictureProblems['too large']],
    ] as const) {
      const sent = await upload(browser, page, file, { name: 'picture.png' });
      assert.deepEqual([sent.status, sent.text.includes(text)], [400, true], text);
    }
    assert.equal((await upload(browser, page, Buffer.alloc(6 * 1024 * 1024))).status, 413);
    const { form_token: token } = elsewhere.forms.find((one) => one.fields.step === 'picture')!.fields;
    assert.equal((await upload(browser, page, png(), { token: token! })).status, 403);
    const form = new FormData();
    form.set('picture', new Blob([new Uint8Array(png())]));
    assert.equal((await browser.go(PROFILE, { method: 'POST', body: form })).status, 403, 'without a token');
    const evil = { method: 'POST', body: form, headers: { origin: 'https://evil.example.org' } };
    assert.equal((await browser.go(PROFILE, evil)).status, 403);
    const broken = { method: 'POST', body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=y' } };
    assert.equal((await browser.go(PROFILE, broken)).status, 400);
    assert.equal(pathIn(await browser.go(PROFILE)), undefined);
  });
});
