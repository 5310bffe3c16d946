// People, groups, organizations and domains in the console: the main acts, refusals, and two people who change the same thing.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { DEFAULT_PASSWORDS, onDatabase, onUsualDatabase, type TestApi, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, onScreen, openConsole } from '../support/console.ts';
import { itAtLength } from '../support/extent.ts';
import { makeWaiting } from '../support/registration.ts';
import { makeUser } from '../support/relying-party.ts';
import { makeTwoFactorUser } from '../support/visitor.ts';

const chromium = usesChromium({ reusesContexts: true });
const { people, grants, organizations } = words;
const HOSTILE = '<img src=x onerror="document.title=1">';

const dialogOf = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();
const inDialog = (page: Page, name: string): Promise<void> => dialogOf(page).getByRole('button', { name, exact: true }).click();

/** Chooses what the service finds. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await dialogOf(page)
    .getByRole('combobox', { name: new RegExp(`^${label}(?: |$)`) })
    .fill(text);
  await page.getByRole('option', { name: text }).first().click();
}

async function told(page: Page, text: string): Promise<void> {
  await page.getByRole('status').getByText(text).waitFor();
  await dialogOf(page).waitFor({ state: 'detached' });
}

const userOf = async (api: TestApi, id: string) => (await api.get(`/v3/users/${id}`)).body.user;

onUsualDatabase('People in the console', (api) => {
  it('creates, finds, changes, disables and deletes an account', async () => {
    const page = await openConsole(chromium, api, { path: '/people' });
    const name = `${uniqueName('ann')} ${HOSTILE}`;
    await press(page, people.create);
    await dialogOf(page).getByLabel(people.name).fill(name);
    await dialogOf(page).getByLabel(people.password).fill('a password of ann');
    await inDialog(page, texts.create);
    await onScreen(page, name);
    await page.getByLabel(people.email).fill('ann@example.org');
    await press(page, texts.save);
    await told(page, people.saved);
    await press(page, people.disable);
    await inDialog(page, people.disable);
    await told(page, people.disabledNow(name));
    await page.getByText(people.disabled, { exact: true }).waitFor();
    await goTo(page, `/people?search=${encodeURIComponent(name.slice(0, 12))}`, people.title);
    await page.getByRole('link', { name, exact: true }).click();
    await onScreen(page, name);
    await press(page, people.delete);
    await inDialog(page, people.delete);
    await onScreen(page, people.title);
    let counted = 0;
    page.on('request', (request) => {
      if (request.url().includes('/OS-REGISTRATION/waiting')) counted++;
    });
    await goTo(page, `/people?search=${encodeURIComponent(name)}`, people.title);
    await page.getByText(people.nobodyFound(name)).waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    assert.equal(counted, 0, 'who waits is counted when the screen opens, not at each search');
  });

  itAtLength('makes up a password, shows it, and sets exactly what was shown', async () => {
    const person = await makeUser(api);
    const page = await openConsole(chromium, api, { path: `/people/${person.id}?tab=sign-in` });
    await press(page, people.setPassword);
    const input = dialogOf(page).getByLabel(people.newPassword);
    await input.fill(' with blanks around ');
    assert.equal(await input.getAttribute('type'), 'password');
    const show = dialogOf(page).getByRole('button', { name: texts.showPassword });
    await show.click();
    assert.deepEqual([await input.getAttribute('type'), await show.getAttribute('aria-pressed')], ['text', 'true']);
    await inDialog(page, people.setPassword);
    await told(page, people.passwordSet);
    // Also when it was shown.
    await api.logIn({ id: person.id, password: ' with blanks around ' });

    await press(page, people.setPassword);
    await dialogOf(page).getByRole('button', { name: texts.generatePassword }).click();
    const made = await input.inputValue();
    assert.match(made, /^(?:\w{5}-){3}\w{5}$/);
    assert.equal(await input.getAttribute('type'), 'text');
    await inDialog(page, people.setPassword);
    await told(page, people.passwordSet);
    await api.logIn({ id: person.id, password: made });
  });

  itAtLength('shows what acts for a person, and ends it', async () => {
    const person = await makeUser(api, { default_project_id: (await api.make('project', { name: uniqueName('project') })).id });
    const key = { tenant_id: (await userOf(api, person.id)).default_project_id };
    assert.equal((await api.post(`/v3/users/${person.id}/credentials/OS-EC2`, key)).status, 201);
    assert.equal((await api.post(`/v3/users/${person.id}/credentials/OS-EC2`, key)).status, 201);
    const page = await openConsole(chromium, api, { path: `/people/${person.id}?tab=access` });
    const rows = page.getByRole('row', { name: people.delegatedKinds['EC2 key'] });
    await rows.nth(1).waitFor();
    await rows.first().getByRole('button').click();
    await inDialog(page, people.endDelegated);
    await told(page, people.delegatedEnded);
    assert.equal(await rows.count(), 1);
    await press(page, people.endAllDelegated);
    await inDialog(page, people.endAllDelegated);
    await page.getByText(people.nothingDelegated).waitFor();
    assert.deepEqual((await api.get(`/v3/users/${person.id}/OS-DELEGATED/access`)).body.delegated_access, []);
  });

  itAtLength('does the same for several people, and says of each what became of it', async () => {
    const name = uniqueName('many');
    const some = [];
    for (const at of [1, 2, 3]) some.push(await makeUser(api, { name: `${name}-${at}` }));
    const group = await api.make('group', { name: uniqueName('group') });
    const page = await openConsole(chromium, api, { path: `/people?search=${name}` });
    await page.getByRole('link', { name: some[2]!.name }).waitFor();
    await press(page, texts.chooseAll);
    await page.getByText(texts.countChosen(3)).waitFor();
    await page.getByLabel(texts.choose(some[2]!.name)).uncheck();
    await press(page, people.addToGroup);
    await dialogOf(page).getByLabel(people.group).fill(group.name);
    await page.locator('li[role=option]:visible', { hasText: group.name }).click();
    await inDialog(page, people.addToGroup);
    await page.getByText(texts.allTried(2, 0, 0)).waitFor();
    await dialogOf(page).getByRole('button', { name: texts.close, exact: true }).last().click();
    const { users } = (await api.get(`/v3/groups/${group.id}/users`)).body;
    assert.deepEqual(users.map((one: { id: string }) => one.id).sort(), [some[0]!.id, some[1]!.id].sort());

    // Somebody who is gone meanwhile does not stop the others.
    await api.delete(`/v3/users/${some[0]!.id}`);
    await press(page, people.disable);
    await inDialog(page, people.disable);
    await page.getByText(texts.allTried(1, 0, 1)).waitFor();
    await dialogOf(page).getByText(texts.notFoundTitle).waitFor();
    assert.equal((await userOf(api, some[1]!.id)).enabled, false);
    assert.equal((await userOf(api, some[2]!.id)).enabled, true);
  });

  itAtLength('keeps the passwords of an import that is cut off, also of accounts of which no answer came', async () => {
    const name = uniqueName('cut');
    const page = await openConsole(chromium, api, { path: '/people/import' });
    await onScreen(page, people.importTitle);
    const there = await makeUser(api, { name: `${name}-4`, email: undefined });
    // The first is made; of the second the service makes the account, and its answer is lost; the third and the fourth do not get there.
    await page.route('**/v3/users', async (route) => {
      const asked = (route.request().postDataJSON() as { user: { name: string } }).user.name;
      if (asked === `${name}-2`) await route.fetch();
      await (asked === `${name}-1` ? route.continue() : route.abort());
    });
    const list = ['name', ...[1, 2, 3, 4].map((at) => `${name}-${at}`)].join('\n');
    await page.getByLabel(people.list, { exact: true }).fill(list);
    await page.getByLabel(people.importHow).selectOption('account');
    await press(page, people.checkList);
    await press(page, people.importRun(4));
    await page.getByText(texts.allTried(1, 0, 3)).waitFor();
    await dialogOf(page).getByRole('button', { name: texts.close, exact: true }).last().click();
    await page.getByRole('link', { name: people.title, exact: true }).first().click();
    await dialogOf(page).getByRole('button', { name: texts.cancel }).click();
    await page.unroute('**/v3/users');
    await press(page, people.importRun(4));
    await page.getByText(texts.allTried(2, 2, 0)).waitFor();
    await dialogOf(page).getByRole('button', { name: texts.close, exact: true }).last().click();
    const saved = page.waitForEvent('download');
    await press(page, people.savePasswords);
    const csv = await readFile(await (await saved).path(), 'utf8');
    for (const at of [1, 2, 3]) {
      const [{ id }] = (await api.get(`/v3/users?name=${name}-${at}`)).body.users;
      const password = new RegExp(`"${name}-${at}","[^"]*","([^"]+)"`).exec(csv)![1]!;
      assert.match((await api.authenticate({ id, password })).text, /expired/i, `${at}: it is right, and must be changed`);
    }
    assert.ok(!csv.includes(there.name), 'who was there before has no new password');
    assert.equal((await api.authenticate({ id: there.id, password: there.password })).status, 201);
  });

  itAtLength('imports a list, says what is wrong with each line, and makes nobody twice', async () => {
    const [name, group] = [uniqueName('imported'), await api.make('group', { name: uniqueName('crew') })];
    const page = await openConsole(chromium, api, { path: '/people' });
    await page.getByRole('link', { name: people.importList }).click();
    await onScreen(page, people.importTitle);
    const list = [
      'name;email;given;family;groups',
      `${name}-1;${name}-1@example.org;"Ada ""A""";<b>Love</b>;${group.name}`,
      `${name}-2;${name}-2@example.org;;;no such group`,
      `${name}-1;${name}-3@example.org`,
      `${name}-4;no e-mail`,
      `=${name}-5;${name}-5@example.org`,
    ].join('\n');
    const check = async (): Promise<void> => {
      await page.getByLabel(people.list, { exact: true }).fill(list);
      await page.getByLabel(people.importHow).selectOption('account');
      await press(page, people.checkList);
      await page.getByText(people.previewText(2, 3)).waitFor();
    };
    await check();
    for (const problem of [people.noSuchGroup('no such group'), people.lineProblems.twice, people.lineProblems.badEmail])
      await page.locator('td', { hasText: problem }).first().waitFor();
    await press(page, people.importRun(2));
    await page.getByText(texts.allTried(2, 0, 0)).waitFor();
    const saved = page.waitForEvent('download');
    await dialogOf(page).getByRole('button', { name: people.savePasswords }).click();
    const csv = await readFile(await (await saved).path(), 'utf8');
    assert.match(csv, new RegExp(`"'=${name}-5"`), 'no formula');
    const password = new RegExp(`"${name}-1","[^"]*","([^"]+)"`).exec(csv)![1]!;
    const [{ id, given_name, family_name }] = (await api.get(`/v3/users?name=${name}-1`)).body.users;
    assert.deepEqual([given_name, family_name], ['Ada "A"', '<b>Love</b>']);
    assert.equal((await api.authenticate({ id, password })).status, 401, 'it must be changed first');
    assert.equal((await api.get(`/v3/groups/${group.id}/users`)).body.users.length, 1);
    await dialogOf(page).getByRole('button', { name: texts.close, exact: true }).last().click();

    await api.delete(`/v3/groups/${group.id}/users/${id}`);
    await check();
    await press(page, people.importRun(2));
    await page.getByText(texts.allTried(0, 2, 0)).waitFor();
    assert.equal((await api.get(`/v3/users?name=${name}-1`)).body.users.length, 1);
    assert.equal((await api.get(`/v3/groups/${group.id}/users`)).body.users.length, 1, 'what was missing is made up for');
  });

  itAtLength(
    'makes nobody twice where two import the same list at once, and only one of them has a password of each',
    async () => {
      const [name, group] = [uniqueName('both'), await api.make('group', { name: uniqueName('crew') })];
      const lines = Array.from({ length: 12 }, (_, at) => `${name}-${at},${name}-${at}@example.org,${group.name}`);
      const list = ['name,email,groups', ...lines].join('\n');
      const open = async () => {
        const page = await openConsole(chromium, api, { path: '/people/import' });
        await onScreen(page, people.importTitle);
        await page.getByLabel(people.list, { exact: true }).fill(list);
        await page.getByLabel(people.importHow).selectOption('account');
        await press(page, people.checkList);
        await page.getByText(people.previewText(12, 0)).waitFor();
        return page;
      };
      const pages = [await open(), await open()];
      await Promise.all(pages.map((page) => press(page, people.importRun(12))));
      const savedBy = async (page: (typeof pages)[number]): Promise<string> => {
        const button = dialogOf(page).getByRole('button', { name: people.savePasswords });
        if ((await button.count()) === 0) return '';
        const saved = page.waitForEvent('download');
        await button.click();
        return readFile(await (await saved).path(), 'utf8');
      };
      // Nobody failed: each was made by one, and was there for the other.
      for (const page of pages) await page.getByText(/^Done: \d+\..*Failed: 0\.$/).waitFor();
      const files = [await savedBy(pages[0]!), await savedBy(pages[1]!)];
      for (let at = 0; at < 12; at++) {
        const { users } = (await api.get(`/v3/users?name=${name}-${at}`)).body;
        assert.equal(users.length, 1);
        const passwords = files.flatMap((csv) => new RegExp(`"${name}-${at}","[^"]*","([^"]+)"`).exec(csv)?.[1] ?? []);
        assert.equal(passwords.length, 1, 'one of them has it');
        const [password] = passwords;
        assert.match(
          (await api.authenticate({ id: users[0].id, password: password! })).text,
          /expired/i,
          'it is right, and must be changed',
        );
      }
      assert.equal((await api.get(`/v3/groups/${group.id}/users`)).body.users.length, 12);
    },
  );

  it('invites nobody twice where two invite the same list at once', async () => {
    const name = uniqueName('guest');
    const list = ['email', ...Array.from({ length: 8 }, (_, at) => `${name}-${at}@example.org`)].join('\n');
    const pages = [];
    for (let at = 0; at < 2; at++) {
      const page = await openConsole(chromium, api, { path: '/people/import' });
      await onScreen(page, people.importTitle);
      await page.getByLabel(people.list, { exact: true }).fill(list);
      await page.getByLabel(people.importHow).selectOption('invite');
      await press(page, people.checkList);
      await page.getByText(people.previewText(8, 0)).waitFor();
      pages.push(page);
    }
    // Both have looked for invitations before one of them sends the first.
    const lookedFor = pages.map(() => Promise.withResolvers<void>());
    for (const [at, page] of pages.entries())
      await page.route('**/v3/OS-REGISTRATION/invitations', async (route) => {
        lookedFor[at]!.resolve();
        await Promise.all(lookedFor.map(({ promise }) => promise));
        await route.continue();
      });
    await Promise.all(pages.map((page) => press(page, people.importRun(8))));
    // Nobody failed: each was invited by one, and was invited already for the other.
    for (const page of pages) await page.getByText(/^Done: \d+\..*Failed: 0\.$/).waitFor();
    for (let at = 0; at < 8; at++) {
      const { invitations } = (await api.get(`/v3/OS-REGISTRATION/invitations?email=${name}-${at}@example.org`)).body;
      assert.equal(invitations.length, 1);
    }
  });

  itAtLength('tells the second of two who change a person, and loses nothing', async () => {
    const person = await makeUser(api);
    const page = await openConsole(chromium, api, { path: `/people/${person.id}` });
    await onScreen(page, person.name);
    await page.getByLabel(people.givenName).fill('Ada');
    await page.getByLabel(people.language).fill('no language');
    await page.getByText(people.noLanguage).waitFor();
    await page.getByLabel(people.language).fill('es');
    await page.getByLabel(people.description).fill('entered by the second');
    await api.request('PATCH', `/v3/users/${person.id}`, { body: { user: { email: 'first@example.org' } } });
    await press(page, texts.save);
    await page.getByRole('alert').getByText(texts.conflictTitle).waitFor();
    await page.getByText('first@example.org').waitFor();
    assert.equal(await page.getByLabel(people.description).inputValue(), 'entered by the second');
    assert.equal((await userOf(api, person.id)).email, 'first@example.org');
    assert.equal(await page.getByLabel(people.email).inputValue(), 'first@example.org', 'what was not touched is as it is now');
    await press(page, texts.save);
    await told(page, people.saved);
    const { description, email, given_name, language } = await userOf(api, person.id);
    assert.deepEqual([description, email], ['entered by the second', 'first@example.org']);
    assert.deepEqual([given_name, language], ['Ada', 'es']);
  });

  itAtLength('resets the second factor, and sets a password', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await openConsole(chromium, api, { path: `/people/${person.id}?tab=sign-in` });
    await page.getByText(people.codesLeft(person.codes.length)).waitFor();
    await press(page, people.resetFactor);
    await inDialog(page, people.resetFactor);
    await told(page, people.factorReset);
    await page.getByText(people.factorOffText).waitFor();
    await press(page, people.setPassword);
    await dialogOf(page).getByLabel(people.newPassword).fill('another password of theirs');
    await inDialog(page, people.setPassword);
    await told(page, people.passwordSet);
    await api.logIn({ id: person.id, password: 'another password of theirs' });
    await press(page, people.expirePassword);
    await inDialog(page, people.expirePassword);
    await told(page, people.passwordExpired);
    const { password_expires_at: expiry } = await userOf(api, person.id);
    assert.ok(Date.parse(expiry) <= api.clock.now(), expiry);
  });

  itAtLength('shows who is locked out in the list, at the person and why, and unlocks them', async () => {
    const person = await makeTwoFactorUser(api);
    for (let guess = 0; guess < 5; guess++) {
      const wrong = { id: person.id, password: person.password, verification_code: 'no code' };
      assert.equal((await api.authenticate(wrong)).status, 401);
    }
    const { lock } = (await api.get(`/v3/users/${person.id}/OS-LOCK/lock`)).body;
    const page = await openConsole(chromium, api, { path: '/people', options: { bypassCSP: true } });
    const row = page.getByRole('row', { name: person.name });
    await page.getByLabel(people.state).selectOption({ label: people.lockedOut });
    await page.waitForURL(/locked=true/);
    await row.getByText(people.lockedOut, { exact: true }).waitFor();
    assert.deepEqual(await row.locator('time').evaluateAll((times) => times.map((one) => one.getAttribute('datetime'))), [
      new Date(lock.until).toISOString(),
    ]);
    await row.getByText(`(${people.lockCauses.wrong_codes})`).waitFor();
    assert.deepEqual(await lookTroubles(page, 'people-locked'), []);
    await page.getByRole('link', { name: person.name, exact: true }).click();
    await onScreen(page, person.name);
    await page.locator('main').getByText(people.lockedOut, { exact: true }).waitFor();
    await page.locator('main').getByText(`(${people.lockCauses.wrong_codes})`).waitFor();
    await page.getByRole('link', { name: people.tabs['sign-in'], exact: true }).click();
    const card = page.locator('section.card').filter({ hasText: people.wrongGuesses });
    await card.getByText(people.wrongCounts.wrong_codes(5, '5')).waitFor();
    await card.getByText(people.lockMeans.locked_out).waitFor();
    assert.deepEqual(await lookTroubles(page, 'person-locked'), []);
    await press(page, people.unlock);
    await dialogOf(page).getByText(people.unlockText).waitFor();
    await inDialog(page, people.unlock);
    await told(page, people.unlocked(person.name));
    await card.getByText(people.notLocked).waitFor();
    assert.equal(await page.getByText(people.lockedOut, { exact: true }).count(), 0);
    assert.equal((await api.get(`/v3/users/${person.id}/OS-LOCK/lock`)).body.lock.state, 'open');
    await goTo(page, '/people?locked=true', people.title);
    await page.getByText(people.nobodyLikeThis).waitFor();
  });

  itAtLength('says what disabling ends, and ends the sessions of a person', async () => {
    const person = await makeUser(api);
    await openConsole(chromium, api, { person });
    const page = await openConsole(chromium, api, { path: `/people/${person.id}?tab=sessions` });
    await press(page, people.disable);
    await dialogOf(page).getByText(words.impact.counts.sessions(1, '1'), { exact: true }).waitFor();
    await inDialog(page, texts.cancel);
    await press(page, people.endSessions);
    await inDialog(page, people.endSessions);
    await told(page, people.sessionsEnded);
    await page.getByText(people.noSessions).waitFor();
  });

  it('invites a colleague and makes them manager of an application', async () => {
    const organization = await api.make('project', { name: uniqueName('organization') });
    const consumer = { name: uniqueName('application'), redirect_uris: ['https://app.example.org/'] };
    const application = (await api.post('/v3/OS-ROLES/consumers', { consumer })).body.consumer;
    const page = await openConsole(chromium, api, { path: `/organizations/${organization.id}` });
    await onScreen(page, organization.name);
    const email = `${uniqueName('eve')}@example.org`;
    await press(page, people.invite);
    await dialogOf(page).getByLabel(people.email).fill(email);
    await choose(page, people.application, application.name);
    await choose(page, people.applicationRole, grants.builtIn.provider);
    await inDialog(page, people.sendInvitation);
    await told(page, people.invited(email));
    const { invitations } = (await api.get(`/v3/OS-REGISTRATION/invitations?email=${encodeURIComponent(email)}`)).body;
    const [{ organization_id, application_roles }] = invitations;
    assert.equal(organization_id, organization.id);
    assert.deepEqual(application_roles, [{ application_id: application.id, role_id: 'provider' }]);
    await goTo(page, '/people/invitations', people.invitations);
    await page.getByRole('row', { name: email }).getByRole('button', { name: people.withdraw }).click();
    await inDialog(page, people.withdraw);
    await told(page, people.withdrawn(email));
  });

  itAtLength('says that people wait for approval, and approves and refuses them', async () => {
    const { waiting } = people;
    const [ann, bob] = [await makeWaiting(api), await makeWaiting(api)];
    const page = await openConsole(chromium, api, { path: '/people' });
    await page.getByRole('link', { name: waiting.tabWith(2) }).click();
    await onScreen(page, waiting.title);
    const button = (user: { name: string }, name: string) =>
      page.getByRole('row', { name: user.name }).getByRole('button', { name, exact: true });
    await button(ann, waiting.approve).click();
    await inDialog(page, waiting.approve);
    await told(page, waiting.approved(ann.name));
    await button(bob, waiting.refuse).click();
    await dialogOf(page).getByLabel(waiting.reason).fill('We know nobody of this name.');
    await inDialog(page, waiting.refuse);
    await told(page, waiting.refused(bob.name));
    await page.getByText(waiting.nobody).waitFor();
    assert.equal((await userOf(api, ann.id)).enabled, true);
    assert.equal((await api.get(`/v3/users/${bob.id}`)).status, 404);
  });

  itAtLength('makes a group with a member and a role, and shows where the role of the member comes from', async () => {
    const person = await makeUser(api);
    const parent = await api.make('project', { name: uniqueName('parent') });
    const page = await openConsole(chromium, api, { path: '/groups' });
    const name = uniqueName('staff');
    await press(page, organizations.newGroup);
    await dialogOf(page).getByLabel(organizations.name).fill(name);
    await inDialog(page, texts.create);
    await onScreen(page, name);
    await press(page, organizations.addMember);
    await choose(page, grants.person, person.name);
    await inDialog(page, organizations.addMember);
    await told(page, organizations.memberAdded);
    await page.getByRole('link', { name: organizations.roles, exact: true }).click();
    await press(page, grants.give);
    await choose(page, grants.where, parent.name);
    await choose(page, grants.role, 'member');
    await dialogOf(page).getByLabel(grants.reach).selectOption('below');
    await inDialog(page, grants.give);
    await told(page, grants.given);
    await goTo(page, `/organizations/${parent.id}?tab=below`, parent.name);
    await press(page, organizations.newBelow(parent.name));
    const below = uniqueName('below');
    await dialogOf(page).getByLabel(organizations.name).fill(below);
    await inDialog(page, texts.create);
    await onScreen(page, below);
    const row = page.getByRole('row', { name: person.name });
    await row
      .getByText(`${grants.throughGroup} ${name}, ${grants.fromOrganization} ${parent.name}, ${grants.impliedBy} member`)
      .waitFor();
    await goTo(page, `/organizations/${parent.id}?tab=roles`, parent.name);
    await page.getByRole('row', { name }).getByRole('button', { name: grants.take }).click();
    await inDialog(page, grants.take);
    await told(page, grants.taken);
    await page.getByText(grants.noneHere).waitFor();
  });

  it('has only their domain for a manager, and refuses what is elsewhere', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const manager = await makeUser(api, { domain_id: domain.id, name: uniqueName('manager') });
    const [inside, outside] = [await makeUser(api, { domain_id: domain.id }), await makeUser(api)];
    for (const role of ['manager', 'reader'])
      await api.request('PUT', `/v3/domains/${domain.id}/users/${manager.id}/roles/${await api.roleId(role)}`);
    const page = await openConsole(chromium, api, { person: manager });
    await goTo(page, '/people', people.title);
    await page.getByRole('link', { name: inside.name, exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: outside.name, exact: true }).count(), 0);
    await goTo(page, '/domains', organizations.domains);
    assert.equal(await page.getByRole('button', { name: organizations.newDomain }).count(), 0);
    await goTo(page, `/people/${inside.id}`, inside.name);
    await page.getByRole('button', { name: people.disable, exact: true }).waitFor();
    await goTo(page, `/people/${outside.id}`, people.person);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByRole('button', { name: people.delete, exact: true }).count(), 0);
  });
});

// What a form does with a refusal does not depend on the database.
onDatabase('SQLite', 'A form of the console', { settings: DEFAULT_PASSWORDS }, (api) => {
  it('says at the field what was wrong with it, and keeps what was entered', async () => {
    const taken = await makeUser(api);
    const page = await openConsole(chromium, api, { path: '/people' });
    await press(page, people.create);
    const fieldOf = (label: string) =>
      dialogOf(page)
        .locator('.field')
        .filter({ has: page.getByLabel(label) });
    const focused = () => page.evaluate('document.activeElement.name');
    await dialogOf(page).getByLabel(people.name).fill(uniqueName('free'));
    await dialogOf(page).getByLabel(people.password).fill('12345678');
    await inDialog(page, texts.create);
    await fieldOf(people.password).getByRole('alert').getByText('on the list of common passwords').waitFor();
    assert.equal(await dialogOf(page).getByRole('alert').count(), 1, 'it is said once');
    assert.deepEqual(
      [await focused(), await dialogOf(page).getByLabel(people.password).getAttribute('aria-invalid')],
      ['password', 'true'],
    );
    await dialogOf(page).getByRole('button', { name: texts.generatePassword }).click();
    await dialogOf(page).getByLabel(people.name).fill(taken.name);
    await inDialog(page, texts.create);
    await fieldOf(people.name).getByRole('alert').getByText(texts.alreadyThereTitle).waitFor();
    assert.equal(await fieldOf(people.password).getByRole('alert').count(), 0);
    assert.equal(await focused(), 'name');
    assert.equal(await dialogOf(page).getByLabel(people.password).getAttribute('aria-invalid'), null);
  });
});
