// Issuers that require the authorization code flow, DPoP or encryption.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialIds, EXCHANGES, issuedCredentials, onEachWalletWithIssuer, VCI } from '../../../test/support/issuance.ts';
import type { WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

onEachWalletWithIssuer('Issuers that ask for more', (wallet, issuer) => {
  async function begin(person: WalletUser, options: object = {}): Promise<{ exchangeId: string; authorizationUrl: string }> {
    const answer = await person.post(VCI, { uri: issuer.offer({ byCode: true, ...options }) });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.status, 'authorization_required');
    return answer.body;
  }
  /** The browser, at the authorization server. */
  async function goThere(url: string): Promise<string> {
    const response = await fetch(url, { redirect: 'manual' });
    assert.equal(response.status, 302, await response.text());
    return response.headers.get('location')!;
  }
  const inBrowser = (person: WalletUser, url: string) =>
    person.get(url.slice(wallet.publicUrl.length), { headers: { Origin: '', 'Sec-Fetch-Site': 'cross-site' } });

  describe('the code flow', () => {
    it('sends the person there with a pushed request, and takes the answer', async () => {
      const person = await wallet.logIn();
      const { exchangeId, authorizationUrl } = await begin(person);
      const url = new URL(authorizationUrl);
      assert.equal(url.origin + url.pathname, `${issuer.url}/authorize`);
      assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri']);
      assert.equal(issuer.asked('token').length, 0);
      const authorizationResponse = await goThere(authorizationUrl);
      const [asked] = issuer.authorization.asked;
      assert.deepEqual(
        [asked!.response_type, asked!.code_challenge_method, asked!.redirect_uri],
        ['code', 'S256', `${wallet.publicUrl}/api/v1/wallet/oid4vci/callback`],
      );
      assert.ok(asked!.issuer_state);
      assert.deepEqual(JSON.parse(asked!.authorization_details!), [
        { type: 'openid_credential', credential_configuration_id: 'identity' },
      ]);
      const [credential] = issuedCredentials(await person.post(VCI, { exchangeId, authorizationResponse }));
      assert.equal(credential.claims.given_name, 'Ada');
      const proof = issuer.asked('credential')[0].proofs.jwt[0];
      assert.equal(JSON.parse(Buffer.from(proof.split('.')[1], 'base64url').toString()).iss, wallet.publicUrl);
    });

    it('names scopes where the issuer has them, and goes without pushing and without PKCE being advertised', async () => {
      const person = await wallet.logIn();
      issuer.twist = {
        reply(endpoint, { body }) {
          const known = body?.credential_configurations_supported;
          if (endpoint === 'metadata') known.identity.scope = 'identity_credential';
          if (endpoint === 'server') delete body.pushed_authorization_request_endpoint;
        },
      };
      const { exchangeId, authorizationUrl } = await begin(person);
      const { searchParams } = new URL(authorizationUrl);
      assert.deepEqual(
        [searchParams.get('scope'), searchParams.get('authorization_details'), searchParams.get('code_challenge_method')],
        ['identity_credential', null, 'S256'],
      );
      issuedCredentials(await person.post(VCI, { exchangeId, authorizationResponse: await goThere(authorizationUrl) }));
    });

    it('comes back by the browser, which is sent on', async () => {
      const person = await wallet.logIn();
      const { exchangeId, authorizationUrl } = await begin(person);
      const answer = await inBrowser(person, await goThere(authorizationUrl));
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, `${EXCHANGES}/${exchangeId}`]);
      assert.equal((await person.get(`${EXCHANGES}/${exchangeId}`)).body.state, 'issued');
      assert.equal((await credentialIds(person)).length, 1);
    });

    it('can be begun once more while nobody came back', async () => {
      const person = await wallet.logIn();
      const { exchangeId, authorizationUrl: first } = await begin(person);
      const again = await person.post(VCI, { exchangeId });
      assert.equal(again.body.status, 'authorization_required');
      assertProblem(await inBrowser(person, await goThere(first)), 400, 'invalid-request', /another request/);
      issuedCredentials(
        await person.post(VCI, { exchangeId, authorizationResponse: await goThere(again.body.authorizationUrl) }),
      );
    });

    it('does not take an answer to another request, and waits for the right one', async () => {
      const person = await wallet.logIn();
      const { exchangeId, authorizationUrl } = await begin(person);
      const good = await goThere(authorizationUrl);
      const changed = (change: (url: URL) => void): string => {
        const url = new URL(good);
        change(url);
        return url.href;
      };
      for (const authorizationResponse of [
        changed(({ searchParams }) => searchParams.set('state', `${exchangeId}.guess`)),
        changed(({ searchParams }) => searchParams.delete('state')),
        changed(({ searchParams }) => searchParams.append('state', 'two')),
        changed(({ searchParams }) => searchParams.append('code', 'two')),
        changed(({ searchParams }) => searchParams.delete('code')),
        good.replace(wallet.publicUrl, 'https://evil.example'),
        good.replace('/callback?', '/callback/more?'),
        'nonsense',
      ])
        assertProblem(await person.post(VCI, { exchangeId, authorizationResponse }), 400, 'invalid-request');
      assert.equal(issuer.asked('token').length, 0);
      issuedCredentials(await person.post(VCI, { exchangeId, authorizationResponse: good }));
    });

    it('is not taken from another server, or from one that does not say who it is', async () => {
      for (const iss of ['https://evil.example', undefined]) {
        const person = await wallet.logIn();
        const { exchangeId, authorizationUrl } = await begin(person);
        issuer.answer = { iss };
        const authorizationResponse = await goThere(authorizationUrl);
        const refused = assertProblem(
          await person.post(VCI, { exchangeId, authorizationResponse }),
          422,
          'authorization-refused',
        );
        assert.equal(refused.protocol.error, 'invalid_issuer');
        assertProblem(await person.post(VCI, { exchangeId, authorizationResponse }), 409, 'exchange-finished');
        assert.equal(issuer.asked('token').length, 0);
        issuer.reset();
      }
    });

    it('ends when the person or the issuer says no, in words of the protocol only', async () => {
      for (const [error, word] of [
        ['access_denied', 'access_denied'],
        ['<script>', 'invalid_response'],
      ] as const) {
        const person = await wallet.logIn();
        const { exchangeId, authorizationUrl } = await begin(person);
        issuer.answer = { code: undefined, error, error_description: 'a <b>story</b>' };
        const refused = await inBrowser(person, await goThere(authorizationUrl));
        assert.deepEqual(assertProblem(refused, 422, 'authorization-refused').protocol, {
          error: word,
          endpoint: 'authorization',
        });
        assert.ok(!/script|story/.test(refused.text));
        assert.equal((await person.get(`${EXCHANGES}/${exchangeId}`)).body.state, 'failed');
        issuer.reset();
      }
    });

    it('is for the one who began it', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const { exchangeId, authorizationUrl } = await begin(person);
      const good = await goThere(authorizationUrl);
      assertProblem(await inBrowser(stranger, good), 404, 'not-found');
      assertProblem(await stranger.post(VCI, { exchangeId, authorizationResponse: good }), 404, 'not-found');
      for (const query of ['', '?state=', '?state=nonsense', '?code=x'])
        assert.ok([400, 404].includes((await person.get(`${VCI}/callback${query}`)).status), query);
      issuedCredentials(await person.post(VCI, { exchangeId, authorizationResponse: good }));
    });

    it('sends nobody to what is not an address of the web, or where everybody on the way can read', async () => {
      const person = await wallet.logIn();
      for (const to of ['javascript:alert(1)//', 'http://issuer.example/authorize', 'http://127.0.0.2/authorize', 'ftp://x/']) {
        issuer.twist = {
          reply(endpoint, { body }) {
            if (endpoint === 'server') Object.assign(body as object, { authorization_endpoint: to });
          },
        };
        const answer = await person.post(VCI, { uri: issuer.offer({ byCode: true }) });
        assertProblem(answer, 502, 'upstream-error');
        assert.ok(!answer.text.includes(to.slice(0, 12)), answer.text);
      }
    });

    it('sends people by https to wherever the issuer says', async () => {
      const person = await wallet.logIn();
      issuer.twist = {
        reply(endpoint, { body }) {
          if (endpoint !== 'server') return;
          Object.assign(body as object, { authorization_endpoint: 'https://login.example/authorize' });
        },
      };
      const { authorizationUrl } = await begin(person);
      assert.equal(new URL(authorizationUrl).origin, 'https://login.example');
    });
  });

  describe('DPoP', () => {
    const proofsOf = (endpoint: string) =>
      issuer.seen
        .filter((one) => one.endpoint === endpoint)
        .map(({ headers }) => headers.dpop as string | undefined)
        .map((jwt) => jwt && JSON.parse(Buffer.from(jwt.split('.')[0]!, 'base64url').toString()).jwk);

    it('is used where it is advertised, with a key for this exchange alone', async () => {
      const person = await wallet.logIn();
      issuer.dpop = 'said';
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      const [first, second] = proofsOf('token');
      assert.deepEqual([proofsOf('credential')[0], proofsOf('credential')[1]], [first, second]);
      assert.notDeepEqual(first, second);
      assert.ok(!('d' in first));
      assert.equal(proofsOf('notification').filter(Boolean).length, 2);
    });

    it('is used after all where it was wanted and not advertised', async () => {
      const person = await wallet.logIn();
      issuer.dpop = 'unsaid';
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.deepEqual(
        proofsOf('token').map((proof) => proof !== undefined),
        [false, true],
      );
    });

    it('is not used where nobody wants it', async () => {
      const person = await wallet.logIn();
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.deepEqual([proofsOf('token'), proofsOf('credential')], [[undefined], [undefined]]);
    });

    it('carries the nonce the issuer asks for, also later', async () => {
      const person = await wallet.logIn();
      issuer.dpop = 'said';
      issuer.dpopNonce = 'first';
      issuer.twist = {
        reply(endpoint) {
          // Another one for every endpoint: the wallet learns it by being refused.
          if (endpoint === 'nonce') issuer.dpopNonce = 'second';
        },
      };
      issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
      assert.deepEqual([proofsOf('token').length, proofsOf('credential').length], [2, 2]);
    });

    it('works with the code flow, and for what comes later', async () => {
      const person = await wallet.logIn();
      issuer.dpop = 'said';
      const { exchangeId, authorizationUrl } = await begin(person, { deferred: true });
      const authorizationResponse = await goThere(authorizationUrl);
      assert.equal((await person.post(VCI, { exchangeId, authorizationResponse })).status, 202);
      issuer.ready = true;
      issuedCredentials(await person.post(VCI, { exchangeId }));
      assert.deepEqual(proofsOf('deferred'), proofsOf('token'));
    });
  });

  describe('encryption', () => {
    it('is used for requests and answers where it is demanded', async () => {
      const person = await wallet.logIn();
      issuer.encrypts = true;
      const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer(), count: 2 }));
      assert.deepEqual([credential.claims.given_name, credential.instances], ['Ada', 2]);
      assert.equal(issuer.encryption.opened, 1);
    });

    it('is used for what comes later, with a key of its own', async () => {
      const person = await wallet.logIn();
      issuer.encrypts = true;
      const answer = await person.post(VCI, { uri: issuer.offer({ deferred: true }) });
      assert.equal(answer.status, 202, answer.text);
      issuer.ready = true;
      issuedCredentials(await person.post(VCI, { exchangeId: answer.body.exchangeId }));
      const keys = [issuer.asked('credential')[0], issuer.asked('deferred')[0]].map(
        (body) => body.credential_response_encryption.jwk.x,
      );
      assert.notEqual(keys[0], keys[1]);
      assert.equal(issuer.encryption.opened, 2);
    });

    it('refuses an answer in the clear, one for somebody else, and one that was not asked for', async () => {
      const person = await wallet.logIn();
      const jwe = ['eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSJ9', '', 'AAAA', 'AAAA', 'AAAA'].join('.');
      for (const [encrypts, reply] of [
        [true, undefined],
        [true, jwe],
        [false, jwe],
      ] as const) {
        issuer.encrypts = encrypts;
        issuer.twist = {
          reply(endpoint, answer, { body }) {
            if (endpoint !== 'credential') return;
            // The toy issuer encrypts what is asked for.
            delete body.credential_response_encryption;
            if (reply) Object.assign(answer, { body: reply, headers: { 'Content-Type': 'application/jwt' } });
          },
        };
        assertProblem(await person.post(VCI, { uri: issuer.offer() }), 502, 'upstream-error');
      }
      assert.deepEqual(await credentialIds(person), []);
    });

    it('refuses what it does not know, before the code is spent', async () => {
      const person = await wallet.logIn();
      issuer.encrypts = true;
      issuer.twist = {
        reply(endpoint, { body }) {
          if (endpoint === 'metadata') body.credential_response_encryption.alg_values_supported = ['RSA1_5'];
        },
      };
      assertProblem(await person.post(VCI, { uri: issuer.offer() }), 422, 'unsupported-encryption-required');
      assert.equal(issuer.asked('token').length, 0);
    });
  });
});
