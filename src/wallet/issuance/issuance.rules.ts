// Issuance (OID4VCI 1.0): from an offer to stored credentials, in steps that survive a restart. The steps are listed here in
// order; each has its own file.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import { isFinished } from '../exchanges/index.ts';
import type { ExchangeRow } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { type IdempotentRequest, notIdempotent } from '../resource/index.ts';
import { type IssuanceData, type IssuanceExchange, isRecoverable } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import { obtainToken } from './grant.ts';
import type { IssuanceAnswer, IssuanceRequest } from './issuance.schema.ts';
import { issuerMetadata } from './issuer-metadata.ts';
import { notifyWhenOver } from './notification.ts';
import { grantOf, offerHashOf, readOffer } from './offer.ts';
import { checkPreview, previewDigest, previewOf, summaryOf } from './preview.ts';
import { discardProofKeys } from './proof-keys.ts';
import { receiveCredentials } from './receive.ts';
import { requestedCredentialsOf, reviseSelection } from './selection.ts';
import { newDpopKey } from './token.ts';
import { refreshAccessToken } from './token-refresh.ts';

const PROTOCOL = 'oid4vci';
const POLL_AGAIN_MS = 60_000;

/** Continues an exchange from its current state. */
async function proceed(
  deps: IssuanceDeps,
  exchange: IssuanceExchange,
  metadata: IssuerMetadataResult,
  body: IssuanceRequest,
): Promise<IssuanceAnswer> {
  const { clock, exchanges, clients, beside } = deps;
  const { data } = exchange;
  const shown = { offer: data.offer, metadata, beside };
  if (body.preview && !data.token) {
    data.previewed = previewDigest(shown);
    exchange.summary = summaryOf(shown);
    exchanges.step(exchange, 'preview shown');
    await exchanges.release(exchange);
    return previewOf(exchange.id, shown);
  }
  if (!data.token) {
    checkPreview(data, shown);
    const answer = await obtainToken(deps, exchange, metadata, body);
    if (answer) return answer;
  } else await refreshAccessToken(exchanges, exchange, clients.authorized(data, metadata), clients.identity(), clock.now());
  return receiveCredentials(deps, exchange, metadata);
}

/** Before the code is redeemed, the caller can choose another key or DID if the issuer does not accept the first. */
const canChangeBinding = ({ data: { token, wanted } }: IssuanceExchange, error: unknown): boolean =>
  !token && (wanted.keyId ?? wanted.didId) !== undefined && error instanceof Fault && error.code === 'unsupported-proof-type';

/** If the exchange fails, keys that were generated for copies are deleted. */
async function runExchange<T>(
  deps: IssuanceDeps,
  exchange: IssuanceExchange,
  mendable: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await deps.exchanges.run(exchange, (error) => mendable(error) || canChangeBinding(exchange, error), work);
  } catch (error) {
    if (exchange.state === 'failed')
      for (const { holdings: made, isDone } of exchange.data.parts)
        if (!isDone) await discardProofKeys(deps, exchange.caller, made);
    throw error;
  }
}

async function begin(
  deps: IssuanceDeps,
  caller: Caller,
  body: IssuanceRequest,
  once: IdempotentRequest,
): Promise<IssuanceAnswer> {
  const { exchanges, clients } = deps;
  const offer = await readOffer(clients.plain(), body);
  const requestHash = offerHashOf(offer);
  const before = requestHash === undefined ? undefined : await exchanges.findByRequest(caller, PROTOCOL, requestHash);
  if (before && !isFinished(before.state)) return resume(deps, caller, { ...body, exchangeId: before.id }, once);
  if (before) fail('exchange-finished', { state: before.state }, { detail: { exchangeId: before.id } });
  const metadata = await issuerMetadata(clients, offer);
  const data: IssuanceData = {
    offer,
    parts: requestedCredentialsOf(offer, metadata, body.credentialConfigurationIds),
    wanted: { keyId: body.keyId, didId: body.didId, count: body.count ?? 1 },
    dpopKey: newDpopKey(),
    kept: [],
    notifications: [],
    tries: 0,
  };
  const exchange = await exchanges.start(caller, PROTOCOL, data, {
    state: 'offered',
    peer: offer.credential_issuer,
    summary: summaryOf({ offer, metadata, beside: deps.beside }),
    once,
    ...(requestHash === undefined ? {} : { requestHash }),
  });
  exchanges.step(exchange, 'offer read', {
    detail: `${data.parts.length} of ${offer.credential_configuration_ids.length} offered, by ${grantOf(offer)}`,
  });
  return runExchange(deps, exchange, isRecoverable, () => proceed(deps, exchange, metadata, body));
}

async function resume(
  deps: IssuanceDeps,
  caller: Caller,
  body: IssuanceRequest,
  once: IdempotentRequest,
): Promise<IssuanceAnswer> {
  const exchange = await deps.exchanges.resume<IssuanceData>(caller, body.exchangeId!, PROTOCOL, once);
  let isReached = false;
  // Delays the next poll, whatever happens now.
  if (exchange.pollAt !== null) exchange.pollAt = deps.clock.now() + POLL_AGAIN_MS;
  // If the issuer was not reached, nothing was redeemed and the exchange can be retried.
  const mendable = (error: unknown): boolean => isRecoverable(error) || !isReached;
  return runExchange(deps, exchange, mendable, async () => {
    const metadata = await issuerMetadata(deps.clients, exchange.data.offer);
    isReached = true;
    reviseSelection(exchange.data, metadata, body);
    return proceed(deps, exchange, metadata, body);
  });
}

/** A repeated request with the same Idempotency-Key: returns the result, or continues the exchange. */
async function repeatRequest(
  deps: IssuanceDeps,
  caller: Caller,
  id: string,
  body: IssuanceRequest,
  once: IdempotentRequest,
): Promise<IssuanceAnswer> {
  const row = await deps.exchanges.find(caller, id);
  if (row.state !== 'issued') return resume(deps, caller, { ...body, exchangeId: id }, once);
  const { credentialIds } = JSON.parse(row.result ?? '{"credentialIds":[]}') as { credentialIds: string[] };
  return { status: 'issued', exchangeId: id, credentials: await deps.credentials.byIds(caller, credentialIds) };
}

/** Handles the callback. The state parameter contains the exchange id. */
async function finish(deps: IssuanceDeps, caller: Caller, parameters: URLSearchParams): Promise<string> {
  const exchangeId = parameters.get('state')?.split('.', 1)[0] ?? fail('invalid-request', { why: 'there is no state' });
  const authorizationResponse = `${deps.clients.identity().redirectUri}?${parameters}`;
  await resume(deps, caller, { exchangeId, authorizationResponse }, notIdempotent);
  return exchangeId;
}

/** Continues a waiting exchange in the background. */
async function poll(deps: IssuanceDeps, row: ExchangeRow): Promise<void> {
  const { exchanges, clients } = deps;
  const caller = exchanges.callerFor(row);
  if (!isFinished(row.state)) {
    await resume(deps, caller, { exchangeId: row.id }, notIdempotent);
    return;
  }
  const exchange = exchanges.openFinished<IssuanceData>(row, caller);
  await notifyWhenOver(deps, exchange, () => issuerMetadata(clients, exchange.data.offer));
}

export function createIssuance(deps: IssuanceDeps) {
  return {
    async process(caller: Caller, body: IssuanceRequest, once: IdempotentRequest): Promise<IssuanceAnswer> {
      const earlier = await once.earlierResult();
      if (earlier !== undefined) return repeatRequest(deps, caller, earlier, body, once);
      return body.exchangeId === undefined ? begin(deps, caller, body, once) : resume(deps, caller, body, once);
    },
    finish: (caller: Caller, parameters: URLSearchParams) => finish(deps, caller, parameters),
    /** Deletes the keys that were generated for a cancelled exchange. */
    async discard(row: ExchangeRow, caller: Caller): Promise<void> {
      const { data } = deps.exchanges.openFinished<IssuanceData>(row, caller);
      for (const { holdings: made, isDone } of data.parts) if (!isDone) await discardProofKeys(deps, caller, made);
    },
    poll: (row: ExchangeRow) => poll(deps, row),
  };
}

export type Issuance = ReturnType<typeof createIssuance>;
