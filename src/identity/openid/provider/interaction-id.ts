// The name by which both sides find a request again in their logs (FAPI 1.0 Baseline, 6.2.1, 11, on which FAPI-CIBA builds).
import { randomUUID } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { profileOf } from '../../applications/consumers/index.ts';
import { USER_INFORMATION } from '../paths/index.ts';

const HEADER = 'x-fapi-interaction-id';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the application sent, if it is such a name, or another one. */
export async function nameInteraction(ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> {
  await next();
  if (ctx.path !== USER_INFORMATION || profileOf({ ...ctx.oidc?.client }) !== 'fapi-ciba') return;
  const sent = ctx.get(HEADER);
  ctx.set(HEADER, UUID.test(sent) ? sent : randomUUID());
}
