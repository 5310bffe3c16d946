import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, STORABLE_PASSWORDS, uniqueName } from '../../../../test/support/api.ts';
import { programTokenOf } from '../../../../test/support/programs.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

type Texts = Readonly<Record<string, string | null>>;

const SECRET = 'the password of the directory';
const pathOf = (domainId: string): string => `/v3/OS-SERVICE/domains/${domainId}/settings`;
const LEFT = 'GATEHOUSE_IDENTITY_DOMAIN_MANAGER_SETTINGS';

const GROUPS = 'passwords,lock_out,two_factor,sessions,registration,application_registration,passkeys,wallet,account';
/** More open than the service in the test, or without an order. */
const LOOSER: Readonly<Record<string, readonly string[]>> = {
  'passwords.min_length': ['7', '1'],
  'passwords.common': ['allow'],
  'passwords.regex': ['(a+)+$', '.*'],
  'passwords.regex_description': ['Anything.'],
  'passwords.unique_last_count': ['4', '0'],
  'passwords.minimum_age': ['1', '0'],
  'passwords.expires_days': ['31', '36500', ''],
  'passwords.change_upon_first_use': ['off'],
  'lock_out.attempts': ['6', '1', ''],
  'lock_out.duration': ['1', '31536000'],
  'two_factor.policy': ['optional'],
  'two_factor.device_days': ['91'],
  'sessions.idle_seconds': ['28801'],
  'sessions.seconds': ['604801'],
  'sessions.token_seconds': ['3601'],
  'sessions.access_token_seconds': ['3601'],
  'sessions.refresh_token_seconds': ['2592001'],
  'registration.mode': ['open', 'invitation'],
  'registration.allowed_email_domains': ['', 'b.example', 'a.example,b.example'],
  'registration.confirmed_by': ['person'],
  'registration.given_name': ['optional', 'off'],
  'registration.family_name': ['optional', 'off'],
  'registration.language': ['optional', 'off'],
  'application_registration.mode': ['open', 'token'],
  'application_registration.documents': ['allowed'],
  'application_registration.redirects': ['https', 'loopback', '*.example.org,https'],
  'application_registration.grants': ['authorization_code,refresh_token'],
  'application_registration.scopes': ['openid,email'],
  'application_registration.limit': ['11'],
  'application_registration.days': ['8'],
  'passkeys.policy': ['off'],
  'wallet.sign_in': ['first', 'second', 'both'],
  'account.deletion': ['allowed'],
  'account.deletion_grace_days': ['0', '1'],
};

onUsualDatabase(
  'Attacks on the settings of a domain',
  (api) => {
    const db = usesDatabaseOf(api);
    const service = async (settings: Texts) => assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings }));
    const withManager = async () => {
      const domain = (await api.make('domain', { name: uniqueName('domain') })).id;
      const { token } = await api.persona(['manager'], { domain }, { domain_id: domain });
      const as = (settings: Texts) => api.patch(pathOf(domain), { settings }, { token });
      const settingOf = async (key: string) =>
        assertOk(await api.get(pathOf(domain))).settings.find((one: { key: string }) => one.key === key);
      return { domain, token, as, settingOf, set: (settings: Texts) => api.patch(pathOf(domain), { settings }) };
    };

    it('by a manager fail unless an administrator left them to managers', async () => {
      const { as, domain, token } = await withManager();
      assertRefused(await as({ 'passwords.min_length': '30' }), 403, /Only administrators/);
      await service({ [LEFT]: 'passwords' });
      assertOk(await as({ 'passwords.min_length': '30' }));
      assertRefused(await as({ 'registration.mode': 'off' }), 403, /Only administrators/);
      for (const key of ['identity.driver', 'ldap.url', 'ldap.password', 'ldap.user_filter'])
        assertRefused(await as({ [key]: 'sql' }), 403, /Only administrators/);
      await assertForbidden(api, [token], 'PATCH', `/v3/domains/${domain}/config`, {
        body: { config: { passwords: { min_length: 1 } } },
      });
      await service({ [LEFT]: null });
      assertRefused(await as({ 'passwords.min_length': null }), 403, /Only administrators/);
      assertRefused(
        await api.patch('/v3/OS-SERVICE/settings', { settings: { [LEFT]: 'ldap' } }),
        400,
        /must be some of passwords, lock_out/,
      );
    });

    it('by a manager make nothing more open than the service, whatever is changed afterwards', async () => {
      await service({ [LEFT]: GROUPS });
      const { as, settingOf } = await withManager();
      for (const [key, looser] of [
        ['passwords.min_length', '7'],
        ['passwords.common', 'allow'],
        ['passwords.regex', '(a+)+$'],
        ['registration.mode', 'open'],
        ['passkeys.policy', 'off'],
        ['wallet.sign_in', 'first'],
        ['account.deletion', 'allowed'],
        ['account.deletion_grace_days', '1'],
        ['lock_out.duration', '1799'],
        ['lock_out.duration', '86401'],
        ['two_factor.device_days', '91'],
        ['sessions.idle_seconds', '28801'],
        ['sessions.token_seconds', '3601'],
        ['sessions.refresh_token_seconds', '31536000'],
      ] as const)
        assertRefused(await as({ 'passwords.unique_last_count': '3', [key]: looser }), 403, /make .* stricter/);
      await service({
        GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS: '30',
        GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS: 'a.example',
        GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '5',
      });
      for (const attempts of ['6', '2', '']) assertRefused(await as({ 'lock_out.attempts': attempts }), 403, /make .* stricter/);
      assertRefused(await as({ 'passwords.expires_days': '31' }), 403);
      assertRefused(await as({ 'passwords.expires_days': '' }), 403);
      assertRefused(await as({ 'registration.allowed_email_domains': '' }), 403);
      assertRefused(await as({ 'registration.allowed_email_domains': 'a.example,b.example' }), 403);
      assertOk(
        await as({
          'lock_out.attempts': '4',
          'sessions.seconds': '60',
          'passwords.expires_days': '20',
          'passwords.min_length': '12',
          'registration.mode': 'off',
        }),
      );
      assert.equal((await settingOf('passwords.min_length')).source, 'domain');
      await service({ GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: '14' });
      assert.deepEqual(
        [(await settingOf('passwords.min_length')).value, (await settingOf('passwords.min_length')).source],
        ['14', 'service'],
      );
      await service({
        [LEFT]: null,
        GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: null,
        GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS: null,
        GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: null,
        GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS: null,
      });
    });

    it('by a manager loosen none of all that there are', async () => {
      const strict = {
        UNIQUE_LAST_PASSWORD_COUNT: '5',
        MINIMUM_PASSWORD_AGE: '2',
        PASSWORD_EXPIRES_DAYS: '30',
        CHANGE_PASSWORD_UPON_FIRST_USE: 'on',
        PASSWORD_REGEX_DESCRIPTION: 'Four words.',
        LOCKOUT_FAILURE_ATTEMPTS: '5',
        TWO_FACTOR: 'required',
        REGISTRATION: 'off',
        REGISTRATION_EMAIL_DOMAINS: 'a.example',
        REGISTRATION_CONFIRMED_BY: 'administrator',
        REGISTRATION_GIVEN_NAME: 'required',
        REGISTRATION_FAMILY_NAME: 'required',
        REGISTRATION_LANGUAGE: 'required',
        APPLICATION_REGISTRATION: 'off',
        APPLICATION_REGISTRATION_DOCUMENTS: 'off',
        APPLICATION_REGISTRATION_REDIRECTS: '*.example.org',
        APPLICATION_REGISTRATION_GRANTS: 'authorization_code',
        APPLICATION_REGISTRATION_SCOPES: 'openid',
        APPLICATION_REGISTRATION_LIMIT: '10',
        APPLICATION_REGISTRATION_DAYS: '7',
        DOMAIN_MANAGER_SETTINGS: GROUPS,
      };
      const ofService = (value: (one: string) => string | null): Texts =>
        Object.fromEntries(Object.entries(strict).map(([name, one]) => [`GATEHOUSE_IDENTITY_${name}`, value(one)]));
      const { as, domain } = await withManager();
      await service(ofService((one) => one));
      const { settings } = assertOk(await api.get(pathOf(domain)));
      const names: string[] = settings
        .filter(({ group }: { group: string }) => !['look', 'ldap', 'identity'].includes(group))
        .map(({ key }: { key: string }) => key);
      assert.deepEqual(Object.keys(LOOSER).sort(), names.sort(), 'each setting has an attempt here');
      for (const [key, values] of Object.entries(LOOSER))
        for (const value of values) assertRefused(await as({ [key]: value }), 403, /make .* stricter/);
      await service(ofService(() => null));
    });

    it('by a manager take back nothing that an administrator said for the domain', async () => {
      await service({ [LEFT]: 'passwords' });
      const { as, set, settingOf } = await withManager();
      assertOk(await set({ 'passwords.min_length': '20' }));
      for (const text of [null, '10', '30'])
        assertRefused(await as({ 'passwords.min_length': text }), 403, /Only administrators/);
      assert.equal((await settingOf('passwords.min_length')).value, '20');
      await service({ [LEFT]: null });
    });

    it('about lock-out do not tell by the time who exists where: a wrong password writes as much anywhere', async () => {
      const { set } = await withManager();
      const written = async () => {
        const { count } = await db()
          .read.selectFrom('wrong_passwords')
          .select((eb) => eb.fn.countAll().as('count'))
          .executeTakeFirstOrThrow();
        return Number(count);
      };
      const guess = async (user: Record<string, unknown>) => {
        const before = await written();
        assert.equal((await api.authenticate({ password: 'wrong', ...user } as never)).status, 401);
        return (await written()) - before;
      };
      const known = (await api.make('user', { name: uniqueName('known'), password: 'a password of somebody' })).id;
      assertOk(await set({ 'lock_out.attempts': '3' }));
      assert.equal(await guess({ id: known }), 1, 'of a domain without lock-out');
      assert.equal(await guess({ name: uniqueName('nobody'), domain: { id: 'default' } }), 1);
      assert.equal(await guess({ id: 'f'.repeat(32) }), 1);
      assertOk(await set({ 'lock_out.attempts': null }));
    });

    it('show a manager nothing of the directory', async () => {
      const { domain, token, set } = await withManager();
      assertOk(await set({ 'ldap.url': 'ldap://inner.example.org', 'ldap.user': 'cn=reader' }));
      const { settings } = assertOk(await api.get(pathOf(domain), { token }));
      assert.ok(!JSON.stringify(settings).includes('inner.example.org'));
      assert.deepEqual(
        settings.filter(({ group }: { group: string }) => group === 'ldap'),
        [],
      );
      assert.ok(settings.every((one: { may_change: boolean }) => !one.may_change));
    });

    it('show a manager nothing of the directory in the audit log, either', async () => {
      const { domain, token, set } = await withManager();
      assertOk(await set({ 'ldap.url': 'ldap://inner.example.org', 'ldap.user': 'cn=reader', 'ldap.password': SECRET }));
      assertOk(await set({ 'ldap.suffix': 'dc=hidden', 'passwords.min_length': '11' }));
      const tried = { 'ldap.url': 'ldap://127.0.0.1:1', 'ldap.password': SECRET };
      assertOk(await api.post(`/v3/OS-SERVICE/domains/${domain}/directory/test`, { test: { settings: tried } }));
      for (const path of ['/v3/OS-AUDIT/events', '/v3/OS-AUDIT/events?format=ndjson', '/v3/OS-AUDIT/events?format=csv']) {
        const text = await (await fetch(api.url + path, { headers: { 'X-Auth-Token': token } })).text();
        assert.ok(
          text.includes('domain.config_updated') &&
            text.includes('domain.directory_tested') &&
            text.includes('passwords.min_length'),
          path,
        );
        for (const hidden of ['inner.example.org', 'cn=reader', 'dc=hidden', '127.0.0.1:1'])
          assert.ok(!text.includes(hidden), `${hidden} ${path}`);
      }
      assert.ok((await api.get(`/v3/OS-AUDIT/events?target_id=${domain}`)).text.includes('inner.example.org'));
    });

    it('fail for an old login, and for programs of administrators', async () => {
      const projectId = assertOk(await api.get('/v3/projects?name=admin')).projects[0].id;
      const { domain } = await withManager();
      const { user, password, token } = await api.persona(['admin'], { project: projectId });
      const program = await programTokenOf(api, { user, token }, { unrestricted: true });
      const config = `/v3/domains/${domain}/config`;
      const body = { config: { passwords: { min_length: 20 } } };
      await assertForbidden(api, [program], 'PATCH', pathOf(domain), { body: { settings: { 'passwords.min_length': '20' } } });
      await assertForbidden(api, [program], 'PUT', config, { body });
      await assertForbidden(api, [program], 'PATCH', config, { body });
      await assertForbidden(api, [program], 'DELETE', config);
      api.clock.advance(901);
      assertRefused(await api.put(config, body, { token }), 401);
      api.adminToken = await api.logIn({ id: user.id, password }, { project: { id: projectId } });
    });

    it('do not lead the stored password to another server', async () => {
      const { domain, set } = await withManager();
      assertOk(await set({ 'ldap.url': 'ldaps://one.example', 'ldap.user': 'cn=reader', 'ldap.password': SECRET }));
      const config = `/v3/domains/${domain}/config`;
      for (const [key, text] of [
        ['ldap.url', 'ldaps://two.example'],
        ['ldap.url', null],
        ['ldap.tls_req_cert', 'never'],
        ['ldap.user', 'cn=other'],
      ] as const)
        assertRefused(await set({ [key]: text }), 400, /the password must be entered again/);
      assertRefused(await api.patch(config, { config: { ldap: { url: 'ldap://two.example' } } }), 403, /must be entered again/);
      assertRefused(await api.patch(`${config}/ldap/url`, { config: { url: 'ldap://two' } }), 403, /must be entered again/);
      assertRefused(await api.delete(`${config}/ldap/url`), 403, /must be entered again/);
      assertOk(await set({ 'ldap.url': 'ldaps://one.example', 'ldap.suffix': 'dc=x' }));
      assertOk(await set({ 'ldap.url': 'ldaps://two.example', 'ldap.password': `${SECRET} 2` }));
      assertOk(await api.delete(`${config}/ldap`), 204);
      assert.deepEqual(
        await db().read.selectFrom('domain_config_secrets').where('domain_id', '=', domain).selectAll().execute(),
        [],
      );
    });

    it('learn no secret from answers, refusals, the log, the audit log or the database', async () => {
      const { domain, set } = await withManager();
      const answers = [
        assertOk(await set({ 'ldap.user': 'cn=reader', 'ldap.password': SECRET })),
        assertOk(await api.get(pathOf(domain))),
        (await set({ 'ldap.password': SECRET, 'ldap.page_size': 'x' })).body,
      ];
      const rows = await db().read.selectFrom('domain_config_options').selectAll().execute();
      const secrets = await db().read.selectFrom('domain_config_secrets').selectAll().execute();
      const events = await db().read.selectFrom('audit_events').where('target_id', '=', domain).selectAll().execute();
      for (const seen of [answers, rows, secrets, events, api.logged]) assert.ok(!JSON.stringify(seen).includes(SECRET));
    });

    it('do not open a sealed password that was moved to another domain', async () => {
      const [one, other] = [await withManager(), await withManager()];
      assertOk(await one.set({ 'ldap.user': 'cn=reader', 'ldap.password': SECRET }));
      const [row] = await db().read.selectFrom('domain_config_secrets').where('domain_id', '=', one.domain).selectAll().execute();
      await db().write((tx) =>
        tx
          .insertInto('domain_config_secrets')
          .values({ ...row!, id: 'moved', domain_id: other.domain })
          .execute(),
      );
      assertOk(await other.set({ 'passwords.min_length': '9' }));
      assert.equal((await other.settingOf('ldap.password')).value, null);
      assert.ok(api.logged.some((line) => line.includes('a stored setting of a domain is not valid')));
    });
  },
  { settings: STORABLE_PASSWORDS },
);
