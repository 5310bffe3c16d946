// The console as a whole: signing in and out, sessions that end, roles that are removed, a bad network, and what loading it costs.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onUsualDatabase, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { ADMIN, goTo, onScreen, openConsole } from '../support/console.ts';
import { itAtLength } from '../support/extent.ts';
import { makeUser } from '../support/relying-party.ts';
import { databaseOf } from '../support/restartable-api.ts';
import { enterPassword, press } from '../support/visitor.ts';

const chromium = usesChromium({ reusesContexts: true });
const BUDGET = 120 * 1024;

const search = (page: Page, text: string): Promise<void> => page.getByRole('searchbox').fill(text);

onUsualDatabase('The console in a browser', (api) => {
  it('loads little, keeps it, and opens the screen of an address', async () => {
    const page = await chromium.open(api);
    const loaded = (): Promise<number[]> =>
      page.evaluate(
        "performance.getEntriesByType('resource').map(({ transferSize }) => transferSize).filter((size) => size > 0)",
      );
    await page.goto(`${api.url}/console`);
    await enterPassword(page, ADMIN);
    await onScreen(page, words.overview.title);
    const first = await loaded();
    const bytes = first.reduce((sum, one) => sum + one, 0);
    assert.ok(first.length > 10 && bytes < BUDGET, `${bytes} bytes in ${first.length} files`);
    await page.goto(`${api.url}/console/people?search=adm`);
    await onScreen(page, words.people.title);
    assert.equal(await page.getByRole('searchbox').inputValue(), 'adm');
    const again = await loaded();
    assert.ok(again.length < first.length / 2, `${again.length} files again`);
  });

  itAtLength('goes back and forward, and says when there is no such screen', async () => {
    const page = await openConsole(chromium, api);
    await page.getByRole('link', { name: words.people.title, exact: true }).click();
    await onScreen(page, words.people.title);
    await search(page, 'nobody at all');
    await page.waitForURL(/search=nobody/);
    await page.goBack();
    await onScreen(page, words.overview.title);
    await page.goForward();
    await onScreen(page, words.people.title);
    await page.goto(`${api.url}/console/nowhere`);
    await page.getByRole('heading', { name: texts.notFoundTitle }).waitFor();
  });

  it('keeps what was entered while the person signs in again in another tab', async () => {
    const page = await openConsole(chromium, api, { path: '/people' });
    await onScreen(page, words.people.title);
    await page.context().clearCookies();
    // As after five minutes: the token has ended, and the session with it.
    await page.clock.install();
    await page.clock.fastForward('06:00');
    await search(page, 'adm');
    await page.clock.runFor(1000);
    const dialog = page.getByRole('dialog', { name: texts.signedOutTitle });
    await dialog.waitFor();
    const opened = page.context().waitForEvent('page');
    await dialog.getByRole('link', { name: texts.signIn }).click();
    const other = await opened;
    await enterPassword(other, ADMIN);
    await onScreen(other, words.overview.title);
    await dialog.getByRole('button', { name: texts.goOn }).click();
    await page.getByRole('link', { name: 'admin', exact: true }).waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), 'adm');
  });

  it('signs out, and the way back is closed', async () => {
    const page = await openConsole(chromium, api);
    await press(page, 'admin');
    await press(page, texts.signOut);
    await page.waitForURL(/\/openid\/interaction\//);
    await page.goto(`${api.url}/console`);
    await page.waitForURL(/\/openid\/interaction\//);
  });

  itAtLength('says when signing out did not work, with nothing of the person on the page', async () => {
    const page = await openConsole(chromium, api);
    await page.route('**/console/session', (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
    await press(page, 'admin');
    await press(page, texts.signOut);
    await page.getByRole('alert').getByText(texts.stillSignedInTitle).waitFor();
    assert.equal(await page.getByText(words.overview.title).count(), 0);
    await page.unroute('**/console/session');
    await press(page, texts.retry);
    await page.waitForURL(/\/openid\/interaction\//);
  });

  it('asks for a recent sign-in where one is needed, and then does what was asked, with what was entered', async () => {
    const { body } = await api.get('/v3/users?name=admin');
    const page = await openConsole(chromium, api, { path: `/people/${body.users[0].id}` });
    await onScreen(page, 'admin');
    const email = `${uniqueName('admin')}@example.org`;
    await page.getByLabel(words.people.email).fill(email);
    // Later than a login may be old. Signing in is by the clock of this machine.
    api.clock.advance(1000);
    await press(page, texts.save);
    const dialog = page.getByRole('dialog', { name: texts.recentSignInTitle });
    await dialog.waitFor();
    api.clock.advance(-1000);
    const opened = page.context().waitForEvent('page');
    await dialog.getByRole('link', { name: texts.signIn }).click();
    const other = await opened;
    await enterPassword(other, ADMIN);
    await onScreen(other, words.overview.title);
    await dialog.getByRole('button', { name: texts.goOn }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('#status.shown').waitFor();
    assert.equal((await api.get(`/v3/users/${body.users[0].id}`)).body.user.email, email);
  });

  itAtLength('signs out whoever left the page alone, also in the middle of a form', async () => {
    const person = await makeUser(api);
    const page = await openConsole(chromium, api, { path: `/people/${person.id}` });
    await page.clock.install();
    await page.reload();
    await onScreen(page, person.name);
    // The browser would ask whether to leave, and the page would stay open.
    await page.getByLabel(words.people.description).fill('not saved');
    await page.clock.fastForward('08:00:01');
    await page.waitForURL(/\/openid\/interaction\//);
  });

  it('offers what the role allows, and says so when the role was removed meanwhile', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const person = await makeUser(api);
    const { body } = await api.get('/v3/roles?name=reader');
    const grant = `/v3/domains/${domain.id}/users/${person.id}/roles/${body.roles[0].id}`;
    assert.equal((await api.request('PUT', grant)).status, 204);
    const page = await openConsole(chromium, api, { person });
    await goTo(page, '/people', words.people.title);
    await page.getByText(words.people.empty).waitFor();
    assert.equal((await api.request('DELETE', grant)).status, 204);
    await search(page, 'x');
    await page.getByRole('alert').waitFor();
    await page.getByText(words.frame.roleLost(words.frame.domain(domain.name), words.frame.unscoped)).waitFor();
    await page.getByRole('link', { name: words.people.title, exact: true }).waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel(words.frame.actIn).count(), 0);
  });

  it('acts in the domain that was chosen last, also when a token for another one was on its way', async () => {
    const [one, other] = [
      await api.make('domain', { name: uniqueName('one') }),
      await api.make('domain', { name: uniqueName('other') }),
    ];
    const [person, found] = [await makeUser(api), await makeUser(api, { domain_id: other.id })];
    const { body } = await api.get('/v3/roles?name=reader');
    for (const { id } of [one, other])
      assert.equal((await api.request('PUT', `/v3/domains/${id}/users/${person.id}/roles/${body.roles[0].id}`)).status, 204);
    const page = await openConsole(chromium, api, { person });
    const chooseDomain = (name: string) => page.getByLabel(words.frame.actIn).selectOption({ label: words.frame.domain(name) });
    await chooseDomain(one.name);
    await goTo(page, '/people', words.people.title);
    await page.getByText(words.people.empty).waitFor();
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/v3/auth/tokens?**', async (route) => {
      asked.resolve();
      await released.promise;
      await route.continue();
    });
    // The token has ended, and a new one is asked for.
    await page.clock.install();
    await page.clock.fastForward('06:00');
    await search(page, found.name);
    await page.clock.runFor(1000);
    await asked.promise;
    await chooseDomain(other.name);
    released.resolve();
    await page.getByRole('link', { name: found.name, exact: true }).waitFor();
  });

  itAtLength('says that the service is away, and reads again', async () => {
    const page = await openConsole(chromium, api);
    await page.route('**/v3/users?**', (route) => route.abort());
    await page.getByRole('link', { name: words.people.title, exact: true }).click();
    await page.getByRole('alert').getByText(texts.awayTitle).waitFor();
    await page.unroute('**/v3/users?**');
    await press(page, texts.retry);
    await page.getByRole('link', { name: 'admin', exact: true }).waitFor();
  });

  itAtLength('follows audit events live, each once, and saves them as a file, in parts', async () => {
    const db = await databaseOf(api);
    const target = uniqueName('target');
    const rows = Array.from({ length: 5003 }, (_, n) => ({
      ...{
        id: `f${n}`.padStart(32, '0'),
        at: 1000 + n,
        request_id: null,
        actor_id: null,
        action: 'test.done',
        target_kind: 'test',
      },
      ...{ target_id: target, outcome: 'success', detail: JSON.stringify({ text: 'a "text",\nof two lines' }) },
    }));
    try {
      await db.write(async (tx) => {
        for (let from = 0; from < rows.length; from += 500)
          await tx
            .insertInto('audit_events')
            .values(rows.slice(from, from + 500))
            .execute();
      });
    } finally {
      await db.close();
    }
    const page = await openConsole(chromium, api, { path: `/audit?target_id=${target}` });
    await onScreen(page, words.audit.title);
    for (const [name, head] of [
      ['CSV', 1],
      ['JSON', 0],
    ] as const) {
      const saved = page.waitForEvent('download');
      await press(page, name);
      const lines = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\n').slice(head);
      const ids = lines.map((line) => /[0-9a-f]{32}/.exec(line)![0]);
      assert.deepEqual(ids, rows.map(({ id }) => id).reverse(), name);
      await page.getByText(words.audit.exported('5,003')).waitFor();
    }
    const group = await api.make('group', { name: uniqueName('group') });
    await goTo(page, `/audit?target_id=${group.id}&live=yes`, words.audit.title);
    await page.getByText(words.audit.following).waitFor();
    assertOk(await api.patch(`/v3/groups/${group.id}`, { group: { description: 'new' } }));
    const sentences = page.locator('td[data-name="What happened"]');
    await page.getByText(`admin changed the group ${group.name}: description`).waitFor();
    assertOk(await api.delete(`/v3/groups/${group.id}`), 204);
    await page.getByText(/^admin deleted the group/).waitFor();
    const [deleted, updated, created] = (await sentences.allTextContents()).map((text) => text.trim());
    assert.deepEqual(
      [deleted, updated, created],
      [
        `admin deleted the group ${group.name}`,
        `admin changed the group ${group.name}: description`,
        `admin made the group ${group.name}`,
      ],
    );
  });

  itAtLength('says in the audit what happened, and finds it by what one remembers', async () => {
    const { audit } = words;
    const [ada, bob] = [await makeUser(api, { name: uniqueName('ada') }), await makeUser(api, { name: uniqueName('bob') })];
    const group = await api.make('group', { name: uniqueName('<img src=x onerror=alert(1)>') });
    await api.put(`/v3/groups/${group.id}/users/${bob.user.id}`);
    await api.put(`/v3/domains/default/users/${ada.user.id}/roles/${await api.roleId('member')}`);
    const page = await openConsole(chromium, api, { path: '/audit' });
    await onScreen(page, audit.title);
    await page.getByText(`admin added ${bob.user.name} to the group ${group.name}`).waitFor();
    await page.getByText(`admin gave ${ada.user.name} the role member in Default`).waitFor();
    await page.locator('summary', { hasText: audit.filter }).click();
    const choose = async (label: string, text: string, option: string): Promise<void> => {
      await page.getByRole('combobox', { name: label }).fill(text);
      await page.locator('li[role=option]:visible', { hasText: option }).first().click();
    };
    await choose(audit.who, 'admin', 'admin');
    await choose(audit.about, bob.user.name, bob.user.name);
    await choose(audit.what, 'to the group', '… added … to the group …');
    await press(page, audit.apply);
    await page.waitForURL(/user_id=/);
    await page.getByText(`admin gave ${ada.user.name}`).waitFor({ state: 'detached' });
    const { searchParams } = new URL(page.url());
    assert.equal(searchParams.get('user_id'), bob.user.id);
    assert.equal(searchParams.get('action'), 'group.member_added');
    const sentences = page.locator('td[data-name="What happened"]');
    assert.equal(await sentences.count(), 1);
    // The address is all that another person needs.
    await goTo(page, `/audit${new URL(page.url()).search}`, audit.title);
    await page.getByText(`admin added ${bob.user.name} to the group ${group.name}`).waitFor();
    assert.equal(await page.getByRole('combobox', { name: audit.about }).inputValue(), bob.user.name);
    await page.locator('td summary').first().click();
    await page.getByText(`"target_id": "${group.id}"`).waitFor();
  });

  it('has no barrier on its first screen', async () => {
    const page = await openConsole(chromium, api, { options: { bypassCSP: true } });
    await onScreen(page, words.overview.title);
    assert.deepEqual(await lookTroubles(page, 'console-overview'), []);
    for (const width of [1200, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const outside = await page.locator('.chart').evaluate((chart) => {
        const frame = chart.getBoundingClientRect();
        const labels = [...chart.querySelectorAll('text')].map((one) => ({
          text: one.textContent,
          box: one.getBoundingClientRect(),
        }));
        return labels.filter(({ box }) => box.right > frame.right + 1 || box.left < frame.left - 1).map(({ text }) => text);
      });
      assert.deepEqual(outside, [], `hours that are cut off at ${width} px`);
    }
  });
});
