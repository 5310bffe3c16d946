// Receiving credentials (OID4VCI 1.0): from an offer to what is stored, in steps that survive a restart. The steps stand here in
// their order; each has a file of its own.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import type { ExchangeRow } from '../database.ts';
import { isOver } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import { always, type Once } from '../resource/index.ts';
import { canBeMended, type IssuanceData, type Running } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import { obtainToken } from './grant.ts';
import type { IssuanceAnswer, IssuanceRequest } from './issuance.schema.ts';
import { issuerMetadata } from './issuer-metadata.ts';
import { notifyWhenOver } from './notification.ts';
import { grantOf, offerHashOf, readOffer } from './offer.ts';
import { previewOf } from './preview.ts';
import { discardProofKeys } from './proof-keys.ts';
import { receiveCredentials } from './receive.ts';
import { partsOf, reviseSelection } from './selection.ts';
import { newDpopKey } from './token.ts';
import { refreshAccessToken } from './token-refresh.ts';

const PROTOCOL = 'oid4vci';
const POLL_AGAIN_MS = 60_000;

/** The steps of an exchange, from wherever it is. */
async function proceed(
  deps: IssuanceDeps,
  exchange: Running,
  metadata: IssuerMetadataResult,
  body: IssuanceRequest,
): Promise<IssuanceAnswer> {
  const { clock, exchanges, clients } = deps;
  const { data } = exchange;
  if (body.preview && !data.token) {
    exchanges.step(exchange, 'preview shown');
    await exchanges.release(exchange);
    return previewOf(exchange.id, data.offer, metadata);
  }
  if (!data.token) {
    const answer = await obtainToken(deps, exchange, metadata, body);
    if (answer) return answer;
  } else await refreshAccessToken(exchanges, exchange, clients.authorized(data, metadata), clients.identity(), clock.now());
  return receiveCredentials(deps, exchange, metadata);
}

/** Before a code is spent, another key or DID than the one that was named mends what the issuer has against it. */
const canBeChosenAnew = ({ data: { token, wanted } }: Running, error: unknown): boolean =>
  !token && (wanted.keyId ?? wanted.didId) !== undefined && error instanceof Fault && error.code === 'unsupported-proof-type';

/** When nothing came of it, keys that were made for copies are of no use to anybody. */
async function during<T>(
  deps: IssuanceDeps,
  exchange: Running,
  mendable: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await deps.exchanges.during(exchange, (error) => mendable(error) || canBeChosenAnew(exchange, error), work);
  } catch (error) {
    if (exchange.state === 'failed')
      for (const { holdings: made, isDone } of exchange.data.parts)
        if (!isDone) await discardProofKeys(deps, exchange.caller, made);
    throw error;
  }
}

async function begin(deps: IssuanceDeps, caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
  const { exchanges, clients } = deps;
  const offer = await readOffer(clients.plain(), body);
  const requestHash = offerHashOf(offer);
  const before = requestHash === undefined ? undefined : await exchanges.findByRequest(caller, PROTOCOL, requestHash);
  if (before && !isOver(before.state)) return goOn(deps, caller, { ...body, exchangeId: before.id }, once);
  if (before) fail('exchange-finished', { state: before.state }, { detail: { exchangeId: before.id } });
  const metadata = await issuerMetadata(clients, offer);
  const data: IssuanceData = {
    offer,
    parts: partsOf(offer, metadata, body.credentialConfigurationIds),
    wanted: { keyId: body.keyId, didId: body.didId, count: body.count ?? 1 },
    dpopKey: newDpopKey(),
    kept: [],
    notifications: [],
    tries: 0,
  };
  const exchange = await exchanges.open(caller, PROTOCOL, data, {
    state: 'offered',
    peer: offer.credential_issuer,
    once,
    ...(requestHash === undefined ? {} : { requestHash }),
  });
  exchanges.step(exchange, 'offer read', {
    detail: `${data.parts.length} of ${offer.credential_configuration_ids.length} offered, by ${grantOf(offer)}`,
  });
  return during(deps, exchange, canBeMended, () => proceed(deps, exchange, metadata, body));
}

async function goOn(deps: IssuanceDeps, caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
  const exchange = await deps.exchanges.takeUp<IssuanceData>(caller, body.exchangeId!, PROTOCOL, once);
  let isReached = false;
  // Whatever happens now, the issuer is not asked again and again.
  if (exchange.pollAt !== null) exchange.pollAt = deps.clock.now() + POLL_AGAIN_MS;
  // An issuer that is away has used up nothing.
  const mendable = (error: unknown): boolean => canBeMended(error) || !isReached;
  return during(deps, exchange, mendable, async () => {
    const metadata = await issuerMetadata(deps.clients, exchange.data.offer);
    isReached = true;
    reviseSelection(exchange.data, metadata, body);
    return proceed(deps, exchange, metadata, body);
  });
}

/** The same request once more: what became of it, or how it goes on. */
async function again(deps: IssuanceDeps, caller: Caller, id: string, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
  const row = await deps.exchanges.find(caller, id);
  if (row.state !== 'issued') return goOn(deps, caller, { ...body, exchangeId: id }, once);
  const { credentialIds } = JSON.parse(row.result ?? '{"credentialIds":[]}') as { credentialIds: string[] };
  return { status: 'issued', exchangeId: id, credentials: await deps.credentials.byIds(caller, credentialIds) };
}

/** The browser came back: the exchange is in the state it was sent with. */
async function finish(deps: IssuanceDeps, caller: Caller, parameters: URLSearchParams): Promise<string> {
  const exchangeId = parameters.get('state')?.split('.', 1)[0] ?? fail('invalid-request', { why: 'there is no state' });
  const authorizationResponse = `${deps.clients.identity().redirectUri}?${parameters}`;
  await goOn(deps, caller, { exchangeId, authorizationResponse }, always);
  return exchangeId;
}

/** What waits, gone on with by the node itself. */
async function poll(deps: IssuanceDeps, row: ExchangeRow): Promise<void> {
  const { exchanges, clients } = deps;
  const caller = exchanges.callerFor(row);
  if (!isOver(row.state)) {
    await goOn(deps, caller, { exchangeId: row.id }, always);
    return;
  }
  const exchange = exchanges.revived<IssuanceData>(row, caller);
  await notifyWhenOver(deps, exchange, () => issuerMetadata(clients, exchange.data.offer));
}

export function createIssuance(deps: IssuanceDeps) {
  return {
    async process(caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
      const earlier = await once.earlier();
      if (earlier !== undefined) return again(deps, caller, earlier, body, once);
      return body.exchangeId === undefined ? begin(deps, caller, body, once) : goOn(deps, caller, body, once);
    },
    finish: (caller: Caller, parameters: URLSearchParams) => finish(deps, caller, parameters),
    poll: (row: ExchangeRow) => poll(deps, row),
  };
}

export type Issuance = ReturnType<typeof createIssuance>;
