// Mail in the console: the text of a mail is written, seen before it is saved, and reset.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onUsualDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole } from '../support/console.ts';
import { usesDatabaseOf } from '../support/restartable-api.ts';
import { press } from '../support/visitor.ts';

const chromium = usesChromium();
const { mail, service, settings } = words;
const PATH = '/service/mail';
const TEXT = '/v3/OS-SERVICE/mail/texts/en/reset-password';

onUsualDatabase('Mail in the console', (api) => {
  const db = usesDatabaseOf(api);

  it('that was given up is found by its recipient, and removed', async () => {
    const row = (id: string, recipient: string) => ({
      ...{ id, template: 'invitation', sealed: 'x', recipient, attempts: 1, next_at: 9e9, created_at: 1, expires_at: 9e9 },
      ...{ last_error: '550 no such user', failed_at: 2 },
    });
    const rows = [row('ann', 'ann@example.org'), row('bob', 'bob@example.org')];
    await db().write((tx) => tx.insertInto('mails').values(rows).execute());
    const page = await openConsole(chromium, api, { path: PATH });
    await onScreen(page, service.title);
    const inRow = (address: string) => page.getByRole('row', { name: address });
    await inRow('bob@example.org').waitFor();
    await page.getByLabel(texts.searchFor(service.whatRecipients)).fill('ann@');
    await inRow('bob@example.org').waitFor({ state: 'detached' });
    await inRow('ann@example.org').getByText('550 no such user').waitFor();
    await inRow('ann@example.org')
      .getByRole('button', { name: service.dropTitle('invitation') })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: texts.remove }).click();
    await page.getByText(service.noSuchDelivery).waitFor();
    const { deliveries } = assertOk(await api.get('/v3/OS-SERVICE/deliveries'));
    assert.deepEqual(
      deliveries.map(({ recipient }: any) => recipient),
      ['bob@example.org'],
    );
    assertOk(await api.delete('/v3/OS-SERVICE/deliveries/bob'), 204);
  });

  it('is written, seen before it is saved, refused where its link would go elsewhere, and reset', async () => {
    const page = await openConsole(chromium, api, { path: PATH });
    await onScreen(page, service.title);
    await page.getByLabel(settings.names.GATEHOUSE_IDENTITY_SMTP_HOST).waitFor();
    await page.getByRole('link', { name: 'Choose a new password', exact: true }).click();
    const inside = page.frameLocator('iframe.preview');
    await inside.getByText('Choose a new password').first().waitFor();
    await page.getByLabel(mail.subject).fill('Ahoy {{name}}');
    await page
      .getByLabel(mail.body, { exact: true })
      .fill('Dear {{name}},\n\n{{link}}\n\n<img src=x onerror="document.title=1"> waits.');
    await inside.getByRole('link', { name: 'Ahoy Ada' }).waitFor();
    await inside.getByText('<img src=x onerror="document.title=1"> waits.').waitFor();
    assert.equal(assertOk(await api.get(TEXT)).mail_text.source, 'default', 'nothing is saved yet');

    await page.getByLabel(mail.body, { exact: true }).fill('Dear {{name}}: https://evil.example/?t={{link}}');
    await page
      .getByText(/must stand alone/)
      .first()
      .waitFor();
    await press(page, texts.save);
    await page
      .locator('gh-edit')
      .getByText(/must stand alone/)
      .waitFor();
    await page.getByLabel(mail.body, { exact: true }).fill('Dear {{name}},\n\n{{link}}');
    await press(page, texts.save);
    await page.getByRole('status').getByText(mail.saved).waitFor();
    const { subject, body, source } = assertOk(await api.get(TEXT)).mail_text;
    assert.deepEqual([subject, body, source], ['Ahoy {{name}}', 'Dear {{name}},\n\n{{link}}\n', 'service']);
    await press(page, mail.reset);
    await page.getByRole('dialog').getByRole('button', { name: mail.reset }).click();
    await page.getByRole('status').getByText(mail.wasReset).waitFor();
    assert.equal(assertOk(await api.get(TEXT)).mail_text.source, 'default');
  });

  it('has no barriers', async () => {
    const page = await openConsole(chromium, api, { path: PATH, options: { bypassCSP: true } });
    await onScreen(page, service.title);
    const troubles = await lookTroubles(page, 'console-mail');
    await goTo(page, `${PATH}?text=en/reset-password`, service.title);
    await page.locator('iframe.preview').waitFor();
    troubles.push(...(await lookTroubles(page, 'console-mail-text')));
    await goTo(page, '/service/registration', service.title);
    await page.getByLabel(settings.names.GATEHOUSE_IDENTITY_TERMS_VERSION).waitFor();
    troubles.push(...(await lookTroubles(page, 'console-registration')));
    assert.deepEqual(troubles, []);
  });
});
