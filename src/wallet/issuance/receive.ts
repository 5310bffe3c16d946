// From a token to stored credentials: requests, checks and stores each credential, waits for deferred ones, and notifies the issuer.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { Description } from '../credentials/index.ts';
import { checkReceived } from './check.ts';
import { type KeyProofs, requestCredential } from './credential-request.ts';
import type { CredentialResponse } from './credential-response.ts';
import {
  type CredentialDelivery,
  type IssuanceData,
  type IssuanceExchange,
  isRecoverable,
  type RequestedCredential,
} from './data.ts';
import { defer, requestDeferred } from './deferred.ts';
import type { IssuanceDeps } from './deps.ts';
import type { AuthorizedClient } from './endpoint.ts';
import type { IssuanceAnswer } from './issuance.schema.ts';
import { notifyAccepted, notifyFailure, notifyTime, notifyWhenOver } from './notification.ts';
import { type CredentialConfiguration, configurationOf, grantOf, issuerLogoOf, issuerNameOf } from './offer.ts';
import { proofJwt } from './proof.ts';
import type { ProofKey } from './proof-key.ts';
import { chooseProofKeys, signerOf } from './proof-keys.ts';
import { proofDemandOf } from './proof-types.ts';

const NO_DESCRIPTION: Description = { displays: [], labels: [] };

function createProof(
  deps: IssuanceDeps,
  { caller, data }: IssuanceExchange,
  { metadata }: AuthorizedClient,
  configuration: CredentialConfiguration,
  key: ProofKey,
  nonce: string | undefined,
  attestation?: string,
): Promise<string> {
  const { clock, clients } = deps;
  return proofJwt(clients.signing(signerOf(deps, caller, key)), metadata, configuration, key, {
    nonce,
    // Anonymous clients must not send a client id (OID4VCI, appendix F.1).
    clientId: isNamed(data) ? clients.identity().clientId : undefined,
    now: clock.now(),
    attestation,
  });
}

/** A proof for each key; or one for all of them, where the node attests that they are in its device (OID4VCI, appendix F). */
async function createProofs(
  deps: IssuanceDeps,
  exchange: IssuanceExchange,
  client: AuthorizedClient,
  configuration: CredentialConfiguration,
  keys: readonly ProofKey[],
  nonce: string | undefined,
): Promise<KeyProofs> {
  const proofBy = (key: ProofKey, attestation?: string) =>
    createProof(deps, exchange, client, configuration, key, nonce, attestation);
  const attested = keys.length > 0 ? proofDemandOf(configuration, deps)?.attested : undefined;
  if (!attested) return { type: 'jwt', jwts: await Promise.all(keys.map((key) => proofBy(key))) };
  const attestation = await deps.attester.attestKeys(
    keys.map(({ jwk }) => jwk),
    nonce,
  );
  return attested === 'jwt'
    ? { type: 'jwt', jwts: [await proofBy(keys[0]!, attestation)] }
    : { type: 'attestation', jwts: [attestation] };
}

/** Whether the issuer knows whose client the token is. */
const isNamed = ({ offer, token }: IssuanceData): boolean =>
  grantOf(offer) === 'authorization_code' || token?.client !== undefined;

/** Saves before each call, so that a worker that lost its claim sends no request. */
async function requestOne(
  deps: IssuanceDeps,
  exchange: IssuanceExchange,
  client: AuthorizedClient,
  configuration: CredentialConfiguration,
  part: RequestedCredential,
): Promise<CredentialResponse> {
  const { data, caller } = exchange;
  if (part.transactionId !== undefined) {
    await deps.exchanges.save(exchange);
    return requestDeferred(client, part.transactionId);
  }
  const { batch_credential_issuance: batch } = client.metadata.credentialIssuer;
  const size = (batch?.batch_size as number | undefined) ?? 1;
  const wanted = { ...data.wanted, count: Math.min(data.wanted.count, size) };
  const proofKeys = await chooseProofKeys(deps, caller, configuration, wanted, part.holdings);
  part.holdings = proofKeys;
  exchange.state = 'requesting';
  await deps.exchanges.save(exchange);
  return requestCredential(client, configuration, (nonce) =>
    createProofs(deps, exchange, client, configuration, proofKeys, nonce),
  );
}

/** The polling interval, and the first recoverable error. */
interface RequestOutcome {
  readonly interval: number;
  readonly stopped: unknown;
}

/** Requests all missing credentials. A recoverable error with one does not stop the others. */
async function requestAll(
  deps: IssuanceDeps,
  exchange: IssuanceExchange,
  client: AuthorizedClient,
  received: CredentialDelivery[],
): Promise<RequestOutcome> {
  const { clock, exchanges, storedCredentials, formats } = deps;
  let interval = 0;
  let stopped: unknown;
  for (const part of exchange.data.parts.filter(({ isDone }) => !isDone)) {
    try {
      const configuration = configurationOf(client.metadata, part.configurationId);
      const response = await requestOne(deps, exchange, client, configuration, part);
      if (response.kind === 'deferred') {
        if (part.transactionId === undefined) exchanges.step(exchange, 'issuer needs time', { detail: configuration.id });
        part.transactionId = response.transactionId;
        interval = Math.max(interval, response.intervalSeconds);
        defer(exchange, interval, clock.now());
        continue;
      }
      const { credentials, notificationId } = response;
      const one: CredentialDelivery = {
        part,
        configuration,
        notificationId,
        id: storedCredentials.newId(),
        copies: [],
        description: NO_DESCRIPTION,
      };
      received.push(one);
      one.copies = await checkReceived(formats, configuration, credentials, part.holdings ?? []);
      one.description = await storedCredentials.describe(
        configuration.raw,
        one.copies[0]!.credential,
        exchange.data.offer.credential_issuer,
      );
      exchanges.step(exchange, 'credential checked', { detail: `${configuration.id}: ${one.copies.length}` });
    } catch (error) {
      if (!isRecoverable(error)) throw error;
      stopped ??= error;
    }
  }
  return { interval, stopped };
}

/** Stores all received credentials and the progress of the exchange in one transaction. */
async function storeAll(
  { clock, change, exchanges, storedCredentials }: IssuanceDeps,
  exchange: IssuanceExchange,
  metadata: IssuerMetadataResult,
  received: readonly CredentialDelivery[],
  interval: number,
): Promise<void> {
  const { data, caller, owner } = exchange;
  const [name, logo] = [issuerNameOf(metadata), issuerLogoOf(metadata)];
  const from = { address: data.offer.credential_issuer, ...(name === undefined ? {} : { name }), ...(logo ? { logo } : {}) };
  for (const { part, notificationId, id } of received) {
    part.isDone = true;
    data.kept.push(id);
    if (notificationId !== undefined) data.notifications.push({ id: notificationId, event: 'credential_accepted' });
  }
  const left = data.parts.filter(({ isDone }) => !isDone);
  if (received.length > 0) exchanges.step(exchange, 'kept', { detail: received.map(({ id }) => id).join(', ') });
  if (data.kept.length > 0) exchange.summary = { ...exchange.summary, credentialIds: [...data.kept] };
  const isOver = left.length === 0;
  if (isOver) exchange.pollAt = notifyTime(data, clock.now());
  else if (left.some(({ transactionId }) => transactionId !== undefined)) defer(exchange, interval, clock.now());
  else exchange.pollAt = null;
  await change(caller, owner, async (transaction) => {
    for (const { id, configuration, copies, description } of received)
      await storedCredentials.store(transaction, owner, { id, configuration, copies, from, description });
    const result = { credentialIds: data.kept };
    if (isOver) await exchanges.end(exchange, 'issued', transaction, { result, keep: data.notifications.length > 0 });
    else await exchanges.save(exchange, transaction);
  });
}

export async function receiveCredentials(
  deps: IssuanceDeps,
  exchange: IssuanceExchange,
  metadata: IssuerMetadataResult,
): Promise<IssuanceAnswer> {
  const { exchanges, credentials, clients } = deps;
  const client = clients.authorized(exchange.data, metadata);
  const received: CredentialDelivery[] = [];
  let outcome: RequestOutcome;
  try {
    outcome = await requestAll(deps, exchange, client, received);
    await storeAll(deps, exchange, metadata, received, outcome.interval);
  } catch (error) {
    await notifyFailure(client, received);
    throw error;
  }
  const { id, state, data, caller } = exchange;
  if (state === 'issued') {
    await notifyWhenOver(deps, exchange, async () => metadata);
    return { status: 'issued', exchangeId: id, credentials: await credentials.byIds(caller, data.kept) };
  }
  await notifyAccepted(deps, exchange, async () => metadata);
  if (outcome.stopped !== undefined) throw outcome.stopped;
  await exchanges.release(exchange);
  return { status: 'deferred', exchangeId: id, retryAfter: outcome.interval };
}
