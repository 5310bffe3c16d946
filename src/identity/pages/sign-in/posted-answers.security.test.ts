// Answers of providers that a browser posts (form_post): the form comes without cookies, so anybody may send one.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, ROOT, Traveller } from '../../../../test/support/federation.ts';
import { ScriptedProvider } from '../../../../test/support/plain-provider-scripted.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

onUsualDatabase('A posted answer of a provider', (api) => {
  const id = uniqueName('posts');
  const other = uniqueName('posts-too');
  const plain = uniqueName('redirects');
  let provider: ScriptedProvider;
  let application: RelyingParty;
  const settings = { email_domains: ['example.org'], trusts_email: true };

  before(async () => {
    provider = await new ScriptedProvider().start();
    application = await RelyingParty.make(api);
    for (const one of [id, other])
      await connectProvider(api, provider, { id: one, settings: { ...settings, response_mode: 'form_post' } });
    await connectProvider(api, provider, { id: plain, settings });
  });
  after(() => provider.stop());

  interface Departed {
    readonly traveller: Traveller;
    readonly url: URL;
    readonly state: string;
  }
  const depart = async (to = id): Promise<Departed> => {
    const traveller = new Traveller(api, application, provider, to);
    const { url } = await traveller.depart();
    provider.nonce = url.searchParams.get('nonce')!;
    const sub = uniqueName('anna');
    const email = { email: `${sub}@example.org`, email_verified: true };
    provider.claims = { sub, preferred_username: sub, ...email };
    return { traveller, url, state: url.searchParams.get('state')! };
  };
  const callback = (at: string): string => `${api.url}/openid/providers/${at}/callback`;
  /** As browsers post the form of another site: without cookies. */
  const post = (fields: Record<string, string> | [string, string][], at = id, init: RequestInit = {}): Promise<Response> =>
    fetch(callback(at), { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual', ...init });
  const locationOf = (answer: Response): URL => {
    assert.equal(answer.status, 303);
    return new URL(answer.headers.get('location')!, api.url);
  };
  const isIn = (page: BrowserPage): boolean => page.redirectTarget !== undefined || stepOf(page) === 'allow';
  const stored = async (): Promise<number> => {
    const db = await databaseOf(api);
    const rows = await db.read.selectFrom('provider_messages').selectAll().execute();
    await db.close();
    return rows.length;
  };

  it('signs in by a reference, and its code is in no address', async () => {
    const { traveller, url, state } = await depart();
    assert.equal(url.searchParams.get('response_mode'), 'form_post');
    const back = locationOf(await post({ code: 'a code', state }));
    assert.deepEqual([...back.searchParams.keys()].sort(), ['answer', 'provider']);
    assert.ok(!back.href.includes('code') && !back.href.includes(state));
    const asRequest = `${api.url}/openid/providers/${id}/requests/${back.searchParams.get('answer')}`;
    assert.equal((await fetch(asRequest)).status, 404, 'it is not for whoever has the reference');
    assert.ok(isIn(await traveller.browser.go(back)));
    assert.equal(await stored(), 0);
  });

  it('shows an error of the provider', async () => {
    const { traveller, state } = await depart();
    const page = await traveller.browser.go(locationOf(await post({ error: 'access_denied', state })));
    assert.equal(page.status, 403);
    assert.match(page.text, /access_denied/);
  });

  it('is not kept when nobody waits for it, so that strangers fill no table', async () => {
    const { state } = await depart();
    const { state: ofPlain } = await depart(plain);
    const [uid] = state.split('.');
    const wrong: [fields: Record<string, string> | [string, string][], at?: string][] = [
      [{ code: 'a code' }],
      [{ code: 'a code', state: '' }],
      [{ code: 'a code', state: 'made up' }],
      [{ code: 'a code', state: `${uid}.${'A'.repeat(43)}` }],
      [{ code: 'a code', state: `${'A'.repeat(21)}.${'A'.repeat(43)}` }],
      [{ code: 'a code', state: `try.${'a'.repeat(32)}` }],
      [
        [
          ['code', 'a code'],
          ['state', state],
          ['state', state],
        ],
      ],
      // Mix-up: the answer of one provider at the address of another.
      [{ code: 'a code', state }, other],
      [{ code: 'a code', state }, 'nobody'],
      // This one was asked to answer in the address.
      [{ code: 'a code', state: ofPlain }, plain],
    ];
    for (const [fields, at] of wrong) assert.equal((await post(fields, at)).status, 400, JSON.stringify([fields, at]));
    assert.equal((await post({ code: 'x'.repeat(20_000), state })).status, 413);
    const json = { body: JSON.stringify({ code: 'a code', state }), headers: { 'Content-Type': 'application/json' } };
    assert.equal((await post({}, id, json)).status, 415);
    assert.equal(await stored(), 0);
  });

  it('counts once: a second form, and a reference that was used, lead nowhere', async () => {
    const { traveller, state } = await depart();
    const back = locationOf(await post({ code: 'a code', state }));
    assert.equal((await post({ code: 'another code', state })).status, 400);
    assert.ok(isIn(await traveller.browser.go(back)));
    assert.equal((await post({ code: 'a code', state })).status, 400, 'nobody waits any more');
    const asked = provider.asked.length;
    assert.ok(!isIn(await new TestBrowser(api).go(back)));
    assert.equal(provider.asked.length, asked);
  });

  it('is used by the browser that began, and by no other: nobody is signed in as somebody else by a link', async () => {
    const mine = await depart();
    const back = locationOf(await post({ code: 'a code', state: mine.state }));
    const stranger = new TestBrowser(api);
    assert.equal((await stranger.go(back)).status, 400);
    // The victim waits for an answer, too. What they get is the reference of the attacker.
    const theirs = await depart();
    const planted = new URL(back);
    planted.pathname = planted.pathname.replace(/[^/]+$/, theirs.state.split('.')[0]!);
    assert.ok(!isIn(await theirs.traveller.browser.go(planted)));
    const asked = provider.asked.filter((path) => path === '/token').length;
    assert.ok(!isIn(await mine.traveller.browser.go(back)), 'it was used up');
    assert.equal(provider.asked.filter((path) => path === '/token').length, asked);
  });

  it('does not come in the address, nor as a reference that the provider made up', async () => {
    for (const query of [{ code: 'a code' }, { answer: 'made up' }, { code: 'a code', answer: 'made up' }]) {
      const { traveller, state } = await depart();
      assert.ok(!isIn(await traveller.browser.go(`${callback(id)}?${new URLSearchParams({ ...query, state } as never)}`)));
    }
  });

  it('is shown to the administrator who tries the provider, once', async () => {
    const one = `${ROOT}/identity_providers/${id}`;
    const { attempt } = assertOk(await api.post(`${one}/sign_in_attempts`, {}), 201);
    const { searchParams: asked } = new URL(attempt.url);
    provider.nonce = asked.get('nonce')!;
    provider.claims = { sub: 'tried', preferred_username: 'tried' };
    const { search, pathname } = locationOf(await post({ code: 'a code', state: asked.get('state')! }));
    assert.equal(pathname, '/console/tried-provider');
    assert.ok(!search.includes('code'));
    const finish = () => api.post(`${one}/sign_in_attempts/${attempt.id}/answer`, { answer: { query: search } });
    assert.equal(assertOk(await finish()).attempt.claims.sub, 'tried');
    assertRefused(await finish(), 404);
    assert.equal((await post({ code: 'a code', state: asked.get('state')! })).status, 400);
  });
});
