// Every screen of the console, with every dialog that it opens: no barriers, in both themes, on a desk and on a phone; reached by keyboard.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { keyboardTroubles, lookTroubles } from '../support/accessibility.ts';
import { DELETION_ALLOWED } from '../support/account-deletion.ts';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { openConsole, visit } from '../support/console.ts';
import type { Act, ConsoleScreen } from '../support/console-acts.ts';
import { consoleScreens } from '../support/console-screens.ts';
import { makeConsoleWorld } from '../support/console-world.ts';
import { aShareOf } from '../support/extent.ts';

const chromium = usesChromium();

/** What is sent is not looked at here: nothing is changed. Previews only show. */
const HARMLESS = /\/preview$|\/v3\/auth\/|\/console\/session$/;

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))';

async function changeNothing(page: Page): Promise<void> {
  await page.route(/\/(v3|console)\//, (route) => {
    const request = route.request();
    return request.method() === 'GET' || HARMLESS.test(new URL(request.url()).pathname) ? route.continue() : route.abort();
  });
}

/** Waits until the page has done what a click begins: some dialogs read something before they open. */
function followRequests(page: Page): () => Promise<void> {
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
async function* dialogsOf(page: Page, { path, acts }: ConsoleScreen, isDone: () => Promise<void>): AsyncGenerator<string> {
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
async function escapes(page: Page): Promise<boolean> {
  const dialog = page.locator('dialog[open]');
  for (let presses = 0; presses < 2 && (await dialog.count()) > 0; presses++) {
    await page.keyboard.press('Escape');
    await page.evaluate(FRAMES);
  }
  const isLeft = (await dialog.count()) === 0;
  if (!isLeft) await page.evaluate("document.querySelectorAll('dialog').forEach((one) => one.close())");
  return isLeft;
}

onDatabase('SQLite', 'Every screen of the console', { settings: DELETION_ALLOWED }, (api) => {
  it('has no barriers, nor have its dialogs, and is reached by keyboard', async () => {
    const world = await makeConsoleWorld(api);
    const { user, password } = await api.persona(['admin'], 'system');
    const person = { id: user.id as string, name: user.name as string, password };
    const page = await openConsole(chromium, api, { person, options: { bypassCSP: true } });
    await changeNothing(page);
    const isDone = followRequests(page);
    const troubles: string[] = [];
    const nameOf = (path: string): string => `console${path.replace(/\W+/g, '-')}`.replace(/[0-9a-f]{32}/, 'one');
    for (const screen of aShareOf(consoleScreens(world, person), 8)) {
      await visit(page, screen.path);
      const name = nameOf(screen.path);
      troubles.push(...(await lookTroubles(page, name)));
      troubles.push(...(await keyboardTroubles(page)).map((trouble) => `${name}: ${trouble}`));
      for await (const opened of dialogsOf(page, screen, isDone)) {
        const dialog = `${name}-${opened.replace(/\W+/g, '-')}`;
        troubles.push(...(await lookTroubles(page, dialog)));
        if (!(await escapes(page))) troubles.push(`${dialog}: Escape does not close it`);
      }
    }
    assert.deepEqual(troubles, []);
  });
});
