// From a token to credentials that are kept: each offered one is asked for, waited for where the issuer takes its time, checked,
// and kept; and the issuer is told.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { checkReceived } from './check.ts';
import { canBeMended, type Part, type Received, type Running } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import { type Holding, proofJwt } from './holding.ts';
import type { IssuanceAnswer } from './issuance.schema.ts';
import { NOTIFY_AGAIN_MS, tellAfterwards, tellIssuer } from './notification.ts';
import { type Configuration, configurationOf, grantOf, issuerNameOf } from './offer.ts';
import { type Asking, type CredentialAnswer, notify, requestCredential, requestDeferred } from './request.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Nobody is asked more often than this, or longer than that. */
const LEAST_SECONDS = 5;
const LONGEST_MS = 90 * DAY_MS;

const proofOf = (
  deps: IssuanceDeps,
  exchange: Running,
  metadata: IssuerMetadataResult,
  configuration: Configuration,
  holding: Holding,
  nonce: string | undefined,
) =>
  proofJwt(deps.clients.signing(deps.holdings.signerOf(exchange.caller, holding)), metadata, configuration, holding, {
    nonce,
    // Only a client that is known to the issuer says who it is (OID4VCI, appendix F.1).
    clientId: grantOf(exchange.data.offer) === 'authorization_code' ? deps.clients.identity().clientId : undefined,
    now: deps.clock.now(),
  });

/** Written down before each call: whoever lost the exchange to another does not ask beside them. */
async function obtain(
  deps: IssuanceDeps,
  exchange: Running,
  ask: Asking,
  configuration: Configuration,
  part: Part,
): Promise<CredentialAnswer> {
  const { data, caller } = exchange;
  const { metadata } = ask;
  if (part.transactionId !== undefined) {
    await deps.exchanges.save(exchange);
    return requestDeferred(ask, part.transactionId);
  }
  const size = (metadata.credentialIssuer.batch_credential_issuance?.batch_size as number | undefined) ?? 1;
  const wanted = { ...data.wanted, count: Math.min(data.wanted.count, size) };
  const own = await deps.holdings.choose(caller, configuration, wanted, part.holdings);
  part.holdings = own;
  exchange.state = 'requesting';
  await deps.exchanges.save(exchange);
  return requestCredential(ask, configuration, (nonce) =>
    Promise.all(own.map((one) => proofOf(deps, exchange, metadata, configuration, one, nonce))),
  );
}

/** However long the issuer takes, there is time to ask it then; but nobody is asked for ever. */
function wait(deps: IssuanceDeps, exchange: Running, seconds: number): void {
  const { data } = exchange;
  exchange.state = 'deferred';
  exchange.pollAt = deps.clock.now() + Math.max(seconds, LEAST_SECONDS) * 1000;
  data.endsAt ??= deps.clock.now() + LONGEST_MS;
  exchange.expiresAt = Math.min(Math.max(exchange.expiresAt, exchange.pollAt + DAY_MS), data.endsAt);
}

/** Asks for everything that is still to come. What can be mended in one does not keep the others from coming. */
async function askForAll(
  deps: IssuanceDeps,
  exchange: Running,
  asking: Asking,
  received: Received[],
): Promise<{ interval: number; stopped: unknown }> {
  let interval = 0;
  let stopped: unknown;
  for (const part of exchange.data.parts.filter(({ isDone }) => !isDone)) {
    try {
      const configuration = configurationOf(asking.metadata, part.configurationId);
      const answer = await obtain(deps, exchange, asking, configuration, part);
      if (answer.kind === 'deferred') {
        if (part.transactionId === undefined) deps.exchanges.step(exchange, 'issuer needs time', { detail: configuration.id });
        part.transactionId = answer.transactionId;
        interval = Math.max(interval, answer.intervalSeconds);
        wait(deps, exchange, interval);
        continue;
      }
      const one: Received = {
        part,
        configuration,
        notificationId: answer.notificationId,
        id: deps.heldCredentials.newId(),
        copies: [],
      };
      received.push(one);
      one.copies = await checkReceived(deps.formats, configuration, answer.credentials, part.holdings ?? []);
      deps.exchanges.step(exchange, 'credential checked', { detail: `${configuration.id}: ${one.copies.length}` });
    } catch (error) {
      if (!canBeMended(error)) throw error;
      stopped ??= error;
    }
  }
  return { interval, stopped };
}

/** What was received is kept, all of it or nothing, together with how far the exchange is. */
async function keepReceived(
  deps: IssuanceDeps,
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
  if (received.length > 0) deps.exchanges.step(exchange, 'kept', { detail: received.map(({ id }) => id).join(', ') });
  const isOver = left.length === 0;
  if (isOver) exchange.pollAt = data.notifications.length > 0 ? deps.clock.now() + NOTIFY_AGAIN_MS : null;
  else if (left.some(({ transactionId }) => transactionId !== undefined)) wait(deps, exchange, interval);
  else exchange.pollAt = null;
  await deps.change(caller, owner, async (inside) => {
    for (const { id, configuration, copies } of received)
      await deps.heldCredentials.store(inside, owner, { id, configuration, copies, from: issuer });
    const result = { credentialIds: data.kept };
    if (isOver) await deps.exchanges.end(exchange, 'issued', inside, { result, keep: data.notifications.length > 0 });
    else await deps.exchanges.save(exchange, inside);
  });
}

export async function gatherCredentials(
  deps: IssuanceDeps,
  exchange: Running,
  metadata: IssuerMetadataResult,
): Promise<IssuanceAnswer> {
  const asking = deps.clients.asking(exchange.data, metadata);
  const received: Received[] = [];
  let outcome: { interval: number; stopped: unknown };
  try {
    outcome = await askForAll(deps, exchange, asking, received);
    await keepReceived(deps, exchange, metadata, received, outcome.interval);
  } catch (error) {
    for (const { notificationId } of received)
      if (notificationId !== undefined) await notify(asking, notificationId, 'credential_failure').catch(() => undefined);
    throw error;
  }
  const { id, state, data, caller } = exchange;
  if (state === 'issued') {
    await tellAfterwards(deps, exchange, async () => metadata);
    return { status: 'issued', exchangeId: id, credentials: await deps.credentials.byIds(caller, data.kept) };
  }
  await tellIssuer(deps, exchange, async () => metadata);
  if (outcome.stopped !== undefined) throw outcome.stopped;
  await deps.exchanges.release(exchange);
  return { status: 'deferred', exchangeId: id, retryAfter: outcome.interval };
}
