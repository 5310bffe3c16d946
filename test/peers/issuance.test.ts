// Receiving credentials from a third-party issuer: Credo, with pre-authorized codes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { itAtLength } from '../support/extent.ts';
import { CLAIMS, DOCUMENT, MEMBER, VCT } from './credo-credentials.ts';
import { credentialsOf, onPeers, otherThan, Peer, stepsOf, VCI } from './peers.ts';

const issuer = new Peer('credo-issuer');

onPeers('Receiving from Credo', [issuer], (withWallet) => {
  withWallet('For a pre-authorized code', {}, (wallet) => {
    /** Checks that Credo's session is completed and that it was notified. */
    async function completed(session: string, issued = 1): Promise<void> {
      const seen = await issuer.settled(
        session,
        ({ state, notifications }) => state === 'Completed' && notifications.length >= issued,
      );
      assert.equal(seen.state, 'Completed', seen.error);
      assert.equal(seen.issued.length, issued);
      assert.deepEqual(seen.notifications, Array(issued).fill({ event: 'credential_accepted' }));
    }

    it('receives an SD-JWT for a pre-authorized code', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers');
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 201, answer.text);
      const [credential] = answer.body.credentials;
      const { format, type, claims, holder, issuer: by, credentialIssuer, status, display } = credential;
      assert.deepEqual([format, type, status, credentialIssuer], ['dc+sd-jwt', VCT, 'valid', issuer.address]);
      assert.deepEqual({ ...claims, ...CLAIMS }, claims);
      assert.equal(holder.binding, 'jwk');
      assert.equal(by.trust, 'anchor');
      assert.equal(display.name, 'Person');
      assert.deepEqual(await credentialsOf(person), [credential]);
      await completed(session);
    });

    for (const signer of ['did:key', 'did:jwk'])
      it(`receives an SD-JWT that is signed by a ${signer}`, async () => {
        const person = await wallet.logIn();
        const { session, offer } = await issuer.tell('/offers', { signer });
        const answer = await person.post(VCI, { uri: offer });
        assert.equal(answer.status, 201, answer.text);
        const { id, trust } = answer.body.credentials[0].issuer;
        assert.equal(trust, 'did');
        assert.ok(id.startsWith(signer), id);
        await completed(session);
      });

    for (const method of ['jwk', 'key'])
      it(`binds an SD-JWT to a did:${method} of the caller's`, async () => {
        const person = await wallet.logIn();
        const { did, id } = await person.make('dids', { method });
        const { session, offer } = await issuer.tell('/offers');
        const answer = await person.post(VCI, { uri: offer, didId: id });
        assert.equal(answer.status, 201, answer.text);
        const { holder } = answer.body.credentials[0];
        assert.deepEqual([holder.binding, holder.did], ['did', did]);
        await completed(session);
      });

    itAtLength('asks for the transaction code, and lets a wrong one be corrected', async () => {
      const person = await wallet.logIn();
      const { session, offer, txCode } = await issuer.tell('/offers', { txCode: true });
      const asked = await person.post(VCI, { uri: offer });
      assert.equal(asked.status, 422, asked.text);
      assert.match(asked.body.type, /tx-code-required$/);
      const { exchangeId } = asked.body;
      assert.deepEqual(asked.body.txCode, { inputMode: 'numeric', length: 6 });
      assert.equal((await issuer.session(session)).state, 'OfferUriRetrieved');

      const wrong = await person.post(VCI, { exchangeId, txCode: otherThan(txCode) });
      assert.equal(wrong.status, 422, wrong.text);
      assert.match(wrong.body.type, /tx-code-rejected$/);
      assert.deepEqual(await credentialsOf(person), []);

      const right = await person.post(VCI, { exchangeId, txCode });
      assert.equal(right.status, 201, right.text);
      assert.equal(right.body.credentials.length, 1);
      await completed(session);
    });

    itAtLength('receives at once where the transaction code came with the offer', async () => {
      const person = await wallet.logIn();
      const { session, offer, txCode } = await issuer.tell('/offers', { txCode: true });
      const answer = await person.post(VCI, { uri: offer, txCode });
      assert.equal(answer.status, 201, answer.text);
      await completed(session);
    });

    it('previews an offer without using it up', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { credentials: ['person', 'licence'] });
      const preview = await person.post(VCI, { uri: offer, preview: true });
      assert.equal(preview.status, 200, preview.text);
      assert.equal(preview.body.issuer.name, 'Issuer i1');
      assert.deepEqual(
        preview.body.offered.map(({ configurationId, format, supported }: any) => [configurationId, format, supported]),
        [
          ['person', 'dc+sd-jwt', true],
          ['licence', 'mso_mdoc', true],
        ],
      );
      assert.equal((await issuer.session(session)).state, 'OfferUriRetrieved');
      const answer = await person.post(VCI, { exchangeId: preview.body.exchangeId });
      assert.equal(answer.status, 201, answer.text);
      await completed(session, 2);
    });

    itAtLength('uses an offer once, whoever brings it again', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const { session, offer: uri } = await issuer.tell('/offers');
      const reference = new URL(uri).searchParams.get('credential_offer_uri')!;
      const offer: any = await (await fetch(reference)).json();
      assert.equal((await person.post(VCI, { offer })).status, 201);
      const again = await person.post(VCI, { offer });
      assert.equal(again.status, 409, again.text);
      assert.match(again.body.type, /exchange-finished$/);
      const stolen = await stranger.post(VCI, { offer });
      assert.equal(stolen.status, 422, stolen.text);
      assert.match(stolen.body.type, /offer-spent$/);
      assert.deepEqual(await credentialsOf(stranger), []);
      await completed(session);
    });

    itAtLength('binds the token to a key (DPoP) for an issuer that wants it without having said so', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { dpop: true });
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 201, answer.text);
      const token = (await stepsOf(person, answer.body.exchangeId)).find(({ step }) => step === 'token received');
      assert.equal(token?.detail, 'bound to a key (DPoP)');
      await completed(session);
    });

    it('binds the token to a key (DPoP) for an issuer that says it can', async () => {
      await issuer.tell('/issuers', { id: 'dpop', dpopAlgorithms: ['ES256'] });
      const person = await wallet.logIn();
      const { session, offer, txCode } = await issuer.tell('/offers', { issuer: 'dpop', dpop: true, txCode: true });
      // The wrong code first: a refused token request must not spoil the next proof.
      const wrong = await person.post(VCI, { uri: offer, txCode: otherThan(txCode) });
      assert.match(wrong.body.type, /tx-code-rejected$/, wrong.text);
      const answer = await person.post(VCI, { exchangeId: wrong.body.exchangeId, txCode });
      assert.equal(answer.status, 201, answer.text);
      const token = (await stepsOf(person, answer.body.exchangeId)).find(({ step }) => step === 'token received');
      assert.equal(token?.detail, 'bound to a key (DPoP)');
      await completed(session);
    });

    it('receives copies in a batch, each for a key of its own', async () => {
      await issuer.tell('/issuers', { id: 'batch', batchSize: 5 });
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { issuer: 'batch' });
      const answer = await person.post(VCI, { uri: offer, count: 5 });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.credentials.length, 1);
      assert.equal(answer.body.credentials[0].instances, 5);
      const { body } = await person.get('/api/v1/wallet/credentials?include=raw');
      const keys = body[0].raw.map(
        (raw: string) => JSON.parse(Buffer.from(raw.split('.')[1]!, 'base64url').toString()).cnf.jwk.x,
      );
      assert.equal(new Set(keys).size, 5);
      await completed(session);
    });

    itAtLength('takes no more copies than the issuer gives at once', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers');
      const answer = await person.post(VCI, { uri: offer, count: 5 });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.credentials[0].instances, 1);
      await completed(session);
    });

    it('reads signed metadata of an issuer', async () => {
      await issuer.tell('/issuers', { id: 'signed', signedMetadata: true });
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { issuer: 'signed' });
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 201, answer.text);
      await completed(session);
    });

    itAtLength('fetches what was deferred after a restart', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { deferred: 1, dpop: true });
      const begun = await person.post(VCI, { uri: offer });
      assert.equal(begun.status, 202, begun.text);
      assert.deepEqual([begun.body.status, begun.body.retryAfter, begun.headers.get('retry-after')], ['deferred', 1, '1']);
      const { exchangeId } = begun.body;
      assert.equal((await issuer.session(session)).transactions.length, 1);

      await wallet.service.stop(1000);
      await wallet.open();
      const waits = await person.post(VCI, { exchangeId });
      assert.equal(waits.status, 202, waits.text);
      assert.deepEqual(await credentialsOf(person), []);

      await issuer.tell(`/sessions/${session}/ready`);
      await sleep(1100);
      const answer = await person.post(VCI, { exchangeId });
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(await credentialsOf(person), answer.body.credentials);
      await completed(session);
    });

    it('fetches what was deferred by itself, after a restart too', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { deferred: 1 });
      const begun = await person.post(VCI, { uri: offer });
      assert.equal(begun.status, 202, begun.text);
      await issuer.tell(`/sessions/${session}/ready`);
      await wallet.service.stop(1000);
      await sleep(1100);
      await wallet.open();
      // The minimum polling interval is five seconds.
      wallet.clock.advance(5);
      assert.equal((await wallet.service.sweep()).continued, 1);
      const [credential] = await credentialsOf(person);
      assert.equal(credential?.type, VCT);
      const { state } = (await person.get(`/api/v1/wallet/exchanges/${begun.body.exchangeId}`)).body;
      assert.equal(state, 'issued');
      await completed(session);
    });

    it('receives a jwt_vc_json, bound to a DID that is made for it', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { credentials: ['member'] });
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 201, answer.text);
      const { format, types, holder, claims, issuer: by } = answer.body.credentials[0];
      assert.deepEqual([format, types], ['jwt_vc_json', ['VerifiableCredential', MEMBER]]);
      assert.equal(holder.binding, 'did');
      assert.deepEqual(claims.credentialSubject, { id: holder.did, ...CLAIMS });
      assert.equal(by.trust, 'did');
      await completed(session);
    });

    it('receives an mdoc', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { credentials: ['licence'] });
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 201, answer.text);
      const { format, type, claims, issuer: by } = answer.body.credentials[0];
      assert.deepEqual([format, type, by.trust], ['mso_mdoc', DOCUMENT, 'anchor']);
      assert.deepEqual(claims['org.iso.18013.5.1'], CLAIMS);
      await completed(session);
    });

    itAtLength('receives credentials of three formats from one offer', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers', { credentials: ['person', 'member', 'licence'] });
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 201, answer.text);
      const formats = answer.body.credentials.map(({ format }: any) => format);
      assert.deepEqual(formats.sort(), ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc']);
      await completed(session, 3);
    });
  });
});
