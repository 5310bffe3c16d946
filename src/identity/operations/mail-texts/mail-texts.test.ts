// Texts of mails that administrators wrote: what is sent, how it is seen before, and the way back.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onEachDatabase, type TestApi } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import { askForPassword, linkIn, newestMail, startMailServer } from '../../../../test/support/mailbox.ts';
import { png } from '../../../../test/support/pictures.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { soon } from '../../../../test/support/soon.ts';

const PATH = '/v3/OS-SERVICE/mail/texts';
const RESET = `${PATH}/en/reset-password`;
const TEXT = {
  mail_text: {
    subject: 'Ahoy {{name}}: a new password',
    body: 'Hello {{name}} & crew,\r\n\r\n{{link}}\r\n\r\nIt lasts {{lifetime}}. <b>Nobody</b> else has it.\r\n\r\n{{service}}',
  },
};
const server = await startMailServer();

onEachDatabase(
  'A text of a mail',
  (api) => {
    it('is listed in each language with its values, and is that of the program at first', async () => {
      const texts = assertOk(await api.get(PATH)).mail_texts;
      for (const language of ['en', 'es'])
        assert.ok(texts.some((one: Record<string, unknown>) => one.language === language && one.template === 'invitation'));
      const { mail_text } = assertOk(await api.get(RESET));
      assert.deepEqual([mail_text.source, mail_text.subject], ['default', 'Choose a new password']);
      assert.deepEqual(
        mail_text.values.find(({ name }: { name: string }) => name === 'link'),
        {
          name: 'link',
          kind: 'url',
          required: true,
        },
      );
      assertRefused(await api.get(`${PATH}/en/nothing`), 404);
      assertRefused(await api.get(`${PATH}/xx/invitation`), 404);
    });

    it('is what people get from the moment it is stored, escaped, with the logo and the colour, until it is reset', async () => {
      const person = await makeUser(api);
      const email = person.user.email as string;
      const stored = assertOk(await api.put(RESET, TEXT)).mail_text;
      assert.equal(stored.source, 'service');
      assertOk(await api.put('/v3/OS-SERVICE/look/logo', { picture: { content: png().toString('base64') } }));
      assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_BRAND_COLOR: '#aa0000' } }));
      await askForPassword(api, person.name);
      const mail = await newestMail(server, email);
      assert.equal(mail.subject, `Ahoy ${person.name}: a new password`);
      assert.ok(mail.text!.startsWith(`Hello ${person.name} & crew,\n`));
      assert.ok(linkIn(mail).href.startsWith(api.url));
      const html = String(mail.html);
      assert.ok(html.includes('&amp; crew') && html.includes('&lt;b&gt;Nobody&lt;/b&gt;'));
      assert.ok(
        html.includes(`<img src="${api.url}/openid/assets/logo"`) && html.includes('background: #aa0000; color: #ffffff'),
      );
      assert.match(html, /class="button" href="http[^"]+">Ahoy /);
      assertOk(await api.delete(RESET), 204);
      assert.equal(assertOk(await api.get(RESET)).mail_text.source, 'default');
      assertOk(await api.delete('/v3/OS-SERVICE/look/logo'), 204);
      assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_BRAND_COLOR: null } }));
      await askForPassword(api, person.name);
      assert.equal((await newestMail(server, email, 2)).subject, 'Choose a new password');
      const { events } = assertOk(await api.get('/v3/OS-AUDIT/events?action=settings.mail_text_*'));
      assert.deepEqual(
        events.map(({ action }: { action: string }) => action),
        ['settings.mail_text_reset', 'settings.mail_text_changed'],
      );
    });

    it('is seen before it is stored, with sample values', async () => {
      const { preview } = assertOk(await api.post(`${RESET}/preview`, TEXT));
      assert.equal(preview.subject, 'Ahoy Ada: a new password');
      assert.ok(preview.body.includes(`${api.url}/openid/example`));
      const page = await fetch(preview.url);
      const html = await page.text();
      assert.ok(html.includes('Ahoy Ada') && html.includes('&lt;b&gt;Nobody'));
      assert.match(page.headers.get('content-security-policy')!, /default-src 'none'; style-src 'unsafe-inline'.*sandbox/);
      assert.equal((await fetch(`${preview.url}/style.css`)).status, 404);
      assert.equal(assertOk(await api.get(RESET)).mail_text.source, 'default');
    });

    it('is not overwritten by somebody who has not seen the present one', async () => {
      const { headers } = await api.get(RESET);
      const etag = headers.get('etag')!;
      const changed = await api.put(RESET, TEXT, { headers: { 'If-Match': etag } });
      assertOk(changed);
      assertRefused(await api.put(RESET, TEXT, { headers: { 'If-Match': etag } }), 412);
      assertRefused(await api.delete(RESET, { headers: { 'If-Match': etag } }), 412);
      assertOk(await api.delete(RESET, { headers: { 'If-Match': changed.headers.get('etag')! } }), 204);
    });
  },
  { settings: smtpSettings(server) },
);

onDatabase('PostgreSQL', 'A text of a mail on replicas', {}, (first) => {
  let second: TestApi;
  before(async () => {
    second = await first.replica();
  });
  after(() => second.stop());

  it('is followed within a second', async () => {
    const sourceOf = async (api: TestApi) => assertOk(await api.get(RESET)).mail_text.source;
    assertOk(await first.put(RESET, TEXT));
    await soon('service', () => sourceOf(second));
    assertOk(await second.delete(RESET), 204);
    await soon('default', () => sourceOf(first));
  });
});
