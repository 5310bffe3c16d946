// Logos: what is no image, too large, or sent by somebody else is refused, and what is served is nothing but an image.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';
import { LOGO, logoBody, png } from '../../../../test/support/pictures.ts';
import { BUILT_IN_APPLICATION } from './built-in.ts';

const PATH = '/v3/OS-OAUTH2/consumers';
const SCRIPT = '<script>alert(document.domain)</script>';

onUsualDatabase('Attacks by the logo of an application', (api) => {
  let path: string;
  before(async () => {
    path = `${PATH}/${(await makeApplication(api)).id}/logo`;
  });

  it('are refused: what is no image by its content, too large, or not base64', async () => {
    const text = (content: string) => logoBody(Buffer.from(content));
    const damaged = png();
    damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20);
    const limit = Buffer.concat([png(), Buffer.alloc(64 * 1024 - png().length)]);
    for (const [body, why] of [
      [text(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`), /not a PNG, JPEG or WebP/],
      [text(`<html>${SCRIPT}</html>`), /not a PNG, JPEG or WebP/],
      [text(`GIF89a${SCRIPT}`), /not a PNG, JPEG or WebP/],
      [logoBody(Buffer.concat([Buffer.from(SCRIPT), png()])), /not a PNG, JPEG or WebP/],
      [logoBody(png().subarray(0, 30)), /not a PNG, JPEG or WebP/],
      [logoBody(damaged), /not a PNG, JPEG or WebP/],
      [logoBody(Buffer.concat([limit, Buffer.alloc(1)])), /larger than 65536 bytes/],
      [logoBody(png(1, 2049)), /more than 2048 pixels/],
      [{ logo: { content: `data:image/png;base64,${LOGO.logo.content}` } }, /not base64/],
      [{ logo: { content: `${LOGO.logo.content}\n` } }, /not base64/],
      [{ logo: { content: '' } }, /content/],
      [{ logo: { ...LOGO.logo, media_type: 'text/html' } }, /media_type/],
      [{ logo: { url: 'https://x.example.org/logo.png' } }, /content/],
    ] as const)
      assertRefused(await api.put(path, body), 400, why);
    assertRefused(await api.put(path, logoBody(Buffer.alloc(128 * 1024))), 413);
    assertRefused(await api.get(path), 404);
    assertOk(await api.put(path, logoBody(limit)));
  });

  it('are refused of those who do not manage it, and on the built-in application', async () => {
    const [owner, stranger] = [await makePerson(api), await makePerson(api)];
    const { id } = await makeApplication(api, {}, owner.token);
    const own = `${PATH}/${id}/logo`;
    const reader = await api.persona(['reader'], 'system');
    assertOk(await api.put(own, LOGO, { token: owner.token }));
    for (const [method, body] of [
      ['PUT', LOGO],
      ['DELETE', undefined],
    ] as const) {
      await assertForbidden(api, [stranger.token, reader.token], method, own, body ? { body } : {});
      await assertNeedsToken(api, method, own, body);
      assertRefused(await api.request(method, `${PATH}/${BUILT_IN_APPLICATION}/logo`, body ? { body } : {}), 403);
    }
    await assertForbidden(api, [stranger.token], 'GET', own);
    assertOk(await api.get(own, { token: owner.token }));
  });

  it('are served as an image and nothing else, without what was hidden in it, and without a cookie', async () => {
    const polyglot = Buffer.concat([png(), Buffer.from(`<html>${SCRIPT}</html>`)]);
    const { logo } = assertOk(await api.put(path, logoBody(polyglot)));
    const answer = await fetch(logo.url, { headers: { Accept: 'text/html', Cookie: 'a=b' } });
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), png());
    assert.equal(answer.headers.get('content-type'), 'image/png');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.match(answer.headers.get('content-security-policy')!, /^default-src 'none'; sandbox/);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    for (const method of ['POST', 'PUT', 'DELETE']) assert.equal((await fetch(logo.url, { method })).status, 405, method);
    for (const bad of ['x', `${'A'.repeat(42)}'`, 'A'.repeat(43)])
      assert.equal((await fetch(`${api.url}/openid/logos/${bad}`)).status, 404, bad);
  });
});
