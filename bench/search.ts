// Finding people: by the API on both databases, and on the screen of the console in a real browser.
import type { Page } from 'playwright-core';
import { openConsole, startBrowser } from './console-browser.ts';
import { administrator, type Gatehouse, logIn, loginBody, startGatehouse } from './gatehouse.ts';
import { type LoadRequest, load } from './load.ts';
import { onPostgres } from './on-postgres.ts';
import type { Figure } from './report.ts';
import { type Contender, type Measurements, measureInTurns, type Pace } from './rounds.ts';
import { emptyRow, measureBesideEmpty, ratioToEmpty, type Scenario } from './scenarios.ts';

const scenario = 'search';
const DIFFERENT = 1000;
/** As many as the screen shows. */
const LIMIT = 50;
const number = (value: number): string => value.toLocaleString('en');

/** What people type: the beginning of a name, one word that everybody has, and two such words. */
const kinds = (users: number): Readonly<Record<string, readonly string[]>> => ({
  'a name': Array.from({ length: DIFFERENT }, (_, n) => `person-${1 + ((n * 7919) % users)}`),
  'a word of everybody': ['person'],
  'two broad words': Array.from({ length: 9 }, (_, n) => `person ${n + 1}`),
});

async function searches(service: Gatehouse, database: string, users: number): Promise<Contender[]> {
  const headers = { 'X-Auth-Token': await logIn(service.url, loginBody(administrator)) };
  return Object.entries(kinds(users)).map(([kind, texts]) => {
    const asked = texts.map((text): LoadRequest => {
      return { method: 'GET', path: `/v3/users?limit=${LIMIT}&search=${encodeURIComponent(text)}`, headers };
    });
    // One at a time: what is queued when a round ends would be worked off in the next one, which measures something else.
    const measure = (seconds: number) => load(service, asked, { seconds, connections: 1 });
    return { name: `${kind}, ${database}`, measure };
  });
}

/** Types nothing and waits for nothing but the answer: shows the screen for each text until its first row is there. */
const ON_SCREEN = `async ({ texts, seconds }) => {
  const main = document.querySelector('main');
  const isShown = (text) => main.querySelector('.screen-body')?.ariaBusy === 'false'
    && location.search === '?search=' + text && main.querySelector('tbody th')?.textContent.includes(text);
  const show = (text) => new Promise((resolve) => {
    const watch = new MutationObserver(() => { if (isShown(text)) { watch.disconnect(); resolve(); } });
    watch.observe(main, { subtree: true, childList: true, attributes: true, characterData: true });
    history.pushState(null, '', '/console/people?search=' + text);
    dispatchEvent(new PopStateEvent('popstate'));
  });
  const end = performance.now() + seconds * 1000;
  let count = 0;
  for (; performance.now() < end; count++) await show(texts[count % texts.length]);
  return count / seconds;
}`;
/** The same call of the API by the same browser, with its answer read. */
const BY_API = `async ({ texts, seconds, token }) => {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  for (; performance.now() < end; count++) {
    const answer = await fetch('/v3/users?limit=${LIMIT}&search=' + texts[count % texts.length], { headers: { 'X-Auth-Token': token } });
    if (!answer.ok) throw new Error('refused: ' + answer.status);
    await answer.json();
  }
  return count / seconds;
}`;

async function inBrowser(page: Page, service: Gatehouse, users: number, pace: Pace): Promise<Measurements> {
  const token = await logIn(service.url, loginBody(administrator));
  const texts = kinds(users)['a name']!;
  const run = (name: string, script: string): Contender => ({
    name,
    async measure(seconds) {
      const rate = await page.evaluate<number>(`(${script})(${JSON.stringify({ texts, seconds, token })})`);
      return { rate, cpuMicros: 1e6 / rate, failed: 0 };
    },
  });
  return measureInTurns([run('screen', ON_SCREEN), run('call', BY_API)], pace);
}

export const search: Scenario = async (services, pace) => {
  const large = await services.large();
  const { users } = large.size;
  const service = await services.serve(large);
  const postgres = await onPostgres(users);
  const other = await startGatehouse(postgres.data);
  const browser = await startBrowser();
  try {
    const page = await openConsole(browser, service.url);
    const screen = await inBrowser(page, service, users, pace);
    const ratio = screen.ratio('screen', 'call');
    const onScreen: Figure = {
      scenario,
      what: `people screen, ${number(users)} users`,
      figure: `${ratio.toFixed(2)} of the rate of the call, in one browser`,
      target: 'at least 0.5',
      ok: ratio >= 0.5,
      rate: screen.rate('screen'),
    };
    const contenders = [...(await searches(service, 'SQLite', users)), ...(await searches(other, 'PostgreSQL', users))];
    const measured = await measureBesideEmpty(contenders, pace);
    const rows = contenders.map(({ name }) => ({ ...ratioToEmpty(scenario, measured, name), what: `search: ${name}` }));
    return [onScreen, emptyRow(scenario, measured), ...rows];
  } finally {
    await browser.close();
    await other.stop();
    await postgres.stop();
  }
};
