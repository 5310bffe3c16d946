// Provisioning DIDs, through HTTP, on both databases. Their later lifecycle: lifecycle.test.ts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';

let names = 0;
/** Names are never released, so each test uses its own. */
const newName = (): string => `name-${++names}`;

const create = (person: WalletUser, body: unknown, headers = {}) => person.post(DIDS, body, { headers });
const listed = async (person: WalletUser, query = ''): Promise<any[]> => (await person.get(DIDS + query)).body;

onEachWallet('Provisioning DIDs', (wallet) => {
  const host = () => `localhost%3A${new URL(wallet.url).port}`;

  describe('did:web', () => {
    it('is made with a key of its own and a random name when nothing is said', async () => {
      const person = await wallet.logIn();
      const answer = await create(person, {});
      assert.equal(answer.status, 201, answer.text);
      const did = answer.body;
      assert.match(did.id, /^did_[0-9A-HJKMNP-TV-Z]{26}$/);
      assert.equal(answer.headers.get('location'), `${DIDS}/${did.id}`);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const [, name] = /^did:web:localhost%3A\d+:dids:([a-z0-9-]{16,63})$/.exec(did.did) ?? [];
      assert.ok(name, did.did);
      assert.ok(did.did.startsWith(`did:web:${host()}:`));
      assert.equal(did.documentUrl, `${wallet.url}/dids/${name}/did.json`);
      assert.deepEqual([did.method, did.state, did.default, did.versionId], ['web', 'draft', true, 1]);
      assert.deepEqual([did.service, did.publishedAt, did.unpublishedAt, did.alias], [[], undefined, undefined, undefined]);
      assert.ok(Math.abs(Date.parse(did.createdAt) - wallet.clock.now()) < 60_000);

      const [key] = (await person.get(KEYS)).body;
      assert.deepEqual([key.algorithm, key.state, key.dids], ['ES256', 'active', [did.did]]);
      const method = `${did.did}#${key.kid}`;
      assert.deepEqual(did.keys, [
        {
          keyId: key.id,
          kid: key.kid,
          verificationMethod: method,
          relationships: ['authentication', 'assertionMethod'],
          state: 'active',
        },
      ]);
      const { alg: _, ...publicKeyJwk } = key.publicKeyJwk;
      assert.deepEqual(did.document, {
        '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'],
        id: did.did,
        verificationMethod: [{ id: method, type: 'JsonWebKey', controller: did.did, publicKeyJwk }],
        authentication: [method],
        assertionMethod: [method],
      });

      const other = await person.make('dids');
      assert.notEqual(other.did, did.did);
      assert.equal(other.default, false);
    });

    it('has the name that is asked for, of 1 to 63 small letters, digits and hyphens', async () => {
      const person = await wallet.logIn();
      const [letter] = wallet.kind;
      const long = `${newName()}-`.padEnd(63, 'x');
      for (const path of [letter!.toLowerCase(), long, `-${newName()}-`]) {
        const did = await person.make('dids', { path });
        assert.equal(did.did, `did:web:${host()}:dids:${path}`);
      }
      for (const path of ['', 'x'.repeat(64), 'Capital', 'a_b', 'a.b', 'a/b', '..', 'ä', 'a b', 'a%2Fb', '.well-known', 'a\n'])
        assertProblem(await create(person, { path }), 400, 'invalid-request');
    });

    it('carries the keys that are named, in their order, with what each is for', async () => {
      const person = await wallet.logIn();
      const first = await person.make('keys', { algorithm: 'EdDSA', use: ['assertionMethod'] });
      const second = await person.make('keys', { use: ['keyAgreement', 'authentication'] });
      const did = await person.make('dids', { keyIds: [second.id, first.id] });
      assert.deepEqual(
        did.keys.map(({ keyId, relationships }: any) => [keyId, relationships]),
        [
          [second.id, ['keyAgreement', 'authentication']],
          [first.id, ['assertionMethod']],
        ],
      );
      const { document } = did;
      assert.deepEqual(document.keyAgreement, [`${did.did}#${second.kid}`]);
      assert.deepEqual(document.authentication, [`${did.did}#${second.kid}`]);
      assert.deepEqual(document.assertionMethod, [`${did.did}#${first.kid}`]);
      assert.equal((await person.get(KEYS)).body.length, 2, 'no other key was made');
    });

    it('refuses keys that are revoked, rotated, unknown, or of somebody else', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const [good, rotated, revoked] = [await person.make('keys'), await person.make('keys'), await person.make('keys')];
      const foreign = await stranger.make('keys');
      await person.post(`${KEYS}/${rotated.id}/rotate`, {});
      await person.post(`${KEYS}/${revoked.id}/revoke`, {});
      for (const id of [rotated.id, revoked.id, foreign.id, 'key_01KA2Z9Q1V8YB3T5M7N9P1R3S5', ''])
        for (const keyIds of [[id], [good.id, id]]) assertProblem(await create(person, { keyIds }), 422, 'key-not-active');
      assert.deepEqual(await listed(person), []);
    });

    it('refuses a list of keys that is empty, repeats one, or is too long', async () => {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      for (const keyIds of [[], [id, id], Array.from({ length: 21 }, (_, at) => `key_${at}`), id, [1]])
        assertProblem(await create(person, { keyIds }), 400, 'invalid-request');
    });
  });

  describe('did:key and did:jwk', () => {
    it('are published at once, and have no address', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      for (const method of ['key', 'jwk']) {
        const did = await person.make('dids', { method, keyIds: [key.id] });
        assert.ok(did.did.startsWith(`did:${method}:`));
        assert.deepEqual([did.method, did.state, did.documentUrl], [method, 'published', undefined]);
        assert.ok(did.publishedAt);
        assert.equal(did.document.id, did.did);
        assert.equal(did.keys[0].verificationMethod, did.document.verificationMethod[0].id);
        assert.equal(did.keys[0].keyId, key.id);
        const { x, y } = did.document.verificationMethod[0].publicKeyJwk;
        assert.deepEqual([x, y], [key.publicKeyJwk.x, key.publicKeyJwk.y]);
        assertProblem(await create(person, { method, keyIds: [key.id] }), 409, 'did-exists');
      }
    });

    it('are made with a new key when none is named', async () => {
      const person = await wallet.logIn();
      for (const method of ['key', 'jwk']) await person.make('dids', { method });
      assert.deepEqual(
        (await person.get(KEYS)).body.map(({ algorithm, dids }: any) => [algorithm, dids.length]),
        [
          ['ES256', 1],
          ['ES256', 1],
        ],
      );
    });

    it('have one key, and no path, services or other names', async () => {
      const person = await wallet.logIn();
      const keyIds = [(await person.make('keys')).id, (await person.make('keys')).id];
      const service = [{ type: 'Site', serviceEndpoint: 'https://example.org' }];
      for (const method of ['key', 'jwk'])
        for (const more of [{ path: newName() }, { service }, { alsoKnownAs: ['https://example.org'] }, { keyIds }])
          assertProblem(await create(person, { method, ...more }), 400, 'invalid-request');
    });

    it('are shown by the DID itself, however long it is', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { algorithm: 'RS256' });
      for (const method of ['key', 'jwk']) {
        const did = await person.make('dids', { method, keyIds: [key.id] });
        assert.ok(did.did.length > 300);
        const found = await person.get(`${DIDS}/${encodeURIComponent(did.did)}`);
        assert.equal(found.status, 200, found.text);
        assert.deepEqual(found.body, did);
      }
    });
  });

  it('refuses methods it does not know', async () => {
    const person = await wallet.logIn();
    for (const method of ['ebsi', 'WEB', 'web ', 'constructor'])
      assertProblem(await create(person, { method }), 422, 'unsupported-did-method');
    assertProblem(await create(person, { method: '' }), 400, 'invalid-request');
    assert.deepEqual(await listed(person), []);
  });

  describe('services and other names', () => {
    it('makes service ids absolute, and gives one to those without', async () => {
      const person = await wallet.logIn();
      const path = newName();
      const did = `did:web:${host()}:dids:${path}`;
      const site = 'https://example.org/site';
      const made = await person.make('dids', {
        path,
        alsoKnownAs: ['https://example.org/me', 'did:web:example.org'],
        service: [
          { id: 'hub', type: 'Hub', serviceEndpoint: site },
          { id: '#site', type: 'Site', serviceEndpoint: [site, { uri: site, accept: ['a'] }] },
          { id: `${did}#whole`, type: 'Whole', serviceEndpoint: { origins: [site] } },
          { type: 'Nameless', serviceEndpoint: 'did:web:example.org' },
        ],
      });
      const service = [
        { id: `${did}#hub`, type: 'Hub', serviceEndpoint: site },
        { id: `${did}#site`, type: 'Site', serviceEndpoint: [site, { uri: site, accept: ['a'] }] },
        { id: `${did}#whole`, type: 'Whole', serviceEndpoint: { origins: [site] } },
        { id: `${did}#service-4`, type: 'Nameless', serviceEndpoint: 'did:web:example.org' },
      ];
      assert.deepEqual(made.service, service);
      assert.deepEqual(made.document.service, service);
      assert.deepEqual(made.document.alsoKnownAs, ['https://example.org/me', 'did:web:example.org']);
      assert.deepEqual((await person.get(`${DIDS}/${made.id}`)).body, made);
    });

    it('refuses two services of one id, however it is written', async () => {
      const person = await wallet.logIn();
      const [type, serviceEndpoint] = ['Site', 'https://example.org'];
      for (const ids of [
        ['a', '#a'],
        [undefined, 'service-1'],
        ['b', 'b'],
      ]) {
        const service = ids.map((id) => ({ ...(id ? { id } : {}), type, serviceEndpoint }));
        assertProblem(await create(person, { service }), 400, 'invalid-request');
      }
    });

    it('refuses ids that are no fragment, and those of other DIDs', async () => {
      const person = await wallet.logIn();
      for (const id of ['', 'a b', 'did:web:other.example#a', 'https://example.org/#a', '##a', 'a/b', 'a"b'])
        assertProblem(
          await create(person, { service: [{ id, type: 'Site', serviceEndpoint: 'https://example.org' }] }),
          400,
          'invalid-request',
        );
    });

    it('refuses endpoints that are no address, or would run something', async () => {
      const person = await wallet.logIn();
      const bad: unknown[] = [
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        ' javascript:alert(1)',
        'java\nscript:alert(1)',
        '\u0001javascript:alert(1)',
        'data:text/html,<script>',
        'vbscript:x',
        'relative/path',
        '/path',
        '',
        'https://',
        'https://example.org/ a',
        `https://example.org/${'x'.repeat(2000)}`,
        [],
        ['https://example.org', 'javascript:alert(1)'],
        [['https://example.org']],
        { uri: 'javascript:alert(1)' },
        { uri: { transaction: ['https://example.org', 'java\tscript:alert(1)'] } },
        [{ uri: ' data:text/html,x' }],
        { uri: 'x'.repeat(4001) },
        null,
        5,
        true,
      ];
      for (const serviceEndpoint of bad) {
        const answer = await create(person, { service: [{ type: 'Site', serviceEndpoint }] });
        assert.equal(answer.status, 400, `${JSON.stringify(serviceEndpoint)}: ${answer.text}`);
      }
      assertProblem(await create(person, { service: [{ type: 'Site' }] }), 400, 'invalid-request');
      assert.deepEqual(await listed(person), []);
    });

    it('refuses other names that are no addresses', async () => {
      const person = await wallet.logIn();
      for (const name of ['me', ' javascript:alert(1)', 'javascript:alert(1)', 'https://', ''])
        assertProblem(await create(person, { alsoKnownAs: [name] }), 400, 'invalid-request');
    });
  });

  describe('alias and default', () => {
    it('keeps an alias, which no other DID of the wallet can have', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const did = await person.make('dids', { alias: 'the company' });
      assert.equal(did.alias, 'the company');
      assertProblem(await create(person, { alias: 'the company' }), 409, 'alias-taken');
      assert.equal((await stranger.make('dids', { alias: 'the company' })).alias, 'the company');
      assert.equal((await person.delete(`${DIDS}/${did.id}`)).status, 204);
      await person.make('dids', { alias: 'the company' });
      for (const alias of ['', 'a\u0000b', 'x'.repeat(101)])
        assertProblem(await create(person, { alias }), 400, 'invalid-request');
    });

    it('has one default: the first, until another is made so, and the newest when it goes', async () => {
      const person = await wallet.logIn();
      const defaults = async () => (await listed(person)).filter((one) => one.default).map(({ id }) => id);
      const first = await person.make('dids');
      await person.make('dids');
      assert.deepEqual(await defaults(), [first.id]);
      const third = await person.make('dids', { default: true });
      assert.equal(third.default, true);
      assert.deepEqual(await defaults(), [third.id]);
      assert.equal((await person.delete(`${DIDS}/${third.id}`)).status, 204);
      assert.deepEqual(await defaults(), [
        (await listed(person))
          .map(({ id }) => id)
          .sort()
          .at(-1),
      ]);
    });
  });

  describe("alexandria's way to ask", () => {
    it('is understood', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const { port } = new URL(wallet.url);
      for (const domain of [`localhost:${port}`, `LOCALHOST%3a${port}`, undefined]) {
        const path = newName();
        const did = await person.make('dids', { builder: { method: 'web', domain, path }, keys: [key.id] });
        assert.equal(did.did, `did:web:${host()}:dids:${path}`);
        assert.deepEqual(
          did.keys.map(({ keyId }: any) => keyId),
          [key.id],
        );
      }
      assert.equal((await person.make('dids', { builder: { method: 'jwk' }, keys: [key.id] })).method, 'jwk');
    });

    it('refuses domains of others, and what is no domain', async () => {
      const person = await wallet.logIn();
      for (const domain of ['example.org', 'localhost', 'localhost:1', '', '%', '%E0%A4%A'])
        assertProblem(await create(person, { builder: { method: 'web', domain } }), 422, 'domain-not-hosted');
    });

    it('does not mix with ours', async () => {
      const person = await wallet.logIn();
      const { id } = await person.make('keys');
      for (const body of [
        { keyIds: [id], keys: [id] },
        { method: 'web', builder: { method: 'web' } },
        { path: newName(), builder: { path: newName() } },
      ])
        assertProblem(await create(person, body), 400, 'invalid-request');
    });
  });

  describe('what is refused of every request', () => {
    it('has a member we do not know, at any depth, and names it', async () => {
      const person = await wallet.logIn();
      const service = { type: 'Site', serviceEndpoint: 'https://example.org', more: 1 };
      for (const [field, body] of [
        ['surprise', { surprise: 1 }],
        ['builder.surprise', { builder: { surprise: 1 } }],
        ['service.0.more', { service: [service] }],
        ["it's: {one}.", { "it's: {one}.": 1 }],
      ] as const) {
        const answer = await create(person, body);
        assertProblem(answer, 400, 'invalid-request');
        assert.deepEqual(answer.body.errors, [{ field, message: 'it is not a property of this object' }]);
      }
      for (const body of ['[]', '5', '{', '{"path":1}']) assertProblem(await create(person, body), 400, 'invalid-request');
      const form = await create(person, 'path=x', { 'Content-Type': 'application/x-www-form-urlencoded' });
      assertProblem(form, 415, 'unsupported-media-type');
    });
  });
});
