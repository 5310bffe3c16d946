// Attacks by texts of mails: a link that takes the token elsewhere, markup, further headers, people who may not.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';

const PATH = '/v3/OS-SERVICE/mail/texts';
const RESET = `${PATH}/en/reset-password`;
const text = (body: string, subject = 'A new password') => ({ mail_text: { subject, body } });

onUsualDatabase('Attacks by texts of mails', (api) => {
  const eachWay = async (sent: object, why: RegExp) => {
    assertRefused(await api.put(RESET, sent), 400, why);
    assertRefused(await api.post(`${RESET}/preview`, sent), 400, why);
  };

  it('are refused: a link whose token would reach another site', async () => {
    for (const body of [
      'Go to https://evil.example/?to={{link}}',
      'Go to https://evil.example/#{{ link }} now',
      'www.evil.example/{{link}}',
      'http://{{service}}.evil.example/ and {{link}}',
    ])
      await eachWay(text(body), /value in the address|must stand alone/);
    for (const body of [
      'x{{link}}',
      '{{link}}.evil.example',
      '{{link}}@evil.example',
      '"{{link}}"',
      '{{link}}{{link}}',
      '{{link}}/..',
    ])
      await eachWay(text(body), /must stand alone/);
  });

  it('are refused: addresses of others, also in disguise', async () => {
    for (const address of [
      'https://evil.example',
      'HTTPS://EVIL.EXAMPLE',
      `${api.url}@evil.example/`,
      `${api.url}.evil.example/`,
      'www.evil.example',
      'javascript://x/%0aalert(1)',
      'ftp://evil.example/x',
      'data://text/html,x',
    ])
      await eachWay(text(`{{link}}\n\n${address}`), /has the address/);
    const own = text(`{{link}}\n\nMore at ${api.url}/account, and (${api.url}).`);
    const { preview } = assertOk(await api.post(`${RESET}/preview`, own));
    assert.ok((await (await fetch(preview.url)).text()).includes(`<a href="${api.url}/account">`));
    const help = { GATEHOUSE_IDENTITY_HELP_URL: 'https://help.example.org/start' };
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: help }));
    assertOk(await api.put(RESET, text('{{link}} https://help.example.org/mail')));
    assertOk(await api.delete(RESET), 204);
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_HELP_URL: null } }));
  });

  it('are refused: unknown, missing and broken values, further headers, hidden characters', async () => {
    await eachWay(text('No way in.'), /must have \{\{link\}\}/);
    await eachWay(text('{{link}} {{password}}'), /has \{\{password\}\}; it may use/);
    await eachWay(text('{{link}} {{constructor}}'), /has \{\{constructor\}\}/);
    await eachWay(text('{{link}} {{name'), /without a value/);
    await eachWay(text('{{link}}', 'For {{link}}'), /the subject has \{\{link\}\}/);
    for (const subject of ['A\r\nBcc: all@evil.example', 'A\nB', 'A\u2028B', 'A\u202eB', ' '])
      await eachWay(text('{{link}}', subject), /the subject must/);
    await eachWay(text('{{link}}', 'See https://evil.example'), /the subject has the address/);
    for (const hidden of ['\u202e', '\u200b', '\u001b[2J']) await eachWay(text(`{{link}} ${hidden}`), /invisible characters/);
    assertRefused(await api.put(RESET, text(`{{link}} ${'x'.repeat(10_001)}`)), 400);
    assertRefused(await api.put(RESET, { mail_text: { ...text('{{link}}').mail_text, html: '<p>' } }), 400, /html/);
  });

  it('are shown as text, in the HTML of the mail, too', async () => {
    const evil = text('<script>alert(1)</script> {{link}} <img src=x onerror=alert(1)> "&', '<b>{{name}}</b>');
    const { preview } = assertOk(await api.post(`${RESET}/preview`, evil));
    const html = await (await fetch(preview.url)).text();
    assert.ok(!html.includes('<script') && !html.includes('<img src=x') && !html.includes('<b>'));
    assert.ok(html.includes('&lt;script&gt;') && html.includes('<title>&lt;b&gt;Ada&lt;/b&gt;</title>'));
  });

  it('are refused of all but administrators, who must have signed in recently', async () => {
    const [reader, member] = [await api.persona(['reader'], 'system'), await api.persona(['member'], 'system')];
    const admin = await api.persona(['admin'], 'system');
    const body = text('{{link}}');
    for (const [method, path, sent] of [
      ['PUT', RESET, body],
      ['DELETE', RESET, undefined],
      ['POST', `${RESET}/preview`, body],
      ['PUT', `${PATH}/en/nothing`, body],
    ] as const) {
      await assertNeedsToken(api, method, path, sent);
      await assertForbidden(api, [reader.token, member.token], method, path, sent ? { body: sent } : {});
    }
    await assertForbidden(api, [member.token], 'GET', PATH);
    api.clock.advance(901);
    assertRefused(await api.put(RESET, body, { token: admin.token }), 401);
    assertRefused(await api.delete(RESET, { token: admin.token }), 401);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-texts-'));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'en'));
writeFileSync(join(folder, 'en/reset-password.txt'), 'Subject: Of the operator\n\n{{link}}\n');
writeFileSync(join(folder, 'en/reset-password.html'), '<p>{{link}}</p>');
const settings = { GATEHOUSE_IDENTITY_MAIL_TEMPLATES: folder };

onDatabase('SQLite', 'A mail that the operator has given as a file', { settings }, (api) => {
  it('is not replaced by administrators', async () => {
    const { mail_text } = assertOk(await api.get(RESET));
    assert.deepEqual([mail_text.source, mail_text.subject], ['file', 'Of the operator']);
    assertRefused(await api.put(RESET, text('{{link}}')), 409, /fixed by the operator/);
    assertRefused(await api.delete(RESET), 409);
    assertOk(await api.put(`${PATH}/es/reset-password`, text('{{link}}')));
  });
});
