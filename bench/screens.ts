// How soon each list of the console is there after a click on its link, with its data, in a real browser.
import { openConsole, startBrowser } from './console-browser.ts';
import type { Figure } from './report.ts';
import { median } from './rounds.ts';
import type { Scenario } from './scenarios.ts';

const scenario = 'screens';
/** What people notice as waiting begins above it. */
const MOST_MS = 300;
const VISITS = 9;
const LISTS = [
  'people',
  'groups',
  'organizations',
  'domains',
  'applications',
  'apis',
  'credentials',
  'providers',
  'provisioning',
  'audit',
] as const;

/**
 * The milliseconds from the click until the screen has loaded its data and drawn it. Between two visits is a screen that reads nothing, so that
 * what was shown before is not taken for the new state.
 */
const VISIT = `async ({ path, visits }) => {
  const main = document.querySelector('main');
  const link = (to) => document.querySelector('nav a[href="/console' + to + '"]');
  const isThere = (to) => location.pathname === '/console' + to && main.querySelector('.screen-body')?.ariaBusy === 'false' && !main.querySelector('.skeleton');
  const open = (to) => new Promise((resolve) => {
    main.querySelector('.screen-body')?.setAttribute('aria-busy', 'left');
    const from = performance.now();
    const watch = new MutationObserver(() => {
      if (!isThere(to)) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
    });
    watch.observe(main, { subtree: true, childList: true, attributes: true, characterData: true });
    link(to).click();
  });
  const times = [];
  for (let visit = 0; visit < visits; visit++) {
    await open('/why');
    times.push(await open(path));
  }
  return times;
}`;

export const screens: Scenario = async (services) => {
  const large = await services.large();
  const service = await services.serve(large);
  const browser = await startBrowser();
  try {
    const page = await openConsole(browser, service.url);
    const figures: Figure[] = [];
    for (const list of LISTS) {
      const asked = JSON.stringify({ path: `/${list}`, visits: VISITS });
      const [first, ...others] = await page.evaluate<number[]>(`(${VISIT})(${asked})`);
      const usual = median(others);
      figures.push({
        scenario,
        what: `the list of ${list}, ${large.size.users.toLocaleString('en')} users`,
        figure: `${usual.toFixed(0)} ms after the click, ${first!.toFixed(0)} ms the first time`,
        target: `at most ${MOST_MS} ms`,
        ok: usual <= MOST_MS,
      });
    }
    return figures;
  } finally {
    await browser.close();
  }
};
