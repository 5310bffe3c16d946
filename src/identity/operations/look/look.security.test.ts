// Attacks by the look of the service: pictures that are none, people who may not, previews that do more than show.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { png } from '../../../../test/support/pictures.ts';

const PATH = '/v3/OS-SERVICE/look';
const SCRIPT = '<script>alert(document.domain)</script>';
const body = (image: Buffer | string) => ({ picture: { content: Buffer.from(image).toString('base64') } });
const LOOK = { look: { name: 'Harbour', color: null } };

onUsualDatabase('Attacks by the look of the service', (api) => {
  it('are refused: what is no image by its content, too large, or not base64', async () => {
    const damaged = png();
    damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20);
    for (const [sent, why] of [
      [body(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`), /not a PNG, JPEG or WebP/],
      [body(`GIF89a${SCRIPT}`), /not a PNG, JPEG or WebP/],
      [body(Buffer.concat([Buffer.from(SCRIPT), png()])), /not a PNG, JPEG or WebP/],
      [body(damaged), /not a PNG, JPEG or WebP/],
      [body(Buffer.concat([png(), Buffer.alloc(64 * 1024 + 1 - png().length)])), /larger than 65536 bytes/],
      [body(png(1, 2049)), /more than 2048 pixels/],
      [{ picture: { content: `data:image/png;base64,${png().toString('base64')}` } }, /not base64/],
      [{ picture: { url: 'http://169.254.169.254/' } }, /content/],
    ] as const)
      for (const kind of ['logo', 'favicon']) assertRefused(await api.put(`${PATH}/${kind}`, sent), 400, why);
    for (const content of [SCRIPT, `<svg onload="alert(1)">`]) {
      const logo = Buffer.from(content).toString('base64');
      assertRefused(await api.post(`${PATH}/preview`, { look: { ...LOOK.look, logo } }), 400, /not a PNG/);
    }
    assertRefused(await api.put(`${PATH}/background`, body(png())), 404);
  });

  it('are served as an image and nothing else, without what was hidden in it', async () => {
    assertOk(await api.put(`${PATH}/logo`, body(Buffer.concat([png(), Buffer.from(`<html>${SCRIPT}</html>`)]))));
    for (const path of ['/favicon.ico', '/openid/assets/logo']) {
      const answer = await fetch(api.url + path, { headers: { Accept: 'text/html', Cookie: 'a=b' } });
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), png());
      assert.equal(answer.headers.get('content-type'), 'image/png');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.match(answer.headers.get('content-security-policy')!, /default-src 'none'.*sandbox/);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
  });

  it('find a preview in which nothing works, that no other site can show, and that nobody finds by guessing', async () => {
    const name = `${SCRIPT}"><img src=x onerror=alert(1)>`;
    const { preview } = assertOk(
      await api.post(`${PATH}/preview`, { look: { name, color: null, help_url: 'https://x.example.org/"onclick="a' } }),
    );
    const page = await fetch(preview.url);
    const text = await page.text();
    assert.ok(!text.includes('<script') && !text.includes('<img src=x') && !text.includes('"onclick'));
    assert.ok(text.includes('<body inert>'));
    const policy = page.headers.get('content-security-policy')!;
    for (const part of ["default-src 'none'", "form-action 'none'", "frame-ancestors 'self'", 'sandbox'])
      assert.ok(policy.split('; ').includes(part), part);
    assert.equal(page.headers.get('x-frame-options'), 'SAMEORIGIN');
    for (const bad of ['x', 'A'.repeat(43), `${'A'.repeat(43)}/style.css`, `${preview.url.slice(-43)}/other.css`])
      assert.equal((await fetch(`${api.url}/openid/previews/${bad}`)).status, 404, bad);
    for (const [field, value] of [
      ['help_url', 'javascript:alert(1)'],
      ['terms_url', 'data:text/html,x'],
      ['privacy_url', '//evil.example'],
      ['color', '#fff;}*{background:url(https://evil.example)}'],
      ['scheme', 'dark{}'],
    ])
      assertRefused(await api.post(`${PATH}/preview`, { look: { ...LOOK.look, [field!]: value } }), 400);
  });

  it('are refused of all but administrators, who must have signed in recently to change something', async () => {
    const reader = await api.persona(['reader'], 'system');
    const [member, admin] = [await api.persona(['member'], 'system'), await api.persona(['admin'], 'system')];
    for (const [method, path, sent] of [
      ['PUT', `${PATH}/logo`, body(png())],
      ['DELETE', `${PATH}/logo`, undefined],
      ['POST', `${PATH}/preview`, LOOK],
    ] as const) {
      await assertNeedsToken(api, method, path, sent);
      await assertForbidden(api, [reader.token, member.token], method, path, sent ? { body: sent } : {});
    }
    assertOk(await api.put(`${PATH}/logo`, body(png()), { token: admin.token }));
    api.clock.advance(901);
    assertRefused(await api.put(`${PATH}/logo`, body(png(2)), { token: admin.token }), 401);
    assertRefused(await api.delete(`${PATH}/logo`, { token: admin.token }), 401);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-logo-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'logo.png'), png());
const settings = { GATEHOUSE_IDENTITY_BRAND_LOGO: join(folder, 'logo.png') };

onDatabase('SQLite', 'A logo that the operator has given as a file', { settings }, (api) => {
  it('is not replaced by administrators', async () => {
    for (const kind of ['logo', 'favicon']) {
      assertRefused(await api.put(`${PATH}/${kind}`, body(png(2))), 409, /fixed by the operator/);
      assertRefused(await api.delete(`${PATH}/${kind}`), 409);
    }
    const icon = await fetch(`${api.url}/favicon.ico`);
    assert.deepEqual(Buffer.from(await icon.arrayBuffer()), png());
  });

  it('stays when the file is gone and something else of the look changes: no page fails', async () => {
    rmSync(join(folder, 'logo.png'));
    const settings = { GATEHOUSE_IDENTITY_BRAND_NAME: 'Harbour' };
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings }));
    const page = await fetch(`${api.url}/openid/forgotten-password`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Harbour/);
    const logo = await fetch(`${api.url}/openid/assets/logo`);
    assert.deepEqual(Buffer.from(await logo.arrayBuffer()), png());
  });
});
