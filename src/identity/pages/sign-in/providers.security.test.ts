// Attacks on signing in through another provider: answers of a hostile provider, one thing wrong at a time, and hostile browsers.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, ROOT, Traveller } from '../../../../test/support/federation.ts';
import { ScriptedProvider } from '../../../../test/support/plain-provider-scripted.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { passkeyOf } from '../../../../test/support/ways-in.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (): number => Math.floor(Date.now() / 1000);

onUsualDatabase('A hostile provider', (api) => {
  const id = uniqueName('idp');
  const plain = uniqueName('plain');
  let provider: ScriptedProvider;
  let application: RelyingParty;
  /** It is trusted with addresses of example.org, in the domain Default. */
  const TRUSTED = { email_domains: ['example.org'], trusts_email: true };

  before(async () => {
    provider = await new ScriptedProvider().start();
    application = await RelyingParty.make(api);
    await connectProvider(api, provider, { id, rules, settings: TRUSTED });
    await connectProvider(api, provider, { id: plain, rules });
  });
  after(() => provider.stop());

  const rules = [
    { local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] },
    { local: [{ groups: '{0}', domain: { id: 'default' } }], remote: [{ type: 'groups' }] },
  ];
  const addressOf = (sub: string): string => `${sub}@example.org`;

  /** Where the provider sends the browser. */
  const answerTo = (url: URL, more: Readonly<Record<string, string>> = {}): URL => {
    provider.nonce = url.searchParams.get('nonce')!;
    const query = new URLSearchParams({ code: 'a code', state: url.searchParams.get('state')!, ...more });
    return new URL(`${url.searchParams.get('redirect_uri')}?${query}`);
  };

  interface Attempt {
    readonly claims?: Readonly<Record<string, unknown>>;
    readonly tokens?: Readonly<Record<string, unknown>>;
    readonly scripts?: ScriptedProvider['scripts'];
    readonly more?: Readonly<Record<string, string>>;
    readonly to?: string;
    /** What the application asks for. */
    readonly ask?: Readonly<Record<string, string>>;
    /** Makes the ID token. */
    readonly sign?: (claims: JWTPayload) => Promise<string> | string;
  }

  /** A sign-in with these changes: the page at its end, or the redirect to the application. */
  async function attempt({
    claims = {},
    tokens = {},
    scripts = {},
    more = {},
    to = id,
    ask = {},
    sign,
  }: Attempt): Promise<BrowserPage> {
    const traveller = new Traveller(api, application, provider, to);
    const { url } = await traveller.depart(ask);
    const back = answerTo(url, more);
    provider.claims = { sub: uniqueName('sub'), ...claims };
    provider.scripts = scripts;
    provider.tokens = { ...tokens, ...(sign ? { id_token: await sign(provider.idClaims()) } : {}) };
    try {
      return await traveller.browser.go(back);
    } finally {
      provider.honest();
    }
  }

  function assertPage(page: BrowserPage, ...statuses: number[]): void {
    assert.equal(page.redirectTarget, undefined, 'not signed in');
    assert.ok(statuses.includes(page.status), `${page.status} ${page.text}`);
    assert.match(page.headers.get('content-type')!, /^text\/html/);
  }

  it('lets people in while everything is right', async () => {
    const sub = uniqueName('anna');
    const page = await attempt({ claims: { sub, email: addressOf(sub), email_verified: true } });
    assert.ok(page.redirectTarget ?? stepOf(page) === 'allow', page.text);
  });

  it('must say when they authenticated, if they have to do it anew', async () => {
    const sub = uniqueName('anna');
    const claims = { sub, email: addressOf(sub), email_verified: true };
    const ask = { prompt: 'login' };
    assertPage(await attempt({ ask, claims: { ...claims, auth_time: undefined } }), 403);
    const page = await attempt({ ask, claims: { ...claims, auth_time: seconds() } });
    assert.ok(page.redirectTarget ?? stepOf(page) === 'allow', page.text);
  });

  describe('is refused with an ID token', () => {
    const wrong: Record<string, Attempt> = {
      'of another issuer': { claims: { iss: 'https://evil.example.org' } },
      'for another client': { claims: { aud: 'another' } },
      'for several clients, and issued to another': { claims: { aud: ['wallet', 'another'], azp: 'another' } },
      'with another nonce': { claims: { nonce: 'of another sign-in' } },
      'without a nonce': { claims: { nonce: undefined } },
      'that has expired': { claims: { iat: seconds() - 7200, exp: seconds() - 3600 } },
      'that never expires': { claims: { exp: undefined } },
      'from the future': { claims: { iat: seconds() + 3600, exp: seconds() + 7200 } },
      'about nobody': { claims: { sub: '' } },
      'about a number': { claims: { sub: 7 } },
      'about a text that databases refuse': { claims: { sub: 'a\0b' } },
      'about a text that no key can hold': { claims: { sub: 'x'.repeat(10_000) } },
      'of another access token': { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } },
      'that is missing': { tokens: { id_token: undefined } },
      'without a signature': { sign: (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.` },
      'signed by somebody else': {
        sign: async (claims) =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: 'ES256', kid: 'scripted' })
            .sign((await generateKeyPair('ES256')).privateKey),
      },
      'signed with the client secret': {
        sign: (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(provider.clientSecret)),
      },
      'whose claims were changed': {
        sign: async (claims) => {
          const [header, , signature] = (await provider.sign(claims)).split('.');
          return `${header}.${encode({ ...claims, sub: 'somebody else' })}.${signature}`;
        },
      },
    };
    for (const [name, change] of Object.entries(wrong))
      it(name, async () => {
        const sub = uniqueName('wrong');
        const claims = { sub, email: addressOf(sub), email_verified: true, ...change.claims };
        assertPage(await attempt({ ...change, claims }), 403, 503);
        assert.deepEqual(assertOk(await api.get(`/v3/users?name=${sub}`)).users, [], 'and nobody is created');
      });
  });

  it('may leave out at_hash, which is optional, but not get it wrong', async () => {
    const sub = uniqueName('hash');
    const hash = createHash('sha256').update('an access token').digest().subarray(0, 16).toString('base64url');
    const page = await attempt({ claims: { sub, email: addressOf(sub), email_verified: true, at_hash: hash } });
    assert.ok(page.redirectTarget ?? stepOf(page) === 'allow', page.text);
  });

  it('is refused when userinfo is about somebody else or fails, and cannot verify an address by halves', async () => {
    const other = await new ScriptedProvider().start();
    try {
      other.metadata = { userinfo_endpoint: `${other.issuer}/userinfo` };
      const informed = uniqueName('informed');
      await connectProvider(api, other, { id: informed, settings: TRUSTED });
      const enter = async (claims: Record<string, unknown>, userInfo: object, status = 200): Promise<BrowserPage> => {
        const traveller = new Traveller(api, application, other, informed);
        const { url } = await traveller.depart();
        const back = answerTo(url);
        other.nonce = provider.nonce;
        other.claims = claims;
        other.scripts = { '/userinfo': () => ({ status, body: userInfo }) };
        return traveller.browser.go(back);
      };
      const sub = uniqueName('informed');
      await makeUser(api, { email: addressOf(sub) });
      const named = { preferred_username: sub };
      assertPage(await enter({ sub }, { sub: 'somebody else', ...named, email: addressOf(sub), email_verified: true }), 403);
      assertPage(await enter({ sub, ...named, email: addressOf(sub), email_verified: true }, {}, 500), 403, 503);
      const mine = { email: 'mine@example.org', email_verified: true };
      const page = await enter({ sub, ...named, ...mine }, { sub, email: addressOf(sub) });
      assert.equal(stepOf(page), 'provider-link', page.text);
    } finally {
      await other.stop();
    }
  });

  describe('is refused with an answer', () => {
    const exchanges = (): number => provider.asked.filter((path) => path === '/token').length;

    it('that holds the code of another sign-in (code injection)', async () => {
      const [victim, thief] = [new Traveller(api, application, provider, id), new Traveller(api, application, provider, id)];
      const [{ url }, { url: stolen }] = [await victim.depart(), await thief.depart()];
      const back = answerTo(url);
      let verifier = '';
      // As every provider with PKCE does: the code belongs to the challenge it was issued for.
      provider.scripts = {
        '/token': (_request, fields) => {
          verifier = fields.get('code_verifier') ?? '';
          const challenge = createHash('sha256').update(verifier).digest('base64url');
          assert.equal(challenge, url.searchParams.get('code_challenge'));
          return {
            status: 400,
            body: { error: challenge === stolen.searchParams.get('code_challenge') ? 'never' : 'invalid_grant' },
          };
        },
      };
      const page = await victim.browser.go(back);
      provider.honest();
      assertPage(page, 403);
      assert.match(page.text, /invalid_grant/);
      assert.ok(verifier.length >= 43);
    });

    it('in the name of another provider (mix-up)', async () => {
      assertPage(await attempt({ more: { iss: 'https://evil.example.org' } }), 403);
      // The answer of one provider at the address of another.
      const traveller = new Traveller(api, application, provider, id);
      const { url } = await traveller.depart();
      const back = answerTo(url);
      back.pathname = back.pathname.replace(id, plain);
      provider.claims = { sub: uniqueName('mixed') };
      const page = await traveller.browser.go(back);
      provider.honest();
      assert.equal(stepOf(page), 'password', 'nothing happened');
    });

    it('of a browser that did not ask, and to a state that was changed', async () => {
      const traveller = new Traveller(api, application, provider, id);
      const { url } = await traveller.depart();
      const back = answerTo(url);
      const before = exchanges();
      assertPage(await new TestBrowser(api).go(back), 400);
      const other = new URL(back);
      other.searchParams.set('state', `${back.searchParams.get('state')!.slice(0, -1)}_`);
      assert.equal(stepOf(await traveller.browser.go(other)), 'password');
      for (const state of ['', 'x', `${'../'.repeat(5)}.${'a'.repeat(43)}`]) {
        other.searchParams.set('state', state);
        assertPage(await traveller.browser.go(other), 400);
      }
      assert.equal(exchanges(), before, 'no code was used');
    });

    it('that comes a second time', async () => {
      const traveller = new Traveller(api, application, provider, plain);
      const { url } = await traveller.depart();
      const back = answerTo(url);
      provider.claims = { sub: uniqueName('twice') };
      const first = await traveller.browser.go(back);
      assert.equal(stepOf(first), 'provider-link');
      const before = exchanges();
      assert.equal(stepOf(await traveller.browser.go(back)), 'provider-link', 'what is going on continues');
      assert.equal(exchanges(), before, 'the code is not used again');
      provider.honest();
    });

    it('that comes twice at the same moment', async () => {
      const traveller = new Traveller(api, application, provider, plain);
      const { url } = await traveller.depart();
      const back = answerTo(url);
      provider.claims = { sub: uniqueName('twice') };
      // The answer is used where the browser is sent then.
      const { headers } = await traveller.browser.request(back);
      const [tab, other] = [traveller.browser.copy(), traveller.browser.copy()];
      const before = exchanges();
      const enter = (browser: TestBrowser) => () => browser.request(headers.get('location')!);
      await whenAt('provider-answer.before-use', enter(other), enter(tab));
      provider.honest();
      assert.equal(exchanges(), before + 1, 'the code is used once');
      assert.equal(
        stepOf(await other.go(`/openid/interaction/${url.searchParams.get('state')!.split('.')[0]}`)),
        'provider-link',
      );
    });

    it('that comes more than ten minutes after the person went there', async () => {
      const traveller = new Traveller(api, application, provider, plain);
      const { url } = await traveller.depart();
      const back = answerTo(url);
      const before = exchanges();
      api.clock.advance(601);
      const page = await traveller.browser.go(back);
      api.clock.advance(-601);
      assert.equal(stepOf(page), 'password');
      assert.equal(exchanges(), before, 'no code was used');
    });

    it('by which a person makes or connects an account more than ten minutes later', async () => {
      for (const step of ['provider-new', 'provider-link']) {
        const traveller = new Traveller(api, application, provider, plain);
        const { url } = await traveller.depart();
        const back = answerTo(url);
        const sub = uniqueName('late');
        provider.claims = { sub };
        const choice = await traveller.browser.go(back);
        provider.honest();
        assert.equal(stepOf(choice), 'provider-link');
        api.clock.advance(601);
        const page = await traveller.browser.submit(choice, step);
        api.clock.advance(-601);
        assert.equal(stepOf(page), 'password', step);
        assert.ok(
          page.forms.some(({ fields }) => fields.provider === plain),
          'it is a usual sign-in: no account is proved for it',
        );
        assert.deepEqual(assertOk(await api.get(`/v3/users?name=${sub}`)).users, []);
      }
    });

    it('after the settings have changed', async () => {
      const changing = uniqueName('changing');
      await connectProvider(api, provider, { id: changing });
      const traveller = new Traveller(api, application, provider, changing);
      const { url } = await traveller.depart();
      const openid = { issuer: provider.issuer, client_id: 'another', button_name: changing };
      assertOk(await api.put(`${ROOT}/identity_providers/${changing}/openid`, { openid }));
      assertPage(await traveller.browser.go(answerTo(url)), 403);
      assertOk(await api.delete(`${ROOT}/identity_providers/${changing}`), 204);
    });

    it('that is huge, a redirect, no JSON, or an error with markup', async () => {
      const huge = { body: { access_token: 'x'.repeat(300_000) } };
      assertPage(await attempt({ scripts: { '/token': () => huge } }), 503);
      const moved = { status: 302, headers: { Location: `${api.url}/v3/users` }, body: '' };
      assertPage(await attempt({ scripts: { '/token': () => moved } }), 403, 503);
      assertPage(await attempt({ scripts: { '/token': () => ({ body: '<html>' }) } }), 403, 503);
      const page = await attempt({ more: { error: '<script>alert(1)</script>', error_description: '<b>' } });
      assertPage(page, 403);
      assert.ok(!page.text.includes('<script>alert') && !page.text.includes('<b>'));
    });

    it('that never comes, while others are served', async () => {
      const slow = attempt({ scripts: { '/token': () => new Promise(() => {}) } });
      const done = slow.then(() => 'over');
      const served = (await new TestBrowser(api).go((await application.ask()).url)).status;
      assert.equal(served, 200);
      assert.equal(await Promise.race([done, Promise.resolve('waiting')]), 'waiting');
      assertPage(await slow, 503);
    });
  });

  describe('enters no account by an address', () => {
    const isAsked = (page: BrowserPage): void => {
      assert.equal(page.redirectTarget, undefined);
      assert.equal(stepOf(page), 'provider-link', page.text);
    };

    it('that is not verified, or only in a text', async () => {
      for (const verified of [undefined, false, 'true', 'yes', 1, [true]]) {
        const sub = uniqueName('unverified');
        await makeUser(api, { email: addressOf(sub) });
        isAsked(await attempt({ claims: { sub, email: addressOf(sub), email_verified: verified } }));
      }
    });

    it('of other domains, or that only looks like it', async () => {
      for (const address of [
        'x@example.com',
        'x@sub.example.org',
        'x@example.org.evil.com',
        'x@evil.com@example.org',
        '"x"@example.org ',
      ]) {
        isAsked(await attempt({ claims: { email: address, email_verified: true } }));
      }
      const sub = uniqueName('ada');
      await makeUser(api, { email: addressOf(sub) });
      isAsked(await attempt({ claims: { email: addressOf(sub).replace('a', 'ａ'), email_verified: true } }));
    });

    it('where the provider is not trusted with addresses', async () => {
      const sub = uniqueName('distrusted');
      await makeUser(api, { email: addressOf(sub) });
      isAsked(await attempt({ claims: { sub, email: addressOf(sub), email_verified: true }, to: plain }));
    });

    it('of an administrator or a manager', async () => {
      for (const role of ['admin', 'service']) {
        const sub = uniqueName('boss');
        const { id: userId } = await makeUser(api, { email: addressOf(sub) });
        assertOk(await api.put(`/v3/domains/default/users/${userId}/roles/${await api.roleId(role)}`), 204);
        isAsked(await attempt({ claims: { sub, email: addressOf(sub), email_verified: true } }));
      }
    });

    it('of somebody who became an administrator since, until they have proved that it is theirs', async () => {
      const sub = uniqueName('promoted');
      const claims = { sub, email: addressOf(sub), email_verified: true };
      const person = await makeUser(api, { email: addressOf(sub) });
      const enters = async (): Promise<void> => {
        const page = await attempt({ claims });
        assert.ok(page.redirectTarget ?? stepOf(page) === 'allow', page.text);
      };
      const traveller = new Traveller(api, application, provider, id);
      const { url: first } = await traveller.depart();
      provider.claims = claims;
      await traveller.browser.go(answerTo(first));
      provider.honest();
      const isSignedIn = async (): Promise<boolean> => stepOf(await traveller.browser.go('/account/security')) !== 'password';
      assert.ok(await isSignedIn());
      assertOk(await api.put(`/v3/domains/default/users/${person.id}/roles/${await api.roleId('admin')}`), 204);
      assert.ok(!(await isSignedIn()), 'the session is over');
      const { url } = await traveller.depart();
      provider.claims = claims;
      const choice = await traveller.browser.go(answerTo(url));
      provider.honest();
      isAsked(choice);
      assert.ok(!choice.forms.some(({ fields }) => fields.step === 'provider-new'), 'they have an account');
      isAsked(await traveller.browser.send(choice.forms[0]!.action, { ...choice.forms[0]!.fields, step: 'provider-new' }));
      const signIn = await traveller.browser.submit(choice, 'provider-link');
      const { name, password } = person;
      const page = await traveller.browser.submit(signIn, 'password', { name, password });
      assert.ok(page.redirectTarget ?? stepOf(page) === 'allow', page.text);
      assert.ok(await isSignedIn());
      await enters();
    });

    it('that belongs to somebody else at the provider now, or to several accounts', async () => {
      const sub = uniqueName('former');
      await makeUser(api, { email: addressOf(sub) });
      const honest = { email: addressOf(sub), email_verified: true };
      const first = await attempt({ claims: { sub, ...honest } });
      assert.ok(first.redirectTarget ?? stepOf(first) === 'allow');
      isAsked(await attempt({ claims: { sub: uniqueName('successor'), ...honest } }));
      const shared = addressOf(uniqueName('shared'));
      await makeUser(api, { email: shared });
      await makeUser(api, { email: shared });
      isAsked(await attempt({ claims: { email: shared, email_verified: true } }));
    });

    it('that so many others have as a further address that not all are read', async () => {
      const email = addressOf(uniqueName('crowd'));
      const db = await databaseOf(api);
      try {
        const others = await Promise.all(Array.from({ length: 10 }, () => makeUser(api)));
        await db.write((tx) =>
          tx
            .insertInto('user_emails')
            .values(others.map((other) => ({ user_id: other.id, value_key: email })))
            .execute(),
        );
      } finally {
        await db.close();
      }
      isAsked(await attempt({ claims: { sub: uniqueName('sub'), email, email_verified: true } }));
    });

    it('that another provider wrote, which is not trusted with addresses', async () => {
      const claims = { email: addressOf(uniqueName('victim')), email_verified: true };
      const intruder = new Traveller(api, application, provider, plain);
      const { url } = await intruder.depart();
      provider.claims = { sub: uniqueName('intruder'), ...claims };
      const choice = await intruder.browser.go(answerTo(url));
      provider.honest();
      await intruder.browser.submit(choice, 'provider-new');
      // Otherwise the owner of the address would share the account that the intruder made in their name.
      isAsked(await attempt({ claims }));
    });

    it('that nobody has confirmed, of an account with a passkey', async () => {
      const email = addressOf(uniqueName('keeper'));
      const { id: userId } = await makeUser(api, { email });
      const claims = { sub: uniqueName('sub'), email, email_verified: true };
      const db = await databaseOf(api);
      try {
        await db.write((tx) => tx.insertInto('passkeys').values(passkeyOf(userId)).execute());
      } finally {
        await db.close();
      }
      isAsked(await attempt({ claims }));
    });

    it('of another domain than its own, also not by proof', async () => {
      const elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
      const sub = uniqueName('abroad');
      const victim = await makeUser(api, { email: addressOf(sub), domain_id: elsewhere.id });
      const page = await attempt({ claims: { sub, email: addressOf(sub), email_verified: true } });
      assert.ok(page.redirectTarget ?? stepOf(page) === 'allow');
      const { users } = assertOk(await api.get(`/v3/users?name=${sub}`));
      assert.deepEqual(
        users.map((one: { domain_id: string }) => one.domain_id),
        ['default'],
        'a new account, in its own domain',
      );

      const traveller = new Traveller(api, application, provider, plain);
      const { url } = await traveller.depart();
      provider.claims = { sub: uniqueName('prover') };
      const choice = await traveller.browser.go(answerTo(url));
      provider.honest();
      const signIn = await traveller.browser.submit(choice, 'provider-link');
      const answers = { name: victim.name, password: victim.password, domain: elsewhere.id };
      const refused = await traveller.browser.submit(signIn, 'password', answers);
      assertPage(refused, 403);
      assert.match(refused.text, /not for the domain of the account/);
    });

    it('except where it is for the whole service, and the address is confirmed', async () => {
      const [wide, sub] = [uniqueName('wide'), uniqueName('anywhere')];
      await connectProvider(api, provider, { id: wide, rules, settings: { ...TRUSTED, whole_service: true } });
      const elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
      const person = await makeUser(api, { email: addressOf(sub), domain_id: elsewhere.id });
      const claims = { sub, email: addressOf(sub), email_verified: true };
      const db = await databaseOf(api);
      const readLinks = () => db.read.selectFrom('provider_links').where('user_id', '=', person.id).selectAll().execute();

      assert.equal(
        stepOf(await attempt({ claims, to: wide })),
        'provider-link',
        'the managers there may have written the address',
      );
      assert.deepEqual(await readLinks(), []);
      const confirmed = { confirmed_email: addressOf(sub) };
      await db.write((tx) => tx.updateTable('users').set(confirmed).where('id', '=', person.id).execute());

      const page = await attempt({ claims, to: wide });
      assert.ok(page.redirectTarget ?? stepOf(page) === 'allow', page.text);
      assert.deepEqual(assertOk(await api.get(`/v3/users?name=${sub}`)).users, [], 'no new account');
      const links = await readLinks();
      assert.deepEqual(
        links.map((link) => [link.provider_id, link.subject]),
        [[wide, sub]],
      );
      await db.close();
    });

    it('that is disabled', async () => {
      const sub = uniqueName('disabled');
      await makeUser(api, { email: addressOf(sub), enabled: false });
      assertPage(await attempt({ claims: { sub, email: addressOf(sub), email_verified: true } }), 401, 403);
    });
  });

  it('makes nobody an administrator by a group, unless an administrator allows it', async () => {
    const group = await api.make('group', { name: uniqueName('admins') });
    assertOk(await api.put(`/v3/domains/default/groups/${group.id}/roles/${await api.roleId('admin')}`), 204);
    const sub = uniqueName('climber');
    const claims = { sub, email: addressOf(sub), email_verified: true, groups: [group.name] };
    await attempt({ claims });
    const [user] = assertOk(await api.get(`/v3/users?name=${sub}`)).users;
    const member = `/v3/groups/${group.id}/users/${user.id}`;
    assert.equal((await api.head(member)).status, 404);
    const settings = {
      issuer: provider.issuer,
      client_id: provider.clientId,
      client_secret: provider.clientSecret,
      button_name: id,
    };
    const put = (more: object) =>
      api.put(`${ROOT}/identity_providers/${id}/openid`, { openid: { ...settings, ...TRUSTED, ...more } });
    assertOk(await put({ may_give_admin: true }));
    await attempt({ claims });
    assert.equal((await api.head(member)).status, 204);
    assertOk(await put({}));
    await attempt({ claims });
    assert.equal((await api.head(member)).status, 404, 'and it is taken back');
  });

  it('leaves nothing that it gave when it or its settings are deleted, or it is another one', async () => {
    const group = await api.make('group', { name: uniqueName('staff') });
    const short = uniqueName('short');
    const settings = { ...TRUSTED };
    const { issuer, clientId: client_id } = provider;
    await connectProvider(api, provider, { id: short, rules, settings });
    const path = `${ROOT}/identity_providers/${short}`;
    const join = async (): Promise<string> => {
      const sub = uniqueName('joiner');
      await attempt({ claims: { sub, email: addressOf(sub), email_verified: true, groups: [group.name] }, to: short });
      const [user] = assertOk(await api.get(`/v3/users?name=${sub}`)).users;
      const member = `/v3/groups/${group.id}/users/${user.id}`;
      assert.equal((await api.head(member)).status, 204);
      return member;
    };
    const first = await join();
    assertOk(await api.put(`${path}/openid`, { openid: { issuer: 'https://other.example.org', client_id } }));
    assert.equal((await api.head(first)).status, 404);
    const again = { issuer, client_id, client_secret: provider.clientSecret, button_name: short, ...settings };
    assertOk(await api.put(`${path}/openid`, { openid: again }));
    const second = await join();
    assertOk(await api.delete(`${path}/openid`), 204);
    assert.equal((await api.head(second)).status, 404);
    assertOk(await api.put(`${path}/openid`, { openid: again }));
    const third = await join();
    assertOk(await api.delete(path), 204);
    assert.equal((await api.head(third)).status, 404);
  });

  describe('ends no session with a logout token', () => {
    const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
    const honest = () => ({
      iss: provider.issuer,
      aud: provider.clientId,
      iat: seconds(),
      jti: uniqueName('jti'),
      sub: 'x',
      events: { [EVENT]: {} },
    });
    const send = (token: string, to = id): Promise<Response> =>
      fetch(`${api.url}/openid/providers/${to}/logout`, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });

    it('that is wrong in one thing', async () => {
      assert.equal((await send(await provider.sign(honest()))).status, 200, 'an honest one');
      const wrong: [changes: Record<string, unknown>, header?: object][] = [
        [{ iss: 'https://evil.example.org' }],
        [{ aud: 'another' }],
        [{ iat: seconds() - 3600 }],
        [{ iat: undefined }],
        [{ jti: undefined }],
        [{ events: undefined }],
        [{ events: { other: {} } }],
        [{ events: { [EVENT]: 'yes' } }],
        [{ nonce: 'x' }],
        [{ sub: undefined }],
        [{ sub: '' }],
        [{}, { typ: 'at+jwt' }],
      ];
      for (const [changes, header] of wrong) {
        const claims = JSON.parse(JSON.stringify({ ...honest(), ...changes })) as JWTPayload;
        const answer = await send(await provider.sign(claims, header));
        assert.equal(answer.status, 400, JSON.stringify([changes, header]));
      }
      const { privateKey } = await generateKeyPair('ES256');
      const unsigned = `${encode({ alg: 'none' })}.${encode(honest())}.`;
      for (const token of ['', 'x', unsigned, await provider.sign(honest(), {}, privateKey)])
        assert.equal((await send(token)).status, 400);
      assert.equal((await send(await provider.sign(honest()), 'nobody')).status, 400);
    });

    it('of another person, or for another session', async () => {
      const sub = uniqueName('stays');
      const traveller = new Traveller(api, application, provider, id);
      const { url } = await traveller.depart();
      provider.claims = { sub, sid: 'this one', email: addressOf(sub), email_verified: true };
      const page = await traveller.browser.go(answerTo(url));
      provider.honest();
      if (!page.redirectTarget) await traveller.browser.submit(page, 'allow');
      const isIn = async () => (await traveller.browser.go((await application.ask()).url)).redirectTarget !== undefined;
      assert.ok(await isIn());
      const { sub: _, ...anybody } = honest();
      for (const claims of [
        { ...honest(), sub: 'somebody else' },
        { ...anybody, sid: 'another one' },
        { ...honest(), sub, sid: 'another one' },
      ])
        assert.equal((await send(await provider.sign({ ...claims, jti: uniqueName('jti') }))).status, 200);
      assert.ok(await isIn());
      assert.equal((await send(await provider.sign({ ...anybody, jti: uniqueName('jti'), sid: 'this one' }))).status, 200);
      assert.equal(await isIn(), false);
    });
  });

  it('has its codes, tokens and secrets nowhere in the log', () => {
    const log = api.logged.join('\n');
    for (const secret of ['a code', 'a refresh token', 'an access token', provider.clientSecret])
      assert.ok(!log.includes(secret), secret);
  });
});
