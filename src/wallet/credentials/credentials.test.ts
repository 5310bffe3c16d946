// /api/v1/wallet/credentials, through HTTP, on both databases.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { storeCredential } from '../../../test/support/wallet-credentials.ts';
import { actAs, EVERYONE } from '../access/index.ts';

const CREDENTIALS = '/api/v1/wallet/credentials';
const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';
const UNKNOWN = 'cred_01KA2Z9Q1V8YB3T5M7N9P1R3S5';

onEachWallet('Credentials', (wallet) => {
  async function list(person: WalletUser, query = ''): Promise<any[]> {
    const answer = await person.get(CREDENTIALS + query);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    return answer.body;
  }
  const ids = async (person: WalletUser, query = ''): Promise<string[]> => (await list(person, query)).map(({ id }) => id).sort();
  const iso = (at: number): string => new Date(at).toISOString();
  /** Lists without a query are answered from memory, which does not know what a test put into the database. */
  const keyOf = async (person: WalletUser, id: string): Promise<any> =>
    (await person.get(`${KEYS}?limit=200`)).body.find((key: any) => key.id === id);

  describe('listing', () => {
    it('shows everything that is held but the credentials themselves', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await person.make('dids', { keyIds: [key.id] });
      const now = wallet.clock.now();
      const id = await storeCredential(
        person,
        {
          key_id: key.id,
          did_id: did.id,
          binding: 'did',
          issued_at: now - 1000,
          valid_from: now - 500,
          valid_until: now + 100_000,
          status_checked_at: now - 10,
          added_at: now,
        },
        { subject: did.did, display: { name: 'Identity', logo: { uri: 'https://issuer.example/logo.png' } } },
      );
      assert.deepEqual(await list(person), [
        {
          id,
          format: 'dc+sd-jwt',
          type: 'https://types.example/pid',
          types: ['https://types.example/pid'],
          issuer: { id: 'https://issuer.example', name: 'The issuer', verified: true, trust: 'anchor' },
          subject: did.did,
          holder: { keyId: key.id, did: did.did, binding: 'did' },
          claims: { given_name: 'Ada', address: { country: 'ES' } },
          issuedAt: iso(now - 1000),
          validFrom: iso(now - 500),
          validUntil: iso(now + 100_000),
          status: 'valid',
          statusCheckedAt: iso(now - 10),
          presentable: true,
          display: { name: 'Identity', logo: { uri: 'https://issuer.example/logo.png' } },
          displays: [{ name: 'Identity' }],
          labels: [],
          credentialIssuer: 'https://issuer.example',
          credentialConfigurationId: 'pid',
          addedAt: iso(now),
          instances: 2,
        },
      ]);
    });

    it('shows the credentials themselves only to those who ask for them', async () => {
      const person = await wallet.logIn();
      await storeCredential(person);
      assert.ok(!('raw' in (await list(person))[0]));
      const [{ raw }] = await list(person, '?include=raw');
      assert.deepEqual(raw, ['eyJ.one.~', 'eyJ.two.~']);
    });

    it('filters by the key of a copy, and shows one of them', async () => {
      const person = await wallet.logIn();
      const [key, other] = [await person.make('keys'), await person.make('keys')];
      const bound = await storeCredential(person, { key_id: key.id, binding: 'jwk' });
      await storeCredential(person);
      assert.deepEqual(await ids(person, `?keyId=${key.id}`), [bound]);
      assert.deepEqual(await ids(person, `?keyId=${other.id}`), []);
      assert.deepEqual((await person.get(`${CREDENTIALS}/${bound}`)).body, (await list(person, `?keyId=${key.id}`))[0]);
      assert.deepEqual(await ids(await wallet.logIn(), `?keyId=${key.id}`), [], 'of another wallet');
    });

    it('filters by type, format, issuer and status', async () => {
      const person = await wallet.logIn();
      const pid = await storeCredential(person);
      const licence = await storeCredential(person, { format: 'mso_mdoc', type: 'org.iso.18013.5.1.mDL' });
      const foreign = await storeCredential(person, { issuer: 'did:web:other.example', status: 'revoked' });
      assert.deepEqual(await ids(person), [pid, licence, foreign].sort());
      assert.deepEqual(await ids(person, '?type=org.iso.18013.5.1.mDL'), [licence]);
      assert.deepEqual(await ids(person, '?format=mso_mdoc'), [licence]);
      assert.deepEqual(await ids(person, `?format=${encodeURIComponent('dc+sd-jwt')}`), [pid, foreign].sort());
      assert.deepEqual(await ids(person, '?issuer=did:web:other.example'), [foreign]);
      assert.deepEqual(await ids(person, '?status=revoked'), [foreign]);
      assert.deepEqual(await ids(person, '?status=valid'), [pid, licence].sort());
      assert.deepEqual(await ids(person, '?status=suspended'), []);
      assert.deepEqual(await ids(person, '?type=org.iso.18013.5.1.mDL&status=revoked'), []);
      for (const query of ['?status=good', '?include=claims', '?surprise=1', '?refreshStatus=maybe', '?limit=0'])
        assertProblem(await person.get(CREDENTIALS + query), 400, 'invalid-request');
    });

    it('calls one expired when its time is over, whatever was known of it before', async () => {
      const person = await wallet.logIn();
      const lasting = await storeCredential(person);
      const short = await storeCredential(person, { valid_until: wallet.clock.now() + 60_000 });
      assert.deepEqual(await ids(person, '?status=valid'), [lasting, short].sort());
      assert.deepEqual(await ids(person, '?status=expired'), []);
      wallet.clock.advance(61);
      assert.deepEqual(await ids(person, '?status=valid'), [lasting]);
      const [expired, ...more] = await list(person, '?status=expired');
      assert.deepEqual(more, []);
      assert.deepEqual([expired.id, expired.status, expired.presentable], [short, 'expired', false]);
    });

    it('says which can be presented', async () => {
      const person = await wallet.logIn();
      const states: [string, boolean][] = [
        ['valid', true],
        ['unknown', true],
        ['revoked', false],
        ['suspended', false],
      ];
      for (const [status] of states) await storeCredential(person, { status });
      const found = (await list(person)).map(({ status, presentable }) => [status, presentable]);
      assert.deepEqual(found.sort(), states.sort());
    });

    it('gives pages that together are the list', async () => {
      const person = await wallet.logIn();
      const all = [await storeCredential(person), await storeCredential(person), await storeCredential(person)].sort();
      const first = await person.get(`${CREDENTIALS}?limit=2&include=raw`);
      const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
      assert.ok(next, 'there is another page');
      const second = await person.get(next.slice(wallet.url.length));
      assert.equal(second.headers.get('link'), null);
      assert.deepEqual(
        [...first.body, ...second.body].map(({ id }: any) => id),
        all,
      );
      assert.ok(second.body[0].raw, 'the next page is of the same question');
    });

    it('is sealed for its owner and its row: one that was copied elsewhere does not open', async () => {
      const [person, thief] = [await wallet.logIn(), await wallet.logIn()];
      await storeCredential(person, {}, { claims: { secret: 'of a person' } });
      const db = await wallet.database();
      const [victim] = await db.write(async (tx) => {
        await actAs(db, tx, EVERYONE);
        return tx.selectFrom('credentials').orderBy('added_at', 'desc').limit(1).selectAll().execute();
      });
      await db.close();
      assert.ok(!JSON.stringify(victim).includes('of a person'), 'nothing about the person is in the open');
      await storeCredential(thief, { sealed: victim!.sealed });
      const answer = await thief.get(CREDENTIALS);
      assert.equal(answer.status, 200);
      assert.deepEqual(
        answer.body.map(({ damaged }: { damaged?: boolean }) => damaged),
        [true],
      );
      assert.ok(!answer.text.includes('of a person'));
    });
  });

  describe('the key it is bound to', () => {
    it('counts it, and names it when it is purged or revoked', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const bound = { key_id: key.id, binding: 'jwk' };
      const held = [await storeCredential(person, bound), await storeCredential(person, bound)].sort();
      await storeCredential(person);
      assert.equal((await keyOf(person, key.id)).credentialCount, 2);

      const refused = await person.delete(`${KEYS}/${key.id}`);
      assertProblem(refused, 409, 'key-in-use');
      assert.deepEqual(refused.body.references, { dids: [], credentials: held });

      const rotated = await person.post(`${KEYS}/${key.id}/rotate`, {});
      assert.deepEqual([rotated.body.credentialCount, rotated.body.replaces.credentialCount], [0, 2]);
      assert.ok(
        (await list(person)).every(({ presentable }) => presentable),
        'a rotated key still presents',
      );

      for (let times = 0; times < 2; times++) {
        const revoked = await person.post(`${KEYS}/${key.id}/revoke`, {});
        assert.deepEqual([revoked.status, revoked.body.affectedCredentials], [200, held]);
      }
      const after = (await list(person)).filter(({ holder }) => holder.keyId === key.id);
      assert.deepEqual(
        after.map(({ status, presentable }) => [status, presentable]),
        [
          ['valid', false],
          ['valid', false],
        ],
      );

      assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
      const left = (await list(person)).filter(({ id }) => held.includes(id));
      assert.equal(left.length, 2, 'what was issued stays until it is purged itself');
      for (const { holder, presentable } of left) assert.deepEqual([holder, presentable], [{ binding: 'jwk' }, false]);
    });
  });

  describe('the DID it is bound to', () => {
    it('is not deleted without force', async () => {
      const person = await wallet.logIn();
      const did = await person.make('dids');
      const [{ keyId }] = did.keys;
      const id = await storeCredential(person, { did_id: did.id, key_id: keyId, binding: 'did' });
      assertProblem(await person.delete(`${DIDS}/${did.id}`), 409, 'did-in-use');
      assertProblem(await person.delete(`${DIDS}/${did.id}?force=false`), 409, 'did-in-use');
      assert.equal((await list(person))[0].holder.did, did.did);
      assert.equal((await person.delete(`${DIDS}/${did.id}?force=true`)).status, 204);
      const [left] = await list(person);
      assert.deepEqual([left.id, left.holder], [id, { keyId, binding: 'did' }]);
    });

    it('can be deleted when the credential is gone', async () => {
      const person = await wallet.logIn();
      const did = await person.make('dids');
      const id = await storeCredential(person, { did_id: did.id, binding: 'did' });
      assertProblem(await person.delete(`${DIDS}/${did.id}`), 409, 'did-in-use');
      assert.equal((await person.delete(`${CREDENTIALS}/${id}`)).status, 204);
      assert.equal((await person.delete(`${DIDS}/${did.id}`)).status, 204);
    });
  });

  describe('purging', () => {
    it('takes it away with all its instances, once', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const [id, other] = [await storeCredential(person, { key_id: key.id }), await storeCredential(person)];
      // From memory, from here on.
      assert.equal((await person.get(KEYS)).body[0].credentialCount, 1);
      const answer = await person.delete(`${CREDENTIALS}/${id}`);
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.deepEqual(await ids(person), [other]);
      assertProblem(await person.delete(`${CREDENTIALS}/${id}`), 404, 'not-found');
      assert.equal((await person.get(KEYS)).body[0].credentialCount, 0);
      const db = await wallet.database();
      const events = await db.read.selectFrom('audit_events').where('target_id', '=', id).selectAll().execute();
      await db.close();
      assert.deepEqual(
        events.map(({ action }) => action),
        ['credential.purged'],
      );
    });

    it('is for its owner: for everybody else it does not exist, administrators included', async () => {
      const [person, stranger, admin] = [await wallet.logIn(), await wallet.logIn(), await wallet.logIn('admin')];
      const id = await storeCredential(person);
      for (const other of [stranger, admin]) {
        assertProblem(await other.delete(`${CREDENTIALS}/${id}`), 404, 'not-found');
        assert.deepEqual(await list(other), []);
      }
      for (const path of [UNKNOWN, 'x', "'"]) assertProblem(await person.delete(`${CREDENTIALS}/${path}`), 404, 'not-found');
      assert.deepEqual(await ids(person), [id]);
    });

    it('asks for a session', async () => {
      assertProblem(await wallet.get(CREDENTIALS), 401, 'not-authenticated');
      assertProblem(await wallet.request('DELETE', `${CREDENTIALS}/${UNKNOWN}`), 401, 'not-authenticated');
    });
  });
});
