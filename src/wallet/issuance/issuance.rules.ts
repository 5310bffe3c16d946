// Receiving credentials (OID4VCI 1.0): from an offer to what is kept, in steps that survive a restart.
import { createHash } from 'node:crypto';
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { Clock } from '../../platform/clock.ts';
import type { Caller, RunChange } from '../caller.ts';
import type { Credentials, Keeping } from '../credentials/index.ts';
import type { ExchangeRow } from '../database.ts';
import { type Exchanges, OVER } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import type { Formats } from '../formats/index.ts';
import type { Once } from '../idempotency.store.ts';
import { calling } from '../openid4vc.ts';
import { beginAuthorization, finishAuthorization } from './authorization.ts';
import { checkReceived } from './check.ts';
import type { Clients } from './clients.ts';
import { type IssuanceData, isMendable, named, type Received, type Running } from './data.ts';
import { encryptionFor } from './encryption.ts';
import { type Holding, type Holdings, proofJwt } from './holding.ts';
import type { IssuanceAnswer, IssuanceRequest } from './issuance.schema.ts';
import { type Configuration, chosenOf, grantOf, readOffer, txCodeOf } from './offer.ts';
import { previewOf } from './preview.ts';
import { renew } from './renewal.ts';
import { type Asking, type CredentialAnswer, notify, requestCredential, requestDeferred } from './request.ts';
import { dpopOptions, dpopSigner, newDpopKey, preAuthorizedCodeOf, redeemOffer } from './token.ts';

const PROTOCOL = 'oid4vci';
const NOTIFY_AGAIN_MS = 60_000;
const POLL_AGAIN_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
/** Nobody is asked more often than this, or longer than that. */
const LEAST_SECONDS = 5;
const LONGEST_MS = 90 * DAY_MS;
const MAX_NOTIFICATIONS = 5;

export function createIssuance(deps: {
  clock: Clock;
  change: RunChange;
  exchanges: Exchanges;
  credentials: Credentials;
  keeping: Keeping;
  formats: Formats;
  holdings: Holdings;
  clients: Clients;
}) {
  const { clock, change, exchanges, credentials, keeping, formats, holdings, clients } = deps;

  const metadataOf = (offer: CredentialOfferObject): Promise<IssuerMetadataResult> =>
    calling('issuer', 'issuer metadata', () => clients.plain().resolveIssuerMetadata(offer.credential_issuer));

  const asking = ({ data }: Running, metadata: IssuerMetadataResult): Asking => {
    const signer = dpopSigner(data.dpopKey);
    const token = data.token!;
    return {
      client: clients.signing(signer),
      callbacks: clients.callbacks(signer),
      metadata,
      token,
      dpop: dpopOptions(signer.jwk, token.dpopNonce),
    };
  };

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
  async function again(caller: Caller, id: string, body: IssuanceRequest): Promise<IssuanceAnswer> {
    const row = await exchanges.get(caller, id);
    if (row.state !== 'issued') return goOn(caller, { ...body, exchangeId: id });
    const { credentialIds } = JSON.parse(row.result ?? '{"credentialIds":[]}') as { credentialIds: string[] };
    return { status: 'issued', exchangeId: id, credentials: await credentials.byIds(caller, credentialIds) };
  }

  async function begin(caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
    const offer = await readOffer(clients.plain(), body);
    const requestHash = hashOf(offer);
    const before = requestHash === undefined ? undefined : await exchanges.findByRequest(caller, PROTOCOL, requestHash);
    if (before && !OVER.includes(before.state)) return goOn(caller, { ...body, exchangeId: before.id });
    if (before) fail('exchange-finished', { state: before.state }, { detail: { exchangeId: before.id } });
    const metadata = await metadataOf(offer);
    const chosen = chosenOf(offer, metadata, body.credentialConfigurationIds);
    const data: IssuanceData = {
      offer,
      configurationIds: chosen.map(({ id }) => id),
      wanted: { keyId: body.keyId, didId: body.didId, count: body.count ?? 1 },
      dpopKey: newDpopKey(),
      holdings: {},
      waiting: {},
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
      detail: `${data.configurationIds.length} of ${offer.credential_configuration_ids.length} offered, by ${grantOf(offer)}`,
    });
    return exchanges.during(exchange, isMendable, () => proceed(exchange, metadata, body));
  }

  async function goOn(caller: Caller, body: IssuanceRequest): Promise<IssuanceAnswer> {
    const exchange = await exchanges.takeUp<IssuanceData>(caller, body.exchangeId!, PROTOCOL);
    let isReached = false;
    // Whatever happens now, the issuer is not asked again and again.
    if (exchange.pollAt !== null) exchange.pollAt = clock.now() + POLL_AGAIN_MS;
    return exchanges.during(
      exchange,
      // An issuer that is away has used up nothing.
      (code, error) => isMendable(code, error) || !isReached,
      async () => {
        const metadata = await metadataOf(exchange.data.offer);
        isReached = true;
        choose(exchange, metadata, body);
        return proceed(exchange, metadata, body);
      },
    );
  }

  /** Whoever saw a preview may say only then what they want of it, and how; until it is asked for. */
  function choose({ data }: Running, metadata: IssuerMetadataResult, body: IssuanceRequest): void {
    const { credentialConfigurationIds: ids, keyId, didId, count = data.wanted.count } = body;
    if (ids && !data.token) data.configurationIds = chosenOf(data.offer, metadata, ids).map(({ id }) => id);
    if (keyId !== undefined || didId !== undefined) data.wanted = { keyId, didId, count };
    else data.wanted = { ...data.wanted, count };
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
    } else await renew(exchanges, exchange, asking(exchange, metadata), clients.identity(), clock.now());
    return Object.keys(exchange.data.waiting).length > 0 ? collect(exchange, metadata) : request(exchange, metadata);
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
    for (const configuration of chosenOf(offer, metadata, data.configurationIds))
      await holdings.check(exchange.caller, configuration, data.wanted);
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
      const begun = await beginAuthorization(clients.oauth(), request, exchange.id, data.configurationIds, clients.identity());
      data.authorization = begun.pending;
      exchange.state = 'authorization_required';
      exchanges.step(exchange, 'authorization asked for');
      await exchanges.release(exchange);
      return {
        status: 'authorization_required',
        exchangeId: exchange.id,
        authorizationUrl: begun.url,
        expiresAt: new Date(exchange.expiresAt).toISOString(),
      };
    }
    exchange.state = 'authorized';
    exchanges.step(exchange, 'token received', { detail: data.token.dpop ? 'bound to a key (DPoP)' : 'a bearer token' });
    await exchanges.save(exchange);
    return undefined;
  }

  const request = (exchange: Running, metadata: IssuerMetadataResult): Promise<IssuanceAnswer> =>
    gather(exchange, metadata, exchange.data.configurationIds, async (ask, configuration) => {
      const { data, caller } = exchange;
      const size = (metadata.credentialIssuer.batch_credential_issuance?.batch_size as number | undefined) ?? 1;
      const own =
        named(data.holdings, configuration.id) ??
        (await holdings.choose(caller, configuration, { ...data.wanted, count: Math.min(data.wanted.count, size) }));
      data.holdings[configuration.id] = own;
      exchange.state = 'requesting';
      await exchanges.save(exchange);
      const answer = await requestCredential(ask, configuration, (nonce) =>
        Promise.all(own.map((one) => proofOf(exchange, metadata, configuration, one, nonce))),
      );
      if (answer.kind === 'deferred') exchanges.step(exchange, 'issuer needs time', { detail: configuration.id });
      return { answer, own };
    });

  const collect = (exchange: Running, metadata: IssuerMetadataResult): Promise<IssuanceAnswer> =>
    gather(exchange, metadata, Object.keys(exchange.data.waiting), async (ask, { id }) => {
      const { transactionId, holdings: own } = exchange.data.waiting[id]!;
      return { answer: await requestDeferred(ask, transactionId), own };
    });

  const proofOf = (
    exchange: Running,
    metadata: IssuerMetadataResult,
    configuration: Configuration,
    holding: Holding,
    nonce: string | undefined,
  ) =>
    proofJwt(clients.signing(holdings.signerOf(exchange.caller, holding)), metadata, configuration, holding, {
      nonce,
      // Only a client that is known to the issuer says who it is (OID4VCI, appendix F.1).
      clientId: grantOf(exchange.data.offer) === 'authorization_code' ? clients.identity().clientId : undefined,
      now: clock.now(),
    });

  /** Asks for one after the other, and checks what comes. All of it is kept or nothing: an issuer is told which it was. */
  async function gather(
    exchange: Running,
    metadata: IssuerMetadataResult,
    ids: readonly string[],
    obtain: (
      ask: Asking,
      configuration: Configuration,
    ) => Promise<{ readonly answer: CredentialAnswer; readonly own: readonly Holding[] }>,
  ): Promise<IssuanceAnswer> {
    const { data } = exchange;
    const ask = asking(exchange, metadata);
    const received: Received[] = [];
    let interval = 0;
    try {
      for (const configuration of chosenOf(data.offer, metadata, ids)) {
        const { answer, own } = await obtain(ask, configuration);
        const { id } = configuration;
        if (answer.kind === 'deferred') {
          data.waiting[id] = { transactionId: answer.transactionId, holdings: own };
          interval = Math.max(interval, answer.intervalSeconds);
          continue;
        }
        const one: Received = { configuration, notificationId: answer.notificationId, copies: [] };
        received.push(one);
        one.copies = await checkReceived(formats, configuration, answer.credentials, own);
        exchanges.step(exchange, 'credential checked', { detail: `${id}: ${one.copies.length}` });
      }
    } catch (error) {
      for (const { notificationId } of received)
        if (notificationId !== undefined) await notify(ask, notificationId, 'credential_failure').catch(() => undefined);
      throw error;
    }
    for (const { configuration } of received) delete data.waiting[configuration.id];
    return conclude(exchange, metadata, received, interval);
  }

  /** Keeps what was received, and either ends the exchange or lets it wait. */
  async function conclude(
    exchange: Running,
    metadata: IssuerMetadataResult,
    received: readonly Received[],
    interval: number,
  ): Promise<IssuanceAnswer> {
    const { data, caller } = exchange;
    const waits = Object.keys(data.waiting).length > 0;
    for (const { notificationId } of received)
      if (notificationId !== undefined) data.notifications.push({ id: notificationId, event: 'credential_accepted' });
    await change(caller, exchange.owner, async (inside) => {
      const kept: string[] = [];
      for (const { configuration, copies } of received)
        kept.push(await keeping.keep(inside, exchange.owner, configuration, copies, data.offer.credential_issuer));
      data.kept.push(...kept);
      if (kept.length > 0) exchanges.step(exchange, 'kept', { detail: kept.join(', ') });
      if (waits) {
        exchange.state = 'deferred';
        exchange.pollAt = clock.now() + Math.max(interval, LEAST_SECONDS) * 1000;
        // However long the issuer takes, there is time to ask it then; but nobody is asked for ever.
        data.endsAt ??= clock.now() + LONGEST_MS;
        exchange.expiresAt = Math.min(Math.max(exchange.expiresAt, exchange.pollAt + DAY_MS), data.endsAt);
        await exchanges.save(exchange, inside);
      } else {
        exchange.pollAt = data.notifications.length > 0 ? clock.now() + NOTIFY_AGAIN_MS : null;
        const result = { credentialIds: data.kept };
        await exchanges.end(exchange, 'issued', inside, { result, keep: data.notifications.length > 0 });
      }
    });
    if (waits) {
      await tell(exchange, async () => metadata);
      await exchanges.release(exchange);
      return { status: 'deferred', exchangeId: exchange.id, retryAfter: interval };
    }
    await tellIssuer(exchange, async () => metadata);
    return { status: 'issued', exchangeId: exchange.id, credentials: await credentials.byIds(caller, data.kept) };
  }

  async function tell(exchange: Running, metadata: () => Promise<IssuerMetadataResult>): Promise<void> {
    const { data } = exchange;
    if (data.notifications.length === 0) return;
    try {
      const ask = asking(exchange, await metadata());
      for (const { id, event } of data.notifications) await notify(ask, id, event);
      exchanges.step(exchange, 'issuer told');
      data.notifications = [];
    } catch {
      data.tries++;
      exchanges.step(exchange, 'issuer could not be told');
    }
  }

  /** After it is kept: whoever hears of it late hears of it nevertheless. */
  async function tellIssuer(exchange: Running, metadata: () => Promise<IssuerMetadataResult>): Promise<void> {
    const { data } = exchange;
    if (data.notifications.length === 0) return;
    await tell(exchange, metadata);
    const again = data.notifications.length > 0 && data.tries < MAX_NOTIFICATIONS;
    exchange.pollAt = again ? clock.now() + NOTIFY_AGAIN_MS * data.tries : null;
    await exchanges.noted(exchange, again);
  }

  /** What waits, gone on with by the node itself. */
  async function poll(row: ExchangeRow): Promise<void> {
    const caller = exchanges.callerFor(row);
    if (row.state === 'deferred') {
      await goOn(caller, { exchangeId: row.id });
      return;
    }
    const exchange = exchanges.revived<IssuanceData>(row, caller);
    await tellIssuer(exchange, () => metadataOf(exchange.data.offer));
  }

  return {
    async process(caller: Caller, body: IssuanceRequest, once: Once): Promise<IssuanceAnswer> {
      if (body.exchangeId !== undefined) return goOn(caller, body);
      const earlier = await once.earlier();
      return earlier === undefined ? begin(caller, body, once) : again(caller, earlier, body);
    },
    /** The browser came back: the exchange is in the state it was sent with. */
    async finish(caller: Caller, parameters: URLSearchParams): Promise<string> {
      const exchangeId = parameters.get('state')?.split('.', 1)[0] ?? fail('invalid-request', { why: 'there is no state' });
      await goOn(caller, { exchangeId, authorizationResponse: `${clients.identity().redirectUri}?${parameters}` });
      return exchangeId;
    },
    poll,
  };
}

export type Issuance = ReturnType<typeof createIssuance>;
