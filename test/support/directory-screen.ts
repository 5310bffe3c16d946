// The form of a directory in the console.
import type { Page } from 'playwright-core';
import { enter } from './console.ts';
import { ldapOptions } from './directory.ts';

/** All settings of a directory that the tests start, as an administrator enters them. */
export async function enterDirectory(page: Page, url: string): Promise<void> {
  for (const [key, value] of Object.entries(ldapOptions(url))) await enter(page.locator(`[name="ldap.${key}"]`), value);
}
