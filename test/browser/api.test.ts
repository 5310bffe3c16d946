// The page of the API in a browser.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lookTroubles } from '../support/accessibility.ts';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';

const chromium = usesChromium();

onDatabase('SQLite', 'The page of the API', {}, (api) => {
  it('finds an operation, and shows its parameters, schemas, example and command', async () => {
    const page = await chromium.open(api);
    await page.goto(`${api.url}/openapi`);
    await page.getByLabel('Search operations').fill('create a user');
    await page.getByRole('link', { name: 'POST Create a user' }).first().click();
    await page.getByRole('heading', { name: 'Create a user', exact: true }).waitFor();
    const text = await page.locator('main').innerText();
    for (const part of [
      '/v3/users',
      'createUser',
      'Who may call it: administrators',
      'X-Auth-Token',
      '"name": "ada"',
      'curl -i -X POST',
    ])
      assert.ok(text.includes(part), part);
    await page.locator('main summary', { hasText: 'Schema' }).first().click();
    await page.locator('main').getByRole('link', { name: 'NewUser' }).first().click();
    await page.getByRole('heading', { name: 'NewUser', exact: true }).waitFor();
    assert.match(page.url(), /#schemas\/NewUser$/);
    assert.match(await page.locator('main').innerText(), /domain_id/);
  });

  it('is without barriers, on a phone and in the dark', async () => {
    const page = await chromium.open(api, { bypassCSP: true });
    for (const place of ['', '#createUser']) {
      await page.goto(`${api.url}/openapi${place}`);
      await page.locator('main h2').first().waitFor();
      assert.deepEqual(await lookTroubles(page, place), []);
    }
  });
});
