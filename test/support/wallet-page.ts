// People at the pages of the wallet, in a real browser.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { DESK } from './accessibility.ts';
import type { TestApi } from './api.ts';
import type { Chromium } from './chromium.ts';
import type { TestWallet, WalletUser } from './wallet.ts';

/** Puts the session of a person into the browser. */
export async function useSession(page: Page, { cookie, wallet }: WalletUser): Promise<void> {
  const at = cookie.indexOf('=');
  await page.context().addCookies([{ name: cookie.slice(0, at), value: cookie.slice(at + 1), url: wallet.url }]);
}

/** A browser without a session. */
export const openBrowser = (chromium: Chromium, wallet: TestWallet, options: BrowserContextOptions = {}): Promise<Page> =>
  chromium.open({ url: wallet.url } as TestApi, { viewport: DESK, ...options });

/** Opens a screen as a person who is signed in. For axe, with `bypassCSP`. */
export async function openWallet(
  chromium: Chromium,
  person: WalletUser,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openBrowser(chromium, person.wallet, options);
  await useSession(page, person);
  await page.goto(person.wallet.url + path);
  return page;
}
