// What an access token of OAuth1 gives to the tokens that were made with it.
import { type DelegationReader, tagOf } from '../../access/context/index.ts';
import { findAccessToken } from './oauth1.store.ts';

export const oauth1Delegation: DelegationReader = async (reader, id) => {
  const found = await findAccessToken(reader, id);
  if (!found) return undefined;
  const { row, roles } = found;
  return {
    userId: row.user_id,
    giverId: row.user_id,
    alsoActive: [],
    scope: { kind: 'project', id: row.project_id },
    roleIds: roles.map((role) => role.id),
    // As Keystone: the others are left.
    lostRole: 'ends the role',
    expiresAt: row.expires_at,
    tags: [tagOf.delegation({ kind: 'oauth1', id })],
    tokenSection: { 'OS-OAUTH1': { access_token_id: id, consumer_id: row.consumer_id } },
    userSection: {},
    isUnrestricted: false,
    accessRules: undefined,
  };
};
