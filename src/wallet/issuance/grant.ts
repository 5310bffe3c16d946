// The token for an offer (OID4VCI, 3.4 and 3.5): by the code in it, or by one a person fetches from the issuer first.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { fail } from '../faults.ts';
import { time } from '../resource/index.ts';
import { beginAuthorization, finishAuthorization } from './authorization.ts';
import type { Running } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import { encryptionFor } from './encryption.ts';
import type { IssuanceAnswer, IssuanceRequest } from './issuance.schema.ts';
import { configurationOf, grantOf, txCodeOf } from './offer.ts';
import { dpopSigner, redeemOffer, type TokenRequest } from './token.ts';

const idsOf = ({ data }: Running): string[] => data.parts.map(({ configurationId }) => configurationId);

/** Whether there will be something to bind credentials to, and a way to ask for them: before a code is spent that works once. */
async function checkBefore({ holdings }: IssuanceDeps, exchange: Running, metadata: IssuerMetadataResult): Promise<void> {
  for (const id of idsOf(exchange)) await holdings.check(exchange.caller, configurationOf(metadata, id), exchange.data.wanted);
  await encryptionFor(metadata);
}

async function redeemPreAuthorized(
  { exchanges }: IssuanceDeps,
  exchange: Running,
  request: TokenRequest,
  given: string | undefined,
): Promise<void> {
  const txCode = txCodeOf(exchange.data.offer);
  if (txCode && given === undefined) fail('tx-code-required', undefined, { detail: { txCode } });
  exchange.state = 'redeeming';
  await exchanges.save(exchange);
  exchange.data.token = await redeemOffer(request, txCode ? given : undefined);
}

/** The person has to say yes at the issuer first. */
async function askPerson(
  { exchanges, clients }: IssuanceDeps,
  exchange: Running,
  request: TokenRequest,
): Promise<IssuanceAnswer> {
  const { id } = exchange;
  const begun = await beginAuthorization(clients.oauth(), request, id, idsOf(exchange), clients.identity(), clients.maySend);
  exchange.data.authorization = begun.pending;
  exchange.state = 'authorization_required';
  exchanges.step(exchange, 'authorization asked for');
  await exchanges.release(exchange);
  return {
    status: 'authorization_required',
    exchangeId: id,
    authorizationUrl: begun.url,
    expiresAt: time(exchange.expiresAt),
  };
}

/** Gets the token, or says what has to come before that. */
export async function obtainToken(
  deps: IssuanceDeps,
  exchange: Running,
  metadata: IssuerMetadataResult,
  body: IssuanceRequest,
): Promise<IssuanceAnswer | undefined> {
  const { clock, exchanges, clients } = deps;
  const { data } = exchange;
  const { offer } = data;
  const signer = dpopSigner(data.dpopKey);
  const request: TokenRequest = { client: clients.signing(signer), metadata, offer, dpopJwk: signer.jwk, now: clock.now() };
  await checkBefore(deps, exchange, metadata);
  if (grantOf(offer) === 'pre-authorized_code') await redeemPreAuthorized(deps, exchange, request, body.txCode);
  else if (body.authorizationResponse !== undefined && data.authorization) {
    data.token = await finishAuthorization(request, data.authorization, body.authorizationResponse, clients.identity());
    delete data.authorization;
  } else return askPerson(deps, exchange, request);
  exchange.state = 'authorized';
  exchanges.step(exchange, 'token received', { detail: data.token?.dpop ? 'bound to a key (DPoP)' : 'a bearer token' });
  await exchanges.save(exchange);
  return undefined;
}
