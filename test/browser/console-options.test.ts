// Exceptions of one account from the rules for accounts, and tags of organizations and domains, in the console.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { onDatabase, onUsualDatabase, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole } from '../support/console.ts';
import { makeUser } from '../support/relying-party.ts';
import { press, sectionOf } from '../support/visitor.ts';

const chromium = usesChromium();
const { options, organizations, people } = words;

onUsualDatabase('Options of people and tags of organizations in the console', (api) => {
  it('sets exceptions of an account and takes them back, and keeps what somebody else changed', async () => {
    const person = await makeUser(api);
    const optionsNow = async () => (await api.get(`/v3/users/${person.id}`)).body.user.options;
    const page = await openConsole(chromium, api, { path: `/people/${person.id}?tab=sign-in` });
    await onScreen(page, person.name);
    const save = async (): Promise<void> => {
      await sectionOf(page, options.title).getByRole('button', { name: texts.save }).click();
      await page.getByRole('status').getByText(people.saved).waitFor();
    };
    await page.getByLabel(options.ignore_password_expiry).check();
    await page.getByLabel(options.lock_password).check();
    await page.getByLabel(options.multi_factor_auth_rules).fill('password, totp\npass word');
    await page.getByText(options.badCombination('pass word')).waitFor();
    await page.getByLabel(options.multi_factor_auth_rules).fill('password, totp\n passkey ');
    await save();
    assert.deepEqual(await optionsNow(), {
      ignore_password_expiry: true,
      lock_password: true,
      multi_factor_auth_rules: [['password', 'totp'], ['passkey']],
    });

    await page.reload();
    await onScreen(page, person.name);
    assert.equal(await page.getByLabel(options.multi_factor_auth_rules).inputValue(), 'password, totp\npasskey');
    await api.request('PATCH', `/v3/users/${person.id}`, { body: { user: { options: { ignore_user_inactivity: true } } } });
    await page.getByLabel(options.lock_password).uncheck();
    await page.getByLabel(options.multi_factor_auth_rules).fill('');
    await sectionOf(page, options.title).getByRole('button', { name: texts.save }).click();
    await page.getByText(texts.conflictTitle).waitFor();
    await save();
    assert.deepEqual(await optionsNow(), { ignore_password_expiry: true, ignore_user_inactivity: true });
  });

  it('tags an organization and a domain', async () => {
    const page = await openConsole(chromium, api);
    for (const kind of ['project', 'domain'] as const) {
      const place = await api.make(kind, { name: uniqueName(kind) });
      const path = kind === 'project' ? `/organizations/${place.id}` : `/domains/${place.id}`;
      await goTo(page, `${path}?tab=settings`, place.name);
      await page.getByLabel(organizations.tags).fill('north/south');
      await page.getByText(organizations.badTag).waitFor();
      await page.getByLabel(organizations.tags).fill(' north, south,north, ');
      await press(page, texts.save);
      await page.locator('main .badge').getByText('north', { exact: true }).waitFor();
      const { tags } = (await api.get(`/v3/${kind}s/${place.id}`)).body[kind];
      assert.deepEqual([...tags].sort(), ['north', 'south']);
    }
  });
});

onDatabase('SQLite', 'The look of options in the console', {}, (api) => {
  it('has no barriers', async () => {
    const person = await makeUser(api);
    const page = await openConsole(chromium, api, { path: `/people/${person.id}?tab=sign-in`, options: { bypassCSP: true } });
    await onScreen(page, person.name);
    const troubles = await lookTroubles(page, 'console-person-options');
    await goTo(page, '/domains/default?tab=settings', 'Default');
    assert.deepEqual([...troubles, ...(await lookTroubles(page, 'console-domain-settings'))], []);
  });
});
