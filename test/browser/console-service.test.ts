// What administrators see of the service itself, and do with it: its processes and back-ups.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { version } from '../../src/version.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onDatabase, type TestApi } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole } from '../support/console.ts';
import { FakeBackups } from '../support/fake-backups.ts';
import { usesDatabaseOf } from '../support/restartable-api.ts';
import { soon } from '../support/soon.ts';
import { press } from '../support/visitor.ts';

const chromium = usesChromium();
const { service, provisioning } = words;

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
  it('are made by a button, which shows what comes of it', async () => {
    const page = await openConsole(chromium, api, { path: '/service/backups', options: { bypassCSP: true } });
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
