// Sign-ins with a wallet that wait: for a second step, to be picked up by the library, or for somebody who denies them. What is withdrawn
// meanwhile lets nobody in.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { type CredentialHolder, makeCredentialHolder } from '../../../../test/support/credential-holders.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { issuedTo, takeRole, usesRoleWorld, withdraw } from '../../../../test/support/role-credentials.ts';
import { enable, Phone } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { assertNotSignedIn, usesVisitors } from '../../../../test/support/wallet-visitor.ts';
import type { AuthMethod } from '../../access/context/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { createNextSteps } from '../../operations/sign-in-preview/index.ts';
import { createWalletSignInStep, type WalletSignInStepDeps } from './wallet-sign-in.ts';

const settings = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' };

onUsualDatabase(
  'A sign-in with a wallet that waits',
  (api) => {
    const { world } = usesRoleWorld(api, { subject: 'user' });
    const { application, visitor } = usesVisitors(api);
    const db = usesDatabaseOf(api);
    const idOf = async (person: CredentialHolder): Promise<string> => (await issuedTo(api, person))[0].id;

    const WITHDRAWN: Readonly<Record<string, (person: CredentialHolder) => Promise<unknown>>> = {
      'is revoked': async (person) => withdraw(api, await idOf(person), 'revoke'),
      'is suspended': async (person) => withdraw(api, await idOf(person), 'suspend'),
      'loses its role': (person) => takeRole(api, person, world),
    };

    /** What is never so by itself: our record of a credential says something else than the credential, or than it said before. */
    const recordSays = async (person: CredentialHolder, other: { user_id?: string; key_thumbprint?: string }): Promise<void> => {
      const id = await idOf(person);
      await db().write((tx) => tx.updateTable('issued_credentials').set(other).where('id', '=', id).execute());
    };
    const ANOTHERS: Readonly<Record<string, (person: CredentialHolder) => Promise<unknown>>> = {
      'is somebody else’s by our record': async (person) =>
        recordSays(person, { user_id: (await makeCredentialHolder(api, world)).id }),
      'is of another key by our record': (person) => recordSays(person, { key_thumbprint: 'another key' }),
    };

    for (const [name, happens] of Object.entries(ANOTHERS))
      it(`does not begin with a credential that ${name}`, async () => {
        const person = await makeCredentialHolder(api, world);
        await happens(person);
        const visit = await visitor().ask();
        const { body } = await person.holder.answer(visit.link);
        assertNotSignedIn(await visit.returns(body.redirect_uri));
      });

    describe('to be picked up', () => {
      /** The wallet has answered and the browser is back, but it does not follow the last redirect. */
      async function park(person: CredentialHolder) {
        const visit = await visitor().ask();
        const { body } = await person.holder.answer(visit.link);
        const back = await visit.browser.request(body.redirect_uri);
        const done = await visit.browser.request(new URL(back.headers.get('location')!, visit.page.url));
        assert.match(done.headers.get('location') ?? '', /\/openid\/authorize\//, done.text);
        return { visit, collect: (): Promise<BrowserPage> => visit.browser.go(done.headers.get('location')!) };
      }

      it('is completed while the credential is good', async () => {
        const person = await makeCredentialHolder(api, world);
        const { visit, collect } = await park(person);
        const page = await collect();
        assert.equal((await visit.claims(await visit.presses(page, 'allow'))).sub, person.id);
      });

      for (const [name, happens] of Object.entries({ ...WITHDRAWN, ...ANOTHERS }))
        it(`is not completed when the credential ${name}`, async () => {
          const person = await makeCredentialHolder(api, world);
          const { visit, collect } = await park(person);
          await happens(person);
          assertNotSignedIn(await collect());
          const silently = await visit.browser.go((await application().ask({ prompt: 'none' })).url);
          assert.equal(silently.redirectTarget?.searchParams.get('error'), 'login_required');
        });
    });

    describe('for a code', () => {
      async function upToCode() {
        const person = await makeCredentialHolder(api, world);
        const { two_factor_key: key } = assertOk(await enable(api, person), 201).two_factor_auth;
        const visit = await visitor().ask();
        const { body } = await person.holder.answer(visit.link);
        const page = await visit.returns(body.redirect_uri);
        assert.equal(stepOf(page), 'code', page.text);
        return { person, visit, page, code: new Phone(api, key).code() };
      }

      it('is completed while the credential is good', async () => {
        const { person, visit, page, code } = await upToCode();
        const { sub, amr } = await visit.claims(await visit.presses(page, 'code', { code }));
        assert.deepEqual([sub, amr], [person.id, ['wallet', 'otp', 'mfa']]);
      });

      for (const [name, happens] of Object.entries(WITHDRAWN))
        it(`is not completed when the credential ${name}`, async () => {
          const { person, visit, page, code } = await upToCode();
          await happens(person);
          const refused = await visit.browser.submit(page, 'code', { code });
          assertNotSignedIn(refused);
          assert.deepEqual([refused.status, stepOf(refused)], [401, 'password']);
        });
    });

    it('is over when the holder says that it was not them: the same request is not answered again', async () => {
      const person = await makeCredentialHolder(api, world);
      const visit = await visitor().ask();
      const { body } = await person.holder.answer(visit.code);
      const phone = new TestBrowser(api);
      await phone.submit(await phone.go(body.redirect_uri), undefined);
      assert.equal((await fetch(new URL(visit.code).searchParams.get('request_uri')!)).status, 404);
    });
  },
  { settings },
);

describe('A wallet that was asked for after other steps than those that are there when it answers', () => {
  const credential = { list: 'a list', index: 1, keyThumbprint: 'a key' };
  const user = { id: 'ann', epoch: 1 } as UserWithExpiry;

  /** `earlier`: the steps before. */
  function enters(earlier: readonly AuthMethod[]): Promise<unknown> {
    const deps = {
      users: { find: async () => user },
      federation: { links: { mayBeByWallet: async () => true } },
      walletSignIn: {
        policy: { isAllowed: async () => true },
        entry: { enter: async () => ({ userId: user.id, credential }) },
        hasCredential: async () => true,
      },
    };
    const { wallet } = createWalletSignInStep({
      ...deps,
      hasWallet: createNextSteps(deps as unknown as Parameters<typeof createNextSteps>[0]).hasWallet,
      auth: {
        signInWith: async (_method: string, find: (attempt: object) => Promise<UserWithExpiry | undefined>) => {
          assert.ok(await find({}), 'refused');
          return { user, methods: [...earlier, 'wallet'], generation: 1, complete: true };
        },
      },
    } as unknown as WalletSignInStepDeps);
    const proof = { requestId: 'a request', proof: 'a proof' };
    return wallet(proof, {} as LoginAttempt, { userId: user.id, methods: earlier, epoch: 1, generation: 1 });
  }

  it('is no second factor after itself, nor after a provider whose credential may be in it', async () => {
    await enters(['password']);
    for (const earlier of [['wallet'], ['mapped']] as const) await assert.rejects(enters(earlier), /refused/);
  });
});
