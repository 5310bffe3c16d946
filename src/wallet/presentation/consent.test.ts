// The user's decisions: preview, selection and rejection; and that a request is answered only once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSigner } from '../../../test/support/issuers.ts';
import { IDENTITY, MEMBERSHIP, paths, queryFor, setUpPresentation, VP } from '../../../test/support/presentation.ts';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { inDatabase } from '../../../test/support/wallet-rows.ts';
import { createSeal } from '../../platform/seal/index.ts';
import { exchangeSealContext } from '../exchanges/index.ts';
import type { ExchangeRow } from '../ground/database.ts';

const PAYMENT = 'https://example.org/payment';

onEachWallet(
  'Deciding what is shown',
  (wallet) => {
    const world = setUpPresentation(wallet);
    const { verifier } = world;
    const errors = () => verifier.posted.map(({ error }) => error);

    describe('a preview', () => {
      it('tells who asks for what, and what would be shown, and shows nothing', async () => {
        const { person, credential: older } = await world.holder();
        const newer = await world.receive(person);
        const claims = paths(['given_name'], ['email']);
        const payment = { type: PAYMENT, credential_ids: ['id'], amount: '7.00' };
        const answer = await world.present(
          person,
          {
            query: {
              credentials: [queryFor('id', IDENTITY, { claims }), queryFor('club', MEMBERSHIP)],
              credential_sets: [{ options: [['id']] }, { options: [['club']], required: false }],
            },
            transactionData: [payment],
          },
          { preview: true },
        );
        assert.equal(answer.status, 200, answer.text);
        const { exchangeId, verifier: who, ...rest } = answer.body;
        assert.match(exchangeId, /^ex_/);
        assert.equal(who.trust, 'did');
        const disclosed = [['given_name'], ['email']];
        assert.deepEqual(rest, {
          status: 'preview',
          query: [
            {
              id: 'id',
              format: 'dc+sd-jwt',
              supported: true,
              required: true,
              claims: disclosed,
              matches: [newer, older].map(({ id }) => ({ credentialId: id, disclosed })),
            },
            { id: 'club', format: 'dc+sd-jwt', supported: true, required: false, claims: [], matches: [] },
          ],
          sets: [
            { options: [['id']], required: true },
            { options: [['club']], required: false },
          ],
          selected: ['id'],
          responseUri: `${verifier.url}/response`,
          transactionData: [payment],
          satisfiable: true,
        });
        assert.deepEqual(verifier.posted, []);
      });

      it('says when the wallet has nothing to answer with, and tells the verifier nothing', async () => {
        const person = await wallet.logIn();
        const { body } = await world.present(person, {}, { preview: true });
        assert.deepEqual([body.satisfiable, body.query[0].matches], [false, []]);
        assert.deepEqual(verifier.posted, []);
      });

      for (const by of ['value', 'get', 'post'] as const)
        it(`is followed by the answer, with the exchange or the same address (${by})`, async () => {
          const { person } = await world.holder();
          for (const again of ['exchangeId', 'uri']) {
            const uri = await verifier.ask({ by });
            const { exchangeId } = (await person.post(VP, { uri, preview: true })).body;
            const { exchangeId: second } = (await person.post(VP, { exchangeId, preview: true })).body;
            assert.equal(second, exchangeId);
            const answer = await person.post(VP, again === 'uri' ? { uri } : { exchangeId });
            assert.deepEqual([answer.body.status, answer.body.exchangeId], ['submitted', exchangeId], answer.text);
          }
          assert.equal(verifier.tokens.length, 2);
        });

      it('is of the request that is answered later: a request_uri that works only once is fetched only once', async () => {
        const { person } = await world.holder();
        const { exchangeId } = (await world.present(person, { by: 'post' }, { preview: true })).body;
        verifier.twist = {
          raw: (endpoint, _, response) => endpoint === 'request' && Boolean(response.writeHead(410).end()),
        };
        assert.equal((await person.post(VP, { exchangeId })).body.status, 'submitted');
      });

      it('fixes the keys, formats and names of the verifier: a later change of its metadata has no effect', async () => {
        const { person } = await world.holder();
        const stranger = newSigner();
        for (const again of ['exchangeId', 'uri']) {
          const uri = await verifier.ask({ mode: 'direct_post.jwt' });
          const { exchangeId, verifier: first } = (await person.post(VP, { uri, preview: true })).body;
          verifier.twist = {
            request: ({ payload }) => {
              payload.client_metadata.client_name = 'Another';
              payload.client_metadata.vp_formats_supported = { mso_mdoc: {} };
              payload.client_metadata.jwks = { keys: [{ ...stranger.jwk, kid: 'other', use: 'enc', alg: 'ECDH-ES' }] };
            },
          };
          const answer = await person.post(VP, again === 'uri' ? { uri } : { exchangeId });
          assert.deepEqual([answer.body.status, answer.body.verifier], ['submitted', first], answer.text);
          verifier.twist = {};
        }
        assert.equal(verifier.tokens.length, 2);
      });

      it('does not count for another question, also not under the same nonce', async () => {
        const { person } = await world.holder();
        const uri = await verifier.ask();
        const { exchangeId } = (await person.post(VP, { uri, preview: true })).body;
        const more = paths(['given_name'], ['email'], ['birthdate']);
        verifier.twist = { request: ({ payload }) => (payload.dcql_query.credentials[0].claims = more) };
        assertProblem(await person.post(VP, { uri }), 422, 'invalid-presentation-request', /something else than before/);
        assert.deepEqual(verifier.posted, []);
        assert.equal((await person.post(VP, { exchangeId })).body.status, 'submitted');
        assert.deepEqual((await world.readToken(verifier.tokens[0]!)).id![0]!.disclosed, ['given_name']);
      });
    });

    describe('a selection', () => {
      it('shows what was chosen instead of the newest', async () => {
        const { person, credential } = await world.holder();
        await world.receive(person);
        for (const body of [{ credentialIds: [credential.id] }, { selection: { id: [credential.id] } }]) {
          const answer = await world.present(person, {}, body);
          assert.equal(answer.body.presented?.[0].credentialId, credential.id, answer.text);
        }
      });

      it('that does not fit shows nothing, and can be mended', async () => {
        const { person, credential } = await world.holder();
        const second = await world.receive(person);
        const club = await world.receive(person, { configuration: 'membership' });
        const { credential: foreign } = await world.holder();
        const { exchangeId } = (await world.present(person, {}, { preview: true })).body;
        for (const body of [
          { credentialIds: [club.id] },
          { credentialIds: [foreign.id] },
          { credentialIds: [credential.id, club.id] },
          { credentialIds: ['cred_none'] },
          { selection: { id: [club.id] } },
          { selection: { id: [credential.id, club.id] } },
          { selection: { id: [credential.id, second.id] } },
          { selection: { other: [credential.id] } },
          { selection: { id: [foreign.id] } },
        ])
          for (const preview of [true, false])
            assertProblem(await person.post(VP, { exchangeId, preview, ...body }), 422, 'selection-does-not-match');
        assert.deepEqual(verifier.posted, []);
        assert.equal((await person.post(VP, { exchangeId, credentialIds: [credential.id] })).body.status, 'submitted');
      });

      it('of several is for queries that take several', async () => {
        const { person, credential } = await world.holder();
        const second = await world.receive(person);
        await world.receive(person);
        const query = { credentials: [queryFor('id', IDENTITY, { multiple: true })] };
        const chosen = [second.id, credential.id];
        const { body } = await world.present(person, { query }, { selection: { id: [credential.id, second.id] } });
        assert.deepEqual(
          body.presented.map(({ credentialId }: { credentialId: string }) => credentialId),
          chosen,
        );
        assert.equal(verifier.tokens[0]!.id!.length, 2);
      });
    });

    describe('a refusal', () => {
      it('tells the verifier that access is denied, and nothing else', async () => {
        const { person } = await world.holder();
        const answer = await world.present(person, {}, { action: 'reject' });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.body.status, 'rejected');
        assert.equal(answer.body.redirectUri, `${verifier.url}/done`);
        const { state } = verifier.asked;
        assert.deepEqual(verifier.posted, [{ error: 'access_denied', state }]);
      });

      it('may follow a preview, and ends the exchange', async () => {
        const { person } = await world.holder();
        const uri = await verifier.ask();
        const { exchangeId } = (await person.post(VP, { uri, preview: true })).body;
        assert.equal((await person.post(VP, { exchangeId, action: 'reject' })).body.status, 'rejected');
        assertProblem(await person.post(VP, { exchangeId }), 409, 'exchange-finished');
        assertProblem(await person.post(VP, { uri }), 409, 'request-already-answered');
        assert.deepEqual(errors(), ['access_denied']);
      });

      it('holds whether the verifier hears of it or not', async () => {
        const { person } = await world.holder();
        verifier.twist = { reply: { status: 500, body: '' } };
        assert.equal((await world.present(person, {}, { action: 'reject' })).body.status, 'rejected');
      });

      it('is what the verifier hears of a wallet without a fitting credential, without a reason', async () => {
        const { person } = await world.holder();
        const query = { credentials: [queryFor('id', IDENTITY), queryFor('club', MEMBERSHIP)] };
        assertProblem(await world.present(person, { query }), 422, 'no-matching-credential');
        const { state } = verifier.asked;
        assert.deepEqual(verifier.posted, [{ error: 'access_denied', state }]);
      });
    });

    describe('a request', () => {
      it('is answered once', async () => {
        const { person } = await world.holder();
        const uri = await verifier.ask();
        const { exchangeId } = (await person.post(VP, { uri })).body;
        for (const body of [{ uri }, { uri, preview: true }, { uri, action: 'reject' }]) {
          const problem = assertProblem(await person.post(VP, body), 409, 'request-already-answered');
          assert.equal(problem.exchangeId, exchangeId);
        }
        assertProblem(await person.post(VP, { exchangeId }), 409, 'exchange-finished');
        assert.equal(verifier.posted.length, 1);
      });

      it('repeated with its Idempotency-Key, is told what became of it, and the verifier hears nothing', async () => {
        const { person } = await world.holder();
        for (const [at, action] of [{}, { action: 'reject' }, {}, { action: 'reject' }].entries()) {
          const uri = await verifier.ask();
          const { exchangeId } = (await person.post(VP, { uri, preview: true })).body;
          const request = at < 2 ? { uri, ...action } : { exchangeId, ...action };
          const options = { headers: { 'Idempotency-Key': exchangeId } };
          const heard = verifier.posted.length;
          const first = await person.post(VP, request, options);
          assert.equal(first.status, 200, first.text);
          const again = await person.post(VP, request, options);
          assert.deepEqual([again.status, again.body], [200, first.body]);
          assert.equal(verifier.posted.length, heard + 1);
          assertProblem(await person.post(VP, { uri, preview: true }, options), 409, 'idempotency-key-reused');
          assertProblem(await (await wallet.logIn()).post(VP, { exchangeId }, options), 404, 'not-found');
        }
      });

      it('is answered once when it comes twice at the same moment', async () => {
        const { person } = await world.holder();
        const uri = await verifier.ask({ by: 'value' });
        const answers = await Promise.all(Array.from({ length: 8 }, () => person.post(VP, { uri })));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
        for (const { body } of answers) assert.match(body.code ?? '', /^(request-already-answered|exchange-busy)?$/);
        assert.equal(verifier.posted.length, 1);
      });

      it('is not answered again when nobody knows whether the first answer arrived', async () => {
        const { person } = await world.holder();
        const { exchangeId } = (await world.present(person, {}, { preview: true })).body;
        await inDatabase(wallet, (tx) =>
          tx.updateTable('exchanges').set({ state: 'answering' }).where('id', '=', exchangeId).execute(),
        );
        assertProblem(await person.post(VP, { exchangeId }), 409, 'request-already-answered');
        assert.deepEqual(verifier.posted, []);
      });

      it('is another one for another person', async () => {
        const [first, second] = [await world.holder(), await world.holder()];
        const uri = await verifier.ask();
        for (const { person } of [first, second]) assert.equal((await person.post(VP, { uri })).body.status, 'submitted');
      });
    });
  },
  { settings: { GATEHOUSE_WALLET_TRANSACTION_DATA_TYPES: PAYMENT } },
);

onEachWallet(
  'Showing credentials where a preview is required',
  (wallet) => {
    const world = setUpPresentation(wallet);
    const { verifier } = world;

    it('shows nothing before the preview, and everything asked for after it', async () => {
      const { person } = await world.holder();
      const uri = await verifier.ask();
      const { exchangeId } = assertProblem(await person.post(VP, { uri }), 409, 'preview-required');
      assertProblem(await person.post(VP, { exchangeId }), 409, 'preview-required');
      assert.deepEqual(verifier.posted, []);
      assert.equal((await person.post(VP, { exchangeId, preview: true })).body.status, 'preview');
      assert.equal((await person.post(VP, { uri })).body.status, 'submitted');
      assert.equal(verifier.tokens.length, 1);
    });

    it('may be refused without one', async () => {
      const { person } = await world.holder();
      assert.equal((await world.present(person, {}, { action: 'reject' })).body.status, 'rejected');
    });

    /** Changes the row of an exchange directly in the database. */
    async function rewrite(id: string, values: (row: ExchangeRow) => Partial<ExchangeRow>): Promise<void> {
      await inDatabase(wallet, async (tx) => {
        const row = await tx.selectFrom('exchanges').where('id', '=', id).selectAll().executeTakeFirstOrThrow();
        await tx.updateTable('exchanges').set(values(row)).where('id', '=', id).execute();
      });
    }

    it('knows that the preview was shown, even if the steps are lost', async () => {
      const { person } = await world.holder();
      const { exchangeId } = (await world.present(person, {}, { preview: true })).body;
      await rewrite(exchangeId, () => ({ steps: '[]' }));
      assert.equal((await person.post(VP, { exchangeId })).body.status, 'submitted');
    });

    it('is not taken from the log, which anybody at the database can write', async () => {
      const { person } = await world.holder();
      const uri = await verifier.ask();
      const { exchangeId } = assertProblem(await person.post(VP, { uri }), 409, 'preview-required');
      await rewrite(exchangeId, () => ({ steps: '[{"at":"2026-01-01T00:00:00.000Z","step":"preview shown"}]' }));
      assertProblem(await person.post(VP, { exchangeId }), 409, 'preview-required');
    });

    it('is known of an exchange that a former version began, which had it in the log only', async () => {
      const { person } = await world.holder();
      const { exchangeId } = (await world.present(person, {}, { preview: true })).body;
      const seal = createSeal([wallet.masterKey]);
      await rewrite(exchangeId, (row) => {
        const { isPreviewed: _, ...former } = JSON.parse(seal.open(row.sealed!, exchangeSealContext(row)).toString());
        return { sealed: seal.seal(Buffer.from(JSON.stringify(former)), exchangeSealContext(row)) };
      });
      assert.equal((await person.post(VP, { exchangeId })).body.status, 'submitted');
    });
  },
  { settings: { GATEHOUSE_WALLET_REQUIRE_PREVIEW: 'on' } },
);
