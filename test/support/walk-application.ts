// The walk: an application with all that can be said of one, and somebody who signs in to it.
import assert from 'node:assert/strict';
import * as client from 'openid-client';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { ADMIN, dialogOf, inDialog, onScreen, said } from './console.ts';
import { png } from './pictures.ts';
import { CALLBACK, RelyingParty } from './relying-party.ts';
import { redirectTargetOf, TestBrowser } from './test-browser.ts';
import { press } from './visitor.ts';
import type { Walk } from './walk.ts';

const { applications, registration } = words;
export const APPLICATION = 'Berths';
const HOME = 'https://berths.example.org';

/** Every field of the form but the kind of client. */
const OPTIONS: Readonly<Record<string, string | boolean>> = {
  [applications.description]: 'Who lies where',
  [registration.kind]: 'web',
  [applications.homeUrl]: `${HOME}/`,
  [registration.clientUri]: `${HOME}/about`,
  [registration.policyUri]: `${HOME}/privacy`,
  [registration.tosUri]: `${HOME}/terms`,
  [registration.logoUri]: `${HOME}/logo.png`,
  [applications.redirectUris]: `${CALLBACK}\n${HOME}/back`,
  [registration.afterLogout]: `${HOME}/bye`,
  [registration.initiate]: `${HOME}/start`,
  [registration.auth]: 'client_secret_post',
  [registration.par]: true,
  [registration.scopeNames.openid]: true,
  [registration.scopeNames.email]: true,
  [registration.scopeNames.roles]: true,
  [registration.grantNames.authorization_code]: true,
  [registration.grantNames.refresh_token]: true,
  [registration.skipConsent]: true,
  [registration.grantType]: 'authorization_code',
  [registration.keyrockScopes]: 'openid',
  [registration.algorithm]: 'ES256',
  [registration.claims]: true,
  [registration.dpop]: true,
  [registration.accessLifetime]: '300',
  [registration.refreshLifetime]: '3600',
  [registration.strength]: 'https://refeds.org/profile/mfa',
  [registration.maxAge]: '600',
  [registration.authTime]: true,
  [registration.backchannel]: `${HOME}/out`,
  [registration.backchannelSession]: true,
};

async function register(walk: Walk): Promise<RelyingParty['application']> {
  const { page } = walk;
  await walk.menu(applications.title);
  await walk.follow(applications.create);
  await walk.follow(applications.kinds.web.name);
  await walk.fill({ [applications.name]: APPLICATION });
  await press(page, applications.goOn);
  await walk.fill({ [applications.redirectUris]: CALLBACK });
  await press(page, applications.register);
  await onScreen(page, applications.madeTitle(APPLICATION));
  const [id, secret] = await page.locator('.copyable code').allInnerTexts();
  await press(page, applications.openApplication);
  await onScreen(page, APPLICATION);
  return { id: id!, secret: secret!, name: APPLICATION };
}

/** Pushes its request, proves its key, and gets its tokens: at the last replica. */
async function signInTo(walk: Walk, application: RelyingParty['application']): Promise<void> {
  const { api } = walk.services;
  const metadata = { client_secret: application.secret, id_token_signed_response_alg: 'ES256' };
  const authentication = client.ClientSecretPost(application.secret);
  const config = await client.discovery(new URL(api.url), application.id, metadata, authentication);
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
  const party = new RelyingParty(api, application, config);
  const { parameters, checks } = await party.parameters({ scope: 'openid email roles' });
  const url = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP });
  const page = await new TestBrowser(api).signIn(url, ADMIN);
  const tokens = await client.authorizationCodeGrant(config, redirectTargetOf(page), checks, undefined, { DPoP });
  const { token_type: type, expires_in: seconds } = tokens;
  assert.deepEqual([type.toLowerCase(), seconds], ['dpop', 300]);
  assert.ok(tokens.claims()!.auth_time, 'auth_time');
}

export async function addApplication(walk: Walk): Promise<void> {
  const { page } = walk;
  const application = await register(walk);
  await walk.fill(OPTIONS, page.locator('gh-edit'));
  await press(page, texts.save);
  await inDialog(page, registration.sureAction);
  await said(page, applications.saved);
  await press(page, applications.logoChoose);
  const logo = { name: 'logo.png', mimeType: 'image/png', buffer: png(64) };
  await dialogOf(page).getByLabel(applications.logoFile).setInputFiles(logo);
  await inDialog(page, applications.logoSave);
  await said(page, applications.logoSaved);
  const path = `/v3/OS-OAUTH2/consumers/${application.id}`;
  await walk.seen('logo of the application', 200, async (replica) => (await replica.get(`${path}/logo`)).status);
  await walk.atLast(() => signInTo(walk, application));

  await walk.tab(applications.tabs.roles);
  await press(page, applications.newRole);
  await walk.fill({ [applications.roleName]: 'keeper' }, dialogOf(page));
  await inDialog(page, texts.create);
  await page.getByRole('columnheader', { name: /^keeper/ }).waitFor();
  await press(page, applications.newPermission);
  const permission = { [applications.permissionName]: 'Open', [applications.action]: 'POST', [applications.resource]: '/gate' };
  await walk.fill(permission, dialogOf(page));
  await inDialog(page, texts.create);
  await page.getByRole('checkbox', { name: applications.cell('keeper', 'Open') }).check();
  await said(page, applications.permissionGiven('keeper', 'Open'));
  const roles = `/v3/OS-ROLES/roles?application_id=${application.id}`;
  await walk.seen('role', true, async (replica) => (await replica.get(roles)).text.includes('"keeper"'));
}
