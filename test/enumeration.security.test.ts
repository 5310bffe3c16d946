// Nobody learns whether an account exists: answers and times are the same for those that do and those that do not, on every page and call
// where a stranger can name one. All of these are listed below, with the place where that is tested.
//
// Answers (status, headers, text) are compared on both databases, times on SQLite only. What takes time is the same code on both: hashes of
// passwords, and the statements of a request, of which there must be as many for an account that does not exist. One more or less is the larger
// part of a request on SQLite, where nothing waits for another process, and so is seen there best. Thousands of requests to PostgreSQL would
// take minutes on a busy machine and show less.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, it } from 'node:test';
import { KNOWN_PATHS } from '../src/identity/openid/paths/index.ts';
import { onUsualDatabase, type TestApi, uniqueName } from './support/api.ts';
import { connectProvider } from './support/federation.ts';
import { InvitationClient, submit } from './support/invitations.ts';
import { ACCESS_TOKEN, basic } from './support/keyrock-client.ts';
import { smtpSettings } from './support/mail-server.ts';
import { newMailbox, startMailServer } from './support/mailbox.ts';
import { AT_LOCALHOST, PasskeyPerson, passkeyOptionsOf, servesAtLocalhost } from './support/passkeys.ts';
import { makeUser, RelyingParty } from './support/relying-party.ts';
import { identityRoutes, isOpen, nameOfRoute } from './support/routes.ts';
import { type BrowserPage, TestBrowser } from './support/test-browser.ts';
import * as timing from './support/timing.ts';

const HERE = 'answers and times are measured in this file';
const NOBODY = 'names no account';
const SECRET = 'names an account by a long random secret only, which nobody can guess';
const SESSION = 'is for people who are signed in; others are sent to the sign-in page, whatever the address';

/**
 * Every route and page that needs no token. All other routes refuse a request without one before they look at anything
 * (src/identity/access/rules/existence.security.test.ts has those with a token).
 * Limits (429) are compared in enumeration-limits.security.test.ts, directories in src/identity/directory/ldap/enumeration.security.test.ts.
 */
const OPEN: Readonly<Record<string, string>> = {
  'POST /v3/auth/tokens': `${HERE}: password and totp, by name and by id, with a device; the methods token and oauth2 are secrets`,
  'POST /v3/users/:user_id/password': HERE,
  'GET /': NOBODY,
  'GET /v3': NOBODY,
  'POST /openid/introspect': SECRET,
  'POST /openid/clients': NOBODY,
  'GET /openid/clients/:client_id': SECRET,
  'PUT /openid/clients/:client_id': SECRET,
  'DELETE /openid/clients/:client_id': SECRET,
  'GET /openid/status-lists/:list_id': NOBODY,
  'GET /openid/status-lists/:list_id/bitstring': NOBODY,
  'GET /openid/status-lists/:list_id/suspension': NOBODY,
  'GET /.well-known/did.json': NOBODY,
  'GET /.well-known/openid-credential-issuer': NOBODY,
  'GET /.well-known/oauth-protected-resource': NOBODY,
  'GET /.well-known/oauth-protected-resource/scim/v2': NOBODY,
  'POST /openid/credentials/nonce': NOBODY,
  'POST /openid/credentials/credential': SECRET,
  'POST /openid/credentials/notification': SECRET,
  'GET /openid/credentials/offers/:offer_id': SECRET,
  'GET /.well-known/jwt-vc-issuer': NOBODY,
  'GET /openid/credential-types/:type_id': NOBODY,
  'GET /v4/issuers/:did': NOBODY,
  'GET /v3/OS-SIMPLE-CERT/ca': NOBODY,
  'GET /v3/OS-SIMPLE-CERT/certificates': NOBODY,
  // All refusals are the same: src/identity/login/federation/token-logins.security.test.ts
  'GET /v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id/auth': SECRET,
  'POST /v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id/auth': SECRET,
  'POST /v3/OS-OAUTH1/access_token': SECRET,
  'POST /v3/OS-OAUTH1/request_token': SECRET,
  'POST /v3/OS-OAUTH2/token': SECRET,
  '/.well-known/openid-configuration': NOBODY,
  '/.well-known/oauth-authorization-server': NOBODY,
  '/openid/jwks': NOBODY,
  '/openid/authorize': `${HERE}: login_hint`,
  '^/openid/authorize/[^/]+$': NOBODY,
  '^/openid/interaction/[^/]+$': `${HERE}: password, new password, passkey, provider by e-mail; a wallet: src/identity/pages/sign-in/wallet-withdrawn.security.test.ts; other steps come after one of these`,
  '^/openid/providers/[\\w.~-]{1,64}/callback$':
    'a choice that does not depend on accounts: src/identity/pages/sign-in/providers.test.ts',
  '^/openid/providers/[\\w.~-]{1,64}/jwks$': NOBODY,
  '^/openid/providers/[\\w.~-]{1,64}/requests/[\\w-]{43}$': SECRET,
  '^/openid/providers/[\\w.~-]{1,64}/login$': NOBODY,
  '^/openid/providers/[\\w.~-]{1,64}/logout$': SECRET,
  '^/openid/wallet/requests/[\\w-]{22}$': SECRET,
  '^/openid/wallet/requests/[\\w-]{22}/answer$': SECRET,
  '^/openid/wallet/answers/[\\w-]{43}$': SECRET,
  '/openid/token': `${HERE}: password grant; others are secrets`,
  '/v3/OS-OAUTH2/access_token': `${HERE}: password grant`,
  '^/v3/auth/OS-FEDERATION/websso/([\\w.~-]{1,64})$': SESSION,
  '^/v3/auth/OS-FEDERATION/identity_providers/([\\w.~-]{1,64})/protocols/([\\w.~-]{1,64})/websso$': SESSION,
  '/openid/userinfo': SECRET,
  '/openid/introspect': SECRET,
  '/openid/revoke': SECRET,
  '/openid/challenge': NOBODY,
  '/openid/par': `${NOBODY}; its login_hint is that of the authorization request`,
  '/openid/device': 'names no account: codes of devices, and then the sign-in',
  '/openid/device/authorize': NOBODY,
  '/openid/backchannel':
    'An application that is registered for it; who is meant is looked up after the answer, which is the same for everybody',
  '^/openid/device/[^/]+$': NOBODY,
  '/openid/logout': SECRET,
  '/openid/logout/confirm': SECRET,
  '/openid/logout/success': NOBODY,
  '^/openid/assets/[\\w.-]+$': NOBODY,
  '/favicon.ico': NOBODY,
  '^/openid/pictures/([\\w-]{43})$': SECRET,
  '^/openid/previews/([\\w-]{43})(/style\\.css)?$': SECRET,
  '^/openid/logos/([\\w-]{43})$': NOBODY,
  '^/openid/looks/([\\w-]{43})$': NOBODY,
  '/.well-known/change-password': NOBODY,
  '/openid/language': NOBODY,
  '/account': SESSION,
  '/account/profile': SESSION,
  '/account/security': SESSION,
  '/account/sessions': SESSION,
  '/account/applications': SESSION,
  '/account/access': SESSION,
  '/account/activity': SESSION,
  '/account/data': SESSION,
  '/console/session': SESSION,
  '^/console(?:/.*)?$': NOBODY,
  '/openid/forgotten-password': HERE,
  '/openid/new-password': SECRET,
  '/openid/register': HERE,
  '/openid/confirm-email': SECRET,
  '/openid/new-email': SESSION,
  '/openid/invitation': `${HERE}, for readers of the mail; ${SECRET}`,
};

const server = await startMailServer();
const settings = {
  ...smtpSettings(server),
  ...AT_LOCALHOST,
  GATEHOUSE_IDENTITY_REGISTRATION: 'open',
  // So that failures are counted, which takes time. Nobody is locked here.
  GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '100000',
  // Slow enough that a hash more or less is seen.
  GATEHOUSE_IDENTITY_ARGON2_MEMORY: '4096',
  GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
};

/** Answers to requests that name somebody: `name` is what the answer may repeat. */
type Answer = Pick<BrowserPage, 'status' | 'headers' | 'text'>;
type Ask = (name: string) => Promise<Answer>;

/** The length is that of the text, which is compared without the name. */
const OTHER_EACH_TIME = ['date', 'content-length', 'x-openstack-request-id'];

/** Of cookies, all but their value. */
const plainHeaders = (headers: Headers): string =>
  [...headers]
    .filter(([name]) => !OTHER_EACH_TIME.includes(name))
    .map(
      ([name, value]) => `${name}: ${name === 'set-cookie' ? value.replace(/=[^;]*/, '').replace(/expires=[^;]*/i, '') : value}`,
    )
    .join('\n');

/** Without the values that differ with every answer. */
const plain = ({ status, headers, text }: Answer, name: string): string =>
  `${status} ${plainHeaders(headers)}\n${text}`
    .replaceAll(name, '#')
    .replaceAll(/(form_token" value|challenge(&quot;|")?:?(&quot;|")?)[=:]?"?[\w-]+/g, '$1')
    .replaceAll(/interaction[/=][\w-]+/g, 'interaction')
    .replaceAll(/"req-[\w-]+"/g, '');

onUsualDatabase(
  'An account that exists, and one that does not',
  (api: TestApi) => {
    servesAtLocalhost(api);
    let known: { id: string; name: string; email: string };
    let disabled: { id: string; name: string; email: string };
    let party: RelyingParty;
    before(async () => {
      const [one, other] = [await makeUser(api), await makeUser(api, { enabled: false })];
      known = { id: one.id, name: one.name, email: one.user.email };
      disabled = { id: other.id, name: other.name, email: other.user.email };
      party = await RelyingParty.make(api, { grant_type: 'password' });
    });

    const hasTimes = api.kind === 'SQLite';
    const assertSameTime: typeof timing.assertSameTime = async (...asked) => {
      if (hasTimes) await timing.assertSameTime(...asked);
    };

    type Names = { known: string; disabled: string; unknown: () => string };
    async function answersAreTheSame(ask: Ask, names: Names) {
      const answers = new Set<string>();
      for (const name of [names.known, names.disabled, names.unknown()]) answers.add(plain(await ask(name), name));
      assert.equal(answers.size, 1, [...answers].join('\n'));
    }
    async function cannotBeTold(what: string, ask: Ask, names: Names) {
      await answersAreTheSame(ask, names);
      await assertSameTime(
        what,
        () => ask(names.known),
        () => ask(names.unknown()),
      );
    }
    const byName = () => ({ known: known.name, disabled: disabled.name, unknown: () => uniqueName('nobody') });
    const byId = () => ({ known: known.id, disabled: disabled.id, unknown: () => randomBytes(16).toString('hex') });
    const byEmail = () => ({ known: known.email, disabled: disabled.email, unknown: newMailbox });

    const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      new TestBrowser(api).send(path, fields, headers);
    const password = 'not the password';

    it('look the same to whoever has forgotten a password', async () => {
      await cannotBeTold('forgotten password', (name) => post('/openid/forgotten-password', { name }), byName());
      await cannotBeTold('forgotten password by e-mail', (name) => post('/openid/forgotten-password', { name }), byEmail());
      await assertSameTime(
        'forgotten password of a disabled account',
        () => post('/openid/forgotten-password', { name: disabled.name }),
        () => post('/openid/forgotten-password', { name: uniqueName('nobody') }),
      );
    });

    it('look the same in the request after that one, while the mail is made', async () => {
      const twice = async (name: string) => {
        const first = await post('/openid/forgotten-password', { name });
        await new TestBrowser(api).go('/openid/forgotten-password');
        return first;
      };
      await cannotBeTold('the request after it', twice, byName());
    });

    it('look the same to whoever registers', () =>
      cannotBeTold('register', (email) => post('/openid/register', { email }), byEmail()));

    it('look the same at the sign-in page, with its options for passkeys', async () => {
      const url = (name: string) => party.ask({ login_hint: name }).then((asked) => asked.url);
      await cannotBeTold('sign-in page', async (name) => new TestBrowser(api).go(await url(name)), byName());
      const browser = new TestBrowser(api);
      const page = await browser.go((await party.ask()).url);
      await cannotBeTold('sign-in', (name) => browser.submit(page, 'password', { name, password }), byName());
    });

    it('look the same at the sign-in page, when an expired password is replaced there', async () => {
      const browser = new TestBrowser(api);
      const page = await browser.go((await party.ask()).url);
      const form = page.forms.find(({ fields }) => fields.step === 'password')!;
      const fresh = { step: 'new-password', password, new_password: 'another', new_password_again: 'another' };
      const ask: Ask = (name) => browser.send(new URL(form.action, page.url), { ...form.fields, ...fresh, name });
      await cannotBeTold('new password', ask, byName());
    });

    it('look the same to passkeys, whatever they say', async () => {
      const [person, other] = [await PasskeyPerson.withPasskey(api), await PasskeyPerson.withPasskey(api)];
      const browser = new TestBrowser(api);
      const page = await browser.go((await party.ask()).url);
      const disable = await api.patch(`/v3/users/${other.id}`, { user: { enabled: false } });
      assert.equal(disable.status, 200);
      const answer = person.authenticator.get(passkeyOptionsOf(page), { foreignKey: true });
      const idOf = ({ authenticator }: PasskeyPerson) => authenticator.passkeys[0]!.id.toString('base64url');
      const unknown = () => randomBytes(32).toString('base64url');
      for (const userHandle of [undefined, person.authenticator.passkeys[0]!.userHandle]) {
        const ask: Ask = (id) => {
          const { response, ...rest } = JSON.parse(answer);
          const passkey = JSON.stringify({ ...rest, id, rawId: id, response: { ...response, userHandle } });
          return browser.submit(page, 'passkey', { passkey });
        };
        await cannotBeTold('passkey', ask, { known: idOf(person), disabled: idOf(other), unknown });
      }
    });

    it('look the same at the base API, by name and by id, with every method', async () => {
      const ask = (methods: string[], more: Record<string, object>) =>
        api.post('/v3/auth/tokens', { auth: { identity: { methods, ...more } } }, { token: null });
      const device_data = { device_id: 'a device', device_token: 'a token' };
      await cannotBeTold('tokens', (name) => api.authenticate({ name, password }), byName());
      await cannotBeTold('tokens by id', (id) => api.authenticate({ id, password }), byId());
      const withDevice: Ask = (id) => ask(['password'], { password: { user: { id, password, device_data } } });
      await cannotBeTold('tokens with a device', withDevice, byId());
      const domain = { id: 'default' };
      await cannotBeTold('codes', (name) => ask(['totp'], { totp: { user: { name, domain, passcode: '000000' } } }), byName());
      await cannotBeTold('codes by id', (id) => ask(['totp'], { totp: { user: { id, passcode: '000000' } } }), byId());
      const ofDisabled = [() => api.authenticate({ id: disabled.id, password }), () => api.authenticate({ id: 'x', password })];
      await assertSameTime('tokens of a disabled account', ofDisabled[0]!, ofDisabled[1]!);
    });

    it('look the same to whoever changes a password by id', async () => {
      const user = { original_password: password, password: 'another' };
      const ask: Ask = (id) => api.post(`/v3/users/${id}/password`, { user }, { token: null });
      await cannotBeTold('password', ask, byId());
    });

    it('look the same at the password grant, at both of its addresses', async () => {
      const { application } = party;
      for (const path of ['/openid/token', ACCESS_TOKEN]) {
        const grant: Ask = async (username) => {
          const body = new URLSearchParams({ grant_type: 'password', username, password });
          const headers = { Authorization: basic(application) };
          const answer = await fetch(`${api.url}${path}`, { method: 'POST', body, headers });
          return { status: answer.status, headers: answer.headers, text: await answer.text() };
        };
        await answersAreTheSame(grant, byName());
        // The second address only translates the request.
        if (path !== ACCESS_TOKEN) await cannotBeTold('password grant', grant, byName());
      }
    });

    it('look the same to whoever asks for the provider of an address', async () => {
      // Nobody answers there: what is compared does not go further.
      const away = { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'y' };
      await connectProvider(api, away, { settings: { email_domains: ['example.org'] } });
      const browser = new TestBrowser(api);
      const page = await browser.submit(await browser.go((await party.ask()).url), 'provider-ask');
      await cannotBeTold('provider', (address) => browser.submit(page, 'provider-email', { address }), byEmail());
    });

    it('look the same to whoever reads an invitation, unless they have proved the address before', async () => {
      const client = new InvitationClient(api, server);
      const invite = async (email: string) => ({ email, ...(await client.opened((await client.invited({ email })).link)) });
      const [one, other] = [await invite(known.email), await invite(newMailbox())];
      const plainPage = (page: BrowserPage, email: string) => plain(page, email);
      assert.equal(plainPage(one.page, one.email), plainPage(other.page, other.email));
      const accept = ({ browser, page }: typeof one) =>
        submit(browser, page, 'create', { name: known.name, new_password: 'one', new_password_again: 'another' });
      assert.equal(plainPage(await accept(one), one.email), plainPage(await accept(other), other.email));
      const look = ({ browser }: typeof one) => browser.go('/openid/invitation');
      await assertSameTime(
        'invitation',
        () => look(one),
        () => look(other),
      );
      const { invitation, link } = await client.invited({ email: known.email });
      const { browser } = await client.opened(link);
      assert.equal((await client.withdraw(invitation.id)).status, 204);
      const unknown = `/openid/invitation?token=${randomBytes(32).toString('base64url')}`;
      assert.equal((await look({ ...one, browser })).text, (await new TestBrowser(api).go(unknown)).text);
    });

    it('are named nowhere else without a token', () => {
      const routes = identityRoutes().filter(isOpen).map(nameOfRoute);
      const open = [...routes, ...KNOWN_PATHS].sort();
      assert.deepEqual(Object.keys(OPEN).sort(), open, 'each is in OPEN, with why it tells nothing about accounts');
    });

    it('would be told apart by one hash', { skip: !hasTimes }, () =>
      timing.assertOtherTime(
        'a hash',
        () => api.authenticate({ name: known.name, password }),
        () => api.get('/v3', { token: null }),
      ),
    );
  },
  { settings },
);
