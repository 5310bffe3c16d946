// With whom there were exchanges: issuers and verifiers by their host.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { IDENTITY, paths, queryFor, setUpPresentation, VP } from '../../../test/support/presentation.ts';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const PARTIES = '/api/v1/wallet/parties';
const EXCHANGES = '/api/v1/wallet/exchanges';
const hostOf = ({ url }: { readonly url: string }): string => new URL(url).host;

onEachWallet('Parties', (wallet) => {
  const world = setUpPresentation(wallet);
  const { issuer, verifier } = world;
  const query = { credentials: [queryFor('id', IDENTITY, { claims: paths(['given_name']) })] };

  it('are listed by host with what they gave and got, the newest first, in pages', async () => {
    const person = await wallet.logIn();
    issuer.twist = {};
    await world.receive(person);
    wallet.clock.advance(1);
    await world.receive(person);
    wallet.clock.advance(1);
    // One verifier by two names: its answers go to the same host.
    assert.equal((await world.present(person, { query })).body.status, 'submitted');
    wallet.clock.advance(1);
    const open = await person.post(VP, {
      uri: await verifier.ask({ by: 'unsigned', prefix: 'redirect_uri', query }),
      preview: true,
    });
    assert.equal(open.status, 200, open.text);

    const { body } = await person.get(PARTIES);
    assert.deepEqual(
      body.map(({ party, received, shared, open: left, newest }: any) => [party, received, shared, left, newest.state]),
      [
        [hostOf(verifier), 0, 1, 1, 'requested'],
        [hostOf(issuer), 2, 0, 0, 'issued'],
      ],
    );
    const first = await person.get(`${PARTIES}?limit=1`);
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await person.get(next!.slice(wallet.url.length));
    assert.deepEqual(
      [...first.body, ...second.body].map(({ party }: any) => party),
      [hostOf(verifier), hostOf(issuer)],
    );

    const shared = await person.get(`${EXCHANGES}?party=${encodeURIComponent(hostOf(verifier))}&state=submitted`);
    assert.deepEqual(
      shared.body.map(({ party, summary }: any) => [party, summary.presented[0].disclosed, summary.presented[0].displays]),
      [[hostOf(verifier), [['given_name']], [{ name: 'Identity' }]]],
    );
    assert.deepEqual((await person.get(`${EXCHANGES}?party=nobody.example`)).body, []);
  });

  it('are nobody else’s to read', async () => {
    await world.holder();
    assert.deepEqual((await (await wallet.logIn()).get(PARTIES)).body, []);
    assertProblem(await wallet.get(PARTIES), 401, 'not-authenticated');
    assertProblem(await (await wallet.logIn()).get(`${PARTIES}?cursor=x`), 400, 'invalid-request');
  });
});
