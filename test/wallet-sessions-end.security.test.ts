// A session of the wallet node ends with its session at the identity service: a user who lost access there loses it here, too.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TestApi, uniqueName } from './support/api.ts';
import { databasesInTurn } from './support/migrated-database.ts';
import { OurProvider } from './support/our-provider.ts';
import { makeUser } from './support/relying-party.ts';
import { redirectTargetOf, TestBrowser } from './support/test-browser.ts';
import { TestWallet, WalletUser } from './support/wallet.ts';
import { assertProblem } from './support/wallet-answers.ts';
import { cookiesOf, isCleared } from './support/wallet-session.ts';

const USERINFO = '/api/v1/auth/userinfo';
const KEYS = '/api/v1/wallet/keys';
const SESSION = 'gatehouse_wallet';
const CONSUMER = '/v3/OS-OAUTH2/consumers/gatehouse_wallet';

for (const kind of databasesInTurn('A wallet session of somebody the identity service shut out'))
  describe(`A wallet session of somebody the identity service shut out (${kind})`, () => {
    const api = new TestApi(kind);
    const provider = new OurProvider(api);
    const wallet = new TestWallet(kind, { provider, settings: { GATEHOUSE_WALLET_ROLES_CLAIM: 'roles' } });
    provider.walletUrl = () => wallet.url;
    before(() => wallet.start());
    after(() => wallet.stop());

    type User = Awaited<ReturnType<typeof makeUser>>;

    async function logIn(user: User, browser = new TestBrowser(api)): Promise<WalletUser> {
      const begun = await wallet.get('/api/v1/auth/login');
      const flow = cookiesOf(begun).gatehouse_wallet_login!;
      const back = redirectTargetOf(await browser.signIn(begun.headers.get('location')!, user));
      const done = await wallet.get(back.pathname + back.search, { headers: { Cookie: `${flow.name}=${flow.value}` } });
      assert.equal(done.status, 303, done.text);
      return new WalletUser(wallet, user.name, `${SESSION}=${cookiesOf(done)[SESSION]!.value}`);
    }

    const isIn = async (person: WalletUser): Promise<boolean> => (await person.get(USERINFO)).status === 200;

    /** The wallet's clock is stopped, so only the identity service can end the session. */
    async function ends(person: WalletUser): Promise<void> {
      for (let tries = 0; await isIn(person); tries++) {
        assert.ok(tries < 300, 'the wallet was not told');
        await delay(100);
      }
    }

    const ways: Record<string, (user: User) => Promise<{ status: number }>> = {
      'changed their password': (user) =>
        api.post(
          `/v3/users/${user.id}/password`,
          { user: { original_password: user.password, password: 'another password of a person' } },
          { token: null },
        ),
      'got another password': (user) => api.patch(`/v3/users/${user.id}`, { user: { password: 'a password by the help desk' } }),
      'was disabled': (user) => api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }),
      'was deleted': (user) => api.delete(`/v3/users/${user.id}`),
    };
    for (const [what, shutOut] of Object.entries(ways))
      it(`does not outlive that its person ${what}`, async () => {
        const [user, other] = [await makeUser(api), await makeUser(api)];
        const people = [await logIn(user), await logIn(user)];
        const stays = await logIn(other);
        const { status } = await shutOut(user);
        assert.ok(status === 200 || status === 204, `${status}`);
        for (const person of people) {
          await ends(person);
          const answer = await person.get(USERINFO);
          assertProblem(answer, 401, 'not-authenticated');
          assert.ok(isCleared(answer));
          assert.equal((await person.post(KEYS, {})).status, 401);
        }
        assert.ok(await isIn(stays));
      });

    it('does not outlive that its person ended their other sessions', async () => {
      const user = await makeUser(api);
      const [here, there] = [new TestBrowser(api), new TestBrowser(api)];
      const [kept, ended] = [await logIn(user, here), await logIn(user, there)];
      const page = await here.go('/account/sessions');
      assert.equal((await here.submit(page, 'end-sessions')).status, 200);
      await ends(ended);
      assert.ok(await isIn(kept), 'the session of the browser that asked goes on');
    });

    it('does not outlive that its person signed out there', async () => {
      const user = await makeUser(api);
      const browser = new TestBrowser(api);
      const [person, elsewhere] = [await logIn(user, browser), await logIn(user)];
      const asked = await browser.go('/openid/logout');
      await browser.submit(asked, undefined, { logout: 'yes' });
      await ends(person);
      assert.ok(await isIn(elsewhere), 'another browser is another session');
    });

    it('does not outlive by more than a minute what it was not told of', async () => {
      const user = await makeUser(api);
      const person = await logIn(user);
      const { consumer } = (await api.get(CONSUMER)).body;
      assert.equal(consumer.backchannel_logout_uri, `${wallet.url}/api/v1/auth/backchannel-logout`);
      const domain = (await api.make('domain', { name: uniqueName('domain') })) as { id: string };
      const member = await makeUser(api, { domain_id: domain.id });
      const begun = await logIn({ ...member, domain: domain.id } as User);
      // When a whole domain is disabled, there is no logout notification for each user.
      assert.equal((await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } })).status, 200);
      wallet.clock.advance(60);
      assert.ok(!(await isIn(begun)));
      assert.ok(await isIn(person));
    });
  });
