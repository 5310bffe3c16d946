// People at the console, in a real browser.
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { LANGUAGES } from '../../src/identity/ground/look/index.ts';
import { languageOf } from '../../src/platform/languages/index.ts';
import { DESK } from './accessibility.ts';
import { ADMIN_PASSWORD, type TestApi } from './api.ts';
import type { Chromium } from './chromium.ts';
import { enterPassword, type PageVisitor } from './visitor.ts';

export const ADMIN = { name: 'admin', password: ADMIN_PASSWORD };

/** Waits until the screen has this heading and has loaded what it shows. */
export async function onScreen(page: Page, heading: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading, exact: typeof heading === 'string' }).waitFor();
  await page.locator('.screen-body[aria-busy=false]').waitFor();
}

export interface ConsoleVisit {
  readonly person?: Pick<PageVisitor, 'name' | 'password'>;
  /** Below `/console`. */
  readonly path?: string;
  readonly options?: BrowserContextOptions;
  /** Further sites whose pages it visits. */
  readonly others?: readonly string[];
}

/** Signs in, by default as the administrator, and opens a screen. For axe, open it with `options: { bypassCSP: true }`. */
export async function openConsole(
  chromium: Chromium,
  api: TestApi,
  { person = ADMIN, path = '', options = {}, others = [] }: ConsoleVisit = {},
) {
  const page = await chromium.open(api, { viewport: DESK, ...options }, others);
  await page.goto(`${api.url}/console${path}`);
  await enterPassword(page, person, LANGUAGES[languageOf(options.locale)]);
  await page.locator('main#content h1').waitFor();
  return page;
}

/** Begins to go to another screen as by a link, without loading the document again. */
export const move = (page: Page, path: string, base = '/console'): Promise<void> =>
  page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(`${base}${path}`.replace(/(.)\/$/, '$1'))}); dispatchEvent(new PopStateEvent('popstate'))`,
  );

/** Goes to another screen as by a link, without loading the document again. */
export async function goTo(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await move(page, path);
  await onScreen(page, heading);
}

/** The same for a screen whose heading is not known, or that may be refused: until it has loaded. */
export async function visit(page: Page, path: string): Promise<void> {
  // A screen that is still loaded again after a change would say that it is ready, and be taken for the new one.
  await page.locator('.screen-body:not([aria-busy=true])').waitFor();
  // The state before is marked, so that it is not taken for the new one.
  await page.evaluate("document.querySelector('.screen-body')?.setAttribute('aria-busy', 'left')");
  await move(page, path);
  await page.locator('.screen-body[aria-busy=false]').waitFor();
}

export const dialogOf = (page: Page): Locator => page.getByRole('dialog');
export const inDialog = (page: Page, name: string): Promise<void> =>
  dialogOf(page).getByRole('button', { name, exact: true }).click();
/** What screen readers are told after a change. */
export const said = (page: Page, text: string): Promise<void> =>
  page.getByRole('status').getByText(text, { exact: true }).first().waitFor();

/** Chooses what the service finds. */
export async function choose(page: Page, label: string, text: string): Promise<void> {
  await page
    .getByRole('combobox', { name: new RegExp(`^${label}(?: |$)`) })
    .last()
    .fill(text);
  await page.getByRole('option', { name: text }).first().click();
}

/** Into a field of any kind; for a box whether it is ticked. */
export async function enter(field: Locator, value: string | boolean): Promise<void> {
  if (typeof value === 'boolean') return field.setChecked(value);
  const isChoice = (await field.evaluate((element) => element.tagName)) === 'SELECT';
  await (isChoice ? field.selectOption(value) : field.fill(value));
}

/** A label, which may say that the field is optional. */
const labelled = (label: string): RegExp => new RegExp(`^\\s*${RegExp.escape(label)}\\s*(?:\\(|$)`);

/** Into the fields of a form, by their labels. */
export async function fillIn(form: Page | Locator, values: Readonly<Record<string, string | boolean>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) await enter(form.getByLabel(labelled(label)), value);
}
