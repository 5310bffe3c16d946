// Wallets that are attested by their provider, and keys that are.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeProtectedHeader, exportJWK } from 'jose';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { newKey, readSdJwt, usesRoleWorld } from '../../../../test/support/role-credentials.ts';
import {
  ATTESTED_WALLET,
  OTHER_WALLET,
  usesAttestedWallet,
  usesWalletProvider,
} from '../../../../test/support/wallet-provider.ts';

const provider = usesWalletProvider();

onUsualDatabase(
  'A wallet that its provider attests',
  (api) => {
    const { world, person } = usesRoleWorld(api, { subject: 'user' });
    const wallet = usesAttestedWallet(api, provider);
    const tokenByCode = () => wallet.tokenByCode(person, world.scope);

    it('receives a credential: by a pushed request, with PKCE and DPoP, signed with a chain', async () => {
      const token = await tokenByCode();
      assert.equal(token.token_type, 'DPoP');
      const { header, payload } = readSdJwt(await wallet.receive(token, world.sdJwt));
      assert.equal(payload.sub, person.id);
      assert.equal(header.typ, 'dc+sd-jwt');
      assert.ok(header.x5c.length > 0, 'HAIP 1.0, 6.1.1');
    });

    it('may have a client id that is no address', async () => {
      wallet.clientId = OTHER_WALLET;
      wallet.changes = {
        pop: ({ payload }) => {
          delete payload.iss;
        },
      };
      assert.ok((await tokenByCode()).access_token);
      wallet.clientId = ATTESTED_WALLET;
      wallet.changes = {};
    });

    it('redeems an offer', async () => {
      assert.ok(await wallet.receiveFor(person, world.sdJwt));
    });

    it('refreshes its token as often as it needs, and the credential with it', async () => {
      const { refresh_token: refresh } = await tokenByCode();
      for (const _time of [1, 2]) {
        const { status, body, text } = await wallet.askToken({ grant_type: 'refresh_token', refresh_token: refresh });
        assert.equal(status, 200, text);
        assert.equal(body.refresh_token ?? refresh, refresh, 'FAPI 2.0, 5.3.2.1: not rotated');
        assert.equal(readSdJwt(await wallet.receive(body, world.sdJwt)).payload.sub, person.id);
      }
    });

    it('learns from the metadata how to authenticate, and gets a challenge', async () => {
      const { body } = await wallet.send('/.well-known/oauth-authorization-server');
      assert.ok(body.token_endpoint_auth_methods_supported.includes('attest_jwt_client_auth'));
      assert.ok(body.client_attestation_signing_alg_values_supported.includes('ES256'));
      assert.ok(body.client_attestation_pop_signing_alg_values_supported.includes('ES256'));
      assert.equal(body['pre-authorized_grant_anonymous_access_supported'], false);
      assert.equal(body.challenge_endpoint, `${wallet.issuer}/openid/challenge`);
      const { headers, body: challenge } = await wallet.send('/openid/challenge', { method: 'POST' });
      assert.ok(challenge.attestation_challenge.length > 20);
      assert.match(headers.get('cache-control')!, /no-store/);
    });

    it('is asked to come with a fresh challenge', async () => {
      wallet.changes = {
        pop: ({ payload }) => {
          delete payload.challenge;
        },
      };
      const answer = await wallet.askToken({ grant_type: 'refresh_token', refresh_token: 'x' });
      wallet.changes = {};
      assert.equal(answer.body.error, 'use_attestation_challenge', answer.text);
      assert.ok(answer.headers.get('oauth-client-attestation-challenge'));
    });

    it('receives a copy for each key of a key attestation, by one proof', async () => {
      const keys = await Promise.all([newKey(), newKey(), newKey()]);
      const nonce = await wallet.nonce();
      const attestation = await provider.attestKeys(keys, nonce);
      const proof = await wallet.proof({
        nonce,
        key: keys[0]!,
        change: ({ header }) => {
          header.key_attestation = attestation;
        },
      });
      const answer = await wallet.request(await tokenByCode(), {
        credential_configuration_id: world.sdJwt,
        proofs: { jwt: [proof] },
      });
      assert.equal(answer.status, 200, answer.text);
      const bound = answer.body.credentials.map(({ credential }: any) => readSdJwt(credential).payload.cnf.jwk.x);
      assert.deepEqual(bound, await Promise.all(keys.map(async ({ publicKey }) => (await exportJWK(publicKey)).x)));
    });

    it('receives credentials for attested keys that sign nothing', async () => {
      const keys = await Promise.all([newKey(), newKey()]);
      const attestation = await provider.attestKeys(keys, await wallet.nonce(), ({ payload }) => {
        delete payload.exp;
      });
      const answer = await wallet.request(await tokenByCode(), {
        credential_configuration_id: world.sdJwt,
        proofs: { attestation: [attestation] },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.credentials.length, 2);
    });

    it('names its attested key by its place, or by its id', async () => {
      const keys = await Promise.all([newKey(), newKey()]);
      for (const kid of ['1', 'mine']) {
        const nonce = await wallet.nonce();
        const attestation = await provider.attestKeys(keys, nonce, ({ payload }) => {
          (payload.attested_keys as Record<string, unknown>[])[1]!.kid = 'mine';
        });
        const proof = await wallet.proof({
          nonce,
          key: keys[1]!,
          change: ({ header }) => {
            delete header.jwk;
            header.kid = kid;
            header.key_attestation = attestation;
          },
        });
        const body = { credential_configuration_id: world.sdJwt, proofs: { jwt: [proof] } };
        const answer = await wallet.request(await tokenByCode(), body);
        assert.equal(answer.status, 200, answer.text);
      }
    });

    it('may, but need not, attest its keys', async () => {
      const { proof_types_supported: types } = (await wallet.metadata()).credential_configurations_supported[world.sdJwt];
      assert.deepEqual(Object.keys(types), ['jwt', 'attestation']);
      for (const type of Object.values<any>(types)) {
        assert.ok(type.proof_signing_alg_values_supported.includes('ES256'));
        assert.equal(type.key_attestations_required, undefined);
      }
    });
  },
  { settings: { ...provider.settings, GATEHOUSE_IDENTITY_HAIP: 'on' } },
);

const REQUIRED = {
  GATEHOUSE_IDENTITY_KEY_ATTESTATIONS: 'required',
  GATEHOUSE_IDENTITY_KEY_STORAGE: 'iso_18045_high',
  GATEHOUSE_IDENTITY_KEY_USER_AUTHENTICATION: 'iso_18045_moderate',
};

onDatabase('SQLite', 'An issuer that requires attested keys', { settings: { ...provider.settings, ...REQUIRED } }, (api) => {
  const { world, person } = usesRoleWorld(api, { subject: 'user' });
  const wallet = usesAttestedWallet(api, provider);
  const tokenOf = () => wallet.tokenFor(person, world.sdJwt);

  it('says so in its metadata, and how they have to be kept', async () => {
    const { proof_types_supported: types } = (await wallet.metadata()).credential_configurations_supported[world.sdJwt];
    const wanted = { key_storage: ['iso_18045_high'], user_authentication: ['iso_18045_moderate'] };
    for (const type of ['jwt', 'attestation']) assert.deepEqual(types[type].key_attestations_required, wanted);
  });

  it('takes those, and refuses a proof without one and keys that are kept in another way', async () => {
    const token = await tokenOf();
    const ask = async (attestation: string) =>
      wallet.request(token, { credential_configuration_id: world.sdJwt, proofs: { attestation: [attestation] } });
    const plain = await wallet.ask(token, world.sdJwt);
    assert.equal(plain.body.error, 'invalid_proof', plain.text);
    for (const name of ['key_storage', 'user_authentication'])
      for (const value of [['iso_18045_basic'], 'iso_18045_high', undefined]) {
        const other = await provider.attestKeys([await newKey()], await wallet.nonce(), ({ payload }) => {
          payload[name] = value;
        });
        assert.equal((await ask(other)).body.error, 'invalid_proof', `${name} ${String(value)}`);
      }
    assert.equal((await ask(await provider.attestKeys([await newKey()], await wallet.nonce()))).status, 200);
  });

  it('signs by its published key where it has no https, and HAIP is off', async () => {
    const attestation = await provider.attestKeys([await newKey()], await wallet.nonce());
    const proofs = { attestation: [attestation] };
    const { body } = await wallet.request(await tokenOf(), { credential_configuration_id: world.sdJwt, proofs });
    assert.equal(decodeProtectedHeader(body.credentials[0].credential.split('~')[0]).x5c, undefined);
  });
});
