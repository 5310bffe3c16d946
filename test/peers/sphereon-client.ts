// Sphereon as a wallet that receives credentials, in a process of its own. Its newest client is one of draft 15 of OpenID4VCI. Of what the
// final 1.0 has, it cannot: send `proofs` (it sends one `proof`, so one copy a request), encrypt requests or read encrypted answers, and
// use DPoP (it makes proofs, but sends the token as Bearer). Prints one line of JSON: address of the control.
//
// POST /receive  { offer, txCode, jwk } → { credential, notified }; jwk is the private key that the credential is bound to
import { OpenID4VCIClientV1_0_15 as Client } from '@sphereon/oid4vci-client';
import { importJWK, SignJWT } from 'jose';
import { announce, control } from './control.ts';

async function receive({ offer, txCode, jwk }: { offer: string; txCode: string; jwk: Record<string, string> }) {
  const client = await Client.fromURI({ uri: offer, createAuthorizationRequestURL: false });
  await client.acquireAccessToken({ pin: txCode });
  const { d: _, ...publicJwk } = jwk;
  const key = await importJWK(jwk, 'ES256');
  const [configurationId] = client.getCredentialOfferConfigurationIds();
  const answer = await client.acquireCredentials({
    credentialConfigurationId: configurationId!,
    format: 'dc+sd-jwt',
    alg: 'ES256',
    jwk: publicJwk as never,
    proofCallbacks: {
      signCallback: async ({ header, payload }) => new SignJWT(payload as never).setProtectedHeader(header as never).sign(key),
    },
  });
  const [issued] = answer.credentials as readonly { readonly credential: string }[];
  const { notification_endpoint: notificationEndpoint } = client.endpointMetadata;
  const { error } = await client.sendNotification(
    { notificationEndpoint: notificationEndpoint! },
    { notification_id: answer.notification_id!, event: 'credential_accepted' },
  );
  return { credential: issued!.credential, notified: !error };
}

announce({ control: await control({ 'POST /receive': receive }) });
