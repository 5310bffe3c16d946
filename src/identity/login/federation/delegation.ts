// What a login through a provider gives to the tokens that were made with it: everything that the user may do, until the session of the login
// ends, and while the provider may be used. The session is that of a login at the API (api-sessions.rules.ts), or of a browser
// (provider-sessions.rules.ts), whose tokens are those of the console and of dashboards. A token that a Keystone issued knows no session here: it
// depends on the link of its person with the provider.
import type { Clock } from '../../../platform/clock.ts';
import {
  type Access,
  type DelegationReader,
  heldGroups,
  keystoneLoginOf,
  membershipsOf,
  tagOf,
} from '../../access/context/index.ts';
import { OPENID } from './assertion.ts';
import type { Entitlements } from './entitlement-changes.rules.ts';
import { findLinkAtProvider, findLinkOfApiSession } from './links.store.ts';
import { createManagement } from './management.rules.ts';
import { findLinkOfBrowserSession } from './provider-sessions.store.ts';

export function createFederationDelegation({
  access,
  clock,
}: {
  readonly access: Pick<Access, 'expand' | 'grantsOf'>;
  readonly clock: Clock;
}): DelegationReader {
  const { needsProof } = createManagement(access);

  return async (reader, id) => {
    const login = keystoneLoginOf(id);
    const link = login
      ? await findLinkAtProvider(reader, login)
      : ((await findLinkOfApiSession(reader, OPENID, id)) ?? (await findLinkOfBrowserSession(reader, id)));
    // Whoever came to manage others since has to prove that the account is theirs.
    if (!link || (await needsProof(reader, link, link))) return undefined;
    const { groups, groupsUntil } = heldGroups(await membershipsOf(reader, link.user_id), clock);
    const groupIds = new Set((JSON.parse(link.given) as Entitlements).groups);
    const section = {
      groups: groups.filter((group) => groupIds.has(group)).map((group) => ({ id: group })),
      identity_provider: { id: link.provider_id },
      protocol: { id: link.protocol_id },
    };
    return {
      userId: link.user_id,
      giverId: link.user_id,
      alsoActive: [],
      scope: undefined,
      roleIds: undefined,
      lostRole: 'ends the role',
      // The domain of the provider may be another than that of the user.
      epoch: link.domain_epoch,
      endedAt: link.domain_tokens_ended_at ?? undefined,
      expiresAt: null,
      // Also of an unscoped token: it names the groups, and whether the person must prove something depends on their roles.
      readUntil: groupsUntil,
      tags: [
        tagOf.delegation({ kind: 'federation', id }),
        tagOf.providerLink(link.id),
        tagOf.identityProvider(link.provider_id),
        tagOf.mapping(link.mapping_id),
        tagOf.project(link.domain_id),
        ...groups.map(tagOf.group),
      ],
      tokenSection: {},
      // As in Keystone, their tokens do not name the end of a password.
      userSection: { password_expires_at: undefined, 'OS-FEDERATION': section },
      isUnrestricted: true,
      accessRules: undefined,
    };
  };
}
