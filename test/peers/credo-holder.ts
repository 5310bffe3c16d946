// Credo as a holder, in a process of its own: receives SD-JWT VCs by OpenID4VCI 1.0 and shows them by OpenID4VP 1.0. Settings come as JSON in
// CREDO_HOLDER: { trust?: PEM[] }, whose credentials and requests it believes. Prints one line of JSON: address of the control.
//
// POST /receive  { offer, txCode } → { credential }
// POST /present  { request } → { status }, the verifier's. Not encrypted, because the keys in memory of the tests do not encrypt.
import { Agent, X509Module } from '@credo-ts/core';
import { OpenId4VcModule } from '@credo-ts/openid4vc';
import { announce, control } from './control.ts';
import { CONFIG, DEPENDENCIES, memoryModules } from './credo.ts';
import { type HolderAgent, receiveSdJwts } from './credo-receiving.ts';

const { trust = [] } = JSON.parse(process.env.CREDO_HOLDER ?? '{}');
const agent = new Agent({
  config: CONFIG,
  dependencies: DEPENDENCIES,
  modules: {
    ...memoryModules(),
    x509: new X509Module({ trustedCertificates: trust }),
    openid4vc: new OpenId4VcModule({}),
  },
});
await agent.initialize();
const { holder } = agent.openid4vc;

async function present(request: string) {
  const { authorizationRequestPayload, dcql } = await holder.resolveOpenId4VpAuthorizationRequest(request);
  const credentials = holder.selectCredentialsForDcqlRequest(dcql!.queryResult);
  const answer = await holder.acceptOpenId4VpAuthorizationRequest({ authorizationRequestPayload, dcql: { credentials } });
  return { status: answer.serverResponse?.status };
}

const controlled = await control({
  'POST /receive': async ({ offer, txCode }) => {
    const { received, compact } = await receiveSdJwts(agent as unknown as HolderAgent, offer, txCode, 1);
    await agent.sdJwtVc.store({ record: received.record as never });
    return { credential: compact };
  },
  'POST /present': ({ request }) => present(request),
});
announce({ control: controlled });
