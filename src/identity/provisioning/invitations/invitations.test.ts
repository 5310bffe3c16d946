import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication, makeRole } from '../../../../test/support/applications.ts';
import { usesDomainFiles } from '../../../../test/support/domain-files.ts';
import {
  hasForm,
  INVITATIONS,
  InvitationClient,
  NEW_PASSWORD,
  newAddress,
  submit,
} from '../../../../test/support/invitations.ts';
import { MailServer, smtpSettings } from '../../../../test/support/mail-server.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { assertAtField, TestBrowser } from '../../../../test/support/test-browser.ts';
import type { Database } from '../../ground/database/index.ts';
import { sweepInvitations } from './invitations.store.ts';

const server = new MailServer();
await server.open();
// So that the process can end.
server.unref();

const domains = usesDomainFiles({
  closed: '[registration]\nmode = off\n',
  strict: '[registration]\nmode = open\nallowed_email_domains = example.org\n',
});

const DAY = 86_400;
const UNKNOWN = 'f'.repeat(32);

onEachDatabase(
  'Invitations',
  (api) => {
    const client = new InvitationClient(api, server);
    let db: Database;
    let organization: { id: string; name: string };
    let group: { id: string };
    let application: { id: string };
    let role: { id: string };
    before(async () => {
      db = await databaseOf(api);
      organization = await api.make('project', { name: uniqueName('Lake Works') });
      group = await api.make('group', { name: uniqueName('group') });
      application = await makeApplication(api);
      role = await makeRole(api, application);
    });
    after(() => db.close());

    const everything = () => ({
      organization_id: organization.id,
      groups: [group.id],
      application_roles: [{ application_id: application.id, role_id: role.id }],
    });
    const userNamed = async (name: string) => assertOk(await api.get(`/v3/users?name=${encodeURIComponent(name)}`)).users[0];
    const rolesOf = async (userId: string): Promise<string[]> =>
      assertOk(await api.get(`/v3/projects/${organization.id}/users/${userId}/roles`)).roles.map(
        (one: { name: string }) => one.name,
      );
    const groupsOf = async (userId: string): Promise<string[]> =>
      assertOk(await api.get(`/v3/users/${userId}/groups`)).groups.map(({ id }: { id: string }) => id);
    const applicationRolesOf = async (userId: string): Promise<string[]> =>
      assertOk(await api.get(`/v3/OS-ROLES/users/role_assignments?user_id=${userId}`)).role_assignments.map(
        (one: { role_id: string }) => one.role_id,
      );
    const actionsOn = async (id: string): Promise<string[]> =>
      (await db.read.selectFrom('audit_events').where('target_id', '=', id).select('action').orderBy('id').execute()).map(
        ({ action }) => action,
      );

    it('give an account, and all that they name, when they are accepted', async () => {
      const email = newAddress();
      const { invitation, link } = await client.invited({ email, name: 'Eve', language: 'es', ...everything() });
      assert.equal(invitation.status, 'pending');
      assert.deepEqual(invitation.groups, [group.id]);
      const mail = await client.mailTo(email);
      assert.equal(mail.subject, `Invitación a ${organization.name}`, 'in their language');
      assert.match(mail.text ?? '', /7 días/);
      const { browser, page } = await client.opened(link);
      assert.equal(page.status, 200, page.text);
      assert.ok(!page.url.includes('token'), 'the token has left the address');
      assert.match(page.text, /admin invites you to Lake Works/);
      assert.match(page.text, /value="Eve"/);
      const name = uniqueName('eve');
      const done = await submit(browser, page, 'create', {
        name,
        new_password: NEW_PASSWORD,
        new_password_again: NEW_PASSWORD,
      });
      assert.equal(done.status, 200, done.text);
      const user = await userNamed(name);
      assert.equal(user.enabled, true);
      assert.equal(user.email, email);
      assert.equal(user.default_project_id, organization.id);
      assert.deepEqual(await rolesOf(user.id), ['member']);
      assert.deepEqual(await groupsOf(user.id), [group.id]);
      assert.deepEqual(await applicationRolesOf(user.id), [role.id]);
      const shown = assertOk(await client.show(invitation.id)).invitation;
      assert.equal(shown.status, 'accepted');
      assert.equal(shown.user_id, user.id);
      assert.deepEqual((await actionsOn(invitation.id)).sort(), ['invitation.accepted', 'invitation.created']);
      assert.ok((await actionsOn(user.id)).includes('user.created'));
      await api.logIn({ id: user.id, password: NEW_PASSWORD }, { project: { id: organization.id } });
      const { confirmed_email } = await db.read
        .selectFrom('users')
        .where('id', '=', user.id)
        .select('confirmed_email')
        .executeTakeFirstOrThrow();
      assert.equal(confirmed_email, email);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { email: newAddress() } }));
      const changed = await db.read.selectFrom('users').where('id', '=', user.id).selectAll().executeTakeFirstOrThrow();
      assert.equal(changed.confirmed_email, null, 'a new address is not confirmed');
    });

    it('make no account without the terms of use, as they are now', async () => {
      const store = (version: string | null) =>
        api.patch('/v3/OS-SERVICE/settings', {
          settings: {
            GATEHOUSE_IDENTITY_TERMS_VERSION: version,
            GATEHOUSE_IDENTITY_TERMS_URL: version && 'https://example.org/terms',
          },
        });
      assertOk(await store('1'));
      const { link } = await client.invited();
      const { browser, page } = await client.opened(link);
      const both = (password: string) => ({ new_password: password, new_password_again: password });
      for (const terms of [undefined, '0']) {
        const refused = await submit(browser, page, 'create', { ...both(NEW_PASSWORD), ...(terms ? { terms } : {}) });
        assert.equal(refused.status, 400);
        assert.ok(refused.text.includes('Read the terms of use, and accept them.'), refused.text);
      }
      assert.equal((await submit(browser, page, 'create', { ...both(NEW_PASSWORD), terms: '1' })).status, 200);
      assertOk(await store(null));
    });

    it('ask a new account for what the domain wants to know', async () => {
      const store = async (use: string | null) =>
        assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_REGISTRATION_GIVEN_NAME: use } }));
      await store('required');
      const { link, invitation } = await client.invited({ language: 'es' });
      const { browser, page } = await client.opened(link);
      const said = { new_password: NEW_PASSWORD, new_password_again: NEW_PASSWORD, family_name: 'Ignored' };
      const refused = await submit(browser, page, 'create', said);
      assert.equal(refused.status, 400);
      assertAtField(refused, 'given_name', 'Fill in this field.');
      assert.equal((await submit(browser, page, 'create', { ...said, given_name: 'Eve' })).status, 200);
      await store(null);
      const { user_id } = assertOk(await client.show(invitation.id)).invitation;
      const { given_name, family_name, language } = assertOk(await api.get(`/v3/users/${user_id}`)).user;
      assert.deepEqual([given_name, family_name, language], ['Eve', undefined, 'es']);
    });

    it('say what is wrong with a name or a password, and can be tried again', async () => {
      const { link } = await client.invited();
      const { browser, page } = await client.opened(link);
      const both = (password: string) => ({ new_password: password, new_password_again: password });
      const taken = await submit(browser, page, 'create', { name: 'admin', ...both(NEW_PASSWORD) });
      assert.equal(taken.status, 400);
      assertAtField(taken, 'name', 'This user name is taken, or looks like one that is. Choose another.');
      const differ = await submit(browser, taken, 'create', { ...both(NEW_PASSWORD), new_password_again: 'else' });
      assertAtField(differ, 'new_password_again', 'The two new passwords are not the same.');
      const none = await submit(browser, differ, 'create', { name: ' ', ...both(NEW_PASSWORD) });
      assertAtField(none, 'name', 'This cannot be a user name. Choose another, of letters and digits.');
      const name = uniqueName('eve');
      const done = await submit(browser, none, 'create', { name, ...both(NEW_PASSWORD) });
      assert.match(done.text, new RegExp(`Your user name is ${name}`));
    });

    it('are accepted by an account that exists already', async () => {
      const first = await client.invited();
      const { name } = await client.accepted(first.link);
      const { link, invitation } = await client.invited({ email: first.invitation.email, ...everything() });
      const { browser, page } = await client.opened(link);
      assert.ok(!hasForm(page, 'create'), 'they have an account');
      assert.match(page.text, /There is an account with this address/);
      const asked = await submit(browser, page, 'sign-in');
      const back = await browser.answerForms(asked, { name, password: NEW_PASSWORD });
      assert.match(back.text, new RegExp(`You are signed in as ${name}`));
      const done = await submit(browser, back, 'accept');
      assert.equal(done.status, 200, done.text);
      const user = await userNamed(name);
      assert.deepEqual(await rolesOf(user.id), ['member']);
      assert.deepEqual(await groupsOf(user.id), [group.id]);
      assert.equal(await client.statusOf(invitation.id), 'accepted');
    });

    it('confirm the address of an account that an administrator made', async () => {
      const email = newAddress();
      const user = await api.make('user', { name: uniqueName('made'), password: NEW_PASSWORD, email });
      const { link } = await client.invited({ email });
      const { browser, page } = await client.opened(link);
      assert.ok(hasForm(page, 'create'), 'it may be the account of somebody else');
      const back = await browser.answerForms(await submit(browser, page, 'sign-in'), {
        name: user.name,
        password: NEW_PASSWORD,
      });
      assert.equal((await submit(browser, back, 'accept')).status, 200);
      const row = await db.read.selectFrom('users').where('id', '=', user.id).selectAll().executeTakeFirstOrThrow();
      assert.equal(row.confirmed_email, email);
    });

    it('skip what is gone, with an audit event', async () => {
      const gone = await api.make('group', { name: uniqueName('gone') });
      const away = await api.make('project', { name: uniqueName('away') });
      const { link, invitation } = await client.invited({
        ...everything(),
        organization_id: away.id,
        groups: [gone.id, group.id],
      });
      assertOk(await api.delete(`/v3/groups/${gone.id}`), 204);
      assertOk(await api.delete(`/v3/projects/${away.id}`), 204);
      const { name, status, text } = await client.accepted(link);
      assert.equal(status, 200, text);
      const user = await userNamed(name);
      assert.deepEqual(await groupsOf(user.id), [group.id]);
      assert.deepEqual(await applicationRolesOf(user.id), []);
      const skipped = 'invitation.item_skipped';
      assert.deepEqual((await actionsOn(invitation.id)).sort(), [
        'invitation.accepted',
        'invitation.created',
        ...Array(3).fill(skipped),
      ]);
    });

    it('are sent again with a new link, by whoever may give what they name', async () => {
      const { invitation, link } = await client.invited(everything());
      api.clock.advance(8 * DAY);
      api.adminToken = await api.logIn(
        { name: 'admin', password: 'the administrator of the tests' },
        { project: { name: 'admin', domain: { id: 'default' } } },
      );
      assert.equal(await client.statusOf(invitation.id), 'expired');
      assert.equal((await client.opened(link)).page.status, 404);
      const again = assertOk(await client.resend(invitation.id)).invitation;
      assert.equal(again.status, 'pending');
      const next = client.linkIn(await client.mailTo(invitation.email, 2));
      assert.notEqual(next, link);
      assert.equal((await client.opened(link)).page.status, 404, 'the former link has ended');
      assert.equal((await client.accepted(next)).status, 200);
      assertRefused(await client.resend(invitation.id), 409, /was accepted or withdrawn/);
      assertRefused(await client.withdraw(invitation.id), 409);
    });

    it('can be withdrawn', async () => {
      const { invitation, link } = await client.invited();
      assertOk(await client.withdraw(invitation.id), 204);
      assert.equal(await client.statusOf(invitation.id), 'withdrawn');
      assert.equal((await client.opened(link)).page.status, 404);
      assertRefused(await client.resend(invitation.id), 409);
    });

    it('are listed by page, and by what they are', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const place = await api.make('project', { name: uniqueName('place'), domain_id: domain.id });
      const made = [];
      for (let index = 0; index < 3; index++)
        made.push(
          (await client.invited({ domain_id: domain.id, ...(index === 0 ? { organization_id: place.id } : {}) })).invitation,
        );
      assertOk(await client.withdraw(made[1]!.id), 204);
      const listed = async (query: string): Promise<string[]> =>
        assertOk(await api.get(`${INVITATIONS}?domain_id=${domain.id}${query}`)).invitations.map(({ id }: { id: string }) => id);
      assert.deepEqual((await listed('')).sort(), made.map(({ id }) => id).sort());
      assert.deepEqual(await listed('&status=withdrawn'), [made[1]!.id]);
      assert.deepEqual(await listed('&status=expired'), []);
      assert.equal((await listed('&status=pending')).length, 2);
      assert.deepEqual(await listed(`&organization_id=${place.id}`), [made[0]!.id]);
      assert.deepEqual(await listed(`&email=${encodeURIComponent(made[2]!.email)}`), [made[2]!.id]);
      assertRefused(await api.get(`${INVITATIONS}?status=new`), 400, /status/);
      const first = assertOk(await api.get(`${INVITATIONS}?domain_id=${domain.id}&limit=2`));
      assert.equal(first.invitations.length, 2);
      const next = assertOk(await api.get(first.links.next.slice(api.url.length)));
      assert.equal(next.invitations.length, 1);
      const manager = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id });
      const seen = assertOk(await api.get(INVITATIONS, { token: manager.token })).invitations;
      assert.equal(seen.length, 3, 'those of the domain');
    });

    it('depend on the registration of the domain', async () => {
      const [closed, strict] = [await api.make('domain', { name: 'closed' }), await api.make('domain', { name: 'strict' })];
      assertRefused(await client.create({ email: newAddress(), domain_id: closed.id }), 403, /registration is off/);
      assertRefused(await client.create({ email: 'eve@example.com', domain_id: strict.id }), 400, /may not register here/);
      const { link } = await client.invited({ domain_id: strict.id });
      assert.equal((await client.accepted(link)).status, 200);
      const before = await api.make('domain', { name: uniqueName('open') });
      const late = await client.invited({ domain_id: before.id, email: 'eve@example.com' });
      const settings = { 'registration.allowed_email_domains': 'elsewhere.example' };
      assertOk(await api.patch(`/v3/OS-SERVICE/domains/${before.id}/settings`, { settings }));
      const refused = await client.accepted(late.link);
      assert.equal(refused.status, 403);
      assert.match(refused.text, /no longer allowed to invite you/);
    });

    it('are refused with bad input', async () => {
      const email = newAddress();
      for (const [values, why] of [
        [{ email: 'nobody' }, /email/],
        [{ email: 'a@b\r\nBcc: c@example.org' }, /email/],
        [{ email, role_id: await api.roleId('member') }, /organization_id/],
        [{ email, application_roles: [{ application_id: application.id, role_id: role.id }] }, /organization_id/],
        [{ email, groups: Array.from({ length: 21 }, (_, index) => `g${index}`) }, /groups/],
        [{ email, groups: [group.id, group.id] }, /groups/],
        [{ email, roles: [] }, /roles/],
        [{}, /email/],
      ] as const)
        assertRefused(await client.create(values), 400, why);
      for (const values of [
        { groups: [UNKNOWN] },
        { organization_id: UNKNOWN },
        { organization_id: 'default' },
        { organization_id: organization.id, role_id: UNKNOWN },
        { ...everything(), application_roles: [{ application_id: UNKNOWN, role_id: role.id }] },
        { domain_id: UNKNOWN },
      ])
        assertRefused(await client.create({ email, ...values }), 404);
      assert.equal(server.to(email).length, 0);
    });

    describe('need a token, and the right to create users', () => {
      it('for each call', async () => {
        const { invitation } = await client.invited();
        const calls = [
          ['GET', INVITATIONS],
          ['POST', INVITATIONS],
          ['GET', `${INVITATIONS}/${invitation.id}`],
          ['POST', `${INVITATIONS}/${invitation.id}/resend`],
          ['DELETE', `${INVITATIONS}/${invitation.id}`],
        ] as const;
        const member = await api.persona(['member'], { project: organization.id });
        const domain = await api.make('domain', { name: uniqueName('other') });
        const elsewhere = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id });
        for (const [method, path] of calls) {
          const body =
            method === 'POST' && path === INVITATIONS ? { invitation: { email: newAddress(), domain_id: 'default' } } : undefined;
          await assertNeedsToken(api, method, path, body);
          await assertForbidden(api, [member.token], method, path, { body });
          if (method !== 'GET' || path !== INVITATIONS) await assertForbidden(api, [elsewhere.token], method, path, { body });
        }
        for (const [method, path] of calls.slice(2))
          assertRefused(await api.request(method, path.replace(invitation.id, UNKNOWN)), 404, /Could not find invitation/);
      });
    });

    it('are deleted some time after their end', async () => {
      const { invitation } = await client.invited();
      api.clock.advance(100 * DAY);
      const now = Math.floor(api.clock.now() / 1000);
      assert.ok((await sweepInvitations(db, now - 90 * DAY)) >= 1);
      const left = await db.read.selectFrom('invitations').where('id', '=', invitation.id).selectAll().execute();
      assert.equal(left.length, 0);
    });

    it('are opened without a token only by mistake', async () => {
      const page = await new TestBrowser(api).go('/openid/invitation');
      assert.equal(page.status, 404);
      assert.match(page.text, /This link no longer works/);
    });
  },
  { settings: { ...smtpSettings(server), ...domains } },
);
