// The screen of a provider in the console.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { press } from './visitor.ts';

const { providers } = words;

/** Signs in at the provider in the window that opens, and waits for the result. `signIn`: where the provider asks something. */
export async function trySignIn(page: Page, signIn: (window: Page) => Promise<void> = async () => {}): Promise<void> {
  await press(page, providers.tryBegin);
  const link = page.getByRole('link', { name: providers.tryOpen });
  await link.waitFor();
  const [window] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  await signIn(window);
  await window.getByText(providers.goBack).waitFor();
  assert.ok(!window.url().includes('code='), window.url());
  await window.close();
  await page.getByRole('heading', { name: providers.resultTitle }).waitFor();
}
