// The name, colour, logo and icon of pages, and the choice of a language.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { onDatabase } from '../../../../test/support/api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { load } from '../../../platform/config/index.ts';
import { identitySettings } from '../settings/index.ts';
import { createAssets, FAVICON } from './assets.ts';
import { brandColors } from './brand-colors.ts';
import { LANGUAGES } from './words/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-brand-'));
after(() => rmSync(folder, { recursive: true }));
const fileWith = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

describe('The brand of pages', () => {
  it('has a colour that texts can be read in, on light and dark grounds', () => {
    assert.match(brandColors('#1d4ed8'), /^:root \{ --brand: #1d4ed8; --brand-ink: #ffffff; \}/);
    const [, yellow, ink] = /^:root \{ --brand: (#\w+); --brand-ink: (#\w+); \}/.exec(brandColors('#ffee00'))!;
    assert.notEqual(yellow, '#ffee00', 'yellow on white cannot be read');
    assert.equal(ink, '#ffffff');
    assert.match(brandColors('#000000'), /dark\) \{ :root \{ --brand: #(?!000000)\w+; --brand-ink: #000000; \}/);
  });

  it('refuses a logo that is no picture, too large, or not there', () => {
    const withLogo = (brandLogo: string) => () => createAssets({ ...load(identitySettings, {}), brandLogo, pictures: {} });
    assert.throws(withLogo(fileWith('page.png', '<html>')), /is not a PNG, JPEG, WebP or SVG picture/);
    assert.throws(withLogo(fileWith('large.svg', SVG + ' '.repeat(300_000))), /larger than 256 KiB/);
    assert.throws(withLogo(join(folder, 'none.png')), /GATEHOUSE_IDENTITY_BRAND_LOGO: cannot read/);
    const drawn = `<?xml version="1.0"?>\n<!-- by hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">\n${SVG}`;
    assert.match(withLogo(fileWith('drawn.svg', drawn))().brand.logo!, /\.svg$/);
  });
});

const settings = {
  GATEHOUSE_IDENTITY_BRAND_NAME: 'Acme & Söhne',
  GATEHOUSE_IDENTITY_BRAND_COLOR: '#aa0000',
  GATEHOUSE_IDENTITY_BRAND_LOGO: fileWith('logo.svg', SVG),
};

onDatabase('SQLite', 'Pages of a brand', { settings }, (api) => {
  it('have its name, colour, logo and icon', async () => {
    const browser = new TestBrowser(api);
    const page = await browser.go('/account');
    assert.match(page.text, /· Acme &amp; Söhne<\/title>/);
    const [, logo] = /<header><img src="([^"]+)"/.exec(page.text)!;
    const [, style] = /rel="stylesheet" href="([^"]+)"/.exec(page.text)!;
    assert.match((await browser.request(style!)).text, /--brand: #aa0000/);
    for (const path of [logo!, FAVICON]) {
      const picture = await browser.request(path);
      assert.equal(picture.headers.get('content-type'), 'image/svg+xml');
      assert.equal(picture.text, SVG);
      assert.match(picture.headers.get('content-security-policy')!, /default-src 'none'.*sandbox/, 'its script does not run');
      assert.match(picture.headers.get('cache-control')!, /^public/);
    }
    assert.equal((await browser.request('/openid/assets/style-0.css')).status, 404);
  });

  it('change their language at a button, in this browser only, and only from our own pages', async () => {
    const browser = new TestBrowser(api);
    const page = await browser.go('/account');
    const [, action] = /<form method="post" action="(\/openid\/language)"/.exec(page.text)!;
    const referer = { Referer: page.url };
    const changed = await browser.send(action!, { language: 'es' }, referer);
    assert.equal(changed.url, page.url, 'back at the same page');
    assert.ok(changed.text.includes(LANGUAGES.es.userName));
    assert.ok((await new TestBrowser(api).go('/account')).text.includes(LANGUAGES.en.userName));
    const foreign = await browser.request(action!, {
      method: 'POST',
      body: new URLSearchParams({ language: 'en' }),
      headers: { Origin: 'https://evil.example' },
    });
    assert.equal(foreign.status, 403);
    const elsewhere = await browser.request(action!, {
      method: 'POST',
      body: new URLSearchParams({ language: 'klingon' }),
      headers: { Origin: api.url, Referer: 'https://evil.example/x' },
    });
    assert.equal(elsewhere.headers.get('location'), '/account');
    assert.equal(elsewhere.headers.get('set-cookie'), null);
    // Pages for errors have the button, too, whatever their address is.
    const trap = `${api.url}//evil.example/x`;
    assert.ok((await browser.request(trap)).text.includes(action!));
    const back = await browser.request(action!, {
      method: 'POST',
      body: new URLSearchParams({ language: 'en' }),
      headers: { Origin: api.url, Referer: trap },
    });
    assert.equal(back.redirectTarget, undefined);
  });

  it('lead password managers to the form for a new password', async () => {
    const found = await new TestBrowser(api).request('/.well-known/change-password');
    assert.equal(found.status, 303);
    assert.equal(found.headers.get('location'), '/account/security#password');
  });

  it('tell browsers about errors by a page, and programs in the format of their API', async () => {
    const browser = new TestBrowser(api, { 'accept-language': 'es' });
    const missing = await browser.request('/nowhere/<b>');
    assert.equal(missing.status, 404);
    assert.match(missing.headers.get('content-type')!, /^text\/html/);
    assert.match(missing.headers.get('content-security-policy')!, /default-src 'none'/);
    assert.ok(missing.text.includes(LANGUAGES.es.noPageTitle));
    assert.ok(!missing.text.includes('<b>'));
    const forged = await browser.request('/account', {
      method: 'POST',
      body: 'step=x',
      headers: { Origin: 'https://evil.example' },
    });
    assert.equal(forged.status, 303, 'a stranger is to sign in first');
    for (const path of ['/v3/users', '/v3/nothing', '/scim/v2/Users', '/v3?x=1'])
      assert.match((await browser.request(path)).headers.get('content-type')!, /json/, path);
    // Java's own HTTP client names HTML first.
    const headers = { Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' };
    for (const path of ['token', 'introspect', 'revoke', 'par', 'jwks', 'userinfo', 'device/authorize']) {
      const refused = await fetch(`${api.url}/openid/${path}`, { method: 'DELETE', headers });
      assert.equal(refused.status, 405, path);
      assert.match(refused.headers.get('content-type')!, /json/, path);
    }
    const program = await fetch(`${api.url}/nowhere`, { headers: { Accept: 'application/json' } });
    assert.match(program.headers.get('content-type')!, /json/);
  });
});
