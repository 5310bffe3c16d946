// The logo, icon, links and language of the service, and the preview of its sign-in page.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onEachDatabase, onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { png } from '../../../../test/support/pictures.ts';
import { soon } from '../../../../test/support/soon.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const PATH = '/v3/OS-SERVICE/look';
const pictureBody = (image = png()) => ({ picture: { content: image.toString('base64') } });
const store = (api: TestApi, settings: Record<string, string | null>) =>
  api.patch('/v3/OS-SERVICE/settings', {
    settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [`GATEHOUSE_IDENTITY_${name}`, value])),
  });
const logoIn = (text: string): string | undefined => /<header><img src="([^"]+)"/.exec(text)?.[1];
const iconIn = (text: string): string | undefined => /rel="icon" href="([^"]+)"/.exec(text)?.[1];
const accountOf = async (api: TestApi): Promise<string> => (await new TestBrowser(api).go('/account')).text;

onEachDatabase('The logo and the icon of the service', (api) => {
  it('are on every page from the moment they are stored, at addresses that change with them', async () => {
    for (const kind of ['logo', 'favicon']) assertRefused(await api.get(`${PATH}/${kind}`), 404);
    assert.equal(logoIn(await accountOf(api)), undefined);
    const { picture } = assertOk(await api.put(`${PATH}/logo`, pictureBody()));
    assert.deepEqual([picture.kind, picture.media_type, picture.content], ['logo', 'image/png', png().toString('base64')]);
    assert.deepEqual(assertOk(await api.get(`${PATH}/logo`)).picture, picture);
    const page = await accountOf(api);
    const first = logoIn(page)!;
    const image = await fetch(api.url + first);
    assert.deepEqual(Buffer.from(await image.arrayBuffer()), png());
    assert.match(image.headers.get('cache-control')!, /immutable/);
    const icon = await fetch(api.url + iconIn(page)!);
    assert.deepEqual(Buffer.from(await icon.arrayBuffer()), png(), 'without an icon, it is the logo');

    assertOk(await api.put(`${PATH}/favicon`, pictureBody(png(3))));
    assert.deepEqual(Buffer.from(await (await fetch(`${api.url}/favicon.ico`)).arrayBuffer()), png(3));
    assertOk(await api.put(`${PATH}/logo`, pictureBody(png(2))));
    assert.notEqual(logoIn(await accountOf(api)), first);
    const stable = await fetch(`${api.url}/openid/assets/logo`);
    assert.deepEqual(Buffer.from(await stable.arrayBuffer()), png(2), 'for mails');

    for (const kind of ['logo', 'favicon']) assertOk(await api.delete(`${PATH}/${kind}`), 204);
    assertRefused(await api.delete(`${PATH}/logo`), 404, /has no logo/);
    assert.equal(logoIn(await accountOf(api)), undefined);
    assert.equal((await fetch(`${api.url}/openid/assets/logo`)).status, 404);
    const { events } = assertOk(await api.get('/v3/OS-AUDIT/events?action=settings.picture_*'));
    assert.equal(events.length, 5);
  });
});

onUsualDatabase('The look of pages', (api) => {
  it('has links that people follow, and the language of the service where theirs is unknown', async () => {
    const links = { HELP_URL: 'https://help.example.org/a?b=1&c=2', TERMS_URL: 'https://example.org/terms', PRIVACY_URL: null };
    assertOk(await store(api, { ...links, PAGE_LANGUAGE: 'es' }));
    const text = await accountOf(api);
    const { footerLinks, userName } = LANGUAGES.es;
    assert.ok(text.includes(`href="https://help.example.org/a?b=1&amp;c=2" target="_blank" rel="noopener">${footerLinks.help}<`));
    assert.ok(text.includes(footerLinks.terms) && !text.includes(footerLinks.privacy));
    assert.ok(text.includes(userName));
    const reader = await new TestBrowser(api, { 'accept-language': 'en' }).go('/account');
    assert.ok(reader.text.includes(LANGUAGES.en.userName));
    assertRefused(await store(api, { HELP_URL: 'javascript:alert(1)' }), 400, /http or https/);
    assertOk(await store(api, { HELP_URL: null, TERMS_URL: null, PAGE_LANGUAGE: null }));
  });

  it('is shown before it is saved: name, colour, logo, links and language, in light and dark', async () => {
    const look = {
      name: 'Harbour & <b>Sons</b>',
      color: '#aa0000',
      help_url: 'https://help.example.org',
      language: 'es',
      logo: png().toString('base64'),
    };
    const seen = async (scheme: string) => {
      const { preview } = assertOk(await api.post(`${PATH}/preview`, { look: { ...look, scheme } }));
      const page = await fetch(preview.url);
      const text = await page.text();
      const [, style] = /rel="stylesheet" href="([^"]+)"/.exec(text)!;
      return { page, text, style: await (await fetch(api.url + style!)).text(), url: preview.url };
    };
    const light = await seen('light');
    assert.ok(light.text.includes('Harbour &amp; &lt;b&gt;Sons&lt;/b&gt;') && light.text.includes(LANGUAGES.es.password));
    assert.ok(light.text.includes(`<header><img src="data:image/png;base64,${look.logo}"`));
    assert.match(light.style, /--brand: #aa0000[\s\S]*@media not all/);
    assert.match((await seen('dark')).style, /color-scheme: dark[\s\S]*@media all/);
    assert.ok(!(await accountOf(api)).includes('Harbour'), 'nothing was saved');
    api.clock.advance(601);
    assert.equal((await fetch(light.url)).status, 404);
  });
});

onDatabase('PostgreSQL', 'The logo of the service on replicas', {}, (first) => {
  let second: TestApi;
  before(async () => {
    second = await first.replica();
  });
  after(() => second.stop());

  it('is followed within a second, and so is a preview', async () => {
    assertOk(await first.put(`${PATH}/logo`, pictureBody()));
    const path = logoIn(await accountOf(first));
    await soon(path, async () => logoIn(await accountOf(second)));
    assert.equal((await fetch(second.url + path)).status, 200);
    const { preview } = assertOk(await first.post(`${PATH}/preview`, { look: { name: 'Harbour', color: null } }));
    assert.equal((await fetch(second.url + new URL(preview.url).pathname)).status, 200);
    assertOk(await second.delete(`${PATH}/logo`), 204);
    await soon(undefined, async () => logoIn(await accountOf(first)));
  });
});
