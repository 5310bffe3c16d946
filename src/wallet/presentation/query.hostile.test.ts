// Queries that could break a database or a library: refused or unmatched on both databases, never an internal error.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodePart } from '../../../test/support/hostile-verifier.ts';
import { deepJson } from '../../../test/support/issuers.ts';
import { IDENTITY, paths, queryFor, setUpPresentation } from '../../../test/support/presentation.ts';
import { onUsualWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const PAYMENT = 'https://example.org/payment';
const NUL = 'a\u0000b';
const w3c = (...types: string[]) => ({ id: 'id', format: 'jwt_vc_json', meta: { type_values: [types] } });
const mdoc = (doctype: string, ...claims: object[]) => ({
  id: 'id',
  format: 'mso_mdoc',
  meta: { doctype_value: doctype },
  ...(claims.length > 0 ? { claims } : {}),
});

onUsualWallet(
  'A query that is hard to bear',
  (wallet) => {
    const world = setUpPresentation(wallet);
    const { verifier } = world;

    describe('is refused, or nothing answers it:', () => {
      for (const [what, credential] of Object.entries({
        'no type of all': queryFor('id', IDENTITY, { meta: { vct_values: [] } }),
        'a type with a NUL': queryFor('id', NUL),
        'a doctype with a NUL': mdoc(NUL),
        'an empty doctype': mdoc(''),
        'a W3C type with a NUL': w3c(NUL),
        'an id with a NUL': queryFor(NUL, IDENTITY),
        'a path with a NUL': queryFor('id', IDENTITY, { claims: paths([NUL]) }),
        'a value with a NUL': queryFor('id', IDENTITY, { claims: [{ path: ['email'], values: [NUL] }] }),
        'an authority with a NUL': queryFor('id', IDENTITY, { trusted_authorities: [{ type: 'aki', values: [NUL] }] }),
        'claims of an mdoc as drafts named them': mdoc('org.iso.18013.5.1.mDL', {
          namespace: 'org.iso.18013.5.1',
          claim_name: 'given_name',
        }),
      }))
        it(what, async () => {
          const { person } = await world.holder();
          for (const by of ['get', 'unsigned'] as const)
            for (const preview of [true, false]) {
              const ask = { query: { credentials: [credential] }, by, ...(by === 'unsigned' ? { prefix: 'redirect_uri' } : {}) };
              const answer = await world.present(person, ask as object, { preview });
              if (answer.status === 200) assert.deepEqual([answer.body.status, answer.body.satisfiable], ['preview', false]);
              else {
                assert.equal(answer.status, 422, answer.text);
                assert.match(answer.body.code, /^(invalid-presentation-request|no-matching-credential)$/);
              }
            }
          assert.deepEqual(verifier.tokens, []);
        });
    });

    it('with transaction data that is nested too deeply: what cannot be shown is not confirmed', async () => {
      const { person } = await world.holder();
      const text = encodePart({ type: PAYMENT, credential_ids: ['id'] });
      const shallow = Buffer.from(text, 'base64url').toString().slice(0, -1);
      const deep = Buffer.from(`${shallow},"more":${deepJson(9000)}}`).toString('base64url');
      for (const preview of [true, false]) {
        verifier.twist = { request: ({ payload }) => void Object.assign(payload, { transaction_data: [deep] }) };
        assertProblem(await world.present(person, {}, { preview }), 422, 'unsupported-transaction-data');
      }
      assert.deepEqual(verifier.tokens, []);
    });
  },
  { settings: { GATEHOUSE_WALLET_TRANSACTION_DATA_TYPES: PAYMENT, GATEHOUSE_WALLET_UNAUTHENTICATED_VERIFIERS: 'on' } },
);
