// What HAIP 1.0 asks of an issuer, beyond wallets that authenticate (attestation.test.ts). docs/haip.md says which test shows what.
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { it } from 'node:test';
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, exportJWK, jwtVerify } from 'jose';
import { onUsualDatabase, withApi } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { codeGrant, newKey, readSdJwt, TestCredentialWallet, usesRoleWorld } from '../../../../test/support/role-credentials.ts';
import { AttestedTestWallet, usesAttestedWallet, usesWalletProvider } from '../../../../test/support/wallet-provider.ts';

const provider = usesWalletProvider();

onUsualDatabase(
  'An issuer by HAIP',
  (api) => {
    const { world, person } = usesRoleWorld(api);
    const wallet = usesAttestedWallet(api, provider);
    const offeredToken = () => wallet.tokenFor(person, world.sdJwt);

    /** The key of a JWS, whose chain must end below the root and not be signed by itself. */
    function leafOf(jws: string): X509Certificate {
      const { x5c = [], alg } = decodeProtectedHeader(jws);
      assert.equal(alg, 'ES256');
      assert.ok(x5c.length > 0, 'no chain');
      for (const der of x5c) {
        const certificate = new X509Certificate(Buffer.from(der, 'base64'));
        assert.ok(!certificate.checkIssued(certificate), 'a certificate that is signed by itself');
      }
      return new X509Certificate(Buffer.from(x5c[0]!, 'base64'));
    }

    it('has a scope for each configuration, and a nonce endpoint', async () => {
      const metadata = await wallet.metadata();
      assert.equal(metadata.nonce_endpoint, `${wallet.issuer}/openid/credentials/nonce`);
      const all = Object.entries<any>(metadata.credential_configurations_supported);
      assert.ok(all.length >= 3);
      for (const [id, { scope, cryptographic_binding_methods_supported: binding }] of all) {
        assert.match(scope, /^role_credential\./, id);
        assert.ok(binding.includes('jwk'), id);
      }
    });

    it('signs credentials, metadata and status lists with ES256 and a chain that ends below the root', async () => {
      const credential = (await wallet.receive(await offeredToken(), world.sdJwt)).split('~')[0]!;
      await jwtVerify(credential, leafOf(credential).publicKey);
      const signed = await wallet.send('/.well-known/openid-credential-issuer', { headers: { Accept: 'application/jwt' } });
      const { payload } = await jwtVerify(signed.text, leafOf(signed.text).publicKey, { typ: 'openidvci-issuer-metadata+jwt' });
      assert.equal(payload.sub, wallet.issuer);
      const { status } = decodeJwt<any>(credential);
      const list = await wallet.send(status.status_list.uri, { headers: { Accept: 'application/statuslist+jwt' } });
      await jwtVerify(list.text, leafOf(list.text).publicKey, { typ: 'statuslist+jwt', subject: status.status_list.uri });
    });

    it('issues SD-JWT VCs that end, can be revoked, are bound to a key, and hide claims by SHA-256', async () => {
      const key = await newKey();
      const proofs = { jwt: [await wallet.proof({ key })] };
      const { body } = await wallet.request(await offeredToken(), { credential_configuration_id: world.sdJwt, proofs });
      const raw: string = body.credentials[0].credential;
      assert.match(raw, /^[\w-]+\.[\w-]+\.[\w-]+~(?:[\w-]+~)+$/, 'compact, without a key binding');
      const { payload, header } = readSdJwt(raw);
      assert.equal(header.typ, 'dc+sd-jwt');
      assert.ok(payload.exp > payload.iat);
      assert.deepEqual(Object.keys(payload.status), ['status_list']);
      assert.equal(await calculateJwkThumbprint(payload.cnf.jwk), await calculateJwkThumbprint(await exportJWK(key.publicKey)));
      assert.equal(payload._sd_alg ?? 'sha-256', 'sha-256');
      for (const disclosure of raw.split('~').slice(1).filter(Boolean))
        assert.ok(payload._sd.includes(createHash('sha256').update(disclosure).digest('base64url')));
    });

    it('binds a code to the key of the wallet, if the wallet says which (DPoP, 10)', async () => {
      const other = await new AttestedTestWallet(api).of(provider);
      other.instanceKey = wallet.instanceKey;
      const jkt = await calculateJwkThumbprint(await exportJWK(wallet.dpopKey!.publicKey));
      const request = wallet.asks(world.scope, { dpop_jkt: jkt });
      const stolen = await other.askToken(codeGrant(request, await wallet.push(request, person)));
      assert.equal(stolen.body.error, 'invalid_grant', stolen.text);
      assert.equal((await wallet.askToken(codeGrant(request, await wallet.push(request, person)))).status, 200);
    });

    it('takes proofs of clocks that are ten seconds ahead', async () => {
      wallet.changes = {
        pop: ({ payload }) => {
          payload.iat = (payload.iat as number) + 10;
        },
      };
      assert.ok(await offeredToken());
      wallet.changes = {};
    });

    it('gives no token for credentials to whoever sends a password', async () => {
      const { id, secret } = await makeApplication(api, { grant_type: 'password' });
      const { status, body } = await wallet.send('/openid/token?', {
        method: 'POST',
        headers: {
          Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          grant_type: 'password',
          username: person.name,
          password: person.password,
          scope: `openid ${world.scope}`,
        }).toString(),
      });
      if (status !== 200) return;
      const plain = new TestCredentialWallet(api);
      const refused = await plain.ask({ access_token: body.access_token, token_type: 'Bearer' }, world.sdJwt);
      assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_token'], refused.text);
    });

    it('has request URIs and codes that end soon', async () => {
      const { parameters } = wallet.asks(world.scope);
      const pushed = await wallet.send('/openid/par', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(parameters).toString(),
      });
      assert.ok(pushed.body.expires_in < 600, pushed.text);
      const request = wallet.asks(world.scope);
      const answer = await wallet.push(request, person);
      api.clock.advance(61);
      const late = await wallet.askToken(codeGrant(request, answer), await wallet.dpop('/openid/token'));
      assert.equal(late.body.error, 'invalid_grant', late.text);
    });
  },
  { settings: { ...provider.settings, GATEHOUSE_IDENTITY_HAIP: 'on' } },
);

it('An issuer of one credential at a time does not say that it issues batches', async () => {
  await withApi({ settings: { GATEHOUSE_IDENTITY_CREDENTIAL_BATCH_SIZE: '1' } }, async (api) => {
    assert.equal((await new TestCredentialWallet(api).metadata()).batch_credential_issuance, undefined);
  });
});
