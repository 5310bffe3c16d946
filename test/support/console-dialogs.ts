// The dialogs that the buttons of a screen open.
import type { Page } from 'playwright-core';
import { visit } from './console.ts';
import type { Act, ConsoleScreen } from './console-acts.ts';

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))';

/** Waits until the page has done what a click begins: some dialogs read something before they open. */
export function followRequests(page: Page): () => Promise<void> {
  let underWay = 0;
  page.on('request', () => underWay++);
  for (const end of ['requestfinished', 'requestfailed'] as const) page.on(end as 'requestfinished', () => underWay--);
  return async () => {
    let wasQuiet: boolean;
    do {
      wasQuiet = underWay === 0;
      await page.evaluate(FRAMES);
    } while (!wasQuiet || underWay > 0);
  };
}

/** Presses the buttons of a screen; returns the names of those that opened a dialog. */
export async function* dialogsOf(
  page: Page,
  { path, acts }: Pick<ConsoleScreen, 'path' | 'acts'>,
  isDone: () => Promise<void>,
): AsyncGenerator<string> {
  const dialog = page.locator('dialog[open]');
  for (const { name, row } of acts as readonly Act[]) {
    await visit(page, path);
    const place = row === undefined ? page.locator('main') : page.locator('main :is(li, tr, section)', { hasText: row }).last();
    const button = place.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).first();
    if (!(await button.isVisible()) || (await button.getAttribute('type')) === 'submit') continue;
    await button.click();
    await isDone();
    if (!(await dialog.isVisible())) continue;
    yield String(name);
  }
}

/** By the keyboard alone. Where something is chosen from a list, the first Escape closes the list. */
export async function escapes(page: Page): Promise<boolean> {
  const dialog = page.locator('dialog[open]');
  for (let presses = 0; presses < 2 && (await dialog.count()) > 0; presses++) {
    await page.keyboard.press('Escape');
    await page.evaluate(FRAMES);
  }
  const isLeft = (await dialog.count()) === 0;
  if (!isLeft) await page.evaluate("document.querySelectorAll('dialog').forEach((one) => one.close())");
  return isLeft;
}
