// Notifies the issuer whether its credentials were accepted (OID4VCI, 11).
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import { CredentialError } from './credential-error.ts';
import type { CredentialDelivery, IssuanceExchange } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import { type AuthorizedClient, NOT_JSON, send } from './endpoint.ts';

const NOTIFY_AGAIN_MS = 60_000;
const MAX_NOTIFICATIONS = 5;

type NotificationDeps = Pick<IssuanceDeps, 'clock' | 'exchanges' | 'clients'>;

/** May be sent more than once. */
async function notify(
  client: AuthorizedClient,
  notificationId: string,
  event: 'credential_accepted' | 'credential_failure',
): Promise<void> {
  const { notification_endpoint: url } = client.metadata.credentialIssuer;
  if (!url) return;
  try {
    await send(client, url, { notification_id: notificationId, event }, undefined);
  } catch (error) {
    // The response is usually empty.
    if (!(error instanceof CredentialError && error.message === NOT_JSON)) throw error;
  }
}

/** When to send pending notifications again; null if there are none. */
export const notifyTime = ({ notifications }: IssuanceExchange['data'], now: number): number | null =>
  notifications.length > 0 ? now + NOTIFY_AGAIN_MS : null;

/** Notifies that none of the received credentials was stored. */
export async function notifyFailure(client: AuthorizedClient, received: readonly CredentialDelivery[]): Promise<void> {
  for (const { notificationId } of received)
    if (notificationId !== undefined) await notify(client, notificationId, 'credential_failure').catch(() => undefined);
}

export async function notifyAccepted(
  { exchanges, clients }: NotificationDeps,
  exchange: IssuanceExchange,
  metadata: () => Promise<IssuerMetadataResult>,
): Promise<void> {
  const { data } = exchange;
  if (data.notifications.length === 0) return;
  try {
    const client = clients.authorized(data, await metadata());
    for (const { id, event } of data.notifications) await notify(client, id, event);
    exchanges.step(exchange, 'issuer told');
    data.notifications = [];
  } catch {
    data.tries++;
    exchanges.step(exchange, 'issuer could not be told');
  }
}

/** Sends the notifications of a finished exchange. Failed ones are scheduled again. */
export async function notifyWhenOver(
  deps: NotificationDeps,
  exchange: IssuanceExchange,
  metadata: () => Promise<IssuerMetadataResult>,
): Promise<void> {
  const { data } = exchange;
  if (data.notifications.length === 0) return;
  await notifyAccepted(deps, exchange, metadata);
  const again = data.notifications.length > 0 && data.tries < MAX_NOTIFICATIONS;
  exchange.pollAt = again ? deps.clock.now() + NOTIFY_AGAIN_MS * data.tries : null;
  await deps.exchanges.recordAfterEnd(exchange, again);
}
