// How soon each list of the console is there after a click on its link, with its data, in a real browser.
import { openConsole, startBrowser } from './console-browser.ts';
import type { Figure } from './report.ts';
import { median } from './rounds.ts';
import type { Scenario } from './scenarios.ts';
import { type ListIds, seedLists } from './seed-lists.ts';

const scenario = 'screens';
/** What people notice as waiting begins above it. */
const MOST_MS = 300;
const VISITS = 9;

/** The addresses below /console, by what is listed. */
const lists = ({ group, organization, application }: ListIds): Readonly<Record<string, string>> => ({
  people: '/people',
  invitations: '/people/invitations',
  'registrations that wait': '/people/waiting',
  'accounts to be deleted': '/people/deletions',
  groups: '/groups',
  'members of a group': `/groups/${group}?tab=members`,
  organizations: '/organizations',
  'members of an organization': `/organizations/${organization}?tab=members`,
  'roles in an organization': `/organizations/${organization}?tab=roles`,
  domains: '/domains',
  'organizations of a domain': '/domains/default?tab=organizations',
  applications: '/applications',
  'applications that registered themselves': '/applications/registered',
  'holders of an application': `/applications/${application}?tab=people`,
  apis: '/apis',
  credentials: '/credentials',
  providers: '/providers',
  provisioning: '/provisioning',
  audit: '/audit',
  messages: '/service/deliveries',
  overview: '/',
});

/**
 * The milliseconds from the click until the screen has loaded its data and drawn it. Between two visits is a screen that reads nothing, so that
 * what was shown before is not taken for the new state.
 */
const VISIT = `async ({ path, visits }) => {
  const main = document.querySelector('main');
  const isThere = (to) => location.pathname + location.search === to && main.querySelector('.screen-body')?.ariaBusy === 'false' && !main.querySelector('.skeleton');
  const open = (path) => new Promise((resolve) => {
    const to = ('/console' + path).replace(/(.)[/]$/, '$1');
    main.querySelector('.screen-body')?.setAttribute('aria-busy', 'left');
    const from = performance.now();
    const watch = new MutationObserver(() => {
      if (!isThere(to)) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
    });
    watch.observe(main, { subtree: true, childList: true, attributes: true, characterData: true });
    const link = document.querySelector('nav a[href="' + to + '"]');
    if (link) return link.click();
    // Tabs and lists that the menu does not name: as their links do it.
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
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
  await services.end(large);
  const ids = seedLists(large);
  const service = await services.serve(large);
  const browser = await startBrowser();
  try {
    const page = await openConsole(browser, service.url);
    const figures: Figure[] = [];
    for (const [list, path] of Object.entries(lists(ids))) {
      const asked = JSON.stringify({ path, visits: VISITS });
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
