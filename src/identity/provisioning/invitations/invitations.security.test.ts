// Attacks on invitations: rights that the inviter does not have or has lost, links that are replayed, and races.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makeRole } from '../../../../test/support/applications.ts';
import {
  hasForm,
  INVITATIONS,
  InvitationClient,
  type InvitedPerson,
  NEW_PASSWORD,
  newAddress,
  submit,
  tokenOf,
} from '../../../../test/support/invitations.ts';
import { MailServer, smtpSettings } from '../../../../test/support/mail-server.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import type { Database } from '../../ground/database/index.ts';

const server = new MailServer();
await server.open();
// So that the process can end.
server.unref();

const settings = smtpSettings(server);
const passwords = { new_password: NEW_PASSWORD, new_password_again: NEW_PASSWORD };

underAttack(
  'Invitations, attacked',
  (api) => {
    const client = new InvitationClient(api, server);
    let db: Database;
    before(async () => {
      db = await databaseOf(api);
    });
    after(() => db.close());

    /** A domain with an organization, a group and a manager. */
    async function makeWorld() {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const within = { domain_id: domain.id };
      const organization = await api.make('project', { name: uniqueName('organization'), ...within });
      const group = await api.make('group', { name: uniqueName('group'), ...within });
      const manager = await api.persona(['manager'], { domain: domain.id }, within);
      return { domain, organization, group, manager, token: { token: manager.token } };
    }
    const usersIn = async (domain: { id: string }): Promise<{ id: string; name: string; email?: string }[]> =>
      assertOk(await api.get(`/v3/users?domain_id=${domain.id}`)).users;
    const refusals = async (id: string): Promise<number> =>
      (
        await db.read
          .selectFrom('audit_events')
          .where('target_id', '=', id)
          .where('action', '=', 'invitation.refused')
          .select('id')
          .execute()
      ).length;
    /** The link does not give an account. */
    async function assertVoid({ link, invitation }: InvitedPerson, domain: { id: string }): Promise<void> {
      const before = (await usersIn(domain)).length;
      const page = await client.accepted(link);
      assert.equal(page.status, 403, page.text);
      assert.match(page.text, /no longer allowed to invite you/);
      assert.equal((await usersIn(domain)).length, before);
      assert.notEqual(await client.statusOf(invitation.id), 'accepted');
      assert.equal(await refusals(invitation.id), 1, 'it is recorded');
    }

    it('refuses to give what the caller could not give directly', async () => {
      const { domain, organization, group, manager, token } = await makeWorld();
      const other = await makeWorld();
      const application = await makeApplication(api);
      const role = await makeRole(api, application);
      const powerful = await api.make('group', { name: uniqueName('powerful'), domain_id: domain.id });
      const admin = await api.roleId('admin');
      assertOk(await api.put(`/v3/domains/${domain.id}/groups/${powerful.id}/roles/${admin}`), 204);
      const inOrganization = { organization_id: organization.id };
      for (const values of [
        { ...inOrganization, role_id: admin },
        { ...inOrganization, role_id: await api.roleId('owner') },
        { organization_id: other.organization.id },
        { groups: [other.group.id] },
        { groups: [powerful.id] },
        { groups: ['f'.repeat(32)] },
        { ...inOrganization, application_roles: [{ application_id: application.id, role_id: role.id }] },
        { ...inOrganization, application_roles: [{ application_id: application.id, role_id: 'provider' }] },
        { domain_id: 'default' },
      ])
        assertRefused(await client.create({ email: newAddress(), ...values }, token), 403, /not authorized/);
      const { link } = await client.invited({ ...inOrganization, groups: [group.id] }, token);
      assert.equal((await client.accepted(link)).status, 200);
      // A manager of the application may give its roles.
      const own = await api.make('project', { name: uniqueName('own'), domain_id: domain.id });
      const member = await api.roleId('member');
      assertOk(await api.put(`/v3/projects/${own.id}/users/${manager.user.id}/roles/${member}`), 204);
      await assign(api, { user: manager.user, organization: own, application, role: { id: 'provider' } });
      const roles = { application_roles: [{ application_id: application.id, role_id: role.id }] };
      assert.equal((await client.accepted((await client.invited({ ...inOrganization, ...roles }, token)).link)).status, 200);
    });

    it('gives no account where registration was turned off, or closed to the address, while the password was hashed', async () => {
      const { domain, token } = await makeWorld();
      const config = `/v3/domains/${domain.id}/config`;
      for (const registration of [{ mode: 'off' }, { allowed_email_domains: 'other.example' }]) {
        const { link } = await client.invited({}, token);
        const close = async () => assertOk(await api.put(config, { config: { registration } }), 201);
        const page = await whenAt('change.before-transaction', close, () => client.accepted(link));
        assert.equal(page.status, 403, page.text);
        assert.equal((await usersIn(domain)).length, 1, 'the manager');
        assertOk(await api.delete(config), 204);
        assert.equal((await client.accepted(link)).status, 200, 'the link was not used up');
        for (const { id, name } of await usersIn(domain)) if (name.startsWith('eve')) await api.delete(`/v3/users/${id}`);
      }
    });

    describe('gives nothing of an inviter', () => {
      it('who was disabled, and again something when they are enabled', async () => {
        const { domain, manager, token } = await makeWorld();
        const invited = await client.invited({}, token);
        assertOk(await api.patch(`/v3/users/${manager.user.id}`, { user: { enabled: false } }));
        await assertVoid(invited, domain);
        assertOk(await api.patch(`/v3/users/${manager.user.id}`, { user: { enabled: true } }));
        assert.equal((await client.accepted(invited.link)).status, 200, 'the link was not used up');
      });

      it('who was deleted', async () => {
        const { domain, manager, token } = await makeWorld();
        const invited = await client.invited({}, token);
        assertOk(await api.delete(`/v3/users/${manager.user.id}`), 204);
        await assertVoid(invited, domain);
      });

      it('who is no manager any more', async () => {
        const { domain, manager, token, organization } = await makeWorld();
        const invited = await client.invited({ organization_id: organization.id }, token);
        const grant = `/v3/domains/${domain.id}/users/${manager.user.id}/roles/${await api.roleId('manager')}`;
        assertOk(await api.delete(grant), 204);
        await assertVoid(invited, domain);
        // Somebody else takes it over by sending it again.
        assertOk(await client.resend(invited.invitation.id));
        const link = client.linkIn(await client.mailTo(invited.invitation.email, 2));
        assert.equal((await client.accepted(link)).status, 200);
      });

      it('who may no longer give one of the things', async () => {
        const { domain, group, token } = await makeWorld();
        const invited = await client.invited({ groups: [group.id] }, token);
        assertOk(await api.put(`/v3/domains/${domain.id}/groups/${group.id}/roles/${await api.roleId('admin')}`), 204);
        await assertVoid(invited, domain);
      });

      it('whose domain was disabled', async () => {
        const { domain, token } = await makeWorld();
        const invited = await client.invited({}, token);
        assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
        await assertVoid(invited, domain);
      });
    });

    it('lets one of many concurrent acceptances win', async () => {
      const { domain, token } = await makeWorld();
      for (let round = 0; round < 3; round++) {
        const { link, invitation } = await client.invited({}, token);
        const visits = await Promise.all(Array.from({ length: 6 }, () => client.opened(link)));
        const pages = await Promise.all(
          visits.map(({ browser, page }) => submit(browser, page, 'create', { name: uniqueName('eve'), ...passwords })),
        );
        assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 404, 404, 404, 404, 404]);
        assert.equal((await usersIn(domain)).filter(({ email }) => email === invitation.email).length, 1);
      }
    });

    it('makes one account of two invitations that are accepted at the same time', async () => {
      const { domain, token } = await makeWorld();
      const email = newAddress();
      const links = [(await client.invited({ email }, token)).link, (await client.invited({ email }, token)).link];
      const visits = await Promise.all(links.map((link) => client.opened(link)));
      const pages = await Promise.all(
        visits.map(({ browser, page }) => submit(browser, page, 'create', { name: uniqueName('eve'), ...passwords })),
      );
      assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400]);
      assert.equal((await usersIn(domain)).filter((user) => user.email === email).length, 1);
      const [second] = pages.filter(({ status }) => status === 400);
      assert.match(second!.text, /There is an account with this address/);
      assert.ok(!hasForm(second!, 'create'));
    });

    it('invites an address once, however many ask at the same time for it to be invited unless it is', async () => {
      const { domain, token, manager } = await makeWorld();
      const other = { token: (await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id })).token };
      for (let round = 0; round < 3; round++) {
        const email = newAddress();
        const ask = (at: number) => {
          const text = at % 2 ? email : email.toUpperCase();
          return client.create({ email: text, unless_pending: true }, at % 3 ? token : other);
        };
        const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => ask(at)));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
        assertRefused(await ask(1), 409, /invited to this address already/);
        const sent = assertOk(await api.get(`${INVITATIONS}?domain_id=${domain.id}&status=pending`)).invitations;
        assert.equal(sent.filter((one: { email: string }) => one.email.toLowerCase() === email.toLowerCase()).length, 1);
        // Whoever says nothing of it invites to a second organization.
        assertOk(await client.create({ email }, { token: manager.token }), 201);
      }
    });

    it('is refused at no cost for those who do not get a second mail', async () => {
      const { token } = await makeWorld();
      const email = newAddress();
      const { invitation } = await client.invited({ email, unless_pending: true }, token);
      for (let again = 0; again < 25; again++)
        assertRefused(await client.create({ email, unless_pending: true }, token), 409, /invited to this address already/);
      assertOk(await client.resend(invitation.id, token));
      assertOk(await client.withdraw(invitation.id, token), 204);
      assertOk(await client.create({ email, unless_pending: true }, token), 201);
    });

    it('refuses a link that was used, replaced or withdrawn after the page was opened', async () => {
      const used = await client.invited();
      const [again, replaced, withdrawn] = [await client.opened(used.link), await client.invited(), await client.invited()];
      const [ofReplaced, ofWithdrawn] = [await client.opened(replaced.link), await client.opened(withdrawn.link)];
      assert.equal((await client.accepted(used.link)).status, 200);
      assertOk(await client.resend(replaced.invitation.id));
      assertOk(await client.withdraw(withdrawn.invitation.id), 204);
      for (const { browser, page } of [again, ofReplaced, ofWithdrawn]) {
        const name = uniqueName('eve');
        assert.equal((await submit(browser, page, 'create', { name, ...passwords })).status, 404);
        assert.equal(assertOk(await api.get(`/v3/users?name=${name}`)).users.length, 0);
      }
    });

    it('refuses a link that has expired', async () => {
      const { link } = await client.invited();
      const { browser, page } = await client.opened(link);
      api.clock.advance(7 * 86_400 + 1);
      assert.equal((await submit(browser, page, 'create', { name: uniqueName('eve'), ...passwords })).status, 404);
      api.clock.advance(-(7 * 86_400 + 1));
    });

    it('changes nothing when a link is only opened', async () => {
      const { link, invitation } = await client.invited();
      for (const method of ['GET', 'HEAD']) {
        const page = await new TestBrowser(api).request(link, { method });
        assert.equal(page.status, 303);
        assert.equal(page.headers.get('location'), '/openid/invitation');
        assert.equal(page.headers.get('cache-control'), 'no-store');
      }
      await client.opened(link);
      assert.equal(await client.statusOf(invitation.id), 'pending');
      assert.equal((await client.accepted(link)).status, 200);
    });

    it('stores and logs no token, and shows none', async () => {
      const { link, invitation } = await client.invited();
      const { browser, page } = await client.opened(link);
      const done = await submit(browser, page, 'create', { name: uniqueName('eve'), ...passwords });
      const token = tokenOf(link);
      for (const table of ['links', 'invitations', 'mails', 'audit_events', 'users'] as const)
        assert.ok(!JSON.stringify(await db.read.selectFrom(table).selectAll().execute()).includes(token), table);
      assert.ok(!api.logged.join('').includes(token), 'in the log');
      assert.ok(!(await client.show(invitation.id)).text.includes(token), 'in the API');
      for (const seen of [page, done]) assert.ok(!seen.text.includes(token), 'on a page');
      for (const cookie of browser.setCookies.filter((line) => line.includes(token)))
        assert.match(cookie, /Path=\/openid\/invitation; .*HttpOnly; SameSite=Lax/);
      assert.equal(browser.cookie('gatehouse_invitation'), undefined, 'the cookie goes with the invitation');
    });

    it('is not accepted by another account, or one in another domain', async () => {
      const { domain, token } = await makeWorld();
      const email = newAddress();
      const { link, invitation } = await client.invited({ email }, token);
      const other = await api.make('user', {
        name: uniqueName('other'),
        password: NEW_PASSWORD,
        email: newAddress(),
        domain_id: domain.id,
      });
      const elsewhere = await api.make('user', { name: uniqueName('elsewhere'), password: NEW_PASSWORD, email });
      for (const user of [other, elsewhere]) {
        const { browser, page } = await client.opened(link);
        const place = user === other ? { domain: domain.name } : {};
        const back = await browser.answerForms(await submit(browser, page, 'sign-in'), {
          name: user.name,
          password: NEW_PASSWORD,
          ...place,
        });
        assert.match(back.text, /cannot accept the invitation/);
        assert.ok(!hasForm(back, 'accept'));
        const [form] = back.forms;
        const forced = await browser.send('/openid/invitation', { ...form!.fields, step: 'accept' });
        assert.equal(forced.status, 400, forced.text);
        assert.equal(await client.statusOf(invitation.id), 'pending');
      }
    });

    it('refuses forms of other sites, and forms for another invitation or session', async () => {
      const [mine, theirs] = [await client.invited(), await client.invited()];
      const [{ browser, page }, other] = [await client.opened(mine.link), await client.opened(theirs.link)];
      const fields = { ...page.forms[0]!.fields, name: uniqueName('eve'), ...passwords };
      const foreign = await browser.send('/openid/invitation', fields, { Origin: 'https://attacker.example' });
      assert.equal(foreign.status, 403);
      const swapped = await browser.send('/openid/invitation', {
        ...fields,
        form_token: other.page.forms[0]!.fields.form_token!,
      });
      assert.equal(swapped.status, 403);
      assert.equal((await browser.send('/openid/invitation', { ...fields, form_token: '' })).status, 403);
      for (const { id } of [mine.invitation, theirs.invitation]) assert.equal(await client.statusOf(id), 'pending');
    });

    it('takes tokens of other purposes, and what is none, for an ended link', async () => {
      for (const token of ['', 'x', 'x'.repeat(43), '%00', "'%20or%201=1--", 'a'.repeat(5000), '%0d%0aSet-Cookie:%20a=b']) {
        const browser = new TestBrowser(api);
        const page = await browser.go(`/openid/invitation?token=${token}`);
        assert.equal(page.status, 404, page.text);
        assert.ok(!browser.cookie('a'));
      }
    });

    it('gives nobody the address of somebody else as user name', async () => {
      const { domain, token } = await makeWorld();
      const proposed = `${uniqueName('chosen')}@by-the-inviter`;
      const { link, invitation } = await client.invited({ name: proposed }, token);
      const { browser, page } = await client.opened(link);
      for (const name of ['boss@example.org', `x${invitation.email}`, 'boss\uff20example.org', '@']) {
        const refused = await submit(browser, page, 'create', { name, ...passwords });
        assert.equal(refused.status, 400, name);
        assert.match(refused.text, /must be the address of the invitation/, name);
      }
      assert.deepEqual(
        (await usersIn(domain)).filter(({ name }) => name.includes('@')),
        [],
      );
      const done = await submit(browser, page, 'create', { name: invitation.email.toUpperCase(), ...passwords });
      assert.equal(done.status, 200, done.text);
      assert.equal((await client.accepted((await client.invited({ name: proposed }, token)).link, proposed)).status, 200);
    });

    it('is sent to addresses only that nobody takes for another one', async () => {
      for (const email of ['\uff45ve@example.org', '\ufb01n@example.org', 'jos\u00e9@example.org'])
        assertRefused(await client.create({ email }), 400, /email/);
      const { invitation } = assertOk(await client.create({ email: ' eve@B\u00dcCHER.example ' }), 201);
      assert.equal(invitation.email, 'eve@xn--bcher-kva.example');
    });

    it('writes what people chose as text, in mails and on pages', async () => {
      const name = '<img src=x onerror=alert(1)>';
      const organization = await api.make('project', { name });
      const { link, invitation } = await client.invited({ organization_id: organization.id, name: '"><script>x</script>' });
      const mail = await client.mailTo(invitation.email);
      assert.ok(!String(mail.html).includes('<img'));
      const { page } = await client.opened(link);
      assert.ok(!page.text.includes('<img') && !page.text.includes('<script>x'));
    });
  },
  { settings },
);

onDatabase('SQLite', 'Limits of invitations', { settings, rateLimits: true }, (api) => {
  const client = new InvitationClient(api, server);
  before(() => api.clock.hold());

  it('lets a link try a number of names', async () => {
    const { link } = await client.invited();
    const { browser, page } = await client.opened(link);
    const statuses: string[] = [];
    for (let count = 0; count < 21; count++) {
      const { text } = await submit(browser, page, 'create', { name: 'admin', ...passwords });
      statuses.push(/Too many attempts/.test(text) ? 'too many' : /is taken/.test(text) ? 'taken' : text);
    }
    assert.deepEqual(statuses, [...Array(20).fill('taken'), 'too many']);
  });

  it('sends a number of mails to one address, whoever asks', async () => {
    const email = newAddress();
    const statuses: number[] = [];
    for (let count = 0; count < 22; count++)
      statuses.push((await client.create({ email: count % 2 ? email : email.toUpperCase() })).status);
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(201));
    assertRefused(await client.create({ email }), 429);
    assertRefused(await client.create({ email: email.replace('@', '+other@') }), 429);
    const [first] = assertOk(await api.get(`${INVITATIONS}?email=${encodeURIComponent(email)}`)).invitations;
    assertRefused(await client.resend(first.id), 429);
    api.clock.advance(1800);
    assertRefused(await client.create({ email }), 409, /20 pending/);
    assertOk(await client.resend(first.id));
  });

  it('counts unknown tokens by address', async () => {
    const browser = new TestBrowser(api);
    const statuses = new Set<number>();
    for (let count = 0; count < 110; count++)
      statuses.add((await browser.go(`/openid/invitation?token=${String(count).padStart(43, 'x')}`)).status);
    assert.deepEqual([...statuses], [404, 429]);
  });
});
