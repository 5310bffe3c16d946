// Attacks on keys: reading them, importing invalid ones, using keys of others, or using them after revocation.
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { databasesInTurn } from '../../../test/support/migrated-database.ts';
import { onEachWallet, TestWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { bindCredential, inDatabase, keyRow } from '../../../test/support/wallet-rows.ts';
import { createSeal, newMasterKey } from '../../platform/seal/index.ts';
import { verifyWith } from '../../verifiable/jose/index.ts';
import { resealWallet } from '../service.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';
const data = Buffer.from('what is signed');

const ec = (namedCurve = 'P-256'): KeyObject => generateKeyPairSync('ec', { namedCurve }).privateKey;
const rsa = (modulusLength: number): KeyObject => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const jwkOf = (key: KeyObject): any => key.export({ format: 'jwk' });
const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }) as string;
const base64url = (bytes: Buffer): string => bytes.toString('base64url');

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];

/** The same primes with another exponent: larger ones than node:crypto makes. */
function withExponent(jwk: any, e: bigint): any {
  const [p, q] = ['p', 'q'].map((name) => BigInt(`0x${Buffer.from(jwk[name], 'base64url').toString('hex')}`)) as [bigint, bigint];
  const order = (p - 1n) * (q - 1n);
  let [a, b, x, y] = [order, e % order, 0n, 1n];
  while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  if (a !== 1n) return withExponent(jwkOf(rsa(2048)), e);
  const d = ((x % order) + order) % order;
  const text = (value: bigint): string => {
    const hex = value.toString(16);
    return base64url(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'));
  };
  return { ...jwk, e: text(e), d: text(d), dp: text(d % (p - 1n)), dq: text(d % (q - 1n)) };
}

/** The private parts of a key in the forms somebody could print them. */
function secretsOf(key: KeyObject): string[] {
  const jwk = jwkOf(key);
  const values = PRIVATE_MEMBERS.filter((name) => name in jwk).map((name) => jwk[name] as string);
  const pem = pemOf(key).split('\n').slice(1, -2);
  return [...values, ...values.map((value) => Buffer.from(value, 'base64url').toString('hex')), ...pem.slice(1)];
}

/** Every name in an answer, however deep. */
function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (!Array.isArray(value)) yield name;
    yield* namesIn(child);
  }
}

onEachWallet('The security of keys', (wallet) => {
  describe('private keys', () => {
    it('are in no answer, no refusal and no log line', async () => {
      const person = await wallet.logIn();
      const brought = [ec(), generateKeyPairSync('ed25519').privateKey, rsa(2048), ec(), rsa(1024)];
      const [one, two, three, four, weak] = brought as [KeyObject, KeyObject, KeyObject, KeyObject, KeyObject];
      wallet.logged.length = 0;
      const headers = { 'Idempotency-Key': 'secret' };
      const answers = [
        await person.post(KEYS, { jwk: jwkOf(one) }, { headers }),
        await person.post(KEYS, { jwk: jwkOf(one) }, { headers }),
        await person.post(KEYS, { jwk: jwkOf(one) }),
        await person.post(KEYS, { pem: pemOf(two) }),
        await person.post(KEYS, { jwk: jwkOf(three) }),
        await person.post(KEYS, { pem: pemOf(three) }),
        await person.post(KEYS, { jwk: { ...jwkOf(four), x: jwkOf(one).x, y: jwkOf(one).y } }),
        await person.post(KEYS, { pem: pemOf(weak) }),
        await person.post(KEYS, { jwk: jwkOf(weak) }),
        await person.post(KEYS, { pem: pemOf(four).replace('\n', '\n!') }),
        await person.post(KEYS, { jwk: { ...jwkOf(four), crv: 'P-999' } }),
        await person.post(KEYS, { jwk: { ...jwkOf(four), y: 7 } }),
        await person.post(KEYS, { jwk: jwkOf(four), storage: 'pkcs11' }),
        await person.post(KEYS, { jwk: JSON.stringify(jwkOf(four)) }),
        await person.post(KEYS, { alias: 1, pem: pemOf(four) }),
        await person.post(KEYS, `${JSON.stringify({ jwk: jwkOf(four) })}}`),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 409, 201, 201, 409, 422, 422, 422, 422, 422, 422, 422, 400, 400, 400],
      );
      const { id } = answers[0]!.body;
      const did = await person.make('dids', { keyIds: [id] });
      answers.push(
        await person.post(`${DIDS}/${did.id}/publish`),
        await person.get(KEYS),
        await person.get(`${DIDS}/${did.id}`),
        await person.post(`${KEYS}/${id}/rotate`, {}),
        await person.post(`${KEYS}/${id}/revoke`, { successor: {} }),
        await person.get(`${KEYS}?limit=200`),
        await wallet.get(new URL(did.documentUrl).pathname),
      );
      for (const { body, text } of answers) {
        assert.deepEqual(
          [...namesIn(body)].filter((name) => [...PRIVATE_MEMBERS, 'material', 'wrappedKey', 'wrapped_key'].includes(name)),
          [],
          text,
        );
      }
      const everything = [...answers.map(({ text }) => text), ...wallet.logged].join('\n');
      assert.ok(wallet.logged.length > 10, 'the log was looked at');
      for (const secret of brought.flatMap(secretsOf)) assert.ok(!everything.includes(secret), 'a private part was shown');
    });

    it('are not in the database as they are, and each is sealed for itself', async () => {
      const person = await wallet.logIn();
      const brought = ec();
      const { id } = await person.make('keys', { jwk: jwkOf(brought) });
      const row = await keyRow(wallet, id);
      const text = JSON.stringify(row);
      for (const secret of secretsOf(brought)) assert.ok(!text.includes(secret));
      const raw = Buffer.from(jwkOf(brought).d, 'base64url');
      assert.equal(Buffer.from(row.material!, 'base64url').includes(raw), false);
      assert.ok(row.wrapped_key!.startsWith('v1.'));
      const audit = await inDatabase(wallet, (tx) => tx.selectFrom('audit_events').selectAll().execute());
      for (const secret of secretsOf(brought)) assert.ok(!JSON.stringify(audit).includes(secret));
    });
  });

  describe('keys that are refused', () => {
    async function refused(body: object, code: string, status = 422): Promise<void> {
      const person = await wallet.logIn();
      assertProblem(await person.post(KEYS, body), status, code);
      assert.deepEqual((await person.get(KEYS)).body, []);
    }

    it('are symmetric ones', async () => {
      await refused({ jwk: { kty: 'oct', k: base64url(Buffer.alloc(32, 1)) } }, 'unsupported-algorithm');
      await refused({ jwk: { kty: 'oct', k: 'AAAA', alg: 'HS256' } }, 'unsupported-algorithm');
      await refused({ jwk: { ...jwkOf(ec()), alg: 'HS256' } }, 'unsupported-algorithm');
      await refused({ jwk: { ...jwkOf(ec()), alg: 'none' } }, 'unsupported-algorithm');
    });

    it('are RSA keys with an exponent that nobody would verify', async () => {
      const jwk = withExponent(jwkOf(rsa(2048)), 2n ** 32n + 15n);
      await refused({ jwk }, 'unsupported-algorithm');
      await refused({ pem: pemOf(createPrivateKey({ key: jwk, format: 'jwk' })) }, 'unsupported-algorithm');
    });

    it('are RSA keys that are too short, too long, or sign for everybody', async () => {
      for (const bits of [1024, 2040]) {
        await refused({ jwk: jwkOf(rsa(bits)) }, 'unsupported-algorithm');
        await refused({ pem: pemOf(rsa(bits)) }, 'unsupported-algorithm');
      }
      const jwk = jwkOf(rsa(2048));
      await refused({ jwk: { ...jwk, n: base64url(Buffer.alloc(1025, 0xff)) } }, 'unsupported-algorithm');
      await refused({ jwk: { ...jwk, e: 'AQ', d: 'AQ', dp: 'AQ', dq: 'AQ' } }, 'unsupported-algorithm');
    });

    it('are those of curves and kinds that sign nothing here', async () => {
      for (const type of ['ed448', 'x25519', 'x448'] as const) {
        const { privateKey } = generateKeyPairSync(type as 'ed448');
        await refused({ jwk: jwkOf(privateKey) }, 'unsupported-algorithm');
        await refused({ pem: pemOf(privateKey) }, 'unsupported-algorithm');
      }
      await refused({ pem: pemOf(ec('brainpoolP256r1')) }, 'unsupported-algorithm');
      await refused({ pem: pemOf(ec('secp224r1')) }, 'unsupported-algorithm');
      const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
      await refused({ pem: pemOf(pss) }, 'unsupported-algorithm');
      const dsa = generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey;
      await refused({ pem: pemOf(dsa) }, 'unsupported-algorithm');
    });

    it('are public ones', async () => {
      const { d: _d, ...open } = jwkOf(ec());
      await refused({ jwk: open }, 'invalid-key');
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      await refused({ pem: publicKey.export({ format: 'pem', type: 'spki' }) }, 'invalid-key');
    });

    it('are those whose public half belongs to another key', async () => {
      for (const make of [
        () => ec(),
        () => ec('P-384'),
        () => ec('P-521'),
        () => ec('secp256k1'),
        () => generateKeyPairSync('ed25519').privateKey,
        () => rsa(2048),
      ]) {
        const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...other } = jwkOf(make());
        await refused({ jwk: { ...jwkOf(make()), ...other } }, 'invalid-key');
      }
      // In PKCS#8 too, where the public half comes along.
      const [a, b] = [ec(), ec()].map((key) => key.export({ format: 'der', type: 'pkcs8' })) as [Buffer, Buffer];
      const mixed = Buffer.concat([a.subarray(0, -65), b.subarray(-65)]);
      const pem = `-----BEGIN PRIVATE KEY-----\n${mixed.toString('base64')}\n-----END PRIVATE KEY-----\n`;
      await refused({ pem }, 'invalid-key');
    });

    it('are those that are damaged', async () => {
      const jwk = jwkOf(ec());
      for (const change of [
        { d: base64url(Buffer.alloc(32)) },
        { d: '' },
        { d: 'not base64!' },
        { d: base64url(Buffer.alloc(32, 0xff)) },
        { d: base64url(Buffer.alloc(4096, 1)) },
        { d: 5 },
        { d: null },
        { d: ['A'] },
        { x: jwk.y },
        { x: undefined },
        { x: {} },
        { crv: 'P-384' },
        { crv: ['P-256'] },
        { crv: 'toString' },
        { kty: 'RSA' },
        { kty: 'OKP' },
        { kty: 'toString' },
      ])
        await refused({ jwk: { ...jwk, ...change } }, 'invalid-key');
      const okp = jwkOf(generateKeyPairSync('ed25519').privateKey);
      for (const change of [{ x: undefined }, { d: okp.d.slice(2) }, { x: okp.x.slice(2) }, { crv: 'P-256' }])
        await refused({ jwk: { ...okp, ...change } }, 'invalid-key');
      const full = jwkOf(rsa(2048));
      for (const change of [{ p: undefined }, { q: full.p }, { d: 'AQAB' }, { dp: 'AQ' }, { n: 'AA' }, { qi: 7 }]) {
        const person = await wallet.logIn();
        const answer = await person.post(KEYS, { jwk: { ...full, ...change } });
        // A part that is not needed to sign may be wrong; a key that is taken must sign.
        if (answer.status !== 201) assertProblem(answer, 422, 'invalid-key');
        else await assertSigns(answer.body);
      }
      await refused({ jwk: {} }, 'invalid-request', 400);
      await refused({ jwk: [] }, 'invalid-request', 400);
      await refused({ jwk: null }, 'invalid-request', 400);
    });

    async function assertSigns(key: any): Promise<void> {
      const { owner } = await keyRow(wallet, key.id);
      const signature = await wallet.service.keys.sign(owner, key.id, data);
      assert.equal(verifyWith(key.publicKeyJwk, key.algorithm, data, signature), true);
    }

    it('are PEM texts that are encrypted, huge, or something else', async () => {
      const key = ec();
      const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret' };
      await refused({ pem: key.export({ format: 'pem', type: 'pkcs8', ...cipher }) }, 'invalid-key');
      await refused({ pem: key.export({ format: 'pem', type: 'sec1', ...cipher }) }, 'invalid-key');
      await refused({ pem: `${pemOf(key)}${'#'.repeat(16_384)}` }, 'invalid-request', 400);
      await refused({ pem: '#'.repeat(300_000) }, 'too-large', 413);
      for (const pem of ['', 'x', '-----BEGIN PRIVATE KEY-----', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])
        await refused({ pem }, 'invalid-key');
      const long = Buffer.concat([Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]), Buffer.alloc(64)]).toString('base64');
      await refused({ pem: `-----BEGIN PRIVATE KEY-----\n${long}\n-----END PRIVATE KEY-----\n` }, 'invalid-key');
    });

    it('are objects that reach for a prototype', async () => {
      const person = await wallet.logIn();
      for (const name of ['__proto__', 'constructor', 'prototype']) {
        assertProblem(await person.post(KEYS, `{"jwk":{"kty":"EC","${name}":{"d":"AA"}}}`), 400, 'invalid-request');
        assertProblem(await person.post(KEYS, `{"${name}":{"default":true}}`), 400, 'invalid-request');
      }
      assertProblem(await person.post(KEYS, '{"jwk":{"kty":"EC","toString":1,"hasOwnProperty":2}}'), 422, 'invalid-key');
      assert.equal(({} as { d?: string }).d, undefined);
    });
  });

  describe('keys of somebody else', () => {
    it('cannot be rotated, revoked, purged, or given to a DID', async () => {
      const [person, thief] = [await wallet.logIn(), await wallet.logIn()];
      const key = await person.make('keys', { alias: 'mine' });
      const before = (await person.get(KEYS)).body;
      assertProblem(await thief.post(`${KEYS}/${key.id}/rotate`, {}), 404, 'not-found');
      assertProblem(await thief.post(`${KEYS}/${key.id}/revoke?force=true`, { successor: {} }), 404, 'not-found');
      assertProblem(await thief.delete(`${KEYS}/${key.id}?force=true`), 404, 'not-found');
      assertProblem(await thief.post(DIDS, { keyIds: [key.id] }), 422, 'key-not-active');
      assert.deepEqual((await person.get(KEYS)).body, before);
      assert.deepEqual((await thief.get(KEYS)).body, []);
      const { owner } = await keyRow(wallet, (await thief.make('keys')).id);
      await assert.rejects(wallet.service.keys.sign(owner, key.id, data), { code: 'key-not-active/named' });
    });

    it('do not open in a row of another owner, or under another id', async () => {
      const [person, thief] = [await wallet.logIn(), await wallet.logIn()];
      const [key, other, own] = [await person.make('keys'), await person.make('keys'), await thief.make('keys')];
      const row = await keyRow(wallet, key.id);
      const { owner: thiefOwner } = await keyRow(wallet, own.id);
      const sign = (owner: string, id: string) => wallet.service.keys.sign(owner, id, data);
      await sign(row.owner, other.id);
      await sign(thiefOwner, own.id);
      const kept = { wrapped_key: row.wrapped_key, material: row.material };
      await inDatabase(wallet, async (tx) => {
        for (const id of [other.id, own.id]) await tx.updateTable('keys').set(kept).where('id', '=', id).execute();
      });
      await assert.rejects(sign(row.owner, other.id));
      await assert.rejects(sign(thiefOwner, own.id));
      // The row as it is, handed to somebody else.
      await inDatabase(wallet, (tx) => tx.updateTable('keys').set({ owner: thiefOwner }).where('id', '=', key.id).execute());
      await assert.rejects(sign(thiefOwner, key.id));
      await assert.rejects(sign(row.owner, key.id), { code: 'key-not-active/named' });
      await inDatabase(wallet, (tx) => tx.updateTable('keys').set({ owner: row.owner }).where('id', '=', key.id).execute());
      assert.ok(await sign(row.owner, key.id));
    });

    it('do not open when a bit of what is kept is another', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const row = await keyRow(wallet, key.id);
      const flip = (text: string): string => `${text.slice(0, -8)}${text.at(-8) === 'A' ? 'B' : 'A'}${text.slice(-7)}`;
      for (const changed of [{ material: flip(row.material!) }, { wrapped_key: flip(row.wrapped_key!) }, { material: '' }]) {
        const whole = { material: row.material, wrapped_key: row.wrapped_key };
        await inDatabase(wallet, (tx) =>
          tx
            .updateTable('keys')
            .set({ ...whole, ...changed })
            .where('id', '=', key.id)
            .execute(),
        );
        await assert.rejects(wallet.service.keys.sign(row.owner, key.id, data));
      }
    });
  });

  describe('keys after their end', () => {
    it('are destroyed when they are revoked, and sign nothing', async () => {
      const person = await wallet.logIn();
      for (const [state, body] of [
        ['active', {}],
        ['active', { successor: {} }],
        ['rotated', {}],
      ] as const) {
        const key = await person.make('keys');
        if (state === 'rotated') await person.post(`${KEYS}/${key.id}/rotate`, {});
        const { owner, material } = await keyRow(wallet, key.id);
        assert.notEqual(material, null);
        assert.equal((await person.post(`${KEYS}/${key.id}/revoke`, body)).status, 200);
        const row = await keyRow(wallet, key.id);
        assert.deepEqual([row.state, row.material, row.wrapped_key], ['revoked', null, null]);
        for (const purpose of ['any', 'presentation'] as const)
          await assert.rejects(wallet.service.keys.sign(owner, key.id, data, purpose), { code: 'key-not-active/named' });
      }
    });

    it('only show credentials once they are rotated', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      await bindCredential(wallet, key.id);
      await person.post(`${KEYS}/${key.id}/rotate`, { gracePeriod: 'PT1S' });
      const { owner } = await keyRow(wallet, key.id);
      wallet.clock.advance(10);
      await wallet.service.sweep();
      await assert.rejects(wallet.service.keys.sign(owner, key.id, data), { code: 'key-not-active/named' });
      const signature = await wallet.service.keys.sign(owner, key.id, data, 'presentation');
      assert.equal(verifyWith(key.publicKeyJwk, 'ES256', data, signature), true);
      assertProblem(await person.post(DIDS, { keyIds: [key.id] }), 422, 'key-not-active');
    });

    it('never come back once they are purged', async () => {
      const person = await wallet.logIn();
      const brought = ec();
      const key = await person.make('keys', { jwk: jwkOf(brought) });
      assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
      assertProblem(await person.post(KEYS, { jwk: jwkOf(brought) }), 409, 'key-exists');
      assertProblem(await person.post(KEYS, { pem: pemOf(brought) }), 409, 'key-exists');
      // Another spelling of the same key has the same thumbprint.
      const padded = { ...jwkOf(brought), x: `${jwkOf(brought).x}=`, kid: 'another', ext: true };
      assertProblem(await person.post(KEYS, { jwk: padded }), 409, 'key-exists');
      assert.ok(createPrivateKey(pemOf(brought)));
    });
  });
});

for (const kind of databasesInTurn('A new master key')) {
  describe(`A new master key (${kind})`, () => {
    it('opens every key once they are sealed anew, and the old one opens none', async (t) => {
      const wallet = new TestWallet(kind);
      await wallet.start();
      t.after(() => wallet.stop());
      const person = await wallet.logIn();
      const keys = [await person.make('keys'), await person.make('keys', { algorithm: 'EdDSA' })];
      await person.post(`${KEYS}/${keys[0].id}/rotate`, {});
      const revoked = await person.make('keys');
      await person.post(`${KEYS}/${revoked.id}/revoke`, {});
      const { owner, material } = await keyRow(wallet, keys[1].id);
      const sign = (key: any) => wallet.service.keys.sign(owner, key.id, data, 'presentation');
      const reopen = async (masterKeys: string[]) => {
        await wallet.service.stop(1000);
        await wallet.open(masterKeys);
      };

      const fresh = newMasterKey();
      await reopen([fresh, wallet.masterKey]);
      for (const key of keys) await sign(key);
      await wallet.service.stop(1000);
      const options = { config: wallet.config, dataDir: wallet.folder, seal: createSeal([fresh, wallet.masterKey]) };
      const { count } = await resealWallet(options);
      // Three keys with what a rotation made, the node's, and a session at least.
      assert.ok(count >= 5, String(count));
      assert.deepEqual(await resealWallet(options), { count: 0, damaged: [] });
      await wallet.open([fresh]);
      for (const key of keys) assert.equal(verifyWith(key.publicKeyJwk, key.algorithm, data, await sign(key)), true);
      // Only the data key was sealed anew.
      assert.equal((await keyRow(wallet, keys[1].id)).material, material);
      assert.equal((await wallet.get('/readyz')).status, 200);

      await reopen([wallet.masterKey]);
      for (const key of keys) await assert.rejects(sign(key), /master key/);
    });
  });
}
