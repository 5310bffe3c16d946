// The walk: other ways to sign in. A provider, a directory, a wallet.
import assert from 'node:assert/strict';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { assertOk } from './answers.ts';
import type { TestApi } from './api.ts';
import { choose, dialogOf, inDialog, onScreen, said } from './console.ts';
import { enterDirectory } from './directory-screen.ts';
import { trySignIn } from './provider-screen.ts';
import { passwordOf } from './slapd.ts';
import { TestBrowser } from './test-browser.ts';
import { enterPassword, follow, openAccount, words as pages, press, titleOf } from './visitor.ts';
import type { Walk } from './walk.ts';
import { APPLICATION } from './walk-application.ts';
import { GRACE } from './walk-service.ts';
import { shareWithSignIn, takeRoleAlong } from './wallet-sign-in-page.ts';

const { applications, credentials, domainSettings, grants, organizations, people, providers } = words;
export const PROVIDER = 'acme';
const STAFF = 'Staff';
const TYPE = 'Harbour keeper';

/** What the sign-in page says to somebody who comes. */
const signInPage = async (walk: Walk): Promise<string> => (await new TestBrowser(walk.services.api).go('/account')).text;

export async function addProvider(walk: Walk): Promise<void> {
  const { page } = walk;
  const { provider } = walk.around;
  await walk.menu(organizations.groups);
  await press(page, organizations.newGroup);
  await walk.fill({ [organizations.name]: 'people' }, dialogOf(page));
  await inDialog(page, texts.create);
  await onScreen(page, 'people');

  await walk.menu(providers.title);
  await walk.follow(providers.add);
  await walk.follow(providers.templates.openid.name);
  await walk.fill({ [providers.asks.issuer.label]: provider.issuer, [providers.id]: PROVIDER });
  await press(page, providers.readMetadata);
  await page.getByText(`${walk.services.api.url}/openid/providers/${PROVIDER}/callback`).waitFor();
  const { clientId, clientSecret } = provider;
  await walk.fill({
    [providers.clientId]: clientId,
    [providers.clientSecret]: clientSecret,
    [providers.buttonName]: 'Acme',
  });
  await press(page, providers.addNow);
  await onScreen(page, 'Acme');
  await trySignIn(page);
  await walk.fill({ [providers.groupsClaim]: 'groups', [providers.groupLines]: 'people' });
  await walk.save(providers.mappingSaved);
  await press(page, people.enable);
  await inDialog(page, people.enable);
  await said(page, providers.saved);

  await walk.atLast(async () => {
    await walk.seen('provider', true, async () => (await signInPage(walk)).includes(pages.providerContinue('Acme')));
    const visitor = await walk.openBrowser();
    await openAccount(walk.services.api, visitor, 'overview');
    await press(visitor, pages.providerContinue('Acme'));
    await press(visitor, pages.providerNewAccount);
    assert.equal(await titleOf(visitor), pages.accountPages.overview);
  });
}

export async function connectDirectory(walk: Walk): Promise<void> {
  const { page } = walk;
  await walk.menu(providers.title);
  await walk.follow(providers.add);
  await walk.follow(providers.directory.name);
  await press(page, organizations.newDomain);
  await walk.fill({ [organizations.name]: STAFF }, dialogOf(page));
  await inDialog(page, texts.create);
  await onScreen(page, STAFF);
  await walk.tab(domainSettings.directory);
  await enterDirectory(page, walk.around.slapd.url);
  await press(page, domainSettings.try);
  await inDialog(page, domainSettings.try);
  await dialogOf(page).getByText('alice').first().waitFor();
  await dialogOf(page).getByRole('button', { name: texts.close }).last().click();
  await walk.save(domainSettings.saved);
  await press(page, domainSettings.connect);
  await inDialog(page, domainSettings.connect);
  await page.getByText(domainSettings.connected, { exact: true }).waitFor();
  await walk.seen('directory', 201, logInFromDirectory);
}

/** She gets a role of the application, takes it along in her wallet, and signs in with it. */
export async function signInWithWallet(walk: Walk): Promise<void> {
  const { page } = walk;
  await walk.menu(organizations.title);
  await press(page, organizations.newOrganization);
  await walk.fill({ [organizations.name]: 'Pier' }, dialogOf(page));
  await inDialog(page, texts.create);
  await onScreen(page, 'Pier');
  await walk.tab(organizations.roles);
  await press(page, grants.giveToPerson);
  await choose(page, grants.person, GRACE.name);
  await choose(page, grants.role, 'member');
  await inDialog(page, grants.give);
  await said(page, grants.given);

  await walk.menu(applications.title);
  await walk.follow(APPLICATION);
  await walk.tab(applications.tabs.people);
  await press(page, applications.givePerson);
  await choose(page, applications.person, GRACE.name);
  await choose(page, applications.organization, 'Pier');
  await choose(page, applications.role, 'keeper');
  await inDialog(page, applications.give);
  await page.getByRole('row', { name: GRACE.name }).waitFor();

  await walk.tab(applications.tabs.credentials);
  await press(page, credentials.create);
  await walk.fill({ [credentials.name]: TYPE }, dialogOf(page));
  await inDialog(page, texts.create);
  await said(page, credentials.created(TYPE));
  await walk.follow(credentials.signIn);
  await walk.set({ WALLET_SIGN_IN: 'first', WALLET_LINK: `${walk.services.walletUrl}/open` });

  await walk.atLast(async () => {
    const { api } = walk.services;
    await walk.seen('wallet', true, async () => (await signInPage(walk)).includes(pages.walletSignIn));
    const owner = await walk.openBrowser();
    await openAccount(api, owner, 'applications');
    await enterPassword(owner, GRACE);
    const wallet = await takeRoleAlong(owner, TYPE, { service: 'Harbour' });
    const cookies = (await wallet.context().cookies()).filter(({ name }) => name.includes('gatehouse_wallet'));

    const visitor = await walk.openBrowser();
    await visitor.context().addCookies(cookies);
    await openAccount(api, visitor, 'overview');
    await press(visitor, pages.walletSignIn);
    await follow(visitor, pages.walletOpen);
    await visitor.goto(await shareWithSignIn(visitor, api.url));
    assert.equal(await titleOf(visitor), pages.accountPages.overview);
    assert.match(await visitor.locator('main').innerText(), /Grace Example/);
  });
}

/** The answer to somebody of the directory. */
export async function logInFromDirectory(api: TestApi): Promise<number> {
  const [{ id }] = assertOk(await api.get(`/v3/domains?name=${STAFF}`)).domains;
  return (await api.authenticate({ name: 'alice', password: passwordOf('alice'), domain: { id } })).status;
}
