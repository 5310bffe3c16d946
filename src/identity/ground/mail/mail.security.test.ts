// Attacks by people who choose a hostile name or address, and by readers of the database or the log.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MailServer, type ReceivedMail, smtpError, smtpSettings } from '../../../../test/support/mail-server.ts';
import { ISSUER, onEachMailing } from '../../../../test/support/mailing.ts';
import type { Letter, Mail } from './index.ts';
import { TEMPLATES } from './letters.ts';
import { cleanText, render } from './render.ts';

const TOKEN = 'c2VjcmV0LW9mLXRoZS1saW5rLWluLXRoaXMtbWFpbA';
const LINK = `${ISSUER}/reset?token=${TOKEN}`;

const HOSTILE = [
  'Ann\r\nBcc: victim@example.net',
  'Ann\nBcc: victim@example.net',
  'Ann\r\n\r\n<html>another body</html>',
  'Ann\r\n.\r\nMAIL FROM:<evil@example.net>',
  '.\r\n',
  'Ann\0\u0007\u001b[31m',
  'Ann\u2028Bcc: victim@example.net\u2029',
  'Ann\u0085Bcc: victim@example.net',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'/><a href='https://evil.example/'>click</a>",
  '</p></main></body><h1>You won</h1>',
  '{{link}} {{service}} {{content}}',
  '$& $1 $$ $`',
  '=?utf-8?Q?Bcc=3A_victim=40example=2Enet?=',
  '\u202egnirts desrever\u202c',
  'a\u200bb\ufeffc',
  'A'.repeat(5000),
  '👩‍💻 Ñandú, “Ann”; <ann@example.org>',
];

onEachMailing('Mail, attacked', (mailing) => {
  const server = new MailServer();
  let mail: Mail;
  let count = 0;
  before(async () => {
    await server.open();
    mail = mailing.mail(smtpSettings(server));
  });
  after(() => server.close());

  async function sent(letter: Omit<Letter<'invitation'>, 'to' | 'template'>): Promise<ReceivedMail> {
    const to = `person-${++count}@example.org`;
    assert.ok(await mailing.enqueue(mail, { to, template: 'invitation', ...letter }));
    await mail.sendDue();
    const [received, ...more] = server.to(to);
    assert.ok(received);
    assert.deepEqual([more, received.to, received.from], [[], [to], 'id@example.org']);
    return received;
  }
  const harmless = { inviter: 'Bob', organization: 'Acme', link: LINK };
  const headersOf = ({ mail: { headerLines } }: ReceivedMail): string[] => headerLines.map(({ key }) => key).sort();

  it('has the same headers, lines and tags, whatever a name contains', async () => {
    const usual = await sent({ values: harmless });
    const tags = (html: string): string => html.replace(/>[^<]*/g, '>').replace(/href="[^"]*"/g, '');
    for (const name of HOSTILE) {
      const received = await sent({ values: { ...harmless, inviter: name, organization: name } });
      assert.deepEqual(headersOf(received), headersOf(usual), name);
      assert.equal(received.mail.to?.value.length, 1);
      assert.equal(tags(String(received.mail.html)), tags(String(usual.mail.html)), name);
      assert.deepEqual(received.mail.attachments, []);
      assert.doesNotMatch(received.mail.subject!, /[\r\n\0]/);
      assert.ok(received.mail.subject!.length < 300);
      assert.equal(received.mail.text!.split('\n').length, usual.mail.text!.split('\n').length, name);
      assert.equal(received.mail.text!.split(LINK).length, 2, 'the link is there once');
    }
  });

  it('is sent to one recipient, however the address is written', async () => {
    const before = server.received.length;
    const addresses = [
      'ann@example.org,victim@example.net',
      'ann@example.org\r\nBcc: victim@example.net',
      'ann@example.org>\r\nRCPT TO:<victim@example.net',
      '"ann@example.org, victim"@example.net',
      'Ann <victim@example.net>',
      'undisclosed: ann@example.org, victim@example.net;',
      'ann@example.org\0',
      'ann@example.org%0d%0aBcc:victim@example.net',
    ];
    for (const to of addresses)
      assert.equal(await mailing.enqueue(mail, { to, template: 'invitation', values: harmless }), false, JSON.stringify(to));
    await mail.sendDue();
    assert.equal(server.received.length, before);
  });

  it('contains no link but ours, even if a name is a URL', async () => {
    for (const name of [
      'https://evil.example/prize',
      'www.evil.example',
      'evil.example/a',
      'HTTP://EVIL.EXAMPLE',
      'a.b.evil.example',
    ]) {
      const { mail: received } = await sent({ values: { ...harmless, inviter: `You won at ${name} now`, organization: name } });
      // Links that a mail program would find in the text.
      const links = [...received.textAsHtml!.matchAll(/href="([^"]*)"/g)].map(([, address]) => address);
      assert.deepEqual(links, [LINK], name);
      const html = String(received.html).replace(/<style>[\s\S]*<\/style>/, '');
      for (const text of [received.subject!, received.text!, html])
        assert.doesNotMatch(text.replaceAll(LINK, ''), /:\/\/|\w\.\w/, name);
    }
  });

  it('cannot be read in the database', async () => {
    const to = 'somebody-private@example.org';
    await mailing.enqueue(mail, { to, template: 'reset-password', values: { name: 'Private Person', link: LINK } });
    const rows = await mailing.rows();
    // To whom it goes is for administrators to find.
    assert.deepEqual(
      rows.map(({ recipient }) => recipient),
      [to],
    );
    const whole = JSON.stringify(rows.map((row) => ({ ...row, recipient: undefined })));
    for (const secret of [TOKEN, to, 'Private', 'password?token', ISSUER]) assert.ok(!whole.includes(secret), secret);
    for (const { sealed } of rows) {
      const bytes = Buffer.from(sealed.split('.')[2]!, 'base64url').toString('latin1');
      assert.ok(!bytes.includes(TOKEN) && !bytes.includes(to));
    }
    await mail.sendDue();
    assert.equal(server.to(to).length, 1);
  });

  it('cannot be moved to another row', async () => {
    const before = server.received.length;
    for (const to of ['one@example.org', 'two@example.org'])
      await mailing.enqueue(mail, { to, template: 'reset-password', values: { name: 'Ann', link: LINK } });
    const [one, two] = await mailing.rows();
    await mailing.db.write(async (tx) => {
      await tx.updateTable('mails').set({ sealed: one!.sealed }).where('id', '=', two!.id).execute();
    });
    await mail.sendDue();
    assert.equal(server.received.length, before + 1);
    assert.equal((await mailing.rows()).length, 1, 'it stays until it expires');
    mailing.clock.advance(30_000);
    assert.equal(await mail.sweep(), 1);
  });

  it('is not logged: neither the address, nor the link, nor the text of the server', async () => {
    const to = 'never-logged@example.org';
    const refusals = [
      () => smtpError(450, `4.2.1 <${to}> is over quota, see ${LINK}`),
      () => smtpError(550, `5.1.1 <${to}> does not exist ${TOKEN}`),
    ];
    await mailing.enqueue(mail, { to, template: 'reset-password', values: { name: 'Never Logged', link: LINK } });
    for (const refusal of refusals) {
      server.onRecipient = refusal;
      await mail.sendDue();
      mailing.clock.advance(60);
    }
    server.onRecipient = () => undefined;
    const log = mailing.logged.join('');
    assert.match(log, /a mail was not delivered/);
    assert.match(log, /a mail was sent/);
    for (const secret of [TOKEN, to, 'Never Logged', 'example.org', 'quota', 'Choose a new password'])
      assert.ok(!log.includes(secret), secret);
  });
});

describe('Template values', () => {
  it('are inserted once: placeholders and patterns in them stay text', () => {
    const template = {
      subject: '{{organization}}',
      text: '{{inviter}} {{organization}} {{link}}',
      html: '<b>{{inviter}}</b>{{link}}',
    };
    const values = {
      inviter: '{{organization}}$&',
      organization: '{{link}}',
      link: 'https://a.example/?a=1&b=2"',
      lifetime: 1,
      service: 'S',
      account: ISSUER,
    };
    const rendered = render({
      template,
      layout: '<i>{{content}}</i>{{subject}}',
      language: 'en',
      kinds: TEMPLATES.invitation,
      values,
    });
    assert.equal(rendered.subject, '{{link}}');
    assert.equal(rendered.text, '{{organization}}$& {{link}} https://a.example/?a=1&b=2%22');
    assert.equal(rendered.html, '<i><b>{{organization}}$&amp;</b>https://a.example/?a=1&amp;b=2%22</i>{{link}}');
  });

  it('that are missing are an error', () => {
    const template = { subject: 's', text: 't', html: 'h' };
    assert.throws(
      () =>
        render({ template, layout: '{{content}}', language: 'en', kinds: TEMPLATES['reset-password'], values: { service: 'S' } }),
      /needs the value/,
    );
  });

  it('stay readable', () => {
    assert.equal(cleanText('  José  Ñandú\t(IT)  '), 'José Ñandú (IT)');
    assert.equal(cleanText('J. R. R. Tolkien'), 'J. R. R. Tolkien');
    assert.equal(cleanText('ann@example.org').normalize('NFKC'), 'ann@example.org', 'it looks the same');
    assert.equal(cleanText('and/or'), 'and/or');
    assert.equal([...cleanText('😀'.repeat(200))].length, 101);
    assert.equal(cleanText(''), '');
  });
});
