// Credo's holder receives roles as credentials from our issuer.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Agent, DidDocument, type DidResolver, DidsModule, JsonTransformer, JwkDidResolver, X509Module } from '@credo-ts/core';
import { OpenId4VcModule } from '@credo-ts/openid4vc';
import { TestApi } from '../support/api.ts';
import { freePort } from '../support/ports.ts';
import {
  makeHolder,
  makeOffer,
  makeRoleWorld,
  makeType,
  PUBLIC_WALLET,
  PUBLIC_WALLETS,
  type RoleHolder,
  type RoleWorld,
  readSdJwt,
  WALLET_CALLBACK,
} from '../support/role-credentials.ts';
import { redirectTargetOf, TestBrowser } from '../support/test-browser.ts';
import { CONFIG, DEPENDENCIES, memoryModules } from './credo.ts';
import { type HolderAgent, receiveSdJwts } from './credo-receiving.ts';
import { didUrl, newKey } from './credo-trust.ts';

const ISSUER = 'https://roles.example';
const port = await freePort();
const plainFetch = globalThis.fetch;
/** The issuer has an https address, which leads to the service of the test. */
const reach: typeof fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  return plainFetch(url.replace(ISSUER, `http://127.0.0.1:${port}`), input instanceof Request ? input : init);
};

/** Credo's own resolver of did:web has an HTTP client of its own, which does not find the issuer of the test. */
const webResolver: DidResolver = {
  supportedMethods: ['web'],
  allowsCaching: false,
  async resolve(_context, _did, { id }) {
    const document = await (await reach(`https://${id}/.well-known/did.json`)).json();
    const didDocument = JsonTransformer.fromJSON(document, DidDocument);
    return { didDocument, didDocumentMetadata: {}, didResolutionMetadata: { contentType: 'application/did+json' } };
  },
};

describe('Credo receives roles as credentials', () => {
  const api = new TestApi('SQLite', {
    settings: { ...PUBLIC_WALLETS, GATEHOUSE_IDENTITY_URL: ISSUER, GATEHOUSE_IDENTITY_PORT: String(port) },
  });
  let world: RoleWorld;
  let person: RoleHolder;
  let agent: HolderAgent;
  before(async () => {
    globalThis.fetch = reach;
    await api.start();
    api.url = ISSUER;
    world = await makeRoleWorld(api);
    person = await makeHolder(api, world);
    const { root } = (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer;
    const modules = {
      ...memoryModules(),
      openid4vc: new OpenId4VcModule({}),
      dids: new DidsModule({ resolvers: [webResolver, new JwkDidResolver()] }),
      x509: new X509Module({ trustedCertificates: [root] }),
    };
    agent = new Agent({ config: CONFIG, dependencies: { ...DEPENDENCIES, fetch: reach }, modules }) as never;
    await agent.initialize();
  });
  after(async () => {
    await agent?.shutdown();
    await api.stop();
    globalThis.fetch = plainFetch;
  });

  it('as SD-JWTs in a batch, by a pre-authorized code, with DPoP', async () => {
    const { uri, tx_code: txCode } = await makeOffer(api, person, [world.sdJwt]);
    const { resolvedCredentialOffer, token, received, compact } = await receiveSdJwts(agent, uri, txCode!, 2);
    const { payload, header } = readSdJwt(compact);
    assert.deepEqual(payload.roles, [{ target: world.application.id, application: world.application.name, names: ['manager'] }]);
    assert.ok(header.x5c.length > 0);
    await agent.openid4vc.holder.sendNotification({
      metadata: resolvedCredentialOffer.metadata,
      notificationId: received.notificationId!,
      accessToken: token.accessToken,
      notificationEvent: 'credential_accepted',
      ...(token.dpop ? { dpop: token.dpop } : {}),
    });
  });

  it('as a W3C credential about its DID', async () => {
    // Credo's holder knows only the data model 1.1 in this format.
    const { id } = await makeType(api, world.application, { formats: ['jwt_vc_json'], data_model: '1.1' });
    const { uri, tx_code: txCode } = await makeOffer(api, person, [`${id}.jwt_vc`]);
    const resolvedCredentialOffer = await agent.openid4vc.holder.resolveCredentialOffer(uri);
    const token = await agent.openid4vc.holder.requestToken({ resolvedCredentialOffer, txCode: txCode! });
    const url = await didUrl(agent as never, 'jwk');
    const { credentials } = await agent.openid4vc.holder.requestCredentials({
      resolvedCredentialOffer,
      ...token,
      credentialBindingResolver: () => ({ method: 'did', didUrls: [url] }),
    });
    assert.equal(credentials.length, 1);
  });

  it('by signing in: a pushed request by scope', async () => {
    const { uri } = await makeOffer(api, person, [world.sdJwt], { grant: 'authorization_code' });
    const resolvedCredentialOffer = await agent.openid4vc.holder.resolveCredentialOffer(uri);
    const asked = await agent.openid4vc.holder.resolveOpenId4VciAuthorizationRequest(resolvedCredentialOffer, {
      clientId: PUBLIC_WALLET,
      redirectUri: WALLET_CALLBACK,
      scope: [world.scope],
    });
    assert.ok('authorizationRequestUrl' in asked);
    const back = redirectTargetOf(await new TestBrowser(api).signIn(asked.authorizationRequestUrl, person));
    assert.equal(back.searchParams.get('error_description'), null);
    const token = await agent.openid4vc.holder.requestToken({
      resolvedCredentialOffer,
      code: back.searchParams.get('code')!,
      clientId: PUBLIC_WALLET,
      redirectUri: WALLET_CALLBACK,
      ...(asked.codeVerifier ? { codeVerifier: asked.codeVerifier } : {}),
      ...(asked.dpop ? { dpop: asked.dpop } : {}),
    });
    const key = await newKey(agent as never);
    const { credentials } = await agent.openid4vc.holder.requestCredentials({
      resolvedCredentialOffer,
      ...token,
      clientId: PUBLIC_WALLET,
      credentialBindingResolver: () => ({ method: 'jwk', keys: [key] }),
    });
    assert.equal(credentials.length, 1);
  });
});
