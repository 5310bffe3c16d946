// Every screen of the console with each kind of caller: what is offered is what the service allows.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { DELETION_ALLOWED } from '../support/account-deletion.ts';
import { onDatabase, type TestApi, uniqueName } from '../support/api.ts';
import { makePerson, makeRole } from '../support/applications.ts';
import { usesChromium } from '../support/chromium.ts';
import { ADMIN, openConsole, visit } from '../support/console.ts';
import type { Act, ConsoleScreen, ConsoleWorld } from '../support/console-acts.ts';
import { consoleScreens } from '../support/console-screens.ts';
import { makeConsoleWorld } from '../support/console-world.ts';
import type { Ids } from '../support/every-route.ts';
import { aShareOf } from '../support/extent.ts';

const chromium = usesChromium();

/** The console's own list. It is code for browsers, which the types of this test do not know. */
const consoleModule = (path: string) => import(new URL(`../../console/identity/${path}`, import.meta.url).href);
await (await consoleModule('words/index.ts')).loadWords('en');
const { routes, menu } = (await consoleModule('screens.ts')) as {
  readonly routes: readonly { readonly path: string }[];
  readonly menu: readonly { readonly path: string; label(): string }[];
};

interface Caller {
  readonly id: string;
  readonly name: string;
  readonly password: string;
}
const asCaller = ({ user, password }: { user: { id: string; name: string }; password: string }): Caller => ({
  id: user.id,
  name: user.name,
  password,
});

async function ownerOf(api: TestApi, application: { id: string }, role: string): Promise<Caller> {
  const person = await makePerson(api);
  const path = `/v3/OS-ROLES/users/${person.user.id}/applications/${application.id}/roles/${role}`;
  assert.equal((await api.put(path)).status, 200);
  return asCaller(person);
}

const CALLERS: Readonly<Record<string, (api: TestApi, world: ConsoleWorld) => Promise<Caller>>> = {
  'an administrator': async (api) => ({
    ...ADMIN,
    id: (await api.get('/v3/users?name=admin')).body.users[0].id,
  }),
  'a manager of the domain': async (api, { domain }) => asCaller(await api.persona(['manager', 'reader'], { domain: domain.id })),
  'a reader of the system': async (api) => asCaller(await api.persona(['reader'], 'system')),
  'the owner of the application': (api, { application }) => ownerOf(api, application, 'provider'),
  'somebody who manages the application, but not its roles': async (api, { application }) => {
    const role = await makeRole(api, application);
    assert.equal((await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/manage-application`)).status, 200);
    return ownerOf(api, application, role.id);
  },
  'a member of the organization': async (api, { project }) => asCaller(await api.persona(['member'], { project: project.id })),
  'a person without any role': async (api) => {
    const password = 'a password of a test';
    return asCaller({ user: await api.make('user', { name: uniqueName('plain'), password }), password });
  },
};

/** Those whose role counts only where it was granted. */
const WITH_ENFORCED_SCOPE: typeof CALLERS = {
  'an administrator of the domain': async (api, { domain }) => asCaller(await api.persona(['admin'], { domain: domain.id })),
  'an administrator of the organization': async (api, { project }) =>
    asCaller(await api.persona(['admin'], { project: project.id })),
};

interface OfferedAct {
  readonly name: string;
  readonly row: string;
}
interface ScreenState {
  readonly isRefused: boolean;
  readonly acts: readonly OfferedAct[];
  readonly links: readonly string[];
  readonly rows: readonly string[];
  readonly tabs: readonly string[];
}

/** What only shows something, or copies it: sorting, pages, branches of a tree, views, a text to copy. */
const SHOWN = `(() => {
  const main = document.querySelector('main');
  const nameOf = (one) => (one.getAttribute('aria-label') ?? one.textContent).replace(/\\s+/g, ' ').trim();
  const rowOf = (one) => one.closest('li, tr, section')?.textContent ?? '';
  const harmless = 'th[aria-sort] button, .pager button, .copyable button, [aria-pressed], [aria-expanded], [role=option], [role=search] *';
  // Copying sends nothing, and looking again what the screen has sent before.
  const noActs = ['${texts.copy}', '${words.provisioning.refresh}'];
  return {
    isRefused: [...main.querySelectorAll('[role=alert]')].some((one) => one.checkVisibility()),
    acts: [...main.querySelectorAll('button:not(:disabled), a.button, td input[type=checkbox]:not(:disabled)')]
      .filter((one) => !one.matches(harmless) && !noActs.includes(nameOf(one))).map((one) => ({ name: nameOf(one), row: rowOf(one) })),
    links: [...main.querySelectorAll('a[href^="/console"]')].map((one) => one.getAttribute('href')),
    rows: [...main.querySelectorAll('li, tr, section')].map((one) => one.textContent),
    tabs: [...main.querySelectorAll('.tabs a')].map((one) => one.getAttribute('href').replace('/console', '')),
  };
})()`;

/** Screens of their own, below that of a list. */
const NO_THINGS = ['new', 'invitations', 'deletions', 'import', 'waiting', 'registered'];
const READS: Readonly<Record<string, string>> = {
  people: '/v3/users',
  groups: '/v3/groups',
  organizations: '/v3/projects',
  domains: '/v3/domains',
  applications: '/v3/OS-OAUTH2/consumers',
};

/** A caller at the console, and the same caller at the API: with the token of the page. */
class Visit {
  readonly #api: TestApi;
  readonly #page: Page;
  readonly #caller: string;
  readonly #answers = new Map<string, Promise<unknown>>();
  #token = '';
  readonly troubles: string[] = [];

  constructor(api: TestApi, page: Page, caller: string) {
    this.#api = api;
    this.#page = page;
    this.#caller = caller;
    page.on('request', (request) => {
      // After a refusal the page asks where the person may act, with a token that may do nothing else.
      if (/\/v3\/(?!auth\/(?:system|domains|projects)$)/.test(request.url()) && request.method() === 'GET')
        this.#token = request.headers()['x-auth-token'] ?? '';
    });
  }

  #trouble(screen: string, text: string): void {
    this.troubles.push(`${this.#caller}, ${screen}: ${text}`);
  }

  #once<Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = (this.#answers.get(key) as Promise<Answer> | undefined) ?? ask();
    this.#answers.set(key, answer);
    return answer;
  }

  async allowed(rule: string, ids: Ids = {}): Promise<boolean> {
    const query = new URLSearchParams(ids).toString();
    const rules = await this.#once(query, async () => {
      const { status, body, text } = await this.#api.get(`/v3/auth/OS-ACCESS/allowed?${query}`, { token: this.#token });
      assert.equal(status, 200, text);
      return new Set<string>(body.allowed);
    });
    return rules.has(rule);
  }

  #statusOf(path: string): Promise<number> {
    return this.#once(path, async () => (await this.#api.get(path, { token: this.#token })).status);
  }

  /** Nobody is led to a screen that is closed to them. */
  async #checkLinks(screen: string, links: readonly string[]): Promise<void> {
    for (const link of new Set(links.map((one) => one.replace(/^\/console\/?|\?.*$/g, '')))) {
      const [area = '', id] = link.split('/');
      const path = READS[area];
      if (!path || (id !== undefined && NO_THINGS.includes(id))) continue;
      const status = await this.#statusOf(id ? `${path}/${id}` : `${path}?limit=1`);
      if (status === 401 || status === 403) this.#trouble(screen, `the link to ${link} leads to ${status}`);
    }
  }

  async #checkAct(screen: string, act: Act, { acts, rows }: ScreenState, isOpen: boolean): Promise<void> {
    const isOffered = acts.some((one) => matches(act, one));
    const isAllowed = await this.allowed(act.rule, act.ids);
    // A screen that is closed offers nothing, whatever else the person may do; nor does a row that is not there.
    const isThere = isOpen && (act.row === undefined || rows.some((row) => row.includes(act.row!)));
    if (isOffered !== (isAllowed && isThere))
      this.#trouble(screen, `${act.name} ${act.row ?? ''} is ${isOffered ? '' : 'not '}offered; ${act.rule}: ${isAllowed}`);
    if (isAllowed || isOffered || !act.request) return;
    const [method, path, body] = act.request;
    const { status } = await this.#api.request(method, path, { token: this.#token, ...(body ? { body } : {}) });
    if (status !== 403 && status !== 401)
      this.#trouble(screen, `${act.name} is not offered, but ${method} ${path} answers ${status}`);
  }

  async #mayOpen({ opens, needs = [], ids }: ConsoleScreen): Promise<boolean> {
    const answers = (rules: readonly string[]) => Promise.all(rules.map((rule) => this.allowed(rule, ids)));
    return (opens === undefined || (await answers(opens)).some(Boolean)) && (await answers(needs)).every(Boolean);
  }

  async open(screen: ConsoleScreen, known: ReadonlySet<string>): Promise<void> {
    const { path, acts } = screen;
    await visit(this.#page, path);
    const shown = await this.#page.evaluate<ScreenState>(SHOWN);
    // Instead of a tab that is not offered the first one is shown.
    const isElsewhere =
      shown.tabs.length > 0 && /tab=|service\/./.test(path) && !shown.tabs.includes(path.replace(/\?(?:group|text)=.*$/, ''));
    const isEmpty = path.startsWith('/service') && shown.tabs.length === 0;
    const isOpen = !shown.isRefused && !isElsewhere && !isEmpty;
    const mayOpen = await this.#mayOpen(screen);
    if (isOpen !== mayOpen) this.#trouble(path, `${isOpen ? 'opens' : 'does not open'}, but the rules say ${mayOpen}`);
    for (const tab of shown.tabs) if (!known.has(tab)) this.#trouble(path, `the tab ${tab} is not in the table`);
    await this.#checkLinks(path, shown.links);
    if (isElsewhere) return;
    for (const one of shown.acts)
      if (!acts.some((act) => matches(act, one))) this.#trouble(path, `${one.name} is an act without an entry in the table`);
    for (const act of acts) await this.#checkAct(path, act, shown, isOpen);
  }

  /** The menu has what opens. */
  async checkMenu(): Promise<void> {
    const offered = await this.#page.locator('#menu a').allInnerTexts();
    for (const { path, label } of menu) {
      await visit(this.#page, path);
      const { isRefused, tabs } = await this.#page.evaluate<ScreenState>(SHOWN);
      const isEmpty = path === '/service' && tabs.length === 0;
      // The question can be asked by everybody. It is answered to those who may see roles.
      const opens = path === '/why' ? await this.allowed('identity:list_role_assignments') : !isRefused && !isEmpty;
      const isOffered = offered.includes(label());
      if (isOffered !== opens) this.#trouble(path, `${isOffered ? 'is' : 'is not'} in the menu, but opens: ${opens}`);
    }
  }
}

const matches = ({ name, row }: Act, one: OfferedAct): boolean =>
  (typeof name === 'string' ? one.name === name : name.test(one.name)) && (row === undefined || one.row.includes(row));

function walk(api: TestApi, callers: typeof CALLERS): void {
  let world: ConsoleWorld;
  before(async () => {
    world = await makeConsoleWorld(api);
  });

  it('is known for every screen', () => {
    const listed = new Set(consoleScreens(world, { id: 'x', name: 'x' }).map(({ route }) => route));
    const all = routes.map(({ path }) => path).sort();
    assert.deepEqual([...listed].sort(), all, 'each screen has an entry in test/support/console-screens.ts');
  });

  for (const [turn, [name, make]] of aShareOf(Object.entries(callers), 3).entries())
    it(`is what the service allows to ${name}`, async () => {
      const caller = await make(api, world);
      const page = await openConsole(chromium, api, { person: caller });
      await page.getByRole('heading', { level: 1, name: words.overview.title }).waitFor();
      const visitor = new Visit(api, page, name);
      // Some screens ask for nothing until something is done, and the visitor needs the token of the page.
      await page.reload();
      await page.getByRole('heading', { level: 1, name: words.overview.title }).waitFor();
      const screens = consoleScreens(world, caller);
      const known = new Set(screens.flatMap(({ path }) => [path, `${path.split('?')[0]}?tab=settings`]));
      for (const screen of aShareOf(screens, 12, turn)) await visitor.open(screen, known);
      await visitor.checkMenu();
      assert.deepEqual(visitor.troubles, []);
    });
}

// The policy does not depend on the database, and neither do the pages.
onDatabase('SQLite', 'What the console offers', { settings: DELETION_ALLOWED }, (api) => walk(api, CALLERS));
onDatabase(
  'SQLite',
  'What the console offers with the scope enforced',
  { settings: { ...DELETION_ALLOWED, GATEHOUSE_IDENTITY_ENFORCE_SCOPE: 'on' } },
  (api) => {
    walk(api, WITH_ENFORCED_SCOPE);

    it('has the roles and the domain that an administrator of the domain may give and may not list', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const caller = asCaller(await api.persona(['admin'], { domain: domain.id }));
      const person = await api.make('user', { name: uniqueName('person'), domain_id: domain.id });
      const page = await openConsole(chromium, api, { person: caller });
      await visit(page, `/people/${person.id}?tab=roles`);
      await page.getByRole('button', { name: words.grants.give }).first().click();
      for (const [label, wanted] of [
        [words.grants.where, domain.name],
        [words.grants.role, 'member'],
      ] as const) {
        await page
          .getByRole('dialog')
          .getByRole('combobox', { name: new RegExp(`^${label}`) })
          .first()
          .fill(wanted);
        await page.locator('[role=option]', { hasText: wanted }).first().click();
      }
      await page.getByRole('dialog').getByRole('button', { name: words.grants.give }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      const path = `/v3/domains/${domain.id}/users/${person.id}/roles/${await api.roleId('member')}`;
      assert.equal((await api.get(path)).status, 204);
    });
  },
);
