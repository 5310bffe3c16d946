// What administrators see of the service itself, and do with it: its processes and back-ups.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { version } from '../../src/version.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onDatabase, onUsualDatabase, type TestApi, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole, visit } from '../support/console.ts';
import { FakeBackups } from '../support/fake-backups.ts';
import { usesDatabaseOf } from '../support/restartable-api.ts';
import { soon } from '../support/soon.ts';
import { press } from '../support/visitor.ts';

const chromium = usesChromium();
const { overview, service, provisioning } = words;

onDatabase('PostgreSQL', 'Replicas in the console', {}, (api) => {
  const db = usesDatabaseOf(api);
  let other: TestApi;
  before(async () => {
    other = await api.replica();
    await soon(2, async () => assertOk(await api.get('/v3/OS-SERVICE/replicas')).replicas.length);
  });
  after(() => other.stop());

  it('are listed with their versions, and one that is silent or of another version is pointed out', async () => {
    const page = await openConsole(chromium, api, { path: '/service/replicas', options: { bypassCSP: true } });
    await onScreen(page, service.title);
    const rows = page.locator('tbody tr');
    assert.equal(await rows.count(), 2);
    assert.equal(await rows.getByText(version, { exact: true }).count(), 2);
    assert.equal(await rows.getByText(service.replicas.running, { exact: true }).count(), 2);
    assert.equal(await rows.getByText(service.replicas.thisOne, { exact: true }).count(), 1);
    const now = Math.floor(Date.now() / 1000);
    const values = { host: 'elsewhere', worker: 3, version: '0.0.1', started_at: now - 600, lag_ms: 900 };
    await db().write((tx) =>
      tx
        .insertInto('replicas')
        .values([
          { ...values, id: 'old', seen_at: now, is_live: 0 },
          { ...values, id: 'killed', seen_at: now - 100, is_live: 1 },
        ])
        .execute(),
    );
    await press(page, provisioning.refresh);
    await page.getByText(service.replicas.versionsDiffer([version, '0.0.1'].sort().join(', '))).waitFor();
    await page.getByText(service.replicas.silentText).waitFor();
    await page.getByText(service.replicas.behindText).waitFor();
    await rows.getByText(service.replicas.silent, { exact: true }).waitFor();
    assert.deepEqual(await lookTroubles(page, 'service-replicas'), []);
    await goTo(page, '/service/backups', service.title);
    await page.getByText(service.backups.elsewhere).waitFor();
    assert.equal(await page.getByRole('button', { name: service.backups.makeNow }).count(), 0);
    assert.equal(await page.getByRole('link', { name: service.backups.guide }).getAttribute('href'), '/guide/operating#backups');
  });
});

const backups = new FakeBackups();

onDatabase('SQLite', 'Back-ups in the console', { backups }, (api) => {
  it('are made by a button, to which the overview leads and which shows what comes of it', async () => {
    const page = await openConsole(chromium, api, { options: { bypassCSP: true } });
    const missing = page.getByRole('listitem').filter({ hasText: overview.attention.no_backup('', 0) });
    await missing.getByRole('link', { name: overview.look }).click();
    await onScreen(page, service.title);
    await page.getByText(service.backups.noneKept).waitFor();
    await press(page, service.backups.makeNow);
    await page.getByText(service.backups.running).waitFor();
    assert.equal(await page.getByRole('button', { name: service.backups.makeNow }).count(), 0);
    backups.end();
    await page.getByRole('status').getByText(service.backups.made).waitFor();
    const row = page.locator('tbody tr');
    await row.getByText(service.backups.askedFor, { exact: true }).waitFor();
    await row.getByText(service.backups.verified, { exact: true }).waitFor();
    await press(page, service.backups.makeNow);
    await page.getByText(service.backups.running).waitFor();
    backups.end('ENOSPC');
    await page.getByText(service.backups.askedFailed).waitFor();
    assert.equal(await row.count(), 1);
    backups.beginScheduled();
    await press(page, service.backups.makeNow);
    await page.getByText(service.backups.running).waitFor();
    backups.end();
    await page.getByText(service.backups.onSchedule, { exact: true }).waitFor();
    assert.equal(await row.count(), 2);
    assert.deepEqual(await lookTroubles(page, 'service-backups'), []);
  });
});

onUsualDatabase('Screens of the console', (api) => {
  it('lead to the place in the guide that is about them', async () => {
    const page = await openConsole(chromium, api, { path: '/service' });
    const { id } = await api.make('domain', { name: uniqueName('guided') });
    const paths = [
      ...(await page
        .locator('#menu a')
        .evaluateAll((links) => links.map((one) => one.getAttribute('href')!.slice('/console'.length) || '/'))),
      ...['invitations', 'waiting', 'deletions', 'import'].map((list) => `/people/${list}`),
      '/new-provider',
      '/applications/new',
      ...Object.keys(service.tabs).map((tab) => `/service/${tab}`),
      ...['sign-in', 'look', 'directory', 'settings'].map((tab) => `/domains/${id}?tab=${tab}`),
    ];
    const places = new Map<string, string>();
    for (const path of paths) {
      await visit(page, path);
      places.set(path, (await page.locator('.guide-link').getAttribute('href'))!);
    }
    assert.equal(places.get('/service/mail'), '/guide/mail');
    assert.equal(places.get(`/domains/${id}?tab=directory`), '/guide/ldap');
    for (const [path, place] of places) {
      const { pathname, hash } = new URL(place, api.url);
      const answer = await fetch(api.url + pathname);
      assert.equal(answer.status, 200, `${path}: ${place}`);
      if (hash !== '') assert.match(await answer.text(), new RegExp(`<h\\d id="${hash.slice(1)}"`), `${path}: ${place}`);
    }
  });
});
