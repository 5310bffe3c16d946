// Signing in through another provider: an unmodified oidc-provider in a process of its own.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT, signInAt, Traveller } from '../../../../test/support/federation.ts';
import { mailsInFolderTo, subjectIn } from '../../../../test/support/mail-folder.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { enable, Phone } from '../../../../test/support/second-factor.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

onEachDatabase('Signing in through another provider', (api) => {
  const id = uniqueName('idp');
  const trusted = uniqueName('trusted');
  let provider: PlainProvider;
  let other: PlainProvider;
  let application: RelyingParty;
  let group: { id: string };
  let project: { id: string; name: string };
  const db = usesDatabaseOf(api);
  const travellerTo = (to = id): Traveller => new Traveller(api, application, to === id ? provider : other, to);

  before(async () => {
    [provider, other] = await Promise.all([providerFor(id), providerFor(trusted)]);
    application = await RelyingParty.make(api);
    group = await api.make('group', { name: 'people' });
    project = await api.make('project', { name: uniqueName('project') });
    const rules = [
      { local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] },
      { local: [{ groups: '{0}', domain: { id: 'default' } }], remote: [{ type: 'groups' }] },
      {
        local: [
          { projects: [{ name: project.name, roles: [{ name: 'member' }, { name: 'admin' }] }], domain: { id: 'default' } },
        ],
        remote: [{ type: 'groups', any_one_of: ['people'] }],
      },
    ];
    await connectProvider(api, provider, { id, rules });
    const settings = { email_domains: ['example.org'], trusts_email: true, button_name: null };
    await connectProvider(api, other, { id: trusted, settings: { ...settings, button_name: trusted } });
  });
  after(() => Promise.all([provider.stop(), other.stop()]));

  const rolesOf = async (userId: unknown): Promise<string[]> =>
    assertOk(await api.get(`/v3/projects/${project.id}/users/${userId}/roles`)).roles.map((role: { name: string }) => role.name);
  const isInGroup = async (userId: unknown): Promise<boolean> =>
    (await api.head(`/v3/groups/${group.id}/users/${userId}`)).status === 204;

  describe('for the first time', () => {
    it('asks whether there is an account, and makes a new one by the mapping', async () => {
      const sub = uniqueName('anna');
      const traveller = travellerTo();
      const { request, page } = await traveller.travel(sub);
      assert.equal(stepOf(page), 'provider-link');
      assert.ok(!page.url.includes('code='), 'the code is not in the address of the page');
      const tokens = await traveller.arrive(request, await traveller.browser.submit(page, 'provider-new'));
      const user = await traveller.userOf(tokens);
      assert.deepEqual([user.name, user.domain_id, user.email], [sub, 'default', `${sub}@example.org`]);
      assert.deepEqual(tokens.claims()!.amr, ['fed']);
      assert.equal(tokens.claims()!.acr, 'https://refeds.org/profile/sfa');
      assert.ok(await isInGroup(user.id));
      assert.deepEqual(await rolesOf(user.id), ['member'], 'and no role that manages others');

      const again = await travellerTo().signIn(sub);
      assert.equal(again.claims()!.sub, user.id, 'and knows them from then on');
      assert.deepEqual(await mailsInFolderTo(api, `${sub}@example.org`), [], 'which is no news to them');
    });

    it('connects the account that the person signs in to', async () => {
      const [sub, person] = [uniqueName('bert'), await makeUser(api)];
      const traveller = travellerTo();
      const { request, page } = await traveller.travel(sub);
      const signIn = await traveller.browser.submit(page, 'provider-link');
      assert.equal(stepOf(signIn), 'password');
      assert.ok(!signIn.forms.some(({ fields }) => fields.step === 'provider'), 'by its own means');
      const wrong = await traveller.browser.submit(signIn, 'password', { name: person.name, password: 'wrong' });
      assert.equal(wrong.status, 401);
      const signedIn = await traveller.browser.submit(wrong, 'password', { name: person.name, password: person.password });
      const tokens = await traveller.arrive(request, signedIn);
      assert.equal(tokens.claims()!.sub, person.id);
      assert.deepEqual(tokens.claims()!.amr, ['pwd']);
      assert.equal((await travellerTo().signIn(sub)).claims()!.sub, person.id);
      const browser = new TestBrowser(api);
      await browser.submit(await browser.signIn('/account/security', person), 'provider-unlink');
      const mails = (await mailsInFolderTo(api, `${person.name}@example.org`)).map(subjectIn).sort();
      const wanted = ['A sign-in was disconnected from your account', 'Another sign-in was connected to your account'];
      assert.deepEqual(mails, wanted, 'and tells the owner by mail, also when it is disconnected');
    });

    it('gives a name that is taken an addition', async () => {
      const { name, id: takenBy } = await makeUser(api);
      const traveller = travellerTo();
      const user = await traveller.userOf(await traveller.signIn(name, 'provider-new'));
      assert.notEqual(user.id, takenBy);
      assert.match(String(user.name), new RegExp(`^${name}-[0-9a-f]{6}$`));
    });

    it('enters the account with a verified address where the provider is trusted with it', async () => {
      const sub = uniqueName('clara');
      const person = await makeUser(api, { email: `${sub}@Example.org` });
      const tokens = await travellerTo(trusted).signIn(sub);
      assert.equal(tokens.claims()!.sub, person.id);
    });

    it('makes an account at once for a trusted address that nobody has', async () => {
      const sub = uniqueName('dora');
      const traveller = travellerTo(trusted);
      const user = await traveller.userOf(await traveller.signIn(sub));
      assert.deepEqual([user.name, user.email], [sub, `${sub}@example.org`]);
    });
  });

  it('takes back the groups and roles that the provider no longer names, and no others', async () => {
    const sub = uniqueName('emil');
    const traveller = travellerTo();
    const { id: userId } = await traveller.userOf(await traveller.signIn(sub, 'provider-new'));
    const own = await api.make('group', { name: uniqueName('own') });
    assertOk(await api.put(`/v3/groups/${own.id}/users/${userId}`), 204);
    await provider.change(sub, { groups: ['unknown here'] });
    await travellerTo().signIn(sub);
    assert.ok(!(await isInGroup(userId)));
    assert.deepEqual(await rolesOf(userId), []);
    assert.equal((await api.head(`/v3/groups/${own.id}/users/${userId}`)).status, 204);

    assertOk(await api.put(`/v3/groups/${group.id}/users/${userId}`), 204);
    await provider.change(sub, { groups: ['people'] });
    await travellerTo().signIn(sub);
    await provider.change(sub, { groups: [] });
    await travellerTo().signIn(sub);
    assert.ok(await isInGroup(userId), 'an administrator made them a member');
  });

  it('takes back what several sign-ins at the same time have given', async () => {
    const sub = uniqueName('emma');
    await provider.change(sub, { groups: [] });
    const traveller = travellerTo();
    const { id: userId } = await traveller.userOf(await traveller.signIn(sub, 'provider-new'));
    await provider.change(sub, { groups: ['people'] });
    await Promise.all(Array.from({ length: 6 }, () => travellerTo().signIn(sub)));
    assert.ok(await isInGroup(userId));
    await provider.change(sub, { groups: [] });
    await travellerTo().signIn(sub);
    assert.ok(!(await isInGroup(userId)));
    assert.deepEqual(await rolesOf(userId), []);
  });

  it('asks for the second factor that the account has here', async () => {
    const sub = uniqueName('fred');
    const person = await makeUser(api, { email: `${sub}@example.org` });
    const enabled = assertOk(await enable(api, person), 201);
    const phone = new Phone(api, enabled.two_factor_auth.two_factor_key);
    const traveller = travellerTo(trusted);
    const { request, page } = await traveller.travel(sub);
    assert.equal(stepOf(page), 'code');
    const tokens = await traveller.arrive(request, await traveller.browser.submit(page, 'code', { code: phone.fresh() }));
    assert.deepEqual(tokens.claims()!.amr, ['fed', 'otp', 'mfa']);
    assert.equal(tokens.claims()!.acr, 'https://refeds.org/profile/mfa');
  });

  it('finds the provider by the domain of an address', async () => {
    const browser = new TestBrowser(api);
    const request = await application.ask();
    const asking = await browser.submit(await browser.go(request.url), 'provider-ask');
    const unknown = await browser.submit(asking, 'provider-email', { address: 'somebody@example.com' });
    assert.equal(unknown.status, 400);
    const sub = uniqueName('gina');
    const target = redirectTargetOf(await browser.submit(unknown, 'provider-email', { address: `${sub}@EXAMPLE.org` }));
    assert.equal(target.origin, other.issuer);
    assert.equal(target.searchParams.get('login_hint'), `${sub}@EXAMPLE.org`);
    assert.ok((await browser.go(await signInAt(other, target, sub))).redirectTarget ?? true);
  });

  it('finds it among more providers than the page has buttons for', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => uniqueName(`a${at}`));
    await db().write(async (tx) => {
      const [row] = await tx.selectFrom('openid_providers').where('provider_id', '=', id).selectAll().execute();
      const provider = { domain_id: 'default', enabled: 1 as const, description: null, authorization_ttl: null, created_at: 0 };
      const protocol = { id: 'openid', mapping_id: id, remote_id_attribute: null };
      const settings = ids.map((one) => ({
        ...row!,
        provider_id: one,
        button_name: ` ${one}`,
        email_domains: '["example.net"]',
      }));
      await tx
        .insertInto('identity_providers')
        .values(ids.map((one) => ({ ...provider, id: one })))
        .execute();
      await tx
        .insertInto('federation_protocols')
        .values(ids.map((one) => ({ ...protocol, provider_id: one })))
        .execute();
      await tx.insertInto('openid_providers').values(settings).execute();
    });
    try {
      const browser = new TestBrowser(api);
      const first = await browser.go((await application.ask()).url);
      assert.ok(!first.text.includes(trusted), 'it has no button');
      const asking = await browser.submit(first, 'provider-ask');
      for (const address of ['a@%', 'a@exampl_.org', 'a@"', 'a@'])
        assert.equal((await browser.submit(asking, 'provider-email', { address })).status, 400, address);
      const target = redirectTargetOf(await browser.submit(asking, 'provider-email', { address: 'a@example.org' }));
      assert.equal(target.origin, other.issuer);
    } finally {
      await db().write((tx) => tx.deleteFrom('identity_providers').where('id', 'in', ids).execute());
    }
  });

  it('asks the provider to authenticate again where the application does', async () => {
    const { url } = await travellerTo().depart({ prompt: 'login' });
    assert.equal(url.searchParams.get('prompt'), 'login');
    assert.equal(url.searchParams.get('max_age'), '0', 'so that it says when that was');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(url.searchParams.get(name), name);
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
    assert.equal((await travellerTo().depart()).url.searchParams.get('prompt'), null);
  });

  it('shows a page when the provider refuses or does not answer', async () => {
    const traveller = travellerTo();
    const { url } = await traveller.depart();
    const refused = await traveller.browser.go(await signInAt(provider, url, undefined));
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get('content-type')!, /^text\/html/);
    assert.match(refused.text, /access_denied/);
    assert.equal(stepOf(await traveller.browser.submit(refused, 'provider-forget')), 'password');

    const away = uniqueName('away');
    await connectProvider(api, { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'y' }, { id: away });
    const browser = new TestBrowser(api);
    const start = await browser.go((await application.ask()).url);
    const form = start.forms.find(({ fields }) => fields.provider === away)!;
    const failed = await browser.send(new URL(form.action, start.url), { ...form.fields });
    assert.equal(failed.status, 503);
    assert.match(failed.headers.get('content-type')!, /^text\/html/);
    assertOk(await api.delete(`${ROOT}/identity_providers/${away}`), 204);
  });

  it('is over for everybody when the provider is disabled', async () => {
    const off = uniqueName('off');
    const own = await providerFor(off);
    try {
      await connectProvider(api, own, { id: off });
      const traveller = new Traveller(api, application, own, off);
      const { request, page } = await traveller.travel(uniqueName('hans'));
      const done = await traveller.browser.submit(page, 'provider-new');
      await traveller.arrive(request, done);
      assert.ok((await traveller.browser.go((await application.ask()).url)).redirectTarget, 'a session');
      assertOk(await api.patch(`${ROOT}/identity_providers/${off}`, { identity_provider: { enabled: false } }));
      assert.equal(stepOf(await traveller.browser.go((await application.ask()).url)), 'password');
    } finally {
      await own.stop();
    }
  });
});
