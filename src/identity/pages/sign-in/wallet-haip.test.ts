// Signing in with a wallet as HAIP 1.0 has it.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { before, it } from 'node:test';
import { decodeJwt } from 'jose';
import { onUsualDatabase, type TestApi, withApi } from '../../../../test/support/api.ts';
import { receiveCredential } from '../../../../test/support/credential-holders.ts';
import { type Holder, readWalletRequest } from '../../../../test/support/holder.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { makeHolder, makeOffer, makeRoleWorld, usesRoleWorld } from '../../../../test/support/role-credentials.ts';
import { usesAttestedWallet, usesWalletProvider } from '../../../../test/support/wallet-provider.ts';
import { usesVisitors, WalletVisitor } from '../../../../test/support/wallet-visitor.ts';
import { ConfigError } from '../../../platform/config/index.ts';
import { authorityKeyIdOf } from '../../../verifiable/trust/index.ts';

const provider = usesWalletProvider();
const HAIP = { GATEHOUSE_IDENTITY_HAIP: 'on', GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first' };

const certificateOf = (der: string): X509Certificate => new X509Certificate(Buffer.from(der, 'base64'));

onUsualDatabase(
  'Signing in with a wallet by HAIP',
  (api) => {
    const { world, person } = usesRoleWorld(api);
    const wallet = usesAttestedWallet(api, provider);
    const { visitor } = usesVisitors(api);
    let holder: Holder;
    before(async () => {
      holder = await receiveCredential(api, person, world.sdJwt, wallet);
    });
    const ask = () => visitor().ask();

    for (const enc of ['A128GCM', 'A256GCM'])
      it(`takes an answer that is encrypted with ECDH-ES and ${enc}`, async () => {
        const visit = await ask();
        const { status, body } = await holder.answer(visit.link, {
          encryption: (header) => {
            header.enc = enc;
          },
        });
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal((await visit.claims(await visit.returns(body.redirect_uri))).sub, person.id);
      });

    it('names itself by the hash of its certificate, with a chain that ends below the root', async () => {
      const { header, payload } = await readWalletRequest((await ask()).link);
      assert.match(payload.client_id, /^x509_hash:/);
      for (const der of header.x5c) {
        const certificate = certificateOf(der);
        assert.ok(!certificate.checkIssued(certificate), 'signed by itself');
      }
      assert.equal(payload.response_type, 'vp_token');
      assert.equal(payload.response_mode, 'direct_post.jwt');
    });

    it('lists both encryptions, and has another key for each request', async () => {
      const keys = [];
      for (const link of [(await ask()).link, (await ask()).link]) {
        const { client_metadata: about } = (await readWalletRequest(link)).payload;
        assert.deepEqual([...about.encrypted_response_enc_values_supported].sort(), ['A128GCM', 'A256GCM']);
        const [key, ...others] = about.jwks.keys;
        assert.deepEqual([key.crv, key.alg, others.length], ['P-256', 'ECDH-ES', 0]);
        keys.push(key.x);
      }
      assert.notEqual(keys[0], keys[1]);
    });

    it('asks for formats of HAIP only, and for credentials of the authorities of the issuer', async () => {
      const { payload, header } = await readWalletRequest((await ask()).link);
      const { credentials, credential_sets: sets } = payload.dcql_query;
      assert.deepEqual(
        credentials.map(({ format }: any) => format),
        ['dc+sd-jwt'],
      );
      assert.deepEqual(sets, [{ options: [['own']] }]);
      const authorities = [...new Set(header.x5c.map((der: string) => authorityKeyIdOf(certificateOf(der))))];
      assert.deepEqual(credentials[0].trusted_authorities, [{ type: 'aki', values: authorities }]);
      assert.ok(authorities[0], 'the certificate names its authority');
    });

    it('signs the request again for a wallet that sends a nonce, and only for that', async () => {
      const { link } = await ask();
      const address = new URL(link).searchParams;
      assert.equal(address.get('request_uri_method'), 'post');
      const uri = address.get('request_uri')!;
      const post = (form: string, type = 'application/x-www-form-urlencoded') =>
        fetch(uri, { method: 'POST', headers: { 'Content-Type': type }, body: form });
      const answer = await post('wallet_nonce=of-the-wallet&wallet_metadata=%7B%7D');
      assert.equal(answer.headers.get('content-type'), 'application/oauth-authz-req+jwt');
      const { wallet_nonce: nonce, ...signed } = decodeJwt<Record<string, unknown>>(await answer.text());
      assert.equal(nonce, 'of-the-wallet');
      const plain = decodeJwt<Record<string, unknown>>(await (await fetch(uri)).text());
      assert.deepEqual(signed, plain, 'all else is the same request');
      assert.equal(decodeJwt<Record<string, unknown>>(await (await post('')).text()).wallet_nonce, undefined);
      for (const wrong of [
        `wallet_nonce=${'x'.repeat(257)}`,
        'wallet_nonce=a&wallet_nonce=b',
        'wallet_nonce=',
        'wallet_nonce=a%20b',
      ])
        assert.equal((await post(wrong)).status, 400, wrong);
      assert.equal((await post('{}', 'application/json')).status, 415);
      assert.equal(
        (
          await fetch(`${uri.slice(0, -22)}${'x'.repeat(22)}`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body: 'wallet_nonce=x',
          })
        ).status,
        404,
      );
    });

    it('refuses the answer in another browser than the one that asked', async () => {
      const visit = await ask();
      const { body } = await holder.answer(visit.link);
      const elsewhere = await visitor().browser.go(body.redirect_uri);
      assert.equal(elsewhere.redirectTarget, undefined);
      assert.notEqual(elsewhere.status, 200);
    });
  },
  { settings: { ...provider.settings, ...HAIP } },
);

it('HAIP lets the service name itself by its certificate only, and wallets be opened by haip-vp:// and haip-vci://', async () => {
  const start = (settings: Record<string, string>, work: (api: TestApi) => Promise<void>) =>
    withApi({ settings: { ...HAIP, ...settings } }, work);
  await assert.rejects(
    start({ GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: 'x509_san_dns' }, async () => undefined),
    (error: Error) => error instanceof ConfigError && /must be x509_hash/.test(error.message),
  );
  await assert.rejects(
    start({ GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_LINK: 'javascript:alert(1)' }, async () => undefined),
    (error: Error) => error instanceof ConfigError && /CREDENTIAL_OFFER_LINK/.test(error.message),
  );
  const links = { GATEHOUSE_IDENTITY_WALLET_LINK: 'haip-vp://', GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_LINK: 'haip-vci://' };
  await start(links, async (api) => {
    const world = await makeRoleWorld(api);
    const visit = new WalletVisitor(api, await RelyingParty.make(api));
    const page = await visit.browser.submit(await visit.signInPage(), 'wallet');
    assert.match(page.text, /href="haip-vp:\/\/\?client_id=x509_hash/);
    const { uri } = await makeOffer(api, await makeHolder(api, world), [world.sdJwt]);
    assert.match(uri, /^haip-vci:\/\/\?credential_offer_uri=http/);
  });
});
