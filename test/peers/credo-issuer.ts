// Credo as an OpenID4VCI 1.0 issuer, in a process of its own. Settings come as JSON in CREDO_ISSUER:
// { host?, port?, tls?: { key, cert }, issuers?: [...as in POST /issuers], seconds?: { nonce?, offer?, token? } }.
// Prints one line of JSON: address of the first issuer, address of the control, the root its certificates come from.
//
// POST /issuers             { id, batchSize?, dpopAlgorithms?, authorizationServers?, signedMetadata? } → { address }
// POST /offers              { issuer?, credentials?, grant?, txCode?, authorizationServer?, dpop?, deferred?, signer?, claims?,
//                             refresh?, seconds? } → { session, offer, txCode }
// GET  /sessions/:id        → { state, error, issued, transactions, notifications }
// POST /sessions/:id/ready  what was deferred may be fetched
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Agent, parseDid, W3cCredential, W3cCredentialSubject, W3cIssuer, w3cDate } from '@credo-ts/core';
import {
  OpenId4VcIssuanceSessionRepository,
  type OpenId4VciCredentialRequestToCredentialMapper,
  type OpenId4VciSignCredentials,
  OpenId4VcModule,
} from '@credo-ts/openid4vc';
import { announce, control, open } from './control.ts';
import { CONFIG, DEPENDENCIES, memoryModules } from './credo.ts';
import { CLAIMS, CONFIGURATIONS, DOCUMENT, MEMBER, VCT } from './credo-credentials.ts';
import { certificates, didUrl } from './credo-trust.ts';

const settings = JSON.parse(process.env.CREDO_ISSUER ?? '{}');
const { address, serve } = await open(settings);
const baseUrl = `${address}/oid4vci`;

type Binding = Parameters<OpenId4VciCredentialRequestToCredentialMapper>[0]['holderBinding'];
type Signer = 'x5c' | 'did:key' | 'did:jwk';

/** Sessions whose deferred credentials may be fetched. */
const ready = new Set<string>();
/** By notification id. Credo 0.6 knows no notifications; the endpoint below is ours. */
const notified = new Map<string, { session: string; events: unknown[] }>();

const agent = new Agent({
  config: CONFIG,
  dependencies: DEPENDENCIES,
  modules: {
    ...memoryModules(),
    openid4vc: new OpenId4VcModule({
      issuer: {
        baseUrl,
        allowDynamicIssuanceSessions: true,
        cNonceExpiresInSeconds: settings.seconds?.nonce ?? 60,
        statefulCredentialOfferExpirationInSeconds: settings.seconds?.offer ?? 300,
        accessTokenExpiresInSeconds: settings.seconds?.token ?? 180,
        credentialRequestToCredentialMapper: ({ issuanceSession, holderBinding, credentialConfigurationId }) => {
          const { deferred } = issuanceSession.issuanceMetadata ?? {};
          if (deferred === undefined) return sign(credentialConfigurationId, holderBinding, issuanceSession.issuanceMetadata);
          return { type: 'deferral', transactionId: randomUUID(), interval: Number(deferred) };
        },
        deferredCredentialRequestToCredentialMapper: ({ issuanceSession: { id, issuanceMetadata }, transaction }) => {
          const { transactionId, credentialConfigurationId, holderBinding } = transaction;
          if (ready.has(id)) return sign(credentialConfigurationId, holderBinding!, issuanceMetadata);
          return { type: 'deferral', transactionId, interval: Number(issuanceMetadata!.deferred) };
        },
      },
    }),
  },
});
await agent.initialize();
const { issuer: api } = agent.openid4vc;
const { root, leaf } = await certificates(agent, new URL(address).hostname);
const dids = { 'did:key': await didUrl(agent, 'key'), 'did:jwk': await didUrl(agent, 'jwk') };

/** One credential for each key the wallet proved. */
function sign(configuration: string, binding: Binding, metadata: Record<string, any> = {}): OpenId4VciSignCredentials {
  const { signer = 'x5c', claims = CLAIMS } = metadata as { signer?: Signer; claims?: Record<string, any> };
  const { format } = CONFIGURATIONS[configuration as keyof typeof CONFIGURATIONS];
  if (format === 'dc+sd-jwt') {
    const issuer = signer === 'x5c' ? { method: signer, x5c: [leaf] } : { method: 'did' as const, didUrl: dids[signer] };
    const credentials = binding.keys.map((holder) => ({
      issuer,
      holder: holder.method === 'did' ? { method: holder.method, didUrl: holder.didUrl } : holder,
      payload: { vct: VCT, exp: seconds() + 86_400 * 30, ...claims },
      disclosureFrame: { _sd: Object.keys(claims) },
    }));
    return { type: 'credentials', format, credentials };
  }
  if (format === 'mso_mdoc') {
    const credentials = binding.keys.map(({ jwk }) => ({
      docType: DOCUMENT,
      issuerCertificate: leaf,
      holderKey: jwk,
      namespaces: { 'org.iso.18013.5.1': claims },
    }));
    return { type: 'credentials', format, credentials };
  }
  const verificationMethod = dids[signer === 'x5c' ? 'did:jwk' : signer];
  const credentials = binding.keys.map((holder) => {
    if (holder.method !== 'did') throw new Error('jwt_vc_json is bound to a DID here');
    const credentialSubject = new W3cCredentialSubject({ id: parseDid(holder.didUrl).did, claims });
    const credential = new W3cCredential({
      type: ['VerifiableCredential', MEMBER],
      issuer: new W3cIssuer({ id: parseDid(verificationMethod).did }),
      issuanceDate: w3cDate(Date.now()),
      credentialSubject,
    });
    return { verificationMethod, credential };
  });
  return { type: 'credentials', format: 'jwt_vc', credentials };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

async function createIssuer({ id = 'i1', batchSize, dpopAlgorithms, authorizationServers, signedMetadata }: any) {
  await api.createIssuer({
    issuerId: id,
    credentialConfigurationsSupported: CONFIGURATIONS,
    display: [{ name: `Issuer ${id}`, locale: 'en' }],
    ...(batchSize ? { batchCredentialIssuance: { batchSize } } : {}),
    ...(dpopAlgorithms ? { dpopSigningAlgValuesSupported: dpopAlgorithms } : {}),
    ...(authorizationServers ? { authorizationServerConfigs: authorizationServers } : {}),
    ...(signedMetadata ? { metadataSigner: { method: 'x5c', x5c: [leaf] } } : {}),
  });
  return { address: `${baseUrl}/${id}` };
}

async function offer(wanted: any) {
  const { issuer = 'i1', credentials = ['person'], grant = 'pre-authorized_code', txCode, authorizationServer } = wanted;
  const server = authorizationServer ? { authorizationServerUrl: authorizationServer } : {};
  const code = txCode ? { txCode: txCode === true ? { input_mode: 'numeric', length: 6 } : txCode } : {};
  const { deferred, signer, claims } = wanted;
  const { credentialOffer, issuanceSession } = await api.createCredentialOffer({
    issuerId: issuer,
    version: 'v1',
    credentialConfigurationIds: credentials,
    ...(grant === 'authorization_code' ? { authorizationCodeFlowConfig: server } : {}),
    ...(grant === 'pre-authorized_code' ? { preAuthorizedCodeFlowConfig: { ...server, ...code } } : {}),
    authorization: { requireDpop: wanted.dpop === true, requireWalletAttestation: false },
    issuanceMetadata: { deferred, signer, claims },
    generateRefreshTokens: wanted.refresh === true,
    ...(wanted.seconds ? { expirationInSeconds: wanted.seconds } : {}),
  });
  return { session: issuanceSession.id, offer: credentialOffer, txCode: issuanceSession.userPin };
}

async function session(_: unknown, id: string) {
  const { state, errorMessage, issuedCredentials, transactions } = await api.getIssuanceSessionById(id);
  const notifications = [...notified.values()].filter((each) => each.session === id).flatMap(({ events }) => events);
  return {
    state,
    error: errorMessage,
    issued: issuedCredentials,
    transactions: transactions.map(({ transactionId }) => transactionId),
    notifications,
  };
}

/** Whose access token this is: Credo's own carry the code, an external server's at best the issuer state. */
async function sessionOf(authorization = ''): Promise<string> {
  const payload = JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString() || '{}');
  const repository = agent.dependencyManager.resolve(OpenId4VcIssuanceSessionRepository);
  const { 'pre-authorized_code': preAuthorizedCode, issuer_state: issuerState } = payload;
  if (!preAuthorizedCode && !issuerState) return '';
  return (await repository.findSingleByQuery(agent.context, { preAuthorizedCode, issuerState }))?.id ?? '';
}

// Credo answers with send(): the metadata gets a notification endpoint there, credentials a notification id.
const { app } = api.config;
const send = app.response.send;
app.response.send = function (this: typeof app.response, body) {
  if (typeof body !== 'string' || !body.startsWith('{') || this.statusCode !== 200) return send.call(this, body);
  const url = this.req.originalUrl;
  if (url.startsWith('/.well-known/openid-credential-issuer')) {
    const metadata = JSON.parse(body);
    return send.call(this, JSON.stringify({ ...metadata, notification_endpoint: `${address}/notification` }));
  }
  if (!/^\/oid4vci\/[^/]+\/(deferred-)?credential$/.test(url)) return send.call(this, body);
  const id = randomUUID();
  const entry = { session: '', events: [] };
  notified.set(id, entry);
  sessionOf(this.req.headers.authorization).then((owner) => {
    entry.session = owner;
  });
  return send.call(this, JSON.stringify({ ...JSON.parse(body), notification_id: id }));
};
app.post('/notification', async (request, response) => {
  const { notification_id, ...event } = JSON.parse(await text(request));
  const known = notified.get(notification_id);
  if (!request.headers.authorization) return void response.status(401).end();
  if (!known) return void response.status(400).json({ error: 'invalid_notification_id' });
  known.events.push(event);
  response.status(204).end();
});
serve(app);

for (const wanted of settings.issuers ?? [{}]) await createIssuer(wanted);
const controlled = await control({
  'POST /issuers': createIssuer,
  'POST /offers': offer,
  'GET /sessions/:id': session,
  'POST /sessions/:id/ready': (_, id) => void ready.add(id),
});
const first = `${baseUrl}/${settings.issuers?.[0]?.id ?? 'i1'}`;
announce({ address: first, control: controlled, root: root.toString('pem') });
