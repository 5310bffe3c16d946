// POST /api/v1/wallet/oid4vci, against a small honest issuer, on both databases.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CREDENTIALS,
  credentialIds,
  EXCHANGES,
  issuedCredentials,
  KEYS,
  keysOf,
  onEachWalletWithIssuer,
  stepsOf,
  VCI,
} from '../../../test/support/issuance.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

onEachWalletWithIssuer('Receiving credentials', (wallet, issuer) => {
  describe('from an offer', () => {
    it('takes it by value, and shows what is in it', async () => {
      const person = await wallet.logIn();
      const [credential, ...more] = issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.deepEqual(more, []);
      const [key] = await keysOf(person);
      assert.deepEqual(credential.holder, { keyId: key.id, binding: 'jwk' });
      assert.deepEqual(credential.issuer, { id: issuer.url, name: 'The toy issuer', verified: true, trust: 'issuer-metadata' });
      assert.deepEqual(
        [credential.format, credential.type, credential.status, credential.presentable, credential.instances],
        ['dc+sd-jwt', 'https://example.org/identity', 'valid', true, 1],
      );
      assert.deepEqual([credential.credentialIssuer, credential.credentialConfigurationId], [issuer.url, 'identity']);
      assert.deepEqual(credential.display, { name: 'Identity' });
      assert.equal(credential.claims.given_name, 'Ada');
      const listed = await person.get(CREDENTIALS);
      assert.deepEqual(listed.body, [credential]);
      const [asked] = issuer.asked('credential');
      assert.equal(asked.credential_configuration_id, 'identity');
      const [proof] = asked.proofs.jwt;
      const claims = JSON.parse(Buffer.from(proof.split('.')[1], 'base64url').toString());
      assert.deepEqual([claims.aud, 'iss' in claims, typeof claims.nonce], [issuer.url, false, 'string']);
    });

    it('takes it by reference, from an https link of any app, and as an object', async () => {
      const person = await wallet.logIn();
      issuedCredentials(await person.post(VCI, { uri: issuer.offer({}, 'reference') }));
      const [, query] = issuer.offer().split('?');
      issuedCredentials(await person.post(VCI, { uri: `https://wallet.example/offer?${query}` }));
      issuedCredentials(await person.post(VCI, { offer: issuer.offerObject() }));
      assert.equal((await credentialIds(person)).length, 3);
    });

    it('takes all that is offered, or only what is wanted of it', async () => {
      const person = await wallet.logIn();
      const configurations = ['identity', 'membership'];
      const both = issuedCredentials(await person.post(VCI, { uri: issuer.offer({ configurations }) }));
      assert.deepEqual(both.map(({ credentialConfigurationId: id }) => id).sort(), configurations);
      assert.equal(issuer.notifications.length, 2);
      const offer = issuer.offer({ configurations });
      const [one, ...more] = issuedCredentials(
        await person.post(VCI, { uri: offer, credentialConfigurationIds: ['membership'] }),
      );
      assert.deepEqual([one.type, more.length], ['https://example.org/membership', 0]);
      const foreign = { uri: issuer.offer(), credentialConfigurationIds: ['membership'] };
      assertProblem(await person.post(VCI, foreign), 400, 'invalid-request', /membership/);
    });

    it('leaves out what it cannot hold, and says so when that is all', async () => {
      const person = await wallet.logIn();
      assert.equal(
        issuedCredentials(await person.post(VCI, { uri: issuer.offer({ configurations: ['odd', 'identity'] }) })).length,
        1,
      );
      assertProblem(await person.post(VCI, { uri: issuer.offer({ configurations: ['odd'] }) }), 422, 'unsupported-format');
      assert.equal(issuer.asked('token').length, 1);
    });

    it('keeps what is bound to nobody, and makes no key for it', async () => {
      const person = await wallet.logIn();
      const [ticket] = issuedCredentials(await person.post(VCI, { uri: issuer.offer({ configurations: ['ticket'] }) }));
      assert.deepEqual([ticket.holder, ticket.presentable], [{ binding: 'none' }, true]);
      assert.ok(!('proofs' in issuer.asked('credential')[0]));
      assert.deepEqual(await keysOf(person), []);
    });

    it('refuses what is not a request', async () => {
      const person = await wallet.logIn();
      const offer = issuer.offerObject();
      for (const body of [
        {},
        { uri: issuer.offer(), offer },
        { uri: issuer.offer(), surprise: 1 },
        { uri: '' },
        { uri: 'not an address' },
        { offer: {} },
        { offer: 'x' },
        { uri: issuer.offer(), count: 0 },
        { uri: issuer.offer(), count: 101 },
        { uri: issuer.offer(), credentialConfigurationIds: [] },
        { uri: issuer.offer(), preview: 'yes' },
      ])
        assertProblem(await person.post(VCI, body), 400, 'invalid-request');
      assertProblem(await wallet.request('POST', VCI, { body: { offer } }), 401, 'not-authenticated');
      assertProblem(await wallet.get(`${VCI}/callback?state=x`), 401, 'not-authenticated');
      assertProblem(await person.post(VCI, { offer }, { headers: { Origin: 'https://evil.example' } }), 403, 'csrf');
      assert.deepEqual(issuer.seen, []);
    });
  });

  describe('a transaction code', () => {
    it('is asked for before the code of the offer is spent', async () => {
      const person = await wallet.logIn();
      const uri = issuer.offer({ txCode: '1234' });
      for (let times = 0; times < 2; times++) {
        const answer = await person.post(VCI, { uri });
        const { txCode, exchangeId } = assertProblem(answer, 422, 'tx-code-required');
        assert.deepEqual(txCode, { inputMode: 'numeric', length: 4, description: 'By letter' });
        assert.equal(issuer.asked('token').length, 0);
        if (times === 0) continue;
        issuedCredentials(await person.post(VCI, { exchangeId, txCode: '1234' }));
        assert.deepEqual(
          issuer.asked('token').map(({ tx_code: code }) => code),
          ['1234'],
        );
      }
    });

    it('can be mended when it is wrong', async () => {
      const person = await wallet.logIn();
      const refused = await person.post(VCI, { uri: issuer.offer({ txCode: '1234' }), txCode: '9999' });
      const { exchangeId, protocol, steps } = assertProblem(refused, 422, 'tx-code-rejected');
      assert.deepEqual(protocol, { error: 'invalid_grant', endpoint: 'token' });
      assert.deepEqual([steps.at(-1).step, steps.at(-1).error], ['stopped', 'tx-code-rejected']);
      assert.ok(!refused.text.includes('9999'));
      issuedCredentials(await person.post(VCI, { exchangeId, txCode: '1234' }));
    });

    it('is not sent where nobody asked for it', async () => {
      const person = await wallet.logIn();
      issuedCredentials(await person.post(VCI, { uri: issuer.offer(), txCode: '1234' }));
      assert.ok(!('tx_code' in issuer.asked('token')[0]));
    });
  });

  describe('a preview', () => {
    it('shows what is offered, and touches nothing but metadata', async () => {
      const person = await wallet.logIn();
      const uri = issuer.offer({ configurations: ['identity', 'odd'], txCode: '12' });
      const answer = await person.post(VCI, { uri, preview: true });
      assert.equal(answer.status, 200, answer.text);
      const { exchangeId, ...shown } = answer.body;
      assert.deepEqual(shown, {
        status: 'preview',
        issuer: { id: issuer.url, name: 'The toy issuer', names: [{ name: 'The toy issuer' }], proof: 'none' },
        offered: [
          {
            configurationId: 'identity',
            format: 'dc+sd-jwt',
            supported: true,
            type: 'https://example.org/identity',
            display: { name: 'Identity' },
            displays: [{ name: 'Identity' }],
            labels: [],
          },
          { configurationId: 'odd', format: 'unknown', supported: false, displays: [], labels: [] },
        ],
        txCode: { inputMode: 'numeric', length: 2, description: 'By letter' },
        grant: 'pre-authorized_code',
      });
      assert.deepEqual([...new Set(issuer.seen.map(({ endpoint }) => endpoint))].sort(), ['metadata', 'server']);
      assert.deepEqual([await credentialIds(person), await keysOf(person)], [[], []]);
      issuedCredentials(await person.post(VCI, { exchangeId, txCode: '12' }));
      assert.deepEqual((await stepsOf(person, exchangeId)).slice(0, 2), ['offer read', 'preview shown']);
    });

    it('is where the choice is made: of credentials, key and copies', async () => {
      const person = await wallet.logIn();
      await person.make('keys');
      const key = await person.make('keys', { algorithm: 'EdDSA' });
      const uri = issuer.offer({ configurations: ['identity', 'membership'] });
      const { exchangeId } = (await person.post(VCI, { uri, preview: true })).body;
      const choice = { exchangeId, credentialConfigurationIds: ['membership'], keyId: key.id, count: 2 };
      const [credential, ...more] = issuedCredentials(await person.post(VCI, choice));
      assert.deepEqual(more, []);
      assert.deepEqual(
        [credential.credentialConfigurationId, credential.holder.keyId, credential.instances],
        ['membership', key.id, 2],
      );
    });
  });

  describe('bindings', () => {
    it('gives every copy a key of its own', async () => {
      const person = await wallet.logIn();
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer(), count: 3 }));
      assert.equal(credential.instances, 3);
      const keys = await keysOf(person);
      assert.equal(keys.length, 3);
      const proofs = issuer.asked('credential')[0].proofs.jwt as string[];
      const proofKeys = proofs.map((jwt) => JSON.parse(Buffer.from(jwt.split('.')[0]!, 'base64url').toString()).jwk.x);
      assert.deepEqual(new Set(proofKeys), new Set(keys.map(({ publicKeyJwk: jwk }) => jwk.x)));
      const [{ raw }] = (await person.get(`${CREDENTIALS}?include=raw`)).body;
      assert.equal(new Set(raw).size, 3);
    });

    it('asks for no more copies than the issuer gives', async () => {
      const person = await wallet.logIn();
      issuer.batchSize = 2;
      try {
        assert.equal(issuedCredentials(await person.post(VCI, { uri: issuer.offer(), count: 5 }))[0].instances, 2);
        assert.equal((await keysOf(person)).length, 2);
      } finally {
        issuer.batchSize = 10;
      }
    });

    it('takes the key it is told, or leaves the offer as it is', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      await person.make('keys', { default: true });
      const key = await person.make('keys', { algorithm: 'EdDSA' });
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer(), keyId: key.id }));
      assert.equal(credential.holder.keyId, key.id);
      issuer.reset();
      const uri = issuer.offer();
      const foreign = await stranger.make('keys');
      assertProblem(await person.post(VCI, { uri, keyId: foreign.id }), 404, 'not-found');
      await person.post(`${KEYS}/${key.id}/revoke`, {});
      const { exchangeId } = assertProblem(await person.post(VCI, { uri, keyId: key.id }), 422, 'key-not-active');
      assert.equal(issuer.asked('token').length, 0);
      const other = await person.make('keys');
      assert.equal(issuedCredentials(await person.post(VCI, { exchangeId, keyId: other.id }))[0].holder.keyId, other.id);
    });

    it('refuses a key that signs in a way the issuer does not take', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { algorithm: 'ES256K' });
      assertProblem(
        await person.post(VCI, { uri: issuer.offer(), keyId: key.id }),
        422,
        'unsupported-proof-type',
        /ES256, EdDSA/,
      );
      assert.equal(issuer.asked('token').length, 0);
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.notEqual(credential.holder.keyId, key.id);
    });

    it('makes a DID where the issuer wants one, and takes the same the next time', async () => {
      const person = await wallet.logIn();
      const offer = () => issuer.offer({ configurations: ['did_bound'] });
      const [first] = issuedCredentials(await person.post(VCI, { uri: offer() }));
      assert.match(first.holder.did, /^did:jwk:/);
      assert.equal(first.holder.binding, 'did');
      const [second] = issuedCredentials(await person.post(VCI, { uri: offer() }));
      assert.deepEqual(second.holder, first.holder);
      assert.equal((await person.get('/api/v1/wallet/dids')).body.length, 1);
    });

    it('makes a did:key where the issuer takes nothing else', async () => {
      const person = await wallet.logIn();
      issuer.twist = {
        async reply(endpoint, { body }) {
          const known = body?.credential_configurations_supported;
          if (endpoint === 'metadata') known.did_bound.cryptographic_binding_methods_supported = ['did:key'];
          if (endpoint !== 'nonce') return;
          const [did] = (await person.get('/api/v1/wallet/dids?limit=200')).body;
          issuer.know(did.did, (await keysOf(person))[0].publicKeyJwk);
        },
      };
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer({ configurations: ['did_bound'] }) }));
      assert.match(credential.holder.did, /^did:key:z/);
    });

    it('takes the DID it is told, if the issuer does', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const did = await person.make('dids', { method: 'key', keyIds: [key.id] });
      issuer.know(did.did, key.publicKeyJwk);
      const uri = issuer.offer({ configurations: ['did_bound'] });
      for (const didId of [did.id, did.did]) {
        const [credential] = issuedCredentials(
          await person.post(VCI, { uri: didId === did.id ? uri : issuer.offer({ configurations: ['did_bound'] }), didId }),
        );
        assert.deepEqual(credential.holder, { keyId: key.id, did: did.did, binding: 'did' });
      }
      issuer.reset();
      assertProblem(await person.post(VCI, { uri: issuer.offer(), didId: did.id }), 422, 'unsupported-proof-type', /did:key/);
      const web = await person.make('dids', { keyIds: [key.id] });
      const bound = issuer.offer({ configurations: ['did_bound'] });
      assertProblem(await person.post(VCI, { uri: bound, didId: web.id }), 400, 'invalid-request', /not published/);
      assert.equal(issuer.asked('token').length, 0);
    });

    /** What the issuer says it binds credentials to. */
    const bindings = (...methods: string[]): void => {
      issuer.twist = {
        reply(endpoint, { body }) {
          const known = body?.credential_configurations_supported;
          if (endpoint === 'metadata') known.did_bound.cryptographic_binding_methods_supported = methods;
        },
      };
    };
    const didBound = () => issuer.offer({ configurations: ['did_bound'] });

    it('makes a DID where the issuer takes any', async () => {
      const person = await wallet.logIn();
      bindings('did');
      const [credential] = issuedCredentials(await person.post(VCI, { uri: didBound() }));
      assert.match(credential.holder.did, /^did:jwk:/);
    });

    it('refuses DIDs it cannot make, before the code is spent; unless the caller has one', async () => {
      const person = await wallet.logIn();
      bindings('did:ebsi');
      assertProblem(await person.post(VCI, { uri: didBound() }), 422, 'unsupported-proof-type', /did:ebsi/);
      bindings('did:web');
      const uri = didBound();
      const { exchangeId } = assertProblem(await person.post(VCI, { uri }), 422, 'unsupported-proof-type', /did:web/);
      assert.equal((await person.get(`${EXCHANGES}/${exchangeId}`)).body.state, 'failed');
      assert.equal(issuer.asked('token').length, 0);
    });

    it('makes the DID of the key it is told', async () => {
      const person = await wallet.logIn();
      const [first, second] = [await person.make('keys'), await person.make('keys')];
      for (const key of [second, first, second]) {
        const [credential] = issuedCredentials(await person.post(VCI, { uri: didBound(), keyId: key.id }));
        assert.equal(credential.holder.keyId, key.id);
      }
      assert.equal((await person.get('/api/v1/wallet/dids')).body.length, 2);
    });

    it('leaves the offer as it is when what was named does not fit, and forgets it when the offer comes again', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys', { algorithm: 'RS256' });
      const did = await person.make('dids', { method: 'key', keyIds: [key.id] });
      for (const wrong of [{ keyId: key.id }, { didId: did.id }, { keyId: 'key_01KA2Z9Q1V8YB3T5M7N9P1R3S5' }]) {
        const uri = issuer.offer();
        const { exchangeId } = await person.post(VCI, { uri, ...wrong }).then(({ status, body }) => {
          assert.ok([404, 422].includes(status), body.detail);
          return body;
        });
        const answer = await person.post(VCI, { uri });
        issuedCredentials(answer);
        assert.equal(answer.body.exchangeId, exchangeId);
      }
    });

    it('refuses proofs it cannot make, before the code is spent', async () => {
      const person = await wallet.logIn();
      for (const types of [
        { attestation: { proof_signing_alg_values_supported: ['ES256'] } },
        { jwt: { proof_signing_alg_values_supported: ['RS1'] } },
        { jwt: { proof_signing_alg_values_supported: ['ES256'], key_attestations_required: {} } },
      ]) {
        issuer.twist = {
          reply(endpoint, { body }) {
            if (endpoint === 'metadata') body.credential_configurations_supported.identity.proof_types_supported = types;
          },
        };
        assertProblem(await person.post(VCI, { uri: issuer.offer() }), 422, 'unsupported-proof-type');
      }
      assert.equal(issuer.asked('token').length, 0);
      assert.deepEqual(await keysOf(person), []);
    });
  });

  describe('notifications', () => {
    it('tells the issuer once the credential is kept', async () => {
      const person = await wallet.logIn();
      let stored = -1;
      issuer.twist = {
        async reply(endpoint) {
          if (endpoint === 'notification') stored = (await credentialIds(person)).length;
        },
      };
      const answer = await person.post(VCI, { uri: issuer.offer() });
      issuedCredentials(answer);
      assert.deepEqual(
        issuer.notifications.map(({ event }) => event),
        ['credential_accepted'],
      );
      assert.equal(stored, 1);
      assert.equal((await stepsOf(person, answer.body.exchangeId)).at(-1), 'issuer told');
    });

    it('tells it later when it cannot be reached, and gives up at some time', async () => {
      const person = await wallet.logIn();
      let down = true;
      issuer.twist = {
        reply(endpoint, reply) {
          if (endpoint === 'notification' && down) Object.assign(reply, { status: 503 });
        },
      };
      const answer = await person.post(VCI, { uri: issuer.offer() });
      issuedCredentials(answer);
      const { exchangeId } = answer.body;
      assert.equal((await stepsOf(person, exchangeId)).at(-1), 'issuer could not be told');
      await wallet.service.sweep();
      assert.equal(issuer.asked('notification').length, 1, 'not yet');
      wallet.clock.advance(61);
      await wallet.service.sweep();
      assert.equal(issuer.asked('notification').length, 2);
      down = false;
      wallet.clock.advance(121);
      await wallet.service.sweep();
      assert.equal((await stepsOf(person, exchangeId)).at(-1), 'issuer told');
      wallet.clock.advance(3600);
      await wallet.service.sweep();
      assert.equal(issuer.asked('notification').length, 3);

      down = true;
      const returned = await wallet.logIn(person.name);
      const other = await returned.post(VCI, { uri: issuer.offer() });
      issuedCredentials(other);
      for (let times = 0; times < 8; times++) {
        wallet.clock.advance(600);
        await wallet.service.sweep();
      }
      assert.equal(issuer.asked('notification').length, 8, 'five times, and no more');
    });
  });

  describe('nonces', () => {
    const wrong = (times: number) => {
      let left = times;
      issuer.twist = {
        reply(endpoint, reply) {
          if (endpoint === 'credential' && left-- > 0) Object.assign(reply, { status: 400, body: { error: 'invalid_nonce' } });
        },
      };
    };
    it('asks once more with a new one', async () => {
      const person = await wallet.logIn();
      wrong(1);
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.deepEqual([issuer.asked('nonce').length, issuer.asked('credential').length], [2, 2]);
      const [first, second] = issuer.asked('credential').map(({ proofs }) => proofs.jwt[0]);
      assert.notEqual(first, second);
    });

    it('but not for ever', async () => {
      const person = await wallet.logIn();
      wrong(5);
      const answer = assertProblem(await person.post(VCI, { uri: issuer.offer() }), 502, 'upstream-error');
      assert.deepEqual(answer.protocol, { error: 'invalid_nonce', endpoint: 'credential' });
      assert.equal(issuer.asked('credential').length, 2);
    });
  });

  describe('older drafts', () => {
    it('sends one proof with the nonce of the token, and takes one credential', async () => {
      const person = await wallet.logIn();
      issuer.isDraft = true;
      issuer.twist = { credential: ({ header }) => void Object.assign(header, { typ: 'vc+sd-jwt' }) };
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.equal(credential.format, 'dc+sd-jwt');
      const [asked] = issuer.asked('credential');
      assert.deepEqual([asked.format, asked.vct, asked.proof.proof_type], ['vc+sd-jwt', 'https://example.org/identity', 'jwt']);
      assert.ok(!('proofs' in asked));
    });

    it('asks again with the nonce that came with the refusal', async () => {
      const person = await wallet.logIn();
      issuer.isDraft = true;
      issuer.twist = {
        reply(endpoint, { body }) {
          if (endpoint === 'token') body.c_nonce = 'stale';
        },
      };
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.equal(issuer.asked('credential').length, 2);
    });
  });

  it('can be gone on with when the issuer was away for a moment', async () => {
    for (const at of ['token', 'nonce', 'credential']) {
      const person = await wallet.logIn();
      let away = true;
      issuer.twist = {
        raw(endpoint, _request, response) {
          if (endpoint !== at || !away) return false;
          response.writeHead(503, { 'Content-Type': 'application/json' }).end('{}');
          return true;
        },
      };
      const { exchangeId, temporary } = assertProblem(await person.post(VCI, { uri: issuer.offer() }), 502, 'upstream-error');
      assert.equal(temporary, true, at);
      away = false;
      issuedCredentials(await person.post(VCI, { exchangeId }));
      assert.equal((await keysOf(person)).length, 1);
    }
  });

  it('asks by the identifiers of the token, where it has some', async () => {
    const person = await wallet.logIn();
    const configurations = ['identity', 'membership'];
    assert.equal(
      issuedCredentials(await person.post(VCI, { uri: issuer.offer({ identifiers: true, configurations }) })).length,
      2,
    );
    const asked = issuer.asked('credential').map((body) => [body.credential_identifier, body.credential_configuration_id]);
    assert.deepEqual(asked, [
      ['the identity of Ada', undefined],
      ['the membership of Ada', undefined],
    ]);
  });

  it('takes configurations whose names every object has', async () => {
    const person = await wallet.logIn();
    issuer.twist = {
      reply(endpoint, reply) {
        if (endpoint !== 'metadata') return;
        const known = reply.body.credential_configurations_supported;
        Object.assign(known, { constructor: known.identity, toString: known.identity });
      },
    };
    const offer = { ...issuer.offerObject(), credential_configuration_ids: ['constructor', 'toString'] };
    issuer.names = { constructor: 'identity', toString: 'identity' };
    assert.equal(issuedCredentials(await person.post(VCI, { offer })).length, 2);
  });

  it('reads status lists again when it is asked to', async () => {
    const person = await wallet.logIn();
    const uri = `${issuer.url}/no-list`;
    issuer.twist = { credential: ({ payload }) => void Object.assign(payload, { status: { status_list: { idx: 1, uri } } }) };
    const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
    assert.equal(credential.status, 'unknown');
    assert.equal(issuer.asked('none').length, 0);
    const answer = await person.get(`${CREDENTIALS}?refreshStatus=true`);
    assert.deepEqual([answer.status, answer.body[0].status], [200, 'unknown']);
    assert.equal(issuer.asked('none').length, 1);
  });
});
