// What people do with their wallet in a browser: take a role along from the account page, and answer the sign-in page.
import type { Page } from 'playwright-core';
import { texts } from '../../console/shared/words/en.ts';
import { words as walletWords } from '../../console/wallet/words/en/index.ts';
import { onScreen } from './console.ts';
import { follow, press, sectionOf, words } from './visitor.ts';

/** The node asks nobody before the person presses the button. */
export const lookAtLink = (page: Page): Promise<void> =>
  page.getByRole('button', { name: walletWords.open.look, exact: true }).click();

/** From the account page into the wallet node, where the person is then signed in. `name` is that of the credential. */
export async function takeRoleAlong(page: Page, name: string): Promise<void> {
  await press(page, words.toWallet);
  const [, code] = await sectionOf(page, words.takeRoles).locator('code').allInnerTexts();
  await follow(page, words.walletOpen);
  await page.getByRole('link', { name: texts.signIn }).click();
  await lookAtLink(page);
  await page.getByLabel(walletWords.receive.txCode).fill(code!);
  await page.getByRole('button', { name: walletWords.receive.accept, exact: true }).click();
  await onScreen(page, name);
}

/** Shares what the sign-in page asks for, and returns where the person goes on. */
export async function shareWithSignIn(page: Page, identityUrl: string): Promise<string> {
  await lookAtLink(page);
  await page.getByRole('button', { name: walletWords.share.consent('Gatehouse'), exact: true }).click();
  const next = page.getByRole('link', { name: walletWords.share.goOnAt(new URL(identityUrl).host) });
  return (await next.getAttribute('href'))!;
}
