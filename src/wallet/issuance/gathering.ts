// From a token to credentials that are kept: each offered one is asked for, waited for where the issuer takes its time, checked,
// and kept; and the issuer is told.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { Clock } from '../../platform/clock.ts';
import type { RunChange } from '../access/index.ts';
import type { Credentials, Keeping } from '../credentials/index.ts';
import type { Exchanges } from '../exchanges/index.ts';
import type { Formats } from '../formats/index.ts';
import { checkReceived } from './check.ts';
import type { Clients } from './clients.ts';
import { canBeMended, type Part, type Received, type Running } from './data.ts';
import { type Holding, type Holdings, proofJwt } from './holding.ts';
import type { IssuanceAnswer } from './issuance.schema.ts';
import { type Configuration, configurationOf, grantOf, issuerNameOf } from './offer.ts';
import { type Asking, type CredentialAnswer, notify, requestCredential, requestDeferred } from './request.ts';

const NOTIFY_AGAIN_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
/** Nobody is asked more often than this, or longer than that. */
const LEAST_SECONDS = 5;
const LONGEST_MS = 90 * DAY_MS;
const MAX_NOTIFICATIONS = 5;

export interface IssuanceDeps {
  readonly clock: Clock;
  readonly change: RunChange;
  readonly exchanges: Exchanges;
  readonly credentials: Credentials;
  readonly keeping: Keeping;
  readonly formats: Formats;
  readonly holdings: Holdings;
  readonly clients: Clients;
}

export function createGathering(deps: IssuanceDeps) {
  const { clock, change, exchanges, credentials, keeping, formats, holdings, clients } = deps;

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

  /** Written down before each call: whoever lost the exchange to another does not ask beside them. */
  async function obtain(exchange: Running, ask: Asking, configuration: Configuration, part: Part): Promise<CredentialAnswer> {
    const { data, caller } = exchange;
    const { metadata } = ask;
    if (part.transactionId !== undefined) {
      await exchanges.save(exchange);
      return requestDeferred(ask, part.transactionId);
    }
    const size = (metadata.credentialIssuer.batch_credential_issuance?.batch_size as number | undefined) ?? 1;
    const wanted = { ...data.wanted, count: Math.min(data.wanted.count, size) };
    const own = await holdings.choose(caller, configuration, wanted, part.holdings);
    part.holdings = own;
    exchange.state = 'requesting';
    await exchanges.save(exchange);
    return requestCredential(ask, configuration, (nonce) =>
      Promise.all(own.map((one) => proofOf(exchange, metadata, configuration, one, nonce))),
    );
  }

  /** However long the issuer takes, there is time to ask it then; but nobody is asked for ever. */
  function wait(exchange: Running, seconds: number): void {
    const { data } = exchange;
    exchange.state = 'deferred';
    exchange.pollAt = clock.now() + Math.max(seconds, LEAST_SECONDS) * 1000;
    data.endsAt ??= clock.now() + LONGEST_MS;
    exchange.expiresAt = Math.min(Math.max(exchange.expiresAt, exchange.pollAt + DAY_MS), data.endsAt);
  }

  /** Asks for everything that is still to come. What can be mended in one does not keep the others from coming. */
  async function ask(exchange: Running, asking: Asking, received: Received[]): Promise<{ interval: number; stopped: unknown }> {
    let interval = 0;
    let stopped: unknown;
    for (const part of exchange.data.parts.filter(({ isDone }) => !isDone)) {
      try {
        const configuration = configurationOf(asking.metadata, part.configurationId);
        const answer = await obtain(exchange, asking, configuration, part);
        if (answer.kind === 'deferred') {
          if (part.transactionId === undefined) exchanges.step(exchange, 'issuer needs time', { detail: configuration.id });
          part.transactionId = answer.transactionId;
          interval = Math.max(interval, answer.intervalSeconds);
          wait(exchange, interval);
          continue;
        }
        const one: Received = { part, configuration, notificationId: answer.notificationId, id: keeping.newId(), copies: [] };
        received.push(one);
        one.copies = await checkReceived(formats, configuration, answer.credentials, part.holdings ?? []);
        exchanges.step(exchange, 'credential checked', { detail: `${configuration.id}: ${one.copies.length}` });
      } catch (error) {
        if (!canBeMended(error)) throw error;
        stopped ??= error;
      }
    }
    return { interval, stopped };
  }

  /** What was received is kept, all of it or nothing, together with how far the exchange is. */
  async function keep(
    exchange: Running,
    metadata: IssuerMetadataResult,
    received: readonly Received[],
    interval: number,
  ): Promise<void> {
    const { data, caller, owner } = exchange;
    const name = issuerNameOf(metadata);
    const issuer = { address: data.offer.credential_issuer, ...(name === undefined ? {} : { name }) };
    for (const { part, notificationId, id } of received) {
      part.isDone = true;
      data.kept.push(id);
      if (notificationId !== undefined) data.notifications.push({ id: notificationId, event: 'credential_accepted' });
    }
    const left = data.parts.filter(({ isDone }) => !isDone);
    if (received.length > 0) exchanges.step(exchange, 'kept', { detail: received.map(({ id }) => id).join(', ') });
    const isOver = left.length === 0;
    if (isOver) exchange.pollAt = data.notifications.length > 0 ? clock.now() + NOTIFY_AGAIN_MS : null;
    else if (left.some(({ transactionId }) => transactionId !== undefined)) wait(exchange, interval);
    else exchange.pollAt = null;
    await change(caller, owner, async (inside) => {
      for (const { id, configuration, copies } of received)
        await keeping.keep(inside, owner, { id, configuration, copies, from: issuer });
      const result = { credentialIds: data.kept };
      if (isOver) await exchanges.end(exchange, 'issued', inside, { result, keep: data.notifications.length > 0 });
      else await exchanges.save(exchange, inside);
    });
  }

  async function gather(exchange: Running, metadata: IssuerMetadataResult): Promise<IssuanceAnswer> {
    const asking = clients.asking(exchange.data, metadata);
    const received: Received[] = [];
    let outcome: { interval: number; stopped: unknown };
    try {
      outcome = await ask(exchange, asking, received);
      await keep(exchange, metadata, received, outcome.interval);
    } catch (error) {
      for (const { notificationId } of received)
        if (notificationId !== undefined) await notify(asking, notificationId, 'credential_failure').catch(() => undefined);
      throw error;
    }
    const { id, state, data, caller } = exchange;
    if (state === 'issued') {
      await tellLater(exchange, async () => metadata);
      return { status: 'issued', exchangeId: id, credentials: await credentials.byIds(caller, data.kept) };
    }
    await tell(exchange, async () => metadata);
    if (outcome.stopped !== undefined) throw outcome.stopped;
    await exchanges.release(exchange);
    return { status: 'deferred', exchangeId: id, retryAfter: outcome.interval };
  }

  async function tell(exchange: Running, metadata: () => Promise<IssuerMetadataResult>): Promise<void> {
    const { data } = exchange;
    if (data.notifications.length === 0) return;
    try {
      const asking = clients.asking(data, await metadata());
      for (const { id, event } of data.notifications) await notify(asking, id, event);
      exchanges.step(exchange, 'issuer told');
      data.notifications = [];
    } catch {
      data.tries++;
      exchanges.step(exchange, 'issuer could not be told');
    }
  }

  /** After it is over: whoever hears of it late hears of it nevertheless. */
  async function tellLater(exchange: Running, metadata: () => Promise<IssuerMetadataResult>): Promise<void> {
    const { data } = exchange;
    if (data.notifications.length === 0) return;
    await tell(exchange, metadata);
    const again = data.notifications.length > 0 && data.tries < MAX_NOTIFICATIONS;
    exchange.pollAt = again ? clock.now() + NOTIFY_AGAIN_MS * data.tries : null;
    await exchanges.noted(exchange, again);
  }

  return { gather, tellLater };
}
