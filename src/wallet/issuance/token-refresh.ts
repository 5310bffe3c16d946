// Access tokens run out while an issuer takes its time: where it gave the means, a fresh one is fetched before it is asked again.
import { Oauth2Client } from '@openid4vc/oauth2';
import type { CredentialOfferObject } from '@openid4vc/openid4vci';
import type { Exchange, Exchanges } from '../exchanges/index.ts';
import { withUpstreamFaults } from '../protocols/index.ts';
import type { WalletIdentity } from './clients.ts';
import type { AuthorizedClient } from './endpoint.ts';
import { grantOf } from './offer.ts';
import { type IssuerToken, serverOf, tokenOf } from './token.ts';

/** One that runs out on its way is of no use either. */
const EARLY_MS = 10_000;

/** Written down at once: refresh tokens may work once only. */
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
  const isKnown = grantOf(offer) === 'authorization_code';
  const server = serverOf(metadata, offer);
  // A refresh token goes to whom it is from, whatever the issuer says since.
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
  // What is not said again stays as it was.
  const identifiers = Object.keys(fresh.identifiers).length > 0 ? fresh.identifiers : token.identifiers;
  exchange.data.token = { refreshToken, ...fresh, identifiers, server: server.issuer };
  exchanges.step(exchange, 'token renewed');
  await exchanges.save(exchange);
}
