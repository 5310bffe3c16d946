// Somebody leaves a directory, and another person gets their id (`cn`, `uid`). Nothing of the one may become the other's.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { uniqueName } from '../../../../test/support/api.ts';
import { DirectoryDomain, replace } from '../../../../test/support/directory-domain.ts';
import { exchange, signedV2 } from '../../../../test/support/ec2.ts';
import { databasesInTurn } from '../../../../test/support/migrated-database.ts';
import { AT_LOCALHOST, PasskeyPerson, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { RelyingParty, refusal } from '../../../../test/support/relying-party.ts';
import { Asked, Asker } from '../../../../test/support/sign-in-requests.ts';
import { dnOf, passwordOf, person } from '../../../../test/support/slapd.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

/** People of the domain with everything that lets them in. */
function peopleOf(domain: DirectoryDomain) {
  const { api } = domain;

  async function make(uid: string) {
    const { user } = assertOk(await domain.logIn(uid), 201).token;
    const project = await api.make('project', { name: uniqueName('project') });
    const scope = { project: { id: project.id } };
    assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`), 204);
    const passkey = new PasskeyPerson(api, { id: user.id, name: uid, password: passwordOf(uid) });
    await passkey.addPasskey();
    const browser = new TestBrowser(api);
    await browser.signIn('/account', passkey);
    const token = await api.logIn({ id: user.id, password: passwordOf(uid) }, scope);
    const own = `/v3/users/${user.id}`;
    const program = { application_credential: { name: 'program' } };
    const made = assertOk(await api.post(`${own}/application_credentials`, program, { token }), 201).application_credential;
    const key = assertOk(await api.post(`${own}/credentials/OS-EC2`, { tenant_id: project.id }, { token }), 201).credential;
    const { id, secret } = made;
    const identity = { methods: ['application_credential'], application_credential: { id, secret } };

    return {
      id: user.id as string,
      token,
      scope,
      browser,
      /** In this order: a passkey, a program, a key, a token. */
      async waysIn(): Promise<number[]> {
        const other = new TestBrowser(api);
        return [
          (await passkey.usePasskey(other, await other.go('/account'))).status,
          (await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null })).status,
          (await exchange(api, signedV2(key, api.clock.now()))).status,
          (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status,
        ];
      },
    };
  }

  const isSignedIn = async (browser: TestBrowser) => stepOf(await browser.go('/account')) !== 'password';
  return { make, isSignedIn };
}

for (const kind of databasesInTurn('Whoever gets the id of somebody who left')) {
  describe(`Whoever gets the id of somebody who left (${kind})`, () => {
    const domain = new DirectoryDomain(kind, { slapd: { people: 9 }, settings: AT_LOCALHOST });
    const { api, slapd } = domain;
    const { make, isSignedIn } = peopleOf(domain);
    servesAtLocalhost(api);

    it('is somebody else, also when nobody noticed that the id was free for a while', async () => {
      const former = await make('user1');
      assert.deepEqual(await former.waysIn(), [200, 201, 200, 200]);
      await slapd.replace('user1', person('user1', { userPassword: 'of the other' }));
      const { token } = assertOk(await domain.logIn('user1', 'of the other'), 201);
      assert.notEqual(token.user.id, former.id);
      assert.deepEqual(await former.waysIn(), [401, 401, 401, 404]);
      assert.equal(await isSignedIn(former.browser), false);
      const own = `/v3/users/${token.user.id}`;
      const newToken = await api.logIn(domain.person('user1', 'of the other'));
      const list = await api.get(`${own}/application_credentials`, { token: newToken });
      assert.deepEqual(assertOk(list).application_credentials, []);
      assert.deepEqual(assertOk(await api.get(`${own}/credentials/OS-EC2`, { token: newToken })).credentials, []);
      assertRefused(await api.authenticate(domain.person('user1', 'of the other'), former.scope), 401);
      // By the id of the former.
      assertRefused(await api.authenticate({ id: former.id, password: 'of the other' }), 401);
      await domain.synchronize();
      const { user: gone } = assertOk(await api.get(`/v3/users/${former.id}`));
      const { user: there } = assertOk(await api.get(own));
      assert.deepEqual([gone.enabled, there.enabled, there.name], [false, true, 'user1']);
    });

    for (const [first, way] of ['a passkey', 'a program', 'a key'].entries())
      it(`is somebody else for ${way} of the former, which is the first to ask`, async () => {
        const uid = `user${first + 2}`;
        const former = await make(uid);
        await slapd.replace(uid);
        assert.equal((await former.waysIn())[first], 401);
        assert.deepEqual(await former.waysIn(), [401, 401, 401, 404]);
        assert.notEqual(assertOk(await domain.logIn(uid), 201).token.user.id, former.id);
      });

    it('is somebody else for a synchronization', async () => {
      const former = await make('user5');
      await slapd.replace('user5');
      await domain.synchronize();
      assert.equal(assertOk(await api.get(`/v3/users/${former.id}`)).user.enabled, false);
      assert.deepEqual(await former.waysIn(), [401, 401, 401, 404]);
      const { users } = assertOk(await api.get(`/v3/users?domain_id=${domain.id}&name=user5`));
      assert.equal(users.length, 1);
      assert.notEqual(users[0].id, former.id);
    });

    it('is the same person if the entry is the same one: only their programs are gone', async () => {
      const same = await make('user6');
      await slapd.leave('user6');
      await domain.synchronize();
      assert.deepEqual(await same.waysIn(), [401, 401, 401, 404]);
      await slapd.comeBack('user6');
      await domain.synchronize();
      assert.deepEqual(await same.waysIn(), [200, 401, 200, 404]);
      assert.equal(assertOk(await domain.logIn('user6'), 201).token.user.id, same.id);
      assertOk(await api.authenticate(domain.person('user6'), same.scope), 201);
    });

    it('leaves their session, and the other their own, when both come and go', async () => {
      const [first, uid] = [await make('user7'), 'user7'];
      await slapd.leave(uid);
      await slapd.add(dnOf(uid), person(uid, { userPassword: 'of the second' }));
      const second = assertOk(await domain.logIn(uid, 'of the second'), 201).token.user.id;
      await slapd.change((admin) => admin.del(dnOf(uid)));
      await slapd.comeBack(uid);
      assert.equal(assertOk(await domain.logIn(uid), 201).token.user.id, first.id);
      assert.equal(assertOk(await api.get(`/v3/users/${second}`)).user.enabled, false);
    });
  });

  describe(`In a directory that shows no identifier of its own (${kind})`, () => {
    // No entry has this attribute.
    const domain = new DirectoryDomain(kind, {
      slapd: { people: 3 },
      settings: AT_LOCALHOST,
      ldap: { user_unique_id_attribute: 'employeeNumber' },
    });
    const { api, slapd } = domain;
    const { make } = peopleOf(domain);
    servesAtLocalhost(api);

    it('whoever comes after somebody who left is somebody else', async () => {
      const former = await make('user1');
      await slapd.change((admin) => admin.del(dnOf('user1')));
      await domain.synchronize();
      await slapd.add(dnOf('user1'), person('user1'));
      await domain.synchronize();
      assert.deepEqual(await former.waysIn(), [401, 401, 401, 404]);
      assert.notEqual(assertOk(await domain.logIn('user1'), 201).token.user.id, former.id);
      assertRefused(await api.authenticate(domain.person('user1'), former.scope), 401);
    });

    it('somebody stays the same person when it begins to show one', async () => {
      const same = await make('user2');
      await slapd.change((admin) => admin.modify(dnOf('user2'), replace('employeeNumber', ['1'])));
      await domain.synchronize();
      assertOk(await api.authenticate(domain.person('user2'), same.scope), 201);
      await slapd.change((admin) => admin.modify(dnOf('user2'), replace('employeeNumber', ['2'])));
      assertRefused(await api.authenticate(domain.person('user2'), same.scope), 401);
    });
  });

  describe(`Who is signed in and leaves the directory (${kind})`, () => {
    const domain = new DirectoryDomain(kind, { slapd: { people: 9 }, ldap: { user_enabled_attribute: 'employeeType' } });
    const { api, slapd } = domain;
    const { isSignedIn } = peopleOf(domain);
    let party: RelyingParty;
    before(async () => {
      party = await RelyingParty.make(api);
    });
    const login = (name: string) => ({ name, password: passwordOf(name), domain: domain.name });
    async function signedIn(name: string): Promise<TestBrowser> {
      const browser = new TestBrowser(api);
      await browser.signIn('/account', login(name));
      assert.ok(await isSignedIn(browser));
      return browser;
    }
    const enabled = async (name: string) => (await domain.user(name)).enabled;

    it('is signed out when the session is used next', async () => {
      const browser = await signedIn('user1');
      const token = await api.logIn(domain.person('user1'));
      await slapd.leave('user1');
      assert.equal(await isSignedIn(browser), false);
      const subject = { headers: { 'X-Subject-Token': token } };
      assert.deepEqual([await enabled('user1'), (await api.get('/v3/auth/tokens', subject)).status], [false, 404]);
      await slapd.comeBack('user1');
      assert.equal(await isSignedIn(browser), false);
    });

    it('is signed out when disabled there', async () => {
      const browser = await signedIn('user2');
      await slapd.change((admin) => admin.modify(dnOf('user2'), replace('employeeType', ['FALSE'])));
      assert.equal(await isSignedIn(browser), false);
      assert.equal(await enabled('user2'), false);
    });

    it('gets no tokens for an application that has a refresh token', async () => {
      const answers = { ...login('user3'), consent: true };
      const { refresh_token } = await party.tokensFor(answers, { scope: 'openid offline_access' });
      const { refresh_token: newer } = await client.refreshTokenGrant(party.config, refresh_token!);
      await slapd.leave('user3');
      assert.equal(await refusal(client.refreshTokenGrant(party.config, newer ?? refresh_token!)), 'invalid_grant');
    });

    it('gets no tokens for an application to which they allowed it somewhere else', async () => {
      const [asker, browser] = [await Asker.make(api), await signedIn('user7')];
      const asked = new Asked({ ...login('user7'), id: domain.idOf('user7'), user: undefined }, browser);
      const id = await asker.begin({ login_hint: 'user7' });
      await asked.see();
      assert.match((await asked.answer('allow-request')).text, /You have allowed it/);
      await slapd.leave('user7');
      assert.equal((await asker.poll(id)).body.error, 'invalid_grant');
    });

    it('goes to no further application', async () => {
      const browser = await signedIn('user4');
      await slapd.leave('user4');
      const page = await browser.go((await party.ask()).url);
      assert.equal(stepOf(page), 'password');
    });

    it('stays signed in while the directory does not answer, and while nobody knows whose id it is', async () => {
      const browser = await signedIn('user5');
      await slapd.freeze();
      try {
        assert.ok(await isSignedIn(browser));
      } finally {
        slapd.thaw();
      }
      const twin = `cn=Mallory,ou=People,dc=example,dc=org`;
      await slapd.add(twin, person('user5', { cn: 'Mallory', sn: 'mallory' }));
      api.clock.advance(60);
      assert.ok(await isSignedIn(browser));
      await slapd.change((admin) => admin.del(twin));
      assert.equal(await enabled('user5'), true);
    });
  });

  describe(`A directory that shows nobody at all (${kind})`, () => {
    // Nothing tells whether somebody who comes back is the same person.
    const domain = new DirectoryDomain(kind, { slapd: { people: 2 }, ldap: { user_unique_id_attribute: 'employeeNumber' } });
    const { api, slapd } = domain;
    const { isSignedIn } = peopleOf(domain);

    it('closes nobody, as in a synchronization: it may be a wrong setting', async () => {
      const browser = new TestBrowser(api);
      await browser.signIn('/account', { name: 'user0', password: passwordOf('user0'), domain: domain.name });
      assertOk(await domain.logIn('user1'), 201);
      for (const uid of ['user0', 'user1']) await slapd.leave(uid);
      assert.ok(await isSignedIn(browser));
      assertRefused(await domain.logIn('user1'), 401);
      assert.deepEqual([(await domain.user('user0')).enabled, (await domain.user('user1')).enabled], [true, true]);
      await slapd.comeBack('user1');
      assert.equal(await isSignedIn(browser), false, 'now they have left');
      assert.equal(assertOk(await domain.logIn('user1'), 201).token.user.id, domain.idOf('user1'));
    });
  });
}
