// The wallet node with our identity service as its provider; most tests use the plain provider.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TestApi } from './support/api.ts';
import { USUAL_DATABASES } from './support/migrated-database.ts';
import { OurProvider } from './support/our-provider.ts';
import { makeUser } from './support/relying-party.ts';
import { redirectTargetOf, TestBrowser } from './support/test-browser.ts';
import { TestWallet, WalletUser } from './support/wallet.ts';
import { cookiesOf, secretsOf } from './support/wallet-session.ts';

const USERINFO = '/api/v1/auth/userinfo';
const KEYS = '/api/v1/wallet/keys';
const SESSION = 'gatehouse_wallet';

for (const kind of USUAL_DATABASES)
  describe(`The wallet node beside the identity service (${kind})`, () => {
    const api = new TestApi(kind);
    const provider = new OurProvider(api);
    const wallet = new TestWallet(kind, { provider, settings: { GATEHOUSE_WALLET_ROLES_CLAIM: 'roles' } });
    provider.walletUrl = () => wallet.url;
    before(() => wallet.start());
    after(() => wallet.stop());

    type User = Awaited<ReturnType<typeof makeUser>>;

    /** For the wallet node only: the administrator of the tests logs in once. */
    const wait = (seconds: number): void => wallet.clock.advance(seconds);

    async function signIn(
      user: User,
      query = '',
    ): Promise<{ answer: Awaited<ReturnType<TestWallet['get']>>; browser: TestBrowser }> {
      const begun = await wallet.get(`/api/v1/auth/login${query}`);
      assert.equal(begun.status, 302, begun.text);
      const browser = new TestBrowser(api);
      const back = redirectTargetOf(await browser.signIn(begun.headers.get('location')!, user));
      assert.equal(`${back.origin}${back.pathname}`, `${wallet.url}/api/v1/auth/callback`);
      const flow = cookiesOf(begun).gatehouse_wallet_login!;
      const answer = await wallet.get(back.pathname + back.search, { headers: { Cookie: `${flow.name}=${flow.value}` } });
      return { answer, browser };
    }

    async function logIn(user: User): Promise<WalletUser> {
      const { answer } = await signIn(user);
      assert.equal(answer.status, 303, answer.text);
      return new WalletUser(wallet, user.name, `${SESSION}=${cookiesOf(answer)[SESSION]!.value}`);
    }

    it('logs people in and knows who they are', async () => {
      const user = await makeUser(api);
      const { answer } = await signIn(user, '?return_to=/app');
      assert.equal(answer.headers.get('location'), '/app');
      const person = new WalletUser(wallet, user.name, `${SESSION}=${cookiesOf(answer)[SESSION]!.value}`);
      const { status, body } = await person.get(USERINFO);
      assert.equal(status, 200);
      assert.deepEqual([body.sub, body.iss, body.email], [user.id, api.url, `${user.name}@example.org`]);
      assert.deepEqual(body.roles, []);
      assert.equal((await person.post(KEYS, {})).status, 201);
    });

    it('asks a person who is signed in there for nothing more', async () => {
      const user = await makeUser(api);
      const { browser } = await signIn(user);
      const begun = await wallet.get('/api/v1/auth/login');
      const page = await browser.go(begun.headers.get('location')!);
      assert.ok(redirectTargetOf(page).searchParams.get('code'));
    });

    it('reports a cancelled login', async () => {
      const begun = await wallet.get('/api/v1/auth/login?prompt=none');
      const back = redirectTargetOf(await new TestBrowser(api).go(begun.headers.get('location')!));
      const flow = cookiesOf(begun).gatehouse_wallet_login!;
      const answer = await wallet.get(back.pathname + back.search, { headers: { Cookie: `${flow.name}=${flow.value}` } });
      assert.deepEqual([answer.status, answer.body.code, answer.body.protocol.error], [401, 'login-refused', 'login_required']);
    });

    it('keeps the session through refreshes, with what changed', async () => {
      const user = await makeUser(api);
      const person = await logIn(user);
      const before = await secretsOf(wallet, person.cookie);
      await api.patch(`/v3/users/${user.id}`, { user: { email: 'new@example.org' } });
      for (let hours = 0; hours < 3; hours++) {
        for (let half = 0; half < 2; half++) {
          wait(1790);
          assert.equal((await person.get(USERINFO)).status, 200, `after ${hours} hours`);
          // Recorded in the background.
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      assert.equal((await person.get(USERINFO)).body.email, 'new@example.org');
      const after = await secretsOf(wallet, person.cookie);
      assert.equal(after.idHash, before.idHash);
      assert.notEqual(after.refreshToken, before.refreshToken);
    });

    it('revokes the refresh token at logout', async () => {
      const person = await logIn(await makeUser(api));
      const { refreshToken } = await secretsOf(wallet, person.cookie);
      assert.ok(refreshToken);
      await person.get('/api/v1/auth/logout');
      const { clientId, clientSecret } = await provider.client();
      const refresh = await fetch(`${api.url}/openid/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
      });
      assert.deepEqual([refresh.status, ((await refresh.json()) as { error: string }).error], [400, 'invalid_grant']);
    });

    it('logs people out here and there', async () => {
      const user = await makeUser(api);
      const { answer, browser } = await signIn(user);
      const person = new WalletUser(wallet, user.name, `${SESSION}=${cookiesOf(answer)[SESSION]!.value}`);
      const out = await person.get('/api/v1/auth/logout');
      assert.equal(out.status, 303);
      assert.equal((await person.get(USERINFO)).status, 401);
      const asked = await browser.go(out.headers.get('location')!);
      const page = asked.redirectTarget ? asked : await browser.submit(asked, undefined, { logout: 'yes' });
      assert.equal(redirectTargetOf(page).href, `${wallet.url}/`);
      const again = await wallet.get('/api/v1/auth/login');
      assert.equal(
        (await browser.go(again.headers.get('location')!)).redirectTarget,
        undefined,
        'the password is asked for again',
      );
    });
  });
