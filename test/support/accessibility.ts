// What every page must be for people: without barriers (axe), reached by keyboard, and no wider than a phone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 800 };
const SCHEMES = ['light', 'dark'] as const;

export const run = <T>(page: Page, script: string): Promise<T> => page.evaluate<T>(script);

/** Serious or critical accessibility violations, as axe describes them. */
async function barriers(page: Page, scheme: (typeof SCHEMES)[number]): Promise<string[]> {
  // Dark mode differs only in colours.
  const rules = scheme === 'dark' ? ", runOnly: ['color-contrast']" : '';
  if (!(await run<boolean>(page, "typeof axe === 'object'"))) await run(page, `${axe};0`);
  return run(
    page,
    `axe.run({ resultTypes: ['violations']${rules} }).then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.map(({ html }) => html).join(' ')))`,
  );
}

const CONTROLS = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), summary, select, textarea')]
  .filter((one) => one.checkVisibility())`;

/** Tab reaches every control in the order of the page, with a visible focus. */
export async function keyboardTroubles(page: Page): Promise<string[]> {
  // A field with autofocus gets it with a frame, and would take it from the keyboard.
  await run(page, 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))');
  const count = await run<number>(page, `(window.controls = ${CONTROLS}).length`);
  if (count === 0) return [];
  const reached: number[] = [];
  const troubles: string[] = [];
  // One more for leaving and re-entering the page. Where it starts depends on the current focus.
  for (let tabs = 0; tabs <= count; tabs++) {
    await page.keyboard.press('Tab');
    const [index, shown] = await run<[number, boolean]>(
      page,
      `(() => { const style = getComputedStyle(document.activeElement);
        return [controls.indexOf(document.activeElement), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]; })()`,
    );
    if (index < 0) continue;
    reached.push(index);
    if (!shown) troubles.push(`focus does not show on control ${index}`);
  }
  const inOrder = reached.every((index, at) => at === 0 || index === (reached[at - 1]! + 1) % count);
  if (new Set(reached).size !== count || !inOrder) troubles.push(`of ${count} controls Tab reaches ${reached.join(' ')}`);
  return troubles;
}

/**
 * Troubles of the page as it is shown now: in light and dark, on a desk and on a phone. The page must be opened with `bypassCSP`: axe
 * is a script. With SCREENSHOTS, a folder, a picture of each is written there.
 */
export async function lookTroubles(page: Page, name: string): Promise<string[]> {
  const troubles: string[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size);
      const where = `${name}, ${colorScheme} at ${size.width}`;
      const wide = await run<number>(page, 'document.documentElement.scrollWidth - innerWidth');
      if (wide > 0) troubles.push(`${where}: ${wide} px too wide`);
      troubles.push(...(await barriers(page, colorScheme)).map((one) => `${where}: ${one}`));
      const { SCREENSHOTS: folder } = process.env;
      if (folder) await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${size.width}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESK);
  return troubles;
}
