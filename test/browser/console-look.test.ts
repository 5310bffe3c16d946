// The look of the service in the console: seen before it is saved, then on every page.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onUsualDatabase, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { onScreen, openConsole, visit } from '../support/console.ts';
import { png } from '../support/pictures.ts';
import { computedStyle } from '../support/styles.ts';
import { press } from '../support/visitor.ts';

const chromium = usesChromium();
const { look, service, settings } = words;
const { names } = settings;
const { names: domainNames } = words.domainSettings;
const PATH = '/service/look';
const SCRIPT = '<img src=x onerror="document.title=1">';

onUsualDatabase('The look of the service in the console', (api) => {
  it('is seen before it is saved, in light, dark and on a phone, and then by everybody', async () => {
    const page = await openConsole(chromium, api, { path: PATH });
    await onScreen(page, service.title);
    const inside = page.frameLocator('iframe.preview');
    await inside.locator('header', { hasText: 'Gatehouse' }).waitFor();
    await page.getByLabel(names.GATEHOUSE_IDENTITY_BRAND_NAME).fill(`Harbour ${SCRIPT}`);
    await page.getByLabel(names.GATEHOUSE_IDENTITY_BRAND_COLOR).fill('#aa0000');
    await page.getByLabel(names.GATEHOUSE_IDENTITY_TERMS_URL).fill('https://harbour.example.org/terms');
    await inside.locator('header', { hasText: `Harbour ${SCRIPT}` }).waitFor();
    await inside.getByText('Terms of use').waitFor();
    const colorOf = async (what: string): Promise<string | undefined> =>
      (await computedStyle(inside.locator(what), 'backgroundColor'))[0];
    assert.equal(await colorOf('button'), 'rgb(170, 0, 0)');
    assert.equal(await colorOf('main'), 'rgb(255, 255, 255)');
    await press(page, look.dark);
    await inside.locator('main').filter({ hasText: 'Harbour' }).waitFor();
    for (let i = 0; i < 50 && (await colorOf('main')) !== 'rgb(26, 34, 44)'; i++) await page.waitForTimeout(100);
    assert.equal(await colorOf('main'), 'rgb(26, 34, 44)');
    await press(page, look.phone);
    await page.locator('iframe.preview.phone').waitFor();

    const file = { name: 'logo.png', mimeType: 'image/png', buffer: png(20) };
    const choice = page.getByLabel(words.applications.logoFile).first();
    await choice.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await page.getByText(words.applications.logoWrongType).waitFor();
    await choice.setInputFiles(file);
    await inside.locator('header img').waitFor();
    assert.equal((await fetch(`${api.url}/openid/assets/logo`)).status, 404, 'nothing is saved yet');

    await page.getByLabel(names.GATEHOUSE_IDENTITY_BRAND_NAME).fill('Harbour');
    await press(page, texts.save);
    await page.getByRole('status').getByText(settings.saved).waitFor();
    await page.getByLabel(words.applications.logoFile).first().setInputFiles(file);
    await press(page, look.pictures.logo.save);
    await page.getByRole('status').getByText(look.pictures.logo.saved).waitFor();
    const stored = await fetch(`${api.url}/openid/assets/logo`);
    assert.deepEqual(Buffer.from(await stored.arrayBuffer()), png(20));
    await page.goto(`${api.url}/account`);
    assert.match(await page.title(), /Harbour/);
    await page.locator('header img').waitFor();

    await page.goto(`${api.url}/console${PATH}`);
    await press(page, look.pictures.logo.remove);
    await page.getByRole('dialog').getByRole('button', { name: look.pictures.logo.remove }).click();
    await page.getByRole('status').getByText(look.pictures.logo.removed).waitFor();
    assert.equal((await api.get('/v3/OS-SERVICE/look/logo')).status, 404);
    const none = {
      GATEHOUSE_IDENTITY_BRAND_NAME: null,
      GATEHOUSE_IDENTITY_BRAND_COLOR: null,
      GATEHOUSE_IDENTITY_TERMS_URL: null,
    };
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: none }));
  });

  it('has no barriers, neither that of the service nor that of a domain', async () => {
    const page = await openConsole(chromium, api, { path: PATH, options: { bypassCSP: true } });
    await onScreen(page, service.title);
    assert.deepEqual(await lookTroubles(page, 'console-look'), []);
    await visit(page, '/domains/default?tab=look');
    assert.deepEqual(await lookTroubles(page, 'console-domain-look'), []);
  });

  it('of a domain is seen before it is saved, and then by its people alone', async () => {
    const { id, name } = await api.make('domain', { name: uniqueName('Quay') });
    const page = await openConsole(chromium, api, { path: `/domains/${id}?tab=look` });
    await onScreen(page, name);
    const inside = page.frameLocator('iframe.preview');
    await page.getByLabel(domainNames['look.name']).fill(`Quay ${SCRIPT}`);
    await inside.locator('header', { hasText: `Quay ${SCRIPT}` }).waitFor();
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: png(20) };
    await page.getByLabel(domainNames['look.name']).fill('Quay');
    await press(page, texts.save);
    await page.getByRole('status').getByText(words.domainSettings.saved).waitFor();
    await page.getByLabel(words.applications.logoFile).first().setInputFiles(file);
    await inside.locator('header img').waitFor();
    await press(page, look.pictures.logo.save);
    await page.getByRole('status').getByText(look.pictures.logo.saved).waitFor();
    await page.context().clearCookies();
    await page.goto(`${api.url}/account?domain_hint=${name}`);
    assert.match(await page.title(), /Quay/);
    await page.locator('header img').waitFor();
    await page.goto(`${api.url}/account`);
    assert.match(await page.title(), /Gatehouse/);
  });
});
