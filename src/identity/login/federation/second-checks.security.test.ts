// Somebody changes what a sign-in through a provider was checked by, after it was checked and before the sign-in is stored.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT, Traveller } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, stepOf } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const named = (name: string) => [{ local: [{ user: { name } }], remote: [{ type: 'preferred_username' }] }];
const RULES = named('{0}');
const BEFORE = 'provider-login.before-transaction';
const IN = 'provider-login.in-transaction';

/** Somebody who is back from the provider, about to prove that an account here is theirs. */
async function proving(
  traveller: Traveller,
  sub: string,
  { name, password }: { readonly name: string; readonly password: string },
): Promise<() => Promise<BrowserPage>> {
  const { browser } = traveller;
  const signIn = await browser.submit((await traveller.travel(sub)).page, 'provider-link');
  return () => browser.submit(signIn, 'password', { name, password });
}

underAttack('A sign-in through a provider that was checked, but is not stored yet,', (api) => {
  const id = uniqueName('idp');
  const path = `${ROOT}/identity_providers/${id}`;
  let provider: PlainProvider;
  let tokens: ProviderTokens;
  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id, rules: RULES, settings: { accepts_tokens: true } });
    tokens = new ProviderTokens(api, provider, id);
  });
  after(() => provider.stop());

  describe('leaves nothing when', () => {
    const mapping = (rules: readonly object[], version = '2.0') =>
      api.patch(`${ROOT}/mappings/${id}`, { mapping: { rules, schema_version: version } });
    const enable = (enabled: boolean) => api.patch(path, { identity_provider: { enabled } });
    const settings = (clientId: string) =>
      api.put(`${path}/openid`, {
        openid: {
          issuer: provider.issuer,
          client_id: clientId,
          client_secret: provider.clientSecret,
          button_name: id,
          accepts_tokens: true,
        },
      });
    const changes: Readonly<Record<string, readonly [change: () => Promise<any>, back: () => Promise<any>]>> = {
      'the provider is disabled': [() => enable(false), () => enable(true)],
      'the provider gets other settings': [() => settings('another'), () => settings(provider.clientId)],
      'the mapping gets other rules': [() => mapping(named('x{0}')), () => mapping(RULES)],
      'the mapping gets another version': [() => mapping(RULES, '1.0'), () => mapping(RULES)],
    };
    for (const [name, [change, back]] of Object.entries(changes))
      it(name, async () => {
        const sub = uniqueName('ann');
        const refused = await whenAt(
          BEFORE,
          async () => assertOk(await change()),
          () => tokens.logIn(sub),
        );
        assertOk(await back());
        assertRefused(refused, 401);
        assert.deepEqual(assertOk(await api.get(`/v3/users?name=${sub}`)).users, []);
        await tokens.enter(sub);
      });
  });

  describe('connects no account', () => {
    let application: RelyingParty;
    let person: Awaited<ReturnType<typeof makeUser>>;
    let sub: string;
    before(async () => {
      application = await RelyingParty.make(api);
    });
    beforeEach(async () => {
      person = await makeUser(api);
      sub = uniqueName('bert');
    });
    const traveller = (): Traveller => new Traveller(api, application, provider, id);

    it('whose password was changed since it proved the account', async () => {
      const prove = await proving(traveller(), sub, person);
      const change = () => api.patch(`/v3/users/${person.id}`, { user: { password: 'another password' } });
      const page = await whenAt(BEFORE, async () => assertOk(await change()), prove);
      assert.equal(page.redirectTarget, undefined);
      assert.equal(stepOf((await traveller().travel(sub)).page), 'provider-link', 'it is not known whose it is');
    });

    it('to a person who has got another one since', async () => {
      const prove = await proving(traveller(), sub, person);
      const page = await whenAt(BEFORE, () => traveller().signIn(sub, 'provider-new'), prove);
      assert.equal(page.redirectTarget, undefined);
      assert.equal(page.status, 403);
      const { name } = await traveller().userOf(await traveller().signIn(sub));
      assert.equal(name, sub, 'the one that they got');
    });
  });
});

/** In a transaction others can only write on PostgreSQL. */
onDatabase('PostgreSQL', 'Two sign-ins of one person through a provider at the same moment', {}, (api) => {
  const id = uniqueName('idp');
  let provider: PlainProvider;
  let group: { id: string };
  before(async () => {
    provider = await providerFor(id);
    group = await api.make('group', { name: uniqueName('people') });
    const rules = [...RULES, { local: [{ groups: '{0}', domain: { id: 'default' } }], remote: [{ type: 'groups' }] }];
    await connectProvider(api, provider, { id, rules, settings: { accepts_tokens: true } });
  });
  after(() => provider.stop());

  it('leave no group that the one of them gave and the other does not name', async () => {
    const [tokens, sub] = [new ProviderTokens(api, provider, id), uniqueName('cleo')];
    const { name } = assertOk(await api.get(`/v3/groups/${group.id}`)).group;
    const { user } = assertOk(await tokens.logIn(sub), 201).token;
    const isMember = async (): Promise<boolean> => (await api.head(`/v3/groups/${group.id}/users/${user.id}`)).status === 204;
    const give = async (): Promise<void> => {
      await tokens.enter(sub, { groups: [name] });
      assert.ok(await isMember());
    };
    assertOk(await whenAt(IN, give, () => tokens.logIn(sub)), 201);
    assert.equal(await isMember(), false, 'the last one says what they have');
  });

  it('connect one of two accounts: the second is refused', async () => {
    const [application, sub] = [await RelyingParty.make(api), uniqueName('dora')];
    const people = [await makeUser(api), await makeUser(api)];
    const traveller = (): Traveller => new Traveller(api, application, provider, id);
    const proofs = await Promise.all(people.map((person) => proving(traveller(), sub, person)));
    const win = async (): Promise<void> => assert.equal((await proofs[1]!()).status, 200);
    const page = await whenAt(IN, win, proofs[0]!);
    assert.equal(page.status, 403, page.text);
    assert.equal((await traveller().signIn(sub)).claims()!.sub, people[1]!.id);
  });
});
