// The authorization code flow with an issuer's authorization server.
import type { Oauth2Client } from '@openid4vc/oauth2';
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { newSecret } from '../../platform/ids.ts';
import { fail } from '../ground/faults.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import { type ClientMethod, methodsFor, tryMethods } from './client-authentication.ts';
import type { CanRedirectTo, WalletIdentity } from './clients.ts';
import type { PendingAuthorization } from './data.ts';
import { dpopOptions, type IssuerToken, redeemCode, serverOf, supportsDpop, type TokenRequest } from './token.ts';

/** By scope if every configuration has one, else by authorization details (RFC 9396). */
function authorizationScope(metadata: IssuerMetadataResult, ids: readonly string[]): { scope?: string; details?: string } {
  const configurations = metadata.credentialIssuer.credential_configurations_supported as Record<string, { scope?: string }>;
  const scopes = ids.map((id) => configurations[id]?.scope);
  if (scopes.every((scope) => typeof scope === 'string')) return { scope: [...new Set(scopes)].join(' ') };
  const { credential_issuer: issuer, authorization_servers: servers } = metadata.credentialIssuer;
  const details = ids.map((id) => ({
    type: 'openid_credential',
    credential_configuration_id: id,
    // If the server is not the issuer itself, it must know which issuer is meant.
    ...(servers ? { locations: [issuer] } : {}),
  }));
  return { details: JSON.stringify(details) };
}

interface AuthorizationDeps {
  oauth(method: ClientMethod): Oauth2Client;
  readonly identity: WalletIdentity;
  readonly canRedirectTo: CanRedirectTo;
}

export async function beginAuthorization(
  { oauth, identity: { clientId, redirectUri }, canRedirectTo }: AuthorizationDeps,
  { metadata, offer, dpopJwk }: TokenRequest,
  exchangeId: string,
  ids: readonly string[],
): Promise<{ url: string; pending: PendingAuthorization }> {
  // The state contains the exchange id, to find the exchange in the callback.
  const state = `${exchangeId}.${newSecret()}`;
  const verifier = newSecret();
  const { scope, details } = authorizationScope(metadata, ids);
  const grant = offer.grants?.authorization_code;
  const { url, server, pushedBy } = await withUpstreamFaults('issuer', 'authorization', async () => {
    const server = serverOf(metadata, offer);
    // Without a pushed request, nobody authenticates yet.
    const isPushed = server.pushed_authorization_request_endpoint !== undefined;
    const { method, result } = await tryMethods(isPushed ? methodsFor(server, false) : ['none'], (method) =>
      // The library's helper for offers is not used, because it drops our state.
      oauth(method).createAuthorizationRequestUrl({
        // PKCE is always sent: servers without PKCE ignore it, and some support it without advertising it.
        authorizationServerMetadata: { ...server, code_challenge_methods_supported: ['S256'] },
        clientId,
        redirectUri,
        resource: metadata.credentialIssuer.credential_issuer,
        state,
        pkceCodeVerifier: verifier,
        // The code is good for this key only (RFC 9449, 10).
        ...(supportsDpop(metadata, offer) ? { dpop: dpopOptions(dpopJwk) } : {}),
        ...(scope === undefined ? {} : { scope }),
        additionalRequestPayload: {
          ...(grant?.issuer_state === undefined ? {} : { issuer_state: grant.issuer_state }),
          ...(details === undefined ? {} : { authorization_details: details }),
        },
      }),
    );
    return { url: result.authorizationRequestUrl, server: server.issuer, pushedBy: isPushed ? method : undefined };
  });
  // Over plain http the login could be read and changed on the way.
  const target = URL.parse(url);
  if (!target || !canRedirectTo(target))
    fail('upstream-error', { who: 'issuer', why: 'its authorization_endpoint is not https' });
  return { url, pending: { state, verifier, authorizationServer: server, ...(pushedBy ? { pushedBy } : {}) } };
}

/** Checks state, issuer and code of the response, then requests the token. */
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
  // The code must go to the server that issued it, even if the issuer's metadata changed.
  if (server.issuer !== pending.authorizationServer)
    fail('authorization-refused', undefined, { detail: { protocol: { error: 'invalid_issuer', endpoint: 'authorization' } } });
  const iss = searchParams.get('iss');
  const mustSayWho = server.authorization_response_iss_parameter_supported === true;
  // Mix-up attack: a response of another server (RFC 9207).
  if ((iss !== null && iss !== pending.authorizationServer) || (iss === null && mustSayWho))
    fail('authorization-refused', undefined, { detail: { protocol: { error: 'invalid_issuer', endpoint: 'authorization' } } });
  const error = searchParams.get('error');
  if (error !== null) {
    const word = /^[a-z_]{1,60}$/.test(error) ? error : 'invalid_response';
    fail('authorization-refused', undefined, { detail: { protocol: { error: word, endpoint: 'authorization' } } });
  }
  const code = searchParams.get('code') ?? fail('invalid-request', { why: 'the answer has no code' });
  return redeemCode(request, { code, verifier: pending.verifier, redirectUri, clientId, pushedBy: pending.pushedBy });
}
