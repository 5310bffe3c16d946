// The code flow of an issuer: the person goes to its authorization server, and comes back with a code.
import type { Oauth2Client } from '@openid4vc/oauth2';
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { newSecret } from '../../platform/ids.ts';
import { fail } from '../faults.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { CanRedirectTo, WalletIdentity } from './clients.ts';
import { type IssuerToken, redeemCode, serverOf, type TokenRequest } from './token.ts';

export interface PendingAuthorization {
  readonly state: string;
  readonly verifier: string | undefined;
  readonly authorizationServer: string;
}

/** By scope where every configuration has one, else by its details (RFC 9396). */
function authorizationScope(metadata: IssuerMetadataResult, ids: readonly string[]): { scope?: string; details?: string } {
  const configurations = metadata.credentialIssuer.credential_configurations_supported as Record<string, { scope?: string }>;
  const scopes = ids.map((id) => configurations[id]?.scope);
  if (scopes.every((scope) => typeof scope === 'string')) return { scope: [...new Set(scopes)].join(' ') };
  const { credential_issuer: issuer, authorization_servers: servers } = metadata.credentialIssuer;
  const details = ids.map((id) => ({
    type: 'openid_credential',
    credential_configuration_id: id,
    // Where the server is not the issuer itself, it must learn whose credential is meant.
    ...(servers ? { locations: [issuer] } : {}),
  }));
  return { details: JSON.stringify(details) };
}

export async function beginAuthorization(
  oauth: Oauth2Client,
  { metadata, offer }: TokenRequest,
  exchangeId: string,
  ids: readonly string[],
  { clientId, redirectUri }: WalletIdentity,
  canRedirectTo: CanRedirectTo,
): Promise<{ url: string; pending: PendingAuthorization }> {
  // Whoever comes back with it says which exchange it is about.
  const state = `${exchangeId}.${newSecret()}`;
  const verifier = newSecret();
  const { scope, details } = authorizationScope(metadata, ids);
  const grant = offer.grants?.authorization_code;
  const { url, server } = await withUpstreamFaults('issuer', 'authorization', async () => {
    const server = serverOf(metadata, offer);
    // Not the library's way from an offer: that one drops our state.
    const { authorizationRequestUrl } = await oauth.createAuthorizationRequestUrl({
      // Servers that do not know PKCE ignore it; those that forgot to say so do not.
      authorizationServerMetadata: { ...server, code_challenge_methods_supported: ['S256'] },
      clientId,
      redirectUri,
      resource: metadata.credentialIssuer.credential_issuer,
      state,
      pkceCodeVerifier: verifier,
      ...(scope === undefined ? {} : { scope }),
      additionalRequestPayload: {
        ...(grant?.issuer_state === undefined ? {} : { issuer_state: grant.issuer_state }),
        ...(details === undefined ? {} : { authorization_details: details }),
      },
    });
    return { url: authorizationRequestUrl, server: server.issuer };
  });
  // Over plain http anybody on the way reads and changes what the person does there.
  const target = URL.parse(url);
  if (!target || !canRedirectTo(target))
    fail('upstream-error', { who: 'issuer', why: 'its authorization_endpoint is not https' });
  return { url, pending: { state, verifier, authorizationServer: server } };
}

/** State, issuer and code of the answer; then the token. */
export async function finishAuthorization(
  request: TokenRequest,
  pending: PendingAuthorization,
  response: string,
  { clientId, redirectUri }: WalletIdentity,
): Promise<IssuerToken> {
  const url = URL.parse(response);
  if (!url || !response.startsWith(`${redirectUri}?`))
    fail('invalid-request', { why: 'authorizationResponse is not the address of the callback' });
  const { searchParams } = url;
  for (const name of ['state', 'code', 'iss', 'error'])
    if (searchParams.getAll(name).length > 1) fail('invalid-request', { why: `${name} is there twice` });
  if (searchParams.get('state') !== pending.state) fail('invalid-request', { why: 'the answer belongs to another request' });
  const server = await withUpstreamFaults('issuer', 'authorization', async () => serverOf(request.metadata, request.offer));
  // The code goes to whom it was asked of, whatever the issuer says since.
  if (server.issuer !== pending.authorizationServer)
    fail('authorization-refused', undefined, { detail: { protocol: { error: 'invalid_issuer', endpoint: 'authorization' } } });
  const iss = searchParams.get('iss');
  const mustSayWho = server.authorization_response_iss_parameter_supported === true;
  // Another server answering in this one's place (RFC 9207).
  if ((iss !== null && iss !== pending.authorizationServer) || (iss === null && mustSayWho))
    fail('authorization-refused', undefined, { detail: { protocol: { error: 'invalid_issuer', endpoint: 'authorization' } } });
  const error = searchParams.get('error');
  if (error !== null) {
    const word = /^[a-z_]{1,60}$/.test(error) ? error : 'invalid_response';
    fail('authorization-refused', undefined, { detail: { protocol: { error: word, endpoint: 'authorization' } } });
  }
  const code = searchParams.get('code') ?? fail('invalid-request', { why: 'the answer has no code' });
  return redeemCode(request, { code, verifier: pending.verifier, redirectUri, clientId });
}
