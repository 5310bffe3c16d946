// The settings of a domain and its directory in the console, by clicks alone and without a restart.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onUsualDatabase, STORABLE_PASSWORDS, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole } from '../support/console.ts';
import { ENTRIES } from '../support/directory.ts';
import { enterDirectory } from '../support/directory-screen.ts';
import { dnOf, passwordOf, person, Slapd } from '../support/slapd.ts';
import { press } from '../support/visitor.ts';

const chromium = usesChromium();
const { audit, domainSettings } = words;
const names: Readonly<Record<string, string>> = domainSettings.names;
const HOSTILE = '<img src=x onerror="document.title=`taken`">';

onUsualDatabase(
  'The settings of a domain in the console',
  (api) => {
    const slapd = new Slapd({ entries: { ...ENTRIES, [dnOf('hostile')]: person('hostile', { sn: HOSTILE, mail: HOSTILE }) } });
    before(() => slapd.start());
    after(() => slapd.stop());
    const newDomain = async () => api.make('domain', { name: uniqueName('Staff') });

    it('make passwords of its people longer, and say where each value comes from', async () => {
      const { id, name } = await newDomain();
      const page = await openConsole(chromium, api, { path: `/domains/${id}?tab=sign-in` });
      await onScreen(page, name);
      await page.getByLabel(names['passwords.min_length']!).fill('20');
      await press(page, texts.save);
      await page.getByRole('status').getByText(domainSettings.saved).waitFor();
      await page.getByText(domainSettings.source(domainSettings.sources.domain)).first().waitFor();
      const user = { name: uniqueName('user'), domain_id: id, password: 'too short' };
      assert.equal((await api.post('/v3/users', { user })).status, 400);
      await goTo(page, '/audit', audit.title);
      await page.getByRole('cell', { name: `${name}: “${names['passwords.min_length']}”` }).waitFor();
      await goTo(page, `/domains/${id}?tab=sign-in`, name);
      await page.getByLabel(names['passwords.min_length']!).fill('0');
      await press(page, texts.save);
      await page.getByRole('alert').first().waitFor();
      assert.deepEqual(await lookTroubles(page, 'console-domain'), []);
    });

    it('tell somebody who edits at the same time as somebody else', async () => {
      const { id, name } = await newDomain();
      const page = await openConsole(chromium, api, { path: `/domains/${id}?tab=sign-in` });
      await onScreen(page, name);
      await page.getByLabel(names['passwords.min_length']!).fill('20');
      assertOk(await api.patch(`/v3/OS-SERVICE/domains/${id}/settings`, { settings: { 'passwords.min_length': '30' } }));
      await press(page, texts.save);
      await page.getByText(texts.presentTitle).waitFor();
      const { settings } = assertOk(await api.get(`/v3/OS-SERVICE/domains/${id}/settings`));
      assert.equal(settings.find(({ key }: { key: string }) => key === 'passwords.min_length').value, '30');
    });

    it('try, connect, read and disconnect a directory', async () => {
      const { id, name } = await newDomain();
      const page = await openConsole(chromium, api, { path: `/domains/${id}?tab=directory` });
      await onScreen(page, name);
      const labels = await page.locator('.directory-form label').allInnerTexts();
      assert.ok(labels.length > 30);
      assert.deepEqual(
        labels.filter((label) => label.includes('_')),
        [],
        'every setting has a name',
      );
      await enterDirectory(page, slapd.url);
      await press(page, domainSettings.try);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: domainSettings.try }).click();
      await dialog.getByText(domainSettings.foundPeople).first().waitFor();
      await dialog.getByText(HOSTILE).first().waitFor();
      assert.notEqual(await page.title(), 'taken');
      assert.deepEqual(await lookTroubles(page, 'console-domain'), []);
      await dialog.getByRole('button', { name: texts.close }).last().click();
      await press(page, texts.save);
      await page.getByRole('status').getByText(domainSettings.saved).waitFor();
      assert.equal(await page.locator('[name="ldap.password"]').inputValue(), '');
      await press(page, domainSettings.connect);
      await dialog.getByRole('button', { name: domainSettings.connect }).click();
      await page.getByText(domainSettings.connected, { exact: true }).waitFor();
      const alice = { name: 'alice', password: passwordOf('alice'), domain: { id } };
      assertOk(await api.authenticate(alice), 201);
      const reads = /\/directory\/read$/;
      await page.route(reads, (route) => route.abort());
      await press(page, domainSettings.readNow);
      await dialog.getByRole('alert').getByText(texts.unsureText).waitFor();
      await dialog.getByRole('button', { name: texts.close }).last().click();
      await page.unroute(reads);
      await press(page, domainSettings.readNow);
      await page.getByRole('status').getByText(domainSettings.readBegun).waitFor();
      assert.deepEqual(await lookTroubles(page, 'console-domain'), []);
      await press(page, domainSettings.disconnect);
      await dialog.getByText(/All sessions and tokens/).waitFor();
      await dialog.getByRole('button', { name: domainSettings.disconnect }).click();
      await page.getByText(domainSettings.notConnected).waitFor();
      assert.equal((await api.authenticate(alice)).status, 401);
    });
  },
  { settings: STORABLE_PASSWORDS },
);
