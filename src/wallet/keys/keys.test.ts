// /api/v1/wallet/keys, through HTTP, on both databases.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachWallet } from '../../../test/support/wallet.ts';

onEachWallet('Keys', (wallet) => {
  describe('registering', () => {
    it('makes an ES256 key when nothing is said', async () => {
      const person = await wallet.logIn();
      const answer = await person.post('/api/v1/wallet/keys', {});
      assert.equal(answer.status, 201, answer.text);
      const key = answer.body;
      assert.equal(answer.headers.get('location'), `/api/v1/wallet/keys/${key.id}`);
      assert.match(key.id, /^key_[0-9A-HJKMNP-TV-Z]{26}$/);
      assert.deepEqual([key.algorithm, key.kty, key.crv, key.state, key.default], ['ES256', 'EC', 'P-256', 'active', true]);
      const list = await person.get('/api/v1/wallet/keys');
      assert.deepEqual(list.body, [key]);
      const did = await person.make('dids', { path: 'first', keyIds: [key.id] });
      assert.equal(did.state, 'draft');
      const published = await person.post(`/api/v1/wallet/dids/${did.id}/publish`);
      assert.equal(published.status, 200, published.text);
      assert.deepEqual((await wallet.get('/dids/first/did.json')).body, published.body.document);
      const rotated = await person.post(`/api/v1/wallet/keys/${key.id}/rotate`, {});
      assert.equal(rotated.status, 200, rotated.text);
      assert.equal((await wallet.get('/dids/first/did.json')).body.verificationMethod.length, 2);
      const revoked = await person.post(`/api/v1/wallet/keys/${key.id}/revoke`, { reason: 'compromised' });
      assert.equal(revoked.status, 200, revoked.text);
      assert.equal((await wallet.get('/dids/first/did.json')).body.verificationMethod.length, 1);
      assert.equal((await person.delete(`/api/v1/wallet/keys/${key.id}`)).status, 204);
      const info = await person.get('/api/v1/auth/userinfo');
      assert.equal(info.status, 200, info.text);
      const out = await person.get('/api/v1/auth/logout');
      assert.equal(out.status, 303);
      assert.equal((await person.get('/api/v1/wallet/keys')).status, 401);
    });
  });
});
