// The pages for people, and the addresses of the OpenID provider.
import { seconds } from '../../platform/clock.ts';
import { Throttle } from '../../platform/limits/index.ts';
import { createOutbound, hostPort } from '../../platform/outbound/index.ts';
import { reachableProjectIds } from '../directory/grants/index.ts';
import { readProjects } from '../directory/projects/index.ts';
import { UNFINISHED_LIMIT } from '../openid/provider/index.ts';
import type { Operations } from '../operations/build.ts';
import { createOpenid } from './serving/index.ts';

export function buildPages(below: Operations) {
  const { db, clock, outboundAllow, rateLimits, appRoles, configurations, roleCredentials } = below;
  const projectIdsOf = (userId: string) => reachableProjectIds(db.read, userId, seconds(clock));
  const openid = createOpenid({
    ...below,
    outboundTo: (address) => createOutbound([...outboundAllow, hostPort(address)], below),
    catalog: configurations.catalog,
    credentialOffers: roleCredentials.offers,
    ensureRole: appRoles.ensureRole,
    unfinished: new Throttle(rateLimits ? UNFINISHED_LIMIT : undefined, clock),
    organizationsOf: async (userId) => readProjects(db.read, [...(await projectIdsOf(userId))]),
  });
  return { ...below, openid, projectIdsOf };
}

export type Pages = ReturnType<typeof buildPages>;
