// Requests that also ask in a format which this wallet does not know, as verifiers send them when there is a new one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { IDENTITY, MEMBERSHIP, queryFor, setUpPresentation, VP } from '../../../test/support/presentation.ts';
import { onUsualWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const FORMAT = 'a+format';
const novel = (id: string, more: object = {}) => ({ id, format: FORMAT, meta: { of_its: ['own'] }, ...more });
const identity = queryFor('id', IDENTITY);

onUsualWallet(
  'A format that the wallet does not know',
  (wallet) => {
    const world = setUpPresentation(wallet);
    const { verifier } = world;
    const errors = () => verifier.posted.map(({ error }) => error);

    for (const [what, credential_sets] of Object.entries({
      'as another option': [{ options: [['new'], ['id']] }],
      'in a set that may be left out': [{ required: false, options: [['new']] }, { options: [['id']] }],
      'in no set': [{ options: [['id']] }],
    }))
      it(`does not keep it from answering, where it is ${what}`, async () => {
        const { person } = await world.holder();
        const query = { credentials: [novel('new'), identity], credential_sets };
        assert.deepEqual(Object.keys(await world.presentAndRead(person, { query })), ['id']);
        const unsigned = { query, by: 'unsigned', prefix: 'redirect_uri' } as const;
        assert.equal((await world.present(person, unsigned)).body.status, 'submitted');
        const { exchangeId, ...preview } = (await world.present(person, { query }, { preview: true })).body;
        assert.deepEqual([preview.satisfiable, preview.selected], [true, ['id']]);
        assert.deepEqual(
          preview.query.map((one: any) => [one.id, one.format, one.supported, one.matches.length]),
          [
            ['new', FORMAT, false, 0],
            ['id', 'dc+sd-jwt', true, 1],
          ],
        );
        const [{ credentialId }] = preview.query[1].matches;
        const choice = { exchangeId, selection: { new: [credentialId] } };
        assertProblem(await person.post(VP, choice), 422, 'selection-does-not-match', /answers new/);
        assert.equal((await person.post(VP, { exchangeId })).body.status, 'submitted');
      });

    for (const [what, credentials, sets] of [
      ['alone', [novel('new')], undefined],
      ['beside others', [identity, novel('new')], undefined],
      ['in every option', [identity, novel('new')], [{ options: [['new'], ['new', 'id']] }]],
      ['in one set of two', [identity, novel('new')], [{ options: [['id']] }, { options: [['new']] }]],
    ] as const)
      it(`is named where nothing else is asked for: ${what}`, async () => {
        const { person } = await world.holder();
        const query = { credentials, ...(sets ? { credential_sets: sets } : {}) };
        const { body } = await world.present(person, { query }, { preview: true });
        assert.deepEqual([body.satisfiable, body.selected], [false, undefined]);
        // The same for one who has nothing: the answer depends on the request alone.
        for (const holder of [person, await wallet.logIn()])
          assertProblem(
            await world.present(holder, { query }),
            422,
            'no-matching-credential',
            /request: it requires new in the format a\+format, which is not known here\.$/,
          );
        assert.deepEqual(errors(), ['vp_formats_not_supported', 'vp_formats_not_supported']);
        assert.deepEqual(verifier.tokens, []);
      });

    it('is not blamed where a known one would do that nobody has', async () => {
      const { person } = await world.holder();
      const query = {
        credentials: [novel('new'), queryFor('club', MEMBERSHIP)],
        credential_sets: [{ options: [['new'], ['club']] }],
      };
      assertProblem(await world.present(person, { query }), 422, 'no-matching-credential', /matches the request\.$/);
      assert.deepEqual(errors(), ['access_denied']);
    });

    for (const [what, wrong] of Object.entries({
      'a number as its name': { format: 1 },
      'no meta': { meta: undefined },
      'a claim without a path': { claims: [{ id: 'x' }] },
      'a __proto__': { meta: JSON.parse('{"__proto__":{"x":1}}') },
    }))
      it(`does not excuse a malformed query: ${what}`, async () => {
        const { person } = await world.holder();
        const query = { credentials: [novel('new', wrong), identity], credential_sets: [{ options: [['id']] }] };
        for (const preview of [true, false])
          assertProblem(await world.present(person, { query }, { preview }), 422, 'invalid-presentation-request');
        assert.deepEqual(verifier.tokens, []);
      });

    it('may have a name that every object has, and one without end is cut off in the words of the answer', async () => {
      const { person } = await world.holder();
      for (const format of ['constructor', 'x'.repeat(3000)]) {
        const query = (options: string[][]) => ({
          credentials: [novel('new', { format }), identity],
          credential_sets: [{ options }],
        });
        assert.deepEqual(Object.keys(await world.presentAndRead(person, { query: query([['new'], ['id']]) })), ['id']);
        const refused = await world.present(person, { query: query([['new']]) });
        assertProblem(refused, 422, 'no-matching-credential', /not known here/);
        assert.ok(refused.text.length < 1000, refused.text);
      }
    });
  },
  { settings: { GATEHOUSE_WALLET_UNAUTHENTICATED_VERIFIERS: 'on' } },
);
