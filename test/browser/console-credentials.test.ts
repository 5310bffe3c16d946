// Roles as credentials in the console: types in a form, what was issued to whom, and revoking it; for administrators and for those who manage
// an application.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onDatabase, onUsualDatabase, type TestApi, uniqueName } from '../support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../support/applications.ts';
import { usesChromium } from '../support/chromium.ts';
import { choose, dialogOf, goTo, inDialog, onScreen, openConsole } from '../support/console.ts';
import {
  CREDENTIALS,
  makeHolder,
  makeRoleWorld,
  type RoleHolder,
  type RoleWorld,
  TestCredentialWallet,
  TYPES,
} from '../support/role-credentials.ts';

const chromium = usesChromium();
const { credentials, impact, people } = words;
const HOSTILE = '<img src=x onerror="document.title=1">';

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const tabOf = ({ id }: { id: string }): string => `/applications/${id}?tab=credentials`;

async function statesOf(api: TestApi, { id }: { id: string }): Promise<string[]> {
  const { credentials: all } = assertOk(await api.get(`${CREDENTIALS}?user_id=${id}&sort=issued_at`));
  return all.map((one: { state: string }) => one.state);
}

/** Somebody with the role, who has a credential of it in a wallet. */
async function holder(api: TestApi, world: RoleWorld): Promise<RoleHolder> {
  const person = await makeHolder(api, world);
  await new TestCredentialWallet(api).receiveFor(person, world.sdJwt);
  return person;
}

onUsualDatabase('Credentials in the console', (api) => {
  it('have types that are made, changed, disabled, enabled and deleted in a form', async () => {
    const application = await makeApplication(api, { name: uniqueName('shop') });
    const [clerk, buyer] = [
      await makeRole(api, application, { name: 'Clerk' }),
      await makeRole(api, application, { name: 'Buyer' }),
    ];
    const organization = await api.make('project', { name: uniqueName('library') });
    const further = await makeApplication(api, { name: uniqueName('further') });
    const page = await openConsole(chromium, api, { path: tabOf(application) });
    await page.getByText(credentials.noTypes).waitFor();
    await press(page, credentials.create);
    const name = `${uniqueName('Städtische')} ${HOSTILE}`;
    const form = dialogOf(page);
    await form.getByLabel(credentials.name, { exact: true }).fill(name);
    await form.getByRole('checkbox', { name: 'Clerk' }).check();
    await form.getByRole('checkbox', { name: credentials.claimNames.email }).check();
    await form.getByLabel(credentials.validity).selectOption({ label: credentials.duration(7 * 86_400) });
    await form.getByLabel(credentials.places).selectOption({ label: credentials.placeChoices.some });
    await choose(page, credentials.organizations, organization.name);
    await choose(page, credentials.targets, further.name);
    await form.getByText(further.name).waitFor();
    const short = form.getByLabel(credentials.id);
    await short.fill('Not this');
    await form.getByText(credentials.idWrong).waitFor();
    await short.fill('');
    // At least one format.
    const format = form.getByRole('checkbox', { name: credentials.formatNames['dc+sd-jwt'], exact: true });
    await format.uncheck();
    await inDialog(page, texts.create);
    assert.equal((await api.get(`${TYPES}?application_id=${application.id}`)).body.credential_types.length, 0);
    await format.check();
    await inDialog(page, texts.create);
    await page.getByRole('status').getByText(credentials.created(name)).waitFor();
    const [made] = assertOk(await api.get(`${TYPES}?application_id=${application.id}`)).credential_types;
    assert.match(made.id, /^stadtische-[a-z0-9-]*[a-z0-9]$/);
    assert.deepEqual(
      [made.name, made.roles, made.claims, made.validity_seconds, made.organizations, made.targets, made.formats],
      [name, [clerk.id], ['email'], 7 * 86_400, [organization.id], [further.id], ['dc+sd-jwt']],
    );
    assert.equal(await page.locator('main img').count(), 0);

    await page.getByRole('button', { name: credentials.changeTitle(name) }).click();
    assert.equal(await form.getByRole('checkbox', { name: 'Clerk' }).isChecked(), true);
    await form.getByRole('checkbox', { name: 'Buyer' }).check();
    await form.getByLabel(credentials.places).selectOption({ label: credentials.placeChoices.default });
    await form.getByRole('button', { name: `${texts.remove}: ${further.name}` }).click();
    await inDialog(page, credentials.change);
    await page.getByRole('status').getByText(credentials.changed(name)).waitFor();
    const changed = assertOk(await api.get(`${TYPES}/${made.id}`)).credential_type;
    assert.deepEqual([...changed.roles].sort(), [clerk.id, buyer.id].sort());
    assert.deepEqual([changed.organizations, changed.only_default_organization, changed.targets], [null, true, []]);

    await page.getByRole('button', { name: credentials.disableTitle(name) }).click();
    await inDialog(page, credentials.disable);
    await page.getByRole('status').getByText(credentials.disabledNow(name)).waitFor();
    await page.getByRole('button', { name: credentials.enableTitle(name) }).click();
    await inDialog(page, credentials.enable);
    await page.getByRole('status').getByText(credentials.enabledNow(name)).waitFor();
    await page.getByRole('button', { name: credentials.removeTitle(name) }).click();
    await dialogOf(page).getByText(impact.nothing).waitFor();
    await inDialog(page, credentials.remove);
    await page.getByText(credentials.noTypes).waitFor();
    assert.equal((await api.get(`${TYPES}/${made.id}`)).status, 404);
  });

  it('tell the second of two people who change a type', async () => {
    const { application, typeId } = await makeRoleWorld(api, { name: 'Shared type' });
    const page = await openConsole(chromium, api, { path: tabOf(application) });
    await page.getByRole('button', { name: credentials.changeTitle('Shared type') }).click();
    await dialogOf(page).getByLabel(credentials.description).fill('from the console');
    assertOk(await api.patch(`${TYPES}/${typeId}`, { credential_type: { claims: ['name'] } }));
    await inDialog(page, credentials.change);
    await dialogOf(page).getByRole('alert').getByText(texts.conflictTitle).waitFor();
    const { claims, description } = assertOk(await api.get(`${TYPES}/${typeId}`)).credential_type;
    assert.deepEqual([claims, description], [['name'], '']);
  });

  it('show what was issued to whom, by state and person; suspend it, take that back, and revoke it', async () => {
    const world = await makeRoleWorld(api, { name: 'Shop manager' });
    const [ann, bob] = [await holder(api, world), await holder(api, world)];
    const page = await openConsole(chromium, api, { path: tabOf(world.application) });
    const rowOf = ({ name }: { name: string }) => page.getByRole('row', { name: new RegExp(name) });
    const row = rowOf(ann);
    await row.getByText(credentials.states.valid).waitFor();
    await row.getByText(credentials.never).waitFor();
    await row.getByText('manager').first().waitFor();
    await row.getByRole('button', { name: credentials.suspendTitle('Shop manager', ann.name) }).click();
    await dialogOf(page).getByText(credentials.suspendText).waitFor();
    await inDialog(page, credentials.suspend);
    await row.getByText(credentials.states.suspended).waitFor();
    assert.deepEqual(await statesOf(api, ann), ['suspended']);

    await page.getByLabel(credentials.state).selectOption('suspended');
    await rowOf(bob).waitFor({ state: 'detached' });
    await row.getByText(credentials.reasons.administrator).waitFor();
    await page.getByLabel(credentials.state).selectOption('');
    await choose(page, credentials.person, bob.name);
    await row.waitFor({ state: 'detached' });
    await rowOf(bob).waitFor();

    await goTo(page, `/people/${ann.id}?tab=credentials`, ann.name);
    await page.getByRole('link', { name: world.application.name }).waitFor();
    await page.getByRole('button', { name: credentials.resumeTitle('Shop manager', ann.name) }).click();
    await inDialog(page, credentials.resume);
    await page.getByRole('status').getByText(credentials.resumed).waitFor();
    assert.deepEqual(await statesOf(api, ann), ['valid']);
    await page.getByRole('button', { name: credentials.revokeTitle('Shop manager', ann.name) }).click();
    await inDialog(page, credentials.revoke);
    await page.locator('.badge', { hasText: credentials.states.revoked }).waitFor();
    assert.deepEqual(await statesOf(api, ann), ['revoked']);
    assert.equal(await page.getByRole('button', { name: credentials.revokeTitle('Shop manager', ann.name) }).count(), 0);

    await goTo(page, '/credentials?state=valid', credentials.title);
    await rowOf(bob).waitFor();
    await goTo(page, tabOf(world.application), world.application.name);
    await page.getByRole('button', { name: credentials.removeTitle('Shop manager') }).click();
    await dialogOf(page).getByText(impact.counts.issued_credentials(1, '1')).waitFor();
    await inDialog(page, credentials.remove);
    await rowOf(bob).getByText(credentials.reasons.type_ended).waitFor();
    assert.deepEqual(await statesOf(api, bob), ['revoked']);
  });

  it('are managed by those who manage the application, of whose people they know the ids', async () => {
    const owner = await makePerson(api);
    const application = await makeApplication(api, { name: uniqueName('own') }, owner.token);
    const role = await makeRole(api, application, { name: 'manager' });
    const foreign = await makeRoleWorld(api);
    const type = { id: uniqueName('own-type').toLowerCase(), application_id: application.id, name: 'Own type' };
    assertOk(await api.post(TYPES, { credential_type: type }, { token: owner.token }), 201);
    const other = await makePerson(api);
    await assign(api, { user: other.user, organization: other.organization, application, role });
    await new TestCredentialWallet(api).receiveFor({ ...other.user, token: other.token }, `${type.id}.sd_jwt`);
    const person = { name: owner.user.name, password: owner.password };
    const page = await openConsole(chromium, api, { person, path: tabOf(application) });
    await onScreen(page, application.name);
    const { id } = other.user;
    await page.getByRole('row', { name: new RegExp(id) }).waitFor();
    assert.equal(await page.getByText(other.user.name).count(), 0);
    assert.equal(await page.getByRole('button', { name: credentials.setDid }).count(), 0, 'only administrators');
    const menu = page.locator('#menu').getByRole('link', { name: credentials.title, exact: true });
    assert.equal(await menu.count(), 0, 'not of everybody');
    await page.getByLabel(credentials.personId).fill('nobody');
    await page.getByLabel(credentials.personId).press('Enter');
    await page.getByText(credentials.noneLikeThis).waitFor();
    await page.getByLabel(credentials.personId).fill(id);
    await page.getByLabel(credentials.personId).press('Enter');
    await page.getByRole('button', { name: credentials.revokeTitle('Own type', id) }).click();
    await inDialog(page, credentials.revoke);
    await page.locator('.badge', { hasText: credentials.states.revoked }).waitFor();
    assert.deepEqual(await statesOf(api, other.user), ['revoked']);
    await page.goto(`${api.url}/console${tabOf(foreign.application)}`);
    await page.getByRole('alert').waitFor();
    await page.goto(`${api.url}/console/credentials`);
    await page.getByRole('alert').waitFor();
    // Their own are on their own page.
    await page.goto(`${api.url}/console/people/${owner.user.id}?tab=credentials`);
    await page.getByRole('link', { name: people.tabs.credentials }).waitFor();
    await page.getByText(credentials.none).waitFor();
  });

  it('name the application by a DID that an administrator sets', async () => {
    const { application } = await makeRoleWorld(api);
    const page = await openConsole(chromium, api, { path: tabOf(application) });
    await press(page, credentials.setDid);
    const did = `did:web:${uniqueName('shop').toLowerCase()}.example`;
    await dialogOf(page).getByLabel(credentials.did).fill(did);
    await inDialog(page, credentials.setDid);
    await page.getByText(did).waitFor();
    await press(page, credentials.useId);
    await inDialog(page, credentials.useId);
    await page.getByText(did).waitFor({ state: 'detached' });
    assert.equal((await api.get(`/v3/OS-ROLE-CREDENTIALS/targets/${application.id}`)).status, 404);
  });

  it('keep long names within their dialogs, and say at once why a type is refused', async () => {
    const name = 'x'.repeat(120);
    const { application, typeId } = await makeRoleWorld(api, { name });
    await makeRole(api, application, { name });
    const page = await openConsole(chromium, api, { path: tabOf(application) });
    const dialog = dialogOf(page);
    const tooWide = () => dialog.evaluate((one) => one.scrollWidth - one.clientWidth);
    await press(page, credentials.removeTitle(name));
    assert.equal(await tooWide(), 0, 'a title');
    await inDialog(page, texts.cancel);
    await press(page, credentials.create);
    await dialog.getByLabel(credentials.name, { exact: true }).fill('Another');
    await dialog.getByLabel(credentials.id).fill(typeId);
    await inDialog(page, texts.create);
    await dialog.getByRole('alert').waitFor();
    await page.waitForFunction("document.querySelector('dialog [role=alert]').getBoundingClientRect().bottom <= innerHeight");
    assert.equal(await tooWide(), 0, 'a role in the form');
  });
});

// Looks do not depend on the database.
onDatabase('SQLite', 'The look of credentials in the console', {}, (api) => {
  it('is accessible, on small screens and in the dark, too', async () => {
    const world = await makeRoleWorld(api, { name: 'Shop manager', description: 'Whoever manages the shop', claims: ['name'] });
    const [ann, bob] = [await holder(api, world), await holder(api, world)];
    const { credentials: ofBob } = assertOk(await api.get(`${CREDENTIALS}?user_id=${bob.id}`));
    assertOk(await api.delete(`${CREDENTIALS}/${ofBob[0].id}`), 204);
    const page = await openConsole(chromium, api, { path: tabOf(world.application), options: { bypassCSP: true } });
    await onScreen(page, world.application.name);
    const troubles = await lookTroubles(page, 'application-credentials');
    await press(page, credentials.create);
    await dialogOf(page).getByLabel(credentials.name, { exact: true }).waitFor();
    troubles.push(...(await lookTroubles(page, 'credential-type')));
    await inDialog(page, texts.cancel);
    await goTo(page, `/people/${ann.id}?tab=credentials`, ann.name);
    troubles.push(...(await lookTroubles(page, 'person-credentials')));
    await goTo(page, '/credentials', credentials.title);
    troubles.push(...(await lookTroubles(page, 'credentials')));
    assert.deepEqual(troubles, []);
  });
});
