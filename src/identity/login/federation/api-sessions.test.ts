// Logins at the API through a provider end when the provider says so. What ended does not come back.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { now, ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { RestartableApi, usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

const RULES = [
  { local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] },
  { local: [{ groups: '{0}', domain: { id: 'default' } }], remote: [{ type: 'groups' }] },
];

onEachDatabase('Logins at the API through a provider', (api) => {
  const id = uniqueName('idp');
  const db = usesDatabaseOf(api);
  let provider: PlainProvider;
  let people: ProviderTokens;
  before(async () => {
    provider = await providerFor(id);
    const settings = { accepts_tokens: true, trusts_email: true, email_domains: ['example.org'] };
    await connectProvider(api, provider, { id, rules: RULES, settings });
    people = new ProviderTokens(api, provider, id);
  });
  after(() => provider.stop());

  const isValid = async (token: string): Promise<boolean> => (await people.validate(token)).status === 200;
  const signOut = async (claims: object): Promise<void> => assert.equal((await people.signOut({ ...claims })).status, 200);

  describe('end with a logout token', () => {
    it('for the person: all of them, with the tokens made from them', async () => {
      const [sub, other] = [uniqueName('ann'), await people.enter(uniqueName('other'))];
      const project = await api.make('project', { name: uniqueName('project') });
      const tokens = [await people.enter(sub), await people.enter(sub, { sid: 'one' }), await people.enter(sub, { sid: 'two' })];
      const { user } = assertOk(await people.validate(tokens[0]!)).token;
      assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`), 204);
      const scoped = await people.rescope(tokens[1]!, { project: { id: project.id } });
      assertOk(scoped, 201);
      tokens.push(scoped.headers.get('x-subject-token')!);
      for (const token of tokens) assert.ok(await isValid(token));
      await signOut({ sub });
      for (const token of tokens) assert.equal(await isValid(token), false);
      assertRefused(await people.rescope(tokens[0]!, { project: { id: project.id } }), 404);
      assert.ok(await isValid(other));
      const later = await people.enter(sub, { iat: now() + 2 });
      assert.ok(await isValid(later));
      for (const token of tokens) assert.equal(await isValid(token), false);
    });

    it('for one session: not those of others, but those of the person that name none', async () => {
      const sub = uniqueName('ben');
      const [one, two, unnamed] = [
        await people.enter(sub, { sid: `${sub} 1` }),
        await people.enter(sub, { sid: `${sub} 2` }),
        await people.enter(sub),
      ];
      await signOut({ sid: `${sub} 1` });
      assert.deepEqual([await isValid(one), await isValid(two), await isValid(unnamed)], [false, true, true]);
      await signOut({ sub, sid: `${sub} 3` });
      assert.deepEqual([await isValid(one), await isValid(two), await isValid(unnamed)], [false, true, false]);
    });

    it('of this provider only', async () => {
      const sub = uniqueName('cid');
      const token = await people.enter(sub);
      assert.equal((await people.signOut({ sub, iss: 'https://login.example.org' })).status, 400);
      await signOut({ sub: uniqueName('nobody') });
      assert.ok(await isValid(token));
    });
  });

  it('do not begin with a token that the provider issued before it signed the person out', async () => {
    const sub = uniqueName('dot');
    const before = { iat: now() - 10 };
    await people.enter(sub, before);
    await signOut({ sub });
    for (const more of [before, { ...before, sid: 'x' }, { iat: now() - 1 }]) assertRefused(await people.logIn(sub, more), 401);
    await people.enter(sub, { iat: now() + 2 });

    const session = uniqueName('session');
    await signOut({ sid: session });
    assertRefused(await people.logIn(uniqueName('eve'), { ...before, sid: session }), 401);
    await people.enter(uniqueName('eve'), before);
    const third = uniqueName('fay');
    await signOut({ sub: third, sid: session });
    assertRefused(await people.logIn(third, before), 401);
    await people.enter(third, { ...before, sid: 'another' });
  });

  it('do not begin with a token that is older than what is remembered of logouts', async () => {
    const days = (count: number) => ({ iat: now() - count * 86_400 });
    assertRefused(await people.logIn(uniqueName('gil'), days(8)), 401);
    await people.enter(uniqueName('gil'), days(6));
  });

  it('share one row for each session at the provider', async () => {
    const sub = uniqueName('hal');
    const tokens = [];
    for (const more of [{}, {}, { sid: sub }, { sid: sub }]) tokens.push(await people.enter(sub, more));
    for (const token of tokens) assert.ok(await isValid(token));
    const rows = await db()
      .read.selectFrom('provider_sessions')
      .innerJoin('provider_links', 'provider_links.id', 'provider_sessions.link_id')
      .where('provider_links.subject', '=', sub)
      .select('for_api')
      .execute();
    assert.deepEqual(rows, [{ for_api: 1 }, { for_api: 1 }]);
  });

  describe('without a scope', () => {
    const groupsOf = async (token: string): Promise<string[]> =>
      assertOk(await people.validate(token)).token.user['OS-FEDERATION'].groups.map((group: { id: string }) => group.id);

    it('name no group that is deleted, or that the person has left', async () => {
      const groups = [
        await api.make('group', { name: uniqueName('group') }),
        await api.make('group', { name: uniqueName('group') }),
      ];
      const token = await people.enter(uniqueName('ida'), { groups: groups.map((group) => group.name) });
      assert.deepEqual((await groupsOf(token)).sort(), groups.map((group) => group.id).sort());
      assertOk(await api.delete(`/v3/groups/${groups[0]!.id}`), 204);
      assert.deepEqual(await groupsOf(token), [groups[1]!.id]);
      const { user } = assertOk(await people.validate(token)).token;
      assertOk(await api.delete(`/v3/groups/${groups[1]!.id}/users/${user.id}`), 204);
      assert.deepEqual(await groupsOf(token), []);
    });

    it('name no group whose membership has ended', async () => {
      const group = await api.make('group', { name: uniqueName('group') });
      assertOk(await api.patch(people.path, { identity_provider: { authorization_ttl: 5 } }));
      const token = await people.enter(uniqueName('jon'), { groups: [group.name] });
      assertOk(await api.patch(people.path, { identity_provider: { authorization_ttl: null } }));
      assert.deepEqual(await groupsOf(token), [group.id]);
      api.clock.advance(300);
      assert.deepEqual(await groupsOf(token), []);
    });

    it('notice what a group of theirs gets: who came by an address alone and manages others proves the account', async () => {
      const email = `${uniqueName('kim')}@example.org`;
      const { user } = await makeUser(api, { email });
      const group = await api.make('group', { name: uniqueName('group') });
      assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
      const token = await people.enter(uniqueName('kim'), { email, email_verified: true });
      assert.equal(assertOk(await people.validate(token)).token.user.id, user.id);
      const grant = `/v3/domains/default/groups/${group.id}/roles/${await api.roleId('admin')}`;
      assertOk(await api.put(grant), 204);
      assert.equal(await isValid(token), false);
      assertOk(await api.delete(grant), 204);
      assert.ok(await isValid(token));
    });
  });
});

describe('A login at the API through a provider, on two replicas (PostgreSQL)', () => {
  const id = uniqueName('idp');
  const [a, b] = [new RestartableApi('PostgreSQL'), new RestartableApi('PostgreSQL')];
  let provider: PlainProvider;
  let people: ProviderTokens;
  before(async () => {
    a.outboundAllow = ['127.0.0.1'];
    const password = await a.begin();
    Object.assign(b, { databaseUrl: a.databaseUrl, folder: a.folder, masterKeys: a.masterKeys });
    await b.begin();
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    a.adminToken = b.adminToken = await a.logIn({ name: 'admin', password: password! }, scope);
    provider = await providerFor(id);
    await connectProvider(a, provider, { id, rules: RULES, settings: { accepts_tokens: true } });
    people = new ProviderTokens(a, provider, id);
  });
  after(async () => {
    await provider.stop();
    await b.end();
    await a.remove();
  });

  const statusAtB = async (token: string): Promise<number> => (await people.validate(token, b)).status;
  /** A second on an idle machine; more on a busy one. */
  async function endsAtB(token: string): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if ((await statusAtB(token)) === 404) return;
      await sleep(100);
    }
    assert.fail('the other replica still accepts the token');
  }

  it('ends at the other one, too', async () => {
    const enabled = (value: boolean) => a.patch(people.path, { identity_provider: { enabled: value } });
    const sub = uniqueName('ann');
    const first = await people.enter(sub);
    assert.deepEqual([await statusAtB(first), await statusAtB(first)], [200, 200]);
    assert.equal((await people.signOut({ sub })).status, 200);
    await endsAtB(first);
    const second = await people.enter(sub, { iat: now() + 2 });
    assert.deepEqual([await statusAtB(second), await statusAtB(second)], [200, 200]);
    assertOk(await enabled(false));
    await endsAtB(second);
    assertOk(await enabled(true));
    const third = await people.enter(sub, { iat: now() + 2 });
    assert.equal(await statusAtB(third), 200);
    for (const token of [first, second]) assert.equal(await statusAtB(token), 404);
  });
});
