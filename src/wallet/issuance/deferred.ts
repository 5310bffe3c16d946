// Deferred credentials (OID4VCI, 9).
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { fail } from '../ground/faults.ts';
import { CredentialError, isTransient, toFault } from './credential-error.ts';
import { type CredentialResponse, DEFAULT_INTERVAL, responseOf } from './credential-response.ts';
import type { IssuanceExchange } from './data.ts';
import { encryptionFor } from './encryption.ts';
import { type AuthorizedClient, send } from './endpoint.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Limits for polling: the shortest interval, and the longest total time. */
const LEAST_SECONDS = 5;
const LONGEST_MS = 90 * DAY_MS;

export const deferredEndpointOf = ({ credentialIssuer: { deferred_credential_endpoint: url } }: IssuerMetadataResult): string =>
  url ?? fail('upstream-error', { who: 'issuer', why: 'it defers the credential, and has no deferred_credential_endpoint' });

export async function requestDeferred(client: AuthorizedClient, transactionId: string): Promise<CredentialResponse> {
  const url = deferredEndpointOf(client.metadata);
  try {
    const encryption = await encryptionFor(client.metadata);
    const payload = { transaction_id: transactionId, ...encryption?.parameters };
    const answer = responseOf(await send(client, url, payload, encryption));
    if (answer.kind === 'deferred' && answer.transactionId !== transactionId)
      throw new CredentialError('it is about another transaction');
    return answer;
  } catch (error) {
    if (isTransient(error)) return { kind: 'deferred', transactionId, intervalSeconds: DEFAULT_INTERVAL };
    throw toFault(error, 'deferred credential');
  }
}

/** Schedules the next poll, and extends the exchange up to the limit. */
export function defer(exchange: IssuanceExchange, seconds: number, now: number): void {
  const { data } = exchange;
  exchange.state = 'deferred';
  exchange.pollAt = now + Math.max(seconds, LEAST_SECONDS) * 1000;
  data.endsAt ??= now + LONGEST_MS;
  exchange.expiresAt = Math.min(Math.max(exchange.expiresAt, exchange.pollAt + DAY_MS), data.endsAt);
}
