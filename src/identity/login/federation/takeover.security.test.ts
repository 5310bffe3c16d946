// People of a provider stay who they are, and where they are: they do not become somebody else, get into other domains, or come back with what has
// ended.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { now, ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

/** The worst mapping that an administrator could write: the provider says everything. */
const RULES = [
  {
    local: [{ user: { name: '{0}', id: '{1}', domain: { id: '{2}' } } }],
    remote: [{ type: 'preferred_username' }, { type: 'uid' }, { type: 'in' }],
  },
  { local: [{ groups: '{0}', domain: { name: '{1}' } }], remote: [{ type: 'groups' }, { type: 'of' }] },
  { local: [{ group: { id: '{0}' } }], remote: [{ type: 'group_id' }] },
  {
    local: [{ projects: [{ name: '{0}', roles: [{ name: '{1}' }] }], domain: { name: '{2}' } }],
    remote: [{ type: 'project' }, { type: 'role' }, { type: 'of' }],
  },
];

onUsualDatabase('Somebody who came through a provider', (api) => {
  const db = usesDatabaseOf(api);
  const id = uniqueName('idp');
  let provider: PlainProvider;
  let people: ProviderTokens;
  let own: { id: string; name: string };
  let other: { id: string; name: string };
  before(async () => {
    own = await api.make('domain', { name: uniqueName('own') });
    other = await api.make('domain', { name: uniqueName('other') });
    provider = await providerFor(id);
    const settings = { accepts_tokens: true };
    await connectProvider(api, provider, { id, domainId: own.id, rules: RULES, settings });
    people = new ProviderTokens(api, provider, id);
  });
  after(() => provider.stop());

  const about = (sub: string, more: object = {}) => ({ preferred_username: sub, uid: sub, in: own.id, ...more });
  const userOf = async (token: string) => assertOk(await people.validate(token)).token.user as { id: string; name: string };
  const groupsOf = async (userId: string): Promise<string[]> =>
    assertOk(await api.get(`/v3/users/${userId}/groups`)).groups.map((group: { id: string }) => group.id);

  it('is not a local user of the same name, or whose id they name', async () => {
    const { user, password } = await makeUser(api, { domain_id: own.id });
    const { users } = assertOk(await api.get('/v3/users?name=admin&domain_id=default'));
    const claims = [{ preferred_username: user.name }, { uid: user.id }, { uid: users[0].id }, { preferred_username: user.id }];
    for (const claim of claims) {
      const entered = await userOf(await people.enter(uniqueName('ann'), about(uniqueName('ann'), claim)));
      assert.ok(![user.id, users[0].id].includes(entered.id));
      assert.notEqual(entered.name, user.name);
    }
    assertOk(await api.authenticate({ id: user.id, password }), 201);
  });

  it('is not named like the address of somebody else, whatever the provider calls them', async () => {
    const victim = `${uniqueName('vic')}@example.org`;
    const local = victim.split('@')[0]!;
    const names = [victim, victim.toUpperCase(), `${local}\uff20example.org`, ` ${victim}`, `${victim}@elsewhere.example`];
    for (const name of names) {
      const claims = { preferred_username: name, email: victim, email_verified: true };
      const entered = await userOf(await people.enter(uniqueName('eve'), about(uniqueName('eve'), claims)));
      assert.doesNotMatch(entered.name, /[@\uff20]/);
      assert.ok(entered.name.toLowerCase().startsWith(local), entered.name);
    }
    for (const uid of ['@example.org', victim]) {
      const claims = { preferred_username: '', uid };
      const { body } = await people.logIn(uniqueName('eve'), about(uniqueName('eve'), claims));
      assert.ok(!JSON.stringify(body).includes('@'), 'nor by the id that the provider gives them');
    }
    assert.deepEqual(assertOk(await api.get(`/v3/users?domain_id=${own.id}&name=${victim}`)).users, []);
  });

  it('is named like an address of the provider’s own domains, unless somebody else has confirmed it', async () => {
    const id = uniqueName('idp');
    const theirs = await providerFor(id);
    try {
      const settings = { accepts_tokens: true, email_domains: ['corp.example'] };
      await connectProvider(api, theirs, { id, domainId: own.id, rules: RULES, settings });
      const tokens = new ProviderTokens(api, theirs, id);
      const enter = async (name: string) =>
        (await userOf(await tokens.enter(uniqueName('amy'), about(uniqueName('amy'), { preferred_username: name })))).name;
      const [amy, bea, eve] = [`${uniqueName('amy')}@Corp.example`, `${uniqueName('bea')}@corp.example`, uniqueName('eve')];
      assert.equal(await enter(amy), amy);
      assert.match(await enter(amy), new RegExp(`^${amy.split('@')[0]}-[0-9a-f]{6}$`), 'of two, the second gets an addition');
      assert.equal(await enter(`${eve}@sub.corp.example`), eve);
      const { id: owner } = await makeUser(api, { domain_id: own.id, email: bea });
      await db().write((tx) => tx.updateTable('users').set({ confirmed_email: bea }).where('id', '=', owner).execute());
      assert.equal(await enter(bea), bea.split('@')[0]);
    } finally {
      await theirs.stop();
    }
  });

  it('is not another person of the provider, whatever it calls them', async () => {
    const [ann, ben] = [uniqueName('ann'), uniqueName('ben')];
    const first = await userOf(await people.enter(ann, about(ann)));
    const second = await userOf(await people.enter(ben, about(ann)));
    assert.notEqual(second.id, first.id);
    assert.equal(
      (await userOf(await people.enter(ann, about(ben)))).id,
      first.id,
      'the subject says who it is, and not the name',
    );
  });

  it('is not in another domain', async () => {
    for (const domain of ['default', other.id, uniqueName('nowhere')])
      assertRefused(await people.logIn(uniqueName('cid'), about(uniqueName('cid'), { in: domain })), 401);
    for (const domain of [other.id, 'default'])
      assert.deepEqual(assertOk(await api.get(`/v3/users?domain_id=${domain}&name__startswith=cid`)).users, []);
  });

  it('is in no group of another domain, by its name or by its id', async () => {
    const name = uniqueName('group');
    const [here, there] = [
      await api.make('group', { name, domain_id: own.id }),
      await api.make('group', { name, domain_id: other.id }),
    ];
    const cases = [
      [{ groups: [name], of: own.name }, [here.id]],
      [{ groups: [name], of: other.name }, []],
      [{ group_id: there.id }, []],
      [{ group_id: here.id }, [here.id]],
      [{ groups: [name], of: other.name, group_id: there.id }, []],
    ] as const;
    for (const [claims, expected] of cases) {
      const sub = uniqueName('dot');
      const token = await people.enter(sub, about(sub, claims));
      assert.deepEqual(await groupsOf((await userOf(token)).id), expected, JSON.stringify(claims));
    }
  });

  it('has no role in a project of another domain, and manages nothing', async () => {
    const name = uniqueName('project');
    const [here, there] = [
      await api.make('project', { name, domain_id: own.id }),
      await api.make('project', { name, domain_id: other.id }),
    ];
    const sub = uniqueName('eve');
    const token = await people.enter(sub, about(sub, { project: name, role: 'member', of: other.name }));
    assertRefused(await people.rescope(token, { project: { id: there.id } }), 401);
    const again = await people.enter(sub, about(sub, { project: name, role: 'admin', of: own.name }));
    assertRefused(await people.rescope(again, { project: { id: here.id } }), 401);
    for (const scope of [{ domain: { id: own.id } }, { system: { all: true } }])
      assertRefused(await people.rescope(again, scope), 401);
  });

  it('does not come back with a token of the provider that has ended, or that is for somebody else', async () => {
    const sub = uniqueName('fay');
    const issued = now() - 600;
    const short = await people.issue(sub, { ...about(sub), iat: issued, exp: now() - 60 });
    await people.enter(sub, about(sub));
    for (let tries = 0; tries < 2; tries++) assertRefused(await people.send(short), 401);
    for (const aud of ['another', ['another'], [provider.clientId, 'another'], [], ''])
      assertRefused(await people.logIn(sub, { ...about(sub), aud }), 401);
    assertRefused(await people.logIn(sub, { ...about(sub), azp: 'another' }), 401);
  });

  it('gets no token that lasts longer than others by sending the same one again', async () => {
    const sub = uniqueName('gil');
    const bearer = await people.issue(sub, about(sub));
    const tokens: string[] = [];
    for (let tries = 0; tries < 2; tries++) {
      const answer = await people.send(bearer);
      assertOk(answer, 201);
      tokens.push(answer.headers.get('x-subject-token')!);
    }
    assert.equal((await people.signOut({ sub })).status, 200);
    for (const token of tokens) assertRefused(await people.validate(token), 404);
    assertRefused(await people.send(bearer), 401);
  });
});
