// Attacks by verifiers: consuming copies they never received, and causing internal errors.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withMetadata, withPayload } from '../../../test/support/hostile-verifier.ts';
import { freePort } from '../../../test/support/ports.ts';
import { setUpPresentation, VP } from '../../../test/support/presentation.ts';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { ownerOfPerson } from '../../../test/support/wallet-credentials.ts';
import { actAs } from '../access/index.ts';

const CREDENTIALS = '/api/v1/wallet/credentials';

/** Points of X25519 whose shared secret with anybody is zero (RFC 7748, 6.1), little-endian. */
const P = 2n ** 255n - 19n;
const LOW_ORDER = [
  0n,
  1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
  P - 1n,
  P,
  P + 1n,
].map((u) => Buffer.from(u.toString(16).padStart(64, '0'), 'hex').reverse().toString('base64url'));

const lowOrder = (x: string) =>
  withMetadata({ jwks: { keys: [{ kty: 'OKP', crv: 'X25519', x, kid: 'low', use: 'enc', alg: 'ECDH-ES' }] } });

onEachWallet('What a hostile verifier gets of a wallet', (wallet) => {
  const world = setUpPresentation(wallet);
  const { verifier } = world;
  const copies = async (person: WalletUser): Promise<number> => (await person.get(CREDENTIALS)).body[0].instances;

  describe('uses up no copy', () => {
    it('with a key for its answer that agrees with nobody, which is its own error', async () => {
      const { person } = await world.holder({ body: { count: 2 } });
      for (const x of LOW_ORDER)
        for (const preview of [true, false]) {
          verifier.twist = lowOrder(x);
          const answer = await world.present(person, { mode: 'direct_post.jwt' }, { preview });
          assertProblem(answer, 422, 'invalid-presentation-request', /key/);
        }
      assert.equal(await copies(person), 2);
      assert.deepEqual(verifier.tokens, []);
      assert.ok(verifier.posted.every(({ error }) => error === 'invalid_request'));
    });

    it('with an address that may not be called, or where nobody answers', async () => {
      const { person } = await world.holder({ body: { count: 2 } });
      const nobody = `http://127.0.0.1:${await freePort()}/response`;
      for (const [to, status, code] of [
        ['https://10.0.0.1/', 403, 'blocked-address'],
        ['http://169.254.169.254/latest', 403, 'blocked-address'],
        ['https://127.0.0.1:1/', 502, 'upstream-error'],
        [verifier.url.replace('http:', 'https:'), 502, 'upstream-error'],
        [nobody, 502, 'upstream-error'],
      ] as const) {
        verifier.twist = withPayload({ response_uri: to });
        assertProblem(await world.present(person), status, code);
        assert.equal(await copies(person), 2, to);
      }
    });
  });

  it('uses up a copy that it may have seen, whatever it says then', async () => {
    const { person } = await world.holder({ body: { count: 2 } });
    verifier.twist = { raw: (endpoint, request) => endpoint === 'response' && Boolean(request.socket.destroy()) };
    assertProblem(await world.present(person), 502, 'upstream-error');
    assert.equal(await copies(person), 1);
  });

  it('is never shown a copy that another is shown at the same moment', async () => {
    const { person } = await world.holder({ body: { count: 4 } });
    const uris = await Promise.all(Array.from({ length: 3 }, () => verifier.ask({ mode: 'direct_post.jwt' })));
    for (const { status, text } of await Promise.all(uris.map((uri) => person.post(VP, { uri }))))
      assert.equal(status, 200, text);
    const looked = await Promise.all(verifier.tokens.map((token) => world.readToken(token)));
    assert.equal(new Set(looked.map(({ id }) => id![0]!.payload.cnf.jwk.x)).size, 3);
    assert.equal(await copies(person), 1);
  });

  describe('is an answer and no failure of ours when a copy is damaged', () => {
    /** The first so many copies, in the order they are shown. */
    async function damage(person: WalletUser, credentialId: string, count: number): Promise<void> {
      const db = await wallet.database();
      await db.write(async (tx) => {
        await actAs(db, tx, ownerOfPerson(person));
        const copies = tx.selectFrom('credential_instances').where('credential_id', '=', credentialId).orderBy('id').limit(count);
        const ids = (await copies.select('id').execute()).map(({ id }) => id);
        assert.equal(ids.length, count);
        await tx.updateTable('credential_instances').set({ sealed: 'v1.x.y' }).where('id', 'in', ids).execute();
      });
      await db.close();
    }

    it('with the copies that are whole, of which the last one stays', async () => {
      const { person, credential } = await world.holder({ body: { count: 3 } });
      await damage(person, credential.id, 1);
      const preview = await world.present(person, {}, { preview: true });
      assert.equal(preview.status, 200, preview.text);
      const keys: string[] = [];
      for (const left of [2, 2, 2]) {
        const { id } = await world.presentAndRead(person);
        keys.push(id![0]!.payload.cnf.jwk.x);
        assert.equal(await copies(person), left);
      }
      assert.equal(new Set(keys).size, 2, 'the one that is left is shown again');
    });

    it('and is told that there is nothing where none is whole', async () => {
      const { person, credential } = await world.holder({ body: { count: 2 } });
      await damage(person, credential.id, 2);
      for (const preview of [true, false]) {
        const answer = await world.present(person, {}, { preview });
        assert.ok(answer.status < 500, answer.text);
        assert.deepEqual(verifier.tokens, []);
      }
    });
  });
});
