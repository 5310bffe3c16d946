// Mails from the queue to a real SMTP server.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { itAtLength } from '../../../../test/support/extent.ts';
import { MailServer, smtpError, smtpSettings } from '../../../../test/support/mail-server.ts';
import { ISSUER, onEachMailing } from '../../../../test/support/mailing.ts';
import { freePort } from '../../../../test/support/ports.ts';
import { LANGUAGE_TAGS, type Language } from '../../../platform/languages/index.ts';
import { createSeal, keyIdOf, newMasterKey } from '../../../platform/seal/index.ts';
import { resealColumns } from '../../../platform/sealed/index.ts';
import { SEALED_COLUMNS } from '../../operations/jobs/index.ts';
import type { Letter, Mail, TemplateName } from './index.ts';
import { TEMPLATE_NAMES } from './letters.ts';

const LINK = `${ISSUER}/reset?token=the-secret-of-the-link`;
const AT = Date.UTC(2026, 10, 20, 7, 5);

const VALUES: { readonly [T in TemplateName]: Letter<T>['values'] } = {
  'confirm-email': { name: 'Ann', link: LINK },
  'reset-password': { name: 'Ann', link: LINK },
  invitation: { inviter: 'Bob', organization: 'Acme', link: LINK },
  'change-email': { name: 'Ann', link: LINK },
  'password-elsewhere': { name: 'Ann' },
  'account-exists': { reset: `${ISSUER}/forgotten` },
  'password-changed': { name: 'Ann', at: AT },
  'email-changed': { name: 'Ann', at: AT },
  'passkey-added': { name: 'Ann', passkey: 'my phone', at: AT },
  'sign-in-requested': { name: 'Ann', application: 'Bank', at: AT },
  'credential-received': { name: 'Ann', credential: 'City worker', at: AT },
  'passkey-removed': { name: 'Ann', passkey: 'my phone', at: AT },
  'two-factor-on': { name: 'Ann', at: AT },
  'two-factor-off': { name: 'Ann', at: AT },
  'two-factor-replaced': { name: 'Ann', at: AT },
  'recovery-codes-made': { name: 'Ann', at: AT },
  'deletion-scheduled': { name: 'Ann', at: AT },
  'registration-approved': { name: 'Ann' },
  'registration-refused': { name: 'Ann', reason: 'We know nobody of this name.' },
  'deletion-now': { name: 'Ann', at: AT },
  'deletion-cancelled': { name: 'Ann', at: AT },
  'provider-linked': { name: 'Ann', provider: 'Example', at: AT },
  'provider-unlinked': { name: 'Ann', provider: 'Example', at: AT },
  test: { at: AT },
};
const letter = (to: string, more: Partial<Letter<'reset-password'>> = {}): Letter<'reset-password'> => ({
  to,
  template: 'reset-password',
  language: 'en',
  values: VALUES['reset-password'],
  ...more,
});

const FORMATS: Readonly<Record<Language, { at: RegExp; lifetime: string }>> = {
  en: { at: /November 20, 2026 at 7:05.AM UTC/, lifetime: '8 hours' },
  es: { at: /20 de noviembre de 2026\D+7:05 UTC/, lifetime: '8 horas' },
  de: { at: /20\. November 2026 um 07:05 UTC/, lifetime: '8 Stunden' },
};

onEachMailing('Mail', (mailing) => {
  const server = new MailServer();
  let mail: Mail;
  let count = 0;
  const newAddress = (): string => `person-${++count}@example.org`;
  before(async () => {
    await server.open();
    mail = mailing.mail(smtpSettings(server));
  });
  after(() => server.close());
  beforeEach(async () => {
    server.onRecipient = () => undefined;
    server.onMessage = () => undefined;
    assert.deepEqual(await mailing.rows(), [], 'the queue is empty');
  });
  const messageTo = async (address: string) => {
    const [received, ...more] = server.to(address);
    assert.ok(received && more.length === 0, `${server.to(address).length} mails to ${address}`);
    return received.mail;
  };

  it('sends every template in every language, as text and HTML', async () => {
    assert.deepEqual(Object.keys(VALUES).sort(), [...TEMPLATE_NAMES].sort());
    for (const template of TEMPLATE_NAMES) {
      const subjects = new Set<string>();
      for (const language of LANGUAGE_TAGS) {
        const to = newAddress();
        assert.ok(await mailing.enqueue(mail, { to, template, language, values: VALUES[template] } as Letter<typeof template>));
        await mail.sendDue();
        const { subject = '', text = '', html, headers, from, messageId } = await messageTo(to);
        subjects.add(subject);
        assert.deepEqual(from?.value, [{ address: 'id@example.org', name: 'Example Identity' }]);
        assert.match(messageId!, /^<[0-9a-f]{32}@example\.org>$/);
        assert.equal(headers.get('content-language'), language);
        assert.ok(html, 'both forms');
        assert.ok(html.includes(`<html lang="${language}">`));
        for (const body of [text, html]) {
          assert.doesNotMatch(body, /\{\{|\}\}|undefined|NaN|\[object/, `${language}/${template}`);
          assert.ok(body.includes('Example Identity'), `${language}/${template} names the sender`);
          const values = VALUES[template] as Record<string, string | number>;
          for (const [name, value] of Object.entries(values))
            if (name === 'at') assert.match(body, FORMATS[language].at, `${language}/${template}`);
            else assert.ok(body.includes(String(value)), `${language}/${template} contains ${name}`);
          if ('link' in values) assert.ok(body.includes(FORMATS[language].lifetime), body);
        }
        assert.doesNotMatch(html, /<(script|img|link|iframe)/i);
      }
      assert.equal(subjects.size, LANGUAGE_TAGS.length, template);
    }
  });

  it('uses the language of the reader, else of the settings, else English', async () => {
    const spanish = mailing.mail({ ...smtpSettings(server), GATEHOUSE_IDENTITY_MAIL_LANGUAGE: 'es' });
    const unknown = mailing.mail({ ...smtpSettings(server), GATEHOUSE_IDENTITY_MAIL_LANGUAGE: 'fr' });
    const cases: [Mail, string | undefined, string][] = [
      [mail, 'es-MX', 'es'],
      [mail, 'ES', 'es'],
      [mail, 'es_AR', 'es'],
      [mail, 'fr', 'en'],
      [mail, undefined, 'en'],
      [mail, '../../etc', 'en'],
      [mail, '__proto__', 'en'],
      [spanish, undefined, 'es'],
      [spanish, 'fr', 'es'],
      [spanish, 'de', 'de'],
      [spanish, 'en', 'en'],
      [unknown, 'fr', 'en'],
    ];
    for (const [sender, language, expected] of cases) {
      const to = newAddress();
      await mailing.enqueue(sender, letter(to, { language }));
      await mail.sendDue();
      assert.equal((await messageTo(to)).headers.get('content-language'), expected, String(language));
    }
  });

  it('names the lifetime of a link, rounded down', async () => {
    for (const [seconds, said] of [
      [300, '5 minutes'],
      [3600, '1 hour'],
      [5400, '1 hour'],
      [172_800, '2 days'],
      [604_800, '7 days'],
    ] as const) {
      const to = newAddress();
      await mailing.enqueue(mail, letter(to, { seconds }));
      await mail.sendDue();
      assert.ok((await messageTo(to)).text!.includes(`for ${said}.`), said);
    }
  });

  it('is sent only if the transaction commits', async () => {
    const to = newAddress();
    await assert.rejects(
      mailing.change(async (transaction) => {
        assert.ok(await mail.enqueue(transaction, letter(to)));
        throw new Error('no');
      }),
    );
    await mail.sendDue();
    assert.deepEqual(server.to(to), []);
    await mailing.enqueue(mail, letter(to));
    await mail.sendDue();
    await mail.sendDue();
    await messageTo(to);
  });

  it('is not stored for an invalid address', async () => {
    for (const to of ['', 'ann', 'ann@example.org\r\nBcc: bob@example.org', 'ann@example.org, bob@example.org'])
      assert.equal(await mailing.enqueue(mail, letter(to)), false);
    assert.deepEqual(await mailing.rows(), []);
  });

  it('is refused with a link that is not an http URL', async () => {
    for (const link of ['javascript:alert(1)', '/reset', '', 'mailto:bob@example.org'])
      await assert.rejects(mailing.enqueue(mail, letter(newAddress(), { values: { name: 'Ann', link } })), /must be an http/);
  });

  describe('that is not accepted', () => {
    it('is tried again with waits that grow to five minutes, and arrives once', async () => {
      const to = newAddress();
      server.onRecipient = () => smtpError(450, '4.2.1 not now');
      await mailing.enqueue(mail, letter(to));
      for (const wait of [30, 60, 120, 240, 300, 300]) {
        const tries = server.connections;
        await mail.sendDue();
        assert.equal(server.connections, tries + 1);
        mailing.clock.advance(wait - 1);
        await mail.sendDue();
        assert.equal(server.connections, tries + 1, `not before ${wait} seconds`);
        mailing.clock.advance(1);
      }
      server.onRecipient = () => undefined;
      await mail.sendDue();
      const { date } = await messageTo(to);
      assert.ok(mailing.clock.now() - date!.getTime() > 600_000, 'the date is when it was written');
      mailing.clock.advance(3600);
      await mail.sendDue();
      await messageTo(to);
    });

    it('waits while the server cannot be reached', async () => {
      const port = await freePort();
      const settings = { ...smtpSettings(server), GATEHOUSE_IDENTITY_SMTP_PORT: String(port) };
      const away = mailing.mail(settings);
      const people = Array.from({ length: 30 }, newAddress);
      for (const to of people) await mailing.enqueue(away, letter(to));
      await away.sendDue();
      const tried = (await mailing.rows()).filter(({ attempts }) => attempts > 0).length;
      assert.ok(tried >= 1 && tried <= 4, `${tried} were tried`);
      const back = new MailServer();
      await back.open(port);
      try {
        mailing.clock.advance(30);
        for (let round = 0; round < 3; round++) await away.sendDue();
        for (const to of people) assert.equal(back.to(to).length, 1, to);
      } finally {
        await back.close();
      }
      assert.ok(mailing.logged.some((line) => line.includes('ECONNREFUSED')));
    });

    it('permanently (5xx) is given up, and does not delay others', async () => {
      const [unknown, known] = [newAddress(), newAddress()];
      server.onRecipient = (address) => (address === unknown ? smtpError(550, `5.1.1 ${unknown}: no such mailbox`) : undefined);
      const before = mail.counts();
      await mailing.enqueue(mail, letter(unknown));
      await mailing.enqueue(mail, letter(known));
      await mail.sendDue();
      await messageTo(known);
      const [row, ...more] = await mailing.rows();
      assert.ok(row && more.length === 0 && row.failed_at !== null, 'an administrator can send it again');
      assert.ok(!row.last_error!.includes(unknown));
      await mailing.db.write((tx) => tx.deleteFrom('mails').where('id', '=', row.id).execute());
      assert.deepEqual(mail.counts(), { ...before, sent: before.sent + 1, refused: before.refused + 1 });
      assert.ok(mailing.logged.some((line) => line.includes('RCPT TO was answered 550 5.1.1')));
    });

    it('is given up when its link expires, or after a day; expired rows are swept', async () => {
      server.onRecipient = () => smtpError(451, '4.3.0 later');
      await mailing.enqueue(mail, letter(newAddress()));
      await mailing.enqueue(mail, letter(newAddress(), { seconds: 3600 }));
      await mailing.enqueue(mail, { to: newAddress(), template: 'password-changed', values: VALUES['password-changed'] });
      const left = async () => (await mailing.rows()).map(({ template }) => template).sort();
      mailing.clock.advance(3601);
      await mail.sendDue();
      assert.deepEqual(await left(), ['password-changed', 'reset-password']);
      mailing.clock.advance(8 * 3600);
      await mail.sendDue();
      assert.deepEqual(await left(), ['password-changed']);
      assert.equal(await mail.sweep(), 0);
      mailing.clock.advance(86_400);
      assert.equal(await mail.sweep(), 1);
      assert.equal(await mail.waiting(), 0);
    });
  });

  describe('with several processes', () => {
    it('is sent once', async () => {
      const others = [mailing.mail(smtpSettings(server)), mailing.mail(smtpSettings(server), await mailing.anotherDatabase())];
      server.onMessage = () => delay(5, undefined);
      const people = Array.from({ length: 16 }, newAddress);
      for (const to of people) await mailing.enqueue(mail, letter(to));
      await Promise.all([mail, ...others].map((one) => one.sendDue()));
      for (const to of people) await messageTo(to);
    });

    itAtLength('is not sent by another process while the server is slow', async () => {
      const other = mailing.mail(smtpSettings(server), await mailing.anotherDatabase());
      const to = newAddress();
      let isFirst = true;
      server.onMessage = async () => {
        if (!isFirst) return undefined;
        isFirst = false;
        // The longest time that sending may take.
        mailing.clock.advance(20);
        await other.sendDue();
        assert.deepEqual(server.to(to), []);
        return undefined;
      };
      await mailing.enqueue(mail, letter(to));
      await mail.sendDue();
      await messageTo(to);
    });
  });

  it('is not lost when the service stops, and does not delay the stop', async () => {
    const people = Array.from({ length: 12 }, newAddress);
    const stopped = mailing.mail(smtpSettings(server));
    server.onMessage = () => delay(100, undefined);
    for (const to of people) await mailing.enqueue(mail, letter(to));
    stopped.start();
    const hasBegun = (): boolean => people.some((to) => server.to(to).length > 0);
    for (let tries = 0; !hasBegun() && tries < 500; tries++) await delay(20);
    const began = performance.now();
    await stopped.stop();
    assert.ok(performance.now() - began < 3_000);
    assert.ok((await mailing.rows()).length > 0);
    server.onMessage = () => undefined;
    mailing.clock.advance(31);
    await mail.sendDue();
    for (const to of people) await messageTo(to);
  });

  it('is sealed again under a new master key', async () => {
    const [old] = mailing.masterKeys;
    const fresh = newMasterKey();
    const to = newAddress();
    await mailing.enqueue(mail, letter(to));
    mailing.masterKeys = [fresh, old!];
    assert.equal((await resealColumns(mailing.db, SEALED_COLUMNS, createSeal(mailing.masterKeys))).count, 1);
    const [row] = await mailing.rows();
    assert.equal(keyIdOf(row!.sealed), createSeal([fresh]).keyId);
    mailing.masterKeys = [fresh];
    mail = mailing.mail(smtpSettings(server));
    await mail.sendDue();
    await messageTo(to);
  });

  it('is written to a folder if no server is configured', async () => {
    const path = join(mailing.folder, 'mail');
    const local = mailing.mail();
    assert.equal(local.about(), `files in ${path}`);
    const to = newAddress();
    await mailing.enqueue(local, letter(to));
    await local.sendDue();
    const [name, ...more] = readdirSync(path);
    assert.deepEqual(more, []);
    const file = await simpleParser(readFileSync(join(path, name!)));
    assert.deepEqual(
      [file.to?.value[0]?.address, file.from?.value[0]],
      [to, { address: 'gatehouse@localhost', name: 'Gatehouse' }],
    );
    assert.ok(file.text?.includes(LINK));
    const elsewhere = join(mailing.folder, 'elsewhere');
    const chosen = mailing.mail({ GATEHOUSE_IDENTITY_MAIL_FOLDER: elsewhere });
    await mailing.enqueue(chosen, letter(to));
    await chosen.sendDue();
    assert.equal(readdirSync(elsewhere).length, 1);
  });

  it('waits if the folder cannot be written to', async () => {
    const path = join(mailing.folder, 'a file');
    writeFileSync(path, '');
    const blocked = mailing.mail({ GATEHOUSE_IDENTITY_MAIL_FOLDER: path });
    assert.throws(
      () => blocked.prepare(),
      /^Error: GATEHOUSE_IDENTITY_MAIL_FOLDER: cannot use .*a file \(EEXIST\); give a folder/,
    );
    const to = newAddress();
    await mailing.enqueue(blocked, letter(to));
    await blocked.sendDue();
    assert.equal((await mailing.rows())[0]?.attempts, 1);
    mailing.clock.advance(30);
    await mail.sendDue();
    await messageTo(to);
  });
});
