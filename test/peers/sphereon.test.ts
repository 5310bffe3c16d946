// Receiving credentials from a third-party issuer: Sphereon.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CLAIMS, VCT } from './credo-credentials.ts';
import { credentialsOf, onPeers, otherThan, Peer, VCI } from './peers.ts';

const issuer = new Peer('sphereon-issuer');

onPeers('Receiving from Sphereon', [issuer], (withWallet) => {
  withWallet('For a pre-authorized code', {}, (wallet) => {
    const accepted = async (session: string) => {
      const seen = await issuer.settled(session, ({ state }) => /NOTIFICATION/.test(state));
      assert.equal(seen.state, 'NOTIFICATION_CREDENTIAL_ACCEPTED', JSON.stringify(seen));
    };

    it('receives an SD-JWT', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers');
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 201, answer.text);
      const [credential] = answer.body.credentials;
      assert.deepEqual([credential.format, credential.type, credential.issuer.trust], ['dc+sd-jwt', VCT, 'did']);
      assert.deepEqual({ ...credential.claims, ...CLAIMS }, credential.claims);
      assert.deepEqual(await credentialsOf(person), [credential]);
      await accepted(session);
    });

    it('receives an SD-JWT for a transaction code, after a wrong one', async () => {
      const person = await wallet.logIn();
      const { session, offer, txCode } = await issuer.tell('/offers', { txCode: true });
      const asked = await person.post(VCI, { uri: offer });
      assert.match(asked.body.type, /tx-code-required$/, asked.text);
      const { exchangeId } = asked.body;
      const wrong = await person.post(VCI, { exchangeId, txCode: otherThan(txCode) });
      assert.match(wrong.body.type, /tx-code-rejected$/, wrong.text);
      const answer = await person.post(VCI, { exchangeId, txCode });
      assert.equal(answer.status, 201, answer.text);
      await accepted(session);
    });

    it("binds an SD-JWT to a DID of the caller's", async () => {
      const person = await wallet.logIn();
      const { did, id } = await person.make('dids', { method: 'jwk' });
      const { session, offer } = await issuer.tell('/offers');
      const answer = await person.post(VCI, { uri: offer, didId: id });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.credentials[0].holder.did, did);
      await accepted(session);
    });
  });
});
