// Showing credentials from Credo and Sphereon to a Credo verifier, and checking what the verifier received.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, it } from 'node:test';
import { itAtLength } from '../support/extent.ts';
import type { WalletUser } from '../support/wallet.ts';
import { CLAIMS, DOCUMENT, MEMBER, VCT } from './credo-credentials.ts';
import { onPeers, Peer, VCI, VP } from './peers.ts';

const PAYMENT = 'urn:example:payment';
const NAMESPACE = 'org.iso.18013.5.1';

const PERSON = {
  credentials: [{ id: 'person', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: [{ path: ['given_name'] }] }],
};
const LICENCE = {
  credentials: [
    {
      id: 'licence',
      format: 'mso_mdoc',
      meta: { doctype_value: DOCUMENT },
      claims: [{ path: [NAMESPACE, 'family_name'], intent_to_retain: false }],
    },
  ],
};
const MEMBERSHIP = {
  credentials: [
    {
      id: 'member',
      format: 'jwt_vc_json',
      meta: { type_values: [['VerifiableCredential', MEMBER]] },
      claims: [{ path: ['credentialSubject', 'given_name'] }],
    },
  ],
};

const issuer = new Peer('credo-issuer', { issuers: [{ batchSize: 5 }] });
// A host name, because x509_san_dns needs a DNS name.
const verifier = new Peer('credo-verifier', { host: 'localhost' });
const sphereon = new Peer('sphereon-issuer');

onPeers('Showing to Credo', [issuer, verifier, sphereon], (withWallet) => {
  before(() => verifier.tell('/trust', { certificate: issuer.root }));

  withWallet('Showing', { settings: { GATEHOUSE_WALLET_TRANSACTION_DATA_TYPES: PAYMENT } }, (wallet) => {
    let person: WalletUser;
    before(async () => {
      person = await wallet.logIn();
      await receive(person, { credentials: ['person', 'member', 'licence'] });
    });

    async function receive(by: WalletUser, wanted: object = {}, options: object = {}): Promise<any[]> {
      const { offer } = await issuer.tell('/offers', wanted);
      const answer = await by.post(VCI, { uri: offer, ...options });
      assert.equal(answer.status, 201, answer.text);
      return answer.body.credentials;
    }

    /** Answers a request; returns the wallet's answer, and what the verifier received. */
    async function show(by: WalletUser, wanted: object, options: object = {}): Promise<{ said: any; saw: any; asked: any }> {
      const asked = await verifier.tell('/requests', wanted);
      const { status, body, text } = await by.post(VP, { uri: asked.request, ...options });
      assert.equal(status, 200, text);
      assert.equal(body.status, 'submitted');
      const saw = await verifier.session(asked.session);
      assert.equal(saw.state, 'ResponseVerified', saw.error);
      return { said: body, saw, asked };
    }

    /** Checks that the verifier received this error code. */
    async function refused(session: string, word: string): Promise<void> {
      const { state, refusal, response } = await verifier.settled(session, (seen) => seen.state === 'Error' && seen.refusal);
      assert.equal(state, 'Error');
      assert.equal(refusal?.error, word);
      // Only the error code and the state.
      assert.deepEqual(
        Object.keys(refusal).filter((name) => name !== 'state'),
        ['error'],
      );
      assert.equal(response?.vp_token, undefined);
    }

    for (const [prefix, trust] of [
      ['redirect_uri', 'none'],
      ['decentralized_identifier', 'did'],
      ['x509_san_dns', 'anchor'],
      ['x509_hash', 'anchor'],
    ])
      for (const responseMode of ['direct_post', 'direct_post.jwt'])
        it(`answers ${prefix} by ${responseMode}, with what was asked for and no more`, async () => {
          const { said, saw, asked } = await show(person, { query: PERSON, prefix, responseMode });
          const { certificate, ...verifier } = said.verifier;
          assert.equal(certificate !== undefined, trust === 'anchor');
          assert.deepEqual(verifier, {
            clientId: asked.clientId,
            prefix,
            name: 'Verifier of the tests',
            authenticated: prefix !== 'redirect_uri',
            trust,
          });
          assert.equal(said.responseMode, responseMode);
          assert.deepEqual(
            said.presented.map(({ queryId, disclosed }: any) => [queryId, disclosed]),
            [['person', [['given_name']]]],
          );
          const [claims] = saw.claims.person;
          assert.equal(claims.given_name, CLAIMS.given_name);
          assert.deepEqual([claims.family_name, claims.birth_date], [undefined, undefined]);
        });

    itAtLength('trusts a verifier with a did:key', async () => {
      const { said } = await show(person, { query: PERSON, prefix: 'decentralized_identifier', did: 'key' });
      assert.match(said.verifier.clientId, /^decentralized_identifier:did:key:/);
    });

    for (const method of ['jwk', 'key'])
      it(`shows an SD-JWT that is bound to a did:${method}`, async () => {
        const other = await wallet.logIn();
        const { id: didId } = await other.make('dids', { method });
        await receive(other, {}, { didId });
        const { saw } = await show(other, { query: PERSON });
        assert.equal(saw.claims.person[0].given_name, CLAIMS.given_name);
      });

    itAtLength('shows an SD-JWT whose issuer is a DID', async () => {
      const other = await wallet.logIn();
      const [{ issuer: by }] = await receive(other, { signer: 'did:key' });
      const { saw } = await show(other, { query: PERSON });
      assert.equal(saw.claims.person[0].iss, by.id);
    });

    it('shows an SD-JWT of Sphereon', async () => {
      const other = await wallet.logIn();
      const { offer } = await sphereon.tell('/offers');
      assert.equal((await other.post(VCI, { uri: offer })).status, 201);
      const { saw } = await show(other, { query: PERSON });
      const [{ given_name, family_name }] = saw.claims.person;
      assert.deepEqual([given_name, family_name], [CLAIMS.given_name, undefined]);
    });

    itAtLength('shows an SD-JWT that is bound to an Ed25519 key', async () => {
      const other = await wallet.logIn();
      const { id: keyId } = await other.make('keys', { algorithm: 'EdDSA' });
      await receive(other, {}, { keyId });
      const { saw } = await show(other, { query: PERSON });
      assert.equal(saw.claims.person[0].cnf.jwk.crv, 'Ed25519');
    });

    itAtLength('shows what is bound to a key that was rotated since', async () => {
      const other = await wallet.logIn();
      const [{ holder }] = await receive(other);
      const rotated = await other.post(`/api/v1/wallet/keys/${holder.keyId}/rotate`);
      assert.ok(rotated.status < 300, rotated.text);
      const { saw } = await show(other, { query: PERSON });
      assert.equal(saw.claims.person[0].given_name, CLAIMS.given_name);
    });

    itAtLength('previews before it shows, without notifying the verifier', async () => {
      const { session, request } = await verifier.tell('/requests', { query: PERSON });
      const preview = await person.post(VP, { uri: request, preview: true });
      assert.equal(preview.status, 200, preview.text);
      const [query] = preview.body.query;
      assert.deepEqual([preview.body.satisfiable, query.id, query.claims], [true, 'person', [['given_name']]]);
      assert.deepEqual(query.matches[0].disclosed, [['given_name']]);
      assert.equal((await verifier.session(session)).state, 'RequestUriRetrieved');

      const answer = await person.post(VP, { exchangeId: preview.body.exchangeId });
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await verifier.session(session)).state, 'ResponseVerified');
    });

    itAtLength('answers a request once', async () => {
      const { asked, said } = await show(person, { query: PERSON });
      const again = await person.post(VP, { exchangeId: said.exchangeId });
      assert.equal(again.status, 409, again.text);
      assert.match(again.body.type, /exchange-finished$/);
      // Credo does not serve a request after it was answered.
      const anew = await person.post(VP, { uri: asked.request });
      assert.equal(anew.status, 502, anew.text);
    });

    it('tells the caller where the verifier wants the browser to go', async () => {
      const redirectUri = 'https://verifier.example/done';
      const { said } = await show(person, { query: PERSON, redirectUri });
      assert.ok(said.redirectUri.startsWith(redirectUri), said.redirectUri);
    });

    for (const responseMode of ['direct_post', 'direct_post.jwt'])
      it(`shows an mdoc by ${responseMode}`, async () => {
        const { said, saw } = await show(person, { query: LICENCE, responseMode });
        assert.deepEqual(said.presented[0].disclosed, [[NAMESPACE, 'family_name']]);
        assert.deepEqual(saw.claims.licence, [[{ docType: DOCUMENT, [NAMESPACE]: { family_name: CLAIMS.family_name } }]]);
      });

    for (const responseMode of ['direct_post', 'direct_post.jwt'])
      it(`shows a jwt_vc_json by ${responseMode}`, async () => {
        const { saw } = await show(person, { query: MEMBERSHIP, responseMode, prefix: 'decentralized_identifier' });
        const [presentation] = saw.claims.member;
        const { vp, aud } = JSON.parse(Buffer.from(presentation.split('.')[1], 'base64url').toString());
        assert.match(aud, /^decentralized_identifier:/);
        assert.equal(vp.verifiableCredential.length, 1);
      });

    itAtLength('shows a jwt_vc_json that is bound to a did:key', async () => {
      const other = await wallet.logIn();
      const { id: didId, did } = await other.make('dids', { method: 'key' });
      await receive(other, { credentials: ['member'], signer: 'did:key' }, { didId });
      const { saw } = await show(other, { query: MEMBERSHIP });
      const { iss } = JSON.parse(Buffer.from(saw.claims.member[0].split('.')[1], 'base64url').toString());
      assert.equal(iss, did);
    });

    it('answers two queries at once, in two formats', async () => {
      const query = { credentials: [...PERSON.credentials, ...LICENCE.credentials] };
      const { said, saw } = await show(person, { query });
      assert.deepEqual(said.presented.map(({ queryId }: any) => queryId).sort(), ['licence', 'person']);
      assert.deepEqual(Object.keys(saw.claims).sort(), ['licence', 'person']);
    });

    itAtLength('takes the option that it can answer', async () => {
      const unknown = { id: 'unknown', format: 'dc+sd-jwt', meta: { vct_values: ['urn:example:unknown'] } };
      const query = {
        credentials: [unknown, ...PERSON.credentials],
        credential_sets: [{ options: [['unknown'], ['person']] }],
      };
      const { saw } = await show(person, { query });
      assert.deepEqual(Object.keys(saw.claims), ['person']);
    });

    itAtLength('shows the credential the caller selects', async () => {
      const other = await wallet.logIn();
      const [older] = await receive(other, { claims: { ...CLAIMS, given_name: 'Augusta' } });
      await receive(other);
      const { saw } = await show(other, { query: PERSON }, { selection: { person: [older.id] } });
      assert.equal(saw.claims.person[0].given_name, 'Augusta');
      const { saw: newest } = await show(other, { query: PERSON });
      assert.equal(newest.claims.person[0].given_name, CLAIMS.given_name);
    });

    itAtLength('uses a copy of a batch once', async () => {
      const other = await wallet.logIn();
      await receive(other, {}, { count: 3 });
      const keys = new Set<string>();
      for (const left of [2, 1, 1]) {
        const { saw } = await show(other, { query: PERSON });
        keys.add(saw.claims.person[0].cnf.jwk.x);
        const { body } = await other.get('/api/v1/wallet/credentials');
        assert.equal(body[0].instances, left);
      }
      assert.equal(keys.size, 3);
    });

    it('confirms transaction data of a type that is allowed', async () => {
      const transactionData = [{ type: PAYMENT, credential_ids: ['person'], amount: '12.50 EUR' }];
      const { saw } = await show(person, { query: PERSON, transactionData });
      const [confirmed, ...others] = saw.transactionData;
      assert.deepEqual(others, []);
      assert.deepEqual([confirmed.credentialId, confirmed.decoded], ['person', transactionData[0]]);
      const hash = createHash('sha256').update(confirmed.encoded).digest('base64url');
      assert.deepEqual(confirmed.presentations, [{ presentationHashIndex: 0, hash, hashAlg: 'sha-256' }]);
    });

    itAtLength('confirms transaction data with the hash that is asked for', async () => {
      const transaction_data_hashes_alg = ['sha-512'];
      const transactionData = [{ type: PAYMENT, credential_ids: ['person'], transaction_data_hashes_alg }];
      const { saw } = await show(person, { query: PERSON, transactionData });
      assert.equal(saw.transactionData[0].presentations[0].hashAlg, 'sha-512');
    });

    itAtLength('refuses transaction data of another type', async () => {
      const transactionData = [{ type: 'urn:example:oath', credential_ids: ['person'] }];
      const { session, request } = await verifier.tell('/requests', { query: PERSON, transactionData });
      const answer = await person.post(VP, { uri: request });
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.type, /unsupported-transaction-data$/);
      await refused(session, 'invalid_transaction_data');
    });

    it('sends only access_denied if nothing matches', async () => {
      const stranger = await wallet.logIn();
      const { session, request } = await verifier.tell('/requests', { query: PERSON });
      const answer = await stranger.post(VP, { uri: request });
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.type, /no-matching-credential$/);
      await refused(session, 'access_denied');
    });

    itAtLength('does not show a credential whose claim has another value', async () => {
      const claims = [{ path: ['given_name'], values: ['Grace'] }];
      const query = { credentials: [{ ...PERSON.credentials[0], claims }] };
      const { session, request } = await verifier.tell('/requests', { query });
      const answer = await person.post(VP, { uri: request });
      assert.match(answer.body.type, /no-matching-credential$/, answer.text);
      await refused(session, 'access_denied');
    });

    for (const prefix of ['redirect_uri', 'x509_hash'])
      it(`rejects for the caller who asks for that, to ${prefix}`, async () => {
        const { session, request } = await verifier.tell('/requests', { query: PERSON, prefix });
        const answer = await person.post(VP, { uri: request, action: 'reject' });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body.status, 'rejected');
        await refused(session, 'access_denied');
      });
  });

  withWallet('Receiving and showing', { kind: 'PostgreSQL' }, (wallet) => {
    it('receives from Credo and shows to Credo', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const { session, offer, txCode } = await issuer.tell('/offers', { txCode: true });
      const received = await person.post(VCI, { uri: offer, txCode, count: 2 });
      assert.equal(received.status, 201, received.text);
      assert.equal((await issuer.settled(session, ({ state }) => state === 'Completed')).state, 'Completed');

      const asked = await verifier.tell('/requests', { query: PERSON });
      const shown = await person.post(VP, { uri: asked.request });
      assert.equal(shown.status, 200, shown.text);
      const saw = await verifier.session(asked.session);
      assert.equal(saw.claims?.person[0].given_name, CLAIMS.given_name, saw.error);

      const { request } = await verifier.tell('/requests', { query: PERSON });
      const foreign = await stranger.post(VP, { uri: request, credentialIds: [received.body.credentials[0].id] });
      assert.equal(foreign.status, 422, foreign.text);
    });
  });

  withWallet('Without a trust anchor', { settings: { GATEHOUSE_WALLET_TRUST_ANCHORS: '/dev/null' } }, (wallet) => {
    it('rejects credentials of an issuer with an unknown root, and notifies it', async () => {
      const person = await wallet.logIn();
      const { session, offer } = await issuer.tell('/offers');
      const answer = await person.post(VCI, { uri: offer });
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.type, /untrusted-issuer$/);
      const { notifications } = await issuer.settled(session, (seen) => seen.notifications.length > 0);
      assert.deepEqual(notifications, [{ event: 'credential_failure' }]);
    });

    for (const prefix of ['x509_hash', 'x509_san_dns'])
      it(`does not answer a verifier by ${prefix} whose root it does not know`, async () => {
        const person = await wallet.logIn();
        const { session, request } = await verifier.tell('/requests', { query: PERSON, prefix });
        const answer = await person.post(VP, { uri: request });
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.body.type, /untrusted-verifier$/);
        assert.equal((await verifier.session(session)).state, 'RequestUriRetrieved');
      });
  });
});
