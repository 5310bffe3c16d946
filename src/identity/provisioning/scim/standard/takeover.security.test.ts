// Provisioning must not allow signing in as a manager of the domain.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../../test/support/relying-party.ts';
import { assertScimRefused, BULK_REQUEST, connect, patchOf, ScimClient, USER } from '../../../../../test/support/scim.ts';

onUsualDatabase('SCIM and those who manage the domain', (api) => {
  let domain: { id: string; name: string };
  let scim: ScimClient;
  before(async () => {
    await api.make('role', { name: 'auditor' });
    const made = await api.make('domain', { name: uniqueName('domain') });
    domain = { id: made.id, name: made.name };
    ({ scim } = await connect(api, domain.id));
  });

  const PASSWORD = 'the password of the application';
  const replacing = (path: string, value: unknown) => patchOf({ op: 'replace', path, value });
  const emails = (value: string) => [{ value, primary: true }];
  const grant = async (who: string, role: string, where = `domains/${domain.id}`) =>
    assertOk(await api.put(`/v3/${where}/${who}/roles/${await api.roleId(role)}`), 204);
  const person = () => makeUser(api, { domain_id: domain.id });
  const signsIn = async ({ id }: { id: string }, password: string): Promise<boolean> =>
    (await api.authenticate({ id, password }, { domain: { id: domain.id } })).status === 201;

  /** Every way to change the credentials of a user. */
  async function attempts(by: ScimClient, { id, name }: { id: string; name: string }): Promise<ApiAnswer[]> {
    const path = `/Users/${id}`;
    const mine = uniqueName('mine');
    const kept = { schemas: [USER], userName: name, emails: emails(`${name}@example.org`) };
    return [
      await by.patch(path, replacing('password', PASSWORD)),
      await by.patch(path, replacing('userName', mine)),
      await by.patch(path, replacing('emails', emails('mine@example.org'))),
      await by.patch(path, patchOf({ op: 'add', path: 'emails', value: [{ value: 'mine@example.org' }] })),
      await by.patch(path, patchOf({ op: 'remove', path: 'emails' })),
      await by.put(path, { ...kept, password: PASSWORD }),
      await by.put(path, { ...kept, userName: mine }),
      await by.put(path, { schemas: [USER], userName: name }),
    ];
  }

  it('an application does not become the manager who let it in, nor another one', async () => {
    const [manager, another] = [await person(), await person()];
    for (const { id } of [manager, another]) await grant(`users/${id}`, 'manager');
    const party = await RelyingParty.make(api);
    const { access_token: token } = await party.tokensFor({ ...manager, domain: domain.name }, { scope: 'openid scim' });
    const application = new ScimClient(api, token);
    for (const whom of [manager, another]) {
      for (const answer of await attempts(application, whom)) assertScimRefused(answer, 403);
      assertScimRefused(await application.patch('/Me', replacing('password', PASSWORD)), 403);
      assert.deepEqual([await signsIn(whom, PASSWORD), await signsIn(whom, whom.password)], [false, true]);
    }
  });

  it('a connection does not become who manages the domain or more, themselves or through a group, alone or in bulk', async () => {
    const [manager, indirect, auditor] = [await person(), await person(), await person()];
    const group = await api.make('group', { name: uniqueName('managers'), domain_id: domain.id });
    const organization = await api.make('project', { name: uniqueName('organization'), domain_id: domain.id });
    await grant(`users/${manager.id}`, 'manager');
    await grant(`groups/${group.id}`, 'manager');
    await grant(`users/${auditor.id}`, 'auditor', `projects/${organization.id}`);
    assertOk(await api.put(`/v3/groups/${group.id}/users/${indirect.id}`), 204);
    for (const whom of [manager, indirect, auditor]) {
      for (const answer of await attempts(scim, whom)) assertScimRefused(answer, 403);
      const data = replacing('password', PASSWORD);
      const Operations = [{ method: 'PATCH', path: `/Users/${whom.id}`, data }];
      const done = assertOk(await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations }));
      assert.equal(done.Operations[0].status, '403');
    }
    assert.deepEqual([await signsIn(manager, PASSWORD), await signsIn(manager, manager.password)], [false, true]);
  });

  it('but managers are kept up to date and closed, and everyone else is looked after as before', async () => {
    const manager = await person();
    await grant(`users/${manager.id}`, 'manager');
    const path = `/Users/${manager.id}`;
    const shown = await scim.show(path);
    assertOk(await scim.put(path, { schemas: [USER], userName: manager.name, emails: shown.emails, title: 'Head' }));
    assertOk(await scim.patch(path, replacing('active', false)), 204);
    assert.equal(await signsIn(manager, manager.password), false);

    const plain = await person();
    const organization = await api.make('project', { name: uniqueName('organization'), domain_id: domain.id });
    for (const role of ['member', 'reader', 'owner', 'basic', 'trial', 'community'])
      await grant(`users/${plain.id}`, role, `projects/${organization.id}`);
    for (const answer of await attempts(scim, plain)) assert.ok(answer.status < 300, answer.text);
  });
});
