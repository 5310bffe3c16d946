// People delete their own account, at the account page.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { DAY, DELETION_ALLOWED, leave, makeLeaver, openData, passTime } from '../../../../test/support/account-deletion.ts';
import { assertOk } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, onDatabase, onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, Traveller } from '../../../../test/support/federation.ts';
import { mailsInFolderTo } from '../../../../test/support/mail-folder.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { connect, USER } from '../../../../test/support/scim.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const deletionOf = (api: TestApi, id: string) => api.get(`/v3/users/${id}/OS-ACCOUNT/deletion`);
const enabled = async (api: TestApi, id: string): Promise<boolean> => (await api.get(`/v3/users/${id}`)).body.user.enabled;

onEachDatabase(
  'Deleting one’s own account',
  (api) => {
    const db = usesDatabaseOf(api);

    it('ends tokens and sessions at once, says so by mail, and is done after the grace time', async () => {
      const person = await makeUser(api);
      const token = await api.logIn({ id: person.id, password: person.password });
      const { browser, page } = await openData(api, person);
      const before = Math.floor(api.clock.now() / 1000);
      const left = await browser.submit(page, 'delete-account', { user_name: ` ${person.name.toUpperCase()} ` });
      assert.equal(left.status, 200);
      assert.match(left.text, /will be deleted/);
      assert.equal((await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status, 404);
      assert.equal((await api.authenticate({ id: person.id, password: person.password })).status, 401);
      assert.equal(stepOf(await browser.go('/account')), 'password', 'the session is over');
      const { deletion } = (await deletionOf(api, person.id)).body;
      const due = Date.parse(deletion.due_at) / 1000;
      assert.ok(due >= before + 14 * DAY && due <= before + 14 * DAY + 60, deletion.due_at);
      const [mail, ...others] = await mailsInFolderTo(api, `${person.name}@example.org`);
      assert.match(mail!, /Subject: Your account will be deleted/);
      assert.deepEqual(others, []);

      await passTime(api, 13 * DAY);
      assert.equal(await api.service.accountDeletion.deleteDue(), 0);
      assert.equal(await enabled(api, person.id), false);
      await passTime(api, DAY + 60);
      assert.equal(await api.service.accountDeletion.deleteDue(), 1);
      assert.equal((await api.get(`/v3/users/${person.id}`)).status, 404);
      assert.equal(await api.service.accountDeletion.deleteDue(), 0);
    });

    it('can be undone by signing in until then, which does nothing else', async () => {
      const person = await makeLeaver(api);
      const browser = new TestBrowser(api);
      const offer = await browser.signIn('/account', person);
      assert.equal(stepOf(offer), 'keep-account', offer.text);
      assert.equal(await enabled(api, person.id), false, 'a sign-in alone changes nothing');
      assert.equal(stepOf(await browser.go('/account')), 'password', 'there is no session');
      const kept = await browser.submit(offer, 'keep-account');
      assert.match(kept.text, /Your account stays/);
      const [, told] = (await mailsInFolderTo(api, `${person.name}@example.org`)).sort();
      assert.match(told ?? '', /Subject: Your account will (?:not )?be deleted/);
      assert.equal(await enabled(api, person.id), true);
      assert.equal((await deletionOf(api, person.id)).status, 404);
      assert.equal(stepOf(await browser.go('/account')), 'password', 'and there is still none');
      assert.match((await browser.signIn('/account', person)).text, new RegExp(person.name));
      await passTime(api, 15 * DAY);
      assert.equal(await api.service.accountDeletion.deleteDue(), 0);
      await api.logIn({ id: person.id, password: person.password });
    });

    it('asks for the second factor before it offers to keep the account', async () => {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      const person = { id: user.id, name: user.name, password, code: () => phone.fresh() };
      await leave(api, person);
      const browser = new TestBrowser(api);
      const asked = await browser.signIn('/account', { name: user.name, password });
      assert.equal(stepOf(asked), 'code');
      const wrong = await browser.submit(asked, 'code', { code: phone.wrong() });
      assert.equal(wrong.status, 401);
      assert.equal(stepOf(wrong), 'code');
      const offer = await browser.submit(wrong, 'code', { code: phone.fresh() });
      assert.equal(stepOf(offer), 'keep-account');
      await browser.submit(offer, 'keep-account');
      assert.equal(await enabled(api, user.id), true);
    });

    it('is shown to administrators, who can cancel it', async () => {
      const person = await makeLeaver(api);
      assert.equal((await api.delete(`/v3/users/${person.id}/OS-ACCOUNT/deletion`)).status, 204);
      assert.equal(await enabled(api, person.id), true);
      for (const answer of [await deletionOf(api, person.id), await api.delete(`/v3/users/${person.id}/OS-ACCOUNT/deletion`)])
        assert.equal(answer.status, 404, answer.text);
      const { token } = await api.persona(['member'], { project: (await api.make('project', { name: uniqueName('p') })).id });
      for (const answer of [
        await api.get(`/v3/users/${person.id}/OS-ACCOUNT/deletion`, { token }),
        await api.delete(`/v3/users/${person.id}/OS-ACCOUNT/deletion`, { token }),
      ])
        assert.equal(answer.status, 403);
    });

    it('does not happen to an account that an administrator enabled or disabled since; their owners are told', async () => {
      const [one, other, third] = [await makeLeaver(api), await makeLeaver(api), await makeLeaver(api)];
      await api.patch(`/v3/users/${one.id}`, { user: { enabled: true } });
      await api.patch(`/v3/users/${other.id}`, { user: { enabled: false, description: 'needed for an inquiry' } });
      await api.patch(`/v3/users/${third.id}`, { user: { enabled: true } });
      await api.patch(`/v3/users/${third.id}`, { user: { enabled: false } });
      for (const { id, name } of [one, other, third]) {
        assert.equal((await deletionOf(api, id)).status, 404);
        const mails = await mailsInFolderTo(api, `${name}@example.org`);
        assert.equal(mails.filter((mail) => /Subject: Your account will not be deleted/.test(mail)).length, 1, name);
      }
      assert.notEqual(stepOf(await new TestBrowser(api).signIn('/account', other)), 'keep-account');
      await passTime(api, 15 * DAY);
      assert.equal(await api.service.accountDeletion.deleteDue(), 0);
      assert.equal((await api.authenticate({ id: one.id, password: one.password })).status, 201);
    });

    it('goes on when something else about the account changes, and by SCIM', async () => {
      const [one, other] = [await makeLeaver(api), await makeLeaver(api)];
      await api.patch(`/v3/users/${one.id}`, { user: { description: 'a note' } });
      const { active, ...stored } = (await api.get(`/scim/v2/Users/${other.id}`)).body;
      assert.equal(active, false);
      assert.equal((await api.put(`/scim/v2/Users/${other.id}`, { ...stored, externalId: 'e-7', title: 'Dr' })).status, 200);
      for (const { id } of [one, other]) assert.equal((await deletionOf(api, id)).status, 200);
      await passTime(api, 15 * DAY);
      await api.service.accountDeletion.deleteDue();
      for (const { id } of [one, other]) assert.equal((await api.get(`/v3/users/${id}`)).status, 404);
    });

    it('is listed for administrators and for managers of the domain, the next first, page by page', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const people = [];
      for (let at = 0; at < 3; at++) {
        const person = await makeUser(api, { domain_id: domain.id });
        const row = await db().read.selectFrom('users').where('id', '=', person.id).selectAll().executeTakeFirstOrThrow();
        await api.service.accountDeletion.schedule({ userId: row.id, requestId: null, epoch: row.epoch }, row, row.name);
        people.push(person);
        api.clock.advance(60);
      }
      const list = async (query: string, token = api.adminToken) =>
        (await api.get(`/v3/OS-ACCOUNT/deletions?${query}`, { token })).body;
      const first = await list(`domain_id=${domain.id}&limit=2`);
      assert.deepEqual(first.deletions[0], {
        ...(await deletionOf(api, people[0]!.id)).body.deletion,
        user_name: people[0]!.name,
        domain_id: domain.id,
      });
      const second = (await api.get(first.links.next.replace(api.url, ''))).body;
      const ids = [...first.deletions, ...second.deletions].map(({ user_id: id }: { user_id: string }) => id);
      assert.deepEqual([ids, second.links.next], [people.map(({ id }) => id), null]);
      const { token } = await api.persona(['reader'], { domain: domain.id });
      await makeLeaver(api);
      assert.equal((await list('', token)).deletions.length, 3, 'of their own domain only');
      const stranger = await api.persona(['member'], { project: (await api.make('project', { name: uniqueName('p') })).id });
      assert.equal((await api.get('/v3/OS-ACCOUNT/deletions', { token: stranger.token })).status, 403);
      assert.equal((await api.get('/v3/OS-ACCOUNT/deletions', { token: null })).status, 401);
      assert.equal((await api.get('/v3/OS-ACCOUNT/deletions?marker=nobody')).status, 400);
    });

    it('takes the organizations with it that registration made for the person, unless others are in them', async () => {
      const name = uniqueName('registered');
      const answer = await api.post('/v3/OS-REGISTRATION/users', {
        user: { name, username: name, password: 'a password of a person', domain_id: 'default' },
      });
      const { id, activation_key: key, default_project_id: own, cloud_project_id: cloud } = answer.body.user;
      assert.equal((await api.patch(`/v3/OS-REGISTRATION/activate/${key}/users/${id}`, {})).status, 200);
      const other = await makeUser(api);
      await api.put(`/v3/projects/${cloud}/users/${other.id}/roles/${await api.roleId('member')}`);
      await leave(api, { id, name, password: 'a password of a person' });
      await passTime(api, 15 * DAY);
      await api.service.accountDeletion.deleteDue();
      const statuses = await Promise.all(
        [`users/${id}`, `projects/${own}`, `projects/${cloud}`].map((path) => api.get(`/v3/${path}`)),
      );
      assert.deepEqual(
        statuses.map(({ status }) => status),
        [404, 404, 200],
      );
    });

    it('is refused to people whom a provisioning client manages', async () => {
      const { scim, domain } = await connect(api);
      const name = uniqueName('provisioned');
      const created = await scim.post('/Users', { schemas: [USER], userName: name, externalId: 'e-1', password: 'a password' });
      assert.equal(created.status, 201, created.text);
      const browser = new TestBrowser(api);
      const page = await browser.signIn('/account/data', { name, password: 'a password', domain: domain.name });
      assert.match(page.text, /managed by another system/);
      assert.equal(
        page.forms.find(({ fields }) => fields.step === 'delete-account'),
        undefined,
      );
      const form = page.forms[0]!;
      const sent = await browser.send(page.url, { ...form.fields, step: 'delete-account', user_name: name });
      assert.equal(sent.status, 400);
      assert.match(sent.text, /managed by another system/);
    });

    it('is refused to the last administrator of the service, and of a domain', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const admin = { id: (await api.get('/v3/users?name=admin')).body.users[0].id, name: 'admin' };
      const { user, password } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
      for (const person of [
        { ...admin, password: ADMIN_PASSWORD },
        { ...user, password, domain: domain.name },
      ]) {
        const browser = new TestBrowser(api);
        const page = await browser.signIn('/account/data', person);
        assert.match(page.text, /last administrator/);
        const sent = await browser.send(page.url, { ...page.forms[0]!.fields, step: 'delete-account', user_name: person.name });
        assert.equal(sent.status, 400);
        assert.match(sent.text, /last administrator/);
        assert.equal(await enabled(api, person.id), true);
      }
      // Through a group counts.
      const group = await api.make('group', { name: uniqueName('managers'), domain_id: domain.id });
      const second = await api.make('user', { name: uniqueName('second'), domain_id: domain.id });
      await api.put(`/v3/groups/${group.id}/users/${second.id}`);
      await api.put(`/v3/domains/${domain.id}/groups/${group.id}/roles/${await api.roleId('manager')}`);
      const browser = new TestBrowser(api);
      const page = await browser.signIn('/account/data', { name: user.name, password, domain: domain.name });
      await browser.submit(page, 'delete-account', { user_name: user.name });
      assert.equal(await enabled(api, user.id), false);
    });

    it('asks for the user name', async () => {
      const person = await makeUser(api);
      const { browser, page } = await openData(api, person);
      const refused = await browser.submit(page, 'delete-account', { user_name: 'somebody else' });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /not your user name/);
      assert.equal(await enabled(api, person.id), true);
    });
  },
  { settings: DELETION_ALLOWED },
);

onEachDatabase(
  'Deleting the account of an administrator, with the scope enforced',
  (api) => {
    it('is refused to the last one of the system, whoever administers domains and projects', async () => {
      const admin = { id: (await api.get('/v3/users?name=admin')).body.users[0].id, name: 'admin', password: ADMIN_PASSWORD };
      const role = await api.roleId('admin');
      const second = await api.make('user', { name: uniqueName('second') });
      const { projects } = (await api.get('/v3/projects?name=admin')).body;
      for (const where of ['domains/default', `projects/${projects[0].id}`])
        assertOk(await api.put(`/v3/${where}/users/${second.id}/roles/${role}`), 204);
      const browser = new TestBrowser(api);
      assert.match((await browser.signIn('/account/data', admin)).text, /last administrator/);
      assertOk(await api.put(`/v3/system/users/${second.id}/roles/${role}`), 204);
      assert.doesNotMatch((await browser.go('/account/data')).text, /last administrator/);
    });
  },
  { settings: { ...DELETION_ALLOWED, GATEHOUSE_IDENTITY_ENFORCE_SCOPE: 'on' } },
);

onDatabase(
  'SQLite',
  'Deleting one’s account without a grace time',
  { settings: { ...DELETION_ALLOWED, GATEHOUSE_IDENTITY_ACCOUNT_DELETION_GRACE_DAYS: '0' } },
  (api) => {
    it('is done at once, and nobody is told to come back before then', async () => {
      const person = await makeUser(api);
      const left = await leave(api, person);
      assert.match(left.text, /is being deleted/);
      assert.doesNotMatch(left.text, /change your mind/);
      const [mail] = await mailsInFolderTo(api, `${person.name}@example.org`);
      assert.match(mail!, /Subject: Your account is being deleted/);
      assert.equal(await api.service.accountDeletion.deleteDue(), 1);
    });
  },
);

onEachDatabase('An account in a domain that does not allow its deletion', (api) => {
  it('cannot be deleted by its owner', async () => {
    const person = await makeUser(api);
    const { browser, page } = await openData(api, person);
    assert.doesNotMatch(page.text, /Delete your account/);
    const sent = await browser.send(page.url, { ...page.forms[0]!.fields, step: 'delete-account', user_name: person.name });
    assert.equal(sent.status, 400);
    assert.equal(await enabled(api, person.id), true);
  });
});

onDatabase('SQLite', 'Somebody who leaves and signs in through another provider', { settings: DELETION_ALLOWED }, (api) => {
  const id = uniqueName('idp');
  const db = usesDatabaseOf(api);
  let provider: PlainProvider;
  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id });
  });
  after(() => provider.stop());

  it('is offered to keep the account, and nothing else', async () => {
    const [application, sub] = [await RelyingParty.make(api), uniqueName('anna')];
    const traveller = (): Traveller => new Traveller(api, application, provider, id);
    const { id: userId } = await traveller().userOf(await traveller().signIn(sub, 'provider-new'));
    const user = (await db().read.selectFrom('users').where('id', '=', String(userId)).selectAll().executeTakeFirst())!;
    await api.service.accountDeletion.schedule({ userId: user.id, requestId: null, epoch: user.epoch }, user, user.name);
    const returning = traveller();
    const { page } = await returning.travel(sub);
    assert.equal(stepOf(page), 'keep-account', page.text);
    assert.ok(!page.url.includes('code='), 'the code of the provider is not in the address of the page');
    assert.equal(await enabled(api, user.id), false);
    await returning.browser.submit(page, 'keep-account');
    assert.equal(await enabled(api, user.id), true);
    assert.equal((await traveller().signIn(sub)).claims()!.sub, user.id);
  });
});
