// The node's own key and DID, for its administrators.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const NODE = '/api/v1/wallet/node';

onEachWallet('The node itself', (wallet) => {
  it('shows administrators its DID and key, which they can rotate', async () => {
    const admin = await wallet.logIn('admin');
    assert.equal((await admin.get('/api/v1/auth/userinfo')).body.administrator, true);
    const { status, body } = await admin.get(NODE);
    assert.equal(status, 200);
    const [did] = body.dids;
    assert.deepEqual(did.document, (await wallet.get('/.well-known/did.json')).body);
    const [key] = body.keys;
    assert.deepEqual([key.state, key.dids], ['active', [did.did]]);
    assert.equal((await admin.post(`/api/v1/wallet/keys/${key.id}/rotate`, {})).status, 200);
    const after = (await admin.get(NODE)).body;
    assert.deepEqual(
      after.keys.map((one: { state: string }) => one.state),
      ['rotated', 'active'],
    );
    assert.equal(after.dids[0].versionId, did.versionId + 1);
    assert.deepEqual((await admin.get('/api/v1/wallet/keys')).body, [], 'it is not a key of their wallet');
  });

  it('is nothing for others', async () => {
    const person = await wallet.logIn();
    assert.equal((await person.get('/api/v1/auth/userinfo')).body.administrator, false);
    assertProblem(await person.get(NODE), 403, 'forbidden');
  });
});
