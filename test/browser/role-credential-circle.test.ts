// The whole circle of a role, with real processes and a real browser: given, received by three wallets, verified by a verifier elsewhere,
// good for signing in to an application; taken away, and refused by both, also where another replica is asked.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { Peer } from '../peers/peers.ts';
import { usesChromium } from '../support/chromium.ts';
import { CircleServices } from '../support/circle-services.ts';
import { type ExampleApplication, examplePlace, startExample } from '../support/example-application.ts';
import { inFullRun } from '../support/extent.ts';
import { Holder, readWalletRequest } from '../support/holder.ts';
import { BOTH_DATABASES } from '../support/migrated-database.ts';
import { makeHolder, makeOffer, makeRoleWorld, type RoleHolder, type RoleWorld, takeRole } from '../support/role-credentials.ts';
import { soon } from '../support/soon.ts';
import { alertOf, enterPassword, follow, openAccount, press, titleOf, words } from '../support/visitor.ts';
import { shareWithSignIn, takeRoleAlong } from '../support/wallet-sign-in-page.ts';

const chromium = usesChromium();
const TYPE = 'Shop manager';
const REVOKED = 'revoked';
/** A wallet that shows nothing. */
const WITHHELD = 'withheld';

// Replicas share a PostgreSQL; on SQLite there is less to go wrong.
for (const kind of inFullRun(BOTH_DATABASES, ['PostgreSQL']))
  describe(`The circle of a role (${kind})`, () => {
    const services = new CircleServices(kind);
    let sphereon: Peer;
    let verifier: Peer;
    let credo: Peer;
    let application: ExampleApplication;
    let world: RoleWorld;
    let person: RoleHolder;

    before(async () => {
      await services.start();
      const { api } = services;
      const { root } = (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer;
      verifier = new Peer('credo-verifier', { trust: [root] }, services.tls.trusted);
      await verifier.start();
      sphereon = new Peer('sphereon-client', {}, services.tls.trusted);
      credo = new Peer('credo-holder', { trust: [root, verifier.root] }, services.tls.trusted);
      await Promise.all([credo.start(), sphereon.start()]);
      services.trust(root, verifier.root!);
      world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'], name: TYPE });
      const place = await examplePlace();
      const path = `/v3/OS-OAUTH2/consumers/${world.application.id}`;
      assert.equal((await api.patch(path, { consumer: place.uris })).status, 200);
      application = await startExample(place, api.url, world.application, services.tls.trusted);
    });
    after(async () => {
      await application?.stop();
      await Promise.all([verifier?.stop(), credo?.stop(), sphereon?.stop()]);
      await services.stop();
    });

    const openBrowser = (): Promise<Page> => chromium.open(services.api, { ignoreHTTPSErrors: true }, [services.walletUrl]);

    /** From the account page into the wallet node. Returns the page, which is signed in there. */
    async function receiveInBrowser(): Promise<Page> {
      const page = await openBrowser();
      await openAccount(services.api, page, 'applications');
      await enterPassword(page, person);
      return takeRoleAlong(page, TYPE);
    }

    /** A browser that knows the wallet of this person, and has no session at the identity service. */
    async function atSignIn(owner: Page): Promise<Page> {
      const page = await openBrowser();
      const cookies = await owner.context().cookies();
      await page.context().addCookies(cookies.filter(({ name }) => name.includes('gatehouse_wallet')));
      await page.goto(`${application.home}/login`);
      await press(page, words.walletSignIn);
      assert.equal(await titleOf(page), words.walletTitle);
      return page;
    }

    /** As far as the wallet: it has answered, and the person is to go on at the identity service. */
    async function answered(owner: Page): Promise<{ page: Page; back: string }> {
      const page = await atSignIn(owner);
      await follow(page, words.walletOpen);
      return { page, back: await shareWithSignIn(page, services.api.url) };
    }

    async function signIn(owner: Page): Promise<string> {
      const { page, back } = await answered(owner);
      await page.goto(back);
      if (!page.url().startsWith(application.home)) await press(page, words.allow);
      return page.locator('body').innerText();
    }

    async function refusedSignIn({ page, back }: { page: Page; back: string }): Promise<string> {
      await page.goto(back);
      return alertOf(page);
    }

    /** What the verifier says after a wallet has shown the credential: its roles, or that it is revoked. */
    async function verdict(show: (request: string) => Promise<unknown>, responseMode = 'direct_post.jwt'): Promise<unknown> {
      const vct = `${services.api.url}/openid/credential-types/${world.typeId}`;
      const query = {
        credentials: [{ id: 'role', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['roles'] }] }],
      };
      const { session, request } = await verifier.tell('/requests', { query, responseMode });
      if ((await show(request)) === WITHHELD) return REVOKED;
      const { state, claims, error } = await verifier.settled(session, (seen) => /^(?:ResponseVerified|Error)$/.test(seen.state));
      if (state !== 'Error') return claims.role[0].roles;
      assert.match(String(error), /Status is not valid/);
      return REVOKED;
    }

    /** The wallet node of the person who is signed in on this page. It does not show what it knows to be revoked. */
    const byNode = (page: Page) => async (uri: string) => {
      const code = await page.evaluate(async (body) => {
        const headers = { 'Content-Type': 'application/json' };
        const answer = await fetch('/api/v1/wallet/oid4vp', { method: 'POST', headers, body });
        return ((await answer.json()) as { code?: string }).code;
      }, JSON.stringify({ uri }));
      return code === 'no-matching-credential' ? WITHHELD : code;
    };

    /** Credo's verifier names the address of its request as the audience, and not what 5.8 of OID4VP says. */
    const bySmallWallet = (holder: Holder) => async (request: string) =>
      holder.answerRequest(await readWalletRequest(request, new URL(request).searchParams.get('request_uri')!));

    it('is closed', async (context: TestContext) => {
      const { api } = services;
      person = await makeHolder(api, world);
      const ROLES = [{ target: world.application.id, application: world.application.name, names: ['manager'] }];
      const offered = async () => {
        const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
        return { offer: uri, txCode };
      };

      // Received: by the wallet node, by Credo's holder, by Sphereon's client.
      const owner = await receiveInBrowser();
      await credo.tell('/receive', await offered());
      const holder = new Holder();
      const jwk = holder.key.privateKey.export({ format: 'jwk' });
      const { credential, notified } = await sphereon.tell('/receive', { ...(await offered()), jwk });
      holder.raw = credential;
      assert.ok(notified);

      // Verified elsewhere, whoever shows it. Sphereon's client only receives: its credential is shown by a small wallet with its key.
      const wallets: Record<string, () => Promise<unknown>> = {
        node: () => verdict(byNode(owner)),
        Credo: () => verdict((request) => credo.tell('/present', { request }), 'direct_post'),
        Sphereon: () => verdict(bySmallWallet(holder)),
      };
      for (const [name, show] of Object.entries(wallets)) assert.deepEqual(await show(), ROLES, name);

      // It signs in to the application.
      assert.match(await signIn(owner), new RegExp(`Hello, ${person.name}[\\s\\S]*Roles: manager`));

      // Taken away at the first replica, while everybody asks the last one.
      services.askOnly(services.replicas.length - 1);
      assert.deepEqual(await wallets.Sphereon!(), ROLES, 'before');
      const begun = await answered(owner);
      await takeRole(services.replicas[0]!, person, world);
      const since = performance.now();
      // The verifier asks for the published list. The sign-in reads the state itself, also for what the wallet has shown before.
      const times = await Promise.all([
        soon(REVOKED, wallets.Sphereon!, since),
        refusedSignIn(begun).then((alert) => {
          assert.equal(alert, words.walletRefused);
          return performance.now() - since;
        }),
      ]);
      const [verified, entered] = times.map((ms) => `${Math.round(ms)} ms`);
      context.diagnostic(`after the role was taken away, the verifier refused in ${verified}, the sign-in page in ${entered}`);
      for (const [name, show] of Object.entries(wallets)) assert.equal(await show(), REVOKED, name);

      // A sign-in that begins afterwards, with a wallet that still shows what it has.
      const page = await atSignIn(owner);
      const link = await page.getByRole('link', { name: words.walletOpen }).getAttribute('href');
      const { body } = await holder.answer(link!);
      assert.equal(await refusedSignIn({ page, back: body.redirect_uri }), words.walletRefused);
    });
  });
