// What a preview lets the user choose, and that only what they agreed to is sent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IDENTITY, MEMBERSHIP, queryFor, setUpPresentation, VP } from '../../../test/support/presentation.ts';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

onEachWallet('Choosing and agreeing', (wallet) => {
  const world = setUpPresentation(wallet);
  const { verifier } = world;
  const claims = [
    { id: 'name', path: ['given_name'] },
    { id: 'mail', path: ['email'] },
  ];
  const withChoice = {
    credentials: [queryFor('id', IDENTITY, { claims, claim_sets: [['name', 'mail'], ['name'], ['mail']] })],
  };
  const preview = async (person: WalletUser, query: object): Promise<any> => {
    const answer = await world.present(person, { query }, { preview: true });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  /** What the verifier got, by query. */
  const received = async (): Promise<Record<string, unknown>> => {
    assert.equal(verifier.tokens.length, 1);
    const read = await world.readToken(verifier.tokens[0]!);
    return Object.fromEntries(Object.entries(read).map(([id, [one]]) => [id, one!.claims]));
  };

  describe('optional claims', () => {
    it('can be left out where the verifier allows it', async () => {
      const { person, credential } = await world.holder();
      const { exchangeId, query } = await preview(person, withChoice);
      const [name, mail] = [['given_name'], ['email']];
      assert.deepEqual(query[0].matches, [
        {
          credentialId: credential.id,
          disclosed: [name, mail],
          claimSets: [
            { index: 0, disclosed: [name, mail] },
            { index: 1, disclosed: [name] },
            { index: 2, disclosed: [mail] },
          ],
        },
      ]);
      const consent = [{ queryId: 'id', credentialId: credential.id, disclosed: [mail] }];
      const { body } = await person.post(VP, { exchangeId, claimSets: { id: 2 }, consent });
      assert.deepEqual(body.presented, consent);
      assert.deepEqual(await received(), { id: { email: 'ada@example.org' } });
      const { summary } = (await person.get(`/api/v1/wallet/exchanges/${exchangeId}`)).body;
      assert.deepEqual(summary, {
        name: 'The toy verifier',
        proof: 'did',
        responseUri: `${verifier.url}/response`,
        presented: [{ ...consent[0], type: IDENTITY, displays: [{ name: 'Identity' }], labels: [] }],
      });
    });

    it('are chosen only among the sets of the request', async () => {
      const { person } = await world.holder();
      const { exchangeId } = await preview(person, withChoice);
      for (const claimSets of [{ id: 3 }, { other: 0 }])
        assertProblem(await person.post(VP, { exchangeId, claimSets }), 422, 'selection-does-not-match');
      for (const claimSets of [{ id: -1 }, { id: 0.5 }, { id: '0' }, { id: 100 }])
        assertProblem(await person.post(VP, { exchangeId, claimSets }), 400, 'invalid-request');
      const plain = await preview(person, { credentials: [queryFor('id', IDENTITY, { claims: [{ path: ['email'] }] })] });
      assertProblem(
        await person.post(VP, { exchangeId: plain.exchangeId, claimSets: { id: 0 } }),
        422,
        'selection-does-not-match',
      );
      assert.deepEqual(verifier.posted, [], 'and the verifier hears nothing');
    });
  });

  it('names alternatives, why the verifier asks, where the answer goes, and its policy', async () => {
    const { person } = await world.holder();
    await world.receive(person, { configuration: 'membership' });
    verifier.twist = {
      request: ({ payload }) =>
        void Object.assign(payload.client_metadata as object, { policy_uri: 'https://verifier.example/privacy' }),
    };
    const body = await preview(person, {
      credentials: [queryFor('id', IDENTITY), queryFor('club', MEMBERSHIP)],
      credential_sets: [{ options: [['id'], ['club']], purpose: 'To open the door' }],
    });
    assert.deepEqual(body.sets, [{ options: [['id'], ['club']], required: true, purpose: 'To open the door' }]);
    assert.deepEqual([body.selected, body.responseUri], [['id'], `${verifier.url}/response`]);
    assert.equal(body.policyUri, 'https://verifier.example/privacy');
    const [, { matches }] = body.query;
    const consent = [{ queryId: 'club', ...matches[0] }];
    assert.equal((await person.post(VP, { exchangeId: body.exchangeId, consent })).body.status, 'submitted');
    assert.deepEqual(Object.keys(await received()), ['club']);
  });

  it('does not pass on a policy that is no web address', async () => {
    const { person } = await world.holder();
    verifier.twist = {
      request: ({ payload }) => void Object.assign(payload.client_metadata as object, { policy_uri: 'javascript:alert(1)' }),
    };
    assert.equal((await world.present(person, {}, { preview: true })).body.policyUri, undefined);
  });

  describe('consent', () => {
    it('to anything else than what would be sent sends nothing, and the user can look again', async () => {
      const { person, credential } = await world.holder();
      const other = await world.receive(person);
      const { exchangeId } = await preview(person, withChoice);
      const agreed = (more: object) => ({
        queryId: 'id',
        credentialId: credential.id,
        disclosed: [['email'], ['given_name']],
        ...more,
      });
      const wrong = [
        [agreed({ disclosed: [['given_name']] })],
        [agreed({ disclosed: [] })],
        [agreed({ disclosed: [['email'], ['given_name'], ['family_name']] })],
      ];
      for (const consent of wrong) assertProblem(await person.post(VP, { exchangeId, consent }), 409, 'preview-outdated');
      for (const consent of [
        [agreed({}), agreed({ credentialId: other.id })],
        [agreed({ queryId: 'more' })],
        [agreed({ credentialId: 'cred_x' })],
      ])
        assertProblem(await person.post(VP, { exchangeId, consent }), 422, 'selection-does-not-match');
      assertProblem(
        await person.post(VP, { exchangeId, consent: [agreed({})], credentialIds: [other.id] }),
        400,
        'invalid-request',
      );
      assert.deepEqual(verifier.posted, []);
      const { body } = await person.post(VP, { exchangeId, consent: [agreed({})] });
      assert.deepEqual([body.status, body.presented[0].credentialId], ['submitted', credential.id]);
    });

    it('cannot be to a credential of another', async () => {
      const { credential } = await world.holder();
      const { person } = await world.holder();
      const { exchangeId } = await preview(person, withChoice);
      const consent = [{ queryId: 'id', credentialId: credential.id, disclosed: [['given_name'], ['email']] }];
      assertProblem(await person.post(VP, { exchangeId, consent }), 422, 'selection-does-not-match');
      assert.deepEqual(verifier.posted, []);
    });
  });

  it('cancels without a word to the verifier, whose request can be opened again', async () => {
    const { person } = await world.holder();
    const uri = await verifier.ask();
    const { exchangeId } = (await person.post(VP, { uri, preview: true })).body;
    const shown = (await person.get(`/api/v1/wallet/exchanges/${exchangeId}`)).body;
    assert.deepEqual([shown.next, shown.summary.name], ['answer', 'The toy verifier']);
    assert.equal((await person.post(`/api/v1/wallet/exchanges/${exchangeId}/cancel`, {})).body.state, 'cancelled');
    assert.deepEqual(verifier.posted, []);
    assertProblem(await person.post(VP, { exchangeId }), 409, 'exchange-finished');
    assert.equal((await person.post(VP, { uri })).body.status, 'submitted');
    assertProblem(await person.post(VP, { uri }), 409, 'request-already-answered');
  });
});
