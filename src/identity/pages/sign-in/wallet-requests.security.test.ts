// Requests to wallets, which strangers can have made.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { makeRoleWorld } from '../../../../test/support/role-credentials.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { WalletVisitor } from '../../../../test/support/wallet-visitor.ts';
import { UNFINISHED_LIMIT } from '../../openid/provider/index.ts';

onUsualDatabase(
  'Requests to wallets that nobody answers',
  (api) => {
    const db = usesDatabaseOf(api);
    const stored = async (): Promise<number> =>
      (await db().read.selectFrom('openid_records').where('model', '=', 'WalletRequest').select('id').execute()).length;

    it('do not fill the table', async () => {
      await makeRoleWorld(api);
      const application = await RelyingParty.make(api);
      const visit = new WalletVisitor(api, application);
      const start = await visit.signInPage();
      for (let time = 0; time < 3; time++) {
        const page = await visit.browser.submit(start, 'wallet');
        const link = /request_uri=([^&"]+)/.exec(page.text)![1]!;
        assert.equal(await stored(), 2);
        await visit.browser.submit(page, 'wallet-forget');
        assert.equal(await stored(), 0, 'what was given up is not kept');
        assert.equal((await fetch(decodeURIComponent(link))).status, 404);
      }
      const { url } = await application.ask();
      // Some are given back while they are sent.
      for (let sent = 0; sent < 2 * UNFINISHED_LIMIT.attempts; sent++)
        if ((await new TestBrowser(api).request(url)).redirectTarget) break;
      const page = await visit.browser.submit(start, 'wallet');
      assert.deepEqual([page.status, await stored()], [429, 0], 'and they are counted as sign-ins are that nobody finishes');
    });
  },
  { settings: { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' }, rateLimits: true },
);
