// What every page must be for people: without barriers (axe), reached by keyboard, and no wider than a phone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { inFullRun } from './extent.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** True if it is there: half a megabyte is sent to the first page of a site, and kept there for the next ones. */
const LOAD_AXE = `(() => {
  const kept = typeof axe === 'object' ? '' : sessionStorage.getItem('axe of the tests');
  if (kept) (0, eval)(kept);
  return typeof axe === 'object';
})()`;
const KEEP_AXE = `(text) => {
  sessionStorage.setItem('axe of the tests', text);
  (0, eval)(text);
}`;
export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 800 };
const SCHEMES = ['light', 'dark'] as const;
const LOOKS = SCHEMES.flatMap((scheme) => [DESK, PHONE].map((size) => ({ scheme, size })));
/** In `npm test` a page is looked at in light on one of the two, the next page on the other one; every fourth page in dark, too. */
const TURNS = [[0], [1, 2], [0], [1], [0, 3], [1], [0], [1]].map((turn) => turn.map((look) => LOOKS[look]!));
let turn = 0;

export const run = <T>(page: Page, script: string): Promise<T> => page.evaluate<T>(script);

/**
 * What axe finds, in its words. In `npm test` without `region`, which takes long. Style sheets and media are not loaded again: only rules
 * need that which are off.
 */
async function barriers(page: Page, scheme: (typeof SCHEMES)[number]): Promise<string[]> {
  // Dark mode differs only in colours.
  const rules = scheme === 'dark' ? "runOnly: ['color-contrast']" : inFullRun('', 'rules: { region: { enabled: false } }');
  if (!(await run<boolean>(page, LOAD_AXE))) await run(page, `(${KEEP_AXE})(${JSON.stringify(axe)})`);
  return run(
    page,
    `axe.run({ resultTypes: ['violations'], preload: false, ${rules} }).then(({ violations }) => violations
      .map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map(({ html }) => html).join(' ')))`,
  );
}

/** With what scrolls by itself, which the keyboard reaches, too. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), summary, select, textarea, [tabindex="0"]')]
  .filter((one) => one.checkVisibility())`;

/** As many controls a frame may have, such as the links of a mail. */
const FRAME_STOPS = 5;

/** From now on the page notes which control gets the focus, and whether that shows. */
const NOTE_FOCUS = `(() => {
  window.noted = [];
  const controls = ${CONTROLS};
  window.noteFocus = ({ target }) => {
    const style = getComputedStyle(target);
    noted.push([controls.indexOf(target), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]);
  };
  document.addEventListener('focusin', noteFocus);
  return controls.length;
})()`;

/** Tab reaches every control in the order of the page, with a visible focus. */
export async function keyboardTroubles(page: Page): Promise<string[]> {
  // A field with autofocus gets it with a frame, and would take it from the keyboard.
  await run(page, 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))');
  const count = await run<number>(page, NOTE_FOCUS);
  if (count === 0) return [];
  // Some more for leaving and re-entering the page, for what scrolls, and in frames. Where it starts depends on the current focus.
  const inFrames = FRAME_STOPS * (await page.locator('iframe').count());
  for (let tabs = 0; tabs < count + 4 + inFrames; tabs++) await page.keyboard.press('Tab');
  const noted = await run<[number, boolean][]>(page, "document.removeEventListener('focusin', noteFocus); noted");
  const seen = noted.filter(([index]) => index >= 0);
  const reached = seen.map(([index]) => index);
  const troubles = seen.filter(([, shown]) => !shown).map(([index]) => `focus does not show on control ${index}`);
  const inOrder = reached.every((index, at) => at === 0 || index === (reached[at - 1]! + 1) % count);
  if (new Set(reached).size !== count || !inOrder) troubles.push(`of ${count} controls Tab reaches ${reached.join(' ')}`);
  return troubles;
}

/**
 * Troubles of the page as it is shown now: in light and dark, on a desk and on a phone. The page must be opened with `bypassCSP`: axe
 * is a script. With SCREENSHOTS, a folder, a picture of each is written there (of all with TEST_EXTENT=all).
 */
export async function lookTroubles(page: Page, name: string): Promise<string[]> {
  const troubles: string[] = [];
  for (const { scheme, size } of inFullRun(LOOKS, TURNS[turn++ % TURNS.length]!)) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize(size);
    const where = `${name}, ${scheme} at ${size.width}`;
    const wide = await run<number>(page, 'document.documentElement.scrollWidth - innerWidth');
    if (wide > 0) troubles.push(`${where}: ${wide} px too wide`);
    troubles.push(...(await barriers(page, scheme)).map((one) => `${where}: ${one}`));
    const { SCREENSHOTS: folder } = process.env;
    if (folder) await page.screenshot({ path: join(folder, `${name}-${scheme}-${size.width}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESK);
  return troubles;
}
