// What a trust gives to the tokens that were made with it.
import { type DelegationReader, tagOf } from '../../access/context/index.ts';
import { chainOf, findTrust } from './trusts.store.ts';

/** The roles come from the first trustor of the chain. Everybody in the chain must be active, and every trust of it must be there. */
export const trustDelegation: DelegationReader = async (reader, id) => {
  const found = await findTrust(reader, id);
  const projectId = found?.row.project_id ?? null;
  if (!found || projectId === null) return undefined;
  const { row, roles } = found;
  const chain = await chainOf(reader, row);
  if (!chain) return undefined;
  const isImpersonated = row.impersonation === 1;
  const ends = chain.flatMap(({ expires_at }) => expires_at ?? []);
  return {
    userId: isImpersonated ? row.trustor_user_id : row.trustee_user_id,
    usedBy: row.trustee_user_id,
    giverId: chain.at(-1)!.trustor_user_id,
    alsoActive: chain.flatMap((one) => [one.trustor_user_id, one.trustee_user_id]),
    scope: { kind: 'project', id: projectId },
    roleIds: roles.map((role) => role.id),
    lostRole: 'ends all',
    expiresAt: ends.length > 0 ? Math.min(...ends) : null,
    tags: chain.map((one) => tagOf.delegation({ kind: 'trust', id: one.id })),
    tokenSection: {
      'OS-TRUST:trust': {
        id,
        trustor_user: { id: row.trustor_user_id },
        trustee_user: { id: row.trustee_user_id },
        impersonation: isImpersonated,
      },
    },
    userSection: {},
    isUnrestricted: false,
    accessRules: undefined,
  };
};
