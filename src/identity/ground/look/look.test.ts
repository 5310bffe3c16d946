// The language and the time zone of pages.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { load } from '../../../platform/config/index.ts';
import { acceptedLanguages } from '../../../platform/languages/index.ts';
import { identitySettings } from '../settings/index.ts';
import { createAssets } from './assets.ts';
import { createLook, LANGUAGE_COOKIE } from './look.ts';
import { LANGUAGES } from './words/index.ts';

const { brand } = createAssets({ ...load(identitySettings, {}), brandName: 'Example', pictures: {} });
const { en, es, de } = LANGUAGES;

describe('The look of pages', () => {
  it('takes the best language that there are texts in', () => {
    assert.deepEqual(acceptedLanguages('fr;q=0.9, es-MX;q=0.8, en ; q=0.7, *;q=0'), ['fr', 'es-MX', 'en']);
    for (const [header, words] of [
      ['fr, es-MX;q=0.8, en;q=0.7', es],
      ['fr', en],
      ['de-CH', de],
      [undefined, en],
      ['en;q=0.1, ES', es],
      ['__proto__, constructor', en],
      [';q=1,,;', en],
    ] as const)
      assert.equal(createLook({ brand, languages: acceptedLanguages(header) }).words, words, header);
  });

  it('prefers what was chosen in the browser, then what is known of the person', () => {
    assert.equal(createLook({ brand, languages: ['en'] }).for({ languages: ['es'] }).words, es);
    assert.equal(createLook({ brand, chosen: 'en', languages: [] }).for({ languages: ['es'] }).words, en);
    assert.equal(createLook({ brand, chosen: 'xx', languages: ['es'] }).words, es);
  });

  it('shows times in the zone of the reader, or in UTC, and says which', () => {
    const at = Date.UTC(2026, 6, 1, 22, 30) / 1000;
    const look = createLook({ brand, languages: ['es'] });
    assert.match(look.time(at).text, /<time datetime="2026-07-01T22:30:00.000Z">1 jul 2026, 22:30 UTC<\/time>/);
    assert.match(look.for({ zone: 'Europe/Madrid' }).time(at).text, />2 jul 2026, 0:30 (CEST|GMT\+2)</);
    assert.match(look.for({ zone: 'Nowhere/At All' }).time(at).text, /UTC/);
  });
});

onUsualDatabase('Pages', (api) => {
  it('are in the language of the browser or of the profile, with times in their zone', async () => {
    const browser = new TestBrowser(api, { 'accept-language': 'es' });
    const first = await browser.go('/account');
    assert.ok(first.text.includes(es.userName));
    assert.ok(first.text.includes(es.signInTo(es.ownAccount)));
    const user = await makeUser(api);
    const scim = await api.get(`/scim/v2/Users/${user.id}`);
    assert.equal(scim.status, 200);
    const page = await new TestBrowser(api).signIn('/account', user);
    assert.ok(page.text.includes(en.account));
    const value = { schemas: scim.body.schemas, userName: user.name, preferredLanguage: 'es', timezone: 'Europe/Madrid' };
    const put = await api.put(`/scim/v2/Users/${user.id}`, value);
    assert.equal(put.status, 200);
    const own = await new TestBrowser(api).signIn('/account/sessions', user);
    assert.ok(own.text.includes(es.accountPages.sessions));
    assert.match(own.text, /<time datetime="[^"]+">[^<]+(CET|CEST|GMT\+[12])</);
    const traveller = new TestBrowser(api);
    traveller.putCookie('gatehouse_zone', 'Asia/Kolkata', '/');
    assert.match(
      (await traveller.signIn('/account/sessions', await makeUser(api))).text,
      /<time datetime="[^"]+">[^<]+(IST|GMT\+5:30)</,
    );
    const chosen = new TestBrowser(api, { 'accept-language': 'es' });
    chosen.putCookie(LANGUAGE_COOKIE, 'en', '/');
    assert.ok((await chosen.go('/account')).text.includes(en.userName));
  });
});
