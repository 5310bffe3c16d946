// Identity service and wallet node started together: they trust each other, with no setting about certificates or addresses.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { words as walletWords } from '../../console/wallet/words/en/index.ts';
import { ADMIN_PASSWORD, TestApi } from '../support/api.ts';
import { ApplicationPage } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { inFullRun } from '../support/extent.ts';
import { freePort } from '../support/ports.ts';
import { DEFAULT_ADDRESSES, type GatehouseProcess, usesProcesses } from '../support/process.ts';
import { makeHolder, makeRoleWorld, type RoleHolder } from '../support/role-credentials.ts';
import { enterPassword, follow, openAccount, outcome, press, words } from '../support/visitor.ts';
import { shareWithSignIn, takeRoleAlong } from '../support/wallet-sign-in-page.ts';

const chromium = usesChromium();
const TYPE = 'Shop manager';

for (const trust of inFullRun(['any', 'listed'], ['listed']))
  describe(`A wallet node beside the identity service, which accepts issuers: ${trust}`, () => {
    const { run, newFolder } = usesProcesses();
    let service: GatehouseProcess;
    let api: TestApi;
    let wallet: string;
    let application: ApplicationPage;
    let person: RoleHolder;

    before(async () => {
      const [identityPort, walletPort] = [await freePort(), await freePort()];
      wallet = `http://localhost:${walletPort}`;
      service = run(['start'], {
        ...DEFAULT_ADDRESSES,
        GATEHOUSE_DATA_DIR: join(await newFolder(), 'data'),
        GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
        GATEHOUSE_IDENTITY_PORT: String(identityPort),
        GATEHOUSE_WALLET_PORT: String(walletPort),
        GATEHOUSE_WALLET_ISSUER_TRUST: trust,
        // Whether people sign in with a wallet, and with which, is for the operator to say. Nothing else is.
        GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first',
        GATEHOUSE_IDENTITY_WALLET_LINK: `${wallet}/open`,
      });
      api = Object.assign(new TestApi('SQLite'), { url: await service.listening() });
      await service.walletListening();
      const scope = { project: { name: 'admin', domain: { id: 'default' } } };
      api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
      application = await ApplicationPage.start(api);
      const world = await makeRoleWorld(api, { name: TYPE, formats: ['dc+sd-jwt'] });
      person = await makeHolder(api, world);
    });
    after(() => application?.stop());

    const openBrowser = (): Promise<Page> => chromium.open(api, {}, [wallet]);

    it('receives a role from it, and signs its owner in to it, without a word about proofs that are missing', async () => {
      const page = await openBrowser();
      await openAccount(api, page, 'applications');
      await enterPassword(page, person);
      const owner = await takeRoleAlong(page, TYPE, {
        look: async (offer) => {
          await offer.getByLabel(walletWords.receive.txCode).waitFor();
          assert.match(await offer.locator('main').innerText(), new RegExp(walletWords.receive.proofs.beside));
          assert.equal(await offer.locator('.bad').count(), 0);
        },
      });
      const refused = await owner.evaluate(
        async (uri) => {
          const headers = { 'Content-Type': 'application/json' };
          const answer = await fetch('/api/v1/wallet/oid4vci', { method: 'POST', headers, body: JSON.stringify({ uri }) });
          return ((await answer.json()) as { code: string }).code;
        },
        `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${wallet}/offer`)}`,
      );
      assert.equal(refused, 'blocked-address', 'it may call its neighbour, and nothing else on this machine');
      const [card, whole] = [owner.locator('.credential-card'), owner.locator('main')];
      await owner.goto(`${wallet}/`);
      await card.getByRole('link', { name: TYPE }).waitFor();
      assert.ok(!(await card.innerText()).includes(person.id), 'a card has names, not ids');
      await card.getByRole('link').click();
      await whole.getByText(walletWords.credentials.claims).waitFor();
      assert.ok(!(await whole.innerText()).includes(person.id), 'copies that nobody can link do not name the account');
      const cookies = (await owner.context().cookies()).filter(({ name }) => name.includes('gatehouse_wallet'));

      const visit = await openBrowser();
      await visit.context().addCookies(cookies);
      await visit.goto(application.signIn());
      await press(visit, words.walletSignIn);
      await follow(visit, words.walletOpen);
      const back = await shareWithSignIn(visit, api.url, async (request) => {
        assert.match(await request.locator('main').innerText(), new RegExp(walletWords.share.proofs.anchor));
        assert.equal(await request.locator('.bad').count(), 0);
      });
      await visit.goto(back);
      if (!visit.url().startsWith(application.url)) await press(visit, words.allow);
      assert.equal(await outcome(visit), `Hello ${person.id}`);
    });

    it('does not warn that nobody is trusted, as a node alone does', async () => {
      assert.ok(!service.stdout.includes('no certificates of verifiers are trusted'), service.stdout);
      const alone = run(['wallet'], {
        GATEHOUSE_DATA_DIR: join(await newFolder(), 'data'),
        GATEHOUSE_WALLET_OIDC_ISSUER: api.url,
        GATEHOUSE_WALLET_OIDC_CLIENT_ID: 'x',
        GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: 'x',
      });
      await alone.walletListening();
      assert.match(alone.stdout, /"msg":"no certificates of verifiers are trusted[^"]*GATEHOUSE_WALLET_VERIFIER_TRUST_ANCHORS/);
    });
  });
