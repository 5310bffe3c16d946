// The console in a real browser, signed in as the administrator.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { PASSWORD } from './gatehouse.ts';

const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: BROWSERS.find((file) => existsSync(file))!,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });

/** The screen of people, with the first rows there. */
export async function openConsole(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ locale: 'en' });
  await page.goto(`${url}/console/people`);
  await page.locator('input[type=password]').waitFor();
  await page.locator('input[type=text]').first().fill('admin');
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').first().click();
  await page.locator('main tbody th').first().waitFor();
  return page;
}
