// What a sign-in through a provider gives to the tokens that were made with it: everything that the user may do, for as long as the account is
// linked and the provider may be used.
import { type Access, type DelegationReader, tagOf } from '../access/index.ts';
import type { Given } from './given.rules.ts';
import { findUsableLink } from './links.store.ts';
import { createManagement } from './management.rules.ts';
import { OPENID } from './protocols.rules.ts';

export function createFederationDelegation(access: Pick<Access, 'expand'>): DelegationReader {
  const { needsProof } = createManagement(access);

  return async (reader, id) => {
    const link = await findUsableLink(reader, OPENID, id);
    // Whoever came to manage others since has to prove that the account is theirs.
    if (!link || (await needsProof(reader, link, link))) return undefined;
    const { groups } = JSON.parse(link.given) as Given;
    const section = {
      groups: groups.map((group) => ({ id: group })),
      identity_provider: { id: link.provider_id },
      protocol: { id: OPENID },
    };
    return {
      userId: link.user_id,
      giverId: link.user_id,
      alsoActive: [],
      scope: undefined,
      roleIds: undefined,
      lostRole: 'ends the role',
      expiresAt: null,
      tags: [
        tagOf.delegation({ kind: 'federation', id }),
        tagOf.identityProvider(link.provider_id),
        tagOf.mapping(link.mapping_id),
        tagOf.project(link.domain_id),
      ],
      tokenSection: {},
      // As in Keystone, their tokens do not name the end of a password.
      userSection: { password_expires_at: undefined, 'OS-FEDERATION': section },
      isUnrestricted: true,
      accessRules: undefined,
    };
  };
}
