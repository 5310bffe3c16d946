// Our own wallet node at our own issuer, as HAIP wants it: the node attests its wallets and their keys, and the issuer trusts it as a wallet provider.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertOk } from './support/answers.ts';
import { TestApi } from './support/api.ts';
import { issuedCredentials, VCI } from './support/issuance.ts';
import { USUAL_DATABASES } from './support/migrated-database.ts';
import { makeHolder, makeOffer, makeRoleWorld, type RoleHolder, type RoleWorld } from './support/role-credentials.ts';
import { makeSoftToken } from './support/softhsm.ts';
import { redirectTargetOf, TestBrowser } from './support/test-browser.ts';
import { TestWallet, type WalletUser } from './support/wallet.ts';

const soft = makeSoftToken('gatehouse-attested');

for (const kind of USUAL_DATABASES)
  describe(`A wallet node that attests its wallets (${kind})`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-attested-'));
    const [file, anchors] = [join(folder, 'providers.json'), join(folder, 'issuers.pem')];
    writeFileSync(anchors, '');
    const wallet = new TestWallet(kind, {
      settings: {
        GATEHOUSE_WALLET_ISSUER_TRUST_ANCHORS: anchors,
        GATEHOUSE_WALLET_PKCS11_LIBRARY: soft.library,
        GATEHOUSE_WALLET_PKCS11_TOKEN: soft.tokenLabel,
        GATEHOUSE_WALLET_PKCS11_PIN: soft.pin,
        GATEHOUSE_WALLET_ATTESTED_KEY_STORAGE: 'iso_18045_high',
        GATEHOUSE_WALLET_ATTESTED_USER_AUTHENTICATION: 'iso_18045_moderate',
      },
    });
    const api = new TestApi(kind, {
      settings: {
        GATEHOUSE_IDENTITY_HAIP: 'on',
        GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE: file,
        GATEHOUSE_IDENTITY_KEY_ATTESTATIONS: 'required',
        GATEHOUSE_IDENTITY_KEY_STORAGE: 'iso_18045_high',
        GATEHOUSE_IDENTITY_KEY_USER_AUTHENTICATION: 'iso_18045_moderate',
      },
    });
    let world: RoleWorld;
    let person: RoleHolder;
    let owner: WalletUser;
    let published: any;

    before(async () => {
      await wallet.start();
      published = assertOk(await wallet.request('GET', '/.well-known/wallet-client'));
      writeFileSync(join(folder, 'root.pem'), published.attester.root);
      const clients = [{ client_id: published.client_id, redirect_uris: published.redirect_uris }];
      writeFileSync(file, JSON.stringify({ providers: [{ name: 'Ours', certificates_file: 'root.pem', clients }] }));
      await api.start();
      writeFileSync(anchors, (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer.root);
      world = await makeRoleWorld(api, { formats: ['dc+sd-jwt', 'mso_mdoc'] });
      person = await makeHolder(api, world);
      owner = await wallet.logIn();
    });
    after(async () => {
      await wallet.stop();
      await api.stop();
      rmSync(folder, { recursive: true });
    });

    it('says what operators of issuers need: client id, redirect address, keys, and its certificates without the root', async () => {
      assert.equal(published.client_id, wallet.url);
      assert.deepEqual(published.redirect_uris, [`${wallet.url}/api/v1/wallet/oid4vci/callback`]);
      const root = new X509Certificate(published.attester.root);
      const [leaf, ...others] = published.attester.chain.map((der: string) => new X509Certificate(Buffer.from(der, 'base64')));
      assert.ok(leaf.checkIssued(root) && leaf.verify(root.publicKey) && others.length === 0);
      assert.equal(published.attester.jwks.keys[0].d, undefined);
      const { keys } = assertOk(await wallet.request('GET', new URL(published.jwks_uri).pathname));
      assert.equal(keys[0].d, undefined);
      assert.notEqual(keys[0].kid, published.attester.jwks.keys[0].kid, 'each key has one task');
    });

    it('receives a credential for a pre-authorized code, in copies for keys in its device', async () => {
      const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
      const [credential] = issuedCredentials(await owner.post(VCI, { uri, txCode, count: 3 }));
      assert.deepEqual(credential.claims.roles[0].names, ['manager']);
      const keys = assertOk(await owner.get('/api/v1/wallet/keys?limit=200')) as { storage: string }[];
      assert.deepEqual(
        keys.map(({ storage }) => storage),
        ['pkcs11', 'pkcs11', 'pkcs11'],
        'one for each copy',
      );
    });

    it('receives one by the authorization code: a pushed request, PKCE, DPoP, and the consent of the person', async () => {
      const offer = { id: person.id, token: api.adminToken };
      const { uri } = await makeOffer(api, offer, [world.sdJwt], { grant: 'authorization_code' });
      const begun = assertOk(await owner.post(VCI, { uri }));
      assert.equal(begun.status, 'authorization_required');
      const url = new URL(begun.authorizationUrl);
      assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri'], 'it was pushed');
      const back = redirectTargetOf(await new TestBrowser(api).signIn(url.href, person));
      assert.equal(back.origin + back.pathname, published.redirect_uris[0]);
      const answer = await owner.post(VCI, { exchangeId: begun.exchangeId, authorizationResponse: back.href });
      const [credential] = issuedCredentials(answer);
      assert.equal(credential.format, 'dc+sd-jwt');
    });

    it('receives a mobile document', async () => {
      const { uri, tx_code: txCode } = await makeOffer(api, person, [world.mdoc]);
      const [credential] = issuedCredentials(await owner.post(VCI, { uri, txCode }));
      assert.equal(credential.format, 'mso_mdoc');
    });

    it('goes on with a new key of its provider, and not with a revoked one', async () => {
      const admin = await wallet.logIn('admin');
      const attester = async () => {
        const { keys } = assertOk(await admin.get('/api/v1/wallet/node'));
        return keys.find(({ alias, state }: { alias?: string; state: string }) => alias === 'attester' && state === 'active');
      };
      const kidNow = async () => assertOk(await wallet.request('GET', '/.well-known/wallet-client')).attester;
      const receive = async () => {
        const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
        issuedCredentials(await owner.post(VCI, { uri, txCode }));
      };
      const first = await attester();
      assert.equal(first.storage, 'pkcs11');
      assertOk(await admin.post(`/api/v1/wallet/keys/${first.id}/rotate`, {}));
      const second = await kidNow();
      assert.notEqual(second.jwks.keys[0].kid, first.kid);
      assert.equal(second.root, published.attester.root, 'issuers need not do anything');
      await receive();
      assertOk(await admin.post(`/api/v1/wallet/keys/${(await attester()).id}/revoke`, { reason: 'compromised' }));
      const third = await kidNow();
      assert.notEqual(third.jwks.keys[0].kid, second.jwks.keys[0].kid);
      await receive();
    });

    it('receives nothing where its provider is not trusted, and is told so', async () => {
      // It says that it is ours.
      const stranger = new TestWallet(kind, { settings: { GATEHOUSE_WALLET_CLIENT_ID: published.client_id } });
      await stranger.start();
      try {
        const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
        const answer = await (await stranger.logIn()).post(VCI, { uri, txCode });
        assert.ok(answer.status >= 400, answer.text);
        assert.ok(answer.body.code === 'unsupported-proof-type' || answer.body.protocol?.error === 'invalid_client', answer.text);
        // The code is still good for the wallet that it is for.
        issuedCredentials(await owner.post(VCI, { uri, txCode }));
      } finally {
        await stranger.stop();
      }
    });
  });
