// Other providers in the console, from an empty service: added, tried, mapped, enabled, and somebody new signs in; hostile claims and metadata.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import { lookTroubles } from '../support/accessibility.ts';
import { assertOk } from '../support/answers.ts';
import { onDatabase, uniqueName } from '../support/api.ts';
import { withApplication } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, inDialog, onScreen, openConsole, said } from '../support/console.ts';
import { providerFor, ROOT } from '../support/federation.ts';
import type { PlainProvider } from '../support/plain-provider.ts';
import { trySignIn } from '../support/provider-screen.ts';
import { outcome, words as pages, press } from '../support/visitor.ts';

const chromium = usesChromium();
const { providers, people } = words;

onDatabase('SQLite', 'Providers in the console', {}, (api) => {
  const id = uniqueName('acme');
  const path = `/providers/${id}`;
  const application = withApplication(api);
  const sub = uniqueName('anna');
  let provider: PlainProvider;
  before(async () => {
    provider = await providerFor(id, { person: sub });
  });
  after(() => provider.stop());

  it('are added, tried, mapped and enabled by clicks, and a new person signs in', async () => {
    const group = await api.make('group', { name: 'people', domain_id: 'default' });
    const page = await openConsole(chromium, api, { path: '/providers', others: [provider.issuer] });
    await onScreen(page, providers.title);
    await page.getByText(providers.empty).waitFor();
    await page.getByRole('link', { name: providers.add }).click();
    await page.getByRole('link', { name: providers.templates.openid.name }).click();
    await page.getByLabel(providers.asks.issuer.label).fill('http://127.0.0.1:1');
    await page.getByLabel(providers.id, { exact: true }).fill(id);
    await press(page, providers.readMetadata);
    await page.getByRole('alert').getByText('cannot be used').waitFor();
    await page.getByLabel(providers.asks.issuer.label).fill(provider.issuer);
    await press(page, providers.readMetadata);
    await page.getByRole('heading', { name: providers.found }).waitFor();
    await page.getByText(`${provider.issuer}/token`).first().waitFor();
    await page.getByText(`${api.url}/openid/providers/${id}/callback`).waitFor();
    await page.getByLabel(providers.clientId).fill(provider.clientId);
    await page.getByLabel(providers.clientSecret).fill(provider.clientSecret);
    await page.getByLabel(providers.buttonName).fill('Acme');
    await press(page, providers.addNow);
    await onScreen(page, 'Acme');

    await trySignIn(page);
    await page.getByText(providers.kinds.choice).waitFor();
    await page.getByText(`${sub}@example.org`).first().waitFor();
    assert.deepEqual(assertOk(await api.get(`/v3/users?name=${sub}`)).users, [], 'no account was made');

    await page.getByLabel(providers.groupsClaim).fill('groups');
    await page.getByLabel(providers.groupLines).fill('people\nadmin = nothing here');
    await press(page, providers.tryClaims);
    const result = page.locator('section').filter({ has: page.locator('#result') });
    await result.getByText(`people ${providers.given}`).waitFor();
    await press(page, texts.save);
    await said(page, providers.mappingSaved);
    const { rules } = assertOk(await api.get(`${ROOT}/mappings/${id}`)).mapping;
    assert.deepEqual(rules[1].remote, [{ type: 'groups', whitelist: ['people'] }]);

    await press(page, people.enable);
    await inDialog(page, people.enable);
    await said(page, providers.saved);

    const visitor = await chromium.open(api);
    await visitor.goto(application().signIn({ login_hint: sub }));
    await press(visitor, pages.providerContinue('Acme'));
    await press(visitor, pages.providerNewAccount);
    await press(visitor, pages.allow);
    assert.match(await outcome(visitor), /^Hello /);
    const [user] = assertOk(await api.get(`/v3/users?name=${sub}`)).users;
    assert.equal((await api.get(`/v3/groups/${group.id}/users/${user.id}`)).status, 204);

    await goTo(page, `${path}?tab=people`, 'Acme');
    await page.getByText(`${sub}@example.org`).waitFor();
    await press(page, providers.endSessions);
    await inDialog(page, providers.endSessions);
    await said(page, providers.sessionsEnded);
    await press(page, providers.unlinkTitle(sub, `${sub}@example.org`));
    await inDialog(page, providers.unlink);
    await page.getByText(providers.noPeople).waitFor();
  });

  it('keep what two people enter at once apart, and say what a change ends', async () => {
    const page = await openConsole(chromium, api, { path });
    await onScreen(page, 'Acme');
    const { issuer, client_id } = assertOk(await api.get(`${ROOT}/identity_providers/${id}/openid`)).openid;
    assertOk(
      await api.put(`${ROOT}/identity_providers/${id}/openid`, {
        openid: { issuer, client_id, button_name: 'Acme', whole_service: true },
      }),
    );
    const form = page.locator('gh-edit').first();
    await form.getByLabel(providers.buttonOrder).fill('3');
    await form.getByRole('button', { name: texts.save }).click();
    await page.getByText(texts.presentTitle).waitFor();
    await form.getByRole('button', { name: texts.save }).click();
    await said(page, providers.saved);
    const settings = assertOk(await api.get(`${ROOT}/identity_providers/${id}/openid`)).openid;
    assert.deepEqual([settings.button_order, settings.whole_service, settings.has_client_secret], [3, true, true]);
    await page.getByLabel(providers.flags.whole_service.label).uncheck();
    await page.locator('gh-edit').first().getByRole('button', { name: texts.save }).click();
    await page.getByRole('dialog').getByText(providers.lessText).waitFor();
    await inDialog(page, providers.saveNow);
    await said(page, providers.saved);
  });

  it('show hostile claims and metadata as texts', async (t) => {
    const evil = '<img src=x onerror=window.attacked=1>';
    const server = createServer((_request, response) => {
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const body = {
        issuer,
        authorization_endpoint: 'javascript:window.attacked=1',
        scopes_supported: [evil],
        claims_supported: [evil],
      };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    await provider.change(sub, { name: evil, preferred_username: evil, groups: [evil], [evil]: evil });
    const page = await openConsole(chromium, api, { path: '/new-provider?template=openid', others: [provider.issuer] });
    await page.getByLabel(providers.asks.issuer.label).fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await page.getByLabel(providers.id, { exact: true }).fill('evil');
    await press(page, providers.readMetadata);
    await page.getByText(evil).first().waitFor();
    const traces = `({ attacked: window.attacked, strange: document.querySelectorAll('main img, [onerror], a[href^="javascript:"]').length })`;
    const innocent = async (): Promise<void> =>
      assert.deepEqual(await page.evaluate(traces), { attacked: undefined, strange: 0 });
    await innocent();
    await goTo(page, `${path}?tab=mapping`, 'Acme');
    await trySignIn(page);
    await page.getByText(providers.claimsArrived, { exact: true }).click();
    await page.getByText(evil).first().waitFor();
    await innocent();
  });

  it('are added for credentials from wallets, whose settings are changed as a text', async () => {
    const page = await openConsole(chromium, api, { path: '/new-provider?template=wallet' });
    const { fields } = providers.walletTemplate;
    await page.getByLabel(fields.name).fill('Town');
    await page.getByLabel(fields.types).fill('https://town.example/resident');
    await page.getByLabel(fields.issuers).fill('https://town.example');
    await press(page, providers.addNow);
    await onScreen(page, 'Town');
    await page.getByLabel(providers.claims).fill('{"sub": "resident-7"}');
    await press(page, providers.tryClaims);
    await page.getByText(providers.kinds.choice).waitFor();
    await goTo(page, '/providers/wallet', 'Town');
    const text = page.getByLabel(providers.walletSettings);
    await text.fill((await text.inputValue()).replace('"Town"', '"City"'));
    await page.locator('gh-edit').first().getByRole('button', { name: texts.save }).click();
    await inDialog(page, providers.saveNow);
    await said(page, providers.saved);
    await onScreen(page, 'City');
    // Somebody else changes it at the same time.
    const { links: _, ...others } = assertOk(await api.get(`${ROOT}/identity_providers/wallet/openid4vp`)).openid4vp;
    await text.fill((await text.inputValue()).replace('"City"', '"Harbour"'));
    assertOk(await api.put(`${ROOT}/identity_providers/wallet/openid4vp`, { openid4vp: { ...others, name: 'Village' } }));
    const save = page.locator('gh-edit').first().getByRole('button', { name: texts.save });
    await save.click();
    await inDialog(page, providers.saveNow);
    await page.getByText(texts.presentTitle).waitFor();
    await page.locator('gh-edit .warn strong', { hasText: '"Village"' }).waitFor();
    assert.match(await text.inputValue(), /"Harbour"/);
    await save.click();
    await inDialog(page, providers.saveNow);
    await onScreen(page, 'Harbour');
    assertOk(await api.delete(`${ROOT}/identity_providers/wallet`), 204);
  });

  it('have no barriers, and are deleted with what that ends', async () => {
    const page = await openConsole(chromium, api, {
      path: '/providers',
      options: { bypassCSP: true },
      others: [provider.issuer],
    });
    await onScreen(page, providers.title);
    const troubles = await lookTroubles(page, 'console-providers');
    for (const [place, heading] of [
      ['/new-provider', providers.add],
      ['/new-provider?template=keycloak', providers.add],
      ['/new-provider?template=wallet', providers.add],
      [path, 'Acme'],
      [`${path}?tab=mapping`, 'Acme'],
      [`${path}?tab=people`, 'Acme'],
    ] as const) {
      await goTo(page, place, heading);
      troubles.push(...(await lookTroubles(page, `console-providers${place.replaceAll(/\W/g, '-')}`)));
    }
    assert.deepEqual(troubles, []);
    await press(page, people.delete);
    await page.getByRole('dialog').getByText(providers.deleteText).waitFor();
    await inDialog(page, people.delete);
    await page.getByText(providers.empty).waitFor();
    assert.equal((await api.get(`${ROOT}/mappings/${id}`)).status, 404);
  });
});
