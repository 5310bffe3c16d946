// What people do with their wallet in a browser: take a role along from the account page, and answer the sign-in page.
import type { Page } from 'playwright-core';
import { texts } from '../../console/shared/words/en.ts';
import { words as walletWords } from '../../console/wallet/words/en/index.ts';
import { onScreen } from './console.ts';
import { press, sectionOf, words } from './visitor.ts';

/** The node asks nobody before the person presses the button. */
export const lookAtLink = (page: Page): Promise<void> =>
  page.getByRole('button', { name: walletWords.open.look, exact: true }).click();

/**
 * From the account page into the wallet node, where the person is then signed in. Returns the tab of the wallet; the code stays in the other.
 * `name` is that of the credential; `look` looks at the offer before it is accepted; `service` is what the service calls itself.
 */
export async function takeRoleAlong(
  page: Page,
  name: string,
  {
    look = async () => {},
    service = 'Gatehouse',
  }: { readonly look?: (offer: Page) => Promise<void>; readonly service?: string } = {},
): Promise<Page> {
  await press(page, words.toWallet);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: words.walletOpen }).click();
  const wallet = await opened;
  await wallet.getByRole('link', { name: texts.signIn }).click();
  await lookAtLink(wallet);
  await look(wallet);
  const [, code] = await sectionOf(page, words.takeRoles).locator('code').allInnerTexts();
  // It says where the code is.
  await wallet.getByText(words.offerCodeHint(service)).waitFor();
  await wallet.getByLabel(walletWords.receive.txCode).fill(code!);
  await wallet.getByRole('button', { name: walletWords.receive.accept, exact: true }).click();
  await onScreen(wallet, name);
  return wallet;
}

/** Shares what the sign-in page asks for, and returns where the person goes on. */
export async function shareWithSignIn(
  page: Page,
  identityUrl: string,
  look: (request: Page) => Promise<void> = async () => {},
): Promise<string> {
  await lookAtLink(page);
  const { host } = new URL(identityUrl);
  const consent = page.getByRole('button', { name: walletWords.share.consent(host), exact: true });
  await consent.waitFor();
  await look(page);
  await consent.click();
  const next = page.getByRole('link', { name: walletWords.share.goOnAt(host) });
  return (await next.getAttribute('href'))!;
}
