// People of a directory who left it or changed their password there, and those who try to change at our side what is in the directory.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ENTRIES } from '../../../../test/support/directory.ts';
import { DirectoryDomain, renewAdministrator, replace } from '../../../../test/support/directory-domain.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import { askForPassword, newestMail, newMailbox, startMailServer } from '../../../../test/support/mailbox.ts';
import { databasesInTurn } from '../../../../test/support/migrated-database.ts';
import { AT_LOCALHOST, PasskeyPerson, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { RegistrationClient } from '../../../../test/support/registration.ts';
import { connect, type ScimClient } from '../../../../test/support/scim.ts';
import { enable, Phone } from '../../../../test/support/second-factor.ts';
import { dnOf, groupDn, passwordOf, person } from '../../../../test/support/slapd.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

/** What the pages say. */
const words = {
  busy: 'The service is busy',
  emailElsewhere: 'Your organization manages your e-mail address',
  noPasskeys: 'You have no passkeys. With a passkey',
  passwordInDirectory: 'Your password belongs to the directory of your organization',
  turnOff: 'Turn off',
  twoFactorOff: 'It is off. When it is on, a stolen password alone is not enough',
};

const server = await startMailServer();

for (const kind of databasesInTurn('People of a directory'))
  describe(`People of a directory (${kind})`, () => {
    const domain = new DirectoryDomain(kind, {
      slapd: { people: 10, entries: ENTRIES },
      settings: { ...AT_LOCALHOST, ...smtpSettings(server) },
      ldap: { user_enabled_attribute: 'employeeType', connection_timeout: '1' },
    });
    const { api, slapd } = domain;
    servesAtLocalhost(api);
    const isValid = async (token: string) =>
      (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status === 200;
    const passkeyPerson = (uid: string) => new PasskeyPerson(api, { id: domain.idOf(uid), name: uid, password: passwordOf(uid) });
    const isSignedIn = async (browser: TestBrowser) => stepOf(await browser.go('/account')) !== 'password';
    before(() => domain.synchronize());

    describe('with a passkey', () => {
      let alice: PasskeyPerson;
      const signIn = async () => {
        const browser = new TestBrowser(api);
        return alice.usePasskey(browser, await browser.go('/account'));
      };
      before(async () => {
        alice = passkeyPerson('alice');
        await alice.addPasskey();
      });

      it('get in by it as long as the directory has them, and it is asked each time', async () => {
        assert.equal((await signIn()).status, 200);
        await slapd.change((client) => client.modify(dnOf('alice'), replace('employeeType', ['FALSE'])));
        assert.equal((await signIn()).status, 401);
        await slapd.change((client) => client.modify(dnOf('alice'), replace('employeeType', [])));
        assert.equal((await signIn()).status, 200);
        const twin = `cn=Mallory,ou=People,dc=example,dc=org`;
        await slapd.add(twin, person('alice', { cn: 'Mallory', sn: 'mallory' }));
        assert.equal((await signIn()).status, 401, 'nobody knows whose id it is');
        await slapd.change((client) => client.del(twin));
        await slapd.leave('alice');
        assert.equal((await signIn()).status, 401);
        await slapd.comeBack('alice');
        assert.equal((await signIn()).status, 200);
      });

      it('do not while the directory is away, and are told so', async () => {
        await slapd.kill();
        try {
          const page = await signIn();
          assert.ok(page.text.includes(words.busy), page.text);
        } finally {
          await slapd.run();
          api.clock.advance(2);
        }
        assert.equal((await signIn()).status, 200);
      });

      it('may remove the last one: their password is another way in', async () => {
        const browser = new TestBrowser(api);
        const account = await browser.signIn('/account/security', alice);
        const removed = await browser.submit(account, 'passkey-remove');
        assert.ok(removed.text.includes(words.noPasskeys), removed.text);
      });
    });

    it('who left have neither tokens nor sessions nor devices any more, and come back with a fresh login only', async () => {
      const user2 = passkeyPerson('user2');
      const phone = new Phone(api, (await enable(api, user2)).body.two_factor_auth.two_factor_key);
      const [browser, login] = [new TestBrowser(api), { name: 'user2', password: user2.password }];
      await browser.signIn('/account', { ...login, code: () => phone.fresh(), remember: true });
      assert.ok(await isSignedIn(browser));
      await slapd.leave('user2');
      await domain.synchronize();
      assert.equal(await isSignedIn(browser), false);
      const page = await browser.go('/account');
      assert.equal((await browser.submit(page, 'password', login)).status, 401);
      await slapd.comeBack('user2');
      await domain.synchronize();
      assert.equal(await isSignedIn(browser), false);
      const second = await browser.submit(await browser.go('/account'), 'password', login);
      assert.equal(stepOf(second), 'code', 'the device is forgotten');
    });

    it('whose password was changed in the directory lose tokens and sessions, where it says when that was', async () => {
      await slapd.add(
        dnOf('changing'),
        person('changing', { objectClass: ['inetOrgPerson', 'extensibleObject'], pwdLastSet: '1' }),
      );
      const [token, browser] = [await api.logIn(domain.person('changing')), new TestBrowser(api)];
      await browser.signIn('/account', passkeyPerson('changing'));
      await domain.synchronize();
      await renewAdministrator(api);
      const later = await api.logIn(domain.person('changing'));
      await slapd.change((client) =>
        client.modify(dnOf('changing'), [replace('pwdLastSet', ['2']), replace('userPassword', ['a new one'])]),
      );
      assertRefused(await domain.logIn('changing'), 401);
      assert.ok(await isValid(later));
      const fresh = await api.logIn(domain.person('changing', 'a new one'));
      assert.deepEqual([await isValid(token), await isValid(later), await isValid(fresh)], [false, false, true]);
      assert.equal(await isSignedIn(browser), false);
      await slapd.change((client) => client.modify(dnOf('changing'), replace('pwdLastSet', ['3'])));
      await domain.synchronize();
      assert.equal(await isValid(fresh), false);
    });

    describe('cannot be changed here', () => {
      const why =
        /LDAP does not support write operations: the password of the user \w+ is in a directory and must be changed there/;
      before(() => renewAdministrator(api));

      it('in their passwords; only whoever has it is told why', async () => {
        const path = `/v3/users/${domain.idOf('user3')}/password`;
        const change = (original: string) =>
          api.post(path, { user: { original_password: original, password: 'another one' } }, { token: null });
        assertRefused(await change('wrong'), 401, /requires authentication/);
        assertRefused(await change(passwordOf('user3')), 403, why);
        assertRefused(await api.patch(`/v3/users/${domain.idOf('user3')}`, { user: { password: 'another one' } }), 403, why);
        const registration = new RegistrationClient(api);
        assertRefused(await registration.askToken({ id: domain.idOf('user3') }), 403, why);
        const user3 = passkeyPerson('user3');
        const browser = new TestBrowser(api);
        const security = await browser.signIn('/account/security', user3);
        assert.ok(security.text.includes(words.passwordInDirectory), security.text);
        // The form is not there, but somebody may have opened the page before.
        const { fields } = security.forms.find((one) => one.fields.form_token !== undefined)!;
        const fresh = { new_password: 'another one', new_password_again: 'another one' };
        const form = { ...fields, step: 'change-password', ...fresh, current_password: user3.password };
        const changed = await browser.send(new URL(security.url), form);
        assert.ok(changed.text.includes(`role="alert" id="problem">${words.passwordInDirectory}`), changed.text);
        assert.ok(security.text.includes(words.emailElsewhere), security.text);
        const email = { ...fields, step: 'change-email', email: 'mine@example.org' };
        const refused = await browser.send(new URL(security.url), email);
        assert.equal(refused.status, 400);
        assert.ok(refused.text.includes(words.emailElsewhere));
        assert.equal((await domain.logIn('user3')).status, 201);
      });

      it('by a forgotten password: the mail has no link', async () => {
        const address = newMailbox();
        await slapd.change((client) => client.modify(dnOf('user9'), replace('mail', [address])));
        await domain.synchronize();
        await askForPassword(api, 'user9');
        const mail = await newestMail(server, address);
        assert.doesNotMatch(`${mail.text}${mail.html}`, /new-password/);
        assert.equal((await domain.logIn('user9')).status, 201);
      });

      it('and turn their second factor off with the password of the directory', async () => {
        const user4 = passkeyPerson('user4');
        const phone = new Phone(api, (await enable(api, user4)).body.two_factor_auth.two_factor_key);
        const browser = new TestBrowser(api);
        const account = await browser.signIn('/account/security', {
          name: 'user4',
          password: user4.password,
          code: () => phone.fresh(),
        });
        const refused = await browser.submit(account, 'two-factor-off', { password: 'wrong' });
        assert.ok(refused.text.includes(words.turnOff), refused.text);
        const off = await browser.submit(account, 'two-factor-off', { password: user4.password });
        assert.ok(off.text.includes(words.twoFactorOff), off.text);
      });

      it('when they are gone: nobody opens their accounts again, but they can be deleted', async () => {
        await slapd.change((client) => client.del(dnOf('user5')));
        await domain.synchronize();
        const path = `/v3/users/${domain.idOf('user5')}`;
        for (const user of [{ enabled: true }, { password: 'mine now' }, { name: 'other' }])
          assertRefused(await api.patch(path, { user }), 403, /LDAP does not support/);
        assertOk(await api.delete(path), 204);
      });

      it('by provisioning clients of any kind', async () => {
        const { scim }: { scim: ScimClient } = await connect(api, domain.id);
        const user = `/Users/${domain.idOf('user6')}`;
        const groupPath = `/Groups/${domain.groupId('inner')}`;
        const patch = (op: string, path: string, value?: unknown) => ({
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op, path, ...(value === undefined ? {} : { value }) }],
        });
        const attempts = [
          scim.patch(user, patch('replace', 'userName', 'other')),
          scim.patch(user, patch('replace', 'active', false)),
          scim.patch(user, patch('replace', 'password', 'a new password')),
          scim.patch(user, patch('replace', 'emails', [{ value: 'mallory@example.org', primary: true }])),
          scim.patch(groupPath, patch('add', 'members', [{ value: domain.idOf('user6') }])),
          scim.patch(groupPath, patch('remove', 'members')),
          scim.delete(user),
          scim.delete(groupPath),
        ];
        for (const { status, text } of await Promise.all(attempts)) assert.equal(status, 403, text);
        const keyrock = `/v3/OS-SCIM/v2/Users/${domain.idOf('user6')}`;
        assert.equal((await api.put(keyrock, { active: false })).status, 403);
        assert.equal((await api.delete(keyrock)).status, 403);
        assert.equal((await domain.logIn('user6')).status, 201);
      });
    });

    it('are found in their groups after a login only as the directory has them, whatever a list said before', async () => {
      await slapd.change((client) => client.modify(groupDn('others'), replace('member', [dnOf('user7')])));
      await domain.synchronize();
      await slapd.change((client) => client.modify(groupDn('others'), replace('member', [dnOf('user8')])));
      const groups = async (uid: string) =>
        assertOk(await api.get(`/v3/users/${domain.idOf(uid)}/groups`)).groups.map(({ name }: { name: string }) => name);
      for (const user of ['user7', 'user8']) assertOk(await domain.logIn(user), 201);
      assert.deepEqual([await groups('user7'), await groups('user8')], [[], ['others']]);
    });
  });
