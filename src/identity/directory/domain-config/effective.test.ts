import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { refreshTokenGrant } from 'openid-client';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onEachDatabase, STORABLE_PASSWORDS, TestApi, uniqueName } from '../../../../test/support/api.ts';
import { renewAdministrator } from '../../../../test/support/directory-domain.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';
import { KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import { makeUser, RelyingParty, refusal } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { soon } from '../../../../test/support/soon.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { load } from '../../../platform/config/index.ts';
import { createChanges, serviceActor } from '../../ground/audit/index.ts';
import { identitySettings } from '../../ground/settings/index.ts';
import { forgetDomainSetting, inspectDomains, storedDomainKeys } from '../domain-settings/index.ts';

type Texts = Readonly<Record<string, string | null>>;

const pathOf = (domainId: string): string => `/v3/OS-SERVICE/domains/${domainId}/settings`;
const newDomain = async (api: TestApi): Promise<string> => (await api.make('domain', { name: uniqueName('domain') })).id;
const store = (api: TestApi, domainId: string, settings: Texts, headers = {}) =>
  api.patch(pathOf(domainId), { settings }, { headers });
const settingOf = async (api: TestApi, domainId: string, key: string) =>
  assertOk(await api.get(pathOf(domainId))).settings.find((one: { key: string }) => one.key === key);
const newUser = (api: TestApi, domainId: string, password: string) =>
  api.post('/v3/users', { user: { name: uniqueName('user'), domain_id: domainId, password } });

onEachDatabase(
  'Settings of a domain that are stored',
  (api) => {
    const db = usesDatabaseOf(api);

    it('take effect at once, there and nowhere else, and go back to those of the service', async () => {
      const [domain, other] = [await newDomain(api), await newDomain(api)];
      assertOk(await store(api, domain, { 'passwords.min_length': '20', 'passwords.regex': '\\d' }));
      const { value, source, default: outer, input, may_change } = await settingOf(api, domain, 'passwords.min_length');
      assert.deepEqual([value, source, outer, may_change], ['20', 'domain', '8', true]);
      assert.deepEqual(input, { type: 'number', min: 1, max: 128 });
      assertRefused(await newUser(api, domain, 'ten letter'), 400, /20 characters/);
      assertRefused(await newUser(api, domain, 'twenty letters or even more'), 400);
      assertOk(await newUser(api, domain, 'twenty letters or even more than 1'), 201);
      assertOk(await newUser(api, other, 'ten letter'), 201);
      assertOk(await store(api, domain, { 'passwords.min_length': null, 'passwords.regex': null }));
      assert.equal((await settingOf(api, domain, 'passwords.min_length')).source, 'default');
      assertOk(await newUser(api, domain, 'ten letter'), 201);
    });

    it('go over those of the service, whose changes reach only domains without their own', async () => {
      const [domain, other] = [await newDomain(api), await newDomain(api)];
      const service = (text: string | null) =>
        api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: text } });
      assertOk(await store(api, domain, { 'passwords.min_length': '9' }));
      assertOk(await service('30'));
      assert.equal((await settingOf(api, other, 'passwords.min_length')).source, 'service');
      assertOk(await newUser(api, domain, 'ten letter'), 201);
      assertRefused(await newUser(api, other, 'ten letter'), 400, /30 characters/);
      assertOk(await service(null));
    });

    // First: the library has the real time, and others set the clock of the test.
    it('let sessions, access tokens and refresh tokens end as the domain of the person says', async () => {
      const domain = await newDomain(api);
      const party = await RelyingParty.make(api);
      const person = await makeUser(api, { domain_id: domain });
      const login = { name: person.name, password: person.password, domain };
      const lives = { 'sessions.access_token_seconds': '90', 'sessions.seconds': '600', 'sessions.refresh_token_seconds': '300' };
      const before = await party.tokensFor(login, { scope: 'openid offline_access' });
      assert.equal(before.expires_in, 3600);
      assertOk(await store(api, domain, lives));
      assert.equal((await refreshTokenGrant(party.config, before.refresh_token!)).expires_in, 90);
      const browser = new TestBrowser(api);
      const tokens = await party.tokensFor(login, { scope: 'openid offline_access' }, browser);
      assert.equal(tokens.expires_in, 90);
      const { name: username, password } = person;
      const direct = await KeyrockClient.make(api, { grant_type: 'password' });
      const byPassword = await direct.request({ grant_type: 'password', username, password, domain });
      assert.equal(byPassword.body.expires_in, 90);
      const rows = await db().read.selectFrom('openid_records').where('user_id', '=', person.id).selectAll().execute();
      const lifeOf = (model: string) =>
        Math.min(...rows.filter((row) => row.model === model).map((row) => row.expires_at! - row.created_at));
      assert.ok(lifeOf('Session') <= 600);
      assertOk(await store(api, domain, { 'sessions.refresh_token_seconds': '60' }));
      api.clock.advance(61);
      assert.equal(await refusal(refreshTokenGrant(party.config, tokens.refresh_token!)), 'invalid_grant');
    });

    it('lock people out after wrong passwords as their domain says, at once', async () => {
      const [domain, other] = [await newDomain(api), await newDomain(api)];
      assertOk(await store(api, domain, { 'lock_out.attempts': '2', 'lock_out.duration': '60' }));
      const [inner, outer] = [await makeUser(api, { domain_id: domain }), await makeUser(api, { domain_id: other })];
      const login = async ({ id, password }: { id: string; password: string }) =>
        (await api.authenticate({ id, password })).status;
      const guessTwice = async ({ id }: { id: string }) => {
        for (let at = 0; at < 2; at++) assert.equal(await login({ id, password: 'wrong' }), 401);
      };
      const stateOf = async ({ id }: { id: string }) => assertOk(await api.get(`/v3/users/${id}/OS-LOCK/lock`)).lock.state;
      const locked = async () => {
        const { users } = assertOk(await api.get('/v3/users?locked=true'));
        return [inner, outer].filter(({ id }) => users.some((one: { id: string }) => one.id === id));
      };
      for (const one of [inner, outer]) await guessTwice(one);
      assert.deepEqual([await login(inner), await login(outer)], [401, 201]);
      assert.deepEqual([await stateOf(inner), await stateOf(outer), await locked()], ['locked_out', 'open', [inner]]);
      assertOk(await store(api, domain, { 'lock_out.attempts': null }));
      assert.deepEqual([await stateOf(inner), await locked(), await login(inner)], ['open', [], 201]);
      assertOk(await store(api, domain, { 'lock_out.attempts': '2' }));
      await guessTwice(inner);
      api.clock.advance(61);
      assert.equal(await login(inner), 201);
    });

    it('forget devices after the days of their domain, and let tokens of the API end earlier', async () => {
      const [domain, other] = [await newDomain(api), await newDomain(api)];
      assertOk(await store(api, domain, { 'two_factor.device_days': '3', 'sessions.token_seconds': '120' }));
      for (const [of, days, life] of [
        [domain, 0, 120],
        [other, 1, 3600],
      ] as const) {
        const user = await makeUser(api, { domain_id: of });
        assert.equal((await enable(api, user)).status, 201);
        assertOk(await api.request('POST', `/v3/OS-TWO-FACTOR/devices?user_id=${user.id}`));
        const devices = async () => assertOk(await api.get(`/v3/users/${user.id}/OS-TWO-FACTOR/devices`)).devices;
        assert.equal((await devices()).length, 1);
        api.clock.advance(4 * 86_400);
        await renewAdministrator(api);
        assert.equal((await devices()).length, days);
        const { id, password } = await makeUser(api, { domain_id: of });
        const { token } = assertOk(await api.authenticate({ id, password }), 201);
        assert.equal((Date.parse(token.expires_at) - Date.parse(token.issued_at)) / 1000, life);
      }
      assertRefused(await store(api, domain, { 'sessions.token_seconds': '3601' }), 400, /at most 3600, as the service has it/);
      assertRefused(await store(api, domain, { 'two_factor.device_days': '91' }), 400, /at most 90/);
    });

    it('are those of the API of Keystone', async () => {
      const domain = await newDomain(api);
      const config = { passwords: { min_length: 12 }, passkeys: { policy: 'off' } };
      assertOk(await api.put(`/v3/domains/${domain}/config`, { config }), 201);
      assert.equal((await settingOf(api, domain, 'passwords.min_length')).value, '12');
      assert.equal((await settingOf(api, domain, 'passkeys.policy')).value, 'off');
      assertOk(await store(api, domain, { 'passwords.min_length': '13', 'passkeys.policy': null }));
      assert.deepEqual(assertOk(await api.get(`/v3/domains/${domain}/config`)).config, { passwords: { min_length: '13' } });
    });

    it('are refused with the words of a start, all or none', async () => {
      const domain = await newDomain(api);
      for (const [settings, words] of [
        [{ 'passwords.min_length': '0' }, /\[passwords\] min_length must be a whole number from 1 to 128/],
        [{ 'passwords.regex': '(' }, /\[passwords\] regex must be a regular expression/],
        [{ 'registration.mode': 'maybe' }, /\[registration\] mode must be one of off, open, invitation, not "maybe"/],
        [{ 'ldap.url': 'http://x' }, /\[ldap\] url must be addresses as ldap:/],
        [{ 'ldap.tls_cacert': 'no certificate' }, /\[ldap\] tls_cacert must be certificates/],
        [{ 'ldap.tls_cacertfile': '/etc/hostname' }, /tls_cacertfile is a path on the machine/],
        [{ 'identity.driver': 'ldap' }, /\[identity\] driver is ldap, but there is no \[ldap\]/],
        [{ 'identity.driver': 'ldap', 'ldap.user': 'cn=x' }, /\[ldap\] user needs its password/],
        [
          { 'identity.driver': 'ldap', 'ldap.url': 'ldap://x', 'registration.mode': 'open' },
          /mode must be off, since the users of this domain are in a directory/,
        ],
        [{ 'passkeys.policy': 'required_for_administrators' }, /needs an address where browsers offer passkeys/],
        [{ 'passwords.nothing': 'x' }, /There is no setting/],
        [{ toString: 'x' }, /There is no setting/],
      ] as const)
        assertRefused(await store(api, domain, { 'passwords.expires_days': '3', ...(settings as unknown as Texts) }), 400, words);
      assert.equal((await settingOf(api, domain, 'passwords.expires_days')).source, 'default');
    });

    it('are not overwritten by somebody who did not see the last change', async () => {
      const domain = await newDomain(api);
      const etag = (await api.get(pathOf(domain))).headers.get('etag')!;
      const answers = await Promise.all(
        ['11', '12', '13'].map((length) => store(api, domain, { 'passwords.min_length': length }, { 'If-Match': etag })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
    });

    it('leave the old and the new value in the audit log', async () => {
      const domain = await newDomain(api);
      assertOk(await store(api, domain, { 'passwords.min_length': '11' }));
      const answer = await store(api, domain, { 'passwords.min_length': '12', 'ldap.password': 'a secret' });
      assertOk(answer);
      const [event] = await db()
        .read.selectFrom('audit_events')
        .where('request_id', '=', answer.headers.get('x-openstack-request-id'))
        .selectAll()
        .execute();
      assert.equal(event!.action, 'domain.config_updated');
      assert.deepEqual(JSON.parse(event!.detail).changes, {
        'passwords.min_length': { from: '11', to: '12' },
        'ldap.password': 'changed',
      });
    });

    it('that an earlier version stored have no effect, and neither have those that are not valid here', async () => {
      const domain = await newDomain(api);
      await db().write(async (tx) => {
        const row = { domain_id: domain, config_group: 'identity', config_option: 'driver', value: '"ldap"', stored_by: null };
        await tx.insertInto('domain_config_options').values(row).execute();
        const other = { ...row, config_group: 'passwords', config_option: 'min_length', value: '"long"' };
        await tx
          .insertInto('domain_config_options')
          .values({ ...other, stored_by: 'administrator' })
          .execute();
      });
      assertOk(await store(api, domain, { 'passwords.expires_days': '3' }));
      assert.equal((await settingOf(api, domain, 'identity.driver')).value, 'sql');
      assert.equal((await settingOf(api, domain, 'passwords.min_length')).source, 'default');
      assertOk(await newUser(api, domain, 'ten letter'), 201);
    });

    it('are listed without a service, with what is wrong, and forgotten by a command', async () => {
      const domain = await api.make('domain', { name: uniqueName('Har/bour') });
      assertOk(
        await store(api, domain.id, { 'passwords.min_length': '20', 'ldap.password': 'a secret', 'identity.driver': 'sql' }),
      );
      assertOk(await store(api, domain.id, { 'sessions.seconds': '7200' }));
      const shorter = load(identitySettings, { GATEHOUSE_IDENTITY_SESSION_SECONDS: '3600' });
      assert.match(
        (await inspectDomains(db().read, shorter, [], () => '"sealed"')).idle.join(),
        /sessions\.seconds \(the service has a shorter one\)/,
      );
      assertOk(await store(api, domain.id, { 'sessions.seconds': null }));
      await db().write((tx) =>
        tx
          .updateTable('domain_config_options')
          .set({ value: '"ldap"' })
          .where('domain_id', '=', domain.id)
          .where('config_group', '=', 'identity')
          .execute(),
      );
      const keys = await storedDomainKeys(db().read);
      const own = keys.filter((key) => key.startsWith(domain.name));
      assert.deepEqual(
        own.sort(),
        ['identity.driver', 'ldap.password', 'passwords.min_length'].map((key) => `${domain.name}/${key}`),
      );
      const report = () => inspectDomains(db().read, load(identitySettings, {}), [], () => '"sealed"');
      assert.match((await report()).broken.join(), /Har\/bour.*: \[ldap\] password needs user/);
      const change = createChanges(db(), api.clock);
      assert.equal(await forgetDomainSetting(db().read, change, serviceActor, `${domain.name}/identity.driver`), true);
      assert.equal(await forgetDomainSetting(db().read, change, serviceActor, `${domain.name}/identity.driver`), false);
      assert.ok(!(await report()).broken.some((line) => line.startsWith(domain.name)));
    });

    it('are for administrators and managers of the domain; readers of the system see them', async () => {
      const [domain, other] = [await newDomain(api), await newDomain(api)];
      const project = assertOk(await api.get('/v3/projects?name=admin')).projects[0].id;
      const outsiders = await Promise.all([
        api.persona(['member'], { project }),
        api.persona(['manager'], { domain: other }, { domain_id: other }),
        api.persona(['reader'], { domain }, { domain_id: domain }),
      ]);
      const reader = await api.persona(['reader'], 'system');
      assertOk(await api.get(pathOf(domain), { token: reader.token }));
      const tokens = outsiders.map(({ token }) => token);
      const settings = { 'passwords.min_length': '30' };
      await assertGuarded(api, tokens, [{ method: 'GET', path: pathOf(domain), missing: pathOf('nothing') }]);
      await assertGuarded(
        api,
        [...tokens, reader.token],
        [{ method: 'PATCH', path: pathOf(domain), missing: pathOf('nothing'), body: { settings } }],
      );
    });
  },
  { settings: STORABLE_PASSWORDS },
);

describe('What the operator fixed for a domain', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-domains-'));
  const api = new TestApi('SQLite', {
    settings: { ...STORABLE_PASSWORDS, GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder, GATEHOUSE_IDENTITY_ACCOUNT_DELETION: 'off' },
  });
  let domain: string;
  before(async () => {
    writeFileSync(
      join(folder, 'keystone.Filed.conf'),
      '[passwords]\nmin_length = 15\n[ldap]\nurl = ldap://127.0.0.1:1\n[sessions]\ntoken_seconds = 7200\nseconds = 600\n',
    );
    await api.start();
    domain = (await api.make('domain', { name: 'Filed' })).id;
  });
  after(async () => {
    await api.stop();
    rmSync(folder, { recursive: true });
  });

  it('is shown with its place, and cannot be changed', async () => {
    const min = await settingOf(api, domain, 'passwords.min_length');
    assert.deepEqual([min.value, min.source, min.may_change], ['15', 'domain_file', false]);
    assert.match(min.fixed, /^The operator has fixed it in line 2 of keystone\.Filed\.conf\.$/);
    for (const [key, text, words] of [
      ['passwords.min_length', '20', /fixed it in line 2 of/],
      ['sessions.seconds', '60', /fixed it in line 7 of/],
      ['ldap.url', 'ldap://other', /fixed it in line 4 of/],
      ['ldap.suffix', 'dc=x', /fixed the directory of this domain in/],
      ['identity.driver', 'sql', /fixed the directory of this domain in/],
      ['account.deletion', 'off', /fixed GATEHOUSE_IDENTITY_ACCOUNT_DELETION in the environment/],
    ] as const)
      assertRefused(await store(api, domain, { [key]: text }), 409, words);
    assertOk(await store(api, domain, { 'passwords.expires_days': '30' }));
    assert.equal((await settingOf(api, domain, 'registration.mode')).source, 'directory');
    // By another name it would get or lose a directory, without a word.
    const other = await newDomain(api);
    for (const [id, name] of [
      [domain, uniqueName('renamed')],
      [other, ' Filed '],
    ] as const)
      assertRefused(await api.patch(`/v3/domains/${id}`, { domain: { name } }), 409, /keystone\.Filed\.conf of the operator/);
    assertRefused(await api.patch(`/v3/projects/${domain}`, { project: { name: 'Other' } }), 409);
    assertOk(await api.patch(`/v3/domains/${domain}`, { domain: { name: 'Filed', description: 'of the file' } }));
    // The file does not make it longer than the machine has it.
    assert.equal((await settingOf(api, domain, 'sessions.token_seconds')).value, '3600');
    assert.equal((await settingOf(api, domain, 'sessions.seconds')).value, '600');
  });
});

onDatabase('PostgreSQL', 'Settings of domains, on replicas', { settings: STORABLE_PASSWORDS }, (first) => {
  it('are followed within a second, and known to a service that starts', async () => {
    const second = await first.replica();
    const domain = await newDomain(first);
    assertOk(await store(first, domain, { 'passwords.min_length': '20' }));
    const began = performance.now();
    await soon(400, async () => (await newUser(second, domain, 'ten letter')).status);
    assert.ok(performance.now() - began < 5000);
    assertOk(await store(second, domain, { 'passwords.min_length': null }));
    await soon(201, async () => (await newUser(first, domain, 'ten letter')).status);
    assertOk(await store(second, domain, { 'passwords.min_length': '20' }));
    const third = await first.replica();
    assertRefused(await newUser(third, domain, 'ten letter'), 400);
    await third.stop();
    await second.stop();
  });
});
