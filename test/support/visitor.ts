// Actions of a person on the pages, by visible labels.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { LANGUAGES, type PageWords } from '../../src/identity/ground/look/index.ts';
import { ACCOUNT_PAGES, type AccountPageName } from '../../src/identity/openid/paths/index.ts';
import type { TestApi } from './api.ts';
import type { ApplicationPage } from './application-page.ts';
import { makeUser } from './relying-party.ts';
import { enable, Phone } from './second-factor.ts';

export const words = LANGUAGES.en;

export interface PageVisitor {
  readonly id: string;
  readonly name: string;
  readonly password: string;
}

export async function makeTwoFactorUser(
  api: TestApi,
): Promise<PageVisitor & { readonly phone: Phone; readonly codes: string[] }> {
  const person = await makeUser(api);
  const enabled = await enable(api, person);
  assert.equal(enabled.status, 201, enabled.text);
  const made = await api.request('POST', `/v3/users/${person.id}/OS-TWO-FACTOR/recovery_codes`);
  const phone = new Phone(api, enabled.body.two_factor_auth.two_factor_key);
  return { ...person, phone, codes: made.body.two_factor_auth.recovery_codes };
}

/** Playwright waits until the next page begins, not until it is complete. What looks at it at once would see a part. */
async function click(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  await page.getByRole(role, { name, exact: true }).click();
  await page.waitForLoadState();
}

export const press = (page: Page, name: string): Promise<void> => click(page, 'button', name);
export const follow = (page: Page, name: string): Promise<void> => click(page, 'link', name);

/** `texts`: those of the language of the page. */
export async function enterPassword(
  page: Page,
  { name, password }: Pick<PageVisitor, 'name' | 'password'>,
  texts: PageWords = words,
): Promise<void> {
  await page.getByLabel(texts.userName).fill(name);
  await page.getByLabel(texts.password, { exact: true }).fill(password);
  await press(page, texts.signIn);
}

export async function enterCode(page: Page, code: string, remember = false): Promise<void> {
  await page.getByLabel(words.code, { exact: true }).fill(code);
  if (remember) await page.getByLabel(words.rememberDevice).check();
  await press(page, words.continueLabel);
}

/** The heading of the current page. */
export const titleOf = (page: Page): Promise<string> => page.locator('h1').innerText();

/** The alert on the page, which a screen reader announces immediately. */
export const alertOf = (page: Page): Promise<string> => page.getByRole('alert').innerText();

export const sectionOf = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

/** The result that the application shows after the sign-in. */
export async function outcome(page: Page): Promise<string> {
  return page.locator('#outcome').innerText();
}

/** Signs in from the application and returns to it, with consent if requested. */
export async function signInTo(application: ApplicationPage, page: Page, person: PageVisitor): Promise<void> {
  await page.goto(application.signIn());
  await enterPassword(page, person);
  if (!page.url().startsWith(application.url)) await press(page, words.allow);
  assert.equal(await outcome(page), `Hello ${person.id}`);
}

/** Opens an account page of a user without a second factor. */
export async function signInToAccount(
  api: TestApi,
  page: Page,
  person: PageVisitor,
  name: AccountPageName = 'overview',
): Promise<void> {
  await openAccount(api, page, name);
  await enterPassword(page, person);
  assert.equal(await titleOf(page), words.accountPages[name]);
}

export const openAccount = (api: TestApi, page: Page, name: AccountPageName): Promise<unknown> =>
  page.goto(`${api.url}${ACCOUNT_PAGES[name]}`);

/** Turns the second factor on, on the page for security. */
export async function turnOnTwoFactor(api: TestApi, page: Page): Promise<Phone> {
  await press(page, words.turnOn);
  const phone = new Phone(api, await sectionOf(page, words.twoFactor).locator('code').innerText());
  await page.getByLabel(words.code, { exact: true }).fill(phone.fresh());
  await press(page, words.turnOn);
  return phone;
}
