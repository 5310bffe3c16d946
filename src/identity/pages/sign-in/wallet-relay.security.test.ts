// Attacks on signing in with a wallet: what a good wallet answers, in the hands of somebody else.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { type CredentialHolder, makeCredentialHolder, receiveInto } from '../../../../test/support/credential-holders.ts';
import { Holder } from '../../../../test/support/holder.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { TestCredentialWallet, usesRoleWorld } from '../../../../test/support/role-credentials.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { assertNotSignedIn, usesVisitors, type WalletVisitor } from '../../../../test/support/wallet-visitor.ts';

const REFUSED = /You cannot sign in with this credential/;

onUsualDatabase(
  'With the wallet of somebody else, nobody gets in',
  (api) => {
    const { world, person: neighbour } = usesRoleWorld(api);
    const db = usesDatabaseOf(api);
    const { application, visitor } = usesVisitors(api);
    const afterPassword = async (visit: WalletVisitor, { name, password }: CredentialHolder): Promise<BrowserPage> =>
      visit.browser.submit(await visit.signInPage(), 'password', { name, password });

    it('in another browser than the one that began, with what the wallet was sent back with', async () => {
      const person = await makeCredentialHolder(api, world);
      const [attacker, victim] = [await visitor().ask(), new TestBrowser(api)];
      // The victim follows a link of the attacker's session on their own device.
      const { body } = await attacker.answered(person.holder);
      const page = await victim.go(body.redirect_uri);
      assertNotSignedIn(page);
      assert.equal(page.status, 400);
      assert.ok(!/\d{3} \d{3}/.test(page.text), 'there is no number for a link');
      // The attacker's browser is not signed in by that, nor by typing anything.
      assertNotSignedIn(await attacker.browser.go(attacker.page.url));
      assertNotSignedIn(await attacker.types('000000'));
    });

    it('by a relayed code, unless the holder passes the number on', async () => {
      const person = await makeCredentialHolder(api, world);
      const attacker = await visitor().ask();
      const { body } = await attacker.answered(person.holder, 'code');
      const shown = await new TestBrowser(api).go(body.redirect_uri);
      assert.match(shown.text, /127\.0\.0\.1/, 'it says who would get in');
      assert.match(shown.text, new RegExp(application().application.name));
      assertNotSignedIn(await attacker.browser.go(attacker.page.url));
      const number = await attacker.numberAt(body.redirect_uri);
      const wrong = String((Number(number) + 1) % 1_000_000).padStart(6, '0');
      for (let i = 0; i < 5; i++) {
        const page = await attacker.types(wrong);
        assert.equal(page.status, 401);
        assertNotSignedIn(page);
      }
      assertNotSignedIn(await attacker.types(number));
      assertNotSignedIn(await attacker.browser.go(attacker.page.url));
    });

    it('by the answer in the session of another', async () => {
      const person = await makeCredentialHolder(api, world);
      const [one, other] = [await visitor().ask(), await visitor().ask()];
      const { body } = await one.answered(person.holder);
      const code = body.redirect_uri.split('/').at(-1);
      const page = await other.browser.go(`${other.page.url.split('?')[0]}?wallet=${code}`);
      assertNotSignedIn(page);
      const { body: second } = await one.answered(person.holder, 'code');
      assertNotSignedIn(await other.types(await one.numberAt(second.redirect_uri)));
    });

    it('twice by one answer', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { body } = await visit.answered(person.holder);
      const [one, two] = await Promise.all([
        visit.browser.request(interactionOf(visit, body)),
        visit.browser.request(interactionOf(visit, body)),
      ]);
      const entered = [one, two].filter(({ headers }) => headers.get('location')?.includes('/openid/authorize/'));
      assert.equal(entered.length, 1, `${one.status} ${two.status}`);
    });
    const interactionOf = (visit: WalletVisitor, body: { redirect_uri: string }): string =>
      `${visit.page.url.split('?')[0]}?wallet=${body.redirect_uri.split('/').at(-1)}`;

    it('as the second step with the wallet of somebody else', async () => {
      const [person, thief] = [await makeCredentialHolder(api, world), await makeCredentialHolder(api, world)];
      await enable(api, person);
      await enable(api, thief);
      // Epochs begin with the time, so that those of two people may be the same: then nothing but the person differs.
      await db().write(async (tx) => {
        const { epoch } = await tx.selectFrom('users').where('id', '=', person.id).select('epoch').executeTakeFirstOrThrow();
        await tx.updateTable('users').set({ epoch }).where('id', '=', thief.id).execute();
      });
      const visit = visitor();
      const asked = await afterPassword(visit, person);
      visit.page = await visit.browser.submit(asked, 'wallet');
      const page = await visit.shows(thief.holder);
      assertNotSignedIn(page);
      assert.equal(page.status, 401);
    });

    it('as the second step, when the first was too long ago: the wallet does not become the first', async () => {
      const person = await makeCredentialHolder(api, world);
      await enable(api, person);
      const visit = visitor();
      const asked = await afterPassword(visit, person);
      api.clock.advance(200);
      visit.page = await visit.browser.submit(asked, 'wallet');
      const { body } = await visit.answered(person.holder);
      api.clock.advance(150);
      const page = await visit.returns(body.redirect_uri);
      assertNotSignedIn(page);
      assert.equal(stepOf(page), 'password');
    });

    it('by a form of another site', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { body } = await visit.answered(person.holder, 'code');
      const number = await visit.numberAt(body.redirect_uri);
      const form = visit.page.forms.find(({ fields }) => fields.step === 'wallet-code')!;
      const sent = await visit.browser.send(new URL(form.action, visit.page.url), {
        ...form.fields,
        form_token: 'x',
        code: number,
      });
      assert.equal(sent.status, 403);
      const denied = await visit.browser.send(
        body.redirect_uri,
        {},
        { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      );
      assert.equal(denied.status, 403);
      assert.equal((await visit.claims(await visit.types(number))).sub, person.id, 'nothing was spoiled');
    });

    it('as if a wallet were a passkey: it can be relayed', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask({ acr_values: 'phr' });
      const { amr, acr } = await visit.claims(await visit.shows(person.holder));
      assert.deepEqual([amr, acr], [['wallet'], 'https://refeds.org/profile/sfa']);
    });

    it('by a secret in the log, or in an address that is kept', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { form, presentation, body } = await visit.answered(person.holder, 'code');
      const number = await visit.numberAt(body.redirect_uri);
      await visit.types(number);
      const logged = api.logged.join('');
      for (const secret of [presentation, new URLSearchParams(form).get('response')!, person.holder.raw.split('~', 1)[0]!])
        assert.ok(!logged.includes(secret));
      assert.ok(!logged.includes(body.redirect_uri.split('/').at(-1)), 'what the wallet was sent back with');
    });

    it('as the person who allowed an application to receive their credential', async () => {
      const { access_token } = await application().tokensFor(neighbour, { scope: `openid ${world.scope}` });
      const token = { access_token, token_type: 'Bearer' };
      const holder = new Holder(() => api.clock.now());
      await receiveInto(holder, new TestCredentialWallet(api), token, world.sdJwt);
      const visit = await visitor().ask();
      const page = await visit.shows(holder);
      assertNotSignedIn(page);
      assert.match(page.text, REFUSED);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' } },
);
