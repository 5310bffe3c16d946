// The look of a domain: on account pages, in mails and on the pages of their links, and at a sign-in that names the domain.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, onUsualDatabase, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import {
  askForPassword,
  askToRegister,
  linkIn,
  newestMail,
  newMailbox,
  startMailServer,
} from '../../../../test/support/mailbox.ts';
import { png } from '../../../../test/support/pictures.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const pathOf = (id: string): string => `/v3/OS-SERVICE/domains/${id}`;
const pictureBody = (image = png()) => ({ picture: { content: image.toString('base64') } });
const logoIn = (text: string): string | undefined => /<header><img src="([^"]+)"/.exec(text)?.[1];
const iconIn = (text: string): string | undefined => /rel="icon" href="([^"]+)"/.exec(text)?.[1];
const styleIn = (text: string): string => /rel="stylesheet" href="([^"]+)"/.exec(text)![1]!;
const LEFT = 'GATEHOUSE_IDENTITY_DOMAIN_MANAGER_SETTINGS';
const HARBOUR = { 'look.name': 'Harbour', 'look.color': '#AA0000', 'look.help_url': 'https://harbour.example/help' };

async function makeDomain(api: TestApi, settings: Readonly<Record<string, string>> = HARBOUR) {
  const { id, name } = await api.make('domain', { name: uniqueName('domain') });
  assertOk(await api.patch(`${pathOf(id)}/settings`, { settings }));
  return { id: id as string, name: name as string, look: `${pathOf(id)}/look` };
}

onEachDatabase('The logo and the icon of a domain', (api) => {
  it('are its own until they are removed, and go with the domain', async () => {
    const { id, name, look } = await makeDomain(api);
    const person = await makeUser(api, { domain_id: id });
    const account = async () => (await new TestBrowser(api).signIn('/account', { ...person, domain: name })).text;
    assertRefused(await api.get(`${look}/logo`), 404, /has no logo of its own/);
    const { picture } = assertOk(await api.put(`${look}/logo`, pictureBody()));
    assert.equal(picture.links.self, `${api.url}${look}/logo`);
    assert.deepEqual(assertOk(await api.get(`${look}/logo`)).picture, picture);
    const text = await account();
    const first = logoIn(text)!;
    const image = await fetch(api.url + first);
    assert.deepEqual(Buffer.from(await image.arrayBuffer()), png());
    assert.match(image.headers.get('content-security-policy')!, /default-src 'none'; sandbox/);
    assert.equal(iconIn(text), first, 'without an icon, it is the logo');
    assertOk(await api.put(`${look}/favicon`, pictureBody(png(3))));
    assertOk(await api.put(`${look}/logo`, pictureBody(png(2))));
    assert.equal((await fetch(api.url + first)).status, 404);
    const replaced = await account();
    assert.notEqual(iconIn(replaced), logoIn(replaced));
    assertOk(await api.delete(`${look}/favicon`), 204);
    assertRefused(await api.delete(`${look}/favicon`), 404);
    assertOk(await api.patch(`/v3/domains/${id}`, { domain: { enabled: false } }));
    assertOk(await api.delete(`/v3/domains/${id}`), 204);
    assert.equal((await fetch(api.url + logoIn(replaced)!)).status, 404);
    const { events } = assertOk(await api.get('/v3/OS-AUDIT/events?action=domain.picture_*'));
    assert.equal(events.length, 4);
  });
});

const server = await startMailServer();

onUsualDatabase(
  'The look of a domain',
  (api) => {
    const isHarbour = (text: string): boolean => text.includes('<span>Harbour</span>');

    it('is on the account pages of its people, in its colour and language, with its links', async () => {
      const { id, name } = await makeDomain(api, { ...HARBOUR, 'look.language': 'es' });
      const person = await makeUser(api, { domain_id: id });
      const { text } = await new TestBrowser(api).signIn('/account', { ...person, domain: name });
      assert.ok(isHarbour(text) && text.includes(LANGUAGES.es.manageAccount), text);
      assert.ok(
        text.includes(`href="https://harbour.example/help" target="_blank" rel="noopener">${LANGUAGES.es.footerLinks.help}<`),
      );
      const style = styleIn(text);
      const colored = await fetch(api.url + style);
      assert.match(await colored.text(), /--brand: #aa0000/);
      assert.match(colored.headers.get('cache-control')!, /immutable/);
      for (const other of [style.replace('aa0000', 'zz0000'), style.replace(/style-\w+/, 'style-0123456789abcdef')])
        assert.equal((await fetch(api.url + other)).status, 404, other);
      const elsewhere = await new TestBrowser(api).signIn('/account', await makeUser(api));
      assert.ok(!isHarbour(elsewhere.text) && !styleIn(elsewhere.text).includes('aa0000'));
      const english = await new TestBrowser(api, { 'accept-language': 'en' }).signIn('/account', { ...person, domain: name });
      assert.ok(english.text.includes(LANGUAGES.en.manageAccount));
    });

    it('is on the sign-in page when the request names the domain, and that of the service otherwise', async () => {
      const { id, name } = await makeDomain(api);
      const signIn = async (query: string) => (await new TestBrowser(api).go(`/account${query}`)).text;
      const named = await signIn(`?domain_hint=${name}`);
      assert.ok(isHarbour(named) && !named.includes(`value="${name}"`));
      for (const query of ['', '?domain_hint=', '?domain_hint=nobody', `?domain_hint=${'x'.repeat(65)}`, '?domain_hint=%00'])
        assert.ok(!isHarbour(await signIn(query)), query);
      const [, forgotten] = /href="(\/openid\/forgotten-password\?[^"]+)"/.exec(named)!;
      assert.ok(isHarbour((await new TestBrowser(api).go(forgotten!.replaceAll('&amp;', '&'))).text));
      assertOk(await api.patch(`/v3/domains/${id}`, { domain: { enabled: false } }));
      assert.ok(!isHarbour(await signIn(`?domain_hint=${name}`)), 'as if there were none');
    });

    it('is in mails to its people, and on the pages that their links open', async () => {
      const { id, name, look } = await makeDomain(api, { ...HARBOUR, 'look.language': 'es' });
      assertOk(await api.put(`${look}/logo`, pictureBody()));
      const [email, fresh] = [newMailbox(), newMailbox()];
      const person = await makeUser(api, { domain_id: id, email });
      await askForPassword(api, person.name, { domain: name });
      const mail = await newestMail(server, email);
      const html = String(mail.html);
      assert.match(html, /Harbour[\s\S]*#aa0000|#aa0000[\s\S]*Harbour/);
      const [, logo] = /<img src="([^"]+)"/.exec(html)!;
      assert.deepEqual(Buffer.from(await (await fetch(logo!)).arrayBuffer()), png());
      const browser = new TestBrowser(api);
      const page = await browser.go(linkIn(mail));
      assert.ok(isHarbour(page.text));
      const password = 'a fresh one of a person';
      const saved = await browser.submit(page, undefined, { new_password: password, new_password_again: password });
      assert.ok(isHarbour(saved.text), saved.text);
      const notice = await newestMail(server, email, 2);
      assert.match(notice.subject!, /contraseña/, 'nothing else says their language');

      await askToRegister(api, fresh, { domain: name });
      assert.ok(isHarbour((await browser.go(linkIn(await newestMail(server, fresh)))).text));
      assert.ok(isHarbour((await browser.go(`/openid/register?domain=${name}`)).text));
      const [guest, ours] = [newMailbox(), newMailbox()];
      assertOk(await api.post('/v3/OS-REGISTRATION/invitations', { invitation: { email: guest, domain_id: id } }), 201);
      const invitation = await newestMail(server, guest);
      assert.match(String(invitation.html), /Harbour/);
      assert.ok(isHarbour((await new TestBrowser(api).go(linkIn(invitation))).text));
      await askToRegister(api, ours);
      assert.doesNotMatch(String((await newestMail(server, ours)).html), /Harbour|aa0000/);
    });

    it('names the terms of the domain, which whoever registers accepts', async () => {
      const { id, name } = await makeDomain(api, { 'look.terms_url': 'https://harbour.example/terms' });
      const version = 'GATEHOUSE_IDENTITY_TERMS_VERSION';
      const url = 'GATEHOUSE_IDENTITY_TERMS_URL';
      const service = { [version]: '2026-01', [url]: 'https://town.example/terms' };
      assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: service }));
      const email = newMailbox();
      await askToRegister(api, email, { domain: name });
      const browser = new TestBrowser(api);
      const page = await browser.go(linkIn(await newestMail(server, email)));
      assert.ok(page.text.includes('href="https://harbour.example/terms"'));
      const password = 'a password that was chosen';
      const form = { name: 'Ann', new_password: password, new_password_again: password, terms: '2026-01' };
      assert.equal((await browser.submit(page, undefined, form)).status, 200);
      const [user] = assertOk(await api.get(`/v3/users?domain_id=${id}&name=${encodeURIComponent(email)}`)).users;
      const db = await databaseOf(api);
      const rows = await db.read.selectFrom('accepted_terms').where('user_id', '=', user.id).select('url').execute();
      await db.close();
      assert.deepEqual(rows, [{ url: 'https://harbour.example/terms' }]);
      // An empty one is not a way around the terms of the service.
      assertOk(await api.patch(`/v3/OS-SERVICE/domains/${id}/settings`, { settings: { 'look.terms_url': '' } }));
      const other = newMailbox();
      await askToRegister(api, other, { domain: name });
      assert.ok((await browser.go(linkIn(await newestMail(server, other)))).text.includes('href="https://town.example/terms"'));
      assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { [version]: null, [url]: null } }));
    });
  },
  { settings: { ...smtpSettings(server), GATEHOUSE_IDENTITY_REGISTRATION: 'open' } },
);

underAttack('Attacks by the look of a domain', (api) => {
  const draft = { look: { name: 'Harbour', color: null } };

  it('are refused: of strangers, of readers, of managers of other domains, and of managers to whom it is not left', async () => {
    const { id, look } = await makeDomain(api);
    const other = await makeDomain(api);
    const { token } = await api.persona(['manager'], { domain: id }, { domain_id: id });
    const foreign = await api.persona(['manager'], { domain: other.id }, { domain_id: other.id });
    const reader = await api.persona(['reader'], 'system');
    for (const [method, path, body] of [
      ['PUT', `${look}/logo`, pictureBody()],
      ['DELETE', `${look}/logo`, undefined],
      ['POST', `${look}/preview`, draft],
    ] as const) {
      await assertNeedsToken(api, method, path, body);
      await assertForbidden(api, [reader.token, foreign.token], method, path, body ? { body } : {});
      assertRefused(await api.request(method, path, { token, ...(body ? { body } : {}) }), 403, /Only administrators/);
    }
    await assertForbidden(api, [foreign.token], 'GET', `${look}/logo`);
    assertRefused(await api.put('/v3/OS-SERVICE/domains/nowhere/look/logo', pictureBody()), 404);
    assertRefused(
      await api.put(`${look}/logo`, { picture: { content: Buffer.from('<svg/>').toString('base64') } }),
      400,
      /not a PNG/,
    );
  });

  it('by a manager to whom it is left change nothing of what an administrator gave, nor with an old sign-in', async () => {
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { [LEFT]: 'look' } }));
    const { id, look } = await makeDomain(api, { 'look.name': 'Harbour' });
    const { token } = await api.persona(['manager'], { domain: id }, { domain_id: id });
    const change = (settings: object) => api.patch(`${pathOf(id)}/settings`, { settings }, { token });
    assertOk(await change({ 'look.color': '#00aa00' }));
    assertRefused(await change({ 'look.name': 'Bank' }), 403, /Only administrators/);
    assertRefused(await change({ 'look.help_url': 'javascript:alert(1)' }), 400);
    assertRefused(await change({ 'look.help_url': `https://x.example/${'a'.repeat(2000)}` }), 400, /at most 2000/);
    assertRefused(await change({ 'look.color': '#fff;}*{background:url(https://evil.example)}' }), 400);
    assertOk(await api.post(`${look}/preview`, draft, { token }));
    assertOk(await api.put(`${look}/favicon`, pictureBody(), { token }));
    assertOk(await api.put(`${look}/logo`, pictureBody()));
    assertRefused(await api.put(`${look}/logo`, pictureBody(png(2)), { token }), 403, /Only administrators/);
    assertRefused(await api.delete(`${look}/logo`, { token }), 403, /Only administrators/);
    assertOk(await api.put(`${look}/favicon`, pictureBody(png(2))));
    assertRefused(await api.delete(`${look}/favicon`, { token }), 403);
    api.clock.advance(901);
    assertRefused(await change({ 'look.color': null }), 401);
    assertRefused(await api.put(`${look}/favicon`, pictureBody(), { token }), 401);
  });
});
