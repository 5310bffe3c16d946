// Lifecycle of a key: rotation, revocation, purge; through HTTP, on both databases.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { bindCredential, inDatabase, keyRow } from '../../../test/support/wallet-rows.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';
const DAY = 86_400_000;

onEachWallet('The life of keys', (wallet) => {
  async function publish(person: WalletUser, keyIds: string[]): Promise<any> {
    const did = await person.make('dids', { keyIds });
    const answer = await person.post(`${DIDS}/${did.id}/publish`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  const didOf = async (person: WalletUser, { id }: any) => (await person.get(`${DIDS}/${id}`)).body;
  const keyOf = async (person: WalletUser, id: string) =>
    (await person.get(`${KEYS}?limit=200`)).body.find((key: any) => key.id === id);

  /** The published thumbprints, by relationship. */
  async function shown({ documentUrl, did }: any): Promise<Record<string, string[]>> {
    const { status, body } = await wallet.get(new URL(documentUrl).pathname);
    assert.equal(status, 200);
    assert.equal(body.id, did);
    const kids = (ids: string[] = []) => ids.map((id) => id.replace(`${did}#`, '')).sort();
    return {
      verificationMethod: kids((body.verificationMethod ?? []).map(({ id }: any) => id)),
      authentication: kids(body.authentication),
      assertionMethod: kids(body.assertionMethod),
    };
  }

  const everywhere = (...kids: string[]) => ({
    verificationMethod: kids.sort(),
    authentication: kids,
    assertionMethod: kids,
  });

  async function rotate(person: WalletUser, key: any, body: object = {}): Promise<any> {
    const answer = await person.post(`${KEYS}/${key.id}/rotate`, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  async function revoke(person: WalletUser, key: any, body: object = {}, query = ''): Promise<any> {
    const answer = await person.post(`${KEYS}/${key.id}/revoke${query}`, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  describe('rotating', () => {
    it('answers with the successor and what it replaces', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { algorithm: 'EdDSA', alias: 'signing', use: ['authentication'] });
      const { replaces, ...successor } = await rotate(person, key);
      assert.deepEqual(successor, {
        ...key,
        id: successor.id,
        kid: successor.kid,
        publicKeyJwk: successor.publicKeyJwk,
        createdAt: successor.createdAt,
        predecessorId: key.id,
      });
      assert.notEqual(successor.id, key.id);
      assert.notEqual(successor.kid, key.kid);
      const { rotatedAt, verifyUntil, ...old } = replaces;
      assert.deepEqual(old, { ...key, state: 'rotated', default: false, successorId: successor.id });
      assert.equal(Date.parse(verifyUntil) - Date.parse(rotatedAt), 30 * DAY);
      const list = (await person.get(KEYS)).body;
      assert.deepEqual(
        list.sort((a: any) => (a.id === key.id ? -1 : 1)),
        [replaces, successor],
      );
    });

    for (const [body, milliseconds] of [
      [{ gracePeriod: 'P7D' }, 7 * DAY],
      [{ gracePeriod: 'PT36H' }, 1.5 * DAY],
      [{ gracePeriod: 'P0D' }, 0],
      [{ duration: '720h' }, 30 * DAY],
      [{ duration: '1h30m' }, 5_400_000],
    ] as const) {
      it(`keeps the old key verifiable as long as ${JSON.stringify(body)} says`, async () => {
        const person = await wallet.logIn();
        const { replaces } = await rotate(person, await person.make('keys'), body);
        assert.equal(Date.parse(replaces.verifyUntil) - Date.parse(replaces.rotatedAt), milliseconds);
      });
    }

    it('refuses spans of time that are none', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      for (const wrong of ['', 'soon', '-P1D', 'P', 'P11Y', '1d', '30', 30, null])
        assertProblem(await person.post(`${KEYS}/${key.id}/rotate`, { gracePeriod: wrong }), 400, 'invalid-request');
      const both = { gracePeriod: 'P1D', duration: '24h' };
      assertProblem(await person.post(`${KEYS}/${key.id}/rotate`, both), 400, 'invalid-request', /not both/);
      assert.equal((await keyOf(person, key.id)).state, 'active');
    });

    it('changes the algorithm, and the alias, when told so', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { alias: 'old' });
      const successor = await rotate(person, key, { algorithm: 'EdDSA', alias: 'new' });
      assert.deepEqual([successor.algorithm, successor.kty, successor.alias], ['EdDSA', 'OKP', 'new']);
      assert.equal(successor.replaces.alias, 'old');
      // The alias of the rotated key is free again.
      assert.equal((await person.make('keys', { alias: 'old' })).alias, 'old');
      assertProblem(await person.post(`${KEYS}/${successor.id}/rotate`, { alias: 'old' }), 409, 'alias-taken');
      assertProblem(await person.post(`${KEYS}/${successor.id}/rotate`, { algorithm: 'HS256' }), 422, 'unsupported-algorithm');
      assert.equal((await keyOf(person, successor.id)).state, 'active');
    });

    it('leaves keyAgreement out for an algorithm that cannot, unless nothing else would remain', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { use: ['authentication', 'keyAgreement'] });
      assert.deepEqual((await rotate(person, key, { algorithm: 'EdDSA' })).use, ['authentication']);
      const only = await person.make('keys', { use: ['keyAgreement'] });
      const refused = await person.post(`${KEYS}/${only.id}/rotate`, { algorithm: 'EdDSA' });
      assertProblem(refused, 422, 'unsupported-algorithm', /keyAgreement/);
      assert.deepEqual((await rotate(person, only)).use, ['keyAgreement']);
    });

    it('moves the default only where the key was it', async () => {
      const person = await wallet.logIn();
      const first = await person.make('keys');
      const second = await person.make('keys');
      assert.equal((await rotate(person, second)).default, false);
      assert.equal((await rotate(person, first)).default, true);
      assert.equal((await person.get(KEYS)).body.filter((key: any) => key.default).length, 1);
    });

    it('works once for a key', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      await rotate(person, key);
      assertProblem(await person.post(`${KEYS}/${key.id}/rotate`, {}), 409, 'key-not-active', /rotated/);
      await revoke(person, key);
      assertProblem(await person.post(`${KEYS}/${key.id}/rotate`, {}), 409, 'key-not-active', /revoked/);
    });

    it('makes one successor of requests that come at the same time', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const answers = await Promise.all(Array.from({ length: 5 }, () => person.post(`${KEYS}/${key.id}/rotate`, {})));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
      for (const answer of answers) if (answer.status === 409) assertProblem(answer, 409, 'key-not-active');
      assert.equal((await person.get(KEYS)).body.length, 2);
    });

    it('shows both keys in published documents, and the old one no longer when its time is over', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await publish(person, [key.id]);
      const draft = await person.make('dids', { keyIds: [key.id] });
      assert.deepEqual(await shown(did), everywhere(key.kid));
      const successor = await rotate(person, key, { gracePeriod: 'PT30M' });
      assert.deepEqual(successor.dids.sort(), [did.did, draft.did].sort());
      assert.deepEqual(await shown(did), everywhere(key.kid, successor.kid));
      assert.equal((await didOf(person, did)).versionId, did.versionId + 1);

      wallet.clock.advance(1790);
      await wallet.service.sweep();
      assert.deepEqual(await shown(did), everywhere(key.kid, successor.kid));

      wallet.clock.advance(20);
      await wallet.service.sweep();
      assert.deepEqual(await shown(did), everywhere(successor.kid));
      assert.equal((await didOf(person, did)).versionId, did.versionId + 2);
      const old = await keyOf(person, key.id);
      assert.deepEqual([old.state, old.dids], ['rotated', []]);
      // Nothing is left to do.
      await wallet.service.sweep();
      assert.equal((await didOf(person, did)).versionId, did.versionId + 2);
      assert.equal((await didOf(person, draft)).keys.length, 1);
    });

    it('publishes without the old key at once when there is no grace', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await publish(person, [key.id]);
      const successor = await rotate(person, key, { gracePeriod: 'PT0S' });
      assert.deepEqual(await shown(did), everywhere(successor.kid));
    });
  });

  describe('revoking', () => {
    for (const reason of ['compromised', 'superseded', 'cessation', 'unspecified']) {
      it(`ends a key as ${reason}, and answers the same when asked again`, async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys');
        const answer = await revoke(person, key, { reason });
        const { revokedAt, ...rest } = answer;
        assert.deepEqual(rest, {
          ...key,
          state: 'revoked',
          default: false,
          revocationReason: reason,
          affectedCredentials: [],
          republishedDids: [],
        });
        assert.ok(Math.abs(Date.parse(revokedAt) - wallet.clock.now()) < 10_000);
        wallet.clock.advance(5);
        assert.deepEqual(await revoke(person, key, { reason: 'unspecified' }), answer);
        assert.deepEqual(await revoke(person, key), answer);
        assert.equal((await person.get(`${KEYS}?state=revoked`)).body.length, 1);
      });
    }

    it('has no reason when none is given, and refuses others', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      assertProblem(await person.post(`${KEYS}/${key.id}/revoke`, { reason: 'boredom' }), 400, 'invalid-request', /reason/);
      const answer = await person.post(`${KEYS}/${key.id}/revoke`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.revocationReason, 'unspecified');
    });

    it('names the credentials that cannot be shown any more', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const credential = await bindCredential(wallet, key.id);
      assert.equal((await person.get(`${KEYS}?limit=5`)).body[0].credentialCount, 1);
      assert.deepEqual((await revoke(person, key)).affectedCredentials, [credential]);
    });

    it('ends a rotated key at once, grace or not', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await publish(person, [key.id]);
      const successor = await rotate(person, key);
      const answer = await revoke(person, key, { reason: 'compromised' });
      assert.deepEqual(answer.republishedDids, [did.did]);
      assert.deepEqual([answer.state, answer.successorId, answer.dids], ['revoked', successor.id, []]);
      assert.deepEqual(await shown(did), everywhere(successor.kid));
      assert.deepEqual((await revoke(person, key)).republishedDids, [did.did]);
    });

    it('does not take the last active key from a published DID unless it must', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await publish(person, [key.id]);
      assertProblem(await person.post(`${KEYS}/${key.id}/revoke`, {}), 409, 'last-key-of-published-did');
      assertProblem(await person.post(`${KEYS}/${key.id}/revoke?force=false`, {}), 409, 'last-key-of-published-did');
      assert.deepEqual(await shown(did), everywhere(key.kid));
      assert.equal((await keyOf(person, key.id)).state, 'active');
      const answer = await revoke(person, key, {}, '?force=true');
      assert.deepEqual(answer.republishedDids, [did.did]);
      assert.deepEqual(await shown(did), everywhere());
      assert.equal((await didOf(person, did)).versionId, did.versionId + 1);
    });

    it('ends a rotated key, though a document then shows none: it has no successor to wait for', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await publish(person, [key.id]);
      const successor = await rotate(person, key);
      // The rotated key is still shown, and is none to publish anything new with.
      assertProblem(await person.post(`${KEYS}/${successor.id}/revoke`, {}), 409, 'last-key-of-published-did');
      await revoke(person, successor, {}, '?force=true');
      assert.deepEqual(await shown(did), everywhere(key.kid));
      assert.deepEqual((await revoke(person, key)).republishedDids, [did.did]);
      assert.deepEqual(await shown(did), everywhere());
    });

    it('takes a key from a published DID that has another, or that is not published any more', async () => {
      const person = await wallet.logIn();
      const [one, other, lone] = [await person.make('keys'), await person.make('keys'), await person.make('keys')];
      const did = await publish(person, [one.id, other.id]);
      assert.deepEqual((await revoke(person, one)).republishedDids, [did.did]);
      assert.deepEqual(await shown(did), everywhere(other.kid));
      const withdrawn = await publish(person, [lone.id]);
      await person.post(`${DIDS}/${withdrawn.id}/unpublish`);
      assert.deepEqual((await revoke(person, lone)).republishedDids, []);
      assertProblem(await person.post(`${DIDS}/${withdrawn.id}/publish`), 409, 'no-active-key');
    });

    it('puts a successor in the place of the key', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { alias: 'signing' });
      const did = await publish(person, [key.id]);
      const answer = await revoke(person, key, { reason: 'compromised', successor: { algorithm: 'ES384' } });
      assert.deepEqual([answer.state, answer.republishedDids, answer.default], ['revoked', [did.did], false]);
      const successor = await keyOf(person, answer.successorId);
      const { algorithm, alias, state, default: isDefault, predecessorId, dids } = successor;
      assert.deepEqual(
        { algorithm, alias, state, isDefault, predecessorId, dids },
        { algorithm: 'ES384', alias: 'signing', state: 'active', isDefault: true, predecessorId: key.id, dids: [did.did] },
      );
      assert.deepEqual(await shown(did), everywhere(successor.kid));
      assert.deepEqual(await revoke(person, key, { successor: {} }), answer);
      assert.equal((await person.get(KEYS)).body.length, 2);
    });

    it('makes a successor of the same algorithm when none is named, and none of an unknown one', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { algorithm: 'EdDSA' });
      const wrong = { successor: { algorithm: 'none' } };
      assertProblem(await person.post(`${KEYS}/${key.id}/revoke`, wrong), 422, 'unsupported-algorithm');
      const { successorId } = await revoke(person, key, { successor: {} });
      assert.equal((await keyOf(person, successorId)).algorithm, 'EdDSA');
    });

    it('makes the newest active key the default in place of the one that was', async () => {
      const person = await wallet.logIn();
      const first = await person.make('keys');
      wallet.clock.advance(1);
      const second = await person.make('keys');
      wallet.clock.advance(1);
      const third = await person.make('keys');
      await revoke(person, first);
      assert.equal((await keyOf(person, third.id)).default, true);
      await revoke(person, second);
      await revoke(person, third);
      assert.equal((await person.get(KEYS)).body.filter((key: any) => key.default).length, 0);
      assert.equal((await person.make('keys')).default, true);
    });

    it('ends a did:key along with its key', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await person.make('dids', { method: 'key', keyIds: [key.id] });
      assert.equal(did.state, 'published');
      assert.deepEqual((await revoke(person, key)).republishedDids, []);
      assert.equal((await didOf(person, did)).state, 'unpublished');
    });

    it('ends a key once, whoever asks at the same time', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => person.post(`${KEYS}/${key.id}/revoke`, { successor: {} })),
      );
      for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, answers[0]!.body], answer.text);
      assert.equal((await person.get(KEYS)).body.length, 2);
    });
  });

  describe('purging', () => {
    it('removes a key nothing refers to, in any state', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const successor = await rotate(person, key);
      const revoked = await person.make('keys');
      await revoke(person, revoked);
      for (const id of [key.id, successor.id, revoked.id]) {
        const answer = await person.delete(`${KEYS}/${id}`);
        assert.deepEqual([answer.status, answer.text], [204, '']);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assertProblem(await person.delete(`${KEYS}/${id}`), 404, 'not-found');
      }
      assert.deepEqual((await person.get(KEYS)).body, []);
    });

    it('refuses a key that is used, and says by what', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const credential = await bindCredential(wallet, key.id);
      const { references } = assertProblem(await person.delete(`${KEYS}/${key.id}`), 409, 'key-in-use');
      assert.deepEqual(references, { dids: [], credentials: [credential] });
      const did = await person.make('dids', { keyIds: [key.id] });
      const both = assertProblem(await person.delete(`${KEYS}/${key.id}?force=false`), 409, 'key-in-use');
      assert.deepEqual(both.references, { dids: [did.did], credentials: [credential] });
      assert.equal((await keyOf(person, key.id)).state, 'active');
    });

    it('removes a key that is used when it must, from documents too', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const credential = await bindCredential(wallet, key.id);
      const did = await publish(person, [key.id]);
      assert.equal((await person.delete(`${KEYS}/${key.id}?force=true`)).status, 204);
      assert.deepEqual(await shown(did), everywhere());
      assert.equal((await didOf(person, did)).versionId, did.versionId + 1);
      const row = await inDatabase(wallet, (tx) =>
        tx.selectFrom('credentials').where('id', '=', credential).select('key_id').executeTakeFirst(),
      );
      assert.deepEqual(row, { key_id: null });
    });

    it('removes a revoked key though credentials are bound to it', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      await bindCredential(wallet, key.id);
      await revoke(person, key);
      assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
    });

    it('hands the default to the newest active key', async () => {
      const person = await wallet.logIn();
      const first = await person.make('keys');
      const second = await person.make('keys');
      assert.equal((await person.delete(`${KEYS}/${first.id}`)).status, 204);
      assert.equal((await keyOf(person, second.id)).default, true);
    });

    it('purges once, whoever asks at the same time', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const answers = await Promise.all(Array.from({ length: 4 }, () => person.delete(`${KEYS}/${key.id}`)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404, 404]);
    });
  });

  describe('credentials that are bound to a DID', () => {
    const keyOfCredential = (id: string) =>
      inDatabase(wallet, async (tx) => {
        const of = (table: 'credentials' | 'credential_instances', column: 'id' | 'credential_id') =>
          tx
            .selectFrom(table)
            .where(column as 'id', '=', id)
            .select('key_id')
            .executeTakeFirstOrThrow();
        const [row, copy] = [await of('credentials', 'id'), await of('credential_instances', 'credential_id')];
        assert.equal(row.key_id, copy.key_id);
        return row.key_id;
      });

    it('move on with it, but for those that are bound to the key itself', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await publish(person, [key.id]);
      const bound = (format: string) => bindCredential(wallet, key.id, { format, binding: 'did', did_id: did.id });
      const [moves, proves, stays] = [await bound('jwt_vc_json'), await bound('ldp_vc'), await bound('dc+sd-jwt')];
      const elsewhere = await bindCredential(wallet, key.id);
      const successor = await rotate(person, key, { algorithm: 'ES512' });
      assert.equal(await keyOfCredential(moves), successor.id);
      // There is no Data Integrity proof with the successor's algorithm.
      assert.equal(await keyOfCredential(proves), key.id);
      for (const id of [stays, elsewhere]) assert.equal(await keyOfCredential(id), key.id);
      const { affectedCredentials } = await revoke(person, key);
      assert.deepEqual(affectedCredentials, [proves, stays, elsewhere].sort());
      const last = await revoke(person, successor, { successor: { algorithm: 'ES256' } });
      assert.deepEqual(last.affectedCredentials, []);
      assert.equal((await keyRow(wallet, (await keyOfCredential(moves))!)).algorithm, 'ES256');
    });

    it('go to another key of it when theirs is revoked', async () => {
      const person = await wallet.logIn();
      const [first, second] = [await person.make('keys'), await person.make('keys')];
      const did = await publish(person, [first.id, second.id]);
      const id = await bindCredential(wallet, first.id, { format: 'ldp_vc', binding: 'did', did_id: did.id });
      assert.deepEqual((await revoke(person, first)).affectedCredentials, []);
      assert.equal(await keyOfCredential(id), second.id);
      assert.deepEqual((await revoke(person, second, {}, '?force=true')).affectedCredentials, [id]);
    });
  });

  describe('the key of the node', () => {
    const nodeDid = async (person: WalletUser) => {
      const { body } = await wallet.get('/.well-known/did.json');
      return (await person.get(`${DIDS}/${encodeURIComponent(body.id)}`)).body;
    };

    it('can be rotated by administrators, and by nobody else', async () => {
      const [person, admin] = [await wallet.logIn(), await wallet.logIn('admin')];
      const before = await nodeDid(admin);
      const [{ keyId }] = before.keys;
      assertProblem(await person.post(`${KEYS}/${keyId}/rotate`, {}), 404, 'not-found');
      assertProblem(await person.post(`${KEYS}/${keyId}/revoke?force=true`, {}), 404, 'not-found');
      assertProblem(await person.delete(`${KEYS}/${keyId}?force=true`), 404, 'not-found');
      const successor = await rotate(admin, { id: keyId });
      assert.equal((await keyRow(wallet, successor.id)).owner, 'node');
      const { body } = await wallet.get('/.well-known/did.json');
      assert.equal(body.verificationMethod.length, 2);
      assert.deepEqual((await admin.get(KEYS)).body, []);
      assertProblem(await admin.delete(`${KEYS}/${keyId}`), 403, 'forbidden');
      assert.equal((await wallet.get('/readyz')).body.checks.wallet.status, 'ok');
    });

    it('is never missing: what is revoked has a successor, asked for or not', async () => {
      const admin = await wallet.logIn('admin');
      const { keys } = await nodeDid(admin);
      const { keyId } = keys.find(({ state }: { state: string }) => state === 'active');
      assertProblem(await admin.post(`${KEYS}/${keyId}/revoke`, {}), 409, 'last-key-of-published-did');
      assert.equal((await admin.post(`${KEYS}/${keyId}/revoke?force=true`, { reason: 'compromised' })).status, 200);
      assert.equal((await wallet.get('/readyz')).body.checks.wallet.status, 'ok');
      const after = (await nodeDid(admin)).keys.filter(({ state }: { state: string }) => state === 'active');
      assert.equal(after.length, 1);
      assert.notEqual(after[0].keyId, keyId);
    });
  });
});
