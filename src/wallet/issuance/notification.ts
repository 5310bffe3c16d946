// The issuer is told that its credential was taken (OID4VCI, 11). Nobody waits for it, and it may come twice.
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { Running } from './data.ts';
import type { IssuanceDeps } from './deps.ts';
import { notify } from './request.ts';

export const NOTIFY_AGAIN_MS = 60_000;
const MAX_NOTIFICATIONS = 5;

export async function tellIssuer(
  deps: IssuanceDeps,
  exchange: Running,
  metadata: () => Promise<IssuerMetadataResult>,
): Promise<void> {
  const { data } = exchange;
  if (data.notifications.length === 0) return;
  try {
    const asking = deps.clients.asking(data, await metadata());
    for (const { id, event } of data.notifications) await notify(asking, id, event);
    deps.exchanges.step(exchange, 'issuer told');
    data.notifications = [];
  } catch {
    data.tries++;
    deps.exchanges.step(exchange, 'issuer could not be told');
  }
}

/** After it is over: whoever hears of it late hears of it nevertheless. */
export async function tellAfterwards(
  deps: IssuanceDeps,
  exchange: Running,
  metadata: () => Promise<IssuerMetadataResult>,
): Promise<void> {
  const { data } = exchange;
  if (data.notifications.length === 0) return;
  await tellIssuer(deps, exchange, metadata);
  const again = data.notifications.length > 0 && data.tries < MAX_NOTIFICATIONS;
  exchange.pollAt = again ? deps.clock.now() + NOTIFY_AGAIN_MS * data.tries : null;
  await deps.exchanges.noted(exchange, again);
}
