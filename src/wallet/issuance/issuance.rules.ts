// Receiving credentials (OID4VCI 1.0): from an offer to what is kept, in steps that survive a restart.
import { createHash } from 'node:crypto';
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import type { ExchangeRow } from '../database.ts';
import { isOver } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import { isHostile } from '../jose/index.ts';
import { calling } from '../protocols/index.ts';
import { always, type Once, time } from '../resource/index.ts';
import { beginAuthorization, finishAuthorization } from './authorization.ts';
import { canBeMended, type IssuanceData, type Part, type Running } from './data.ts';
import { encryptionFor } from './encryption.ts';
import { createGathering, type IssuanceDeps } from './gathering.ts';
import type { IssuanceAnswer, IssuanceRequest } from './issuance.schema.ts';
import { type Configuration, chosenOf, configurationOf, grantOf, readOffer, txCodeOf } from './offer.ts';
import { previewOf } from './preview.ts';
import { renew } from './renewal.ts';
import { dpopSigner, newDpopKey, preAuthorizedCodeOf, redeemOffer } from './token.ts';

const PROTOCOL = 'oid4vci';
const POLL_AGAIN_MS = 60_000;

const partsOf = (chosen: readonly Configuration[]): Part[] => chosen.map(({ id }) => ({ configurationId: id }));

export function createIssuance(deps: IssuanceDeps) {
  const { clock, exchanges, credentials, holdings, clients } = deps;
  const gathering = createGathering(deps);

  async function metadataOf(offer: CredentialOfferObject): Promise<IssuerMetadataResult> {
    const metadata = await calling('issuer', 'issuer metadata', () =>
      clients.plain().resolveIssuerMetadata(offer.credential_issuer),
    );
    // Parts of it are shown, and kept with the credential.
    if (Object.values(metadata.credentialIssuer).some((part) => isHostile(part)))
      fail('upstream-error', { who: 'issuer', why: 'its metadata are nested too deeply, or have what no honest ones have' });
    return metadata;
  }

  /** Before a code is spent, another key or DID than the one that was named mends what the issuer has against it. */
  const canBeChosenAnew = ({ data: { token, wanted } }: Running, error: unknown): boolean =>
    !token && (wanted.keyId ?? wanted.didId) !== undefined && error instanceof Fault && error.code === 'unsupported-proof-type';

  /** When nothing came of it, keys that were made for copies are of no use to anybody. */
  async function during<T>(exchange: Running, mendable: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
    try {
      return await exchanges.during(exchange, (error) => mendable(error) || canBeChosenAnew(exchange, error), work);
    } catch (error) {
      if (exchange.state === 'failed')
        for (const { holdings: made, isDone } of exchange.data.parts) if (!isDone) await holdings.discard(exchange.caller, made);
      throw error;
    }
  }

  /** An offer's code works once, whoever sends it how often. */
  function hashOf(offer: CredentialOfferObject): string | undefined {
    const secret = preAuthorizedCodeOf(offer) ?? offer.grants?.authorization_code?.issuer_state;
    return secret === undefined
      ? undefined
      : createHash('sha256')
          .update(JSON.stringify([offer.credential_issuer, secret]))
          .digest('base64url');
  }

  /** The same request once more: what became of it, or how it goes on. */
  async function again(caller: Caller, id: string, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
    const row = await exchanges.find(caller, id);
    if (row.state !== 'issued') return goOn(caller, { ...body, exchangeId: id }, once);
    const { credentialIds } = JSON.parse(row.result ?? '{"credentialIds":[]}') as { credentialIds: string[] };
    return { status: 'issued', exchangeId: id, credentials: await credentials.byIds(caller, credentialIds) };
  }

  async function begin(caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
    const offer = await readOffer(clients.plain(), body);
    const requestHash = hashOf(offer);
    const before = requestHash === undefined ? undefined : await exchanges.findByRequest(caller, PROTOCOL, requestHash);
    if (before && !isOver(before.state)) return goOn(caller, { ...body, exchangeId: before.id }, once);
    if (before) fail('exchange-finished', { state: before.state }, { detail: { exchangeId: before.id } });
    const metadata = await metadataOf(offer);
    const chosen = chosenOf(offer, metadata, body.credentialConfigurationIds);
    const data: IssuanceData = {
      offer,
      parts: partsOf(chosen),
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
    return during(exchange, canBeMended, () => proceed(exchange, metadata, body));
  }

  async function goOn(caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
    const exchange = await exchanges.takeUp<IssuanceData>(caller, body.exchangeId!, PROTOCOL, once);
    let isReached = false;
    // Whatever happens now, the issuer is not asked again and again.
    if (exchange.pollAt !== null) exchange.pollAt = clock.now() + POLL_AGAIN_MS;
    // An issuer that is away has used up nothing.
    const mendable = (error: unknown): boolean => canBeMended(error) || !isReached;
    return during(exchange, mendable, async () => {
      const metadata = await metadataOf(exchange.data.offer);
      isReached = true;
      choose(exchange, metadata, body);
      return proceed(exchange, metadata, body);
    });
  }

  /** Whoever saw a preview may say only then what they want of it, and how; until it is asked for. */
  function choose({ data }: Running, metadata: IssuerMetadataResult, body: IssuanceRequest): void {
    const { credentialConfigurationIds: ids, keyId, didId, count = data.wanted.count } = body;
    if (ids && !data.token) data.parts = partsOf(chosenOf(data.offer, metadata, ids));
    const isNamed = keyId !== undefined || didId !== undefined;
    // Whoever brings the offer once more has changed their mind about all of it.
    const isAnew = (body.uri !== undefined || body.offer !== undefined) && !data.token;
    data.wanted = isNamed || isAnew ? { keyId, didId, count } : { ...data.wanted, count };
    // What the issuer has a proof of stays as it is.
    if (isNamed) for (const part of data.parts) if (part.transactionId === undefined) delete part.holdings;
  }

  async function proceed(exchange: Running, metadata: IssuerMetadataResult, body: IssuanceRequest): Promise<IssuanceAnswer> {
    if (body.preview && !exchange.data.token) {
      exchanges.step(exchange, 'preview shown');
      await exchanges.release(exchange);
      return previewOf(exchange.id, exchange.data.offer, metadata);
    }
    if (!exchange.data.token) {
      const answer = await authorize(exchange, metadata, body);
      if (answer) return answer;
    } else await renew(exchanges, exchange, clients.asking(exchange.data, metadata), clients.identity(), clock.now());
    return gathering.gather(exchange, metadata);
  }

  /** Gets the token, or says what has to come before that. */
  async function authorize(
    exchange: Running,
    metadata: IssuerMetadataResult,
    body: IssuanceRequest,
  ): Promise<IssuanceAnswer | undefined> {
    const { data } = exchange;
    const { offer } = data;
    const signer = dpopSigner(data.dpopKey);
    const request = { client: clients.signing(signer), metadata, offer, dpopJwk: signer.jwk, now: clock.now() };
    // Before a code is spent that works once.
    const ids = data.parts.map(({ configurationId }) => configurationId);
    for (const id of ids) await holdings.check(exchange.caller, configurationOf(metadata, id), data.wanted);
    await encryptionFor(metadata);
    if (grantOf(offer) === 'pre-authorized_code') {
      const txCode = txCodeOf(offer);
      if (txCode && body.txCode === undefined) fail('tx-code-required', undefined, { detail: { txCode } });
      exchange.state = 'redeeming';
      await exchanges.save(exchange);
      data.token = await redeemOffer(request, txCode ? body.txCode : undefined);
    } else if (body.authorizationResponse !== undefined && data.authorization) {
      data.token = await finishAuthorization(request, data.authorization, body.authorizationResponse, clients.identity());
      delete data.authorization;
    } else {
      const begun = await beginAuthorization(clients.oauth(), request, exchange.id, ids, clients.identity(), clients.maySend);
      data.authorization = begun.pending;
      exchange.state = 'authorization_required';
      exchanges.step(exchange, 'authorization asked for');
      await exchanges.release(exchange);
      return {
        status: 'authorization_required',
        exchangeId: exchange.id,
        authorizationUrl: begun.url,
        expiresAt: time(exchange.expiresAt),
      };
    }
    exchange.state = 'authorized';
    exchanges.step(exchange, 'token received', { detail: data.token.dpop ? 'bound to a key (DPoP)' : 'a bearer token' });
    await exchanges.save(exchange);
    return undefined;
  }

  /** What waits, gone on with by the node itself. */
  async function poll(row: ExchangeRow): Promise<void> {
    const caller = exchanges.callerFor(row);
    if (!isOver(row.state)) {
      await goOn(caller, { exchangeId: row.id }, always);
      return;
    }
    const exchange = exchanges.revived<IssuanceData>(row, caller);
    await gathering.tellLater(exchange, () => metadataOf(exchange.data.offer));
  }

  return {
    async process(caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
      const earlier = await once.earlier();
      if (earlier !== undefined) return again(caller, earlier, body, once);
      return body.exchangeId === undefined ? begin(caller, body, once) : goOn(caller, body, once);
    },
    /** The browser came back: the exchange is in the state it was sent with. */
    async finish(caller: Caller, parameters: URLSearchParams): Promise<string> {
      const exchangeId = parameters.get('state')?.split('.', 1)[0] ?? fail('invalid-request', { why: 'there is no state' });
      const authorizationResponse = `${clients.identity().redirectUri}?${parameters}`;
      await goOn(caller, { exchangeId, authorizationResponse }, always);
      return exchangeId;
    },
    poll,
  };
}

export type Issuance = ReturnType<typeof createIssuance>;
