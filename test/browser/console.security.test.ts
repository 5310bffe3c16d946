// Attacks on people at the pages: script in everything that can be named, frames, forged requests, a stolen cookie, a role that is removed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { DELETION_ALLOWED } from '../support/account-deletion.ts';
import { onDatabase, type TestApi, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole, visit } from '../support/console.ts';
import type { ConsoleWorld } from '../support/console-acts.ts';
import { consoleScreens } from '../support/console-screens.ts';
import { makeConsoleWorld } from '../support/console-world.ts';
import { aShareOf, inFullRun } from '../support/extent.ts';
import { png } from '../support/pictures.ts';
import { makeUser } from '../support/relying-party.ts';
import { isChange, nameOfRoute, walletRoutes } from '../support/routes.ts';
import { TestBrowser } from '../support/test-browser.ts';
import { press } from '../support/visitor.ts';
import { onWallet } from '../support/wallet.ts';
import { openWallet } from '../support/wallet-page.ts';

// The browser says that it did not run what is in a logo.
const chromium = usesChromium({ provokes: /^Blocked script execution in '[^']+\/openid\/assets\/logo'/ });

/** Runs if it is ever taken for HTML. What it is the name of stands behind it, so that the test sees that it was shown. */
const evil = (what: string): string => `<img src=x onerror=attacked=1>"'${what}`;

/** Writes script into every name and description. Returns what must be seen. */
async function plant(api: TestApi, world: ConsoleWorld): Promise<string[]> {
  const planted: string[] = [];
  const text = (what: string): string => {
    planted.push(evil(what));
    return evil(what);
  };
  const change = async (path: string, body: unknown): Promise<void> => {
    const { status, text: answer } = await api.patch(path, body);
    assert.ok(status < 300, `${path}: ${status} ${answer}`);
  };
  const both = (what: string) => ({ name: text(`${what}-name`), description: text(`${what}-text`) });
  await change(`/v3/users/${world.user.id}`, { user: both('user') });
  await change(`/v3/users/${world.waiting.id}`, { user: { name: text('waiting'), given_name: text('waiting-own') } });
  await change(`/v3/groups/${world.group.id}`, { group: both('group') });
  await change(`/v3/projects/${world.project.id}`, { project: both('project') });
  await change(`/v3/domains/${world.domain.id}`, { domain: both('domain') });
  await change(`/v3/roles/${world.customRole.id}`, { role: both('role') });
  await change(`/v3/OS-OAUTH2/consumers/${world.application.id}`, { consumer: both('application') });
  await change(`/v3/OS-OAUTH2/consumers/${world.registered.id}`, { consumer: { name: text('registered') } });
  const token = { domain_id: world.domain.id, name: text('registration-token') };
  assert.equal((await api.post('/v3/OS-OAUTH2/registration_tokens', { registration_token: token })).status, 201);
  await change(`/v3/OS-ROLES/roles/${world.role.id}`, { role: { name: text('application-role') } });
  await change(`/v3/OS-ROLES/permissions/${world.permission.id}`, {
    permission: { name: text('permission'), action: 'GET', resource: `/${text('resource')}` },
  });
  await change(`/v3/services/${world.nouns.service.id}`, { service: { name: text('service'), type: text('service-type') } });
  await change(`/v3/OS-OAUTH2/apis/${world.nouns.api.id}`, {
    api: { ...both('api'), scopes: [{ name: 'papers:read', description: text('scope') }] },
  });
  await change('/v3/regions/RegionOne', { region: { description: text('region') } });
  const provider = `/v3/OS-FEDERATION/identity_providers/${world.idp}`;
  await change(provider, { identity_provider: { description: text('provider') } });
  const { openid } = (await api.get(`${provider}/openid`)).body;
  const settings = { issuer: openid.issuer, client_id: text('client'), button_name: text('button') };
  assert.equal((await api.put(`${provider}/openid`, { openid: settings })).status, 200);
  const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: text('claim') }] }];
  await change(`/v3/OS-FEDERATION/mappings/${world.idp}`, { mapping: { rules } });
  const made = await api.post('/v3/OS-SCIM/connections', {
    connection: { domain_id: world.domain.id, name: text('connection') },
  });
  assert.equal(made.status, 201, made.text);
  return planted;
}

/** What is on the page: its text, what stands in its fields, and elements that nobody of us made. */
const LOOK = `({
  text: document.body.innerText + [...document.querySelectorAll('input, textarea')].map((one) => one.value).join(' '),
  strange: [...document.querySelectorAll('main img:not([src^="/openid/logos/"]), dialog img, body script:not([src]), [onerror], iframe:not([sandbox=""][src^="/openid/previews/"]), object, a[href^="javascript:"]')].map((one) => one.outerHTML),
  attacked: window.attacked,
})`;
interface Look {
  readonly text: string;
  readonly strange: readonly string[];
  readonly attacked: unknown;
}

async function lookAt(page: Page, where: string): Promise<string> {
  const { text, strange, attacked } = await page.evaluate<Look>(LOOK);
  assert.deepEqual([strange, attacked], [[], undefined], where);
  return text;
}

// The pages are the same on both databases.
onDatabase('SQLite', 'Attacks on the console', { settings: DELETION_ALLOWED }, (api) => {
  it('shows names and descriptions with script in them as texts, on screens and in dialogs that ask', async () => {
    const world = await makeConsoleWorld(api);
    const unseen = new Set(await plant(api, world));
    const { user, password } = await api.persona(['admin'], 'system');
    const page = await openConsole(chromium, api, { person: { name: user.name, password } });
    const see = async (where: string): Promise<void> => {
      const text = await lookAt(page, where);
      for (const one of unseen) if (text.includes(one)) unseen.delete(one);
    };
    for (const { path } of aShareOf(consoleScreens(world, user), 3)) {
      await visit(page, path);
      await see(path);
      const danger = page.locator('.screen-head button.danger');
      if ((await danger.count()) === 0) continue;
      await danger.click();
      await page.getByRole('dialog').waitFor();
      await see(`${path}, asked`);
      await page.getByRole('dialog').getByRole('button', { name: texts.cancel }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    assert.deepEqual(inFullRun([...unseen], []), [], 'never seen');
  });

  it('cannot be framed, on any screen; nor can the pages around it', async () => {
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    const stranger = await browser.go('/console');
    await browser.answerForms(stranger, person);
    const pages = [stranger];
    for (const path of [
      '/console',
      '/console/people',
      '/console/people/x',
      '/console/service/keys',
      '/account',
      '/account/security',
    ])
      pages.push(await browser.go(path));
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    pages.push(await browser.go('/', { headers: { Accept: accept } }));
    for (const { url, headers, text } of pages) {
      assert.match(text, /<html/, url);
      assert.equal(headers.get('x-frame-options'), 'DENY', url);
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, url);
    }
  });

  it('gives nothing for a cookie that was stolen before its owner signed out', async () => {
    const person = await makeUser(api);
    const page = await openConsole(chromium, api, { person });
    const stolen = await page.context().cookies();
    assert.ok(stolen.length > 0 && stolen.every(({ httpOnly }) => httpOnly));
    await press(page, person.name);
    await press(page, texts.signOut);
    await page.waitForURL(/\/openid\/interaction\//);
    const thief = await chromium.open(api);
    await thief.context().addCookies(stolen);
    const answer = await thief.request.post(`${api.url}/console/session`, { headers: { Origin: new URL(api.url).origin } });
    assert.equal(answer.status(), 401);
    await thief.goto(`${api.url}/console/people`);
    await thief.waitForURL(/\/openid\/interaction\//);
  });

  it('takes away what a person may not do any more from a page that stayed open', async () => {
    const { user, password } = await api.persona(['admin'], 'system');
    const domain = await api.make('domain', { name: uniqueName('left') });
    const grant = async (place: string, role: string, method: 'PUT' | 'DELETE') => {
      const path = `/v3/${place}/users/${user.id}/roles/${await api.roleId(role)}`;
      assert.equal((await api.request(method, path)).status, 204);
    };
    await grant(`domains/${domain.id}`, 'reader', 'PUT');
    const page = await openConsole(chromium, api, { person: { name: user.name, password } });
    await goTo(page, '/people', words.people.title);
    await press(page, words.people.create);
    const dialog = page.getByRole('dialog');
    const name = uniqueName('never');
    await dialog.getByLabel(words.people.name).fill(name);
    await grant('system', 'admin', 'DELETE');
    await dialog.getByRole('button', { name: texts.create, exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    assert.deepEqual((await api.get(`/v3/users?name=${name}`)).body.users, [], 'nothing was made');
    await dialog.getByRole('button', { name: texts.cancel }).click();
    // The roles were read again: the person is a reader of the domain now.
    await page.getByLabel(words.frame.actIn).getByText(words.frame.domain(domain.name)).waitFor({ state: 'attached' });
    await page.locator('#menu').getByText(words.provisioning.title).waitFor({ state: 'detached' });
    await visit(page, '/people');
    await onScreen(page, words.people.title);
    assert.equal(await page.getByRole('button', { name: words.people.create, exact: true }).count(), 0);
    assert.equal(await page.getByLabel(words.frame.actIn).getByText(words.frame.system).count(), 0);
  });
});

/** Says where it runs. */
const LOUD = '<script>document.title = "attacked"; window.attacked = 1; parent.attacked = 1</script>';
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-loud-logo-'));
after(() => rmSync(folder, { recursive: true }));
const svg = join(folder, 'logo.svg');
writeFileSync(
  svg,
  `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="attacked = 1">${LOUD}<rect width="9" height="9"/></svg>`,
);

const LOGOS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'that an administrator chose': {},
  'that the operator gave as a file': { GATEHOUSE_IDENTITY_BRAND_LOGO: svg },
};
for (const [whose, settings] of Object.entries(LOGOS))
  onDatabase('SQLite', `A logo with script in it, ${whose}`, { settings }, (api) => {
    it('runs nothing: not on pages, in previews and mails, and not where somebody opens it alone', async () => {
      if (whose.includes('administrator')) {
        const content = Buffer.concat([png(9), Buffer.from(`<html>${LOUD}</html>`)]).toString('base64');
        assert.equal((await api.put('/v3/OS-SERVICE/look/logo', { picture: { content } })).status, 200);
      }
      const page = await openConsole(chromium, api, { path: '/service/look' });
      await page.frameLocator('iframe.preview').locator('header img').waitFor();
      const innocent = async (where: string): Promise<void> => {
        assert.notEqual(await page.title(), 'attacked', where);
        assert.equal(await page.evaluate('window.attacked'), undefined, where);
      };
      await innocent('preview of the look');
      await visit(page, '/service/mail?text=en/invitation');
      await page.frameLocator('iframe.preview').locator('body').waitFor();
      await innocent('preview of a mail');
      await page.goto(`${api.url}/account`);
      await page.locator('header img').waitFor();
      await innocent('account');
      await page.goto(`${api.url}/openid/assets/logo`);
      await innocent('alone');
    });
  });

const FORGED: readonly Readonly<Record<string, string>>[] = [
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
];
/** They take no cookie: the provider calls the first. */
const WITHOUT_COOKIE = ['POST /api/v1/auth/backchannel-logout'];
const SCREENS = [
  '/',
  '/open',
  '/receive',
  '/receive/x',
  '/share/x',
  '/credentials/x',
  '/history',
  '/keys',
  '/identifiers',
  '/node',
];

onWallet('SQLite', 'Attacks on the pages of the wallet', {}, (wallet) => {
  it('refuses every change that another site makes the browser send', async () => {
    const person = await wallet.logIn();
    const changes = walletRoutes().filter((route) => isChange(route) && !WITHOUT_COOKIE.includes(nameOfRoute(route)));
    assert.ok(changes.length > 10);
    for (const { method, path } of changes)
      for (const forged of FORGED) {
        const { status } = await wallet.request(method, path.replace(/:\w+/g, 'x'), {
          body: {},
          headers: { Cookie: person.cookie, ...forged },
        });
        assert.equal(status, 403, `${method} ${path} ${JSON.stringify(forged)}`);
      }
    assert.equal((await person.get('/api/v1/auth/userinfo')).status, 200, 'still signed in');
  });

  it('shows the names of keys and identifiers with script in them as texts', async () => {
    // Names and claims of issuers and verifiers: wallet-pages.test.ts.
    const person = await wallet.logIn();
    await person.make('keys', { alias: evil('key') });
    const did = await person.make('dids', { alias: evil('did') });
    const page = await openWallet(chromium, person);
    for (const [path, shown] of [
      ['/keys', 'key'],
      ['/identifiers', 'did'],
      [`/identifiers/${did.id}`, 'did'],
    ] as const) {
      await page.goto(wallet.url + path);
      await page.locator('.screen-body[aria-busy=false]').waitFor();
      assert.ok((await lookAt(page, path)).includes(evil(shown)), path);
    }
  });

  it('refuses to be framed, on every screen', async () => {
    for (const path of SCREENS) {
      const { status, headers } = await wallet.get(path, { headers: { Accept: 'text/html' } });
      assert.equal(status, 200, path);
      assert.equal(headers.get('x-frame-options'), 'DENY', path);
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path);
    }
  });
});
