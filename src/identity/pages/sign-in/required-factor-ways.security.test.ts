// Everybody of a domain must have a second factor: what each way in makes of that. New logins of people need one; what programs were given,
// and what is there from before, goes on. The page that says so is docs/guide/two-factor.md.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, DEFAULT_PASSWORDS, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, Traveller } from '../../../../test/support/federation.ts';
import { intrude, intrudedPerson } from '../../../../test/support/intruder.ts';
import { InvitationClient } from '../../../../test/support/invitations.ts';
import { informationOf, KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import {
  askForPassword,
  askToRegister,
  linkIn,
  newestMail,
  newMailbox,
  startMailServer,
} from '../../../../test/support/mailbox.ts';
import { AT_LOCALHOST, PasskeyPerson, passkeyOptionsOf, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { makeUser, RelyingParty, refusal } from '../../../../test/support/relying-party.ts';
import { isSignedIn, MUST, SECURITY, usesStrictDomain } from '../../../../test/support/required-factor.ts';
import { connect, USER } from '../../../../test/support/scim.ts';
import { enable, logInWith, TOTP_KEY } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { makeTrust, trustPerson, useTrust } from '../../../../test/support/trusts.ts';

const FRESH = 'a fresh one of a person';
const LAST = /only second factor/;
const twice = { new_password: FRESH, new_password_again: FRESH };
const server = await startMailServer();

underAttack(
  'Where everybody must have a second factor',
  (api) => {
    servesAtLocalhost(api);
    const { domain, require, make, enter, enrol } = usesStrictDomain(api);
    const tokenOf = (answer: ApiAnswer): string => {
      assertOk(answer, 201);
      return answer.headers.get('x-subject-token')!;
    };
    const logIn = ({ id, password }: { id: string; password: string }) => logInWith(api, { user: { id }, password });

    it('tokens, sessions and refresh tokens from before go on', async () => {
      await require(null);
      const person = await make();
      const token = tokenOf(await logIn(person));
      const party = await RelyingParty.make(api);
      const signIn = { ...person, domain: domain().name };
      const tokens = await party.tokensFor(signIn, { scope: 'openid offline_access' });
      const keyrock = await KeyrockClient.make(api);
      const old = await keyrock.tokens({ token });
      await require('required');
      assertOk(await api.get(`/v3/users/${person.id}`, { token }));
      const identity = { methods: ['token'], token: { id: token } };
      tokenOf(await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null }));
      assert.equal((await party.userInfo(tokens)).sub, person.id);
      const renewed = await client.refreshTokenGrant(party.config, tokens.refresh_token!);
      assert.ok(await party.isActive(renewed.access_token));
      assert.equal((await informationOf(api, old.access_token)).status, 200);
      tokenOf(await logInByAccessToken(api, old.access_token));
      assert.equal((await keyrock.refresh(old.refresh_token)).status, 200);
      // All of it ends with the access of the person.
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } }));
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { enabled: true } }));
      assert.equal((await api.get(`/v3/users/${person.id}`, { token })).status, 401);
      assert.equal(await refusal(client.refreshTokenGrant(party.config, renewed.refresh_token!)), 'invalid_grant');
      assertRefused(await logIn(person), 401, MUST);
    });

    it('programs go on with what they were given, and nobody passes on more by a password', async () => {
      await require(null);
      const person = await intrudedPerson(api, { domain_id: domain().id });
      const planted = await intrude(api, person);
      const trustee = await make();
      const trust = await makeTrust(api, person, { user: trustee });
      await require('required');
      assert.deepEqual(await planted.working(), planted.all);
      // The trustee is a person, who logs in themselves.
      assertRefused(await useTrust(api, { user: trustee, password: trustee.password }, trust), 401, MUST);
    });

    it('is asked when the password was right and the policy came before the token', async () => {
      await require(null);
      const person = await make();
      const answer = await whenAt(
        'login.before-token',
        () => require('required'),
        () => logIn(person),
      );
      assertRefused(answer, 401, MUST);
    });

    it('the grant `password` of OAuth2 gives nothing, as OpenID Connect or as Keyrock has it', async () => {
      await require('required');
      const person = await make();
      const party = await RelyingParty.make(api, { grant_type: 'password' });
      const sent = { username: person.name, password: person.password, domain: domain().name };
      assert.equal(await refusal(client.genericGrantRequest(party.config, 'password', sent)), 'invalid_grant');
      const keyrock = await KeyrockClient.make(api, { grant_type: 'password' });
      const refused = await keyrock.byPassword({ user: person, password: person.password }, { domain: domain().name });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /second factor must be turned on/);
      const { phone } = await enrol(person);
      const done = await keyrock.byPassword(
        { user: person, password: person.password },
        { domain: domain().name, verification_code: phone.fresh() },
      );
      assert.equal(done.status, 200, done.text);
    });

    it('people whom a provisioning connection makes turn it on like others; the connection goes on', async () => {
      await require(null);
      const { scim } = await connect(api, domain().id);
      await require('required');
      const name = uniqueName('scim');
      const sent = { schemas: [USER], userName: name, password: FRESH, active: true, name: { familyName: 'Example' } };
      const made = await scim.post('/Users', sent);
      assert.equal(made.status, 201, made.text);
      assertRefused(await logIn({ id: made.body.id, password: FRESH }), 401, MUST);
      assert.equal(stepOf((await enter({ name, password: FRESH })).page), 'factor-create');
      // A provisioning client exempts nobody.
      const exempt = { options: { ignore_two_factor_policy: true }, ignore_two_factor_policy: true };
      await scim.put(`/Users/${made.body.id}`, { ...sent, ...exempt });
      assertRefused(await logIn({ id: made.body.id, password: FRESH }), 401, MUST);
    });

    describe('links in mails sign nobody in:', () => {
      before(() => require('required'));

      it('an invitation', async () => {
        const invitations = new InvitationClient(api, server);
        const { link } = await invitations.invited({ domain_id: domain().id });
        const { name, url } = await invitations.accepted(link);
        assert.notEqual(new URL(url).pathname, SECURITY);
        const { id } = assertOk(await api.get(`/v3/users?name=${name}`)).users[0];
        const password = 'the password that eve chose';
        assertRefused(await logIn({ id, password }), 401, MUST);
        assert.equal(stepOf((await enter({ name, password })).page), 'factor-create');
      });

      it('a registration', async () => {
        const settings = { 'registration.mode': 'open' };
        assertOk(await api.patch(`/v3/OS-SERVICE/domains/${domain().id}/settings`, { settings }));
        const email = newMailbox();
        await askToRegister(api, email, { domain: domain().name });
        const browser = new TestBrowser(api);
        const form = await browser.go(linkIn(await newestMail(server, email)));
        const done = await browser.submit(form, undefined, { name: 'Ann Example', ...twice });
        assert.equal(done.status, 200, done.text);
        assert.ok(!isSignedIn(await browser.go(SECURITY)));
        assert.equal(stepOf((await enter({ name: email, password: FRESH }, browser)).page), 'factor-create');
      });

      it('a forgotten password', async () => {
        const email = newMailbox();
        const person = await make({ email });
        await askForPassword(api, person.name, { domain: domain().name });
        const browser = new TestBrowser(api);
        await browser.submit(await browser.go(linkIn(await newestMail(server, email))), undefined, twice);
        assert.ok(!isSignedIn(await browser.go(SECURITY)));
        assert.equal(stepOf((await enter({ ...person, password: FRESH }, browser)).page), 'factor-create');
      });
    });

    it('an expired password is replaced first, by whoever shows what they have', async () => {
      await require('required');
      const expire = ({ id }: { id: string }) => api.request('POST', `/v3/users/${id}/OS-PASSWORD/expire`);
      const person = await make();
      assertOk(await expire(person));
      const { browser, page } = await enter(person);
      assert.equal(stepOf(page), 'new-password', page.text);
      const changed = await browser.submit(page, 'new-password', { password: person.password, ...twice });
      assert.equal(stepOf(changed), 'factor-create', changed.text);
      // Somebody whose second factor is a passkey: the password alone changes nothing.
      const careful = await PasskeyPerson.make(api, { domain_id: domain().id });
      await require(null);
      const first = await enter(careful);
      const adding = await first.browser.submit(first.page, 'passkey-new');
      const passkey = careful.authenticator.create(passkeyOptionsOf(adding, 'create'));
      await first.browser.submit(adding, 'passkey-create', { passkey, passkey_name: 'a phone' });
      await require('required');
      const body = { user: { original_password: careful.password, password: FRESH } };
      const change = () => api.post(`/v3/users/${careful.id}/password`, body, { token: null });
      assert.deepEqual(assertedMethods(await change()), ['passkey']);
      assertOk(await expire(careful));
      assert.deepEqual(assertedMethods(await change()), ['passkey']);
    });
    const assertedMethods = (answer: ApiAnswer): unknown => {
      assertRefused(answer, 401);
      return answer.body.error.identity?.methods;
    };

    it('a remembered device counts until an administrator resets the second factor', async () => {
      await require('required');
      const person = await make();
      const { phone } = await enrol(person);
      const known = { user: { id: person.id }, password: person.password };
      const made = await logInWith(api, known, { verification_code: phone.fresh(), remember_device: true });
      tokenOf(made);
      const browser = new TestBrowser(api);
      const asked = (await enter(person, browser)).page;
      assert.ok(isSignedIn(await browser.submit(asked, 'code', { code: phone.fresh(), remember: 'yes' })));
      browser.forget(/^gatehouse_(session|interaction|resume)/);
      assert.ok(isSignedIn((await enter(person, browser)).page), 'the browser is known');
      assertOk(await api.delete(`/v3/users/${person.id}/OS-TWO-FACTOR/two_factor_auth`), 204);
      browser.forget(/^gatehouse_(session|interaction|resume)/);
      assert.equal(stepOf((await enter(person, browser)).page), 'factor-create');
    });

    describe('another provider', () => {
      const id = uniqueName('idp');
      let provider: PlainProvider;
      let application: RelyingParty;
      before(async () => {
        // Where browsers offer passkeys, the service has another name.
        provider = await providerFor(id, { redirectUri: `${api.url}/openid/providers/${id}/callback` });
        application = await RelyingParty.make(api);
        await connectProvider(api, provider, { id, domainId: domain().id, settings: { accepts_tokens: true } });
        await require('required');
      });
      after(() => provider.stop());

      it('is one factor: at the pages another one is turned on, and the API refuses', async () => {
        const traveller = new Traveller(api, application, provider, id);
        const { page } = await traveller.travel(uniqueName('fred'));
        const asked = await traveller.browser.submit(page, 'provider-new');
        assert.equal(stepOf(asked), 'factor-create', asked.text);
        const tokens = new ProviderTokens(api, provider, id);
        const logInByToken = (sub: string) => tokens.logIn(sub, { email: `${sub}@example.org` });
        assertRefused(await logInByToken(uniqueName('gina')), 401, MUST);
        await require(null);
        const sub = uniqueName('hanna');
        const token = tokenOf(await logInByToken(sub));
        await require('required');
        assertOk(await tokens.validate(token));
        assertRefused(await logInByToken(sub), 401, MUST);
      });
    });

    describe('nobody takes away their last one themselves:', () => {
      before(() => require('required'));
      /** Somebody with this many keys of codes, stored as Keystone does, and a token of a login with one of them. */
      async function withKeys(many: number) {
        await require(null);
        const person = await make();
        const token = tokenOf(await logIn(person));
        const keys: string[] = [];
        for (let at = 0; at < many; at++) {
          const credential = { type: 'totp', blob: TOTP_KEY, user_id: person.id };
          keys.push(assertOk(await api.post('/v3/credentials', { credential }, { token }), 201).credential.id);
        }
        await require('required');
        return { person, token, keys };
      }

      it('a key of codes is not deleted, made into something else, or ended with other access', async () => {
        const { person, token, keys } = await withKeys(1);
        const path = `/v3/credentials/${keys[0]}`;
        assertRefused(await api.delete(path, { token }), 403, LAST);
        assertRefused(await api.patch(path, { credential: { type: 'note' } }, { token }), 403, LAST);
        const access = `/v3/users/${person.id}/OS-DELEGATED/access`;
        assertRefused(await api.delete(`${access}/key/${keys[0]}`, { token }), 403, LAST);
        assertRefused(await api.delete(access, { token }), 403, LAST);
        assertOk(await api.get(path));
        assertOk(await enable(api, person, undefined, { token }), 201);
        assertOk(await api.delete(path), 204);
      });

      it('of two that are deleted at once, one stays', async () => {
        const { token, keys } = await withKeys(2);
        const answers = await Promise.all(keys.map((id) => api.delete(`/v3/credentials/${id}`, { token })));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 403]);
      });

      it('the last passkey stays until there are codes', async () => {
        await require(null);
        const person = await PasskeyPerson.make(api, { domain_id: domain().id });
        const { browser, page } = await enter(person);
        const adding = await browser.submit(page, 'passkey-new');
        const passkey = person.authenticator.create(passkeyOptionsOf(adding, 'create'));
        const added = await browser.submit(adding, 'passkey-create', { passkey, passkey_name: 'a phone' });
        await require('required');
        const refused = await browser.submit(added, 'passkey-remove');
        assert.equal(refused.status, 400, refused.text);
        assertOk(await enable(api, person), 201);
        const again = new TestBrowser(api);
        const home = await person.usePasskey(again, await again.go(SECURITY));
        assert.equal((await again.submit(home, 'passkey-remove')).status, 200);
      });
    });

    it('only administrators exempt an account; managers of the domain exempt nobody, themselves included', async () => {
      await require(null);
      const { user, token } = await api.persona(['manager'], { domain: domain().id }, { domain_id: domain().id });
      await require('required');
      const person = await make();
      const exempt = { options: { ignore_two_factor_policy: true } };
      const EXEMPT = /Only administrators exempt/;
      for (const { id } of [user, person])
        assertRefused(await api.patch(`/v3/users/${id}`, { user: exempt }, { token }), 403, EXEMPT);
      const another = { name: uniqueName('program'), domain_id: domain().id, ...exempt };
      assertRefused(await api.post('/v3/users', { user: another }, { token }), 403, EXEMPT);
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: exempt }));
      tokenOf(await logIn(person));
      // What is so already is no change, and making it stricter is theirs.
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { ...exempt, description: 'a program' } }, { token }));
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { options: { ignore_two_factor_policy: null } } }, { token }));
      assertRefused(await logIn(person), 401, MUST);
    });

    it('shuts no administrator out: whoever has none turns one on at the pages', async () => {
      await require(null);
      const { user, password } = await api.persona(['admin'], 'system', { domain_id: domain().id });
      await require('required');
      const person = { ...user, password };
      assertRefused(await logIn(person), 401, MUST);
      const { phone, browser, page } = await enrol(person);
      assert.ok(isSignedIn(await browser.submit(page, 'factor-kept')));
      const login = await logInWith(api, { user, password }, { verification_code: phone.fresh() });
      assertOk(login, 201);
    });

    it('a trust for somebody of another domain goes on', async () => {
      await require(null);
      const trustor = await intrudedPerson(api, { domain_id: domain().id });
      const trustee = await trustPerson(api);
      const trust = await makeTrust(api, trustor, trustee);
      await require('required');
      tokenOf(await useTrust(api, trustee, trust));
      assertRefused(await api.authenticate({ id: trustor.user.id, password: trustor.password }), 401, MUST);
      const other = await makeUser(api);
      tokenOf(await logIn(other));
    });

    // Last: afterwards, the administrator's sign-in is old, too.
    it('a token from before leads to more for as long as a sign-in counts as recent, as it does when nothing was changed', async () => {
      await require(null);
      const person = await intrudedPerson(api, { domain_id: domain().id });
      await require('required');
      const path = `/v3/users/${person.user.id}/application_credentials`;
      const program = () => api.post(path, { application_credential: { name: uniqueName('late') } }, { token: person.token });
      assertOk(await program(), 201);
      api.clock.advance(16 * 60);
      assertRefused(await program(), 401);
    });
  },
  { settings: { ...AT_LOCALHOST, ...smtpSettings(server), ...DEFAULT_PASSWORDS } },
);
