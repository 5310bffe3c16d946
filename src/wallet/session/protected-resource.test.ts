// Whose access tokens the node takes (RFC 9728), and that a refusal says where that is told.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onWallet } from '../../../test/support/wallet.ts';

const ADDRESS = 'https://wallet.example.org';
const PATH = '/.well-known/oauth-protected-resource';
const USERINFO = '/api/v1/auth/userinfo';

for (const audience of [ADDRESS, `${ADDRESS}/`])
  onWallet(
    'SQLite',
    `A wallet node that takes access tokens for ${audience}`,
    { settings: { GATEHOUSE_WALLET_URL: ADDRESS, GATEHOUSE_WALLET_BEARER_AUDIENCE: audience } },
    (wallet) => {
      it('says whose they are, to programs of every origin', async () => {
        const { status, headers, body } = await wallet.get(PATH, { headers: { Origin: 'https://elsewhere.example' } });
        assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, '*']);
        assert.deepEqual(body, {
          resource: audience,
          resource_name: 'Wallet',
          authorization_servers: [wallet.provider.issuer],
          bearer_methods_supported: ['header'],
        });
      });

      it('names the address in each refusal', async () => {
        for (const headers of [{}, { Authorization: 'Bearer wrong' }]) {
          const refused = await wallet.get(USERINFO, { headers });
          assert.equal(refused.status, 401);
          assert.match(refused.headers.get('www-authenticate')!, new RegExp(`resource_metadata="${ADDRESS}${PATH}"`));
        }
      });
    },
  );

for (const settings of [
  { GATEHOUSE_WALLET_URL: ADDRESS },
  { GATEHOUSE_WALLET_URL: ADDRESS, GATEHOUSE_WALLET_BEARER_AUDIENCE: 'wallets' },
  { GATEHOUSE_WALLET_URL: ADDRESS, GATEHOUSE_WALLET_BEARER_AUDIENCE: `${ADDRESS}.evil.example` },
])
  onWallet('SQLite', `A wallet node with ${JSON.stringify(settings)}`, { settings }, (wallet) => {
    it('says nothing of it', async () => {
      assert.equal((await wallet.get(PATH)).status, 404);
      const refused = await wallet.get(USERINFO, { headers: {} });
      assert.doesNotMatch(refused.headers.get('www-authenticate') ?? '', /resource_metadata/);
    });
  });
