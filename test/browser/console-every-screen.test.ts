// Every screen of the console, with every dialog that it opens: no barriers, in both themes, on a desk and on a phone; reached by keyboard.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { keyboardTroubles, lookTroubles } from '../support/accessibility.ts';
import { DELETION_ALLOWED } from '../support/account-deletion.ts';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { openConsole, visit } from '../support/console.ts';
import type { ConsoleScreen } from '../support/console-acts.ts';
import { dialogsOf, escapes, followRequests } from '../support/console-dialogs.ts';
import { consoleScreens } from '../support/console-screens.ts';
import { makeConsoleWorld } from '../support/console-world.ts';
import { aShareOf } from '../support/extent.ts';

const chromium = usesChromium();

/** What is sent is not looked at here: nothing is changed. Previews only show. */
const HARMLESS = /\/preview$|\/v3\/auth\/|\/console\/session$/;

async function changeNothing(page: Page): Promise<void> {
  await page.route(/\/(v3|console)\//, (route) => {
    const request = route.request();
    return request.method() === 'GET' || HARMLESS.test(new URL(request.url()).pathname) ? route.continue() : route.abort();
  });
}

const nameOf = (path: string): string => `console${path.replace(/\W+/g, '-')}`.replace(/[0-9a-f]{32}/, 'one');
/** All of it in one test takes longer than a test may. */
const PARTS = 6;

onDatabase('SQLite', 'Every screen of the console', { settings: DELETION_ALLOWED }, (api) => {
  let screens: readonly ConsoleScreen[];
  let person: { readonly id: string; readonly name: string; readonly password: string };

  before(async () => {
    const world = await makeConsoleWorld(api);
    const { user, password } = await api.persona(['admin'], 'system');
    person = { id: user.id, name: user.name, password };
    screens = aShareOf(consoleScreens(world, person), 8);
  });

  for (let part = 0; part < PARTS; part++)
    it(`has no barriers, nor have its dialogs, and is reached by keyboard (${part + 1} of ${PARTS})`, async () => {
      const page = await openConsole(chromium, api, { person, options: { bypassCSP: true } });
      await changeNothing(page);
      const isDone = followRequests(page);
      const troubles: string[] = [];
      for (const screen of screens.filter((_, at) => at % PARTS === part)) {
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
