// What follows from a passkey: mails, ended sessions, what tokens say, and what applications and policies may ask for.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import { mailsTo, newMailbox, startMailServer } from '../../../../test/support/mailbox.ts';
import {
  AT_LOCALHOST,
  PasskeyPerson,
  passkeyOptionsOf,
  servesAtLocalhost,
  visitSignIn,
} from '../../../../test/support/passkeys.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const words = LANGUAGES.en;
const [SINGLE, MULTI, RESISTANT] = ['https://refeds.org/profile/sfa', 'https://refeds.org/profile/mfa', 'phr'];
const STRICT = 'strict';

const server = await startMailServer();
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-passkeys-'));
writeFileSync(join(folder, `keystone.${STRICT}.conf`), '[passkeys]\npolicy = required_for_administrators\n');
after(() => rmSync(folder, { recursive: true }));

onUsualDatabase(
  'After a passkey',
  (api) => {
    servesAtLocalhost(api);
    let party: RelyingParty;
    before(async () => {
      party = await RelyingParty.make(api);
    });

    const visit = (more?: Record<string, string>, browser?: TestBrowser) => visitSignIn(api, party, more, browser);

    /** A browser in which the person has signed in with their passkey. */
    async function signedIn(person: PasskeyPerson): Promise<TestBrowser> {
      const browser = new TestBrowser(api);
      const page = await person.usePasskey(browser, await browser.go('/account/security'));
      assert.ok(page.text.includes('a phone'), page.text);
      return browser;
    }
    const isSignedIn = async (browser: TestBrowser): Promise<boolean> => stepOf(await browser.go('/account')) !== 'password';

    describe('was added or removed', () => {
      it('its owner gets a mail, also if an administrator removed it', async () => {
        const email = newMailbox();
        const person = await PasskeyPerson.make(api, { email });
        await person.addPasskey({}, 'my <b>phone</b>');
        const added = (await mailsTo(server, email)).at(-1)!;
        assert.match(added.text ?? '', /my <b>phone<\/b>/);
        assert.ok(!String(added.html).includes('<b>phone'));
        const path = `/v3/users/${person.id}/OS-PASSKEYS/passkeys`;
        const [passkey] = assertOk(await api.get(path)).passkeys;
        assertOk(await api.delete(`${path}/${passkey.id}`), 204);
        const mails = await mailsTo(server, email, 2);
        assert.notEqual(mails[1]!.subject, added.subject);
        assertRefused(await api.delete(`${path}/${passkey.id}`), 404);
        assert.equal(server.to(email).length, 2);
      });

      it('sessions and tokens that began with one end, but not the session in which it is removed, nor others', async () => {
        const person = await PasskeyPerson.withPasskey(api);
        const [here, there, byPassword] = [await signedIn(person), await signedIn(person), new TestBrowser(api)];
        await byPassword.signIn('/account', person);
        const scope = { scope: 'openid offline_access', prompt: 'consent' };
        const away = await visit(scope);
        const ofPasskey = await away.tokens(await person.usePasskey(away.browser, away.page));
        const plain = await visit(scope);
        const ofPassword = await plain.tokens(await plain.browser.answerForms(plain.page, person));
        await here.submit(await here.go('/account/security'), 'passkey-remove');
        assert.ok(await isSignedIn(here));
        assert.ok(!(await isSignedIn(there)));
        assert.ok(await isSignedIn(byPassword));
        for (const token of [ofPasskey.access_token, ofPasskey.refresh_token!]) assert.equal(await party.isActive(token), false);
        assert.equal(await party.isActive(ofPassword.refresh_token!), true);
      });

      it('a sign-in with one that waits to be picked up lets nobody in any more', async () => {
        for (const second of [false, true]) {
          const person = await PasskeyPerson.withPasskey(api);
          const { browser, page } = await visit(second ? { acr_values: RESISTANT } : {});
          const asked = second ? await browser.submit(page, 'password', { name: person.name, password: person.password }) : page;
          const form = asked.forms.find(({ fields }) => fields.step === (second ? 'second-passkey' : 'passkey'))!;
          const done = await browser.request(new URL(form.action, asked.url), {
            method: 'POST',
            body: new URLSearchParams({ ...form.fields, passkey: person.authenticator.get(passkeyOptionsOf(asked)) }),
            headers: { Origin: new URL(api.url).origin, 'Sec-Fetch-Site': 'same-origin' },
          });
          assert.equal(done.status, 303, done.text);
          const path = `/v3/users/${person.id}/OS-PASSKEYS/passkeys`;
          const [passkey] = assertOk(await api.get(path)).passkeys;
          assertOk(await api.delete(`${path}/${passkey.id}`), 204);
          const late = await browser.go(done.headers.get('location')!);
          assert.equal(late.redirectTarget, undefined);
          assert.ok(!(await isSignedIn(browser)), 'nobody is signed in');
        }
      });
    });

    it('tokens of the base API say how the person signed in', async () => {
      const person = await PasskeyPerson.withPasskey(api);
      const methodsFor = async (finish: (browser: TestBrowser, page: BrowserPage) => Promise<BrowserPage>) => {
        const { browser, page, tokens } = await visit({ scope: 'openid all_info' });
        const { access_token: token } = await tokens(await finish(browser, page));
        return assertOk(await logInByAccessToken(api, token), 201).token.methods.toSorted();
      };
      assert.deepEqual(await methodsFor((browser, page) => person.usePasskey(browser, page)), ['oauth2', 'passkey']);
      assert.deepEqual(await methodsFor((browser, page) => browser.answerForms(page, person)), ['oauth2', 'password']);
    });

    it('a token of somebody who became an administrator is not exchanged where a passkey is required', async () => {
      const domain = await api.make('domain', { name: STRICT });
      const project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
      const { token, user } = await api.persona(['member'], { project: project.id }, { domain_id: domain.id });
      const exchange = () =>
        api.post('/v3/auth/tokens', { auth: { identity: { methods: ['token'], token: { id: token } } } }, { token: null });
      assertOk(await exchange(), 201);
      assertOk(await api.put(`/v3/domains/${domain.id}/users/${user.id}/roles/${await api.roleId('admin')}`), 204);
      assertRefused(await exchange(), 401);
    });

    describe('an essential claim acr', () => {
      const claims = (acr: object) => ({ claims: JSON.stringify({ id_token: { acr: { essential: true, ...acr } } }) });
      const errorOf = (page: BrowserPage) => page.redirectTarget?.searchParams.get('error');

      it('is met by a stronger sign-in, of which only what is missing is asked', async () => {
        const person = await PasskeyPerson.withPasskey(api);
        const plain = await visit();
        await plain.tokens(await plain.browser.answerForms(plain.page, person));
        const { browser, page, tokens } = await visit(claims({ values: [RESISTANT] }), plain.browser);
        assert.equal(stepOf(page), 'second-passkey');
        assert.ok(!page.text.includes(words.continueWithout), 'it is no wish');
        assert.equal((await tokens(await person.usePasskey(browser, page))).claims()!.acr, RESISTANT);
        const weaker = await visit(claims({ value: MULTI }), browser);
        assert.equal((await weaker.tokens(weaker.page)).claims()!.acr, MULTI, 'in the words of the request');
      });

      it('fails when the person cannot meet it', async () => {
        const person = await PasskeyPerson.make(api);
        const { browser, page } = await visit(claims({ value: RESISTANT }));
        const failed = await browser.answerForms(page, person);
        assert.equal(errorOf(failed), 'unmet_authentication_requirements');
        for (const request of [claims({ values: ['unknown'] }), { ...claims({ value: MULTI }), prompt: 'none' }])
          assert.equal(errorOf((await visit(request, browser)).page), 'unmet_authentication_requirements');
        const met = await visit(claims({ values: ['unknown', SINGLE] }), browser);
        assert.equal((await met.tokens(met.page)).claims()!.acr, SINGLE);
      });

      it('fails when a passkey is asked for and nothing is interactive, or the step is skipped', async () => {
        const person = await PasskeyPerson.withPasskey(api);
        const plain = await visit();
        await plain.tokens(await plain.browser.answerForms(plain.page, person));
        const silent = await visit({ ...claims({ value: RESISTANT }), prompt: 'none' }, plain.browser);
        assert.equal(errorOf(silent.page), 'login_required');
        const { browser, page } = await visit(claims({ value: RESISTANT }), plain.browser);
        const forced = await browser.send(new URL(page.forms[0]!.action, page.url), { ...page.forms[0]!.fields, step: 'skip' });
        assert.equal(errorOf(forced), 'unmet_authentication_requirements');
      });

      it('is refused if it is malformed', async () => {
        for (const malformed of [
          '{',
          '[]',
          '{"id_token":{"acr":{"essential":true,"values":"phr"}}}',
          '{"id_token":{"acr":{"value":7}}}',
        ])
          assert.equal(errorOf((await visit({ claims: malformed })).page), 'invalid_request', malformed);
      });
    });
  },
  { settings: { ...AT_LOCALHOST, ...smtpSettings(server), GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder } },
);
