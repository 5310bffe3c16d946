// Keys in a PKCS#11 token, through the API of the wallet, on both databases.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { makeSoftToken } from '../../../test/support/softhsm.ts';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { inDatabase, keyRow } from '../../../test/support/wallet-rows.ts';
import { ALGORITHMS, verifyWith } from '../../verifiable/jose/index.ts';
import { CKA, CKO } from './pkcs11/constants.ts';
import { openLibrary, ulong, ulongAt, ulongs } from './pkcs11/library.ts';
import { openToken } from './pkcs11/token.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';
const storage = 'pkcs11';
const data = Buffer.from('what is signed');

const soft = makeSoftToken('gatehouse-api');
const settings = {
  GATEHOUSE_WALLET_PKCS11_LIBRARY: soft.library,
  GATEHOUSE_WALLET_PKCS11_TOKEN: soft.tokenLabel,
  GATEHOUSE_WALLET_PKCS11_PIN: soft.pin,
};

/** How many objects the token has, by the ids of keys: two of each key that is there. */
async function objectsInToken(id?: Buffer): Promise<number> {
  const token = await openToken(soft);
  try {
    return await token.use(async ({ library, handle }) => {
      let count = 0;
      for (const kind of [CKO.PRIVATE_KEY, CKO.PUBLIC_KEY]) {
        const wanted = [[CKA.CLASS, kind] as const, ...(id ? [[CKA.ID, id] as const] : [])];
        await library.call('C_FindObjectsInit', handle, library.template(wanted as never), wanted.length);
        for (;;) {
          const found = ulong();
          await library.call('C_FindObjects', handle, ulongs(32), 32, found);
          count += Number(ulongAt(found, 0));
          if (ulongAt(found, 0) === 0n) break;
        }
        await library.call('C_FindObjectsFinal', handle);
      }
      return count;
    });
  } finally {
    await token.close();
  }
}

/** The token does not answer while this runs, as one that was pulled out and put back. */
async function withoutDevice<T>(work: () => Promise<T>): Promise<T> {
  const library = await openLibrary(soft.library);
  try {
    await library.call('C_Finalize', null);
    try {
      return await work();
    } finally {
      await library.call('C_Initialize', null);
    }
  } finally {
    await library.release();
  }
}

onEachWallet(
  'Keys in a PKCS#11 token',
  (wallet) => {
    async function handleOf(id: string): Promise<Buffer> {
      const { material, wrapped_key: wrapped } = await keyRow(wallet, id);
      assert.equal(wrapped, null);
      const { token, id: handle } = JSON.parse(material!) as { token: string; id: string };
      assert.equal(token, soft.tokenLabel);
      return Buffer.from(handle, 'hex');
    }

    async function assertSigns(key: any, jwk = key.publicKeyJwk): Promise<void> {
      const { owner } = await keyRow(wallet, key.id);
      const signature = await wallet.service.keys.sign(owner, key.id, data);
      assert.equal(verifyWith(jwk, key.algorithm, data, signature), true);
    }

    describe('making and using', () => {
      for (const algorithm of ALGORITHMS) {
        it(`makes a key for ${algorithm} in the token, and signs with it`, async () => {
          const person = await wallet.logIn();
          const key = await person.make('keys', { algorithm, storage });
          assert.deepEqual([key.storage, key.algorithm, key.state], ['pkcs11', algorithm, 'active']);
          assert.equal(await objectsInToken(await handleOf(key.id)), 2);
          await assertSigns(key);
          assert.deepEqual((await person.get(KEYS)).body, [key]);
        });
      }

      it('keeps keys in software beside those in the token', async () => {
        const person = await wallet.logIn();
        const inSoftware = await person.make('keys');
        const inToken = await person.make('keys', { storage });
        assert.deepEqual([inSoftware.storage, inToken.storage], ['software', 'pkcs11']);
        for (const key of [inSoftware, inToken]) await assertSigns(key);
        const did = await person.make('dids', { keyIds: [inSoftware.id, inToken.id] });
        const published = await person.post(`${DIDS}/${did.id}/publish`);
        assert.equal(published.body.document.verificationMethod.length, 2);
      });

      it('signs what verifies with the published document', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage, algorithm: 'ES384' });
        const did = await person.make('dids', { keyIds: [key.id] });
        await person.post(`${DIDS}/${did.id}/publish`);
        const { body: document } = await wallet.get(new URL(did.documentUrl).pathname);
        const [method] = document.verificationMethod;
        assert.equal(method.id, `${did.did}#${key.kid}`);
        await assertSigns(key, method.publicKeyJwk);
      });

      it('takes no key from outside', async () => {
        const person = await wallet.logIn();
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const jwk = privateKey.export({ format: 'jwk' });
        const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
        for (const body of [{ jwk }, { pem }])
          assertProblem(await person.post(KEYS, { ...body, storage }), 422, 'unsupported-storage', /imported in pkcs11/);
        assert.equal((await person.make('keys', { jwk })).storage, 'software');
      });

      it('leaves nothing in the token of what was refused, or asked for twice', async () => {
        const person = await wallet.logIn();
        const { id } = await person.make('keys', { storage, alias: 'taken' });
        const before = await objectsInToken();
        assertProblem(await person.post(KEYS, { storage, alias: 'taken' }), 409, 'alias-taken');
        assertProblem(await person.post(KEYS, { storage, algorithm: 'HS256' }), 422, 'unsupported-algorithm');
        const agreement = { storage, algorithm: 'EdDSA', use: ['keyAgreement'] };
        assertProblem(await person.post(KEYS, agreement), 422, 'unsupported-algorithm');
        await person.make('keys', { alias: 'other' });
        assertProblem(await person.post(`${KEYS}/${id}/rotate`, { alias: 'other' }), 409, 'alias-taken');
        assert.equal(await objectsInToken(), before);
        const headers = { 'Idempotency-Key': 'once' };
        const answers = await Promise.all(Array.from({ length: 4 }, () => person.post(KEYS, { storage }, { headers })));
        assert.deepEqual(
          answers.map(({ status }) => status),
          [201, 201, 201, 201],
        );
        assert.equal(await objectsInToken(), before + 2);
        const rotations = await Promise.all(
          Array.from({ length: 3 }, () => person.post(`${KEYS}/${answers[0]!.body.id}/rotate`, {})),
        );
        assert.deepEqual(rotations.map(({ status }) => status).sort(), [200, 409, 409]);
        const revocations = await Promise.all(
          Array.from({ length: 3 }, () => person.post(`${KEYS}/${id}/revoke`, { successor: {} })),
        );
        assert.deepEqual(
          revocations.map(({ status }) => status),
          [200, 200, 200],
        );
        // Two keys of the first four, and one in the place of the one revoked.
        assert.equal(await objectsInToken(), before + 4);
      });
    });

    describe('ending', () => {
      it('makes the successor in the same storage, and keeps the old key for its credentials', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage });
        const answer = await person.post(`${KEYS}/${key.id}/rotate`, { algorithm: 'EdDSA' });
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual([answer.body.storage, answer.body.algorithm], ['pkcs11', 'EdDSA']);
        await assertSigns(answer.body);
        assert.equal(await objectsInToken(await handleOf(key.id)), 2);
        const { owner } = await keyRow(wallet, key.id);
        await assert.rejects(wallet.service.keys.sign(owner, key.id, data), { code: 'key-not-active/named' });
        const signature = await wallet.service.keys.sign(owner, key.id, data, 'presentation');
        assert.equal(verifyWith(key.publicKeyJwk, 'ES256', data, signature), true);
      });

      it('removes a revoked key from the token', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage });
        const handle = await handleOf(key.id);
        const answer = await person.post(`${KEYS}/${key.id}/revoke`, { successor: {} });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(await objectsInToken(handle), 0);
        const { owner, material, state } = await keyRow(wallet, key.id);
        assert.deepEqual([material, state], [null, 'revoked']);
        await assert.rejects(wallet.service.keys.sign(owner, key.id, data), { code: 'key-not-active/named' });
        const successor = (await person.get(`${KEYS}?state=active`)).body[0];
        assert.deepEqual([successor.id, successor.storage], [answer.body.successorId, 'pkcs11']);
        await assertSigns(successor);
        assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
      });

      it('removes a purged key from the token', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage });
        const handle = await handleOf(key.id);
        assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
        assert.equal(await objectsInToken(handle), 0);
        assert.deepEqual((await person.get(KEYS)).body, []);
      });

      it('does not open a key whose row was copied to somebody else', async () => {
        const [person, thief] = [await wallet.logIn(), await wallet.logIn()];
        const [key, own] = [await person.make('keys', { storage }), await thief.make('keys', { storage })];
        const { material } = await keyRow(wallet, key.id);
        await inDatabase(wallet, (tx) => tx.updateTable('keys').set({ material }).where('id', '=', own.id).execute());
        const { owner } = await keyRow(wallet, own.id);
        await assert.rejects(wallet.service.keys.sign(owner, own.id, data), {
          code: 'key-store-unavailable',
          reason: /no such key/,
        });
        // Nor can it be destroyed that way.
        assert.equal((await thief.delete(`${KEYS}/${own.id}`)).status, 204);
        await assertSigns(key);
      });
    });

    describe('a device that does not answer', () => {
      it('is reported without internals, and nothing is left of the failed request', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage });
        const answers = await withoutDevice(async () => [
          await person.post(KEYS, { storage }),
          await person.post(`${KEYS}/${key.id}/rotate`, {}),
          await person.post(`${KEYS}/${key.id}/revoke`, { successor: {} }),
        ]);
        for (const answer of answers) {
          assertProblem(answer, 503, 'key-store-unavailable');
          assert.doesNotMatch(answer.text, /pkcs|cryptoki|C_|CKR|token|softhsm/i);
          assert.ok(!answer.text.includes(soft.pin));
        }
        assert.ok(!wallet.logged.join('\n').includes(soft.pin));
        assert.deepEqual((await person.get(KEYS)).body, [key]);
        await assertSigns(key);
      });

      it('does not keep a key from being revoked, and forgets it when it is asked again', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage });
        const handle = await handleOf(key.id);
        const did = await person.make('dids', { keyIds: [key.id] });
        await person.post(`${DIDS}/${did.id}/publish`);
        const path = `${KEYS}/${key.id}/revoke?force=true`;
        assertProblem(await withoutDevice(() => person.post(path, { reason: 'compromised' })), 503, 'key-store-unavailable');
        assert.equal((await person.get(KEYS)).body[0].state, 'revoked');
        const { body: document } = await wallet.get(new URL(did.documentUrl).pathname);
        assert.equal(document.verificationMethod, undefined);
        assert.equal(await objectsInToken(handle), 2);
        const again = await person.post(path, { reason: 'unspecified' });
        assert.deepEqual([again.status, again.body.revocationReason], [200, 'compromised']);
        assert.equal(await objectsInToken(handle), 0);
        assert.equal((await keyRow(wallet, key.id)).material, null);
      });

      it('forgets a revoked key later by itself', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage });
        const handle = await handleOf(key.id);
        await withoutDevice(async () => {
          assertProblem(await person.post(`${KEYS}/${key.id}/revoke`, {}), 503, 'key-store-unavailable');
          await assert.rejects(wallet.service.sweep());
        });
        assert.equal((await wallet.service.sweep()).destroyed, 1);
        assert.equal(await objectsInToken(handle), 0);
        assert.equal((await wallet.service.sweep()).destroyed, 0);
      });

      it('keeps a key from being purged until it has forgotten it', async () => {
        const person = await wallet.logIn();
        const key = await person.make('keys', { storage });
        const handle = await handleOf(key.id);
        assertProblem(await withoutDevice(() => person.delete(`${KEYS}/${key.id}`)), 503, 'key-store-unavailable');
        assert.equal((await person.get(KEYS)).body[0].state, 'revoked');
        assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
        assert.equal(await objectsInToken(handle), 0);
        assert.deepEqual((await person.get(KEYS)).body, []);
      });
    });
  },
  { settings },
);
