// Signing in through another provider, in a real browser. The provider signs in whom the application hints at.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { onDatabase, uniqueName } from '../support/api.ts';
import { withApplication } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { connectProvider, providerFor } from '../support/federation.ts';
import type { PlainProvider } from '../support/plain-provider.ts';
import { makeUser } from '../support/relying-party.ts';
import { enterPassword, outcome, press, sectionOf, titleOf, words } from '../support/visitor.ts';

const chromium = usesChromium();

onDatabase('SQLite', 'Another provider in a browser', {}, (api) => {
  const id = uniqueName('acme');
  let provider: PlainProvider;
  const application = withApplication(api);
  before(async () => {
    provider = await providerFor(id);
    const settings = { button_name: 'Acme', email_domains: ['example.org'] };
    await connectProvider(api, provider, { id, settings });
  });
  after(() => provider.stop());

  const continueAs = async (page: Page, sub: string): Promise<void> => {
    await page.goto(application().signIn({ login_hint: sub }));
    await press(page, words.providerContinue('Acme'));
  };
  const arrived = async (page: Page): Promise<string> => {
    if (!page.url().startsWith(application().url)) await press(page, words.allow);
    return outcome(page);
  };

  it('has a button; a new person gets an account, which is on the account page', async () => {
    const [page, sub] = [await chromium.open(api), uniqueName('anna')];
    await continueAs(page, sub);
    assert.equal(await titleOf(page), words.providerFirstTitle);
    assert.ok(!page.url().includes('code='));
    await press(page, words.providerNewAccount);
    const greeting = await arrived(page);
    assert.match(greeting, /^Hello /);
    assert.deepEqual(application().received.at(-1)!.claims()!.amr, ['fed']);
    await page.goto(`${api.url}/account/security`);
    assert.match(await sectionOf(page, words.providerAccounts).innerText(), new RegExp(`Acme: ${sub}@example\\.org`));

    const again = await chromium.open(api);
    await continueAs(again, sub);
    assert.equal(await arrived(again), greeting);
  });

  it('connects the account of somebody who proves it, by going back and forth', async () => {
    const [page, sub, person] = [await chromium.open(api), uniqueName('bert'), await makeUser(api)];
    await continueAs(page, sub);
    await press(page, words.providerBack);
    assert.equal(await titleOf(page), words.signInTo(application().name));
    await press(page, words.providerContinue('Acme'));
    await press(page, words.providerHaveAccount);
    assert.match(await page.locator('main').innerText(), /Sign in once to your account here/);
    await enterPassword(page, person);
    assert.equal(await arrived(page), `Hello ${person.id}`);
    const again = await chromium.open(api);
    await continueAs(again, sub);
    assert.equal(await arrived(again), `Hello ${person.id}`);
  });

  it('is found by an address, and shows a page in the language of the reader when it refuses', async () => {
    const page = await chromium.open(api, { locale: 'es-ES' });
    await page.goto(application().signIn());
    await press(page, 'Entrar con la cuenta de mi organización');
    await page.getByLabel('Correo electrónico').fill('nadie@example.com');
    await press(page, 'Continuar');
    assert.match(await page.getByRole('alert').innerText(), /No hay inicio de sesión/);
    await press(page, 'Volver al inicio de sesión');
    // Without a hint, the provider refuses.
    await press(page, 'Continuar con Acme');
    assert.equal(await titleOf(page), 'No ha iniciado sesión');
    assert.match(await page.getByRole('alert').innerText(), /No ha iniciado sesión en Acme/);
  });
});
