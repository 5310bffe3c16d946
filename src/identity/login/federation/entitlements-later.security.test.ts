// Groups and roles that a provider gave, and that come to manage others later. The provider may not make administrators, so nobody becomes
// one by it, neither at the next sign-in nor before.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { linkOf } from '../../../../test/support/ways-in.ts';

onUsualDatabase('What a provider gave before it managed others', (api) => {
  const db = usesDatabaseOf(api);
  const id = uniqueName('idp');
  let provider: PlainProvider;
  let tokens: ProviderTokens;
  let helper: { id: string; name: string };
  const openid = (may_give_admin: boolean) => {
    const { issuer, clientId: client_id, clientSecret: client_secret } = provider;
    return api.put(`${tokens.path}/openid`, {
      openid: { issuer, client_id, client_secret, accepts_tokens: true, may_give_admin },
    });
  };
  before(async () => {
    helper = await api.make('role', { name: uniqueName('helper') });
    const rules = [
      { local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] },
      { local: [{ groups: '{0}', domain: { id: 'default' } }], remote: [{ type: 'groups' }] },
      { local: [{ projects: [{ name: '{0}', roles: [{ name: helper.name }] }] }], remote: [{ type: 'project' }] },
    ];
    provider = await providerFor(id);
    await connectProvider(api, provider, { id, rules, settings: { accepts_tokens: true } });
    tokens = new ProviderTokens(api, provider, id);
  });
  after(() => provider.stop());

  /** Somebody with a password, to whom the provider gave a group with a role in a project. */
  async function scene() {
    const { user, password } = await makeUser(api);
    const [group, project] = [
      await api.make('group', { name: uniqueName('group') }),
      await api.make('project', { name: uniqueName('project') }),
    ];
    const member = await api.roleId('member');
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${member}`), 204);
    await db().write((tx) =>
      tx
        .insertInto('provider_links')
        .values(linkOf(user.id, id, provider.issuer))
        .execute(),
    );
    const give = (more: object = {}) => tokens.enter(user.id, { groups: [group.name], ...more });
    await give();
    const scope = { project: { id: project.id } };
    const logIn = (where: object = scope) => api.authenticate({ id: user.id, password }, where);
    const token = await api.logIn({ id: user.id, password }, scope);
    const roles = async (): Promise<string[]> => {
      const { token: shown } = assertOk(await tokens.validate(token));
      return shown.roles.map(({ name }: { name: string }) => name).sort();
    };
    const mayList = async () => (await api.get('/v3/users?limit=1', { token })).status;
    const missing = async (query: string) => {
      const why = assertOk(await api.get(`/v3/users/${user.id}/OS-ACCESS/explanation?${query}`)).explanation;
      return { allowed: why.allowed, kinds: why.missing.map(({ kind }: { kind: string }) => kind) };
    };
    return { user, group, project, token, give, logIn, roles, mayList, missing };
  }

  for (const name of ['admin', 'manager'])
    it(`makes nobody ${name} of a project, also with a token that exists`, async () => {
      const { group, project, roles, mayList, missing } = await scene();
      assert.deepEqual(await roles(), ['member', 'reader']);
      const role = await api.roleId(name);
      assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${role}`), 204);
      assert.deepEqual([await roles(), await mayList()], [['member', 'reader'], 403]);
      const why = await missing(`project_id=${project.id}&role_id=${role}`);
      assert.deepEqual(why, { allowed: false, kinds: ['role_not_held', 'provider_may_not_give'] });
    });

  it('makes nobody an administrator of a domain or of the system, nor of the projects below a domain', async () => {
    const { group, project, roles, mayList, logIn, missing } = await scene();
    const admin = await api.roleId('admin');
    assertOk(await api.put(`/v3/domains/default/groups/${group.id}/roles/${admin}`), 204);
    assertOk(await api.put(`/v3/system/groups/${group.id}/roles/${await api.roleId('reader')}`), 204);
    assertOk(await api.put(`/v3/OS-INHERIT/domains/default/groups/${group.id}/roles/${admin}/inherited_to_projects`), 204);
    assertRefused(await logIn({ domain: { id: 'default' } }), 401);
    assertRefused(await logIn({ system: { all: true } }), 401);
    assert.deepEqual([await roles(), await mayList()], [['member', 'reader'], 403]);
    const why = { allowed: false, kinds: ['no_role', 'provider_may_not_give', 'held_elsewhere'] };
    assert.deepEqual(await missing('system=all'), why);
    assert.equal((await missing(`project_id=${project.id}&role_id=${admin}`)).allowed, false);
  });

  it('makes nobody a manager by a role that comes to imply it: of a group, and of the person', async () => {
    const { project, group, give, logIn, roles } = await scene();
    const own = await api.make('project', { name: uniqueName('own') });
    await give({ project: own.name });
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${helper.id}`), 204);
    const implied = `/v3/roles/${helper.id}/implies/${await api.roleId('manager')}`;
    assertOk(await logIn({ project: { id: own.id } }), 201);
    assertOk(await api.put(implied), 201);
    try {
      assert.deepEqual(await roles(), ['member', 'reader']);
      assertRefused(await logIn({ project: { id: own.id } }), 401);
    } finally {
      assertOk(await api.delete(implied), 204);
    }
    assertOk(await logIn({ project: { id: own.id } }), 201);
  });

  it('counts as soon as somebody who may give it gives it too', async () => {
    const { user, group, project, mayList, missing } = await scene();
    const admin = await api.roleId('admin');
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${admin}`), 204);
    assert.equal(await mayList(), 403);
    assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
    assert.equal(await mayList(), 200);
    assert.deepEqual(await missing(`project_id=${project.id}&role_id=${admin}`), { allowed: true, kinds: [] });
  });

  it('counts while the provider may make administrators, and no longer', async () => {
    const { group, project, mayList } = await scene();
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${await api.roleId('admin')}`), 204);
    assert.equal(await mayList(), 403);
    assertOk(await openid(true));
    assert.equal(await mayList(), 200);
    assertOk(await openid(false));
    // Everything that it gave is taken back, or nothing of it makes an administrator.
    assert.notEqual(await mayList(), 200);
  });
});
