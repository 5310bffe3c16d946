// Applications in the console, the audit and the explanations: the main acts, refusals, and two people who change the same thing.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles, PHONE } from '../support/accessibility.ts';
import { onDatabase, onUsualDatabase, uniqueName } from '../support/api.ts';
import { makeApplication, makePerson, makeRole } from '../support/applications.ts';
import { usesChromium } from '../support/chromium.ts';
import { choose, dialogOf, goTo, inDialog, onScreen, openConsole } from '../support/console.ts';
import { itAtLength } from '../support/extent.ts';
import { informationOf, KeyrockClient } from '../support/keyrock-client.ts';
import { LOGO, png } from '../support/pictures.ts';
import { makeUser } from '../support/relying-party.ts';
import { connect, USER } from '../support/scim.ts';
import { words as visitorWords } from '../support/visitor.ts';

const chromium = usesChromium({ reusesContexts: true });
const { applications, audit, frame, registration, why } = words;
const HOSTILE = '<img src=x onerror="document.title=1">';

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).first().click();

onUsualDatabase('Applications in the console', (api) => {
  it('are registered in four steps, with addresses that are checked while one types', async () => {
    const page = await openConsole(chromium, api, { path: '/applications' });
    const name = `${uniqueName('reports')} ${HOSTILE}`;
    await page.getByRole('link', { name: applications.create }).click();
    await page.getByRole('link', { name: applications.kinds.web.name }).click();
    await page.getByLabel(applications.name).fill(name);
    await press(page, applications.goOn);
    const addresses = page.getByLabel(applications.redirectUris);
    await addresses.fill('reports.example.org');
    await page.getByText(applications.addressNotAbsolute('reports.example.org')).waitFor();
    await addresses.fill('http://reports.example.org/callback');
    await page.getByText(applications.insecure('http://reports.example.org/callback')).waitFor();
    await addresses.fill('https://reports.example.org/callback');
    await press(page, applications.register);
    await onScreen(page, applications.madeTitle(name));
    const [id] = await page.locator('.copyable code').allInnerTexts();
    const { consumer } = (await api.get(`/v3/OS-OAUTH2/consumers/${id}`)).body;
    assert.deepEqual([consumer.name, consumer.redirect_uris], [name, ['https://reports.example.org/callback']]);
    assert.ok((await page.locator('.copyable code').allInnerTexts()).includes(consumer.secret));
    await press(page, applications.openApplication);
    await onScreen(page, name);
    assert.ok(!(await page.content()).includes(consumer.secret), 'the secret is not shown again');
    assert.equal(await page.locator('main img').count(), 0);
  });

  it('have roles and permissions as a table of boxes, and people who hold them', async () => {
    const application = await makeApplication(api, { name: uniqueName('matrix') });
    const person = await makeUser(api);
    const organization = await api.make('project', { name: uniqueName('library') });
    const member = (await api.get('/v3/roles?name=member')).body.roles[0].id;
    assert.equal((await api.request('PUT', `/v3/projects/${organization.id}/users/${person.id}/roles/${member}`)).status, 204);
    const page = await openConsole(chromium, api, { path: `/applications/${application.id}?tab=roles` });
    await press(page, applications.newRole);
    await dialogOf(page).getByLabel(applications.roleName).fill('reader');
    await inDialog(page, texts.create);
    await page.getByRole('columnheader', { name: /^reader/ }).waitFor();
    await press(page, applications.newPermission);
    await dialogOf(page).getByLabel(applications.permissionName).fill('Read');
    await inDialog(page, texts.create);
    await page.getByRole('checkbox', { name: applications.cell('reader', 'Read') }).check();
    await page.getByRole('status').getByText(applications.permissionGiven('reader', 'Read')).waitFor();

    await page.getByRole('link', { name: applications.tabs.people }).click();
    await press(page, applications.givePerson);
    await choose(page, applications.person, person.name);
    await choose(page, applications.role, 'reader');
    await inDialog(page, applications.give);
    const where = dialogOf(page)
      .locator('.field')
      .filter({ has: page.getByLabel(applications.organization) });
    await where.getByRole('alert').getByText(frame.noOwnOrganization.text).waitFor();
    assert.equal(await dialogOf(page).getByText(texts.notFoundTitle).count(), 0, 'it does not say that the person was deleted');
    await choose(page, applications.organization, organization.name);
    await inDialog(page, applications.give);
    await page.getByRole('row', { name: new RegExp(person.name) }).waitFor();
    const allowed = await api.get(`/v3/OS-ROLES/users/${person.id}/applications/${application.id}/permissions`);
    assert.deepEqual(
      allowed.body.organizations.map(({ id, permissions }: { id: string; permissions: { name: string }[] }) => [
        id,
        permissions[0]?.name,
      ]),
      [[organization.id, 'Read']],
    );

    // Why may this person do it? Because of that role, in that organization.
    const { permissions } = (await api.get(`/v3/OS-ROLES/permissions?application_id=${application.id}`)).body;
    const question = `user_id=${person.id}&place=application&place_id=${application.id}&permission_id=${permissions[0].id}`;
    await goTo(page, `/why?${question}`, why.title);
    await page.getByText(why.steps.permission('reader', 'Read')).waitFor();
    await page.getByText(why.yes, { exact: true }).waitFor();

    // The same from the list of holders.
    await goTo(page, `/applications/${application.id}?tab=people`, application.name);
    await page.getByRole('link', { name: applications.whyOf(person.name, 'reader') }).click();
    await page.getByText(why.steps.assignment('reader', organization.name)).waitFor();

    await goTo(page, `/applications/${application.id}?tab=people`, application.name);
    await page.getByRole('button', { name: applications.takeTitle('reader', person.name) }).click();
    await inDialog(page, texts.remove);
    await page.getByText(applications.nobody).waitFor();
    await goTo(page, `/why?${question}`, why.title);
    await page.getByText(why.no, { exact: true }).waitFor();
    await page.getByRole('heading', { name: why.missingTitle }).waitFor();
  });

  itAtLength('show all organizations that hold a role, a page after the other', async () => {
    const application = await makeApplication(api, { name: uniqueName('shared') });
    const role = await makeRole(api, application);
    const made = Array.from({ length: 51 }, async () => {
      const { id, name } = await api.make('project', { name: uniqueName('holder') });
      const path = `/v3/OS-ROLES/organizations/${id}/applications/${application.id}/roles/${role.id}`;
      assert.ok((await api.put(path)).status < 300);
      return name as string;
    });
    const names = await Promise.all(made);
    const page = await openConsole(chromium, api, { path: `/applications/${application.id}?tab=people` });
    await onScreen(page, application.name);
    const list = page.locator('section').filter({ has: page.getByRole('heading', { name: applications.organizations }) });
    const shown = (): Promise<string[]> => list.locator('tbody th').allInnerTexts();
    const first = await shown();
    assert.equal(first.length, 50);
    await list.getByRole('button', { name: texts.nextPage }).click();
    await list.getByRole('button', { name: texts.firstPage }).waitFor();
    assert.deepEqual([...first, ...(await shown())].sort(), names.sort());
  });

  itAtLength('tell the second of two people who change them, and keep what was entered', async () => {
    const application = await makeApplication(api, { name: uniqueName('shared') });
    const page = await openConsole(chromium, api, { path: `/applications/${application.id}` });
    await page.getByLabel(applications.description).fill('from the console');
    const path = `/v3/OS-OAUTH2/consumers/${application.id}`;
    assert.equal((await api.patch(path, { consumer: { name: 'renamed meanwhile' } })).status, 200);
    await press(page, texts.save);
    await page.getByRole('alert').getByText(texts.conflictTitle).waitFor();
    await page.getByText('renamed meanwhile').waitFor();
    assert.equal(await page.getByLabel(applications.description).inputValue(), 'from the console');
    assert.notEqual((await api.get(path)).body.consumer.description, 'from the console');
  });

  it('are not deleted by somebody who saw an earlier state, until the page has shown the present one', async () => {
    const application = await makeApplication(api, { name: uniqueName('shared') });
    const page = await openConsole(chromium, api, { path: `/applications/${application.id}` });
    await onScreen(page, application.name);
    const path = `/v3/OS-OAUTH2/consumers/${application.id}`;
    const name = uniqueName('renamed');
    assert.equal((await api.patch(path, { consumer: { name } })).status, 200);
    await press(page, applications.remove);
    await inDialog(page, applications.remove);
    await dialogOf(page).getByRole('alert').getByText(texts.conflictTitle).waitFor();
    await inDialog(page, texts.cancel);
    await onScreen(page, name);
    await press(page, applications.remove);
    await inDialog(page, applications.remove);
    await onScreen(page, applications.title);
    assert.equal((await api.get(path)).status, 404);
  });

  it('are changed in every attribute; what is not entered stays, and what a change ends is said before', async () => {
    const kept = {
      url: 'https://app.example.org/',
      ac_domain: 'kept',
      default_acr_values: ['phr', 'https://refeds.org/profile/mfa'],
    };
    const application = await makeApplication(api, {
      name: uniqueName('whole'),
      redirect_uris: ['https://app.example.org/callback'],
      ...kept,
    });
    const path = `/v3/OS-OAUTH2/consumers/${application.id}`;
    const stored = async () => (await api.get(path)).body.consumer;
    const page = await openConsole(chromium, api, { path: `/applications/${application.id}` });
    const saved = () => page.getByRole('status').getByText(applications.saved).waitFor();
    /** What was said of an earlier change may still be there. */
    const changed = async (act: () => Promise<void>): Promise<void> => {
      const answered = page.waitForResponse((one) => one.request().method() === 'PATCH' && new URL(one.url()).pathname === path);
      await act();
      assert.ok((await answered).ok());
      await saved();
    };
    await press(page, texts.save);
    await saved();
    assert.deepEqual((await stored()).extra, kept, 'nothing was changed, and nothing was sent');

    await page.getByLabel(registration.afterLogout).fill('https://app.example.org/bye');
    await page.getByLabel(registration.kind).selectOption('web');
    await page.getByLabel(registration.accessLifetime).fill('30');
    await page.getByText(registration.wholeSeconds).waitFor();
    await page.getByLabel(registration.accessLifetime).fill('300');
    await page.getByLabel(registration.maxAge).fill('0');
    await page.getByLabel(registration.strength).selectOption('https://refeds.org/profile/mfa');
    await page.getByLabel(registration.backchannel, { exact: false }).fill('https://app.example.org/out');
    await page.getByLabel(registration.backchannelSession).check();
    await changed(() => press(page, texts.save));
    assert.deepEqual((await stored()).extra, {
      ...kept,
      post_logout_redirect_uris: ['https://app.example.org/bye'],
      kind: 'web',
      access_token_lifetime: 300,
      default_max_age: 0,
      default_acr_values: ['https://refeds.org/profile/mfa'],
      backchannel_logout_uri: 'https://app.example.org/out',
      backchannel_logout_session_required: true,
    });

    // What others notice is said first, and nothing is done if the person does not want it.
    await page.getByLabel(registration.scopeNames.openid).check();
    await page.getByLabel(registration.grantNames.authorization_code).check();
    await page.getByLabel(registration.par).check();
    await page.getByLabel(registration.dpop).check();
    await press(page, texts.save);
    for (const effect of ['scopes', 'grants', 'par', 'dpop'] as const)
      await dialogOf(page).getByText(registration.effects[effect]).waitFor();
    await dialogOf(page).getByText(registration.endsTitle).waitFor();
    await inDialog(page, texts.cancel);
    assert.equal((await stored()).allowed_scopes, undefined);
    assert.ok(await page.getByLabel(registration.par).isChecked(), 'what was entered is still there');
    await press(page, texts.save);
    await changed(() => inDialog(page, registration.sureAction));
    const { allowed_scopes, allowed_grant_types, dpop_bound_access_tokens: isBound } = await stored();
    assert.deepEqual([allowed_scopes, allowed_grant_types, isBound], [['openid'], ['authorization_code'], true]);

    // The service says what is wrong at the field that it is about.
    await page.getByLabel(registration.initiate).fill('http://app.example.org/start');
    await press(page, texts.save);
    await page
      .locator('.field')
      .filter({ has: page.getByLabel(registration.initiate) })
      .getByRole('alert')
      .waitFor();
  });

  it('show what belongs to the chosen way, no secret to one that has a key, and on a phone a part at a time', async () => {
    const application = await makeApplication(api, { name: uniqueName('workload') });
    const page = await openConsole(chromium, api, { path: `/applications/${application.id}` });
    await page.getByRole('button', { name: applications.newSecret }).waitFor();
    const workloads = page.getByLabel(registration.workloads, { exact: true });
    const asksFor = page.getByLabel(registration.userCode);
    assert.deepEqual([await workloads.isVisible(), await asksFor.isVisible()], [false, false]);
    await page.getByLabel(registration.auth).selectOption('workload_jwt');
    await page.getByLabel(registration.grantNames['urn:openid:params:grant-type:ciba']).check();
    await asksFor.waitFor();
    await workloads.fill('no list');
    await page.getByLabel(registration.auth).selectOption('client_secret_basic');
    await workloads.waitFor({ state: 'hidden' });
    // What is wrong is not kept from the person, who could not save without knowing why.
    await press(page, texts.save);
    await page.getByText(registration.workloadsWrong).waitFor();
    // Only as long as it is wrong.
    await workloads.fill('');
    await press(page, texts.save);
    await workloads.waitFor({ state: 'hidden' });
    const identities = [{ issuer: 'https://cluster.example.org', subject: 'system:serviceaccount:a:b' }];
    const proof = { token_endpoint_auth_method: 'workload_jwt', workload_identities: identities };
    assert.equal((await api.patch(`/v3/OS-OAUTH2/consumers/${application.id}`, { consumer: proof })).status, 200);

    const phone = await openConsole(chromium, api, { path: `/applications/${application.id}` });
    await phone.setViewportSize(PHONE);
    await phone.getByLabel(applications.name, { exact: true }).waitFor();
    assert.equal(await phone.getByRole('button', { name: applications.newSecret }).count(), 0);
    assert.equal(await phone.getByLabel(registration.workloads, { exact: true }).isVisible(), false);
    await press(phone, registration.sections.client.title);
    await phone.getByLabel(registration.workloads, { exact: true }).waitFor();
    await press(phone, registration.sections.client.title);
    await phone.getByLabel(registration.workloads, { exact: true }).waitFor({ state: 'hidden' });
    // What is wrong is shown, wherever it is: what the page knows, and what the service says.
    await press(phone, registration.sections.tokens.title);
    await phone.getByLabel(registration.accessLifetime).fill('30');
    await press(phone, registration.sections.tokens.title);
    await press(phone, texts.save);
    await phone.getByText(registration.wholeSeconds).waitFor();
    await phone.getByLabel(registration.accessLifetime).fill('300');
    await press(phone, registration.sections.addresses.title);
    await phone.getByLabel(registration.initiate).fill('http://app.example.org/start');
    await press(phone, registration.sections.addresses.title);
    await press(phone, texts.save);
    const refused = phone.locator('.field').filter({ has: phone.getByLabel(registration.initiate) });
    await refused.getByRole('alert').waitFor();
  });

  itAtLength('have a logo, which is seen before it is sent, then beside the name, and is removed', async () => {
    const application = await makeApplication(api, { name: uniqueName('logo') });
    const path = `/applications/${application.id}`;
    const page = await openConsole(chromium, api, { path });
    await onScreen(page, application.name);
    await press(page, applications.logoChoose);
    const file = dialogOf(page).getByLabel(applications.logoFile);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: svg });
    await dialogOf(page).getByText(applications.logoWrongType).waitFor();
    // The service decides by the content.
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: svg });
    await inDialog(page, applications.logoSave);
    await dialogOf(page).getByRole('alert').getByText('not a PNG, JPEG or WebP').waitFor();
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png(64) });
    await dialogOf(page).getByRole('img', { name: applications.logoPreview }).waitFor();
    await page.evaluate("document.querySelector('dialog img').decode()");
    await inDialog(page, applications.logoSave);
    await page.getByRole('status').getByText(applications.logoSaved).waitFor();
    await page.getByRole('img', { name: applications.logoOf(application.name) }).waitFor();
    await page.evaluate("document.querySelector('main img').decode()");
    await goTo(page, `/applications?search=${application.name}`, applications.title);
    await page.getByRole('row', { name: application.name }).locator('img').waitFor();

    await goTo(page, path, application.name);
    await press(page, applications.logoRemove);
    await inDialog(page, applications.logoRemove);
    await page.getByRole('status').getByText(applications.logoRemoved).waitFor();
    await page.getByText(applications.noLogo).waitFor();
    assert.equal((await api.get(`/v3/OS-OAUTH2/consumers/${application.id}/logo`)).status, 404);
  });

  itAtLength('show who gave them access, and end it', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token } = await client.tokens(person);
    const page = await openConsole(chromium, api, { path: `/applications/${client.id}?tab=access` });
    const row = page.getByRole('row', { name: new RegExp(person.user.name) });
    await row.getByText(applications.tokenCounts(1, 1)).waitFor();
    await row.getByRole('button', { name: applications.endAccessTitle(person.user.name) }).click();
    await dialogOf(page).getByText(applications.endAccessText(1, 1)).waitFor();
    await inDialog(page, applications.endAccess);
    await page.getByText(applications.noAccess).waitFor();
    assert.equal((await informationOf(api, token)).status, 404);

    const { access_token: next } = await client.tokens(person);
    await goTo(page, `/applications/${client.id}?tab=people`, client.application.name);
    await goTo(page, `/applications/${client.id}?tab=access`, client.application.name);
    await press(page, applications.endAllAccess);
    await inDialog(page, applications.endAllAccess);
    await page.getByRole('status').getByText(applications.allAccessEnded).waitFor();
    assert.equal((await informationOf(api, next)).status, 404);
  });

  itAtLength('can be signed in to from the console, which shows each step and keeps no token', async () => {
    const { trySignIn } = words;
    const application = await makeApplication(api, {
      name: uniqueName('tried'),
      redirect_uris: ['https://app.example.org/callback'],
    });
    const page = await openConsole(chromium, api, { path: `/applications/${application.id}?tab=try` });
    await press(page, trySignIn.begin);
    await page.getByRole('heading', { name: trySignIn.requestTitle }).waitFor();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: trySignIn.open }).click();
    const other = await opened;
    await other.getByRole('button', { name: visitorWords.allow, exact: true }).click();
    await other.getByText(trySignIn.goBack).waitFor();
    assert.ok(!other.url().includes('code='));
    await page.getByText(trySignIn.idTokenRight).waitFor();
    await page.getByText(trySignIn.ended).waitFor();
    const claims = page.getByRole('region', { name: trySignIn.idTokenTitle });
    await claims.getByRole('row', { name: /^aud/ }).getByText(application.id).waitFor();
    const about = page.getByRole('region', { name: trySignIn.userInfoTitle });
    await about.getByRole('row', { name: /^roles/ }).waitFor();
    assert.ok(!(await page.content()).includes(application.secret));
    const { grants } = (await api.get(`/v3/OS-OAUTH2/consumers/${application.id}/grants`)).body;
    assert.deepEqual([grants[0].access_tokens, grants[0].refresh_tokens], [0, 0]);
    // A second answer for the same attempt finds nobody who waits.
    await other.goto(`${other.url()}?code=stolen&state=wrong`);
    await other.getByText(trySignIn.nobodyWaits).waitFor();
  });

  it('are managed by their owners, who see nothing of others', async () => {
    const owner = await makeUser(api);
    const [own, foreign] = [
      await makeApplication(api, { name: uniqueName('own') }),
      await makeApplication(api, { name: uniqueName('foreign') }),
    ];
    const organization = await api.make('project', { name: uniqueName('owners') });
    const grantPath = `/v3/OS-ROLES/users/${owner.id}/organizations/${organization.id}/applications/${own.id}/roles/provider`;
    const { body } = await api.get('/v3/roles?name=member');
    assert.equal(
      (await api.request('PUT', `/v3/projects/${organization.id}/users/${owner.id}/roles/${body.roles[0].id}`)).status,
      204,
    );
    assert.ok((await api.request('PUT', grantPath)).status < 300);
    const page = await openConsole(chromium, api, { person: owner, path: `/applications/${own.id}?tab=roles` });
    await onScreen(page, own.name);
    await press(page, applications.newRole);
    await dialogOf(page).getByLabel(applications.roleName).fill('of the owner');
    await inDialog(page, texts.create);
    await page.getByRole('columnheader', { name: /of the owner/ }).waitFor();
    for (const name of [words.people.title, words.service.title, words.provisioning.title])
      assert.equal(await page.getByRole('link', { name, exact: true }).count(), 0, name);
    await page.goto(`${api.url}/console/applications/${foreign.id}`);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByText(foreign.name).count(), 0);
  });

  itAtLength('are beside connections, which show what was refused and how to mend it', async () => {
    const { connection, scim } = await connect(api);
    const userName = uniqueName('taken');
    await scim.makeUser({ userName });
    assert.equal((await scim.post('/Users', { schemas: [USER], userName })).status, 409);
    assert.equal((await scim.post('/Users', { schemas: [USER] })).status, 400);
    const page = await openConsole(chromium, api, { path: '/provisioning' });
    await page
      .getByRole('row', { name: new RegExp(connection.name) })
      .getByText(words.provisioning.refusedCount(2))
      .waitFor();
    await page.getByRole('link', { name: connection.name }).click();
    await onScreen(page, connection.name);
    await page
      .getByRole('row', { name: /POST \/scim\/v2\/Users 409/ })
      .getByText(words.provisioning.advice.uniqueness)
      .waitFor();
    assert.equal(await page.getByText(userName).count(), 0);
    await page.getByRole('link', { name: words.provisioning.tabs.all }).click();
    await page.getByRole('row', { name: /POST \/scim\/v2\/Users 201/ }).waitFor();
    await goTo(page, '/', words.overview.title);
    await page.getByText(words.overview.attention.scim_connection_fails(connection.name, 1)).waitFor();
  });

  itAtLength('show in the audit what was done, live', async () => {
    const page = await openConsole(chromium, api, { path: '/audit?live=yes' });
    await page.getByText(audit.following).waitFor();
    const application = await makeApplication(api, { name: uniqueName('live') });
    await page.getByRole('link', { name: application.name }).waitFor();
    await goTo(page, `/audit?target_id=${application.id}&action=consumer.*`, audit.title);
    await page
      .getByText(/registered the application/)
      .first()
      .waitFor();
    const download = page.waitForEvent('download');
    await press(page, 'CSV');
    assert.equal((await download).suggestedFilename(), 'audit-events.csv');
  });
});

// Looks do not depend on the database.
onDatabase('SQLite', 'Applications in the console, to look at', {}, (api) => {
  itAtLength('have no barrier, and neither have the audit, provisioning and the service', async () => {
    const application = await makeApplication(api, { name: uniqueName(`looks ${'very long '.repeat(12)}`) });
    const role = { name: 'reader', application_id: application.id };
    await api.post('/v3/OS-ROLES/roles', { role });
    await api.post('/v3/OS-ROLES/permissions', { permission: { ...role, name: 'Read', action: 'GET', resource: '/x' } });
    assert.equal((await api.put(`/v3/OS-OAUTH2/consumers/${application.id}/logo`, LOGO)).status, 200);
    const page = await openConsole(chromium, api, { options: { bypassCSP: true } });
    const troubles: string[] = [];
    const look = async (path: string, heading: string, name: string): Promise<void> => {
      await goTo(page, path, heading);
      troubles.push(...(await lookTroubles(page, name)));
    };
    await look('/applications', applications.title, 'applications');
    await look('/applications/new', applications.create, 'new-application');
    await look(`/applications/${application.id}`, application.name, 'application');
    await look(`/applications/${application.id}?tab=roles`, application.name, 'application-roles');
    await look(`/applications/${application.id}?tab=people`, application.name, 'application-people');
    await look(`/applications/${application.id}?tab=access`, application.name, 'application-access');
    await look(`/applications/${application.id}?tab=try`, application.name, 'application-try');
    await look(`/applications/${application.id}?tab=start`, application.name, 'application-start');
    await look('/audit', audit.title, 'audit');
    await look('/why', why.title, 'why');
    const { connection, scim } = await connect(api);
    await scim.get('/Users/nobody');
    await look(`/provisioning/${connection.id}`, connection.name, 'connection');
    await look('/provisioning', words.provisioning.title, 'provisioning');
    for (const part of ['settings', 'keys', 'deliveries', 'replicas', 'backups', 'catalog', 'roles'] as const)
      await look(`/service/${part}`, words.service.title, `service-${part}`);
    await goTo(page, `/applications/${application.id}`, application.name);
    await page.getByLabel(registration.dpop).check();
    await press(page, texts.save);
    await dialogOf(page).getByText(registration.effects.dpop).waitFor();
    troubles.push(...(await lookTroubles(page, 'application-change')));
    assert.deepEqual(troubles, []);
  });
});
