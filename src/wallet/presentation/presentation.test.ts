// POST /api/v1/wallet/oid4vp against a small honest verifier: how a request reaches the wallet, and what is answered.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { IDENTITY, paths, queryFor, setUpPresentation, VCI, VP } from '../../../test/support/presentation.ts';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const PAYMENT = 'https://example.org/payment';
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

onEachWallet(
  'Showing credentials',
  (wallet) => {
    const world = setUpPresentation(wallet);
    const { verifier } = world;

    describe('however the request comes', () => {
      for (const by of ['value', 'get', 'post'] as const)
        it(`answers one that comes by ${by}, with what was asked and nothing else`, async () => {
          const { person, credential } = await world.holder();
          const answer = await world.present(person, { by });
          assert.equal(answer.status, 200, answer.text);
          const clientId = `decentralized_identifier:${await verifier.did()}`;
          const { exchangeId, ...rest } = answer.body;
          assert.match(exchangeId, /^ex_/);
          assert.deepEqual(rest, {
            status: 'submitted',
            verifier: {
              clientId,
              prefix: 'decentralized_identifier',
              name: 'The toy verifier',
              authenticated: true,
              trust: 'did',
            },
            presented: [{ queryId: 'id', credentialId: credential.id, disclosed: [['given_name']] }],
            redirectUri: `${verifier.url}/done`,
            responseMode: 'direct_post',
          });
          assert.deepEqual(Object.keys(verifier.posted[0]!).sort(), ['state', 'vp_token']);
          const { id } = await world.readToken(verifier.tokens[0]!);
          assert.equal(id!.length, 1);
          assert.deepEqual(id![0]!.claims, { given_name: 'Ada' });
          assert.equal(id![0]!.binding.aud, clientId);
        });

      it('tells a verifier that is asked by POST what it can do, with a new nonce each time', async () => {
        const { person } = await world.holder();
        for (const _ of [1, 2]) assert.equal((await world.present(person, { by: 'post' })).status, 200);
        const asked = verifier.seen.filter(({ endpoint }) => endpoint === 'request');
        assert.deepEqual(
          asked.map(({ method, headers }) => [method, headers['content-type'], headers.accept]),
          [1, 2].map(() => ['POST', 'application/x-www-form-urlencoded', 'application/oauth-authz-req+jwt']),
        );
        const nonces = asked.map(({ form }) => form.wallet_nonce!);
        assert.notEqual(nonces[0], nonces[1]);
        for (const nonce of nonces) assert.match(nonce, /^[\w-]{20,}$/);
        const metadata = JSON.parse(asked[0]!.form.wallet_metadata!);
        assert.deepEqual(metadata.response_modes_supported, ['direct_post', 'direct_post.jwt']);
        assert.ok(metadata.vp_formats_supported['dc+sd-jwt']);
      });

      it('answers a request that is not signed, and says that nobody knows who it is', async () => {
        const { person } = await world.holder();
        const answer = await world.present(person, { by: 'unsigned', prefix: 'redirect_uri' });
        assert.equal(answer.status, 200, answer.text);
        const { authenticated, trust, prefix } = answer.body.verifier;
        assert.deepEqual({ authenticated, trust, prefix }, { authenticated: false, trust: 'none', prefix: 'redirect_uri' });
        const { id } = await world.readToken(verifier.tokens[0]!);
        assert.equal(id![0]!.binding.aud, `redirect_uri:${verifier.url}/response`);
      });

      it('answers one whose only address is its client id (OID4VP 1.0, 5.9.3)', async () => {
        const { person } = await world.holder();
        verifier.twist = { parameters: (parameters) => parameters.delete('response_uri') };
        const answer = await world.present(person, { by: 'unsigned', prefix: 'redirect_uri' });
        assert.equal(answer.status, 200, answer.text);
        const { id } = await world.readToken(verifier.tokens[0]!);
        assert.equal(id![0]!.binding.aud, `redirect_uri:${verifier.url}/response`);
      });

      it('reads a request from an https address, too', async () => {
        const { person } = await world.holder();
        const uri = (await verifier.ask()).replace('openid4vp://', 'https://wallet.example/authorize');
        assert.equal((await person.post(VP, { uri })).body.status, 'submitted');
      });
    });

    describe('the answer', () => {
      it('is encrypted for whoever asks for that', async () => {
        const { person } = await world.holder();
        const answer = await world.present(person, { mode: 'direct_post.jwt' });
        assert.equal(answer.body.responseMode, 'direct_post.jwt', answer.text);
        const { form } = verifier.seen.find(({ endpoint }) => endpoint === 'response')!;
        assert.deepEqual(Object.keys(form), ['response']);
        const header = JSON.parse(Buffer.from(form.response!.split('.')[0]!, 'base64url').toString());
        assert.deepEqual([header.alg, header.enc, header.kid], ['ECDH-ES', 'A128GCM', 'enc']);
        const [posted] = verifier.posted;
        assert.deepEqual(Object.keys(posted!).sort(), ['encrypted', 'state', 'vp_token']);
        assert.deepEqual((await world.readToken(posted!.vp_token)).id![0]!.disclosed, ['given_name']);
      });

      it('uses the encryption the verifier prefers', async () => {
        const { person } = await world.holder();
        verifier.twist = {
          request: ({ payload }) => (payload.client_metadata.encrypted_response_enc_values_supported = ['A128CBC-HS256']),
        };
        assert.equal((await world.present(person, { mode: 'direct_post.jwt' })).status, 200);
        const { form } = verifier.seen.find(({ endpoint }) => endpoint === 'response')!;
        assert.match(Buffer.from(form.response!.split('.')[0]!, 'base64url').toString(), /"enc":"A128CBC-HS256"/);
      });

      it('is bound to the nonce, to the whole client id and to now, and brings the state back', async () => {
        const { person } = await world.holder();
        const { id } = await world.presentAndRead(person);
        const { asked } = verifier;
        const { iat, aud, nonce, sd_hash, ...rest } = id![0]!.binding as Record<string, any>;
        assert.deepEqual([aud, nonce, rest], [asked.client_id, asked.nonce, {}]);
        assert.ok(Math.abs(iat - wallet.clock.now() / 1000) < 30);
        assert.equal(verifier.posted[0]!.state, asked.state);
      });

      it('has no state when there was none', async () => {
        const { person } = await world.holder();
        verifier.twist = { request: ({ payload }) => delete payload.state };
        await world.presentAndRead(person);
        assert.deepEqual(Object.keys(verifier.posted[0]!), ['vp_token']);
      });

      it('discloses nothing that can be held back when no claims are named', async () => {
        const { person } = await world.holder();
        const { id } = await world.presentAndRead(person, { query: { credentials: [queryFor('id', IDENTITY)] } });
        assert.deepEqual(id![0]!.claims, {});
        assert.equal(id![0]!.payload.vct, IDENTITY);
      });

      it('has no key binding where the verifier does without one', async () => {
        const { person } = await world.holder();
        const query = { credentials: [queryFor('id', IDENTITY, { require_cryptographic_holder_binding: false })] };
        assert.equal((await world.present(person, { query })).status, 200);
        assert.match(verifier.tokens[0]!.id![0]!, /~$/);
      });

      for (const [redirect, expected] of [
        ['http://shop.example/done?x=1', 'http://shop.example/done?x=1'],
        ['javascript:alert(1)', undefined],
        ['app://done', undefined],
        ['/done', undefined],
        [7, undefined],
      ] as const)
        it(`${expected ? 'tells' : 'does not tell'} where the browser goes next: ${redirect}`, async () => {
          const { person } = await world.holder();
          verifier.twist = { reply: { status: 200, body: { redirect_uri: redirect } } };
          const answer = await world.present(person);
          assert.equal(answer.body.status, 'submitted', answer.text);
          assert.equal(answer.body.redirectUri, expected);
        });

      it('may be accepted with an empty response', async () => {
        const { person } = await world.holder();
        for (const body of ['', '<html>', 'null']) {
          verifier.twist = { reply: { status: 200, body } };
          const answer = await world.present(person);
          assert.deepEqual([answer.body.status, answer.body.redirectUri], ['submitted', undefined], answer.text);
        }
      });

      for (const status of [302, 400, 500])
        it(`was not taken when the verifier says ${status}, and is not given again`, async () => {
          const { person } = await world.holder();
          verifier.twist = { reply: { status, body: { error: 'a secret of the verifier' } } };
          const uri = await verifier.ask();
          const { exchangeId, ...problem } = assertProblem(
            await person.post(VP, { uri }),
            502,
            'verifier-refused',
            RegExp(`${status}`),
          );
          assert.doesNotMatch(JSON.stringify(problem), /a secret of/);
          assert.equal((await person.get(`/api/v1/wallet/exchanges/${exchangeId}`)).body.outcome, 'verifier-refused');
          verifier.twist = {};
          assertProblem(await person.post(VP, { uri }), 409, 'request-already-answered');
          assert.equal(verifier.tokens.length, 1);
        });
    });

    describe('transaction data', () => {
      const payment = { type: PAYMENT, credential_ids: ['id'], amount: '7.00' };

      it('is confirmed by hashes over the text as it came', async () => {
        const { person } = await world.holder();
        const second = { ...payment, amount: '8.00' };
        const { id } = await world.presentAndRead(person, { transactionData: [payment, second] });
        const hash = (value: object): string => createHash('sha256').update(encoded(value)).digest('base64url');
        const { transaction_data_hashes, transaction_data_hashes_alg } = id![0]!.binding;
        assert.deepEqual([transaction_data_hashes, transaction_data_hashes_alg], [[hash(payment), hash(second)], 'sha-256']);
      });

      it('is hashed as the verifier wants', async () => {
        const { person } = await world.holder();
        const data = { ...payment, transaction_data_hashes_alg: ['whirlpool', 'sha-512'] };
        const { id } = await world.presentAndRead(person, { transactionData: [data] });
        const { transaction_data_hashes, transaction_data_hashes_alg } = id![0]!.binding;
        const hash = createHash('sha512').update(encoded(data)).digest('base64url');
        assert.deepEqual([transaction_data_hashes, transaction_data_hashes_alg], [[hash], 'sha-512']);
      });

      it('is confirmed by one of the credentials it names, not by each', async () => {
        const { person } = await world.holder();
        await world.receive(person, { configuration: 'membership' });
        const query = { credentials: [queryFor('id', IDENTITY), queryFor('club', 'https://example.org/membership')] };
        const data = { ...payment, credential_ids: ['club', 'id'] };
        const { id, club } = await world.presentAndRead(person, { query, transactionData: [data] });
        assert.equal((club![0]!.binding.transaction_data_hashes as string[]).length, 1);
        assert.equal(id![0]!.binding.transaction_data_hashes, undefined);
      });

      it('is confirmed also where a key binding was not asked for', async () => {
        const { person } = await world.holder();
        const query = { credentials: [queryFor('id', IDENTITY, { require_cryptographic_holder_binding: false })] };
        const { id } = await world.presentAndRead(person, { query, transactionData: [payment] });
        assert.equal((id![0]!.binding.transaction_data_hashes as string[]).length, 1);
      });

      for (const [what, data] of [
        ['of a type nobody allowed', { ...payment, type: 'https://example.org/other' }],
        ['with a hash nobody knows', { ...payment, transaction_data_hashes_alg: ['md5'] }],
        ['for a query that is not there', { ...payment, credential_ids: ['id', 'other'] }],
      ] as const)
        it(`is refused ${what}, and the verifier told so`, async () => {
          const { person } = await world.holder();
          const answer = await world.present(person, { transactionData: [payment, data] });
          assertProblem(answer, 422, 'unsupported-transaction-data');
          assert.deepEqual(
            verifier.posted.map(({ error }) => error),
            ['invalid_transaction_data'],
          );
        });

      it('is refused when what is shown cannot confirm it', async () => {
        const { person } = await world.holder({ configuration: 'ticket' });
        const query = {
          credentials: [queryFor('id', 'https://example.org/ticket', { require_cryptographic_holder_binding: false })],
        };
        const answer = await world.present(person, { query, transactionData: [payment] });
        assertProblem(answer, 422, 'unsupported-transaction-data', /nothing that is shown/);
        assert.equal(verifier.tokens.length, 0);
      });
    });

    describe('asked wrongly', () => {
      it('refuses whoever is not logged in', async () => {
        const answer = await wallet.request('POST', VP, { body: { uri: await verifier.ask() } });
        assertProblem(answer, 401, 'not-authenticated');
        assert.equal(verifier.seen.length, 0);
      });

      it('refuses bodies of another shape', async () => {
        const person = await wallet.logIn();
        const uri = await verifier.ask();
        for (const body of [
          {},
          { uri: 7 },
          { uri: '' },
          { uri: 'not an address' },
          { uri, surprise: true },
          { uri, action: 'sign' },
          { uri, preview: 'yes' },
          { uri, credentialIds: [] },
          { uri, credentialIds: ['a', 'a'] },
          { uri, selection: { id: 'cred_1' } },
        ])
          assert.equal((await person.post(VP, body)).status, 400, JSON.stringify(body));
        assert.equal(verifier.seen.length, 0);
      });

      it('knows no exchange of another person, of another protocol, or that is not there', async () => {
        const { person } = await world.holder();
        const { exchangeId } = (await world.present(person, {}, { preview: true })).body;
        const other = await wallet.logIn();
        const received = await other.post(VCI, { uri: world.issuer.offer(), preview: true });
        for (const id of [exchangeId, received.body.exchangeId, 'ex_01KA2Z9Q1V8YB3T5M7N9P1R3S5'])
          assertProblem(await other.post(VP, { exchangeId: id }), 404, 'not-found');
        assert.deepEqual(verifier.posted, []);
      });
    });

    it('keeps a log without claims, nonces or tokens', async () => {
      const { person } = await world.holder();
      const logged = wallet.logged.length;
      const query = { credentials: [queryFor('id', IDENTITY, { claims: paths(['given_name'], ['email']) })] };
      const { body } = await world.present(person, { query, by: 'post' });
      const { asked } = verifier;
      const { text, body: exchange } = await person.get(`/api/v1/wallet/exchanges/${body.exchangeId}`);
      assert.deepEqual([exchange.protocol, exchange.state, exchange.peer], ['oid4vp', 'submitted', asked.client_id]);
      assert.deepEqual(
        exchange.steps.map(({ step }: { step: string }) => step),
        ['request read', 'verifier known', 'answer made', 'answer accepted'],
      );
      const [token] = verifier.tokens[0]!.id!;
      const { form } = verifier.seen[0]!;
      const secrets = ['Ada', 'ada@example.org', asked.nonce, asked.state, form.wallet_nonce!, token!.split('~')[0]!];
      const everything = text + wallet.logged.slice(logged).join('\n');
      for (const secret of secrets) assert.ok(!everything.includes(secret), secret);
    });
  },
  { settings: { GATEHOUSE_WALLET_TRANSACTION_DATA_TYPES: PAYMENT } },
);
