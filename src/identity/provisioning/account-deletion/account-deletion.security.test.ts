// Attacks on the deletion of one's own account.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  DAY,
  DELETION_ALLOWED,
  leave,
  makeLeaver,
  openData,
  passTime,
  rowsOf,
  tablesOf,
} from '../../../../test/support/account-deletion.ts';
import { assertOk } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onDatabase, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { AT_LOCALHOST, PasskeyPerson, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { BULK_REQUEST, patchOf, USER } from '../../../../test/support/scim.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { linkOf } from '../../../../test/support/ways-in.ts';

const STALE = 901;

const SCIM_USERS = '/scim/v2/Users';
const KEYROCK_USERS = '/v3/OS-SCIM/v2/Users';
type Deactivation = (api: TestApi, person: { readonly id: string; readonly name: string }) => Promise<ApiAnswer>;
const DEACTIVATIONS: Readonly<Record<string, Deactivation>> = {
  'SCIM: PUT': (api, { id, name }) => api.put(`${SCIM_USERS}/${id}`, { schemas: [USER], userName: name, active: false }),
  'SCIM: PATCH of active': (api, { id }) =>
    api.patch(`${SCIM_USERS}/${id}`, patchOf({ op: 'replace', path: 'active', value: false })),
  'SCIM: PATCH without a path, as Entra writes it': (api, { id }) =>
    api.patch(`${SCIM_USERS}/${id}`, patchOf({ op: 'Replace', value: { active: 'False' } })),
  'SCIM: PATCH by the name of the schema': (api, { id }) =>
    api.patch(`${SCIM_USERS}/${id}`, patchOf({ op: 'add', path: `${USER}:active`, value: false })),
  'SCIM: a bulk request': (api, { id }) => {
    const data = patchOf({ op: 'replace', path: 'active', value: false });
    return api.post('/scim/v2/Bulk', { schemas: [BULK_REQUEST], Operations: [{ method: 'PATCH', path: `/Users/${id}`, data }] });
  },
  "Keyrock's SCIM: PUT": (api, { id }) => api.put(`${KEYROCK_USERS}/${id}`, { active: false }),
  "Keyrock's SCIM: PATCH": (api, { id }) =>
    api.patch(`${KEYROCK_USERS}/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] }),
};

underAttack(
  'The deletion of an account',
  (api) => {
    const db = usesDatabaseOf(api);
    const enabled = async (id: string): Promise<boolean> => (await api.get(`/v3/users/${id}`)).body.user.enabled;

    it('is not begun by a form of another site, of another session, or of an old session', async () => {
      const [person, other] = [await makeUser(api), await makeUser(api)];
      const { browser, page } = await openData(api, person);
      const form = page.forms.find(({ fields }) => fields.step === 'delete-account')!;
      const fields = { ...form.fields, user_name: person.name };
      const foreign = { Origin: 'https://evil.example.org', 'Sec-Fetch-Site': 'cross-site' };
      assert.equal((await browser.send(page.url, fields, foreign)).status, 403);
      assert.equal((await browser.send(page.url, { ...fields, form_token: '' })).status, 403);
      const theirs = await openData(api, other);
      const token = theirs.page.forms[0]!.fields.form_token!;
      assert.equal((await browser.send(page.url, { ...fields, form_token: token })).status, 403);
      assert.equal(
        (await browser.go(`${page.url}?step=delete-account&user_name=${person.name}`)).status,
        200,
        'reading does nothing',
      );
      await passTime(api, STALE);
      assert.equal(stepOf(await browser.send(page.url, fields)), 'password', 'they are to sign in again');
      for (const { id } of [person, other]) assert.equal(await enabled(id), true);
    });

    it('is not taken back by the password alone where a second factor is set up, nor outside of the page', async () => {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      await leave(api, { id: user.id, name: user.name, password, code: () => phone.fresh() });
      const browser = new TestBrowser(api);
      const asked = await browser.signIn('/account', { name: user.name, password });
      assert.equal(stepOf(asked), 'code');
      const forged = await browser.send(asked.url, { ...asked.forms[0]!.fields, step: 'keep-account' });
      assert.equal(stepOf(forged), 'code');
      for (const step of ['skip', 'passkey-create', 'ask-recovery'])
        assert.notEqual(stepOf(await browser.send(asked.url, { ...asked.forms[0]!.fields, step })), 'keep-account');
      const without = await browser.send(asked.url, { step: 'code', code: phone.fresh() });
      assert.equal(without.status, 403, 'a form without its token');
      const application = await makeApplication(api, { grant_type: 'password' });
      const grant = await fetch(`${api.url}/openid/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'password', username: user.name, password, verification_code: phone.fresh() }),
      });
      assert.notEqual(grant.status, 200);
      const wrong = await new TestBrowser(api).signIn('/account', { name: user.name, password: 'not the password' });
      assert.equal(stepOf(wrong), 'password');
      assert.doesNotMatch(wrong.text, /will be deleted/, 'a stranger does not learn of it');
      assert.equal(await enabled(user.id), false);
    });

    it('is not taken back by somebody whose proof is from before an administrator set another password', async () => {
      const person = await makeLeaver(api);
      const browser = new TestBrowser(api);
      const offer = await browser.signIn('/account', person);
      assert.equal(stepOf(offer), 'keep-account');
      await api.patch(`/v3/users/${person.id}`, { user: { password: 'set by an administrator' } });
      await browser.submit(offer, 'keep-account');
      assert.equal(await enabled(person.id), false);
    });

    it('lets nobody try codes whose password is from before an administrator set another one', async () => {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      await leave(api, { id: user.id, name: user.name, password, code: () => phone.fresh() });
      const browser = new TestBrowser(api);
      const asked = await browser.signIn('/account', { name: user.name, password });
      await api.patch(`/v3/users/${user.id}`, { user: { password: 'set by an administrator' } });
      const refused = await browser.submit(asked, 'code', { code: phone.fresh() });
      assert.deepEqual([refused.status, stepOf(refused)], [401, 'code']);
    });

    for (const [way, deactivate] of Object.entries(DEACTIVATIONS))
      it(`is not taken back by the owner after the account was deactivated by ${way}`, async () => {
        const person = await makeLeaver(api);
        const browser = new TestBrowser(api);
        const offer = await browser.signIn('/account', person);
        assert.equal(stepOf(offer), 'keep-account');
        const answer = await deactivate(api, person);
        assert.ok(answer.status < 300, answer.text);
        await browser.submit(offer, 'keep-account');
        assert.notEqual(stepOf(await new TestBrowser(api).signIn('/account', person)), 'keep-account');
        assert.equal(await enabled(person.id), false);
        assert.equal((await api.authenticate({ id: person.id, password: person.password })).status, 401);
        assert.equal((await api.get(`/v3/users/${person.id}/OS-ACCOUNT/deletion`)).status, 404);
        const version = async () => (await api.get(`/scim/v2/Users/${person.id}`)).body.meta.version;
        const before = await version();
        await deactivate(api, person);
        assert.equal(await version(), before, 'who repeats it changes nothing');
      });

    it('happens or is taken back, never both, and once, whoever is first', async () => {
      // Those of the tests before.
      await passTime(api, 15 * DAY);
      await api.service.accountDeletion.deleteDue();
      const people = await Promise.all(Array.from({ length: 6 }, () => makeLeaver(api)));
      await passTime(api, 14 * DAY + 60);
      const { accountDeletion } = api.service;
      const cancelled = Promise.all(people.map(({ id }) => api.delete(`/v3/users/${id}/OS-ACCOUNT/deletion`)));
      const counts = await Promise.all([accountDeletion.deleteDue(), accountDeletion.deleteDue(), accountDeletion.deleteDue()]);
      const statuses = (await cancelled).map(({ status }) => status);
      assert.equal(
        counts.reduce((sum, count) => sum + count),
        statuses.filter((status) => status === 404).length,
      );
      for (const [at, { id }] of people.entries()) {
        const { status, body } = await api.get(`/v3/users/${id}`);
        if (statuses[at] === 204) assert.equal(body.user.enabled, true);
        else assert.deepEqual([statuses[at], status], [404, 404]);
        const events = await db()
          .read.selectFrom('audit_events')
          .where('target_id', '=', id)
          .where('action', 'in', ['user.deleted', 'user.deletion_cancelled'])
          .select('action')
          .execute();
        assert.equal(events.length, 1);
      }
    });

    it('is refused to one of the last two administrators of a domain who leave at the same moment', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const managers = await Promise.all(
        [1, 2].map(() => api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id })),
      );
      const open = await Promise.all(
        managers.map(async ({ user, password }) => {
          const browser = new TestBrowser(api);
          return {
            browser,
            page: await browser.signIn('/account/data', { name: user.name, password, domain: domain.name }),
            user,
          };
        }),
      );
      const answers = await Promise.all(
        open.map(({ browser, page, user }) => browser.submit(page, 'delete-account', { user_name: user.name })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    });

    it('is refused to the last one of a domain though a provider made others, which may not: they administer nothing', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const group = await api.make('group', { name: uniqueName('group'), domain_id: domain.id });
      assertOk(await api.put(`/v3/domains/${domain.id}/groups/${group.id}/roles/${await api.roleId('manager')}`), 204);
      const { user, password } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
      const guest = await makeUser(api, { domain_id: domain.id });
      const provider = uniqueName('idp');
      assertOk(await api.put(`/v3/OS-FEDERATION/identity_providers/${provider}`, { identity_provider: {} }), 201);
      await db().write(async (tx) => {
        const given = JSON.stringify({ groups: [group.id], roles: [] });
        const link = { ...linkOf(guest.id, provider, 'https://idp.example.org'), given };
        await tx.insertInto('provider_links').values(link).execute();
        const member = { group_id: group.id, user_id: guest.id, display: null, expires_at: null, kept: 0 as const };
        await tx.insertInto('group_members').values(member).execute();
      });
      const browser = new TestBrowser(api);
      const page = await browser.signIn('/account/data', { name: user.name, password, domain: domain.name });
      assert.match(page.text, /last administrator/);
      assertOk(await api.put(`/v3/groups/${group.id}/users/${guest.id}`), 204);
      assert.doesNotMatch((await browser.go('/account/data')).text, /last administrator/);
    });

    it('waits while nobody else could administer the service', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { user, password } = await api.persona(['admin'], { project: project.id });
      await leave(api, { id: user.id, name: user.name, password });
      await passTime(api, 15 * DAY);
      const enableOthers = (enabled: number) =>
        db().write((tx) => tx.updateTable('users').set({ enabled }).where('name', '=', 'admin').execute());
      await enableOthers(0);
      await api.service.accountDeletion.deleteDue();
      assert.ok(await db().read.selectFrom('users').where('id', '=', user.id).select('id').executeTakeFirst());
      await enableOthers(1);
      assert.equal(await api.service.accountDeletion.deleteDue(), 1);
    });

    it('leaves nothing of the person but audit events', async () => {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      await leave(api, { id: user.id, name: user.name, password, code: () => phone.fresh() });
      await passTime(api, 14 * DAY + 60);
      await api.service.accountDeletion.deleteDue();
      await api.service.mail.sendDue();
      for (const table of await tablesOf(db())) {
        const left = (await rowsOf(db(), table)).filter((row) => JSON.stringify(row).includes(user.id));
        if (table !== 'audit_events') assert.deepEqual(left, [], table);
      }
    });
  },
  { settings: DELETION_ALLOWED },
);

onDatabase('SQLite', 'Somebody who leaves and has a passkey', { settings: { ...DELETION_ALLOWED, ...AT_LOCALHOST } }, (api) => {
  servesAtLocalhost(api);

  it('can keep the account by it, and not by a wrong one', async () => {
    const person = await PasskeyPerson.withPasskey(api);
    await leave(api, person);
    const browser = new TestBrowser(api);
    const wrong = await person.usePasskey(browser, await browser.go('/account'), { foreignKey: true });
    assert.equal(wrong.status, 401);
    const unverified = await person.usePasskey(browser, wrong, { isUserVerified: false });
    assert.equal(unverified.status, 401, 'alone, it has to verify the person');
    const offer = await person.usePasskey(browser, unverified);
    assert.equal(stepOf(offer), 'keep-account', offer.text);
    assert.match((await browser.submit(offer, 'keep-account')).text, /Your account stays/);
    await api.logIn({ id: person.id, password: person.password });
  });
});

underAttack('The deletion of an account that is being switched off', (api) => {
  const switchTo = async (mode: string) =>
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_ACCOUNT_DELETION: mode } }));

  it('is not begun by a request that was on its way', async () => {
    const person = await makeUser(api);
    await switchTo('allowed');
    const { browser, page } = await openData(api, person);
    const answer = await whenAt(
      'change.before-transaction',
      () => switchTo('off'),
      () => browser.submit(page, 'delete-account', { user_name: person.name }),
    );
    assert.equal(answer.status, 400, answer.text);
    assert.equal(assertOk(await api.get(`/v3/users/${person.id}`)).user.enabled, true);
  });
});
