// Settings of the service in the console, by clicks alone and without a restart.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onUsualDatabase, type TestApi, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole } from '../support/console.ts';
import { MailServer, smtpError } from '../support/mail-server.ts';
import { press } from '../support/visitor.ts';

const chromium = usesChromium();
const { domainSettings, service, settings } = words;
const names = settings.names;
const PATH = '/v3/OS-SERVICE/settings';
const group = (name: keyof typeof settings.groups): string => `/service/settings?group=${name}`;

async function stored(api: TestApi): Promise<Record<string, string>> {
  const all: { key: string; value: string; source: string }[] = assertOk(await api.get(PATH)).settings;
  return Object.fromEntries(all.filter(({ source }) => source === 'service').map(({ key, value }) => [key, value]));
}

onUsualDatabase('Settings in the console', (api) => {
  it('change how the service looks, for everybody who loads a page', async () => {
    const page = await openConsole(chromium, api, { path: '/service/settings' });
    await onScreen(page, service.title);
    await page.getByRole('link', { name: settings.changeOf(settings.groups.look) }).click();
    await page.getByLabel(names.GATEHOUSE_IDENTITY_BRAND_NAME).fill('Harbour');
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    await page.goto(`${api.url}/account`);
    assert.match(await page.title(), /Harbour/);
    assert.deepEqual(await stored(api), { GATEHOUSE_IDENTITY_BRAND_NAME: 'Harbour' });
    await page.goto(`${api.url}/console${group('look')}`);
    await page.getByLabel(names.GATEHOUSE_IDENTITY_BRAND_NAME).fill('');
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    assert.deepEqual(await stored(api), {});
  });

  it('say at the field what is missing, keep a secret that is not entered again, and forget it when asked', async () => {
    const page = await openConsole(chromium, api, { path: group('mail') });
    await onScreen(page, service.title);
    await page.getByLabel(names.GATEHOUSE_IDENTITY_SMTP_HOST).fill('localhost');
    await page.getByLabel(names.GATEHOUSE_IDENTITY_SMTP_USER).fill('gatehouse');
    await page.getByLabel(names.GATEHOUSE_IDENTITY_SMTP_PASSWORD, { exact: true }).fill('a secret of the mail server');
    await press(page, texts.save);
    await page.getByRole('alert').getByText(`“${names.GATEHOUSE_IDENTITY_MAIL_FROM}” must be set with`).waitFor();
    await page.getByLabel(names.GATEHOUSE_IDENTITY_MAIL_FROM).fill('id@example.org');
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    assert.equal(await page.getByLabel(names.GATEHOUSE_IDENTITY_SMTP_PASSWORD, { exact: true }).inputValue(), '');
    await page.getByLabel(names.GATEHOUSE_IDENTITY_SMTP_PORT).fill('2525');
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    assert.equal((await stored(api)).GATEHOUSE_IDENTITY_SMTP_PASSWORD, '********');
    assert.ok(!(await page.content()).includes('a secret of the mail server'));
    for (const name of ['HOST', 'USER', 'PORT'] as const)
      await page.getByLabel(names[`GATEHOUSE_IDENTITY_SMTP_${name}`]).fill('');
    await page.getByLabel(names.GATEHOUSE_IDENTITY_MAIL_FROM).fill('');
    await page.getByLabel(settings.forgetSecret).check();
    await press(page, texts.save);
    await page.getByLabel(settings.forgetSecret).waitFor({ state: 'detached' });
    assert.deepEqual(await stored(api), {});
  });

  it('send a test mail, and show what the server answered', async (t) => {
    const server = new MailServer();
    await server.open();
    t.after(() => server.close());
    const mail = { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(server.port), SMTP_TLS: 'off', MAIL_FROM: 'id@example.org' };
    const keyed = (value: (one: string) => string | null) =>
      Object.fromEntries(Object.entries(mail).map(([name, one]) => [`GATEHOUSE_IDENTITY_${name}`, value(one)]));
    assertOk(await api.patch(PATH, { settings: keyed((one) => one) }));
    const page = await openConsole(chromium, api, { path: group('mail') });
    await onScreen(page, service.title);
    const send = async (): Promise<void> => {
      await press(page, settings.testMail);
      await page.getByLabel(settings.testMailTo).fill('ada@example.org');
      await page.getByRole('dialog').getByRole('button', { name: settings.testMailSend, exact: true }).click();
    };
    await send();
    await page.getByText(settings.testMailAccepted).waitFor();
    assert.deepEqual(server.received[0]!.to, ['ada@example.org']);
    await page.getByRole('button', { name: texts.close, exact: true }).last().click();
    server.onRecipient = () => smtpError(550, 'no such person');
    await send();
    await page.getByText(/RCPT TO was answered 550/).waitFor();
    assertOk(await api.patch(PATH, { settings: keyed(() => null) }));
  });

  it('say what happens to whom before they decide who gets in, with the way back, for the service and for a domain', async () => {
    const { consequences } = settings;
    const boss = await api.persona(['admin'], 'system');
    const domain = await api.make('domain', { name: uniqueName('strict') });
    const places = [
      {
        path: group('factors'),
        label: names.GATEHOUSE_IDENTITY_TWO_FACTOR,
        key: 'GATEHOUSE_IDENTITY_TWO_FACTOR',
        done: settings.saved,
      },
      {
        path: `/domains/${domain.id}?tab=sign-in`,
        label: domainSettings.names['two_factor.policy'],
        key: `${domain.name}/two_factor.policy`,
        done: domainSettings.saved,
      },
    ];
    const policy = async (): Promise<unknown[]> => {
      const { settings: ofDomain } = assertOk(await api.get(`/v3/OS-SERVICE/domains/${domain.id}/settings`));
      const own = ofDomain.find(
        (one: { key: string; source: string }) => one.key === 'two_factor.policy' && one.source === 'domain',
      );
      return [(await stored(api)).GATEHOUSE_IDENTITY_TWO_FACTOR, own?.value];
    };
    for (const [at, { path, label, key, done }] of places.entries()) {
      const page = await openConsole(chromium, api, { path });
      await page.getByLabel(label, { exact: true }).selectOption('required');
      await press(page, texts.save);
      const dialog = page.getByRole('dialog');
      for (const text of [
        consequences.title,
        consequences.of.secondFactor,
        consequences.wayBack,
        `gatehouse settings forget ${key}`,
      ])
        await dialog.getByText(text).waitFor();
      await dialog.getByText(boss.user.name).waitFor();
      await dialog.getByRole('button', { name: texts.cancel }).click();
      assert.equal((await policy())[at], undefined, 'nothing was saved');
      assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), 'required', 'what was entered stays');
      await press(page, texts.save);
      await page.getByRole('dialog').getByRole('button', { name: consequences.agree }).click();
      await page.getByRole('status').getByText(done).waitFor();
      assert.equal((await policy())[at], 'required');
      // Back is not asked.
      if (at === 0) assertOk(await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_TWO_FACTOR: null } }));
    }
  });

  it('show what somebody else changed meanwhile, and what the operator has fixed', async () => {
    const page = await openConsole(chromium, api, { path: group('passwords') });
    await onScreen(page, service.title);
    assert.equal(await page.getByLabel(names.GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH).getAttribute('readonly'), '');
    assertOk(await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_MINIMUM_PASSWORD_AGE: '2' } }));
    await page.getByLabel(names.GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS).fill('90');
    await press(page, texts.save);
    await page.getByText(texts.presentTitle).waitFor();
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    assert.deepEqual(await stored(api), {
      GATEHOUSE_IDENTITY_MINIMUM_PASSWORD_AGE: '2',
      GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS: '90',
    });
    const none = Object.fromEntries(Object.keys(await stored(api)).map((key) => [key, null]));
    assertOk(await api.patch(PATH, { settings: none }));
  });

  it('store the former value where somebody else has changed it, and the person wants it back', async () => {
    const [age, days] = [names.GATEHOUSE_IDENTITY_MINIMUM_PASSWORD_AGE, names.GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS];
    const set = async (value: string | null): Promise<unknown> =>
      assertOk(await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_MINIMUM_PASSWORD_AGE: value } }));
    await set('1');
    const page = await openConsole(chromium, api, { path: group('passwords') });
    await onScreen(page, service.title);
    await set('2');
    await page.getByLabel(age).fill('3');
    await page.getByLabel(days).fill('90');
    await press(page, texts.save);
    await page.getByText(texts.presentTitle).waitFor();
    await page.getByLabel(age).fill('1');
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    assert.deepEqual(await stored(api), {
      GATEHOUSE_IDENTITY_MINIMUM_PASSWORD_AGE: '1',
      GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS: '90',
    });
    const none = Object.fromEntries(Object.keys(await stored(api)).map((key) => [key, null]));
    assertOk(await api.patch(PATH, { settings: none }));
  });

  it('of the sign-in are together, with the default beside a value that is another', async () => {
    const page = await openConsole(chromium, api, { path: '/service' });
    await page.locator('.tabs').getByRole('link', { name: service.tabs['sign-in'], exact: true }).click();
    await page.getByText(service.signInIntro).waitFor();
    const { passwords, lock_out, factors, wallets, sessions } = settings.groups;
    assert.deepEqual(await page.locator('main h2').allInnerTexts(), [passwords, lock_out, factors, wallets, sessions]);
    await page.getByRole('link', { name: settings.changeOf(lock_out) }).click();
    await page.getByLabel(names.GATEHOUSE_IDENTITY_LOCKOUT_DURATION).fill('60');
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    await page.getByRole('link', { name: settings.all }).click();
    const row = page.getByRole('row', { name: names.GATEHOUSE_IDENTITY_LOCKOUT_DURATION });
    await row.getByText(service.sources.service, { exact: true }).waitFor();
    await row.getByText(settings.byDefault('30 minutes')).waitFor();
    const fixed = page.getByRole('row', { name: names.GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH });
    await fixed.getByText(service.sources.environment, { exact: true }).waitFor();
    await page.getByRole('link', { name: settings.changeOf(passwords) }).click();
    await page.getByText(settings.fixed.environment).first().waitFor();
    assertOk(await api.patch(PATH, { settings: { GATEHOUSE_IDENTITY_LOCKOUT_DURATION: null } }));
  });

  it('have no barriers', async () => {
    const page = await openConsole(chromium, api, { path: '/service/settings', options: { bypassCSP: true } });
    await onScreen(page, service.title);
    const troubles = await lookTroubles(page, 'console-settings');
    for (const name of ['mail', 'sessions'] as const) {
      await goTo(page, group(name), service.title);
      troubles.push(...(await lookTroubles(page, `console-settings-${name}`)));
    }
    assert.deepEqual(troubles, []);
  });
});
