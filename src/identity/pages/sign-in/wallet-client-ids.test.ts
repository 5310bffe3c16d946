// How the service names itself to wallets: by the hash of its certificate (wallet.test.ts), by its host name, or by its DID.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeProtectedHeader, importJWK, type JWTPayload, jwtVerify } from 'jose';
import { withApi } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { makeCredentialHolder } from '../../../../test/support/credential-holders.ts';
import { freePort } from '../../../../test/support/ports.ts';
import { CALLBACK, RelyingParty } from '../../../../test/support/relying-party.ts';
import { makeRoleWorld } from '../../../../test/support/role-credentials.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { WalletVisitor } from '../../../../test/support/wallet-visitor.ts';
import { ConfigError } from '../../../platform/config/index.ts';

const ON = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'first' };

describe('The name of the service at wallets', () => {
  it('is its host, which its certificate has', async () => {
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const settings = {
      ...ON,
      GATEHOUSE_IDENTITY_PORT: String(port),
      GATEHOUSE_IDENTITY_HOST: 'localhost',
      GATEHOUSE_IDENTITY_URL: issuer,
      GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: 'x509_san_dns',
    };
    await withApi({ settings }, async (api) => {
      api.url = issuer;
      const world = await makeRoleWorld(api);
      const { id, holder } = await makeCredentialHolder(api, world);
      const visit = await new WalletVisitor(api, await RelyingParty.make(api)).ask();
      assert.equal(new URL(visit.link).searchParams.get('client_id'), 'x509_san_dns:localhost');
      assert.equal((await visit.claims(await visit.shows(holder))).sub, id);
    });
  });

  it('is its DID, whose document has the key of the request', async () => {
    const issuer = 'https://id.example';
    const settings = { ...ON, GATEHOUSE_IDENTITY_URL: issuer, GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: 'did' };
    await withApi({ settings }, async (api) => {
      await makeRoleWorld(api);
      const { id } = await makeApplication(api, { redirect_uris: [CALLBACK], client_type: 'public' });
      const browser = new TestBrowser(api);
      const asked = { client_id: id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid', state: 'a state of ours' };
      const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
      const page = await browser.go(`/openid/authorize?${new URLSearchParams({ ...asked, ...pkce })}`);
      const form = page.forms.find(({ fields }) => fields.step === 'wallet')!;
      const shown = await browser.send(new URL(form.action, page.url), form.fields, { Origin: issuer });
      const link = new URL(/href="(openid4vp:[^"]+)"/.exec(shown.text)![1]!.replaceAll('&amp;', '&'));
      const did = 'did:web:id.example';
      assert.equal(link.searchParams.get('client_id'), `decentralized_identifier:${did}`);
      const requestUri = link.searchParams.get('request_uri')!;
      assert.ok(requestUri.startsWith(`${issuer}/openid/wallet/requests/`));
      const jwt = await (await fetch(api.url + requestUri.slice(issuer.length))).text();
      const { kid, x5c } = decodeProtectedHeader(jwt);
      assert.equal(x5c, undefined);
      const document = (await api.get('/.well-known/did.json', { token: null })).body;
      const { publicKeyJwk } = document.verificationMethod.find((method: any) => method.id === kid);
      assert.ok(document.authentication.includes(kid), 'wallets accept keys for authentication only');
      const { payload } = await jwtVerify<JWTPayload>(jwt, await importJWK(publicKeyJwk, 'ES256'));
      assert.equal(payload.client_id, `decentralized_identifier:${did}`);
    });
  });

  for (const [name, settings, why] of [
    ['a DID without https', { GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: 'did' }, /did needs a GATEHOUSE_IDENTITY_URL with https/],
    ['a host name that is an address', { GATEHOUSE_IDENTITY_WALLET_CLIENT_ID: 'x509_san_dns' }, /the name of a host/],
    ['a link that runs a script', { GATEHOUSE_IDENTITY_WALLET_LINK: 'javascript:alert(1)//' }, /GATEHOUSE_IDENTITY_WALLET_LINK/],
    ['a link that is none', { GATEHOUSE_IDENTITY_WALLET_LINK: 'wallet' }, /GATEHOUSE_IDENTITY_WALLET_LINK/],
  ] as const)
    it(`is not ${name}: the service does not start`, () =>
      assert.rejects(
        withApi({ settings: { ...ON, ...settings } }, async () => undefined),
        (error: Error) => error instanceof ConfigError && why.test(error.message),
      ));
});
