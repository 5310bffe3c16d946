// The provider is added as an administrator does: by clicks in the console, with the addresses that it shows for the registration there.
import type { Page } from 'playwright-core';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { dialogOf, fillIn, inDialog, onScreen, said } from '../../test/support/console.ts';
import { trySignIn } from '../../test/support/provider-screen.ts';
import { press } from '../../test/support/visitor.ts';

const { organizations, people, providers } = words;

export interface ProviderVisit {
  readonly server: string;
  readonly realm: string;
  /** Has the same name here and there. */
  readonly group: string;
  /** Registers the service there. */
  register(addresses: { redirect: string; backchannelLogout: string }): Promise<{ id: string; secret: string }>;
  /** Signs somebody in on the page of Keycloak, for a try. */
  signIn(page: Page): Promise<void>;
}

/** Somebody who is signed in at the console. */
export async function addProvider(page: Page, { server, realm, group, register, signIn }: ProviderVisit): Promise<void> {
  const menu = (name: string) => page.locator('#menu').getByRole('link', { name, exact: true }).click();
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
  await menu(organizations.groups);
  await press(page, organizations.newGroup);
  await fillIn(dialogOf(page), { [organizations.name]: group });
  await inDialog(page, texts.create);
  await onScreen(page, group);

  await menu(providers.title);
  await follow(providers.add);
  await follow(providers.templates.keycloak.name);
  await fillIn(page, { [providers.asks.server.label]: server, [providers.asks.realm.label]: realm });
  await press(page, providers.readMetadata);
  await page.getByRole('heading', { name: providers.found }).waitFor();
  const [redirect, backchannelLogout] = await page.locator('.copyable code').allInnerTexts();
  const client = await register({ redirect: redirect!, backchannelLogout: backchannelLogout! });
  await fillIn(page, { [providers.clientId]: client.id, [providers.clientSecret]: client.secret });
  await press(page, providers.addNow);
  await onScreen(page, providers.templates.keycloak.button);

  await trySignIn(page, signIn);
  await page.getByText(providers.kinds.choice).waitFor();
  await fillIn(page, { [providers.groupsClaim]: 'groups', [providers.groupLines]: group });
  await press(page, texts.save);
  await said(page, providers.mappingSaved);
  await press(page, people.enable);
  await inDialog(page, people.enable);
  await said(page, providers.saved);
}
