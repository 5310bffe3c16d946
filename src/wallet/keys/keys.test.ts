// POST and GET /api/v1/wallet/keys, through HTTP, on both databases: making, importing, listing.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { keyRow } from '../../../test/support/wallet-rows.ts';
import { type Algorithm, type PublicJwk, verifyWith } from '../../verifiable/jose/index.ts';

const KEYS = '/api/v1/wallet/keys';

/** By algorithm: what the key looks like, and how somebody else makes one. */
const KINDS: Record<Algorithm, { kty: string; crv?: string; pair: () => KeyObject }> = {
  ES256: { kty: 'EC', crv: 'P-256', pair: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey },
  ES384: { kty: 'EC', crv: 'P-384', pair: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey },
  ES512: { kty: 'EC', crv: 'P-521', pair: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey },
  ES256K: { kty: 'EC', crv: 'secp256k1', pair: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', pair: () => generateKeyPairSync('ed25519').privateKey },
  RS256: { kty: 'RSA', pair: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey },
  PS256: { kty: 'RSA', pair: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey },
};
const ALL = Object.entries(KINDS) as [Algorithm, (typeof KINDS)[Algorithm]][];

const publicMembers = ({ kty, crv, x, y, n, e }: any): PublicJwk =>
  JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as PublicJwk;

onEachWallet('Keys', (wallet) => {
  /** What the wallet signs with it, whoever has the public key can verify. */
  async function assertSigns(key: any, jwk: PublicJwk = publicMembers(key.publicKeyJwk)): Promise<void> {
    const { owner } = await keyRow(wallet, key.id);
    const data = Buffer.from('what is signed');
    const signature = await wallet.service.keys.sign(owner, key.id, data);
    assert.equal(verifyWith(jwk, key.algorithm, data, signature), true);
    assert.equal(verifyWith(jwk, key.algorithm, Buffer.from('another text'), signature), false);
  }

  describe('making keys', () => {
    for (const [algorithm, { kty, crv }] of ALL) {
      it(`makes a key for ${algorithm}, and lists it as it answered`, async () => {
        const person = await wallet.logIn();
        const answer = await person.post(KEYS, { algorithm });
        assert.equal(answer.status, 201, answer.text);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        const key = answer.body;
        assert.match(key.id, /^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
        assert.equal(answer.headers.get('location'), `${KEYS}/${key.id}`);
        assert.deepEqual((await person.get(`${KEYS}/${key.id}`)).body, key);
        const { id: _id, kid, createdAt, publicKeyJwk, ...rest } = key;
        assert.deepEqual(rest, {
          algorithm,
          kty,
          ...(crv ? { crv } : {}),
          state: 'active',
          default: true,
          use: ['authentication', 'assertionMethod'],
          storage: 'software',
          dids: [],
          credentialCount: 0,
        });
        assert.ok(Math.abs(Date.parse(createdAt) - wallet.clock.now()) < 10_000);
        assert.equal(kid, await calculateJwkThumbprint(publicMembers(publicKeyJwk) as never));
        assert.deepEqual(publicKeyJwk, { ...publicMembers(publicKeyJwk), kid, alg: algorithm });
        const list = await person.get(KEYS);
        assert.equal(list.status, 200);
        assert.equal(list.headers.get('cache-control'), 'no-store');
        assert.deepEqual(list.body, [key]);
        await assertSigns(key);
      });
    }

    it('makes an ES256 key when nothing is said, with and without a body', async () => {
      const person = await wallet.logIn();
      assert.equal((await person.make('keys', {})).algorithm, 'ES256');
      const bare = await person.post(KEYS);
      assert.equal(bare.status, 201, bare.text);
      assert.equal(bare.body.algorithm, 'ES256');
    });

    it('keeps an alias, which no other active key may have', async () => {
      const [person, other] = [await wallet.logIn(), await wallet.logIn()];
      const key = await person.make('keys', { alias: 'signing ✍' });
      assert.equal(key.alias, 'signing ✍');
      assertProblem(await person.post(KEYS, { alias: 'signing ✍' }), 409, 'alias-taken', /signing ✍/);
      assert.equal((await other.make('keys', { alias: 'signing ✍' })).alias, 'signing ✍');
      assert.equal((await person.post(`${KEYS}/${key.id}/revoke`, {})).status, 200);
      assert.equal((await person.make('keys', { alias: 'signing ✍' })).alias, 'signing ✍');
    });

    it('makes the first key the default, and another only when told so', async () => {
      const person = await wallet.logIn();
      const first = await person.make('keys');
      const second = await person.make('keys');
      const third = await person.make('keys', { default: true });
      assert.deepEqual([first.default, second.default, third.default], [true, false, true]);
      const { body } = await person.get(KEYS);
      assert.deepEqual(
        body.filter((key: any) => key.default).map((key: any) => key.id),
        [third.id],
      );
    });

    it('leaves a wallet without a default key when told so', async () => {
      const person = await wallet.logIn();
      assert.equal((await person.make('keys', { default: false })).default, false);
      assert.equal((await person.make('keys')).default, true);
    });

    it('keeps what a key is for, and lets only ES256 agree on keys', async () => {
      const person = await wallet.logIn();
      const use = ['keyAgreement', 'authentication'];
      assert.deepEqual((await person.make('keys', { use })).use, use);
      assertProblem(await person.post(KEYS, { algorithm: 'EdDSA', use }), 422, 'unsupported-algorithm', /keyAgreement/);
      for (const wrong of [[], ['signing'], ['authentication', 'authentication'], 'authentication'])
        assertProblem(await person.post(KEYS, { use: wrong }), 400, 'invalid-request');
    });

    it('refuses algorithms there are not', async () => {
      const person = await wallet.logIn();
      for (const algorithm of ['HS256', 'HS512', 'none', 'None', 'es256', 'ES256 ', 'RS512', 'Ed448', 'toString', '__proto__'])
        assertProblem(await person.post(KEYS, { algorithm }), 422, 'unsupported-algorithm');
      assert.deepEqual((await person.get(KEYS)).body, []);
    });

    it('refuses storage there is not', async () => {
      const person = await wallet.logIn();
      assertProblem(await person.post(KEYS, { storage: 'pkcs11' }), 422, 'unsupported-storage', /pkcs11/);
      const pem = KINDS.ES256.pair().export({ type: 'pkcs8', format: 'pem' });
      assertProblem(await person.post(KEYS, { storage: 'pkcs11', pem }), 422, 'unsupported-storage');
      assertProblem(await person.post(KEYS, { storage: 'cloud' }), 400, 'invalid-request', /storage/);
    });
  });

  describe('importing keys', () => {
    for (const [algorithm, { kty, crv, pair }] of ALL) {
      it(`takes a JWK and a PEM for ${algorithm}, and signs with them`, async () => {
        const person = await wallet.logIn();
        const [first, second] = [pair(), pair()];
        // Of an RSA key nothing says which of the two algorithms it is for.
        const said = algorithm === 'PS256' ? { algorithm } : {};
        const jwk = first.export({ format: 'jwk' });
        const byJwk = await person.make('keys', { ...said, jwk, alias: 'by JWK' });
        const byPem = await person.make('keys', {
          ...said,
          pem: second.export({ format: 'pem', type: 'pkcs8' }),
          alias: 'by PEM',
        });
        for (const [key, own] of [
          [byJwk, first],
          [byPem, second],
        ] as const) {
          const members = publicMembers(own.export({ format: 'jwk' }));
          assert.deepEqual([key.algorithm, key.kty, key.crv, key.state], [algorithm, kty, crv, 'active']);
          assert.deepEqual(publicMembers(key.publicKeyJwk), members);
          assert.equal(key.kid, await calculateJwkThumbprint(members as never));
          await assertSigns(key, members);
        }
        assertProblem(await person.post(KEYS, { ...said, jwk }), 409, 'key-exists');
      });
    }

    it('goes by the alg of a JWK, unless another algorithm is named', async () => {
      const person = await wallet.logIn();
      const [one, other] = [KINDS.PS256.pair(), KINDS.PS256.pair()].map((key) => key.export({ format: 'jwk' }));
      assert.equal((await person.make('keys', { jwk: { ...one, alg: 'PS256', use: 'sig', kid: 'mine' } })).algorithm, 'PS256');
      assert.equal((await person.make('keys', { jwk: { ...other, alg: 'PS256' }, algorithm: 'RS256' })).algorithm, 'RS256');
    });

    it('takes the older PEM forms of OpenSSL', async () => {
      const person = await wallet.logIn();
      const sec1 = KINDS.ES256.pair().export({ type: 'sec1', format: 'pem' });
      const pkcs1 = KINDS.RS256.pair().export({ type: 'pkcs1', format: 'pem' });
      assert.equal((await person.make('keys', { pem: sec1 })).algorithm, 'ES256');
      assert.equal((await person.make('keys', { pem: pkcs1 })).algorithm, 'RS256');
    });

    it('refuses a key that is for another algorithm than named', async () => {
      const person = await wallet.logIn();
      const jwk = KINDS.ES256.pair().export({ format: 'jwk' });
      assertProblem(await person.post(KEYS, { jwk, algorithm: 'ES384' }), 422, 'unsupported-algorithm', /ES256/);
      assertProblem(await person.post(KEYS, { jwk: { ...jwk, alg: 'ECDH-ES' } }), 422, 'unsupported-algorithm');
      assertProblem(await person.post(KEYS, { jwk, algorithm: 'HS256' }), 422, 'unsupported-algorithm');
    });

    it('refuses both at once', async () => {
      const person = await wallet.logIn();
      const key = KINDS.ES256.pair();
      const body = { jwk: key.export({ format: 'jwk' }), pem: key.export({ format: 'pem', type: 'pkcs8' }) };
      assertProblem(await person.post(KEYS, body), 400, 'invalid-request', /not both/);
    });

    it('lets two wallets have the same key, and one not twice', async () => {
      const [person, other] = [await wallet.logIn(), await wallet.logIn()];
      const jwk = KINDS.EdDSA.pair().export({ format: 'jwk' });
      const key = await person.make('keys', { jwk });
      assert.equal((await other.make('keys', { jwk })).kid, key.kid);
      assertProblem(await person.post(KEYS, { jwk }), 409, 'key-exists');
      await person.post(`${KEYS}/${key.id}/revoke`, {});
      assertProblem(await person.post(KEYS, { jwk }), 409, 'key-exists');
    });
  });

  describe('listing keys', () => {
    it('lists an empty wallet as an empty array', async () => {
      const person = await wallet.logIn();
      assert.deepEqual((await person.get(KEYS)).body, []);
    });

    it('filters by state and algorithm', async () => {
      const person = await wallet.logIn();
      const active = await person.make('keys', { algorithm: 'EdDSA' });
      const old = await person.make('keys', { algorithm: 'ES256' });
      const successor = (await person.post(`${KEYS}/${old.id}/rotate`, {})).body;
      const ended = await person.make('keys', { algorithm: 'EdDSA' });
      await person.post(`${KEYS}/${ended.id}/revoke`, {});
      const found = async (query: string) => (await person.get(`${KEYS}?${query}`)).body.map((key: any) => key.id).sort();
      assert.deepEqual(await found('state=active'), [active.id, successor.id].sort());
      assert.deepEqual(await found('state=rotated'), [old.id]);
      assert.deepEqual(await found('state=revoked'), [ended.id]);
      assert.deepEqual(await found('algorithm=EdDSA'), [active.id, ended.id].sort());
      assert.deepEqual(await found('algorithm=EdDSA&state=active'), [active.id]);
      assert.deepEqual(await found('algorithm=HS256'), []);
      assert.deepEqual(await found('limit=200'), [active.id, old.id, successor.id, ended.id].sort());
      assertProblem(await person.get(`${KEYS}?state=lost`), 400, 'invalid-request', /state/);
    });

    it('pages with a cursor, which the Link header has', async () => {
      const person = await wallet.logIn();
      const ids = new Set<string>();
      for (let i = 0; i < 5; i++) ids.add((await person.make('keys', { algorithm: 'EdDSA' })).id);
      await person.make('keys', { algorithm: 'ES256' });
      const pages: string[][] = [];
      let url: string | undefined = `${wallet.url}${KEYS}?algorithm=EdDSA&limit=2`;
      while (url) {
        assert.ok(url.startsWith(`${wallet.url}${KEYS}?`), url);
        const answer: any = await person.get(url.slice(wallet.url.length));
        assert.equal(answer.status, 200, answer.text);
        pages.push(answer.body.map((key: any) => key.id));
        const link: string | null = answer.headers.get('link');
        url = link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)![1];
      }
      assert.deepEqual(
        pages.map((page) => page.length),
        [2, 2, 1],
      );
      assert.deepEqual(pages.flat(), [...ids].sort());
    });

    it('has fifty keys on a page, at most two hundred, and says when there are more', async () => {
      const person = await wallet.logIn();
      await Promise.all(Array.from({ length: 51 }, () => person.make('keys', { algorithm: 'EdDSA' })));
      const first = await person.get(KEYS);
      assert.equal(first.body.length, 50);
      assert.match(first.headers.get('link') ?? '', /rel="next"/);
      const all = await person.get(`${KEYS}?limit=200`);
      assert.equal(all.body.length, 51);
      assert.equal(all.headers.get('link'), null);
      // The page that ends with the last key has no other after it.
      assert.equal((await person.get(`${KEYS}?limit=51`)).headers.get('link'), null);
      for (const wrong of ['limit=201', 'limit=0', 'limit=-1', 'limit=1e2', 'limit=', 'cursor=x', 'cursor=%27--', 'page=2'])
        assertProblem(await person.get(`${KEYS}?${wrong}`), 400, 'invalid-request');
    });

    it('shows the DIDs that carry a key', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      await person.get(KEYS);
      const did = await person.make('dids', { keyIds: [key.id] });
      const self = await person.make('dids', { method: 'key', keyIds: [key.id] });
      assert.deepEqual((await person.get(KEYS)).body[0].dids.sort(), [did.did, self.did].sort());
      assert.equal((await person.delete(`/api/v1/wallet/dids/${self.id}`)).status, 204);
      assert.deepEqual((await person.get(KEYS)).body[0].dids, [did.did]);
    });
  });

  describe('repeating a request', () => {
    const headers = { 'Idempotency-Key': 'f1' };

    it('answers with the key the first one made', async () => {
      const [person, other] = [await wallet.logIn(), await wallet.logIn()];
      const body = { algorithm: 'EdDSA', alias: 'once' };
      const first = await person.post(KEYS, body, { headers });
      // The same request, spelled in another order.
      const again = await person.post(KEYS, { alias: 'once', algorithm: 'EdDSA' }, { headers });
      assert.deepEqual([first.status, again.status], [201, 201]);
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers.get('location'), first.headers.get('location'));
      assert.equal((await person.get(KEYS)).body.length, 1);
      assert.notEqual((await other.post(KEYS, body, { headers })).body.id, first.body.id);
    });

    it('refuses another request with the same Idempotency-Key', async () => {
      const person = await wallet.logIn();
      await person.post(KEYS, { alias: 'one' }, { headers });
      assertProblem(await person.post(KEYS, { alias: 'two' }, { headers }), 409, 'idempotency-key-reused');
      assert.equal((await person.get(KEYS)).body.length, 1);
    });

    it('makes one key of requests that come at the same time', async () => {
      const person = await wallet.logIn();
      const answers = await Promise.all(Array.from({ length: 8 }, () => person.post(KEYS, { alias: 'one' }, { headers })));
      for (const answer of answers) assert.equal(answer.status, 201, answer.text);
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
      assert.equal((await person.get(KEYS)).body.length, 1);
    });

    it('does not remember a request that failed', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { alias: 'taken' });
      assertProblem(await person.post(KEYS, { alias: 'taken' }, { headers }), 409, 'alias-taken');
      await person.post(`${KEYS}/${key.id}/revoke`, {});
      assert.equal((await person.post(KEYS, { alias: 'taken' }, { headers })).status, 201);
    });

    it('says so when what the first one made is gone', async () => {
      const person = await wallet.logIn();
      const { body: key } = await person.post(KEYS, {}, { headers });
      assert.equal((await person.delete(`${KEYS}/${key.id}`)).status, 204);
      assertProblem(await person.post(KEYS, {}, { headers }), 409, 'idempotent-result-gone');
    });

    it('refuses an Idempotency-Key that is none', async () => {
      const person = await wallet.logIn();
      for (const wrong of ['', 'x'.repeat(201), 'two words', 'ü'])
        assertProblem(await person.post(KEYS, {}, { headers: { 'Idempotency-Key': wrong } }), 400, 'invalid-request');
    });

    it('forgets an Idempotency-Key after a day', async () => {
      const person = await wallet.logIn();
      const { body: first } = await person.post(KEYS, {}, { headers });
      wallet.clock.advance(86_401);
      const later = await wallet.logIn(person.name);
      const { body: second } = await later.post(KEYS, {}, { headers });
      assert.notEqual(second.id, first.id);
      assert.equal((await later.post(KEYS, {}, { headers })).body.id, second.id);
    });
  });

  describe('requests that are wrong', () => {
    /** Every request about keys, with an id where it takes one. */
    const routes = (id: string): [method: string, path: string][] => [
      ['POST', `${KEYS}/${id}/rotate`],
      ['POST', `${KEYS}/${id}/revoke`],
      ['DELETE', `${KEYS}/${id}`],
    ];

    it('needs a session for each of them', async () => {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      for (const [method, path] of [['GET', KEYS], ['POST', KEYS], ...routes(id)] as const) {
        const answer = await wallet.request(method, path, method === 'POST' ? { body: {} } : {});
        assertProblem(answer, 401, 'not-authenticated');
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Session realm="wallet"/);
      }
      assert.equal((await person.get(KEYS)).body[0].state, 'active');
    });

    it('finds no key of somebody else, of nobody, or of no such form', async () => {
      const [person, other] = [await wallet.logIn(), await wallet.logIn()];
      const { id } = await other.make('keys');
      const before = (await other.get(KEYS)).body;
      for (const unknown of [id, 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x', `${id.toLowerCase()}`, '%F0%9F%94%91', "'%20or%201=1--"])
        for (const [method, path] of routes(unknown)) assertProblem(await person.request(method, path), 404, 'not-found', /key/);
      for (const [method, path] of routes('%00')) assertProblem(await person.request(method, path), 400, 'invalid-request');
      assert.deepEqual((await other.get(KEYS)).body, before);
      assert.deepEqual((await person.get(KEYS)).body, []);
    });

    it('refuses members it does not know, and names them', async () => {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      for (const path of [KEYS, `${KEYS}/${id}/rotate`, `${KEYS}/${id}/revoke`]) {
        const { errors } = assertProblem(await person.post(path, { colour: 'red' }), 400, 'invalid-request', /colour/);
        assert.deepEqual(errors, [{ field: 'colour', message: 'it is not a property of this object' }]);
      }
      assertProblem(await person.post(`${KEYS}/${id}/revoke`, { successor: { colour: 1 } }), 400, 'invalid-request', /colour/);
      assertProblem(await person.delete(`${KEYS}/${id}?forced=true`), 400, 'invalid-request', /forced/);
      assertProblem(await person.delete(`${KEYS}/${id}?force=yes`), 400, 'invalid-request', /force/);
    });

    it('refuses bodies that are no JSON, no object, or too large', async () => {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      for (const path of [KEYS, `${KEYS}/${id}/rotate`, `${KEYS}/${id}/revoke`]) {
        for (const wrong of [
          '{"alias":',
          '[]',
          '"ES256"',
          '12',
          '{"alias":"\\u0000"}',
          '{"alias":"\\ud800"}',
          '{"__proto__":{}}',
        ])
          assertProblem(await person.post(path, wrong), 400, 'invalid-request');
        const headers = { 'Content-Type': 'text/plain' };
        assertProblem(await person.post(path, '{}', { headers }), 415, 'unsupported-media-type');
        assertProblem(await person.post(path, { alias: 'x'.repeat(300_000) }), 413, 'too-large');
      }
      for (const alias of ['', 'x'.repeat(101), 'a\nb', 7, null])
        assertProblem(await person.post(KEYS, { alias }), 400, 'invalid-request', /alias/);
    });

    it('says which methods there are', async () => {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      for (const [path, method, allowed] of [
        [KEYS, 'DELETE', ['GET', 'HEAD', 'POST']],
        [`${KEYS}/${id}`, 'PATCH', ['DELETE', 'GET', 'HEAD']],
        [`${KEYS}/${id}/rotate`, 'GET', ['POST']],
        [`${KEYS}/${id}/revoke`, 'PUT', ['POST']],
      ] as const) {
        const answer = await person.request(method, path);
        assertProblem(answer, 405, 'method-not-allowed');
        assert.deepEqual((answer.headers.get('allow') ?? '').split(', ').sort(), allowed);
      }
    });
  });
});
