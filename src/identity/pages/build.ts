// The pages for people, and the addresses of the OpenID provider.
import { Throttle } from '../../platform/limits/index.ts';
import { createOutbound, hostPort } from '../../platform/outbound/index.ts';
import { EXCHANGE_LIMIT, UNFINISHED_LIMIT } from '../openid/provider/index.ts';
import type { Operations } from '../operations/build.ts';
import { createOpenid } from './serving/index.ts';

export function buildPages(below: Operations) {
  const { clock, outboundAllow, rateLimits, appRoles, configurations, roleCredentials, userScopes } = below;
  const openid = createOpenid({
    ...below,
    outboundTo: (address) => createOutbound([...outboundAllow, hostPort(address)], below),
    catalog: configurations.catalog,
    credentialOffers: roleCredentials.offers,
    ensureRole: appRoles.ensureRole,
    unfinished: new Throttle(rateLimits ? UNFINISHED_LIMIT : undefined, clock),
    exchanges: new Throttle(rateLimits ? EXCHANGE_LIMIT : undefined, clock),
    organizationsOf: userScopes.everyProjectOf,
  });
  return { ...below, openid };
}

export type Pages = ReturnType<typeof buildPages>;
