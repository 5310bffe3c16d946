// Obtains the access token with the grant of the offer: a pre-authorized code or an authorization code.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { fail } from '../ground/faults.ts';
import { time } from '../resource/index.ts';
import { beginAuthorization, finishAuthorization } from './authorization.ts';
import type { ClientMethod } from './client-authentication.ts';
import type { IssuanceExchange } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import { encryptionFor } from './encryption.ts';
import type { IssuanceAnswer, IssuanceRequest } from './issuance.schema.ts';
import { configurationOf, grantOf, txCodeOf } from './offer.ts';
import { checkProofKeys } from './proof-keys.ts';
import { dpopSigner, type IssuerToken, redeemOffer, type TokenRequest } from './token.ts';

type GrantDeps = Pick<IssuanceDeps, 'clock' | 'exchanges' | 'keys' | 'dids' | 'clients' | 'attester'>;

/** Runs before the single-use code is redeemed. */
async function checkBeforeRedeeming(
  deps: GrantDeps,
  { caller, data }: IssuanceExchange,
  metadata: IssuerMetadataResult,
): Promise<void> {
  for (const { configurationId } of data.parts)
    await checkProofKeys(deps, caller, configurationOf(metadata, configurationId), data.wanted);
  await encryptionFor(metadata);
}

async function byPreAuthorizedCode(
  { exchanges }: GrantDeps,
  exchange: IssuanceExchange,
  request: TokenRequest,
  txCodeInput: string | undefined,
): Promise<IssuerToken> {
  const txCode = txCodeOf(request.offer);
  if (txCode && txCodeInput === undefined) fail('tx-code-required', undefined, { detail: { txCode } });
  exchange.state = 'redeeming';
  await exchanges.save(exchange);
  return redeemOffer(request, txCode ? txCodeInput : undefined);
}

/** Returns the address of the authorization server for the user. */
async function askForAuthorization(
  { exchanges, clients }: GrantDeps,
  exchange: IssuanceExchange,
  request: TokenRequest,
): Promise<IssuanceAnswer> {
  const { data } = exchange;
  const ids = data.parts.map(({ configurationId }) => configurationId);
  const signer = dpopSigner(data.dpopKey);
  const how = {
    oauth: (method: ClientMethod) => clients.oauth(signer, method),
    identity: clients.identity(),
    canRedirectTo: clients.canRedirectTo,
  };
  const started = await beginAuthorization(how, request, exchange.id, ids);
  data.authorization = started.pending;
  exchange.state = 'authorization_required';
  exchanges.step(exchange, 'authorization asked for');
  await exchanges.release(exchange);
  return {
    status: 'authorization_required',
    exchangeId: exchange.id,
    authorizationUrl: started.url,
    expiresAt: time(exchange.expiresAt),
  };
}

/** Obtains the token. Returns an answer if the user must act first. */
export async function obtainToken(
  deps: GrantDeps,
  exchange: IssuanceExchange,
  metadata: IssuerMetadataResult,
  body: IssuanceRequest,
): Promise<IssuanceAnswer | undefined> {
  const { clock, exchanges, clients } = deps;
  const { data } = exchange;
  const { offer } = data;
  const signer = dpopSigner(data.dpopKey);
  const request = {
    client: (method: ClientMethod) => clients.authenticating(signer, method),
    metadata,
    offer,
    dpopJwk: signer.jwk,
    now: clock.now(),
  };
  await checkBeforeRedeeming(deps, exchange, metadata);
  if (grantOf(offer) === 'pre-authorized_code') data.token = await byPreAuthorizedCode(deps, exchange, request, body.txCode);
  else if (body.authorizationResponse !== undefined && data.authorization) {
    data.token = await finishAuthorization(request, data.authorization, body.authorizationResponse, clients.identity());
    delete data.authorization;
  } else return askForAuthorization(deps, exchange, request);
  exchange.state = 'authorized';
  exchanges.step(exchange, 'token received', { detail: data.token.dpop ? 'bound to a key (DPoP)' : 'a bearer token' });
  await exchanges.save(exchange);
  return undefined;
}
