// Attestations that are wrong in one thing: of wallets at the endpoints where clients authenticate, and of keys in credential requests.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { type ApiAnswer, onUsualDatabase } from '../../../../test/support/api.ts';
import { certify, usages } from '../../../../test/support/certificates.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import {
  type Change,
  codeGrant,
  makeHolder,
  makeOffer,
  newKey,
  PRE_AUTHORIZED,
  PUBLIC_WALLETS,
  TestCredentialWallet,
  type Token,
  usesRoleWorld,
} from '../../../../test/support/role-credentials.ts';
import {
  ATTESTED_WALLET,
  AttestedTestWallet,
  newAttester,
  OTHER_WALLET,
  usesAttestedWallet,
  usesWalletProvider,
} from '../../../../test/support/wallet-provider.ts';

const provider = usesWalletProvider();
const stranger = newAttester('stranger');
/** The extended key usage of web servers. */
const SERVER = '1.3.6.1.5.5.7.3.1';
const now = (): number => Math.floor(Date.now() / 1000);
const payloadOf =
  (values: Record<string, unknown>): Change =>
  ({ payload }) =>
    Object.assign(payload, values);
const headerOf =
  (values: Record<string, unknown>): Change =>
  ({ header }) =>
    Object.assign(header, values);

/** One thing wrong with the attestation of a wallet, or with its proof. */
const WALLET_CASES: Readonly<Record<string, AttestedTestWallet['changes']>> = {
  'of somebody who is not trusted': { by: stranger },
  'of a provider that is trusted for other wallets only': { by: provider.neighbour },
  'with a chain that has the root in it': {
    attestation: headerOf({ x5c: [provider.attester.leaf.der, provider.attester.root.der] }),
  },
  'signed by the root itself': { by: { root: provider.attester.root, leaf: provider.attester.root } },
  'with a certificate that is for servers only': {
    by: { ...provider.attester, leaf: certify({ name: 'CN=server', by: provider.attester.root, extensions: [usages(SERVER)] }) },
  },
  'with a certificate that has expired': {
    by: {
      ...provider.attester,
      leaf: certify({ name: 'CN=old', by: provider.attester.root, from: new Date(0), until: new Date(1) }),
    },
  },
  'with the certificate of another key': { attestation: headerOf({ x5c: [stranger.leaf.der] }) },
  'without a certificate': { attestation: headerOf({ x5c: undefined }) },
  'with a key in its own header': { attestation: headerOf({ x5c: undefined, kid: 'x' }) },
  'that has expired': { attestation: payloadOf({ iat: now() - 7200, exp: now() - 3600 }) },
  'without an end': { attestation: payloadOf({ exp: undefined }) },
  'of tomorrow': { attestation: payloadOf({ iat: now() + 86_400, exp: now() + 90_000 }) },
  'whose time of making is no time': { attestation: payloadOf({ iat: 'now' }) },
  'that is not valid yet': { attestation: payloadOf({ nbf: now() + 3600 }) },
  'about another wallet': { attestation: payloadOf({ sub: OTHER_WALLET }) },
  'about a client of this service': { attestation: payloadOf({ sub: 'gatehouse_public_wallet' }) },
  'about nobody': { attestation: payloadOf({ sub: undefined }) },
  'without a key': { attestation: payloadOf({ cnf: undefined }) },
  'of another type': { attestation: headerOf({ typ: 'JWT' }) },
  'whose proof is for another server': { pop: payloadOf({ aud: 'https://other.example' }) },
  'whose proof is for several servers': { pop: payloadOf({ aud: ['https://other.example', 'x'] }) },
  'whose proof is of another client': { pop: payloadOf({ iss: OTHER_WALLET }) },
  'whose proof is an hour old': { pop: payloadOf({ iat: now() - 3600 }) },
  'whose proof is of tomorrow': { pop: payloadOf({ iat: now() + 86_400 }) },
  'whose proof has no id': { pop: payloadOf({ jti: undefined }) },
  'whose proof has a challenge that nobody made': { pop: payloadOf({ challenge: 'made up' }) },
  'whose proof is of another type': { pop: headerOf({ typ: 'JWT' }) },
  'without a proof': {
    headers: (headers) => {
      delete headers['OAuth-Client-Attestation-PoP'];
    },
  },
  'whose proof is there alone': {
    headers: (headers) => {
      delete headers['OAuth-Client-Attestation'];
    },
  },
};

onUsualDatabase(
  'A wallet with an attestation',
  (api) => {
    const { world, person } = usesRoleWorld(api);
    const wallet = usesAttestedWallet(api, provider);

    const push = async (by: TestCredentialWallet, more: Record<string, string> = {}): Promise<ApiAnswer> => {
      const { parameters } = wallet.asks(world.scope, more);
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      return by.send('/openid/par', { method: 'POST', headers, body: new URLSearchParams(parameters).toString() });
    };
    const refused = (answer: ApiAnswer, name: string): void => {
      assert.ok([400, 401].includes(answer.status), `${name}: ${answer.status} ${answer.text}`);
      assert.ok(answer.body.access_token === undefined && answer.body.request_uri === undefined, name);
    };
    const offered = async () => {
      // There is a limit to the offers of one person.
      const { uri, tx_code: code } = await makeOffer(api, await makeHolder(api, world), [world.sdJwt]);
      return { uri, code };
    };

    for (const [name, changes] of Object.entries(WALLET_CASES))
      it(`${name} is not let in`, async () => {
        const { uri, code } = await offered();
        wallet.changes = changes;
        try {
          refused(await push(wallet), 'pushed request');
          refused(await wallet.redeem(uri, code, { client_id: ATTESTED_WALLET }), 'token request');
        } finally {
          wallet.changes = {};
        }
        assert.ok(await wallet.token(uri, code), 'nothing was used up');
      });

    it('whose proof was sent before is not let in', async () => {
      const headers = await wallet.attested();
      wallet.changes = { headers: (sent) => void Object.assign(sent, headers) };
      assert.equal((await push(wallet)).status, 201);
      const again = await push(wallet);
      wallet.changes = {};
      assert.deepEqual([again.status, again.body.error], [401, 'invalid_client'], again.text);
    });

    it('whose proof is signed by the key of another copy of it is not let in', async () => {
      const other = await new AttestedTestWallet(api).of(provider);
      wallet.changes = {
        pop: (draft) => {
          draft.key = other.instanceKey.privateKey;
        },
      };
      refused(await push(wallet), 'pushed request');
      wallet.changes = {};
    });

    it('does not get the token for the code of another copy of it', async () => {
      const other = await new AttestedTestWallet(api).of(provider);
      const theirs = await calculateJwkThumbprint(await exportJWK(other.instanceKey.publicKey));
      // Also if somebody says that the code is for the other.
      for (const more of [{}, { attestation_jkt: theirs }]) {
        const request = wallet.asks(world.scope, more as Record<string, string>);
        const { status, body, text } = await other.askToken(codeGrant(request, await wallet.push(request, person)));
        assert.deepEqual([status, body.error], [400, 'invalid_grant'], text);
      }
    });

    it('does not refresh what another copy of it received', async () => {
      const { refresh_token } = await wallet.tokenByCode(person, world.scope);
      const other = await new AttestedTestWallet(api).of(provider);
      const stolen = await other.askToken({ grant_type: 'refresh_token', refresh_token });
      assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant'], stolen.text);
    });

    it('is needed: without one, no wallet is let in, whatever it calls itself', async () => {
      const plain = await new TestCredentialWallet(api).withDpop();
      for (const clientId of [ATTESTED_WALLET, 'gatehouse_public_wallet'])
        refused(await push(plain, { client_id: clientId }), clientId);
      const { uri, code } = await offered();
      for (const more of [{}, { client_id: ATTESTED_WALLET }, { client_id: 'gatehouse_public_wallet' }])
        refused(await plain.redeem(uri, code, more as Record<string, string>), JSON.stringify(more));
      assert.ok(await wallet.token(uri, code), 'the code was not used up');
    });

    it('does not learn about the tokens of others', async () => {
      const { uri, code } = await offered();
      const bearer = await RelyingParty.make(api);
      const { access_token: token } = await bearer.tokensFor(person);
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...(await wallet.attested()) };
      const body = new URLSearchParams({ token, client_id: ATTESTED_WALLET }).toString();
      const answer = await wallet.send('/openid/introspect', { method: 'POST', headers, body });
      assert.notEqual(answer.body.active, true, answer.text);
      assert.ok(await wallet.token(uri, code));
    });

    it('cannot return to an address that its provider did not name', async () => {
      const answer = await push(wallet, { redirect_uri: 'https://elsewhere.example/callback' });
      refused(answer, 'another address');
    });

    it('cannot do without a pushed request, PKCE or DPoP', async () => {
      const { parameters } = wallet.asks(world.scope);
      const page = await fetch(`${api.url}/openid/authorize?${new URLSearchParams(parameters)}`, { redirect: 'manual' });
      assert.match(page.headers.get('location') ?? '', /error=invalid_request/);
      const { code_challenge: _challenge, code_challenge_method: _method, ...without } = parameters;
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(without).toString();
      refused(await wallet.send('/openid/par', { method: 'POST', headers, body }), 'no PKCE');
      const { uri, code } = await offered();
      const unbound = await new AttestedTestWallet(api).of(provider);
      unbound.dpopKey = undefined;
      assert.equal((await unbound.redeem(uri, code)).body.error, 'invalid_dpop_proof');
    });

    describe('of its keys', () => {
      let token: Token;
      before(async () => {
        token = await wallet.tokenFor(person, world.sdJwt);
      });
      const request = (proofs: object): Promise<ApiAnswer> =>
        wallet.request(token, { credential_configuration_id: world.sdJwt, proofs });
      const refusedAs = (answer: ApiAnswer, error = 'invalid_proof'): void => {
        assert.deepEqual([answer.body?.error, answer.status], [error, 400], answer.text);
        assert.equal(answer.body.credentials, undefined);
      };

      const KEY_CASES: Readonly<Record<string, Change>> = {
        'that has expired': payloadOf({ exp: now() - 1 }),
        'of tomorrow': payloadOf({ iat: now() + 86_400 }),
        'without a time': payloadOf({ iat: undefined }),
        'that is not valid yet': payloadOf({ nbf: now() + 3600 }),
        'without keys': payloadOf({ attested_keys: [] }),
        'whose keys are no list': payloadOf({ attested_keys: 'all' }),
        'with a key that is none': payloadOf({ attested_keys: [{ kty: 'EC' }] }),
        'with a symmetric key': payloadOf({ attested_keys: [{ kty: 'oct', k: 'AAAA' }] }),
        'with a key twice': ({ payload }) => {
          const [key] = payload.attested_keys as object[];
          payload.attested_keys = [key, key];
        },
        'with more keys than a batch has': ({ payload }) => {
          payload.attested_keys = Array.from({ length: 11 }, () => (payload.attested_keys as object[])[0]);
        },
        'of another type': headerOf({ typ: 'JWT' }),
        'without a certificate': headerOf({ x5c: undefined }),
        'with a chain that has the root in it': headerOf({ x5c: [provider.attester.leaf.der, provider.attester.root.der] }),
        'with the certificate of another key': headerOf({ x5c: [stranger.leaf.der] }),
        'without a nonce': payloadOf({ nonce: undefined }),
      };
      for (const [name, change] of Object.entries(KEY_CASES)) {
        it(`${name}, alone, is refused`, async () => {
          const attestation = await provider.attestKeys([await newKey()], await wallet.nonce(), change);
          refusedAs(await request({ attestation: [attestation] }));
        });
        it(`${name}, in a proof, is refused`, async () => {
          const [key, nonce] = [await newKey(), await wallet.nonce()];
          const attestation = await provider.attestKeys([key], nonce, change);
          const proof = await wallet.proof({ key, nonce, change: headerOf({ key_attestation: attestation }) });
          refusedAs(await request({ jwt: [proof] }));
        });
      }

      it('of somebody who is not trusted is refused', async () => {
        for (const by of [stranger, { root: provider.attester.root, leaf: provider.attester.root }]) {
          const [key, nonce] = [await newKey(), await wallet.nonce()];
          const attestation = await provider.attestKeys([key], nonce, undefined, by);
          refusedAs(await request({ attestation: [attestation] }));
          const proof = await wallet.proof({ key, nonce, change: headerOf({ key_attestation: attestation }) });
          refusedAs(await request({ jwt: [proof] }));
        }
      });

      it('in a proof of a key that it does not attest is refused', async () => {
        const nonce = await wallet.nonce();
        const key_attestation = await provider.attestKeys([await newKey()], nonce);
        refusedAs(await request({ jwt: [await wallet.proof({ nonce, change: headerOf({ key_attestation }) })] }));
        for (const kid of ['0', '1', 'none', 'did:jwk:e30#0']) {
          const change = headerOf({ key_attestation, jwk: undefined, kid });
          refusedAs(await request({ jwt: [await wallet.proof({ nonce, change })] }));
        }
      });

      it('in a proof that is not signed by the key it names is refused', async () => {
        const [attested, signing, nonce] = [await newKey(), await newKey(), await wallet.nonce()];
        const key_attestation = await provider.attestKeys([attested], nonce);
        const jwk = await exportJWK(attested.publicKey);
        refusedAs(
          await request({ jwt: [await wallet.proof({ nonce, key: signing, change: headerOf({ key_attestation, jwk }) })] }),
        );
      });

      it('in a proof, without an end, is refused', async () => {
        const [key, nonce] = [await newKey(), await wallet.nonce()];
        const key_attestation = await provider.attestKeys([key], nonce, payloadOf({ exp: undefined }));
        refusedAs(await request({ jwt: [await wallet.proof({ key, nonce, change: headerOf({ key_attestation }) })] }));
      });

      it('of which one among several proofs is missing its own is refused with all', async () => {
        const [one, two, nonce] = [await newKey(), await newKey(), await wallet.nonce()];
        const key_attestation = await provider.attestKeys([one], nonce);
        const change = headerOf({ key_attestation });
        const jwt = [await wallet.proof({ key: one, nonce, change }), await wallet.proof({ key: two, nonce, change })];
        refusedAs(await request({ jwt }));
      });

      it('with a nonce that was used, or is not ours, is refused', async () => {
        const nonce = await wallet.nonce();
        const attest = async (text: string) => ({ attestation: [await provider.attestKeys([await newKey()], text)] });
        assert.equal((await request(await attest(nonce))).status, 200);
        refusedAs(await request(await attest(nonce)), 'invalid_nonce');
        refusedAs(await request(await attest('made up')), 'invalid_nonce');
        const [key, fresh] = [await newKey(), await wallet.nonce()];
        const key_attestation = await provider.attestKeys([key], nonce);
        const proof = await wallet.proof({ key, nonce: fresh, change: headerOf({ key_attestation }) });
        refusedAs(await request({ jwt: [proof] }), 'invalid_nonce');
      });

      it('sent twice, or as an attestation of a wallet, is refused', async () => {
        const attestation = await provider.attestKeys([await newKey()], await wallet.nonce());
        refusedAs(await request({ attestation: [attestation, attestation] }));
        const { 'OAuth-Client-Attestation': other } = await wallet.attested();
        refusedAs(await request({ attestation: [other] }));
        refusedAs(await request({ attestation: ['not a JWT'] }));
      });
    });
  },
  { settings: { ...PUBLIC_WALLETS, ...provider.settings, GATEHOUSE_IDENTITY_HAIP: 'on' } },
);

onUsualDatabase('Without wallet providers', (api) => {
  const { world, person } = usesRoleWorld(api);

  it('there are no attestations: no challenges, and no proofs by them', async () => {
    const wallet = new TestCredentialWallet(api);
    assert.equal((await wallet.send('/openid/challenge', { method: 'POST' })).status, 404);
    const { body } = await wallet.send('/.well-known/oauth-authorization-server');
    assert.ok(!body.token_endpoint_auth_methods_supported.includes('attest_jwt_client_auth'));
    assert.equal(body.challenge_endpoint, undefined);
    const { proof_types_supported: types } = (await wallet.metadata()).credential_configurations_supported[world.sdJwt];
    assert.deepEqual(Object.keys(types), ['jwt']);
    const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
    const attested = await new AttestedTestWallet(api).of(provider);
    const headers = {
      'OAuth-Client-Attestation': await provider.attestWallet(attested.instanceKey),
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const { grants } = await wallet.read(uri);
    const grant = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'] };
    const form = new URLSearchParams({ ...grant, tx_code: code!, client_id: ATTESTED_WALLET });
    const answer = await wallet.send('/openid/token', { method: 'POST', headers, body: form.toString() });
    assert.equal(answer.body.error, 'invalid_client', answer.text);
    const token = await wallet.token(uri, code);
    const attestation = await provider.attestKeys([await newKey()], await wallet.nonce());
    const asked = { credential_configuration_id: world.sdJwt, proofs: { attestation: [attestation] } };
    assert.equal((await wallet.request(token, asked)).body.error, 'invalid_proof');
  });
});
