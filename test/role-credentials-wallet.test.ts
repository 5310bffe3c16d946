// Roles as credentials, received by our own wallet node.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TestApi } from './support/api.ts';
import { credentialIds, EXCHANGES, issuedCredentials, VCI } from './support/issuance.ts';
import { USUAL_DATABASES } from './support/migrated-database.ts';
import { OurProvider } from './support/our-provider.ts';
import { VP } from './support/presentation.ts';
import { RelyingParty } from './support/relying-party.ts';
import { FORMATS, makeHolder, makeOffer, makeRoleWorld, type RoleHolder, type RoleWorld } from './support/role-credentials.ts';
import { redirectTargetOf, TestBrowser } from './support/test-browser.ts';
import { TestWallet, WalletUser } from './support/wallet.ts';
import { cookiesOf } from './support/wallet-session.ts';
import { WalletVisitor } from './support/wallet-visitor.ts';

for (const kind of USUAL_DATABASES)
  describe(`Roles in our own wallet (${kind})`, () => {
    const api = new TestApi(kind, { settings: { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' } });
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-anchors-'));
    const anchors = join(folder, 'anchors.pem');
    /** The wallet trusts the certificates of the service. */
    const provider = new (class extends OurProvider {
      override async start(): Promise<this> {
        await super.start();
        writeFileSync(anchors, (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer.root);
        return this;
      }
    })(api);
    const wallet = new TestWallet(kind, {
      provider,
      settings: { GATEHOUSE_WALLET_ROLES_CLAIM: 'roles', GATEHOUSE_WALLET_TRUST_ANCHORS: anchors },
    });
    provider.walletUrl = () => wallet.url;
    let world: RoleWorld;
    let person: RoleHolder;
    let owner: WalletUser;
    before(async () => {
      await wallet.start();
      world = await makeRoleWorld(api, { formats: [...FORMATS, 'mso_mdoc'] });
      person = await makeHolder(api, world);
      const begun = await wallet.get('/api/v1/auth/login');
      const back = redirectTargetOf(await new TestBrowser(api).signIn(begun.headers.get('location')!, person));
      const flow = cookiesOf(begun).gatehouse_wallet_login!;
      const done = await wallet.get(back.pathname + back.search, { headers: { Cookie: `${flow.name}=${flow.value}` } });
      owner = new WalletUser(wallet, person.name, `gatehouse_wallet=${cookiesOf(done).gatehouse_wallet!.value}`);
    });
    after(async () => {
      await wallet.stop();
      rmSync(folder, { recursive: true });
    });

    const ROLES = () => [{ target: world.application.id, application: world.application.name, names: ['manager'] }];

    it('come by a pre-authorized code, once the person has typed the transaction code', async () => {
      const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
      const missing = await owner.post(VCI, { uri });
      assert.equal(missing.body.code, 'tx-code-required', missing.text);
      const [credential] = issuedCredentials(await owner.post(VCI, { uri, txCode: code }));
      assert.deepEqual(credential.claims.roles, ROLES());
      assert.equal(credential.claims.sub, undefined, 'its type does not say whose it is');
      assert.equal(credential.format, 'dc+sd-jwt');
    });

    it('come as a W3C credential', async () => {
      const { uri, tx_code: code } = await makeOffer(api, person, [world.jwtVc]);
      const [credential] = issuedCredentials(await owner.post(VCI, { uri, txCode: code }));
      assert.deepEqual(credential.claims.credentialSubject.roles, ROLES());
    });

    it('come as a mobile document, in copies, and sign their holder in', async () => {
      const { uri, tx_code: code } = await makeOffer(api, person, [world.mdoc]);
      const [credential] = issuedCredentials(await owner.post(VCI, { uri, txCode: code, count: 2 }));
      assert.equal(credential.format, 'mso_mdoc');
      assert.deepEqual(credential.claims[credential.type].roles, ROLES());
      const visit = await new WalletVisitor(api, await RelyingParty.make(api)).ask();
      const shown = await owner.post(VP, { uri: visit.link, credentialIds: [credential.id] });
      assert.equal(shown.status, 200, shown.text);
      assert.deepEqual(shown.body.presented[0].disclosed, [], 'nothing but that it is theirs');
      const { status } = (await owner.get(`/api/v1/wallet/credentials/${credential.id}`)).body;
      assert.equal(status, 'valid', 'by its entry in the status list');
      assert.equal((await visit.claims(await visit.returns(shown.body.redirectUri))).sub, person.id);
    });

    it('come in several copies, each with a key of its own', async () => {
      const { uri, tx_code: code } = await makeOffer(api, person, [world.sdJwt]);
      const [credential] = issuedCredentials(await owner.post(VCI, { uri, txCode: code, count: 4 }));
      assert.deepEqual(credential.claims.roles, ROLES());
    });

    it('come by the code flow: an offer, a pushed request, and the browser', async () => {
      const had = await credentialIds(owner);
      const { uri } = await makeOffer(api, person, [world.sdJwt], { grant: 'authorization_code' });
      const begun = await owner.post(VCI, { uri });
      assert.equal(begun.body.status, 'authorization_required', begun.text);
      const url = new URL(begun.body.authorizationUrl);
      assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri']);
      const back = redirectTargetOf(await new TestBrowser(api).signIn(url, person));
      const answer = await owner.get(back.pathname + back.search, { headers: { Origin: '', 'Sec-Fetch-Site': 'cross-site' } });
      assert.equal(answer.status, 303, answer.text);
      const { exchangeId } = begun.body;
      const exchange = (await owner.get(`${EXCHANGES}/${exchangeId}`)).body;
      assert.equal(exchange.state, 'issued', JSON.stringify(exchange));
      assert.equal((await credentialIds(owner)).length, had.length + 1);
    });

    it('come without an offer: the wallet asks by itself, by scope', async () => {
      const offer = {
        credential_issuer: api.service.issuer(),
        credential_configuration_ids: [world.jwtVc],
        grants: { authorization_code: {} },
      };
      const begun = await owner.post(VCI, { offer });
      assert.equal(begun.body.status, 'authorization_required', begun.text);
      const back = redirectTargetOf(await new TestBrowser(api).signIn(begun.body.authorizationUrl, person));
      const { exchangeId } = begun.body;
      const [credential] = issuedCredentials(await owner.post(VCI, { exchangeId, authorizationResponse: back.href }));
      assert.deepEqual(credential.claims.credentialSubject.roles, ROLES());
    });
  });
