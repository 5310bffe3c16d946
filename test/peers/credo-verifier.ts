// Credo as an OpenID4VP 1.0 verifier, in a process of its own. Settings come as JSON in CREDO_VERIFIER:
// { host?, port?, tls?: { key, cert }, trust?: PEM[] }. With x509_san_dns the host must be a name, `localhost` for one.
// Prints one line of JSON: its address, address of the control, the root its certificate comes from.
//
// POST /trust         { certificate } whose credentials are believed
// POST /requests      { query, prefix?, did?, responseMode?, transactionData?, redirectUri?, seconds? } → { session, request, clientId }
// GET  /sessions/:id  → { state, error, refusal, redirectUri, claims, transactionData, response }
import type { IncomingMessage } from 'node:http';
import { Agent, ClaimFormat, type VerifiablePresentation, X509Module } from '@credo-ts/core';
import { OpenId4VcModule, OpenId4VcVerificationSessionState } from '@credo-ts/openid4vc';
import { announce, control, open } from './control.ts';
import { CONFIG, DEPENDENCIES, memoryModules } from './credo.ts';
import { certificates, didUrl } from './credo-trust.ts';

const settings = JSON.parse(process.env.CREDO_VERIFIER ?? '{}');
const { address, serve } = await open(settings);
const baseUrl = `${address}/oid4vp`;

const agent = new Agent({
  config: CONFIG,
  dependencies: DEPENDENCIES,
  modules: {
    ...memoryModules(),
    x509: new X509Module({ trustedCertificates: settings.trust ?? [] }),
    openid4vc: new OpenId4VcModule({ verifier: { baseUrl } }),
  },
});
await agent.initialize();
const { verifier: api } = agent.openid4vc;
const { root, leaf } = await certificates(agent, new URL(address).hostname);
const dids = { key: await didUrl(agent, 'key'), jwk: await didUrl(agent, 'jwk') };
await api.createVerifier({ verifierId: 'v1', clientMetadata: { client_name: 'Verifier of the tests' } });

type Signer = Parameters<typeof api.createAuthorizationRequest>[0]['requestSigner'];

function signer(prefix: string, did: keyof typeof dids): Signer {
  if (prefix === 'redirect_uri') return { method: 'none' };
  if (prefix === 'decentralized_identifier') return { method: 'did', didUrl: dids[did] };
  return { method: 'x5c', x5c: [leaf], clientIdPrefix: prefix as 'x509_hash' };
}

async function request({ query, prefix = 'x509_hash', did = 'jwk', responseMode, transactionData, redirectUri, seconds }: any) {
  const { authorizationRequest, verificationSession } = await api.createAuthorizationRequest({
    verifierId: 'v1',
    version: 'v1',
    requestSigner: signer(prefix, did),
    dcql: { query },
    responseMode: responseMode ?? 'direct_post.jwt',
    ...(transactionData ? { transactionData } : {}),
    ...(redirectUri ? { authorizationResponseRedirectUri: redirectUri } : {}),
    ...(seconds ? { expirationInSeconds: seconds } : {}),
  });
  const { client_id } = verificationSession.requestPayload;
  return { session: verificationSession.id, request: authorizationRequest, clientId: client_id };
}

/** What a presentation says, whatever its format. */
function claims(presentation: VerifiablePresentation): unknown {
  if (presentation.claimFormat === ClaimFormat.SdJwtDc) return presentation.prettyClaims;
  if (presentation.claimFormat === ClaimFormat.MsoMdoc) {
    return presentation.documents.map(({ docType, issuerSignedNamespaces }) => ({ docType, ...issuerSignedNamespaces }));
  }
  return presentation.encoded;
}

/** By response_uri: what was posted instead of a presentation. Credo 0.6 cannot read errors, and forgets them. */
const refusals = new Map<string, object>();

async function session(_: unknown, id: string) {
  const record = await api.getVerificationSessionById(id);
  const refusal = refusals.get(String(record.requestPayload.response_uri));
  const {
    state,
    errorMessage: error,
    authorizationResponsePayload: response,
    authorizationResponseRedirectUri: redirectUri,
  } = record;
  if (state !== OpenId4VcVerificationSessionState.ResponseVerified) return { state, error, refusal, redirectUri, response };
  const { dcql, transactionData } = await api.getVerifiedAuthorizationResponse(id);
  const presented = Object.entries(dcql!.presentations).map(([query, presentations]) => [query, presentations.map(claims)]);
  return { state, redirectUri, claims: Object.fromEntries(presented), transactionData, response };
}

serve((request: IncomingMessage & { body?: { error?: string } }, response) => {
  response.on('finish', () => {
    if (request.body?.error) refusals.set(address + ((request as any).originalUrl ?? request.url), request.body);
  });
  api.config.app(request, response);
});
const controlled = await control({
  'POST /trust': ({ certificate }) => agent.x509.config.addTrustedCertificate(certificate),
  'POST /requests': request,
  'GET /sessions/:id': session,
});
announce({ address: `${baseUrl}/v1`, control: controlled, root: root.toString('pem') });
