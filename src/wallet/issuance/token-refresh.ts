// Refreshes an access token that expired while a credential was deferred.
import { Oauth2Client } from '@openid4vc/oauth2';
import type { CredentialOfferObject } from '@openid4vc/openid4vci';
import type { Exchange, Exchanges } from '../exchanges/index.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { WalletIdentity } from './clients.ts';
import type { AuthorizedClient } from './endpoint.ts';
import { grantOf } from './offer.ts';
import { type IssuerToken, serverOf, tokenOf } from './token.ts';

/** Refresh early, so that the token does not expire during the request. */
const EARLY_MS = 10_000;

/** Saves the result immediately, because refresh tokens may be single-use. */
export async function refreshAccessToken(
  exchanges: Exchanges,
  exchange: Exchange<{ readonly offer: CredentialOfferObject; token?: IssuerToken }>,
  { callbacks, metadata, token, dpop }: AuthorizedClient,
  { clientId }: WalletIdentity,
  now: number,
): Promise<void> {
  const { refreshToken, expiresAt } = token;
  if (refreshToken === undefined || expiresAt === undefined || expiresAt - EARLY_MS > now) return;
  const { offer } = exchange.data;
  const isKnown = grantOf(offer) === 'authorization_code' || token.client !== undefined;
  const server = serverOf(metadata, offer);
  // A refresh token must go to the server that issued it, even if the issuer's metadata changed.
  if (token.server !== undefined && server.issuer !== token.server) return;
  const result = await withUpstreamFaults('issuer', 'token', () =>
    new Oauth2Client({ callbacks }).retrieveRefreshTokenAccessToken({
      authorizationServerMetadata: server,
      refreshToken,
      resource: metadata.credentialIssuer.credential_issuer,
      ...(isKnown ? { additionalRequestPayload: { client_id: clientId } } : {}),
      ...(token.dpop && dpop ? { dpop } : {}),
    }),
  );
  const fresh = tokenOf(result as Parameters<typeof tokenOf>[0], now);
  // Values that are missing in the response stay unchanged.
  const identifiers = Object.keys(fresh.identifiers).length > 0 ? fresh.identifiers : token.identifiers;
  const { client } = token;
  exchange.data.token = { refreshToken, ...fresh, identifiers, server: server.issuer, ...(client ? { client } : {}) };
  exchanges.step(exchange, 'token renewed');
  await exchanges.save(exchange);
}
