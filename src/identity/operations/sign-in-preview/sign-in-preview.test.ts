import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';
import { AT_LOCALHOST, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { enable, logInWith, TOTP_KEY } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { passkeyOf } from '../../../../test/support/ways-in.ts';

const pathOf = (id: string): string => `/v3/users/${id}/OS-ACCESS/sign-in`;
const LEFT = 'GATEHOUSE_IDENTITY_DOMAIN_MANAGER_SETTINGS';

async function previewOf(api: TestApi, id: string, token?: string) {
  const preview = assertOk(await api.get(pathOf(id), token === undefined ? {} : { token })).sign_in;
  const way = (name: string) => preview.ways.find((one: { way: string }) => one.way === name);
  return { ...preview, way };
}

onUsualDatabase(
  'What happens when somebody signs in',
  (api) => {
    servesAtLocalhost(api);
    const db = usesDatabaseOf(api);
    const inDomain = async (settings: Record<string, string> = {}) => {
      const domain = (await api.make('domain', { name: uniqueName('domain') })).id as string;
      if (Object.keys(settings).length > 0) assertOk(await api.patch(`/v3/OS-SERVICE/domains/${domain}/settings`, { settings }));
      return { domain, person: await makeUser(api, { domain_id: domain }) };
    };
    const logIn = ({ id, password }: { id: string; password: string }) => api.authenticate({ id, password });

    it('is said with what comes next, and with where each setting comes from', async () => {
      const { person, domain } = await inDomain({ 'sessions.token_seconds': '120' });
      const preview = await previewOf(api, person.id);
      assert.deepEqual([preview.refusals, preview.domain_id, preview.paused_until], [[], domain, null]);
      assert.deepEqual(preview.way('password'), {
        way: 'password',
        open: true,
        why: null,
        until: null,
        asks: [],
        provider: null,
      });
      assert.deepEqual([preview.way('wallet').why, preview.way('passkey').why], ['off', 'none']);
      const setting = (key: string) => preview.settings.find((one: { key: string }) => one.key === key);
      assert.deepEqual(setting('sessions.token_seconds'), { key: 'sessions.token_seconds', value: '120', source: 'domain' });
      assert.equal(setting('lock_out.attempts').source, 'default');
      assert.equal((await enable(api, person)).status, 201);
      const after = await previewOf(api, person.id);
      assert.deepEqual(
        [after.way('password').asks, after.second_factor],
        [['code'], { policy: 'optional', enabled: true, devices: 0, locked_until: null }],
      );
      const wrong = { user: person, password: person.password };
      for (let at = 0; at < 5; at++) await logInWith(api, wrong, { verification_code: 'none' });
      assert.ok(Date.parse((await previewOf(api, person.id)).second_factor.locked_until) > api.clock.now());
      assert.equal((await logIn(person)).headers.get('openstack-auth-receipt') !== null, true);
    });

    it('is what a login then meets: a lock-out, an expired password, a disabled account and domain', async () => {
      const { person, domain } = await inDomain({ 'lock_out.attempts': '1', 'lock_out.duration': '60' });
      assert.equal((await logIn({ ...person, password: 'wrong' })).status, 401);
      const locked = (await previewOf(api, person.id)).way('password');
      assert.deepEqual([locked.open, locked.why, locked.asks], [false, 'locked_out', []]);
      assert.ok(Date.parse(locked.until) > api.clock.now());
      assert.equal((await logIn(person)).status, 401);
      assertOk(await api.delete(`/v3/users/${person.id}/OS-LOCK/lock`), 204);
      assert.equal((await previewOf(api, person.id)).way('password').open, true);
      assert.equal((await logIn(person)).status, 201);
      assertOk(await api.request('POST', `/v3/users/${person.id}/OS-PASSWORD/expire`));
      const expired = (await previewOf(api, person.id)).way('password');
      assert.deepEqual([expired.open, expired.asks], [true, ['new_password']]);
      assert.equal((await logIn(person)).status, 401);
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } }));
      assertOk(await api.patch(`/v3/domains/${domain}`, { domain: { enabled: false } }));
      const closed = await previewOf(api, person.id);
      assert.deepEqual(closed.refusals, ['user_disabled', 'domain_of_user_disabled']);
      assert.deepEqual([closed.way('password').open, closed.way('password').why], [false, 'account_closed']);
    });

    it('has the second factor that everybody must have, in all its states', async () => {
      const { person, domain } = await inDomain({ 'two_factor.policy': 'required' });
      const read = async (id: string) => {
        const { way, second_factor: factor } = await previewOf(api, id);
        return [way('password').asks, factor.policy, factor.enabled];
      };
      const statusOf = async () => (await logIn(person)).status;
      assert.deepEqual(await read(person.id), [['new_factor'], 'required', false]);
      assert.equal(await statusOf(), 401);
      const exempt = (value: true | null) =>
        api.patch(`/v3/users/${person.id}`, { user: { options: { ignore_two_factor_policy: value } } });
      assertOk(await exempt(true));
      assert.deepEqual(await read(person.id), [[], 'exempt', false]);
      assert.equal(await statusOf(), 201);
      assertOk(await exempt(null));
      assertOk(await enable(api, person), 201);
      assert.deepEqual(await read(person.id), [['code'], 'required', true]);
      // Codes of a key that is stored as a credential, and passkeys, are second factors, too.
      const keyed = await makeUser(api, { domain_id: domain });
      const credential = { type: 'totp', blob: TOTP_KEY, user_id: keyed.id };
      assertOk(await api.post('/v3/credentials', { credential }), 201);
      assert.deepEqual(await read(keyed.id), [['code'], 'required', false]);
      const careful = await makeUser(api, { domain_id: domain });
      await db().write((tx) => tx.insertInto('passkeys').values(passkeyOf(careful.id)).execute());
      assert.deepEqual(await read(careful.id), [['passkey'], 'required', false]);
      assert.deepEqual((await previewOf(api, careful.id)).way('passkey').asks, []);
    });

    it('ends with terms that are accepted at sign-in, and not with those that were', async () => {
      const { person } = await inDomain();
      const terms = (version: string | null) => {
        const url = version === null ? null : 'https://example.org/terms';
        const asked = version === null ? null : 'true';
        return api.patch('/v3/OS-SERVICE/settings', {
          settings: {
            GATEHOUSE_IDENTITY_TERMS_VERSION: version,
            GATEHOUSE_IDENTITY_TERMS_URL: url,
            GATEHOUSE_IDENTITY_TERMS_AT_SIGN_IN: asked,
          },
        });
      };
      assert.equal((await previewOf(api, person.id)).terms, null);
      assertOk(await terms('2026-11'));
      assert.deepEqual((await previewOf(api, person.id)).terms, { version: '2026-11', url: 'https://example.org/terms' });
      const browser = new TestBrowser(api);
      const domainName = assertOk(await api.get(`/v3/domains/${(await previewOf(api, person.id)).domain_id}`)).domain.name;
      const asked = await browser.submit(await browser.go('/account'), 'password', { ...person, domain: domainName });
      assert.equal(stepOf(asked), 'terms', asked.text);
      await browser.submit(asked, 'terms', { terms: '2026-11' });
      assert.equal((await previewOf(api, person.id)).terms, null);
      assertOk(await terms('2027-01'));
      assert.equal((await previewOf(api, person.id)).terms.version, '2027-01');
      assertOk(await terms(null));
    });

    it('names the provider to which the domain of the address leads, linked or not', async () => {
      const { domain } = await inDomain();
      const id = uniqueName('idp');
      const mail = `${uniqueName('mail')}.example`;
      const openid = {
        issuer: 'https://idp.example.org',
        client_id: 'gatehouse',
        client_secret: 'a secret of a client',
        button_name: 'Staff',
        email_domains: [mail],
      };
      const mapping = { rules: [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] }] };
      const made = await api.post('/v3/OS-FEDERATION/sign_in_providers', {
        sign_in_provider: { id, domain_id: domain, enabled: true, mapping, openid },
      });
      assertOk(made, 201);
      const person = await makeUser(api, { domain_id: domain, email: `ada@${mail}` });
      const way = (await previewOf(api, person.id)).way('provider');
      assert.deepEqual(way, {
        way: 'provider',
        open: false,
        why: 'none',
        until: null,
        asks: [],
        provider: { id, name: 'Staff', is_home: true, is_linked: false },
      });
    });

    it('is for administrators and managers of the domain, who learn nothing of what proves who somebody is', async () => {
      const { person, domain } = await inDomain();
      const other = await inDomain();
      const managerOf = async (id: string) => (await api.persona(['manager'], { domain: id }, { domain_id: id })).token;
      const [manager, stranger] = [await managerOf(domain), await managerOf(other.domain)];
      assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { [LEFT]: 'lock_out,two_factor,sessions' } }));
      assert.equal((await enable(api, person)).status, 201);
      const seen = await previewOf(api, person.id, manager);
      assert.equal(seen.second_factor, null);
      assert.deepEqual([seen.way('password').open, seen.way('password').asks], [true, null]);
      assert.deepEqual([seen.way('passkey').open, seen.way('passkey').why, seen.way('passkey').asks], [null, null, null]);
      assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { [LEFT]: null } }));
      const own = (await logIn(other.person)).headers.get('x-subject-token')!;
      await assertGuarded(api, [stranger, own], [{ method: 'GET', path: pathOf(person.id), missing: pathOf('f'.repeat(32)) }]);
    });
  },
  { settings: AT_LOCALHOST },
);
